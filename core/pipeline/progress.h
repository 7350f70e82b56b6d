/* SPDX-License-Identifier: Apache-2.0 */
/* A line on the terminal for those who wait longer than a second. */
#ifndef PIPELINE_PROGRESS_H
#define PIPELINE_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>

#include <reader/reader.h>

struct progress {
	struct read_job *jobs;
	uint32_t job_count;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool is_started, is_done, is_shown;
};

void progress_start(struct progress *progress, struct read_job *jobs, uint32_t job_count);
void progress_stop(struct progress *progress); /* clears the line */

#endif
