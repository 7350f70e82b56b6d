/* SPDX-License-Identifier: Apache-2.0 */
/* The members of a top-level object, which the reader has found to be JSON: keys in the order of the file. */
#ifndef TRACE_METADATA_H
#define TRACE_METADATA_H

#include <stdbool.h>

#include <kit/arena.h>

struct metadata_member {
	struct tav_text key;   /* decoded */
	struct tav_text value; /* JSON text, without blanks between its parts */
};
/* `members` in the arena; all texts are copies with a NUL behind them. False: no memory. */
bool metadata_split(struct arena *arena, const char *text, size_t size, struct metadata_member **members,
                    uint32_t *count);

#endif
