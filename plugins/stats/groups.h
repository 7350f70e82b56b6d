/* SPDX-License-Identifier: Apache-2.0 */
/* The source as columns, its events parted into groups by some key, and what each group's durations say. */
#ifndef STATS_GROUPS_H
#define STATS_GROUPS_H

#include <tav/kit.h>

/* ---- Kinds: one for each event. Of device work the host's TAV_KIND_...; of the rest the first trait that fits. ----
 */
enum kind {
	KIND_COMPUTE,
	KIND_COMMUNICATION,
	KIND_COPY,
	KIND_HOST_OP,
	KIND_RUNTIME,
	KIND_DRIVER,
	KIND_PREP,
	KIND_PYTHON,
	KIND_DEVICE_MARK, /* on the device's rows, and no work */
	KIND_ANNOTATION,
	KIND_OVERHEAD,
	KIND_DEVICE_WAIT,
	KIND_OTHER,
	KIND_COUNT
};
extern const char *const kind_names[KIND_COUNT];
/* `of_device`: as TAV_COL_KIND has it. */
enum kind kind_of(uint32_t of_device, uint32_t traits);

/* ---- A source --------------------------------------------------------------------------------------------------- */
enum scope { SCOPE_AUTO, SCOPE_DEVICE, SCOPE_HOST, SCOPE_ALL }; /* AUTO: device events where there are any, else all */
struct view {
	struct tav_self *self;
	const struct tav_source *about;
	const int64_t *start, *end;
	const uint32_t *label, *traits, *track;
	const uint8_t *kind;          /* TAV_KIND_... */
	const uint32_t *field;        /* value ids of the option group_field; NULL: not given */
	uint32_t *track_device;       /* by track; TAV_NONE: a thread's */
	const struct tav_order *all;  /* every interval, by track */
	const struct tav_order *work; /* device events, by track */
	uint64_t interval_count, device_event_count;
	enum scope scope; /* of names, groups and longest events, AUTO resolved */
	/* Summed durations, for shares: of each device, and behind them of all host events. */
	uint64_t *sums;
	struct tav_text *device_names; /* by device: its pid, which is how people call it */
	uint32_t is_saturated;         /* a sum reached the end of its type */
};

/* In scope, and with a duration. */
static inline int view_has(const struct view *view, enum scope scope, tav_row row)
{
	uint32_t traits = view->traits[row];

	if (!(traits & TAV_TRAIT_INTERVAL))
		return 0;
	if (scope == SCOPE_ALL)
		return 1;
	return (scope == SCOPE_DEVICE) == ((traits & TAV_TRAIT_DEVICE) != 0);
}
/* The whole of int64 fits: a duration is at most 2^64 - 1. */
static inline uint64_t view_duration(const struct view *view, tav_row row)
{
	return (uint64_t)view->end[row] - (uint64_t)view->start[row];
}
/* Index into sums: the device of a device event, or device_count for a host event. */
static inline uint32_t view_owner(const struct view *view, tav_row row)
{
	uint32_t device = view->traits[row] & TAV_TRAIT_DEVICE ? view->track_device[view->track[row]] : TAV_NONE;

	return device == TAV_NONE ? view->about->device_count : device;
}

/* ---- Groups ----------------------------------------------------------------------------------------------------- */
enum group_by { BY_NAME, BY_KIND, BY_TRACK, BY_CATEGORY, BY_FIELD };
struct group {
	uint32_t owner; /* as of view_owner() */
	uint32_t thing; /* label, kind, track, label of a category, value id */
	uint64_t count, total, min, max, median, p90, p99;
	int64_t cv_permille; /* 1000 * deviation / mean, rounded down; -1: mean 0, or out of range */
};
struct groups {
	struct group *items; /* in the order in which they were met */
	uint32_t count;
	uint32_t is_saturated;
};
#define SUM_MAX ((uint64_t)INT64_MAX)
/* a + b, at most SUM_MAX; `flag` is set where that is less than the sum. */
uint64_t sum_of(uint64_t a, uint64_t b, uint32_t *flag);
/*
 * 1000 * deviation / mean, rounded down, of `count` values with this sum and this sum of squares: exact. -1: the mean
 * is 0, or 128 bits do not do.
 */
__extension__ typedef unsigned __int128 wide;
int64_t cv_permille(uint64_t count, uint64_t total, wide squares);

tav_status groups_make(const struct view *view, enum group_by by, enum scope scope, struct groups *out);

/* The lowest label with the same category, for each label that occurs in the source; else TAV_NONE. */
uint32_t *category_labels(const struct view *view);

#endif
