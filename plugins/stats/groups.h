/* SPDX-License-Identifier: Apache-2.0 */
/* One source as columns, its events parted into groups by some key, and what each group's durations say. */
#ifndef STATS_GROUPS_H
#define STATS_GROUPS_H

#include <tav/plugin.h>

/* ---- Kinds: one for each event, from its traits; the first that fits. ------------------------------------------- */
enum kind {
	KIND_MEMCPY, /* device work; copies and fills first, since some profilers call them kernels too */
	KIND_MEMSET,
	KIND_COLLECTIVE, /* a kernel that communicates; not counted as kernel */
	KIND_KERNEL,
	KIND_DEVICE,
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
enum kind kind_of(uint32_t traits);

/* ---- A source --------------------------------------------------------------------------------------------------- */
enum scope { SCOPE_AUTO, SCOPE_DEVICE, SCOPE_HOST, SCOPE_ALL }; /* AUTO: device events where there are any, else all */
struct view {
	struct tav_self *self;
	uint32_t source;
	const struct tav_source *about;
	const int64_t *start, *end;
	const uint32_t *label, *traits, *track;
	const uint32_t *field;        /* value ids of the option group_field; NULL: not given */
	uint32_t *track_device;       /* by track; TAV_NONE: a thread's */
	const struct tav_order *all;  /* every interval, by track */
	const struct tav_order *work; /* device events, by track */
	uint64_t interval_count, device_event_count;
	int64_t first_ns; /* start of the first event with a time */
	enum scope scope; /* of names, groups and longest events, AUTO resolved */
	/* Summed durations, for shares: of each device, and behind them of all host events. */
	uint64_t *sums;
	uint32_t is_saturated; /* a sum reached the end of its type */
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
	uint64_t count, total, min, max, median, p99;
};
struct groups {
	struct group *items; /* in the order in which they were met */
	uint32_t count;
	uint32_t is_saturated;
};
#define SUM_MAX ((uint64_t)INT64_MAX)
/* a + b, at most SUM_MAX; `flag` is set where that is less than the sum. */
uint64_t sum_of(uint64_t a, uint64_t b, uint32_t *flag);
/* total / count, half rounded up. */
uint64_t mean_of(uint64_t total, uint64_t count);
/*
 * The value of rank ceil(percent * count / 100) of all in ascending order (nearest rank), so always one that occurs.
 * `values` are reordered: those before the rank's place are no greater.
 */
uint64_t nearest_rank(uint64_t *values, uint64_t count, unsigned percent);

tav_status groups_make(const struct view *view, enum group_by by, enum scope scope, struct groups *out);
void groups_free(struct groups *groups);

/* The lowest label with the same category, for each label that occurs in the source; else TAV_NONE. malloc'ed. */
uint32_t *category_labels(const struct view *view);

#endif
