/* SPDX-License-Identifier: Apache-2.0 */
/* A run under way, shared by the files that do its parts: hosts, inputs, looking at a source, combining, writing. */
#ifndef RUN_SESSION_H
#define RUN_SESSION_H

#include <write/edits.h>

#include <host/host.h>
#include <reader/reader.h>
#include <run/run.h>

struct item { /* an input under way; index = number in the report */
	const char *path;
	bool is_trace;  /* to be looked at; else its results came from a report, or it could not be opened */
	uint32_t again; /* a baseline that is the same file, looked at with the same events; 0: none */
	bool is_again;  /* it is that of another */
};
struct companion {
	const char *path;
	const struct tav_option *option; /* that named it first */
	struct read_job job;
	struct view view;
};
struct session {
	const struct config *config;
	const struct run_options *options;
	struct run run;
	struct host *stages;
	uint32_t stage_count;
	struct host *dialects; /* those that could be set up */
	uint32_t dialect_count;
	const char *dialect_names; /* for the message when a probe crashes */
	struct item *items;
	struct companion *companions;
	uint32_t companion_count;
	struct read_report *reads; /* reports that were read: texts of sources live there */
	uint32_t read_count;
	unsigned threads_each;              /* that one source may use */
	bool needs_device;                  /* some stage looks at device work */
	bool is_done_before;                /* --resume: nothing to do */
	bool has_bad_ranks, has_good_ranks; /* what each_check_ranks() found; neither: not asked yet */
	bool is_refused;                    /* what is asked for cannot be written: said, and nothing more to do */
	/* of --check-plugin */
	bool is_trial; /* says nothing */
	const struct part *trial_part;
	const volatile sig_atomic_t *stages_cancelled; /* what stages are told; NULL: what is true */
	uint64_t trial_allocations;                    /* that the part gets in each call before alloc() fails */
};

bool session_init(struct session *session, const struct config *config, const struct run_options *options);
/* Makes and creates all selves and finds out what is wanted. False: said. */
bool session_create(struct session *session);
/* Finds out what each argument and option names, reads what is a report already. False: said. */
bool session_open(struct session *session);
/* Each source is looked at by all stages. False: no memory. */
bool session_look(struct session *session);
bool session_combine(struct session *session); /* False: no memory */
/* What the config waives is marked; waivers that waive nothing are said. False: no memory. */
bool session_waive(struct session *session);
/* Writes all reports. False: one could not be written. */
bool session_write(struct session *session);
/* What was wrong with a source, where the text does not show it on the same terminal. */
void session_say_errors(const struct session *session);
void session_fini(struct session *session);

/* An error in words, with its causes. */
void session_say(const struct session *session, const struct causes *causes);

/* ---- Reports of each source (each.c) ---- */
/*
 * Would any of them overwrite what is read or another one? Said, and is_refused. Paths that hold ranks can be checked
 * when those are known. False: no memory.
 */
bool each_check(struct session *session, bool has_ranks);
bool each_check_ranks(struct session *session); /* after looking; false: those with ranks cannot be written, said */
/* One report to one path, whose folders are made where it names several. False: said. */
bool each_write_one(const struct session *session, const struct report_request *request, const struct report *report,
                    const char *path, struct report_style *style);
bool each_write(struct session *session, struct report_style *style); /* all of them; false: said */

/* ---- Of one source (look.c) ---- */
/* Reads a trace, finds its dialect, classifies and seals it. TAV_FAILED: `shown->error` says why. */
tav_status source_open(struct session *session, struct view *view, struct read_job *job, struct report_source *shown);

/* ---- Inputs that are one (twins.c); false: no memory ---- */
bool twins_join(struct session *session); /* baselines that are the file of a source, or of each other */
bool twins_find(struct session *session); /* sources whose content is the same: an error of the later one */

/* ---- The trace once more (rewrite.c) ---- */
/* Is a trace report asked for, and can it be written? What is wrong becomes the run's error. False: no memory. */
bool rewrite_prepare(struct session *session);
/* Edits of a source become lists that need no events. */
tav_status rewrite_settle(struct session *session, uint32_t source, struct view *view, struct causes *causes);
bool rewrite_write(struct session *session, const struct report_request *request); /* false: said */
void rewrite_fini(struct session *session);

/* ---- Parts (part.c) ---- */
/* Are all the reports that this part is to write there, made by this version from inputs that have not changed? */
bool part_is_done(struct session *session);

#endif
