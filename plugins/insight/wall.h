/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stage wall-time: one sweep over the events of a device parts its window into pieces of time, and each piece of
 * time goes to everything that is told of it - the device's parts, the causes, the names, the steps - by the same two
 * functions, wall_add_running() and wall_add_idle(). So the figures add up, and wall_check_sums() demands that they do.
 */
#ifndef WALL_H
#define WALL_H

#include "insight.h"

/* Why a device is idle; in the order of precedence. */
enum cause {
	CAUSE_PROFILER,
	CAUSE_SYNC,
	CAUSE_RUNTIME_CALL,
	CAUSE_INPUT,
	CAUSE_OPERATOR,
	CAUSE_PYTHON,
	CAUSE_OTHER_HOST,
	CAUSE_LAUNCH_CALL,
	CAUSE_START_LATENCY,
	CAUSE_QUEUED,
	CAUSE_IN_GRAPH,
	CAUSE_UNLINKED,
	CAUSE_COUNT
};
/* What kind of answer a cause is. */
enum group { GROUP_LATE, GROUP_IN_TIME, GROUP_UNKNOWN, GROUP_COUNT };
extern const char *const cause_names[CAUSE_COUNT];
extern const char *const group_names[GROUP_COUNT];
enum group group_of(enum cause cause);

enum {
	WALL_OPT_INPUT,
	WALL_OPT_GAPS,
	WALL_OPT_NAMES,
	WALL_OPT_MIN_GAP,
	WALL_OPT_CLOCK_TOLERANCE,
	WALL_OPT_WINDOW,
	WALL_OPT_COUNT
};
enum { WALL_FIELD_NUMBER, WALL_FIELD_OLD_NUMBER }; /* the number of an event, and what it was called before */

/* Sets of the kinds that run at a moment; an instant belongs to the highest. */
enum { RUNS_COPY = 1, RUNS_COMMUNICATION = 2, RUNS_COMPUTE = 4, RUNS_SETS = 8 };

/* A time in which no event of the device runs. */
struct gap {
	int64_t start, end; /* whole, even where the window cuts it */
	uint32_t ending;    /* the place of the event that ends it, and whose launch says why it is there */
	uint32_t before;    /* the place of the event that ran last */
	uint32_t slot;      /* 1 + its place among the longest, or 0 */
	uint16_t causes;    /* bit c: cause c has a part */
	uint16_t how;       /* GAP_... */
};
enum { GAP_LAUNCHED, GAP_IN_GRAPH, GAP_UNLINKED };

struct parts {
	int64_t running[RUNS_SETS]; /* ns by set of kinds; [0] stays 0 */
	int64_t idle, late, unlinked;
};
int64_t parts_compute(const struct parts *parts);
int64_t parts_exposed_communication(const struct parts *parts);
int64_t parts_exposed_copies(const struct parts *parts);
int64_t parts_busy(const struct parts *parts);
int64_t parts_window(const struct parts *parts);

/* One of the rows of `steps`: before, the steps, after. */
struct cut {
	int64_t from;
	uint32_t row;
};
struct wall_step {
	const struct tav_step *mark; /* NULL: before or after */
	int64_t begin_ns;
	uint64_t events; /* launched within it, with length */
	uint32_t has_device_time, is_open;
	struct parts parts;
};
/* One of the longest gaps. */
struct long_gap {
	uint64_t gap;
	int64_t cause_ns[CAUSE_COUNT];
	tav_row operator_row, python_row;
};

/* What is told of many lengths: the least, percentiles, the most. */
enum { LENGTH_COUNT = 5 };
extern const uint32_t length_percents[LENGTH_COUNT];

struct wall_device {
	bool is_there;           /* it has events with length in the window */
	int64_t from, to;        /* the window */
	uint64_t events, linked; /* in the window, with length */
	uint64_t zero_count;     /* of them at time 0 or before */
	struct parts parts;
	int64_t cause_ns[CAUSE_COUNT];
	uint64_t cause_gaps[CAUSE_COUNT];
	uint64_t first_gap, gap_count;
	uint64_t first_call, call_count; /* in wall.calls: the first event of each launch */
	uint64_t before_launch, early;   /* start before their call; by more than the tolerance */
	int64_t floor;                   /* the least delay of events that end a gap; INT64_MAX: none */
	struct cut *cuts;
	uint64_t cut_count;
	struct wall_step *steps; /* step_count + 2 */
	struct long_gap *longest;
	uint64_t longest_count;
	int64_t lengths[LENGTH_COUNT]; /* of gaps */
	const char *doubt;             /* why its causes cannot be told; NULL: they can */
	bool no_idle;                  /* nor can its idle time be */
	bool no_window;                /* nor anything */
};

struct wall {
	struct look look;
	struct tav_self *self;
	struct wall_device *devices;
	struct gap *gaps; /* by device and start */
	uint64_t gap_count;
	uint32_t *calls;    /* places */
	uint64_t *is_first; /* bit by place: first of its launch on its device */
	struct sums names;  /* by device, cause, label: name_key() */
	const struct tav_step_list *steps;
	const char *sampled; /* why the events are a sample, or NULL */
	bool is_too_wide;    /* a device's window is longer than 292 years, and left out */
};
static inline uint64_t name_key(uint32_t device, enum cause cause, uint32_t label)
{
	return (uint64_t)device << 36 | (uint64_t)cause << 32 | label;
}
/* The part of a gap within the window. */
int64_t gap_length(const struct look *look, const struct gap *gap);

/* wall_sweep.c */
tav_status wall_sweep(struct wall *wall); /* parts, gaps, first of launches */
tav_status wall_check_sums(const struct wall *wall);
void wall_add_running(struct wall *wall, struct wall_device *device, int64_t from, int64_t to, unsigned set);
/* `label`: whose name bears it; TAV_NONE: nobody's. */
tav_status wall_add_idle(struct wall *wall, uint32_t device, struct gap *gap, enum cause cause, uint32_t label,
                         int64_t from, int64_t to);
/* wall_causes.c: parts all gaps by cause. */
tav_status wall_causes(struct wall *wall);
/* wall_steps.c: what the steps are, before the sweep; how they spread. */
tav_status wall_steps(struct wall *wall);
struct spread {
	uint64_t count, outliers;
	int64_t min, median, max, deviation;
	bool can_tell; /* of outliers */
};
tav_status wall_spread(const struct wall *wall, const struct wall_device *device, struct spread *spread,
                       uint64_t *is_outlier); /* bits by step */
/* wall_tables.c */
tav_status wall_choose_longest(struct wall *wall);
tav_status wall_tables(struct wall *wall);
/* wall_say.c: doubts, checks, headlines, metrics. */
tav_status wall_doubts(struct wall *wall);
tav_status wall_say(struct wall *wall);
/* wall_ranks.c */
tav_status wall_combine(struct tav_self *self);

#endif
