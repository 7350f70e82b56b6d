/* SPDX-License-Identifier: Apache-2.0 */
#define XXH_INLINE_ALL
#include <pthread.h>
#include <sys/random.h>
#include <time.h>
#include <xxhash.h>

#include <kit/table.h>

enum { FIRST_SLOTS = 16 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint64_t seed;

static void make_seed(void)
{
	struct timespec now;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) == (ssize_t)sizeof(seed))
		return;
	clock_gettime(CLOCK_MONOTONIC, &now); /* early at boot: better than a seed that everybody knows */
	seed = (uint64_t)now.tv_nsec * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)(uintptr_t)&now;
}

uint64_t table_seed(void)
{
	pthread_once(&once, make_seed);
	return seed;
}

uint64_t table_hash(const void *data, size_t size)
{
	return XXH3_64bits_withSeed(size ? data : "", size, table_seed());
}

static uint32_t walk(const struct table *table, uint64_t hash, uint32_t at)
{
	while (table->slots[at].is_used && table->slots[at].hash != hash)
		at = (at + 1) & table->mask;
	return table->slots[at].is_used ? at : TABLE_END;
}

uint32_t table_first(const struct table *table, uint64_t hash)
{
	return table->slots ? walk(table, hash, (uint32_t)hash & table->mask) : TABLE_END;
}

uint32_t table_next(const struct table *table, uint64_t hash, uint32_t at)
{
	return walk(table, hash, (at + 1) & table->mask);
}

static void put(struct table_slot *slots, uint32_t mask, struct table_slot slot)
{
	uint32_t at = (uint32_t)slot.hash & mask;

	while (slots[at].is_used)
		at = (at + 1) & mask;
	slots[at] = slot;
}

static bool grow(struct table *table, struct arena *arena)
{
	uint32_t size = table->slots ? (table->mask + 1) * 2 : FIRST_SLOTS;
	struct table_slot *slots = size ? arena_array(arena, size, sizeof(*slots)) : NULL;

	if (!slots)
		return false;
	for (uint32_t i = 0; table->slots && i <= table->mask; i++) {
		if (table->slots[i].is_used)
			put(slots, size - 1, table->slots[i]);
	}
	table->slots = slots;
	table->mask = size - 1;
	return true;
}

bool table_add(struct table *table, struct arena *arena, uint64_t hash, uint32_t number)
{
	if ((!table->slots || table->count >= table->mask / 4 * 3) && !grow(table, arena))
		return false;
	put(table->slots, table->mask, (struct table_slot){hash, number, 1});
	table->count++;
	return true;
}
