/* SPDX-License-Identifier: Apache-2.0 */
#include "pool.h"

#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

struct pool_block {
	struct pool_block *next;
	max_align_t data[];
};

void *pool_get(struct pool *pool, size_t count, size_t size)
{
	struct pool_block *block;
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - sizeof(*block))
		return NULL;
	if (pool->keep)
		return pool->keep->host->keep(pool->keep, bytes);
	block = calloc(1, sizeof(*block) + bytes);
	if (!block)
		return NULL;
	block->next = pool->blocks;
	pool->blocks = block;
	return block->data;
}

void pool_free(struct pool *pool)
{
	while (pool->blocks) {
		struct pool_block *next = pool->blocks->next;

		free(pool->blocks);
		pool->blocks = next;
	}
}

bool pool_grow(struct pool *pool, void **items, size_t *capacity, size_t count, size_t size)
{
	size_t more = *capacity ? *capacity * 2 : 16;
	void *larger;

	if (count < *capacity)
		return true;
	larger = pool_get(pool, more, size);
	if (!larger)
		return false;
	if (count)
		memcpy(larger, *items, count * size);
	*items = larger;
	*capacity = more;
	return true;
}

void sort_by_key(struct sort_item *items, struct sort_item *spare, size_t count)
{
	struct sort_item *from = items, *to = spare;
	uint64_t all_or = 0, all_and = UINT64_MAX;
	bool is_sorted = true;

	for (size_t i = 0; i < count; i++) {
		all_or |= items[i].key;
		all_and &= items[i].key;
		is_sorted = is_sorted && (!i || items[i - 1].key <= items[i].key);
	}
	if (is_sorted)
		return;
	for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
		size_t first[DIGITS] = {0}, sum = 0;

		if (!((all_or ^ all_and) >> shift & (DIGITS - 1)))
			continue; /* all keys agree here */
		for (size_t i = 0; i < count; i++)
			first[from[i].key >> shift & (DIGITS - 1)]++;
		for (size_t digit = 0; digit < DIGITS; digit++) {
			size_t here = first[digit];

			first[digit] = sum;
			sum += here;
		}
		for (size_t i = 0; i < count; i++)
			to[first[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
		struct sort_item *swap = from;
		from = to;
		to = swap;
	}
	if (from != items)
		memcpy(items, from, count * sizeof(*items));
}
