/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Section 8 as the reference has it: a phase by parts of words, and a kernel's phase by id, by the window of the device
 * or of the host (on the device's clock) that holds its start, else by the nearest window.
 */
#include <stdlib.h>

#include "triage.h"

enum { WINDOW_TOLERANCE_NS = 1 }; /* the reference's 0.001 us */

/* ---- Annotations --------------------------------------------------------------------------------------- */

static uint8_t phase_by_substring(struct tav_text name)
{
	if (text_has_lower(name, "generation_1") || text_has_lower(name, "decode"))
		return PHASE_DECODE;
	if (text_has_lower(name, "generation_0") || text_has_lower(name, "prefill"))
		return PHASE_EXTEND;
	return PHASE_ALL;
}

/* Is the row an annotation, and of the device's clock? */
static bool is_annotation(struct analysis *analysis, tav_row row, bool *is_device)
{
	struct label_facts *facts = &analysis->labels[analysis->label[row]];

	if (!is_interval(analysis, row))
		return false;
	if (!facts->annotation) {
		struct tav_text category;

		label_of(analysis, row, &category);
		category = text_normal(analysis->triage->self, category);
		facts->annotation = text_starts_lower(category, "user_annotation") && category.size == 15       ? 2
		                    : text_starts_lower(category, "gpu_user_annotation") && category.size == 19 ? 3
		                                                                                                : 1;
	}
	*is_device = facts->annotation == 3;
	return facts->annotation > 1 && analysis->phase[row] == 'X';
}

static tav_status find_marks(struct analysis *analysis, struct all_marks *all)
{
	for (tav_row row = 0; row < analysis->info->row_count; row++) {
		int64_t id = -1;
		bool is_device, has_id;
		struct tav_text category;
		uint8_t phase;

		if (!is_annotation(analysis, row, &is_device) ||
		    (phase = phase_by_substring(label_of(analysis, row, &category))) == PHASE_ALL)
			continue;
		has_id = reference_external(analysis, row, &id) && id != -1;
		if (add_mark(analysis, all, row, phase, is_device, has_id, (uint64_t)id))
			return TAV_FAILED;
	}
	return TAV_OK;
}

/* ---- By id --------------------------------------------------------------------------------------------- */

static tav_status assign_by_id(struct analysis *analysis, struct device *device, const struct all_marks *all)
{
	struct triage *triage = analysis->triage;
	struct tav_map places;
	int64_t *ids, id;
	uint64_t key;

	if (!all->by_id.count)
		return TAV_OK;
	tav_map_init(&places, triage->self);
	for (size_t i = 0; i < device->count; i++) {
		tav_row row = device->kernels[i].row;

		if (!reference_external(analysis, row, &id) && reference_correlation(analysis, row, &key) &&
		    tav_map_number(&places, key) == TAV_NONE)
			return TAV_FAILED;
	}
	if (reference_ids(analysis, &analysis->pool, &places, &ids))
		return TAV_FAILED;
	for (size_t i = 0; i < device->count; i++) {
		struct kernel *kernel = &device->kernels[i];
		uint32_t place;

		if (reference_id(analysis, kernel->row, &places, ids, &id) &&
		    (place = tav_map_find_number(&all->ids, (uint64_t)id)) != TAV_NONE)
			kernel->phase = all->by_id.items[place].phase;
	}
	return TAV_OK;
}

/* ---- By nearness --------------------------------------------------------------------------------------- */

struct window {
	int64_t start, end;
	int64_t longest_end; /* of this and all before */
	uint8_t phase;
};
struct edge { /* an end of a window, for the nearest one */
	int64_t time;
	uint32_t window;
};
struct windows {
	struct window *items;
	struct edge *ends; /* by time */
	size_t count;
};

static int by_edge(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->window < y->window ? -1 : x->window > y->window;
}

static tav_status merge_windows(struct analysis *analysis, struct marks *marks, struct windows *windows)
{
	windows->items = POOL_NEW(&analysis->pool, struct window, marks->count);
	windows->ends = POOL_NEW(&analysis->pool, struct edge, marks->count);
	windows->count = 0;
	if (!windows->items || !windows->ends)
		return no_memory(analysis->triage);
	if (marks->count)
		qsort(marks->items, marks->count, sizeof(*marks->items), mark_by_start);
	for (size_t i = 0; i < marks->count; i++) {
		const struct mark *mark = &marks->items[i];
		struct window *last = windows->count ? &windows->items[windows->count - 1] : NULL;

		if (last && last->phase == mark->phase && mark->start <= last->end + WINDOW_TOLERANCE_NS) {
			if (mark->end > last->end)
				last->end = mark->end;
			continue;
		}
		windows->items[windows->count++] =
		        (struct window){.start = mark->start, .end = mark->end, .phase = mark->phase};
	}
	for (size_t i = 0; i < windows->count; i++) {
		struct window *window = &windows->items[i];

		window->longest_end = i && window[-1].longest_end > window->end ? window[-1].longest_end : window->end;
		windows->ends[i] = (struct edge){window->end, (uint32_t)i};
	}
	if (windows->count)
		qsort(windows->ends, windows->count, sizeof(*windows->ends), by_edge);
	return TAV_OK;
}

/* The first window, in order, that holds the time; -1: none. */
static int64_t first_holding(const struct windows *windows, int64_t time)
{
	size_t low = 0, high = windows->count;

	while (low < high) { /* the first whose own end reaches the time is the first where the running maximum does */
		size_t middle = low + (high - low) / 2;

		if (windows->items[middle].longest_end + WINDOW_TOLERANCE_NS >= time)
			high = middle;
		else
			low = middle + 1;
	}
	return low < windows->count && windows->items[low].start <= time ? (int64_t)low : -1;
}

static size_t first_start_at(const struct windows *windows, int64_t time)
{
	size_t low = 0, high = windows->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (windows->items[middle].start >= time)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static size_t first_end_at(const struct windows *windows, int64_t time)
{
	size_t low = 0, high = windows->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (windows->ends[middle].time >= time)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static void take_nearer(int64_t gap, size_t window, int64_t *best_gap, size_t *best)
{
	if (gap < *best_gap || (gap == *best_gap && window < *best)) {
		*best_gap = gap;
		*best = window;
	}
}

/* The window with an edge nearest to the time, the first of equals; its distance. */
static int64_t nearest(const struct windows *windows, int64_t time, size_t *best)
{
	int64_t gap = INT64_MAX;
	size_t place = first_start_at(windows, time);

	*best = SIZE_MAX;
	if (place < windows->count)
		take_nearer(windows->items[place].start - time, place, &gap, best);
	if (place) {
		size_t before = first_start_at(windows, windows->items[place - 1].start);

		take_nearer(time - windows->items[before].start, before, &gap, best);
	}
	place = first_end_at(windows, time);
	if (place < windows->count)
		take_nearer(windows->ends[place].time - time, windows->ends[place].window, &gap, best);
	if (place) {
		size_t before = first_end_at(windows, windows->ends[place - 1].time);

		take_nearer(time - windows->ends[before].time, windows->ends[before].window, &gap, best);
	}
	return gap;
}

static tav_status assign_by_nearness(struct analysis *analysis, struct device *device, struct all_marks *all)
{
	struct windows device_windows, host_windows;

	if (merge_windows(analysis, &all->device, &device_windows) ||
	    merge_windows(analysis, &all->host, &host_windows))
		return TAV_FAILED;
	for (size_t i = 0; i < device->count; i++) {
		struct kernel *kernel = &device->kernels[i];
		int64_t probe = kernel->start + WINDOW_TOLERANCE_NS, window, device_gap, host_gap;
		size_t device_best, host_best;

		if (kernel->phase != PHASE_ALL)
			continue; /* by id */
		if ((window = first_holding(&device_windows, probe)) >= 0) {
			kernel->phase = device_windows.items[window].phase;
			continue;
		}
		if ((window = first_holding(&host_windows, probe)) >= 0) {
			kernel->phase = host_windows.items[window].phase;
			continue;
		}
		device_gap = nearest(&device_windows, probe, &device_best);
		host_gap = nearest(&host_windows, probe, &host_best);
		if (device_best != SIZE_MAX && device_gap <= host_gap) {
			if (device_gap <= analysis->triage->near)
				kernel->phase = device_windows.items[device_best].phase;
		} else if (host_best != SIZE_MAX && host_gap <= analysis->triage->near) {
			kernel->phase = host_windows.items[host_best].phase;
		}
	}
	return TAV_OK;
}

tav_status reference_phases(struct analysis *analysis)
{
	struct device *device = &analysis->devices[0];
	struct all_marks all = {0};

	tav_map_init(&all.ids, analysis->triage->self);
	if (find_marks(analysis, &all) || assign_by_id(analysis, device, &all))
		return TAV_FAILED;
	return assign_by_nearness(analysis, device, &all);
}
