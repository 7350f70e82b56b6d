/* SPDX-License-Identifier: Apache-2.0 */
/* One line on the terminal that says how far a long run is; gone when the run ends. */
#ifndef TAV_RUN_PROGRESS_H
#define TAV_RUN_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>

#include <run/run.h>

struct progress {
	struct run_watch *watch;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool is_started, is_done, is_shown;
};

void progress_start(struct progress *progress, struct run_watch *watch); /* does nothing where no thread can be made */
void progress_stop(struct progress *progress);

#endif
