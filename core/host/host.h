/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a plugin sees of a run. A `host` is a dialect or stage as configured, from create() to destroy(); a `call` is
 * one call of one of its functions, with a self, causes and memory of its own; a `view` is a source whose events are
 * there, shared by all calls on it.
 */
#ifndef HOST_HOST_H
#define HOST_HOST_H

#include <pthread.h>
#include <signal.h>

#include <classify/classify.h>
#include <config/config.h>
#include <report/report.h>

enum phase { PHASE_CREATE, PHASE_DIALECT, PHASE_EACH, PHASE_COMBINE, PHASE_DESTROY };

struct run { /* what all hosts of a run share */
	struct report report;
	struct wanted wanted; /* complete before the first source is read */
	unsigned jobs;
	int verbosity;
	FILE *err;                              /* of log() */
	bool is_trace_wanted;                   /* a trace report will be written */
	struct edits *edits;                    /* of each source, by its number in the report; NULL: no stage edits */
	const volatile sig_atomic_t *cancelled; /* may be NULL */
};
struct view {
	struct run *run;
	struct events *events;
	struct tav_source *info;     /* in memory that is sealed with the events */
	struct report_source *shown; /* whose results these are; NULL: a companion */
	unsigned threads;            /* that parallel() may use */
	pthread_mutex_t lock;        /* of what is made on demand: orders, presence, facts, the index of labels */
	struct arena arena;
	struct presence *presence;
	struct mark *marks;
	struct edits *edits;            /* NULL: of a companion */
	const uint32_t *labels_by_text; /* label numbers in the order of (name, category) ids; NULL: not made yet */
};
struct host {
	struct run *run;
	const struct setup *setup;
	uint32_t stage;   /* in the report; TAV_NONE: a dialect */
	uint32_t *fields; /* wanted index of the plugin's field i; behind the declared ones, those that options name */
	uint32_t field_count;
	const struct tav_value **values; /* with columns and companions filled in */
	struct view **companions;        /* of its COMPANION options, in their order; numbered from 1 in each() */
	uint32_t companion_count;
	struct arena arena;
	struct arena kept; /* of keep(): sealed once create() has returned */
	void *state;
	bool is_created;
	uint64_t allocations; /* of alloc() and keep() in a call, before they fail on purpose; UINT64_MAX: never */
};
struct call {
	struct tav_self self;
	struct host *host;
	enum phase phase;
	struct view *view;                       /* source 0; NULL: no events */
	uint32_t source_count;                   /* combine(): sources are numbered as in the report */
	uint32_t baseline_first, baseline_count; /* its own, numbered behind them; the report's number of the first */
	struct diags *diags;                     /* of bad_option(), in create() only */
	unsigned threads;
	pthread_mutex_t lock; /* of what follows */
	struct arena arena;
	struct tav_source *shown; /* combine(): copies of the facts of all sources, made at first use */
	struct causes causes;
	uint64_t allocations_left;
	bool has_failed; /* it said so by fail(), or had no memory: whatever it returns */
};

bool host_init(struct host *host, struct run *run, const struct setup *setup, uint32_t stage);
/* Adds the plugin's fields, and those that its options name, to what is wanted. False: no memory. */
bool host_want(struct host *host, struct wanted *wanted);
/* Each trace that an INPUT option names; `is_baseline` tells which role. False as soon as `act` says so. */
bool host_each_input(struct host *host, bool is_baseline,
                     bool (*act)(void *user, const struct tav_option *option, struct tav_value *value), void *user);
/* Calls create(), once; `diags` gets bad options. TAV_FAILED: diags or `causes`. */
tav_status host_create(struct host *host, struct diags *diags, struct causes *causes);
void host_fini(struct host *host); /* calls destroy() */

void call_init(struct call *call, struct host *host, enum phase phase, struct view *view, unsigned threads);
void call_fini(struct call *call);
/* The call has failed for lack of memory, whatever the plugin makes of it. Returns TAV_FAILED. */
tav_status call_lack_memory(struct call *call, const char *text);
tav_status call_cause(struct call *call, const char *file, uint32_t line, const char *text);
/*
 * A status that a plugin returned, made one of the three; one without a cause gets one. Who called fail(), or got no
 * memory, has failed.
 */
tav_status call_check_status(struct call *call, const char *function, tav_status status);
static inline struct call *call_of(struct tav_self *self)
{
	return (struct call *)(void *)((char *)self - offsetof(struct call, self));
}

/* Takes the events, also where it fails. False: no memory. */
bool view_init(struct view *view, struct run *run, struct events *events, struct report_source *shown,
               unsigned threads);
void view_describe(struct view *view); /* fills info from the events as they stand; before they are sealed */
void view_forget(struct view *view);   /* a stage has returned: what was made for it alone goes */
void view_fini(struct view *view);     /* the events too */
void view_again(struct view *view, struct report_source *shown); /* the same events as another source: no marks yet */

extern const struct tav_host host_table;

#endif
