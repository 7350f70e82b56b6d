/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a name is called by from one build to the next: without what a rebuild, another temporary folder or a buffer
 * that was too short change. At most the first 4096 bytes of a name are looked at.
 */
#include <string.h>

#include "diff.h"

enum { LONGEST = 4096, SUFFIX = 8, SHORTEST_HEAD = 4 };

struct text { /* under construction */
	char *data;
	size_t size;
};

static int is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static int is_suffix(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || c == '_';
}

/* White space to one blank, none around; addresses to "0x". */
static void clean(struct tav_text raw, struct text *out)
{
	size_t at = 0;

	while (at < raw.size) {
		char c = raw.data[at];

		if (is_blank(c)) {
			while (at < raw.size && is_blank(raw.data[at]))
				at++;
			if (out->size && at < raw.size)
				out->data[out->size++] = ' ';
			continue;
		}
		out->data[out->size++] = c;
		at++;
		if (c == 'x' && out->size >= 2 && out->data[out->size - 2] == '0')
			while (at < raw.size && is_hex(raw.data[at]))
				at++;
	}
}

/* Lengths at which profilers cut names. */
static int is_cut_length(size_t size)
{
	return size == 63 || size == 127 || size == 255 || size == 511 || size == 1023 || size == 4095;
}

/* The last '/' before `end`; the size where there is none. */
static size_t last_slash(const struct text *text, size_t end)
{
	while (end-- > 0)
		if (text->data[end] == '/')
			return end;
	return text->size;
}

/*
 * Of a path the component that says which kernel it is: the one below the last folder "inductor-...", else the last one
 * with anything in it. Returns whether it lies below such a folder.
 */
static int component(const struct text *path, size_t *from, size_t *to)
{
	static const char folder[] = "inductor-";
	size_t end = path->size, slash;

	for (;;) {
		size_t next = end; /* of the component that ends at `end` */

		slash = last_slash(path, end);
		if (slash == path->size)
			break;
		if (end - slash - 1 >= sizeof(folder) - 1 && end < path->size &&
		    !memcmp(path->data + slash + 1, folder, sizeof(folder) - 1)) {
			size_t stop = next + 1;

			while (stop < path->size && path->data[stop] != '/')
				stop++;
			if (stop > next + 1) {
				*from = next + 1;
				*to = stop;
				return 1;
			}
		}
		end = slash;
	}
	end = path->size;
	while (end && path->data[end - 1] == '/')
		end--;
	slash = last_slash(path, end);
	*from = slash == path->size ? 0 : slash + 1;
	*to = end;
	return 0;
}

/* "..._12_ab3f" without what follows the first number between underscores, where that may be the rest of a suffix. */
static size_t without_cut_suffix(const char *data, size_t size)
{
	for (size_t at = 0; at + 1 < size; at++) {
		size_t end = at + 1, rest;

		if (data[at] != '_' || !is_digit(data[end]))
			continue;
		while (end < size && is_digit(data[end]))
			end++;
		if (end >= size || data[end] != '_')
			continue;
		rest = end + 1;
		if (size - rest > SUFFIX)
			continue;
		while (rest < size && is_suffix(data[rest]))
			rest++;
		if (rest == size)
			return end;
	}
	return size;
}

/* Without a trailing '_' and eight of [a-z0-9_]. */
static size_t without_suffix(const char *data, size_t size)
{
	if (size < SUFFIX + 1 || data[size - SUFFIX - 1] != '_')
		return size;
	for (size_t i = size - SUFFIX; i < size; i++)
		if (!is_suffix(data[i]))
			return size;
	return size - SUFFIX - 1;
}

static void take_component(struct text *name, int *is_cut)
{
	size_t from, to, size;
	int is_under = component(name, &from, &to), is_last = to == name->size;

	/* A kernel's path goes on behind its folder (bundle.mlir); where it does not, it was cut. */
	*is_cut = is_last && (*is_cut || is_under);
	memmove(name->data, name->data + from, to - from);
	name->size = to - from;
	size = *is_cut ? without_cut_suffix(name->data, name->size) : name->size;
	if (size == name->size)
		size = without_suffix(name->data, name->size);
	if (size < name->size)
		*is_cut = 0;
	name->size = size;
}

/* Each run of digits is one '#'. */
static struct tav_text digits_of(struct tav_text name, char *out)
{
	size_t size = 0;

	for (size_t i = 0; i < name.size; i++) {
		if (!is_digit(name.data[i]))
			out[size++] = name.data[i];
		else if (!i || !is_digit(name.data[i - 1]))
			out[size++] = '#';
	}
	return (struct tav_text){out, size};
}

/* The function without its template and call arguments, without "void " and anonymous namespaces. */
static struct tav_text head_of(struct tav_text name, char *out)
{
	static const char space[] = "(anonymous namespace)::", type[] = "void ";
	size_t size = 0, end = 0;

	for (size_t i = 0; i < name.size;) {
		if (name.size - i >= sizeof(space) - 1 && !memcmp(name.data + i, space, sizeof(space) - 1))
			i += sizeof(space) - 1;
		else
			out[size++] = name.data[i++];
	}
	if (size >= sizeof(type) - 1 && !memcmp(out, type, sizeof(type) - 1)) {
		size -= sizeof(type) - 1;
		memmove(out, out + sizeof(type) - 1, size);
	}
	while (end < size && out[end] != '<' && out[end] != '(')
		end++;
	while (end && is_blank(out[end - 1]))
		end--;
	if (end < SHORTEST_HEAD)
		return (struct tav_text){out, size};
	return digits_of((struct tav_text){out, end}, out);
}

tav_status name_read(struct tav_self *self, struct tav_text raw, struct name *out)
{
	size_t room = (raw.size < LONGEST ? raw.size : LONGEST) + 1;
	struct text name = {self->host->alloc(self, room), 0};
	char *digits = self->host->alloc(self, room), *head = self->host->alloc(self, room);
	int is_cut = is_cut_length(raw.size);

	if (!name.data || !digits || !head)
		return TAV_FAILED;
	if (raw.size > LONGEST)
		raw.size = LONGEST;
	clean(raw, &name);
	if (name.size && *name.data == '/')
		take_component(&name, &is_cut);
	out->canonical = (struct tav_text){name.data, name.size};
	out->digits = digits_of(out->canonical, digits);
	out->head = head_of(out->canonical, head);
	out->is_cut = is_cut;
	return TAV_OK;
}
