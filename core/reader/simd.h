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
/* Whether `size` bytes are the same; both may be read up to 64. */
static inline bool same_bytes(const char *a, const char *b, unsigned size);

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

static inline bool same_bytes(const char *a, const char *b, unsigned size)
{
	__m256i left = _mm256_loadu_si256((const __m256i *)(const void *)a);
	__m256i right = _mm256_loadu_si256((const __m256i *)(const void *)b);
	uint32_t different = ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(left, right));

	if (size <= 32)
		return !((uint64_t)different << 32 << (32 - size));
	return !different && same_bytes(a + 32, b + 32, size - 32);
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

static inline bool same_bytes(const char *a, const char *b, unsigned size)
{
	for (; size > 16; a += 16, b += 16, size -= 16) {
		__m128i left = _mm_loadu_si128((const __m128i *)(const void *)a);
		__m128i right = _mm_loadu_si128((const __m128i *)(const void *)b);

		if (_mm_movemask_epi8(_mm_cmpeq_epi8(left, right)) != 0xffff)
			return false;
	}
	__m128i left = _mm_loadu_si128((const __m128i *)(const void *)a);
	__m128i right = _mm_loadu_si128((const __m128i *)(const void *)b);
	return !(~(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(left, right)) << (32 - size) << 0);
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

/* Up to 16 digits, of which the first may be any. */
static inline uint64_t parse_eight(uint64_t bytes)
{
	bytes = (bytes & UINT64_C(0x0f0f0f0f0f0f0f0f)) * 2561 >> 8;
	bytes = (bytes & UINT64_C(0x00ff00ff00ff00ff)) * 6553601 >> 16;
	return (bytes & UINT64_C(0x0000ffff0000ffff)) * UINT64_C(42949672960001) >> 32;
}

static inline uint64_t parse_digits(const char *p, unsigned count)
{
	uint64_t value = 0, bytes;

	for (; count >= 8; count -= 8, p += 8) {
		memcpy(&bytes, p, 8);
		value = value * 100000000 + parse_eight(bytes);
	}
	if (count) {
		static const uint32_t powers[8] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};

		memcpy(&bytes, p, 8);
		/* Zeros in front: the low bytes are the first digits. */
		value = value * powers[count] + parse_eight(bytes << (64 - 8 * count));
	}
	return value;
}

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

#endif
#endif
