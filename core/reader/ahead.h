/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One large file, several threads: each block is read apart, from the first place that looks like the start of an
 * event, with ids of its own. Whether it was one is not known until everything before it has been read: the caller goes
 * through the blocks in order, and joins a part only where the scanner, between two events, arrives exactly there.
 */
#ifndef READER_AHEAD_H
#define READER_AHEAD_H

#include <reader/input.h>
#include <reader/scan.h>

/* The text between two events, as it was met most often: from '}' to behind the ':' of the first key. */
enum { BORDER_BYTES = 120 };
struct border {
	char text[BORDER_BYTES];
	size_t size; /* 0: not known */
	size_t open; /* place of the '{' */
};
/* Looks at the last events of a view, which `events` holds already. */
void border_learn(struct border *border, const struct events *events, tav_row row_count, const struct view *view);

struct part {
	const char *begin; /* of the first event; NULL: nothing of the block was read ahead */
	struct scan scan;  /* how far it came: place, keep, result */
	struct build build;
	struct read_job job;
	bool is_made;
};

struct ahead;
/*
 * Reads what comes next of `input`, whose next byte is at `offset` of the text, as `whole` would go on. NULL: there are
 * no threads or there is no memory for it. All blocks taken so far must have been given back.
 */
struct ahead *ahead_start(struct input *input, const struct scan *whole, const struct border *border, uint64_t offset,
                          unsigned threads);
/* The next block, as input_next() has it, and its part. The one before is given back. */
enum input_result ahead_next(struct ahead *ahead, struct block *block, struct part **part);
void ahead_stop(struct ahead *ahead);    /* also NULL */
unsigned ahead_blocks(unsigned threads); /* how many the input must have */

#endif
