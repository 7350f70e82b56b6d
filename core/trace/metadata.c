/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <trace/metadata.h>

struct cursor {
	const char *at, *end;
};

static void skip_blanks(struct cursor *cursor)
{
	while (cursor->at < cursor->end && strchr(" \t\r\n", *cursor->at) && *cursor->at)
		cursor->at++;
}

static bool take(struct cursor *cursor, char c)
{
	skip_blanks(cursor);
	if (cursor->at == cursor->end || *cursor->at != c)
		return false;
	cursor->at++;
	return true;
}

/* Behind the quote that ends the string whose first quote has been taken. */
static void skip_string(struct cursor *cursor)
{
	while (cursor->at < cursor->end && *cursor->at != '"')
		cursor->at += *cursor->at == '\\' && cursor->end - cursor->at > 1 ? 2 : 1;
	cursor->at += cursor->at < cursor->end;
}

static struct tav_text take_value(struct cursor *cursor)
{
	unsigned depth = 0;

	skip_blanks(cursor);
	const char *start = cursor->at;
	for (; cursor->at < cursor->end; cursor->at++) {
		char c = *cursor->at;
		if (c == '"') {
			cursor->at++;
			skip_string(cursor);
			cursor->at--;
		} else if (c == '{' || c == '[') {
			depth++;
		} else if (!depth && (c == ',' || c == '}')) {
			break;
		} else if (c == '}' || c == ']') {
			depth--;
		}
	}
	const char *end = cursor->at;
	while (end > start && strchr(" \t\r\n", end[-1]) && end[-1])
		end--;
	return (struct tav_text){start, (size_t)(end - start)};
}

static unsigned hex_value(const char *digits)
{
	unsigned value = 0;

	for (int i = 0; i < 4; i++) {
		char c = digits[i];
		unsigned digit = c >= '0' && c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a' + 10);
		value = value * 16 + (digit & 15);
	}
	return value;
}

static size_t put_utf8(char *out, uint32_t code)
{
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (char)(0xc0 | code >> 6);
		out[1] = (char)(0x80 | (code & 63));
		return 2;
	}
	if (code < 0x10000) {
		out[0] = (char)(0xe0 | code >> 12);
		out[1] = (char)(0x80 | (code >> 6 & 63));
		out[2] = (char)(0x80 | (code & 63));
		return 3;
	}
	out[0] = (char)(0xf0 | code >> 18);
	out[1] = (char)(0x80 | (code >> 12 & 63));
	out[2] = (char)(0x80 | (code >> 6 & 63));
	out[3] = (char)(0x80 | (code & 63));
	return 4;
}

/* One escape at `at`, which starts with a backslash; returns how many bytes it has. */
static size_t decode_escape(const char *at, size_t size, char *out, size_t *used)
{
	static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
	const char *simple = size > 1 ? memchr(from, at[1], sizeof(from) - 1) : NULL;

	if (size < 2)
		return size;
	if (at[1] != 'u' || size < 6) {
		out[(*used)++] = simple ? to[simple - from] : at[1];
		return 2;
	}
	uint32_t code = hex_value(at + 2);
	bool is_pair = code >= 0xd800 && code < 0xdc00 && size >= 12 && at[6] == '\\' && at[7] == 'u';
	uint32_t low = is_pair ? hex_value(at + 8) : 0;
	is_pair = is_pair && low >= 0xdc00 && low < 0xe000;
	*used += put_utf8(out + *used, is_pair ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) : code);
	return is_pair ? 12 : 6;
}

/* data NULL: no memory. What is decoded is never longer than its text. */
static struct tav_text decode_key(struct arena *arena, struct tav_text raw)
{
	if (!memchr(raw.data, '\\', raw.size))
		return arena_text(arena, raw);
	char *out = arena_alloc(arena, raw.size + 1);
	size_t used = 0;
	for (size_t at = 0; out && at < raw.size;) {
		if (raw.data[at] == '\\')
			at += decode_escape(raw.data + at, raw.size - at, out, &used);
		else
			out[used++] = raw.data[at++];
	}
	return (struct tav_text){out, used};
}

/* A copy without the blanks between its parts: how a file was laid out is no difference. data NULL: no memory. */
static struct tav_text compact(struct arena *arena, struct tav_text value)
{
	char *out = arena_alloc(arena, value.size + 1);
	size_t used = 0;
	bool is_in_string = false;

	for (size_t at = 0; out && at < value.size; at++) {
		char c = value.data[at];
		if (is_in_string && c == '\\' && at + 1 < value.size)
			out[used++] = value.data[at++];
		else if (c == '"')
			is_in_string = !is_in_string;
		else if (!is_in_string && strchr(" \t\r\n", c))
			continue;
		out[used++] = value.data[at];
	}
	return (struct tav_text){out, used};
}

static bool take_member(struct cursor *cursor, struct metadata_member *member)
{
	if (!take(cursor, '"'))
		return false;
	const char *key = cursor->at;
	skip_string(cursor);
	member->key = (struct tav_text){key, (size_t)(cursor->at - key) - (cursor->at > key)};
	if (!take(cursor, ':'))
		return false;
	member->value = take_value(cursor);
	return true;
}

static uint32_t walk(struct cursor cursor, struct metadata_member *members)
{
	struct metadata_member unused;
	uint32_t count = 0;

	if (!take(&cursor, '{'))
		return 0;
	while (count < UINT32_MAX && take_member(&cursor, members ? &members[count] : &unused)) {
		count++;
		if (!take(&cursor, ','))
			break;
	}
	return count;
}

bool metadata_split(struct arena *arena, const char *text, size_t size, struct metadata_member **members,
                    uint32_t *count)
{
	struct cursor cursor = {text, text + size};

	*count = walk(cursor, NULL);
	*members = arena_array(arena, *count, sizeof(**members));
	if (!*members)
		return false;
	walk(cursor, *members);
	for (uint32_t i = 0; i < *count; i++) {
		(*members)[i].key = decode_key(arena, (*members)[i].key);
		(*members)[i].value = compact(arena, (*members)[i].value);
		if (!(*members)[i].key.data || !(*members)[i].value.data)
			return false;
	}
	return true;
}
