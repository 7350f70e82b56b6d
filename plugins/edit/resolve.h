/* SPDX-License-Identifier: Apache-2.0 */
/* overlap-resolve: lanes are walked event by event, and what each policy does to a conflicting one is collected. */
#ifndef EDIT_RESOLVE_H
#define EDIT_RESOLVE_H

#include "edit.h"

enum { POLICY_WARN, POLICY_TID, POLICY_ASYNC, POLICY_DROP, POLICY_SHIFT, POLICY_CUT, POLICY_COUNT };
enum { MOST_LANES = 1024 };

struct resolve_options {
	unsigned policies[POLICY_COUNT];
	unsigned policy_count;
	int by_track, strict, mark;
	int64_t max_shift;
	uint32_t max_lanes;
};
/* What was done to a conflicting event. */
enum { DONE_LEFT, DONE_MOVED, DONE_ASYNC, DONE_DROPPED, DONE_SHIFTED, DONE_CUT, DONE_KINDS };
struct done {
	tav_row row, partner; /* the event; one that it conflicts with */
	uint32_t kind;        /* DONE_... */
	uint32_t lane;        /* MOVED: its follower lane, from 1 */
	int64_t ns;           /* SHIFTED, CUT: by so much */
};
struct moved_time {
	tav_row row;
	int64_t start, end;
};
struct resolved {
	struct done *items;
	uint64_t count, capacity;
	uint64_t event_count, lane_count, conflict_count, cut_count;
	int64_t shift_ns, cut_ns;
	/* times that differ from the columns, by row; NULL: none yet */
	int64_t *start, *end;
	uint64_t *changed_time; /* bits */
};
tav_status resolve_walk(const struct looked *looked, const struct resolve_options *options, struct resolved *resolved);

#endif
