/* SPDX-License-Identifier: Apache-2.0 */
/* Sums by a number: a map from keys to places, and the sums in a row. */
#include "insight.h"

void sums_init(struct sums *sums, struct tav_self *self)
{
	*sums = (struct sums){0};
	tav_map_init(&sums->map, self);
}

struct sum *sums_slot(struct sums *sums, uint64_t key)
{
	uint32_t place = tav_map_number(&sums->map, key);

	if (place == TAV_NONE)
		return NULL;
	if (place >= sums->size) {
		uint32_t size = sums->map.capacity;
		struct sum *items = take(sums->map.self, size, sizeof(*items));

		if (!items)
			return NULL;
		if (sums->size)
			memcpy(items, sums->items, sums->size * sizeof(*items));
		sums->items = items;
		sums->size = size;
	}
	sums->items[place].key = key;
	return &sums->items[place];
}

tav_status sums_add(struct sums *sums, uint64_t key, int64_t value)
{
	struct sum *sum = sums_slot(sums, key);

	if (!sum)
		return TAV_FAILED;
	if (__builtin_add_overflow(sum->total, value, &sum->total))
		sum->total = value < 0 ? INT64_MIN : INT64_MAX;
	sum->count++;
	return TAV_OK;
}
