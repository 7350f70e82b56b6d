/* SPDX-License-Identifier: Apache-2.0 */
/* Natural merge sort of places, radix sort of numbers: neither has a bad case, both are linear on what is in order. */
#include <stdlib.h>

#include <tav/rank.h>

#include "insight.h"

/* Merges neighbouring runs of `from` into `to`; gives how many runs were left. */
static uint64_t merge_runs(const uint32_t *from, uint32_t *to, uint64_t count, place_order order, const void *context)
{
	uint64_t runs = 0, at = 0;

	while (at < count) {
		uint64_t a = at, b = at + 1, out = at, middle, end;

		while (b < count && order(context, from[b - 1], from[b]) <= 0)
			b++;
		middle = b;
		end = b < count ? b + 1 : b;
		while (end > middle && end < count && order(context, from[end - 1], from[end]) <= 0)
			end++;
		while (a < middle && b < end)
			to[out++] = order(context, from[a], from[b]) <= 0 ? from[a++] : from[b++];
		while (a < middle)
			to[out++] = from[a++];
		while (b < end)
			to[out++] = from[b++];
		at = end;
		runs++;
	}
	return runs;
}

tav_status sort_places(struct tav_self *self, uint32_t *places, uint64_t count, place_order order, const void *context)
{
	uint64_t in_order = 1;
	uint32_t *from = places, *to, *spare;
	tav_status status = TAV_OK;

	while (in_order < count && order(context, places[in_order - 1], places[in_order]) <= 0)
		in_order++;
	if (in_order >= count)
		return TAV_OK;
	/* Not the host's, whose memory stays until the stage returns. */
	spare = count > SIZE_MAX / sizeof(*spare) ? NULL : malloc((size_t)count * sizeof(*spare));
	if (!spare)
		return tav_fail(self, "out of memory: %llu places to sort", (unsigned long long)count);
	for (to = spare; !status;) {
		uint64_t runs = merge_runs(from, to, count, order, context);
		uint32_t *swap = from;

		from = to;
		to = swap;
		if (runs == 1)
			break;
		status = self->host->cancelled(self) ? TAV_CANCELLED : TAV_OK;
	}
	if (from != places)
		memcpy(places, from, (size_t)count * sizeof(*places));
	free(spare);
	return status;
}

void sort_numbers(int64_t *numbers, int64_t *spare, uint64_t count)
{
	int64_t *from = numbers, *to = spare;
	uint64_t differs = 0, in_order = 1;

	while (in_order < count && numbers[in_order - 1] <= numbers[in_order])
		in_order++;
	if (in_order >= count)
		return;
	for (uint64_t i = 1; i < count; i++)
		differs |= (uint64_t)numbers[i] ^ (uint64_t)numbers[0];
	for (unsigned shift = 0; shift < 64; shift += 8) {
		/* Of the highest byte the sign bit counts the other way round. */
		unsigned flip = shift == 56 ? 0x80 : 0;
		uint64_t at[257] = {0};
		int64_t *swap = from;

		if (!(differs >> shift & 0xff))
			continue;
		for (uint64_t i = 0; i < count; i++)
			at[(((uint64_t)from[i] >> shift & 0xff) ^ flip) + 1]++;
		for (unsigned i = 0; i < 256; i++)
			at[i + 1] += at[i];
		for (uint64_t i = 0; i < count; i++)
			to[at[((uint64_t)from[i] >> shift & 0xff) ^ flip]++] = from[i];
		from = to;
		to = swap;
	}
	if (from != numbers)
		memcpy(numbers, from, (size_t)count * sizeof(*numbers));
}

int64_t percentile(const int64_t *numbers, uint64_t count, uint32_t percent)
{
	return numbers[tav_rank_place(count, percent)];
}

int64_t nth_number(int64_t *numbers, uint64_t count, uint64_t place)
{
	uint64_t *values = (uint64_t *)numbers;

	/* With the sign flipped they are in the order of numbers without one. */
	for (uint64_t i = 0; i < count; i++)
		values[i] ^= UINT64_C(1) << 63;
	tav_select(values, count, place);
	for (uint64_t i = 0; i < count; i++)
		values[i] ^= UINT64_C(1) << 63;
	return numbers[place];
}

void find_percentiles(int64_t *numbers, uint64_t count, const uint32_t *percents, unsigned percent_count, int64_t *out)
{
	/* A lower one stands before the one above it. */
	for (unsigned i = percent_count; i-- > 0;) {
		uint64_t place = percents[i] ? tav_rank_place(count, percents[i]) : 0;

		out[i] = nth_number(numbers, i + 1 < percent_count ? tav_rank_place(count, percents[i + 1]) + 1 : count,
		                    place);
	}
}
