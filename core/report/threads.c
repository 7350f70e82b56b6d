/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a trace calls the processes and threads of those events that its findings show: a person knows "dataloader 3",
 * not 140023. Kept for them alone, since a trace may name hundreds of thousands.
 */
#include <stdlib.h>
#include <string.h>

#include <kit/text.h>
#include <report/report.h>

static int compare_texts(struct tav_text a, struct tav_text b)
{
	size_t size = a.size < b.size ? a.size : b.size;
	int order = size ? memcmp(a.data, b.data, size) : 0;

	return order ? order : (a.size > b.size) - (a.size < b.size);
}

static int compare_events(const void *left, const void *right)
{
	const struct tav_event *a = *(const struct tav_event *const *)left,
	                       *b = *(const struct tav_event *const *)right;
	int order = compare_texts(a->pid, b->pid);

	return order ? order : compare_texts(a->tid, b->tid);
}

static uint64_t shown_events(const struct report_source *source, const struct tav_event **out)
{
	uint64_t count = 0;

	for (uint32_t stage = 0; stage < source->results.stage_count; stage++) {
		const struct stage_results *told = &source->results.stages[stage];

		for (uint32_t i = 0; i < told->finding_count; i++) {
			const struct tav_finding_result *finding = &told->findings[i]->shown;

			for (uint64_t j = 0; j < finding->instance_count * finding->events_each; j++, count++) {
				if (out)
					out[count] = &finding->events[j];
			}
		}
	}
	return count;
}

static bool keep(struct report_source *source, struct arena *arena, const struct report_thread *thread)
{
	struct report_thread *kept = &source->threads[source->thread_count];

	if (!thread->process_name.size && !thread->thread_name.size)
		return true;
	*kept = (struct report_thread){arena_text(arena, thread->pid), arena_text(arena, thread->tid),
	                               arena_text(arena, thread->process_name), arena_text(arena, thread->thread_name)};
	source->thread_count++;
	return kept->pid.data && kept->tid.data && kept->process_name.data && kept->thread_name.data;
}

bool report_keep_threads(struct report_source *source, struct arena *arena, thread_name_of *name_of, void *user)
{
	uint64_t count = shown_events(source, NULL);
	const struct tav_event **events = calloc(count + 1, sizeof(const struct tav_event *));

	source->thread_count = 0;
	source->threads = arena_array(arena, count, sizeof(*source->threads));
	bool is_ok = events && source->threads;
	if (is_ok) {
		shown_events(source, events);
		qsort(events, count, sizeof(const struct tav_event *), compare_events);
	}
	for (uint64_t i = 0; is_ok && i < count; i++) {
		if (i && !compare_events(&events[i - 1], &events[i]))
			continue;
		struct report_thread thread = {.pid = events[i]->pid, .tid = events[i]->tid};

		is_ok = name_of(user, events[i], &thread) && keep(source, arena, &thread);
	}
	free(events);
	return is_ok;
}

const struct report_thread *report_thread_of(const struct report *report, const struct tav_event *event)
{
	bool is_known = event->source < report->source_count + report->baseline_count;
	const struct report_source *source = is_known ? &report->sources[event->source] : NULL;
	uint32_t low = 0, high = source ? source->thread_count : 0;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct report_thread *thread = &source->threads[middle];
		int order = compare_texts(thread->pid, event->pid);

		order = order ? order : compare_texts(thread->tid, event->tid);
		if (!order)
			return thread;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}
