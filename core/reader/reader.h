/* SPDX-License-Identifier: Apache-2.0 */
/* Reads one trace file into columns. */
#ifndef READER_READER_H
#define READER_READER_H

#include <signal.h>
#include <stdatomic.h>

#include <trace/read_error.h>
#include <trace/store.h>

struct read_job {
	const char *path; /* "-": standard input */
	bool is_lenient;
	const struct wanted *wanted;
	const volatile sig_atomic_t *cancelled; /* may be NULL */
	_Atomic uint64_t bytes_done;            /* of the file as it lies on disk; for progress */
	_Atomic uint64_t events_done;
	uint64_t bytes_total; /* 0: unknown */

	/* results */
	struct events *events; /* ids are local to the job until read_merge(); NULL when it failed */
	struct intern values;  /* local */
	struct pages labels;
	uint32_t label_count;
	struct read_error error;
	struct causes causes;
};

/* [any] One job a thread. TAV_FAILED: `error` or `causes` say why; TAV_CANCELLED. */
tav_status read_trace(struct read_job *job);
/* Moves the job's events into the store as source `source`, its ids into the store's; call in argument order. */
tav_status read_merge(struct store *store, uint32_t source, struct read_job *job, struct causes *causes);
void read_job_fini(struct read_job *job); /* frees what was not merged */

#endif
