/* SPDX-License-Identifier: Apache-2.0 */
/* Distinct texts, numbered from 0 in the order in which they came; id 0 is always the empty text. */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include <stdint.h>

#include <base/arena.h>
#include <base/pages.h>

#define INTERN_FAILED UINT32_MAX

struct intern {
	struct pages texts; /* struct tav_text, by id */
	struct pages slots; /* hash table: id + 1, and 32 bits of the hash */
	struct arena bytes;
	uint32_t count;
	uint32_t slot_mask;
};

bool intern_init(struct intern *intern); /* false: no memory */
uint32_t intern_add(struct intern *intern, const char *data,
                    size_t size); /* INTERN_FAILED: no memory, or 2^32 - 2 texts */
uint32_t intern_find(const struct intern *intern, const char *data, size_t size); /* INTERN_FAILED: not there */
static inline struct tav_text intern_text(const struct intern *intern, uint32_t id)
{
	return ((const struct tav_text *)intern->texts.data)[id];
}
void intern_fini(struct intern *intern);

#endif
