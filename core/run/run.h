/* SPDX-License-Identifier: Apache-2.0 */
/* A whole run: traces and reports in, report out. */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include <pthread.h>

#include <config/config.h>
#include <reader/reader.h>
#include <run/list.h>

enum { WATCHED_JOBS = 64 };
struct run_watch { /* how far a run is, for whoever shows it; all under the lock */
	pthread_mutex_t lock;
	struct read_job *active[WATCHED_JOBS]; /* NULL: a free place */
	uint64_t bytes_done, bytes_total;      /* of sources that are done; of all whose size is known */
	uint64_t events_done;
	uint32_t sources_done, source_count;
	bool is_size_known; /* of all sources */
};
void run_watch_init(struct run_watch *watch);
void run_watch_fini(struct run_watch *watch);

struct run_options {
	const char *const *traces; /* traces and reports, in the order of the report */
	uint32_t trace_count;
	const char *command_line; /* as it was typed, for acelyzer; NULL: none */
	unsigned jobs;
	int verbosity; /* -1 quiet, 0, 1, 2 */
	bool is_lenient;
	bool is_out_coloured, is_err_coloured;
	bool is_out_terminal, is_err_terminal;
	unsigned width;          /* of the text; 0: that of the terminal, or 100 */
	uint64_t max_event;      /* bytes that one event may have; 0: the reader's own bound */
	FILE *out, *err;         /* where the text and the messages go */
	struct run_watch *watch; /* NULL: nobody looks */
	/* --part K/N: `traces` are those of the K-th part of a list; no combine(), and found things are no failure */
	uint32_t part_k, part_n; /* n 0: not a part */
	uint64_t list_hash;
	const char *list_path; /* --files-from; NULL: none */
	bool is_resumed;       /* a report that is there already and still holds is kept */
	/* --parts: the reports of parts that `traces`, the lines of `list`, are looked up in */
	const char *const *parts;
	uint32_t part_count;
	const struct list *list;
};

bool run_is_report(const char *path); /* of ours, by its first bytes; a pipe is none */

enum { EXIT_CANNOT = 2 }; /* the run itself could not be done */

/* The exit status. A wrong option writes no report; a trace that cannot be read does. */
int pipeline_run(const struct config *config, const struct run_options *options);
/* The same as far as create(): every option of every plugin is tried, nothing is read. */
int pipeline_check(const struct config *config, const struct run_options *options);

#endif
