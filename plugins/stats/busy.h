/* SPDX-License-Identifier: Apache-2.0 */
/* Busy time: the union of intervals, so that time in which two things run counts once. */
#ifndef STATS_BUSY_H
#define STATS_BUSY_H

#include "groups.h"

struct busy { /* of a track or a device; the window is from the first start to the last end of its events */
	uint64_t count, tracks; /* tracks: of a device, those with events */
	int64_t from, to;
	uint64_t busy; /* ns within the window */
};
struct span {
	int64_t from, to;
};

/* Rows sorted by start. */
struct busy busy_of_rows(const int64_t *start, const int64_t *end, const tav_row *rows, uint64_t count);
/* The union of rows sorted by start as disjoint spans with gaps between them; returns how many. `out`: room for count.
 */
uint64_t union_of_rows(const int64_t *start, const int64_t *end, const tav_row *rows, uint64_t count, struct span *out);
/* The union of two such lists; `out`: room for both. */
uint64_t union_of_spans(const struct span *a, uint64_t a_count, const struct span *b, uint64_t b_count,
                        struct span *out);

/* One for each track, by order `all`. `out`: track_count elements. */
tav_status busy_tracks(const struct view *view, struct busy *out);
/* One for each device over all its tracks. `out`: device_count elements. */
tav_status busy_devices(const struct view *view, struct busy *out);

#endif
