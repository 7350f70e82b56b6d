/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that goes at once, distinct texts, and a sort: what the sections of the analysis stand on. */
#ifndef TRIAGE_POOL_H
#define TRIAGE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tav/plugin.h>

/* ---- Memory: given one by one, freed together ---------------------------------------------------------- */
struct pool_block;
struct pool {
	struct pool_block *blocks;
	bool failed; /* some call returned NULL; the caller reports it once */
};
void *pool_get(struct pool *pool, size_t count, size_t size); /* zeroed; never NULL for a count of 0 */
char *pool_text(struct pool *pool, size_t size);              /* room for a short text, packed; size + 1 bytes */
void pool_free(struct pool *pool);

#define POOL_NEW(pool, type, count) ((type *)pool_get((pool), (count), sizeof(type)))

/* Makes room for one more item in a growing array; old arrays stay in the pool. False: no memory. */
bool pool_grow(struct pool *pool, void **items, size_t *capacity, size_t count, size_t size);

/* ---- Distinct texts: ids from 1; 0 is no text ---------------------------------------------------------- */
struct texts {
	struct pool *pool;
	struct tav_text *items; /* by id */
	uint32_t *hashes;
	uint32_t *slots;
	size_t count, capacity, slot_count;
};
bool texts_init(struct texts *texts, struct pool *pool);
uint32_t texts_add(struct texts *texts, const char *data, size_t size); /* 0: no memory */

/* ---- A map from 64-bit keys to counted values ---------------------------------------------------------- */
struct map {
	uint64_t *keys; /* stored plus one, so that 0 is free; the key UINT64_MAX is not allowed */
	uint32_t *values;
	size_t slot_count, count;
	struct pool *pool;
};
bool map_init(struct map *map, struct pool *pool, size_t expected);
uint32_t *map_find(const struct map *map, uint64_t key);        /* NULL: not there */
uint32_t *map_add(struct map *map, uint64_t key, bool *is_new); /* NULL: no memory; a new value is 0 */

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
