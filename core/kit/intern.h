/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Distinct texts, numbered from 0 in the order in which they came; id 0 is always the empty text. The hashes are seeded
 * anew in each process, so that no input can be made to collide.
 */
#ifndef KIT_INTERN_H
#define KIT_INTERN_H

#include <stdint.h>

#include <kit/arena.h>
#include <kit/pages.h>

#define INTERN_FAILED UINT32_MAX

struct intern {
	struct pages texts; /* struct tav_text, by id */
	/* uint32_t id + 1 of small whole numbers, by their value: most texts of a trace are numbers that count up */
	struct pages numbers;
	struct pages slots;  /* hash table: id + 1, and 31 bits of the hash */
	struct pages hashes; /* the hash by id; only where they are kept */
	struct arena bytes;
	uint32_t count;
	uint32_t slot_mask;
	uint64_t seed;
	bool keeps_hashes; /* for intern_add_all() and intern_clear(); set before the second text is added */
	/* What lies here is not copied: it outlives the texts. */
	const char *borrowed, *borrowed_end;
};

bool intern_init(struct intern *intern); /* false: no memory */
uint32_t intern_add(struct intern *intern, const char *data,
                    size_t size); /* INTERN_FAILED: no memory, or 2^32 - 2 texts */
/* The same for a text that is the whole number `value` (INTERN_NUMBERS at most, no zeros in front). */
enum { INTERN_NUMBERS = (1 << 23) - 1, INTERN_DIGITS = 7 };
uint32_t intern_add_number(struct intern *intern, uint32_t value, const char *data, size_t size);
uint32_t intern_find(const struct intern *intern, const char *data, size_t size); /* INTERN_FAILED: not there */
/* Adds all of `from`, which keeps its hashes, in the order of their ids; `map` takes their new ids. False: no memory.
 */
bool intern_add_all(struct intern *intern, const struct intern *from, uint32_t *map);
static inline struct tav_text intern_text(const struct intern *intern, uint32_t id)
{
	return ((const struct tav_text *)intern->texts.data)[id];
}
/* All but the empty text go; most of the memory stays. False: no memory. */
bool intern_clear(struct intern *intern);
void intern_fini(struct intern *intern);

#endif
