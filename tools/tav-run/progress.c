/* SPDX-License-Identifier: Apache-2.0 */
#include "progress.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { FIRST_MS = 1000, STEP_MS = 200 };

static double seconds_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

static void show(struct progress *progress, const struct timespec *start)
{
	struct run_watch *watch = progress->watch;

	pthread_mutex_lock(&watch->lock);
	uint64_t done = watch->bytes_done, total = watch->bytes_total, events = watch->events_done;
	bool is_total_known = watch->is_size_known && total;
	uint32_t sources_done = watch->sources_done, source_count = watch->source_count;
	for (unsigned i = 0; i < WATCHED_JOBS; i++) {
		if (!watch->active[i])
			continue;
		done += atomic_load(&watch->active[i]->bytes_done);
		events += atomic_load(&watch->active[i]->events_done);
	}
	pthread_mutex_unlock(&watch->lock);

	double rate = (double)done / 1e6 / seconds_since(start);
	fputs("\r\x1b[K", stderr);
	if (is_total_known && done < total)
		fprintf(stderr, "%3.0f %%  ", 100.0 * (double)done / (double)total);
	if (source_count > 1)
		fprintf(stderr, "%u of %u traces  ", sources_done, source_count);
	fprintf(stderr, "%llu events  %.*f MB/s%s", (unsigned long long)events, rate < 10, rate,
	        is_total_known && done >= total ? "  judging" : "");
	fflush(stderr);
	progress->is_shown = true;
}

static void *run(void *argument)
{
	struct progress *progress = argument;
	struct timespec start, until;
	long wait_ms = FIRST_MS;

	clock_gettime(CLOCK_MONOTONIC, &start);
	pthread_mutex_lock(&progress->lock);
	while (!progress->is_done) {
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += wait_ms * 1000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		wait_ms = STEP_MS;
		if (pthread_cond_timedwait(&progress->changed, &progress->lock, &until) && !progress->is_done)
			show(progress, &start);
	}
	pthread_mutex_unlock(&progress->lock);
	return NULL;
}

void progress_start(struct progress *progress, struct run_watch *watch)
{
	pthread_condattr_t attributes;

	*progress = (struct progress){.watch = watch};
	pthread_mutex_init(&progress->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&progress->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	progress->is_started = !pthread_create(&progress->thread, NULL, run, progress);
}

void progress_stop(struct progress *progress)
{
	if (!progress->is_started)
		return;
	pthread_mutex_lock(&progress->lock);
	progress->is_done = true;
	pthread_cond_signal(&progress->changed);
	pthread_mutex_unlock(&progress->lock);
	pthread_join(progress->thread, NULL);
	if (progress->is_shown) {
		fputs("\r\x1b[K", stderr);
		fflush(stderr);
	}
	pthread_cond_destroy(&progress->changed);
	pthread_mutex_destroy(&progress->lock);
	progress->is_started = false;
}
