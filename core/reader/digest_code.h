/* SPDX-License-Identifier: Apache-2.0 */
/* Included once for each instruction set. */
#define XXH_INLINE_ALL
#include <xxhash.h>

static uint64_t count_newlines(const char *data, size_t size)
{
	uint64_t count = 0;

	/* Sums of bytes do not overflow within 255 of them: so the compiler can use its widest registers. */
	while (size) {
		size_t step = size < 255 * 32 ? size : 255 * 32;
		unsigned char sums[32] = {0};
		size_t i = 0;

		for (; i + 32 <= step; i += 32) {
			for (unsigned lane = 0; lane < 32; lane++)
				sums[lane] = (unsigned char)(sums[lane] + (data[i + lane] == '\n'));
		}
		for (unsigned lane = 0; lane < 32; lane++)
			count += sums[lane];
		for (; i < step; i++)
			count += data[i] == '\n';
		data += step;
		size -= step;
	}
	return count;
}

/* Piece by piece, so that the second look finds it in the cache. */
static uint64_t digest_all(XXH3_state_t *state, const char *data, size_t size)
{
	enum { PIECE = 16 << 10 };
	uint64_t count = 0;

	for (size_t at = 0; at < size; at += PIECE) {
		size_t piece = size - at < PIECE ? size - at : PIECE;

		XXH3_64bits_update(state, data + at, piece);
		count += count_newlines(data + at, piece);
	}
	return count;
}
