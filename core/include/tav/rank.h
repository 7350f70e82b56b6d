/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tav/rank.h - percentiles by nearest rank, so always a value that occurs; compiled into whoever includes it. Linear in
 * the number of values, whatever they are.
 */
#ifndef TAV_RANK_H
#define TAV_RANK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Reorders `values` so that values[place] is what it would be if all were sorted, with none greater before it and none
 * less behind it. Quickselect in three parts, so that many equal values cost nothing; the pivots look random and are
 * always the same.
 */
static inline void tav_select(uint64_t *values, uint64_t count, uint64_t place)
{
	uint64_t low = 0, high = count, random = count;

	while (high - low > 1) {
		random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);

		uint64_t pivot = values[low + (random >> 33) % (high - low)];
		uint64_t less = low, at = low, more = high;

		while (at < more) {
			uint64_t value = values[at];

			if (value < pivot) {
				values[at++] = values[less];
				values[less++] = value;
			} else if (value > pivot) {
				values[at] = values[--more];
				values[more] = value;
			} else {
				at++;
			}
		}
		if (place < less)
			high = less;
		else if (place >= more)
			low = more;
		else
			return;
	}
}

/* Where the value of rank ceil(percent * count / 100) stands, from 0; count > 0, percent 1 to 100. */
static inline uint64_t tav_rank_place(uint64_t count, unsigned percent)
{
	return count / 100 * percent + (count % 100 * percent + 99) / 100 - 1;
}

/* That value; `values` are reordered as tav_select() does. */
static inline uint64_t tav_nearest_rank(uint64_t *values, uint64_t count, unsigned percent)
{
	uint64_t place = tav_rank_place(count, percent);

	tav_select(values, count, place);
	return values[place];
}

/* total / count, half rounded up; 0 of nothing. */
static inline uint64_t tav_mean(uint64_t total, uint64_t count)
{
	return count ? total / count + (total % count >= count - total % count) : 0;
}

#ifdef __cplusplus
}
#endif
#endif
