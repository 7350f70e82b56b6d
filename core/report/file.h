/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that is whole or absent: written to a temporary file beside its place, and renamed. A path that is no regular
 * file (/dev/null, a pipe) is written directly; "-": standard output.
 */
#ifndef REPORT_FILE_H
#define REPORT_FILE_H

#include <stdio.h>

#include <kit/cause.h>

enum { FILE_NO_MEMORY = -1, FILE_TOLD = -2 /* the cause was added */ };
struct file_job {
	const char *what; /* for messages: "json report", "trace" */
	/* 0, or one of the above; I/O errors stay in `out`. */
	int (*write)(void *user, FILE *out, struct causes *causes);
	void *user;
};
tav_status file_write(const struct file_job *job, const char *path, struct causes *causes);
/* Makes the folders of a path, up to its last '/', where they are not there. */
tav_status file_make_folders(const char *path, struct causes *causes);
/* The temporary files that are registered; from a signal handler. Async-signal-safe. */
void file_remove_unfinished(void);

#endif
