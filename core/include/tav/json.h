/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tav/json.h - walking over JSON text that a scanner has passed, compiled into whoever includes it: where the members
 * of an object stand, and what a string says. Whatever the text, nothing beyond its size is read.
 */
#ifndef TAV_JSON_H
#define TAV_JSON_H

#include <string.h>

#include <tav/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of an object: where key and value stand in its text; the quotes belong to both. */
struct tav_member {
	size_t key, key_end, value, value_end;
};

/* Behind white space. */
static inline size_t tav_json_blank(const char *data, size_t size, size_t at)
{
	while (at < size && (data[at] == ' ' || data[at] == '\n' || data[at] == '\t' || data[at] == '\r'))
		at++;
	return at;
}

/* Behind the string whose '"' is data[at]; `size` where it is cut. */
static inline size_t tav_json_string_end(const char *data, size_t size, size_t at)
{
	for (at++; at < size; at++) {
		if (data[at] == '\\')
			at++;
		else if (data[at] == '"')
			return at + 1;
	}
	return size;
}

/* The end of the JSON value that begins at data[at]; `size` where it is cut. */
static inline size_t tav_json_end(const char *data, size_t size, size_t at)
{
	size_t depth = 0;

	if (at < size && data[at] == '"')
		return tav_json_string_end(data, size, at);
	if (at >= size || (data[at] != '{' && data[at] != '[')) {
		while (at < size && data[at] && !strchr(",]} \n\t\r", data[at]))
			at++;
		return at;
	}
	while (at < size) {
		if (data[at] == '"') {
			at = tav_json_string_end(data, size, at);
			continue;
		}
		if (data[at] == '{' || data[at] == '[')
			depth++;
		else if ((data[at] == '}' || data[at] == ']') && !--depth)
			return at + 1;
		at++;
	}
	return size;
}

/* The next member from `at` on (behind '{' or a value); 0: no more. `*at` is behind it then. */
static inline int tav_json_member(const char *data, size_t size, size_t *at, struct tav_member *member)
{
	size_t p = tav_json_blank(data, size, *at);

	if (p < size && (data[p] == ',' || data[p] == '{'))
		p = tav_json_blank(data, size, p + 1);
	if (p >= size || data[p] != '"')
		return 0;
	member->key = p;
	member->key_end = tav_json_string_end(data, size, p);
	p = tav_json_blank(data, size, member->key_end);
	if (p >= size || data[p] != ':')
		return 0;
	member->value = tav_json_blank(data, size, p + 1);
	member->value_end = tav_json_end(data, size, member->value);
	*at = member->value_end;
	return member->value < size;
}

/* ---- Escapes ------------------------------------------------------------------------------------------------- */
static inline int32_t tav_json_code_unit(const char *p, const char *end)
{
	int32_t code = 0;

	if (end - p < 6 || p[0] != '\\' || p[1] != 'u')
		return -1;
	for (unsigned i = 2; i < 6; i++) {
		int32_t digit = p[i] >= '0' && p[i] <= '9'   ? p[i] - '0'
		                : p[i] >= 'a' && p[i] <= 'f' ? p[i] - 'a' + 10
		                : p[i] >= 'A' && p[i] <= 'F' ? p[i] - 'A' + 10
		                                             : -1;

		if (digit < 0)
			return -1;
		code = code * 16 + digit;
	}
	return code;
}

/* A lone surrogate gets the three bytes that UTF-8 would give it: nothing is lost, and a writer shows it escaped. */
static inline char *tav_json_put_code(char *out, uint32_t code)
{
	if (code < 0x80) {
		*out++ = (char)code;
	} else if (code < 0x800) {
		*out++ = (char)(0xc0 | code >> 6);
		*out++ = (char)(0x80 | (code & 0x3f));
	} else if (code < 0x10000) {
		*out++ = (char)(0xe0 | code >> 12);
		*out++ = (char)(0x80 | (code >> 6 & 0x3f));
		*out++ = (char)(0x80 | (code & 0x3f));
	} else {
		*out++ = (char)(0xf0 | code >> 18);
		*out++ = (char)(0x80 | (code >> 12 & 0x3f));
		*out++ = (char)(0x80 | (code >> 6 & 0x3f));
		*out++ = (char)(0x80 | (code & 0x3f));
	}
	return out;
}

static inline char *tav_json_decode_escape(const char **at, const char *end, char *out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *p = *at;
	int32_t code = tav_json_code_unit(p, end);

	if (code >= 0) {
		int32_t low = code >= 0xd800 && code < 0xdc00 ? tav_json_code_unit(p + 6, end) : -1;

		*at += 6;
		if (low >= 0xdc00 && low < 0xe000) {
			*at += 6;
			return tav_json_put_code(out, 0x10000 + ((uint32_t)(code - 0xd800) << 10) +
			                                      (uint32_t)(low - 0xdc00));
		}
		return tav_json_put_code(out, (uint32_t)code);
	}
	const char *found = end - p > 1 && p[1] ? strchr(from, p[1]) : NULL;
	if (found) {
		*out++ = to[found - from];
		*at += 2;
	} else { /* in a lenient reading: a backslash is a backslash */
		*out++ = *p;
		*at += 1;
	}
	return out;
}

/* What the text between two quotes says, into `out`, which has room for `size` bytes: it only gets shorter. */
static inline size_t tav_json_decode(const char *raw, size_t size, char *out)
{
	const char *end = raw + size;
	char *begin = out;

	while (raw < end) {
		const char *escape = (const char *)memchr(raw, '\\', (size_t)(end - raw));
		size_t plain = (size_t)((escape ? escape : end) - raw);

		memcpy(out, raw, plain);
		out += plain;
		raw += plain;
		if (raw < end)
			out = tav_json_decode_escape(&raw, end, out);
	}
	return (size_t)(out - begin);
}

#ifdef __cplusplus
}
#endif
#endif
