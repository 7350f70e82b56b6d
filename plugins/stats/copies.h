/* SPDX-License-Identifier: Apache-2.0 */
/* Copies and fills by direction and memory: how many bytes, and how fast. */
#ifndef STATS_COPIES_H
#define STATS_COPIES_H

#include "groups.h"

struct copy_class {
	uint32_t device;
	struct tav_text direction; /* "HtoD", "set", the dialect's lane, "other" */
	struct tav_text memory;    /* "Pageable -> Device", as in the name; may be empty */
	uint64_t count, total;
	uint64_t sized, bytes, sized_total; /* of those with both bytes and a length */
};
struct copies {
	struct copy_class *items; /* by device, then direction, then memory */
	uint32_t count;
	uint32_t is_saturated;
};
/* Fields that may hold the bytes of a copy, in order: the first that is there counts. */
enum { BYTE_FIELDS = 3 };
tav_status copies_measure(const struct view *view, uint32_t first_field, struct copies *out);

#endif
