/* SPDX-License-Identifier: Apache-2.0 */
/* The longest event of each name in scope, since the same few names would fill every list. */
#ifndef STATS_LONGEST_H
#define STATS_LONGEST_H

#include "groups.h"

struct longest {
	tav_row *rows; /* the longest first; ties: earlier start, then name and category, then place in the file */
	uint64_t count;
};
tav_status longest_find(const struct view *view, struct longest *out);

#endif
