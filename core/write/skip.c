/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <write/skip.h>

#include <tav/json.h>

#if defined(__SSE2__)
#include <emmintrin.h>

enum { BLOCK = 64, STRIDE = 16 };

/* The first quote or backslash of 16 bytes; 16: none. */
static unsigned find_end(const char *data)
{
	__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)data);
	__m128i found =
	        _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));

	return (unsigned)__builtin_ctz((unsigned)_mm_movemask_epi8(found) | 1u << STRIDE);
}

struct masks { /* bit i: byte i of the block is one of these */
	uint64_t quotes, backslashes, opens, closes;
};

static uint64_t bits_of(const __m128i parts[4])
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < 4; i++)
		bits |= (uint64_t)(uint32_t)_mm_movemask_epi8(parts[i]) << 16 * i;
	return bits;
}

static struct masks look_at(const char *data)
{
	__m128i quotes[4], backslashes[4], opens[4], closes[4];

	for (unsigned i = 0; i < 4; i++) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(data + 16 * i));
		__m128i lower = _mm_or_si128(bytes, _mm_set1_epi8(0x20)); /* '[' and ']' become '{' and '}' */

		quotes[i] = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
		backslashes[i] = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
		opens[i] = _mm_cmpeq_epi8(lower, _mm_set1_epi8('{'));
		closes[i] = _mm_cmpeq_epi8(lower, _mm_set1_epi8('}'));
	}
	return (struct masks){bits_of(quotes), bits_of(backslashes), bits_of(opens), bits_of(closes)};
}

/* Bit i: the number of bits up to and with i is odd. */
static uint64_t parity(uint64_t bits)
{
	for (unsigned shift = 1; shift < 64; shift *= 2)
		bits ^= bits << shift;
	return bits;
}

/* Blocks of an object or array while they hold no backslash: `*at` is behind them. Non-zero: the end was found there.
 */
static size_t skip_blocks(const char *data, size_t size, size_t *at, size_t *depth)
{
	while (size - *at >= BLOCK) {
		struct masks masks = look_at(data + *at);

		if (masks.backslashes)
			return 0;
		uint64_t inside = parity(masks.quotes);
		if (inside >> 63) { /* the block ends within a string: up to its quote only */
			unsigned open = 63 - (unsigned)__builtin_clzll(masks.quotes);

			if (!open)
				return 0;
			masks.opens &= (UINT64_C(1) << open) - 1;
			masks.closes &= (UINT64_C(1) << open) - 1;
			masks.quotes = open;
		} else {
			masks.quotes = BLOCK;
		}
		uint64_t opens = masks.opens & ~inside, closes = masks.closes & ~inside;
		for (uint64_t both = opens | closes; both; both &= both - 1) {
			unsigned bit = (unsigned)__builtin_ctzll(both);

			if (opens >> bit & 1)
				++*depth;
			else if (!--*depth)
				return *at + bit + 1;
		}
		*at += masks.quotes;
	}
	return 0;
}
#else
enum { STRIDE = 1 };

static unsigned find_end(const char *data)
{
	return *data != '"' && *data != '\\';
}

static size_t skip_blocks(const char *data, size_t size, size_t *at, size_t *depth)
{
	(void)data, (void)size, (void)at, (void)depth;
	return 0;
}
#endif

/* On from `at` outside of strings, a piece that the blocks could not take: a string, or 64 bytes. Non-zero: the end. */
static size_t skip_piece(const char *data, size_t size, size_t *at, size_t *depth)
{
	size_t end = size - *at > 64 ? *at + 64 : size;

	while (*at < end) {
		char c = data[*at];

		if (c == '"') {
			*at = tav_json_string_end(data, size, *at);
			continue;
		}
		if (c == '{' || c == '[')
			++*depth;
		else if ((c == '}' || c == ']') && !--*depth)
			return *at + 1;
		++*at;
	}
	return 0;
}

size_t skip_whole(const char *data, size_t size, size_t at)
{
	size_t depth = 1, end = 0;

	at++;
	while (!end && at < size) {
		end = skip_blocks(data, size, &at, &depth);
		if (!end)
			end = skip_piece(data, size, &at, &depth);
	}
	return end;
}

/* Up to and with the quote behind `at`. */
static size_t skip_string(const char *data, size_t size, size_t at)
{
	for (size_t i = at + 1; size - i >= STRIDE && i < size; i += STRIDE) {
		unsigned found = find_end(data + i);

		if (found < STRIDE)
			return data[i + found] == '"' ? i + found + 1 : tav_json_string_end(data, size, at);
	}
	return tav_json_string_end(data, size, at);
}

size_t skip_value(const char *data, size_t size, size_t at)
{
	if (at >= size)
		return size;
	if (data[at] == '"')
		return skip_string(data, size, at);
	if (data[at] != '{' && data[at] != '[') {
		while (at < size && (unsigned char)data[at] > ' ' && data[at] != ',' && data[at] != '}' &&
		       data[at] != ']')
			at++;
		return at;
	}
	size_t end = skip_whole(data, size, at);
	return end ? end : size;
}
