/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searching many bytes at once. Which instructions are used is up to the file that includes this one: it defines
 * SIMD_AVX2, SIMD_SSE2 or neither. All of them may read up to 63 bytes beyond what they look at.
 */
#ifndef READER_SIMD_H
#define READER_SIMD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(SIMD_AVX2) || defined(SIMD_SSE2)
#include <immintrin.h>
#endif

/* The first '"', '\\' or control character; `*high` becomes non-zero when a byte before it is not ASCII. */
static inline const char *find_special(const char *p, uint32_t *high);
/* The number of digits at p. */
static inline unsigned count_digits(const char *p);
/* Whether `size` bytes are the same, 1 to 64; both may be read up to 64. */
static inline bool same_bytes(const char *a, const char *b, unsigned size);
/* The number of 1 to 16 digits at p; of at most 8, a little faster. */
static inline uint64_t parse_digits(const char *p, unsigned count);
static inline uint32_t parse_few_digits(const char *p, unsigned count);

#if defined(SIMD_AVX2)

static inline const char *find_special(const char *p, uint32_t *high)
{
	const __m256i quote = _mm256_set1_epi8('"'), backslash = _mm256_set1_epi8('\\'),
	              control = _mm256_set1_epi8(0x1f);

	for (;; p += 32) {
		__m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)p);
		__m256i special = _mm256_or_si256(
		        _mm256_or_si256(_mm256_cmpeq_epi8(bytes, quote), _mm256_cmpeq_epi8(bytes, backslash)),
		        _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, control), bytes));
		uint32_t found = (uint32_t)_mm256_movemask_epi8(special);
		uint32_t beyond = (uint32_t)_mm256_movemask_epi8(bytes);

		if (found) {
			*high |= beyond & (found - 1) & ~found;
			return p + __builtin_ctz(found);
		}
		*high |= beyond;
	}
}

static inline uint32_t equal_32(const char *a, const char *b)
{
	return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)(const void *)a),
	                                                        _mm256_loadu_si256((const __m256i *)(const void *)b)));
}

#elif defined(SIMD_SSE2)

static inline const char *find_special(const char *p, uint32_t *high)
{
	const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'), control = _mm_set1_epi8(0x1f);

	for (;; p += 16) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
		__m128i special =
		        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)),
		                     _mm_cmpeq_epi8(_mm_min_epu8(bytes, control), bytes));
		uint32_t found = (uint32_t)_mm_movemask_epi8(special), beyond = (uint32_t)_mm_movemask_epi8(bytes);

		if (found) {
			*high |= beyond & (found - 1) & ~found;
			return p + __builtin_ctz(found);
		}
		*high |= beyond;
	}
}

static inline uint32_t equal_16(const char *a, const char *b)
{
	return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)a),
	                                                  _mm_loadu_si128((const __m128i *)(const void *)b)));
}

static inline uint32_t equal_32(const char *a, const char *b)
{
	return equal_16(a, b) | equal_16(a + 16, b + 16) << 16;
}

#else

static inline const char *find_special(const char *p, uint32_t *high)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;

	/* Eight at a time while there is nothing special: a byte is special when one of these three borrows or is high.
	 */
	for (uint64_t bytes;; p += 8) {
		memcpy(&bytes, p, 8);
		uint64_t quote = bytes ^ ones * '"', backslash = bytes ^ ones * '\\';
		uint64_t special = ((quote - ones) & ~quote) | ((backslash - ones) & ~backslash) |
		                   ((bytes - ones * 0x20) & ~bytes);

		if ((special | bytes) & tops)
			break;
	}
	for (; (unsigned char)*p >= 0x20 && *p != '"' && *p != '\\'; p++)
		*high |= (unsigned char)*p & 0x80;
	return p;
}

static inline bool same_bytes(const char *a, const char *b, unsigned size)
{
	return !memcmp(a, b, size);
}

#endif

#if defined(SIMD_AVX2) || defined(SIMD_SSE2)

static inline bool same_bytes(const char *a, const char *b, unsigned size)
{
	uint32_t different = ~equal_32(a, b);

	if (__builtin_expect(size <= 32, 1))
		return !((uint64_t)different << (64 - size));
	return !different && !((uint64_t)~equal_32(a + 32, b + 32) << (96 - size));
}

static inline unsigned count_digits(const char *p)
{
	unsigned count = 0;

	for (;; p += 16, count += 16) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
		__m128i value = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
		uint32_t other =
		        ~(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(value, _mm_set1_epi8(9)), value)) &
		        0xffff;

		if (other)
			return count + (unsigned)__builtin_ctz(other);
	}
}

#if defined(SIMD_AVX2)

static inline uint64_t parse_eights(const char *p, unsigned count)
{
	/* Moves the digits to the end of the register, zeros before them. */
	static const unsigned char places[32] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
	                                         0x80, 0x80, 0x80, 0x80, 0x80, 0,    1,    2,    3,    4,    5,
	                                         6,    7,    8,    9,    10,   11,   12,   13,   14,   15};
	__m128i bytes = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)(const void *)p), _mm_set1_epi8('0'));
	__m128i digits = _mm_shuffle_epi8(bytes, _mm_loadu_si128((const __m128i *)(const void *)(places + count)));
	__m128i twos = _mm_maddubs_epi16(digits, _mm_set1_epi16(10 | 1 << 8));
	__m128i fours = _mm_madd_epi16(twos, _mm_set1_epi32(100 | 1 << 16));
	__m128i packed = _mm_packus_epi32(fours, fours);
	__m128i eights = _mm_madd_epi16(packed, _mm_set1_epi32(10000 | 1 << 16));

	return (uint64_t)_mm_cvtsi128_si64(eights);
}

static inline uint64_t parse_digits(const char *p, unsigned count)
{
	uint64_t both = parse_eights(p, count);

	return (both & UINT32_MAX) * 100000000 + (both >> 32);
}

static inline uint32_t parse_few_digits(const char *p, unsigned count)
{
	return (uint32_t)(parse_eights(p, count) >> 32);
}

#else

static inline uint64_t parse_eight(uint64_t bytes)
{
	bytes = (bytes & UINT64_C(0x0f0f0f0f0f0f0f0f)) * 2561 >> 8;
	bytes = (bytes & UINT64_C(0x00ff00ff00ff00ff)) * 6553601 >> 16;
	return (bytes & UINT64_C(0x0000ffff0000ffff)) * UINT64_C(42949672960001) >> 32;
}

static inline uint64_t parse_digits(const char *p, unsigned count)
{
	static const uint32_t powers[8] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
	uint64_t value = 0, bytes;

	for (; count >= 8; count -= 8, p += 8) {
		memcpy(&bytes, p, 8);
		value = value * 100000000 + parse_eight(bytes);
	}
	if (count) {
		memcpy(&bytes, p, 8);
		/* Zeros in front: the low bytes are the first digits. */
		value = value * powers[count] + parse_eight(bytes << (64 - 8 * count));
	}
	return value;
}

static inline uint32_t parse_few_digits(const char *p, unsigned count)
{
	return (uint32_t)parse_digits(p, count);
}

#endif

#else

static inline unsigned count_digits(const char *p)
{
	unsigned count = 0;

	while (p[count] >= '0' && p[count] <= '9')
		count++;
	return count;
}

static inline uint64_t parse_digits(const char *p, unsigned count)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < count; i++)
		value = value * 10 + (uint64_t)(p[i] - '0');
	return value;
}

static inline uint32_t parse_few_digits(const char *p, unsigned count)
{
	return (uint32_t)parse_digits(p, count);
}

#endif
#endif
