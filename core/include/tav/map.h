/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tav/map.h - from keys to dense numbers 0, 1, 2 ..., in the order in which the keys are met; compiled into whoever
 * includes it. Its memory is the host's alloc(): gone when the plugin's function has returned. Hashes are seeded anew
 * in each run, so that no trace can be made to collide; nothing depends on them but time.
 *
 *   struct tav_map names;
 *
 *   tav_map_init(&names, self);
 *   uint32_t number = tav_map_text(&names, text);   (TAV_NONE: no memory, the cause is set)
 *   ... names.texts[number], names.count ...
 *
 * A map holds texts or numbers, not both. Texts are not copied.
 */
#ifndef TAV_MAP_H
#define TAV_MAP_H

#include <string.h>
#include <sys/random.h>

#include <tav/kit.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tav_map {
	struct tav_self *self;
	uint64_t seed, mask;
	uint32_t *slots; /* number + 1; at most half full */
	uint32_t count, capacity;
	struct tav_text *texts; /* by number; NULL in a map of numbers */
	uint64_t *numbers;      /* by number; NULL in a map of texts */
};

static inline void tav_map_init(struct tav_map *map, struct tav_self *self)
{
	memset(map, 0, sizeof(*map));
	map->self = self;
	if (getrandom(&map->seed, sizeof(map->seed), GRND_NONBLOCK) != (ssize_t)sizeof(map->seed))
		map->seed = (uint64_t)(uintptr_t)map;
}

static inline uint64_t tav_map_mix(uint64_t a, uint64_t b)
{
	__extension__ unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t tav_map_hash_number(const struct tav_map *map, uint64_t number)
{
	return tav_map_mix(number ^ map->seed, UINT64_C(0x9e3779b97f4a7c15)) ^ map->seed >> 32;
}

static inline uint64_t tav_map_hash_text(const struct tav_map *map, struct tav_text text)
{
	uint64_t hash = map->seed, word;
	size_t at = 0;

	for (; at + sizeof(word) <= text.size; at += sizeof(word)) {
		memcpy(&word, text.data + at, sizeof(word));
		hash = tav_map_mix(hash ^ word, map->seed ^ UINT64_C(0x9e3779b97f4a7c15));
	}
	word = 0;
	if (at < text.size)
		memcpy(&word, text.data + at, text.size - at);
	return tav_map_mix(hash ^ word, UINT64_C(0xd6e8feb86659fd93) ^ text.size);
}

static inline uint64_t tav_map_hash_at(const struct tav_map *map, uint32_t number)
{
	return map->texts ? tav_map_hash_text(map, map->texts[number]) : tav_map_hash_number(map, map->numbers[number]);
}

static inline int tav_map_grow(struct tav_map *map, int is_of_texts)
{
	uint32_t capacity = map->capacity ? map->capacity * 2 : 64;
	uint64_t mask = (uint64_t)capacity * 2 - 1;
	size_t item = is_of_texts ? sizeof(struct tav_text) : sizeof(uint64_t);
	void *items, *old = is_of_texts ? (void *)map->texts : (void *)map->numbers;
	uint32_t *slots;

	if (map->capacity > UINT32_MAX / 4) {
		tav_fail(map->self, "more than %u different keys", map->capacity);
		return 0;
	}
	items = map->self->host->alloc(map->self, capacity * item);
	slots = (uint32_t *)map->self->host->alloc(map->self, (size_t)(mask + 1) * sizeof(*slots));
	if (!items || !slots)
		return 0;
	if (map->count)
		memcpy(items, old, map->count * item);
	if (is_of_texts)
		map->texts = (struct tav_text *)items;
	else
		map->numbers = (uint64_t *)items;
	for (uint32_t i = 0; i < map->count; i++) {
		uint64_t at = tav_map_hash_at(map, i) & mask;

		while (slots[at])
			at = (at + 1) & mask;
		slots[at] = i + 1;
	}
	map->slots = slots;
	map->mask = mask;
	map->capacity = capacity;
	return 1;
}

/* Its number, or TAV_NONE. */
static inline uint32_t tav_map_find_text(const struct tav_map *map, struct tav_text text)
{
	if (!map->count)
		return TAV_NONE;
	for (uint64_t at = tav_map_hash_text(map, text) & map->mask; map->slots[at]; at = (at + 1) & map->mask) {
		struct tav_text other = map->texts[map->slots[at] - 1];

		if (other.size == text.size && (!text.size || !memcmp(other.data, text.data, text.size)))
			return map->slots[at] - 1;
	}
	return TAV_NONE;
}

static inline uint32_t tav_map_find_number(const struct tav_map *map, uint64_t number)
{
	if (!map->count)
		return TAV_NONE;
	for (uint64_t at = tav_map_hash_number(map, number) & map->mask; map->slots[at]; at = (at + 1) & map->mask)
		if (map->numbers[map->slots[at] - 1] == number)
			return map->slots[at] - 1;
	return TAV_NONE;
}

static inline uint32_t tav_map_put(struct tav_map *map, uint64_t hash)
{
	uint64_t at = hash & map->mask;

	while (map->slots[at])
		at = (at + 1) & map->mask;
	map->slots[at] = ++map->count;
	return map->count - 1;
}

/* Its number, a new one where it was not there; TAV_NONE: no memory. */
static inline uint32_t tav_map_text(struct tav_map *map, struct tav_text text)
{
	uint32_t found = tav_map_find_text(map, text);

	if (found != TAV_NONE)
		return found;
	if (map->count == map->capacity && !tav_map_grow(map, 1))
		return TAV_NONE;
	map->texts[map->count] = text;
	return tav_map_put(map, tav_map_hash_text(map, text));
}

static inline uint32_t tav_map_number(struct tav_map *map, uint64_t number)
{
	uint32_t found = tav_map_find_number(map, number);

	if (found != TAV_NONE)
		return found;
	if (map->count == map->capacity && !tav_map_grow(map, 0))
		return TAV_NONE;
	map->numbers[map->count] = number;
	return tav_map_put(map, tav_map_hash_number(map, number));
}

#ifdef __cplusplus
}
#endif
#endif
