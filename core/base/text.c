/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <string.h>

#include <base/text.h>

struct tav_text text_of(const char *chars)
{
	return (struct tav_text){chars ? chars : "", chars ? strlen(chars) : 0};
}

bool text_equals(struct tav_text a, struct tav_text b)
{
	return a.size == b.size && (!a.size || !memcmp(a.data, b.data, a.size));
}

bool text_is(struct tav_text text, const char *chars)
{
	return text_equals(text, text_of(chars));
}

size_t utf8_length(const char *data, size_t size)
{
	const unsigned char *byte = (const unsigned char *)data;

	if (!size)
		return 0;
	if (byte[0] < 0x80)
		return 1;
	size_t length = byte[0] >= 0xf0 ? 4 : byte[0] >= 0xe0 ? 3 : 2;
	if (byte[0] < 0xc2 || byte[0] > 0xf4 || size < length)
		return 0;
	/* The second byte's range keeps out overlong forms, surrogates and what lies beyond U+10FFFF. */
	unsigned char low = byte[0] == 0xe0 ? 0xa0 : byte[0] == 0xf0 ? 0x90 : 0x80;
	unsigned char high = byte[0] == 0xed ? 0x9f : byte[0] == 0xf4 ? 0x8f : 0xbf;
	if (byte[1] < low || byte[1] > high)
		return 0;
	for (size_t i = 2; i < length; i++) {
		if ((byte[i] & 0xc0) != 0x80)
			return 0;
	}
	return length;
}

size_t utf8_count_bad(const char *data, size_t size)
{
	size_t bad = 0;

	for (size_t i = 0; i < size;) {
		size_t length = utf8_length(data + i, size - i);

		bad += !length;
		i += length ? length : 1;
	}
	return bad;
}

static uint32_t decode(const char *data, size_t length)
{
	const unsigned char *byte = (const unsigned char *)data;

	switch (length) {
	case 1:
		return byte[0];
	case 2:
		return (byte[0] & 0x1fu) << 6 | (byte[1] & 0x3fu);
	case 3:
		return (byte[0] & 0x0fu) << 12 | (byte[1] & 0x3fu) << 6 | (byte[2] & 0x3fu);
	default:
		return (byte[0] & 0x07u) << 18 | (byte[1] & 0x3fu) << 12 | (byte[2] & 0x3fu) << 6 | (byte[3] & 0x3fu);
	}
}

/* Controls, and what changes the direction or the line of the text around it. */
static bool is_unsafe(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x061c || (code >= 0x200b && code <= 0x200f) ||
	       (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

/* Writes one escaped step of the text; returns the bytes it took. `piece` holds at least 16 bytes. */
static size_t escape_step(const char *data, size_t size, char *piece)
{
	size_t length = utf8_length(data, size);

	if (!length) {
		snprintf(piece, 16, "\\x%02x", (unsigned char)data[0]);
		return 1;
	}
	uint32_t code = decode(data, length);
	if (!is_unsafe(code)) {
		memcpy(piece, data, length);
		piece[length] = '\0';
	} else if (code == '\n' || code == '\r' || code == '\t') {
		snprintf(piece, 16, "\\%c", code == '\n' ? 'n' : code == '\r' ? 'r' : 't');
	} else if (code < 0x100) {
		snprintf(piece, 16, "\\x%02x", (unsigned)code);
	} else {
		snprintf(piece, 16, "\\u%04x", (unsigned)code);
	}
	return length;
}

void text_print_escaped(FILE *out, struct tav_text text)
{
	char piece[16];

	for (size_t i = 0; i < text.size;) {
		i += escape_step(text.data + i, text.size - i, piece);
		fputs(piece, out);
	}
}

size_t text_escape(char *out, size_t capacity, struct tav_text text)
{
	size_t needed = 0, used = 0;
	char piece[16];

	for (size_t i = 0; i < text.size;) {
		i += escape_step(text.data + i, text.size - i, piece);
		size_t length = strlen(piece);
		if (used == needed && used + length < capacity) { /* never half a piece */
			memcpy(out + used, piece, length);
			used += length;
		}
		needed += length;
	}
	if (capacity)
		out[used] = '\0';
	return needed;
}

enum { LONGEST_NAME = 64 };

static unsigned edit_distance(const char *a, size_t a_size, const char *b, size_t b_size)
{
	unsigned before[LONGEST_NAME + 1], last[LONGEST_NAME + 1], now[LONGEST_NAME + 1];

	for (size_t j = 0; j <= b_size; j++)
		last[j] = (unsigned)j;
	for (size_t i = 1; i <= a_size; i++) {
		now[0] = (unsigned)i;
		for (size_t j = 1; j <= b_size; j++) {
			unsigned best = last[j - 1] + (a[i - 1] != b[j - 1]);

			if (last[j] + 1 < best)
				best = last[j] + 1;
			if (now[j - 1] + 1 < best)
				best = now[j - 1] + 1;
			/* two neighbours swapped count once: the commonest slip of the hand */
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
				best = before[j - 2] + 1;
			now[j] = best;
		}
		memcpy(before, last, sizeof(before));
		memcpy(last, now, sizeof(last));
	}
	return last[b_size];
}

const char *text_nearest(const char *word, const char *const *candidates)
{
	const char *nearest = NULL;
	size_t size = strlen(word);
	unsigned limit = size < 4 ? 1 : size < 8 ? 2 : 3; /* a third of the word may be wrong, no more */

	for (; *candidates; candidates++) {
		size_t candidate_size = strlen(*candidates);

		if (size > LONGEST_NAME || candidate_size > LONGEST_NAME)
			continue;
		unsigned distance = edit_distance(word, size, *candidates, candidate_size);
		if (distance <= limit) {
			nearest = *candidates;
			if (!distance)
				break;
			limit = distance - 1;
		}
	}
	return nearest;
}
