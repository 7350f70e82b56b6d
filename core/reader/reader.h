/* SPDX-License-Identifier: Apache-2.0 */
/* Reads one trace file into columns. */
#ifndef READER_READER_H
#define READER_READER_H

#include <signal.h>
#include <stdatomic.h>

#include <trace/read_error.h>
#include <trace/store.h>

/* A token of gigabytes is a broken file, and would take as much memory. */
#define READ_MAX_EVENT (UINT64_C(64) << 20)

struct read_job {
	const char *path; /* "-": standard input */
	bool is_lenient;
	const struct wanted *wanted;
	const volatile sig_atomic_t *cancelled; /* may be NULL */
	_Atomic uint64_t bytes_done;            /* of the file as it lies on disk; for progress */
	_Atomic uint64_t events_done;
	uint64_t bytes_total; /* 0: unknown */

	unsigned threads;     /* that may read this file; 0: one */
	uint64_t max_event;   /* bytes that one event may have; 0: the reader's own bound */
	bool is_trace_wanted; /* a trace report will be written: places of E events are kept */
	uint64_t time_unit;   /* of ts and dur, in ns; 0: microseconds, or nanoseconds where they can be nothing else */
	size_t block_size;    /* bytes that are read at once; 0: the reader's own choice */

	/* results */
	struct events *events;         /* NULL when it failed */
	uint64_t mtime_ns, file_bytes; /* of the file as it lies on disk */
	uint64_t device, inode;        /* of what was opened */
	uint64_t parts, parts_joined;  /* blocks that were read ahead by several threads, and those that held */
	struct read_error error;
	struct causes causes;
};

/* [any] One job a thread. TAV_FAILED: `error` or `causes` say why; TAV_CANCELLED. */
tav_status read_trace(struct read_job *job);
void read_job_fini(struct read_job *job); /* the events too, where nobody took them */

#endif
