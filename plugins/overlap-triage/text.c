/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

char text_lower_char(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= 0x1f);
}

static bool is_hex(char c)
{
	return is_digit(c) || (text_lower_char(c) >= 'a' && text_lower_char(c) <= 'f');
}

bool text_equal(struct tav_text a, struct tav_text b)
{
	return a.size == b.size && !memcmp(a.data, b.data, a.size);
}

bool text_is(struct tav_text text, const char *word)
{
	size_t size = strlen(word);

	return text.size == size && !memcmp(text.data, word, size);
}

bool text_is_lower(struct tav_text text, const char *word)
{
	return text.size == strlen(word) && text_starts_lower(text, word);
}

bool text_starts(struct tav_text text, const char *prefix)
{
	size_t size = strlen(prefix);

	return text.size >= size && !memcmp(text.data, prefix, size);
}

static bool same_lower(const char *data, const char *part, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (text_lower_char(data[i]) != part[i])
			return false;
	return true;
}

bool text_starts_lower(struct tav_text text, const char *prefix)
{
	size_t size = strlen(prefix);

	return text.size >= size && same_lower(text.data, prefix, size);
}

size_t text_find(struct tav_text text, const char *part)
{
	size_t size = strlen(part);
	const char *hit = size <= text.size ? memmem(text.data, text.size, part, size) : NULL;

	return hit ? (size_t)(hit - text.data) : SIZE_MAX;
}

size_t text_find_lower(struct tav_text text, const char *part)
{
	size_t size = strlen(part);

	for (size_t i = 0; i + size <= text.size; i++)
		if (text_lower_char(text.data[i]) == part[0] && same_lower(text.data + i, part, size))
			return i;
	return SIZE_MAX;
}

bool text_has(struct tav_text text, const char *part)
{
	return text_find(text, part) != SIZE_MAX;
}

bool text_has_lower(struct tav_text text, const char *part)
{
	return text_find_lower(text, part) != SIZE_MAX;
}

bool text_same_lower(struct tav_text a, struct tav_text b)
{
	if (a.size != b.size)
		return false;
	for (size_t i = 0; i < a.size; i++)
		if (text_lower_char(a.data[i]) != text_lower_char(b.data[i]))
			return false;
	return true;
}

bool text_contains_lower(struct tav_text text, struct tav_text part)
{
	for (size_t i = 0; i + part.size <= text.size; i++)
		if (text_same_lower(text_head(text_after(text, i), part.size), part))
			return true;
	return false;
}

bool text_has_any_lower(struct tav_text text, const char *const *parts)
{
	for (; *parts; parts++)
		if (text_has_lower(text, *parts))
			return true;
	return false;
}

/* One byte more, for a NUL; NULL: no memory, the cause is set. */
static char *room(struct tav_self *self, size_t size)
{
	return self->host->alloc(self, size + 1);
}

struct tav_text text_normal(struct tav_self *self, struct tav_text text)
{
	char *out = room(self, text.size);
	size_t size = 0;
	bool gap = false;

	if (!out)
		return (struct tav_text){NULL, 0};
	for (size_t i = 0; i < text.size; i++) {
		if (is_space(text.data[i])) {
			gap = size > 0;
			continue;
		}
		if (gap)
			out[size++] = ' ';
		gap = false;
		out[size++] = text.data[i];
	}
	out[size] = '\0';
	return (struct tav_text){out, size};
}

struct tav_text text_keep_lower(struct tav_self *self, struct tav_text text)
{
	char *out = self->host->keep(self, text.size + 1);

	if (!out)
		return (struct tav_text){NULL, 0};
	for (size_t i = 0; i < text.size; i++)
		out[i] = text_lower_char(text.data[i]);
	out[text.size] = '\0';
	return (struct tav_text){out, text.size};
}

struct tav_text text_compact(struct tav_self *self, struct tav_text text)
{
	char *out = room(self, text.size);
	size_t size = 0;

	if (!out)
		return (struct tav_text){NULL, 0};
	for (size_t i = 0; i < text.size; i++)
		if (is_digit(text.data[i]) || is_lower(text_lower_char(text.data[i])))
			out[size++] = text_lower_char(text.data[i]);
	out[size] = '\0';
	return (struct tav_text){out, size};
}

static bool starts_character(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80; /* not a later byte of a UTF-8 character */
}

struct tav_text text_clip(struct tav_text text, size_t bytes)
{
	if (bytes >= text.size)
		return text;
	while (bytes && !starts_character(text.data[bytes]))
		bytes--;
	return (struct tav_text){text.data, bytes};
}

struct tav_text text_short(struct tav_self *self, struct tav_text text, size_t characters)
{
	struct tav_text normal = text_normal(self, text);
	size_t count = 0, cut = 0;
	char *out;

	if (!normal.data)
		return normal;
	for (size_t i = 0; i < normal.size; i++) {
		if (!starts_character(normal.data[i]))
			continue;
		if (count == characters - 3)
			cut = i;
		count++;
	}
	if (count <= characters)
		return normal;
	out = room(self, cut + 3);
	if (!out)
		return (struct tav_text){NULL, 0};
	memcpy(out, normal.data, cut);
	memcpy(out + cut, "...", 4);
	return (struct tav_text){out, cut + 3};
}

struct tav_text text_addresses(struct tav_self *self, struct tav_text text)
{
	static const char mark[] = "0xADDR";
	size_t size = text.size;
	char *out;

	for (size_t i = 0; i + 2 < text.size; i++)
		size += text.data[i] == '0' && text.data[i + 1] == 'x' ? sizeof(mark) : 0;
	if (size == text.size)
		return text;
	out = room(self, size);
	if (!out)
		return (struct tav_text){NULL, 0};
	size = 0;
	for (size_t i = 0; i < text.size;) {
		size_t digits = 0;

		if (i + 2 < text.size && text.data[i] == '0' && text.data[i + 1] == 'x')
			while (i + 2 + digits < text.size && is_hex(text.data[i + 2 + digits]))
				digits++;
		if (digits >= HEX_ADDRESS_DIGITS) {
			memcpy(out + size, mark, sizeof(mark) - 1);
			size += sizeof(mark) - 1;
			i += 2 + digits;
		} else {
			out[size++] = text.data[i++];
		}
	}
	out[size] = '\0';
	return (struct tav_text){out, size};
}

/* Is there nothing to clean, so that the name stands for itself? */
static bool is_canonical(struct tav_text raw)
{
	if (raw.size && (is_space(raw.data[0]) || is_space(raw.data[raw.size - 1])))
		return false;
	for (size_t i = 0; i + 1 < raw.size; i++)
		if ((is_space(raw.data[i]) && (raw.data[i] != ' ' || is_space(raw.data[i + 1]))) ||
		    (raw.data[i] == '0' && raw.data[i + 1] == 'x'))
			return false;
	return !text_starts(raw, "void ") || raw.data[raw.size - 1] != ')';
}

struct tav_text text_canonical(struct tav_self *self, struct tav_text raw)
{
	struct tav_text name;
	size_t depth = 0;

	if (is_canonical(raw))
		return raw;
	name = text_normal(self, raw);
	if (!name.data)
		return name;
	name = text_addresses(self, name);
	if (!name.data || !text_starts(name, "void ") || name.data[name.size - 1] != ')')
		return name;
	/* The argument list goes, the template arguments stay: find the '(' that belongs to the last ')'. */
	for (size_t i = name.size; i-- > 0;) {
		if (name.data[i] == ')')
			depth++;
		else if (name.data[i] == '(' && !--depth)
			return (struct tav_text){name.data, i - (i && is_space(name.data[i - 1]))};
	}
	return name;
}

struct tav_text text_format(struct tav_self *self, const char *format, ...)
{
	va_list args;
	char *out;
	int size;

	va_start(args, format);
	size = vsnprintf(NULL, 0, format, args);
	va_end(args);
	out = size < 0 ? NULL : room(self, (size_t)size);
	if (!out)
		return (struct tav_text){NULL, 0};
	va_start(args, format);
	vsnprintf(out, (size_t)size + 1, format, args);
	va_end(args);
	return (struct tav_text){out, (size_t)size};
}

static bool is_word_character(char c)
{
	return is_digit(c) || is_lower(text_lower_char(c));
}

bool next_word(struct tav_text text, size_t *at, struct tav_text *word)
{
	size_t i = *at, first;

	while (i < text.size && !is_word_character(text.data[i]))
		i++;
	first = i;
	while (i < text.size && is_word_character(text.data[i]) &&
	       (i == first || !is_lower(text.data[i - 1]) || !is_upper(text.data[i])))
		i++;
	*at = i;
	*word = (struct tav_text){text.data + first, i - first};
	return i > first;
}
