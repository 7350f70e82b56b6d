/* SPDX-License-Identifier: Apache-2.0 */
/* A run under way, shared by the files that do its parts: hosts, reading, dialects, stages. */
#ifndef PIPELINE_SESSION_H
#define PIPELINE_SESSION_H

#include <pipeline/host.h>
#include <pipeline/progress.h>
#include <pipeline/run.h>
#include <reader/reader.h>

struct session {
	const struct config *config;
	const struct run_options *options;
	struct run run;
	struct host *stages;
	uint32_t stage_count;
	struct host *dialect_hosts;
	uint32_t dialect_count;
	struct dialect *dialects; /* those of them that could be set up */
	uint32_t candidate_count;
	const char *candidate_names; /* for the message when a probe crashes */
	struct read_job *jobs;       /* the traces, then the inputs that options name */
	const char **roles;          /* of each job: "" or the option's name */
	uint32_t job_count, trace_count;
	struct progress progress;
	/* of --check-plugin */
	bool is_trial; /* says nothing on standard error */
	const struct part *trial_part;
	uint64_t trial_allocations; /* that the part gets before alloc() fails */
	bool *is_analysed;          /* of each source: it has been read and classified */
};

bool session_init(struct session *session, const struct config *config, const struct run_options *options);
/* Makes and creates all selves and finds out what is wanted. False: said on standard error. */
bool session_create(struct session *session);
bool session_read(struct session *session);     /* false: no memory */
bool session_classify(struct session *session); /* false: no memory */
bool session_run_stages(struct session *session);
/* Writes all reports. False: one could not be written. */
bool session_report(struct session *session);
void session_fini(struct session *session);

/* An error on standard error, with its causes. */
void session_say(const struct session *session, const struct causes *causes);
/* "outermost: deeper: deepest" in the arena; NULL: no memory. */
const char *causes_line(const struct causes *causes, struct arena *arena);

#endif
