/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that goes before the call ends, distinct texts, and a sort by time. */
#ifndef TRIAGE_POOL_H
#define TRIAGE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tav/map.h>

/* ---- Memory: given one by one, freed together ---------------------------------------------------------- */
struct pool_block;
struct pool {
	struct pool_block *blocks;
	struct tav_self *keep; /* in create(): the memory is the host's, and is not freed here */
};
void *pool_get(struct pool *pool, size_t count, size_t size); /* zeroed; never NULL for a count of 0 */
void pool_free(struct pool *pool);

#define POOL_NEW(pool, type, count) ((type *)pool_get((pool), (count), sizeof(type)))

/* Makes room for one more item in a growing array; old arrays stay in the pool. False: no memory. */
bool pool_grow(struct pool *pool, void **items, size_t *capacity, size_t count, size_t size);

/* ---- Distinct texts: ids from 1, so that 0 is no text -------------------------------------------------- */
/* Of a text that lives as long as the call; 0: no memory. */
static inline uint32_t text_id(struct tav_map *texts, struct tav_text text)
{
	return tav_map_text(texts, text) + 1; /* TAV_NONE is all ones */
}

/* ---- Sorting ------------------------------------------------------------------------------------------- */
struct sort_item {
	uint64_t key;
	uint32_t value;
};
/* By key, stable, O(n) for each 11 bits that differ; nothing to do when already in order. `spare` holds `count` too. */
void sort_by_key(struct sort_item *items, struct sort_item *spare, size_t count);
/* A signed time as a key that sorts in the same way. */
static inline uint64_t sort_key(int64_t time)
{
	return (uint64_t)time ^ (UINT64_C(1) << 63);
}

#endif
