/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <write/hide.h>

static uint64_t rotate(uint64_t x, unsigned by)
{
	return x << by | x >> (64 - by);
}

static void mix(uint64_t v[4], unsigned rounds)
{
	while (rounds--) {
		v[0] += v[1];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[0] = rotate(v[0], 32);
		v[2] += v[3];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] += v[3];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[2] += v[1];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[2] = rotate(v[2], 32);
	}
}

uint64_t hide_hash(const uint64_t key[2], struct tav_text text)
{
	uint64_t v[4] = {key[0] ^ UINT64_C(0x736f6d6570736575), key[1] ^ UINT64_C(0x646f72616e646f6d),
	                 key[0] ^ UINT64_C(0x6c7967656e657261), key[1] ^ UINT64_C(0x7465646279746573)};

	for (size_t at = 0; at <= text.size; at += 8) { /* the last word holds what is left, and the size */
		size_t left = text.size - at < 8 ? text.size - at : 8;
		uint64_t word = left < 8 ? (uint64_t)text.size << 56 : 0;

		for (size_t i = 0; i < left; i++)
			word |= (uint64_t)(unsigned char)text.data[at + i] << 8 * i;
		v[3] ^= word;
		mix(v, 2);
		v[0] ^= word;
	}
	v[2] ^= 0xff;
	mix(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* ---- Paths ----------------------------------------------------------------------------------------------------- */
static bool is_slash(char c)
{
	return c == '/' || c == '\\';
}

static bool ends_word(char c)
{
	return (unsigned char)c <= ' ' || strchr("\"'`()<>[]{},;|=", c);
}

/* Where the word that begins at `at` ends. A path that begins the text may have blanks in it: up to ": ", or the end.
 */
static size_t word_end(struct tav_text text, size_t at)
{
	const char *data = text.data;
	bool is_path =
	        !at && text.size > 2 &&
	        (is_slash(data[0]) || (data[0] == '~' && is_slash(data[1])) || (data[1] == ':' && is_slash(data[2])));

	while (at < text.size &&
	       (is_path ? data[at] != ':' || at + 1 == text.size || data[at + 1] != ' ' : !ends_word(data[at])))
		at++;
	return at;
}

/* From there on, but for slashes and roots, so that what is left does not look like another path. */
static size_t skip_roots(struct tav_text text, size_t from, size_t end)
{
	const char *data = text.data;

	for (;;) {
		while (from < end && is_slash(data[from]))
			from++;
		if (from + 1 < end && data[from] == '~' && is_slash(data[from + 1]))
			from++;
		else if (from + 2 < end && data[from + 1] == ':' && is_slash(data[from + 2]))
			from += 2;
		else
			return from;
	}
}

size_t hide_paths(struct tav_text text, char *out)
{
	size_t used = 0, at = 0;

	while (at < text.size) {
		size_t end = word_end(text, at), slashes = 0, from = end;

		while (from > at && slashes < 2)
			slashes += is_slash(text.data[--from]);
		if (slashes == 2)
			from = skip_roots(text, from, end);
		memcpy(out + used, text.data + from, end - from);
		used += end - from;
		for (at = end; at < text.size && (at == end || ends_word(text.data[at])); at++)
			out[used++] = text.data[at];
	}
	return used;
}

/* As a JSON string. Half of a surrogate pair is written as it was read. */
static bool quote(struct bytes *out, const char *text, size_t size)
{
	bool is_ok = bytes_add(out, "\"", 1);

	for (size_t i = 0; i < size && is_ok; i++) {
		unsigned char c = (unsigned char)text[i], next = i + 1 < size ? (unsigned char)text[i + 1] : 0;
		char escape[8];

		if (c == '"' || c == '\\') {
			is_ok = bytes_add(out, "\\", 1) && bytes_add(out, text + i, 1);
		} else if (c == 0xed && next >= 0xa0 && next < 0xc0 && i + 2 < size &&
		           ((unsigned char)text[i + 2] & 0xc0) == 0x80) {
			unsigned code = 0xd000u | (next & 0x3fu) << 6 | ((unsigned char)text[i + 2] & 0x3fu);

			snprintf(escape, sizeof(escape), "\\u%04x", code);
			is_ok = bytes_add(out, escape, 6);
			i += 2;
		} else if (c < 0x20) {
			snprintf(escape, sizeof(escape), "\\u%04x", c);
			is_ok = bytes_add(out, escape, 6);
		} else {
			is_ok = bytes_add(out, text + i, 1);
		}
	}
	return is_ok && bytes_add(out, "\"", 1);
}

bool hide_paths_in(struct bytes *out, struct tav_text json, bool *is_other)
{
	bool is_ok = true;

	for (size_t at = 0, end; at < json.size && is_ok; at = end) {
		const char *mark = memchr(json.data + at, '"', json.size - at);
		size_t begin = mark ? (size_t)(mark - json.data) : json.size;

		is_ok = bytes_add(out, json.data + at, begin - at);
		end = begin < json.size ? tav_json_string_end(json.data, json.size, begin) : json.size;
		if (begin == end || !is_ok)
			break;
		struct tav_text raw = {json.data + begin + 1, end - begin - 2};
		bool has_slash =
		        end - begin > 2 && (memchr(raw.data, '/', raw.size) || memchr(raw.data, '\\', raw.size));
		char *texts = has_slash ? malloc(2 * raw.size) : NULL; /* what it says, and what is left of that */
		if (has_slash && !texts)
			return false;
		size_t size = has_slash ? tav_json_decode(raw.data, raw.size, texts) : 0;
		size_t left = has_slash ? hide_paths((struct tav_text){texts, size}, texts + raw.size) : 0;
		is_ok = left == size ? bytes_add(out, json.data + begin, end - begin)
		                     : quote(out, texts + raw.size, left);
		*is_other |= left != size;
		free(texts);
	}
	return is_ok;
}
