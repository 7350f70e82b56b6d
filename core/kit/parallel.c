/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <kit/crash.h>
#include <kit/parallel.h>

struct crew {
	tav_status (*task)(void *user, uint32_t i);
	void *user;
	uint32_t n;
	_Atomic uint32_t next;
	_Atomic uint32_t first_failed; /* n: none */
	tav_status *statuses;
};

static void work(struct crew *crew)
{
	while (atomic_load(&crew->first_failed) == crew->n) {
		uint32_t i = atomic_fetch_add(&crew->next, 1);

		if (i >= crew->n)
			break;
		tav_status status = crew->task(crew->user, i);
		crew->statuses[i] = status;
		uint32_t first = atomic_load(&crew->first_failed);
		while (status && i < first && !atomic_compare_exchange_weak(&crew->first_failed, &first, i))
			;
	}
}

static void *work_in_thread(void *crew)
{
	void *stack = crash_stack_begin();

	work(crew);
	crash_stack_end(stack);
	return NULL;
}

tav_status parallel_run(unsigned jobs, uint32_t n, tav_status (*task)(void *user, uint32_t i), void *user)
{
	if (jobs > n)
		jobs = n;
	tav_status *statuses = jobs > 1 ? calloc(n, sizeof(*statuses)) : NULL;
	pthread_t *threads = statuses ? calloc(jobs, sizeof(*threads)) : NULL;
	if (!threads) {
		free(statuses);
		for (uint32_t i = 0; i < n; i++) {
			tav_status status = task(user, i);

			if (status)
				return status;
		}
		return TAV_OK;
	}
	struct crew crew = {.task = task, .user = user, .n = n, .first_failed = n, .statuses = statuses};
	unsigned started = 0;
	while (started + 1 < jobs && !pthread_create(&threads[started], NULL, work_in_thread, &crew))
		started++;
	work(&crew);
	for (unsigned i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	uint32_t first = atomic_load(&crew.first_failed);
	tav_status status = first == n ? TAV_OK : statuses[first];
	free(threads);
	free(statuses);
	return status;
}
