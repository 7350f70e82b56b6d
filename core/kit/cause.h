/* SPDX-License-Identifier: Apache-2.0 */
/* Why something could not be done: a chain of causes, the deepest first, to which each caller may add one. */
#ifndef KIT_CAUSE_H
#define KIT_CAUSE_H

#include <stdio.h>

#include <kit/arena.h>

struct cause {
	struct cause *deeper; /* what led to this one */
	const char *text;
	const char *file; /* of the program; shown with -vv only; NULL: unknown */
	unsigned line;
};
struct causes {
	struct arena arena;
	struct cause *outermost; /* NULL: nothing went wrong */
};

/* Adds a cause around those that are there; always returns TAV_FAILED. Out of memory: a fixed text is taken. */
tav_status cause_add(struct causes *causes, const char *format, ...) __attribute__((format(printf, 2, 3)));
tav_status cause_add_at(struct causes *causes, const char *file, unsigned line, const char *text);
void causes_add_all(struct causes *causes, const struct causes *others); /* around those that are there */
/* "outermost: deeper: deepest" in the arena; NULL: no memory. */
const char *causes_line(const struct causes *causes, struct arena *arena);
/* "tav-run: error: OUTERMOST\n  because: ...\n". */
void causes_print(FILE *out, const struct causes *causes, const char *prefix, int with_places);
void causes_clear(struct causes *causes);

#endif
