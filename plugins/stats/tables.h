/* SPDX-License-Identifier: Apache-2.0 */
/* What was measured, as tables of the report. */
#ifndef STATS_TABLES_H
#define STATS_TABLES_H

#include "busy.h"
#include "copies.h"
#include "groups.h"
#include "kernels.h"
#include "longest.h"

enum sort_by { SORT_TOTAL, SORT_COUNT, SORT_MAX, SORT_MEAN, SORT_NAME };
struct table_rules {
	uint64_t top; /* rows of a table; 0: all */
	enum sort_by sort;
};

/* `tracks`: busy times by track, for a table of tracks; else NULL. */
tav_status table_of_groups(const struct view *view, const struct table_rules *rules, enum group_by by,
                           const struct groups *groups, const struct busy *tracks, const char *id, const char *title);
tav_status table_of_devices(const struct view *view, const struct busy *devices);
tav_status table_of_categories(const struct view *view, const struct table_rules *rules);
tav_status table_of_longest(const struct view *view, const struct table_rules *rules, const struct longest *longest);
tav_status table_of_lengths(const struct view *view, const struct kernels *kernels);
tav_status table_of_shorts(const struct view *view, const struct table_rules *rules, const struct kernels *kernels,
                           const struct busy *devices);
tav_status table_of_copies(const struct view *view, const struct copies *copies);

#endif
