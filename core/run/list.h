/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A LIST of traces, written once and read by every process that does a part of it: a line is PATH, or BYTES TAB PATH.
 * Which lines belong to which part is decided from the list alone, so that all processes agree without talking.
 */
#ifndef RUN_LIST_H
#define RUN_LIST_H

#include <stdbool.h>

#include <kit/cause.h>

struct list_line {
	const char *path;
	uint64_t bytes; /* 0: not said */
};
struct list {
	struct list_line *lines;
	uint32_t count;
	uint64_t hash; /* of all lines */
};

/* "-": standard input. Blank lines are left out. TAV_FAILED: causes. */
tav_status list_read(struct list *list, const char *path, struct arena *arena, struct causes *causes);
/* For lines of a text of `size` bytes, which stays as it is. */
tav_status list_parse(struct list *list, const char *text, size_t size, struct arena *arena, struct causes *causes);
/*
 * parts[i]: the part of line i, from 1 to n, the sum of bytes of each part about the same; a line whose bytes are not
 * said counts as the mean of the others. Every part has a line where n <= count. False: no memory.
 */
bool list_parts(const struct list *list, uint32_t n, uint32_t *parts);

#endif
