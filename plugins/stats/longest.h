/* SPDX-License-Identifier: Apache-2.0 */
/* The longest events in scope. */
#ifndef STATS_LONGEST_H
#define STATS_LONGEST_H

#include "groups.h"

struct longest {
	tav_row *rows; /* the longest first; ties: earlier start, then name and category, then place in the file */
	uint64_t count, in_scope;
};
tav_status longest_find(const struct view *view, uint64_t top, struct longest *out); /* top 0: all of them */
void longest_free(struct longest *longest);

#endif
