/* SPDX-License-Identifier: Apache-2.0 */
#include "pool.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_BLOCK_BYTES = 64 * 1024, DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

struct pool_block {
	struct pool_block *next;
	size_t used, size; /* of a block for texts; 0: a block of its own */
	max_align_t data[];
};

static struct pool_block *add_block(struct pool *pool, size_t size)
{
	struct pool_block *block;

	if (size > SIZE_MAX - sizeof(*block) || !(block = calloc(1, sizeof(*block) + size))) {
		pool->failed = true;
		return NULL;
	}
	block->next = pool->blocks;
	pool->blocks = block;
	return block;
}

void *pool_get(struct pool *pool, size_t count, size_t size)
{
	struct pool_block *block;

	if (size && count > SIZE_MAX / size) {
		pool->failed = true;
		return NULL;
	}
	block = add_block(pool, count * size);
	return block ? block->data : NULL;
}

char *pool_text(struct pool *pool, size_t size)
{
	struct pool_block *block = pool->blocks;
	char *text;

	if (size >= TEXT_BLOCK_BYTES / 4)
		return pool_get(pool, size + 1, 1);
	/* A block of texts may lie under a few others; look a little and no further. */
	for (int depth = 0; block && depth < 8; depth++, block = block->next)
		if (block->size - block->used > size)
			break;
	if (!block || block->size - block->used <= size) {
		block = add_block(pool, TEXT_BLOCK_BYTES);
		if (!block)
			return NULL;
		block->size = TEXT_BLOCK_BYTES;
	}
	text = (char *)block->data + block->used;
	block->used += size + 1;
	return text;
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

static uint32_t hash_bytes(const char *data, size_t size)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a: names are short and this is not hot */

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ (unsigned char)data[i]) * UINT64_C(0x100000001b3);
	return (uint32_t)(hash ^ hash >> 32);
}

bool texts_init(struct texts *texts, struct pool *pool)
{
	*texts = (struct texts){.pool = pool, .count = 1, .capacity = 64, .slot_count = 256};
	texts->items = POOL_NEW(pool, struct tav_text, texts->capacity);
	texts->hashes = POOL_NEW(pool, uint32_t, texts->capacity);
	texts->slots = POOL_NEW(pool, uint32_t, texts->slot_count);
	if (!texts->items || !texts->hashes || !texts->slots)
		return false;
	texts->items[0].data = "";
	return true;
}

static bool texts_widen(struct texts *texts)
{
	size_t slot_count = texts->slot_count * 2;
	uint32_t *slots = POOL_NEW(texts->pool, uint32_t, slot_count);

	if (!slots)
		return false;
	for (uint32_t id = 1; id < texts->count; id++) {
		size_t slot = texts->hashes[id] & (slot_count - 1);

		while (slots[slot])
			slot = (slot + 1) & (slot_count - 1);
		slots[slot] = id;
	}
	texts->slots = slots;
	texts->slot_count = slot_count;
	return true;
}

uint32_t texts_add(struct texts *texts, const char *data, size_t size)
{
	uint32_t hash = hash_bytes(data, size), id;
	size_t slot, capacity = texts->capacity;
	char *copy;

	if (texts->count * 2 > texts->slot_count && !texts_widen(texts))
		return 0;
	for (slot = hash & (texts->slot_count - 1); (id = texts->slots[slot]);
	     slot = (slot + 1) & (texts->slot_count - 1))
		if (texts->hashes[id] == hash && texts->items[id].size == size &&
		    !memcmp(texts->items[id].data, data, size))
			return id;
	if (!pool_grow(texts->pool, (void **)&texts->items, &capacity, texts->count, sizeof(*texts->items)) ||
	    !pool_grow(texts->pool, (void **)&texts->hashes, &texts->capacity, texts->count, sizeof(*texts->hashes)))
		return 0;
	copy = pool_text(texts->pool, size);
	if (!copy)
		return 0;
	memcpy(copy, data, size);
	id = (uint32_t)texts->count++;
	texts->items[id] = (struct tav_text){copy, size};
	texts->hashes[id] = hash;
	texts->slots[slot] = id;
	return id;
}

bool map_init(struct map *map, struct pool *pool, size_t expected)
{
	*map = (struct map){.pool = pool, .slot_count = 64};
	while (map->slot_count < expected * 2)
		map->slot_count *= 2;
	map->keys = POOL_NEW(pool, uint64_t, map->slot_count);
	map->values = POOL_NEW(pool, uint32_t, map->slot_count);
	return map->keys && map->values;
}

static size_t map_slot(const struct map *map, uint64_t stored)
{
	uint64_t hash = stored * UINT64_C(0x9e3779b97f4a7c15);
	size_t slot = (size_t)(hash ^ hash >> 32) & (map->slot_count - 1);

	while (map->keys[slot] && map->keys[slot] != stored)
		slot = (slot + 1) & (map->slot_count - 1);
	return slot;
}

uint32_t *map_find(const struct map *map, uint64_t key)
{
	size_t slot = map_slot(map, key + 1);

	return map->keys[slot] ? &map->values[slot] : NULL;
}

uint32_t *map_add(struct map *map, uint64_t key, bool *is_new)
{
	size_t slot;

	if (map->count * 4 >= map->slot_count * 3) {
		struct map larger;

		if (!map_init(&larger, map->pool, map->slot_count))
			return NULL;
		for (size_t i = 0; i < map->slot_count; i++) {
			if (!map->keys[i])
				continue;
			slot = map_slot(&larger, map->keys[i]);
			larger.keys[slot] = map->keys[i];
			larger.values[slot] = map->values[i];
		}
		larger.count = map->count;
		*map = larger;
	}
	slot = map_slot(map, key + 1);
	if (is_new)
		*is_new = !map->keys[slot];
	if (!map->keys[slot]) {
		map->keys[slot] = key + 1;
		map->count++;
	}
	return &map->values[slot];
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
