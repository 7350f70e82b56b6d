/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <write/splice.h>

bool bytes_add(struct bytes *bytes, const char *data, size_t size)
{
	if (size > bytes->capacity - bytes->size) {
		size_t capacity = bytes->capacity ? bytes->capacity : 1024;

		while (capacity - bytes->size < size) {
			if (capacity > SIZE_MAX / 2)
				return false;
			capacity *= 2;
		}
		char *grown = realloc(bytes->data, capacity);
		if (!grown)
			return false;
		bytes->data = grown;
		bytes->capacity = capacity;
	}
	if (size)
		memcpy(bytes->data + bytes->size, data, size);
	bytes->size += size;
	return true;
}

static bool add_text(struct bytes *bytes, const char *text)
{
	return bytes_add(bytes, text, strlen(text));
}

void bytes_fini(struct bytes *bytes)
{
	free(bytes->data);
	*bytes = (struct bytes){0};
}

size_t json_blank(const char *data, size_t size, size_t at)
{
	while (at < size && (data[at] == ' ' || data[at] == '\n' || data[at] == '\t' || data[at] == '\r'))
		at++;
	return at;
}

static size_t string_end(const char *data, size_t size, size_t at)
{
	for (at++; at < size; at++) {
		if (data[at] == '\\')
			at++;
		else if (data[at] == '"')
			return at + 1;
	}
	return size;
}

size_t json_end(const char *data, size_t size, size_t at)
{
	unsigned depth = 0;

	if (at < size && data[at] == '"')
		return string_end(data, size, at);
	if (at >= size || (data[at] != '{' && data[at] != '[')) {
		while (at < size && !strchr(",]} \n\t\r", data[at]))
			at++;
		return at;
	}
	while (at < size) {
		switch (data[at]) {
		case '"':
			at = string_end(data, size, at);
			continue;
		case '{':
		case '[':
			depth++;
			break;
		case '}':
		case ']':
			if (!--depth)
				return at + 1;
			break;
		default:
			break;
		}
		at++;
	}
	return size;
}

bool json_member(const char *data, size_t size, size_t *at, struct member *member)
{
	size_t p = json_blank(data, size, *at);

	if (p < size && (data[p] == ',' || data[p] == '{'))
		p = json_blank(data, size, p + 1);
	if (p >= size || data[p] != '"')
		return false;
	member->key = p;
	member->key_end = string_end(data, size, p);
	p = json_blank(data, size, member->key_end);
	if (p >= size || data[p] != ':')
		return false;
	member->value = json_blank(data, size, p + 1);
	member->value_end = json_end(data, size, member->value);
	*at = member->value_end;
	return member->value < size;
}

bool json_find(const char *data, size_t size, const char *key, size_t key_size, struct member *member)
{
	struct member found;
	bool is_there = false;
	size_t at = 0;

	while (json_member(data, size, &at, &found)) {
		if (found.key_end - found.key == key_size + 2 && !memcmp(data + found.key + 1, key, key_size)) {
			*member = found;
			is_there = true;
		}
	}
	return is_there;
}

/* ---- Cuts: from `begin` to `end` stands `json` instead -------------------------------------------------------- */
struct cut {
	size_t begin, end;
	size_t text, text_size; /* of the texts below */
};
enum { MAX_CUTS = 64 };
struct cuts {
	struct cut items[MAX_CUTS];
	uint32_t count;
	struct bytes texts; /* of all cuts */
	struct bytes front; /* new members of args, "KEY": JSON, parted by ", " */
	struct bytes tail;  /* new members of the event */
};

/* In the order of their places; the cuts of one place in the order in which they came. */
static bool add_cut(struct cuts *cuts, size_t begin, size_t end, const char *text, size_t size)
{
	uint32_t at = cuts->count;

	if (at == MAX_CUTS)
		return false;
	for (; at && cuts->items[at - 1].begin > begin; at--)
		cuts->items[at] = cuts->items[at - 1];
	cuts->items[at] = (struct cut){begin, end, cuts->texts.size, size};
	cuts->count++;
	return bytes_add(&cuts->texts, text, size);
}

static bool add_new(struct bytes *members, const char *key, size_t key_size, const char *json, size_t size)
{
	return (!members->size || add_text(members, ", ")) && add_text(members, "\"") &&
	       bytes_add(members, key, key_size) && add_text(members, "\": ") && bytes_add(members, json, size);
}

/* The member with its comma: the one behind it, else the one before it. `base`: where the object begins in the event.
 */
static bool cut_member(struct cuts *cuts, const char *object, size_t size, size_t base, const struct member *member)
{
	size_t behind = json_blank(object, size, member->value_end), begin = member->key, at = 0;
	struct member other;

	if (behind < size && object[behind] == ',')
		return add_cut(cuts, base + begin, base + json_blank(object, size, behind + 1), "", 0);
	while (json_member(object, size, &at, &other) && other.key < member->key)
		begin = other.value_end;
	return add_cut(cuts, base + begin, base + member->value_end, "", 0);
}

/* args, or attr where the event has that; false: neither. */
static bool find_args(const char *event, size_t size, struct member *args)
{
	return json_find(event, size, "args", 4, args) || json_find(event, size, "attr", 4, args);
}

static bool find_in_args(const char *event, size_t size, const char *key, struct member *args, struct member *member)
{
	if (!find_args(event, size, args) || event[args->value] != '{')
		return false;
	return json_find(event + args->value, args->value_end - args->value, key, strlen(key), member);
}

static bool edit_args(struct cuts *cuts, const char *event, size_t size, const char *key, struct tav_text json)
{
	struct member args, member;

	if (!find_in_args(event, size, key, &args, &member))
		return !json.size || add_new(&cuts->front, key, strlen(key), json.data, json.size);
	if (!json.size)
		return cut_member(cuts, event + args.value, args.value_end - args.value, args.value, &member);
	return add_cut(cuts, args.value + member.value, args.value + member.value_end, json.data, json.size);
}

static bool is_in_args(const char *path)
{
	return !strncmp(path, "args.", 5);
}

static bool is_time(const char *path)
{
	return !strcmp(path, "ts") || !strcmp(path, "dur");
}

static bool edit_member(struct cuts *cuts, const char *event, size_t size, const struct member_edit *edit)
{
	struct member member, args, kept;
	bool is_there = json_find(event, size, edit->path, strlen(edit->path), &member);

	if (is_there && edit->keep && is_in_args(edit->keep) &&
	    !find_in_args(event, size, edit->keep + 5, &args, &kept) &&
	    !add_new(&cuts->front, edit->keep + 5, strlen(edit->keep + 5), event + member.value,
	             member.value_end - member.value))
		return false;
	if (!is_there)
		return !edit->json.size ||
		       add_new(&cuts->tail, edit->path, strlen(edit->path), edit->json.data, edit->json.size);
	if (!edit->json.size)
		return cut_member(cuts, event, size, 0, &member);
	/* A time that is a string stays one. */
	bool is_quoted = is_time(edit->path) && event[member.value] == '"' && *edit->json.data != '"';
	size_t inside = is_quoted && member.value_end - member.value >= 2;
	return add_cut(cuts, member.value + inside, member.value_end - inside, edit->json.data, edit->json.size);
}

/* New members of args: first in args, or in an args of their own; where args is no object, nowhere. */
static bool place_front(struct cuts *cuts, const char *event, size_t size)
{
	struct member args;

	if (!cuts->front.size)
		return true;
	if (!find_args(event, size, &args)) {
		return (!cuts->tail.size || add_text(&cuts->tail, ", ")) && add_text(&cuts->tail, "\"args\": {") &&
		       bytes_add(&cuts->tail, cuts->front.data, cuts->front.size) && add_text(&cuts->tail, "}");
	}
	if (event[args.value] != '{')
		return true;
	size_t first = json_blank(event, size, args.value + 1);
	return (first >= size || event[first] == '}' || add_text(&cuts->front, ", ")) &&
	       add_cut(cuts, args.value + 1, args.value + 1, cuts->front.data, cuts->front.size);
}

/* New members of the event: behind its last one. */
static bool place_tail(struct cuts *cuts, const char *event, size_t size)
{
	struct bytes text = {0};
	struct member member;
	size_t at = 0, end = 1;

	if (!cuts->tail.size)
		return true;
	while (json_member(event, size, &at, &member))
		end = member.value_end;
	bool is_ok = (end == 1 || add_text(&text, ", ")) && bytes_add(&text, cuts->tail.data, cuts->tail.size) &&
	             add_cut(cuts, end, end, text.data, text.size);
	bytes_fini(&text);
	return is_ok;
}

static void drop_comma(struct bytes *out, size_t start)
{
	while (out->size > start && strchr(" \n\t\r", out->data[out->size - 1]))
		out->size--;
	if (out->size > start && out->data[out->size - 1] == ',')
		out->size--;
}

bool splice_event(struct bytes *out, const char *event, size_t size, const struct member_edit *edits, uint32_t count)
{
	struct cuts cuts = {.count = 0};
	bool is_ok = true;
	size_t at = 0, start = out->size;

	for (uint32_t i = 0; i < count && is_ok; i++)
		is_ok = is_in_args(edits[i].path) ? edit_args(&cuts, event, size, edits[i].path + 5, edits[i].json)
		                                  : edit_member(&cuts, event, size, &edits[i]);
	is_ok = is_ok && place_front(&cuts, event, size) && place_tail(&cuts, event, size);
	for (uint32_t i = 0; i < cuts.count && is_ok; i++) {
		const struct cut *cut = &cuts.items[i];

		if (cut->begin < at) { /* within one that went before it: gone with it */
			if (cut->end >
			    at) { /* the last member, behind another that goes: so does the comma before them */
				drop_comma(out, start);
				at = cut->end;
			}
			continue;
		}
		is_ok = bytes_add(out, event + at, cut->begin - at) &&
		        (!cut->text_size || bytes_add(out, cuts.texts.data + cut->text, cut->text_size));
		at = cut->end;
	}
	is_ok = is_ok && bytes_add(out, event + at, size - at);
	bytes_fini(&cuts.texts);
	bytes_fini(&cuts.front);
	bytes_fini(&cuts.tail);
	return is_ok;
}
