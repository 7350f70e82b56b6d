/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Distinct texts, numbered from 0 in the order in which they came; id 0 is always the empty text. Most texts of a trace
 * are whole numbers that count up: of such a text its value is kept and no byte of it. The hashes are seeded anew in
 * each process, so that no input can be made to collide.
 */
#ifndef KIT_INTERN_H
#define KIT_INTERN_H

#include <stdint.h>

#include <kit/arena.h>
#include <kit/pages.h>

#define INTERN_FAILED UINT32_MAX

enum { INTERN_DIGITS = 10, INTERN_SMALL_DIGITS = 7 }; /* of the largest number; of the largest small one, at most */
#define INTERN_NUMBER (UINT32_C(1) << 31)             /* in an entry: the rest is the value of a number */
#define INTERN_SMALL ((UINT32_C(1) << 23) - 1)        /* numbers up to here are found by their value, without a hash */

struct intern {
	struct pages entries; /* uint32_t by id: the place in `texts`, or INTERN_NUMBER and a value */
	struct pages texts;   /* struct tav_text */
	struct pages small;   /* uint32_t id + 1 of small numbers, by their value */
	struct pages slots;   /* hash table: id + 1, and the hash */
	struct pages hashes;  /* the hash by id; only where they are kept */
	struct arena bytes;
	uint32_t count, text_count;
	uint32_t slot_mask, slots_used; /* small numbers use none */
	uint64_t seed;
	bool keeps_hashes; /* for intern_add_all(); set before the second text is added */
	/* What lies here is not copied: it outlives the texts. */
	const char *borrowed, *borrowed_end;
};
struct intern_room { /* for the digits of a number */
	char digits[INTERN_DIGITS + 1];
};

bool intern_init(struct intern *intern); /* false: no memory */
uint32_t intern_add(struct intern *intern, const char *data,
                    size_t size); /* INTERN_FAILED: no memory, or 2^31 - 1 texts */
/* The same for a text that is the whole number `value`, INTERN_SMALL at most, no zeros in front. */
uint32_t intern_add_small(struct intern *intern, uint32_t value);
static inline uint32_t intern_small(struct intern *intern, uint32_t value)
{
	const uint32_t *small = (const uint32_t *)intern->small.data;

	if (__builtin_expect(value < intern->small.bytes / sizeof(*small) && small[value], 1))
		return small[value] - 1;
	return intern_add_small(intern, value);
}
uint32_t intern_find(const struct intern *intern, const char *data, size_t size); /* INTERN_FAILED: not there */
/* Adds all of `from`, which keeps its hashes, in the order of their ids; `map` takes their new ids. False: no memory.
 */
bool intern_add_all(struct intern *intern, const struct intern *from, uint32_t *map);
static inline uint32_t intern_entry(const struct intern *intern, uint32_t id)
{
	return ((const uint32_t *)intern->entries.data)[id];
}
/* The text of an id; of a number it lies in `room`. */
struct tav_text intern_text(const struct intern *intern, uint32_t id, struct intern_room *room);
/* From now on its text lies with those of the others, also where it is a number. False: no memory. */
bool intern_keep(struct intern *intern, uint32_t id);
/* The text of an id that was kept, or cannot be a number. */
static inline struct tav_text intern_kept(const struct intern *intern, uint32_t id)
{
	return ((const struct tav_text *)intern->texts.data)[intern_entry(intern, id)];
}
/* All but the empty text go, where no number was kept; most of the memory stays. False: no memory. */
bool intern_clear(struct intern *intern);
void intern_fini(struct intern *intern);

#endif
