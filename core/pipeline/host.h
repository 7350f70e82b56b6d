/* SPDX-License-Identifier: Apache-2.0 */
/* What a plugin sees of a run: a self with its table of functions, and behind it the host's own record. */
#ifndef PIPELINE_HOST_H
#define PIPELINE_HOST_H

#include <pthread.h>
#include <signal.h>

#include <classify/classify.h>
#include <pipeline/config.h>

struct run;
struct run_source {      /* a source as plugins see it */
	uint32_t source; /* in the store and in the report */
	struct tav_source info;
};
struct host { /* one self in one run */
	struct tav_self self;
	struct run *run;
	const struct setup *setup;
	uint32_t stage;   /* in the report; TAV_NONE: a dialect */
	uint32_t *fields; /* wanted index of the plugin's field i; behind the declared ones, those that options name */
	uint32_t field_count;
	const struct tav_value **values; /* with columns and sources filled in */
	struct diags *diags;             /* of bad_option(), during create() only */
	bool is_created;
	pthread_mutex_t lock; /* of what follows */
	struct arena arena;
	struct causes causes;
	uint64_t allocations_left; /* of alloc(), before it fails on purpose; UINT64_MAX: never */
};
struct run {
	struct store store;
	struct report report;
	unsigned jobs;
	int verbosity;
	const volatile sig_atomic_t *cancelled;
	pthread_mutex_t lock; /* of orders, presence, metadata and columns made on demand */
	struct arena arena;
	struct run_source *sources; /* what plugins number: analysed ones first, then inputs */
	uint32_t source_count, input_count;
	bool is_classified; /* before, plugins number as the store does */
	struct presence *presence;
	struct member *members;
};

bool host_init(struct host *host, struct run *run, const struct setup *setup, uint32_t stage);
/* Adds the plugin's fields, and those that its options name, to what is wanted. False: no memory. */
bool host_want(struct host *host, struct wanted *wanted);
/* Sets the value of each INPUT option whose path is `path`. */
void host_set_input(struct host *host, const char *path, int64_t source);
/* Each trace that an option names, with the option's name. False as soon as `act` says so. */
bool host_each_input(struct host *host, bool (*act)(void *user, const char *role, const char *path), void *user);
/* Calls create(), once; `diags` gets bad options. TAV_FAILED: diags or host->causes. */
tav_status host_create(struct host *host, struct diags *diags);
void host_fini(struct host *host); /* calls destroy() */

/* A status that a plugin returned, made one of the three; one without a cause gets one. */
tav_status host_check_status(struct host *host, const char *function, tav_status status);
/* Numbers the sources for plugins; `is_analysed` has one for each source of the store. False: no memory. */
bool run_number_sources(struct run *run, const bool *is_analysed, uint32_t input_first);
void run_forget_views(struct run *run); /* frees what was made on demand */

extern const struct tav_host host_table;

#endif
