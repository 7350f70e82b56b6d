/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash table from keys to numbers, in the memory of an arena. It keeps hashes and numbers only: the caller compares
 * the keys. Hashes are seeded anew in each process, so that no input can be made to collide; nothing may depend on
 *their order.
 *
 *	uint64_t hash = table_hash(data, size);
 *	for (uint32_t at = table_first(&table, hash); at != TABLE_END; at = table_next(&table, hash, at))
 *		if (is the key of number table.slots[at].number)
 *			...
 */
#ifndef KIT_TABLE_H
#define KIT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include <kit/arena.h>

#define TABLE_END UINT32_MAX

struct table_slot {
	uint64_t hash;
	uint32_t number;
	uint32_t is_used;
};
struct table {
	struct table_slot *slots;
	uint32_t mask, count; /* of no slots: both 0 */
};

uint64_t table_seed(void); /* of this process; for those who hash in their own way */
uint64_t table_hash(const void *data, size_t size);
uint32_t table_first(const struct table *table, uint64_t hash);
uint32_t table_next(const struct table *table, uint64_t hash, uint32_t at);
/* Whether the key is there already is for the caller to see. False: no memory. */
bool table_add(struct table *table, struct arena *arena, uint64_t hash, uint32_t number);

#endif
