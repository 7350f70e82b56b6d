/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <string.h>

#include <kit/text.h>

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

struct range {
	uint32_t first, last;
};

static bool is_in(const struct range *ranges, size_t count, uint32_t code)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (code > ranges[middle].last)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && code >= ranges[low].first;
}
#define IS_IN(ranges, code) is_in(ranges, sizeof(ranges) / sizeof((ranges)[0]), code)

/* Controls, what changes the direction or the line of the text around it, what nobody sees, and what is no character.
 */
static bool is_unsafe(uint32_t code)
{
	static const struct range ranges[] = {
	        {0x00, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},       {0x034f, 0x034f},   {0x061c, 0x061c},
	        {0x115f, 0x1160}, {0x17b4, 0x17b5}, {0x180b, 0x180f},   {0x200b, 0x200f},   {0x2028, 0x202e},
	        {0x2060, 0x206f}, {0x3164, 0x3164}, {0xfdd0, 0xfdef},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},
	        {0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
	};

	return (code & 0xfffe) == 0xfffe || IS_IN(ranges, code);
}

/* Columns of a terminal that a character takes, by the East Asian width and the combining marks in common use. */
static unsigned cells_of(uint32_t code)
{
	static const struct range none[] = {
	        {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x064b, 0x065f},
	        {0x0e34, 0x0e3a}, {0x0e47, 0x0e4e}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff},
	        {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f},
	};
	static const struct range two[] = {
	        {0x1100, 0x115f},   {0x231a, 0x231b},   {0x23e9, 0x23ec},   {0x25fd, 0x25fe},   {0x2614, 0x2615},
	        {0x26a1, 0x26a1},   {0x2705, 0x2705},   {0x274c, 0x274c},   {0x2753, 0x2757},   {0x2795, 0x2797},
	        {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},   {0x4e00, 0xa4cf},   {0xa960, 0xa97f},
	        {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe10, 0xfe19},   {0xfe30, 0xfe6f},   {0xff01, 0xff60},
	        {0xffe0, 0xffe6},   {0x16fe0, 0x18aff}, {0x1b000, 0x1b2ff}, {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff},
	        {0x1f7e0, 0x1f7eb}, {0x1f900, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
	};

	return code < 0x300 ? 1 : IS_IN(none, code) ? 0 : IS_IN(two, code) ? 2 : 1;
}

size_t text_step(const char *text, unsigned *cells)
{
	size_t length = utf8_length(text, strnlen(text, 4));

	*cells = length ? cells_of(decode(text, length)) : 1;
	return length ? length : 1;
}

unsigned text_cells(const char *text, size_t size)
{
	unsigned width = 0, cells;

	for (size_t i = 0; i < size;) {
		i += text_step(text + i, &cells);
		width += cells;
	}
	return width;
}

size_t text_plain(struct tav_text text)
{
	size_t i = 0;

	while (i < text.size && text.data[i] >= 0x20 && text.data[i] < 0x7f)
		i++;
	return i;
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
		snprintf(piece, 16, code < 0x10000 ? "\\u%04x" : "\\U%08x", (unsigned)code);
	}
	return length;
}

void text_print_escaped(FILE *out, struct tav_text text)
{
	char piece[16];

	for (size_t i = 0; i < text.size;) {
		size_t plain = text_plain((struct tav_text){text.data + i, text.size - i});

		fwrite(text.data + i, 1, plain, out);
		i += plain;
		if (i < text.size) {
			i += escape_step(text.data + i, text.size - i, piece);
			fputs(piece, out);
		}
	}
}

size_t text_escape(char *out, size_t capacity, struct tav_text text)
{
	size_t needed = 0, used = 0;
	char piece[16];

	for (size_t i = 0; i < text.size;) {
		size_t length = text_plain((struct tav_text){text.data + i, text.size - i});
		const char *from = text.data + i;

		if (length && used == needed && capacity && used + length >= capacity)
			length = capacity - 1 - used ? capacity - 1 - used : length;
		if (!length) {
			i += escape_step(text.data + i, text.size - i, piece);
			length = strlen(piece);
			from = piece;
		} else {
			i += length;
		}
		if (used == needed && used + length < capacity) { /* never half a piece */
			memcpy(out + used, from, length);
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

/* Code points that the escaped word takes. */
static unsigned word_width(struct tav_text word)
{
	char buffer[256];
	unsigned width = 0;
	size_t size = text_escape(buffer, sizeof(buffer), word);

	if (size >= sizeof(buffer))
		return (unsigned)(size > UINT16_MAX ? UINT16_MAX : size);
	for (const char *c = buffer; *c; c++)
		width += ((unsigned char)*c & 0xc0) != 0x80;
	return width;
}

void text_print_wrapped(FILE *out, const char *text, const char *indent, unsigned column, unsigned width)
{
	unsigned margin = (unsigned)strlen(indent);
	bool is_fresh = true; /* nothing of this line has been printed but what stands before `column` */

	while (*text) {
		if (*text == '\n') {
			bool is_paragraph = text[1] == '\n', is_line = text[1] == ' ';

			text += 1 + is_paragraph;
			if (!is_paragraph && !is_line)
				continue; /* as good as a blank */
			fputs(is_paragraph ? "\n\n" : "\n", out);
			fputs(*text ? indent : "", out);
			column = margin;
			is_fresh = true;
			for (; *text == ' '; text++, column++)
				putc(' ', out);
			continue;
		}
		if (*text == ' ') {
			text++;
			continue;
		}
		struct tav_text word = {text, strcspn(text, " \n")};
		unsigned cells = word_width(word);
		if (!is_fresh && column + 1 + cells > width) {
			fprintf(out, "\n%s", indent);
			column = margin;
			is_fresh = true;
		}
		column += !is_fresh + cells;
		fputs(is_fresh ? "" : " ", out);
		text_print_escaped(out, word);
		is_fresh = false;
		text += word.size;
	}
}
