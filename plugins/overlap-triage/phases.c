/* SPDX-License-Identifier: Apache-2.0 */
/* Section 8: phases (prefill, decode) and steps, told by annotations. */
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "triage.h"

const char *const phase_names[PHASE_COUNT] = {
        [PHASE_ALL] = "all",
        [PHASE_EXTEND] = "extend",
        [PHASE_DECODE] = "decode",
        [PHASE_MIXED] = "mixed",
};

enum { WINDOW_TOLERANCE_NS = 1 }; /* the reference's 0.001 us */

struct mark { /* an annotation that names a phase or a step */
	int64_t start, end;
	uint32_t pid;
	uint32_t step; /* text id; 0: none */
	tav_row row;
	uint8_t phase;
	bool is_device;
};
struct marks {
	struct mark *items;
	size_t count, capacity;
	bool have_phase, have_step; /* at least one of them says so */
};

/* ---- What an annotation's name says -------------------------------------------------------------------- */

static uint8_t phase_by_substring(struct tav_text name)
{
	if (text_has_lower(name, "generation_1") || text_has_lower(name, "decode"))
		return PHASE_DECODE;
	if (text_has_lower(name, "generation_0") || text_has_lower(name, "prefill"))
		return PHASE_EXTEND;
	return PHASE_ALL;
}

/* The number after the word `word`; -1: there is none. */
static int64_t count_after(const struct words *words, const char *word)
{
	for (size_t i = 0; i + 1 < words->count; i++) {
		struct tav_text next = word_at(words, i + 1);
		int64_t value = 0;

		if (!text_is(word_at(words, i), word))
			continue;
		for (size_t k = 0; k < next.size && k < 18; k++) {
			if (next.data[k] < '0' || next.data[k] > '9')
				return -1;
			value = value * 10 + (next.data[k] - '0');
		}
		return value;
	}
	return -1;
}

static bool phase_by_word(struct pool *scratch, struct tav_text name, uint8_t *phase)
{
	struct words words;
	bool is_extend, is_decode;
	int64_t context, generation;

	if (!text_words(scratch, name, &words))
		return false;
	context = count_after(&words, "context");
	generation = count_after(&words, "generation");
	if (context >= 0 && generation >= 0) { /* execute_context_9(..)_generation_37(..): how many requests of each */
		is_extend = context > 0;
		is_decode = generation > 0;
	} else {
		is_extend = words_have(&words, "prefill") || words_have(&words, "extend");
		is_decode = words_have(&words, "decode");
		if (words_have(&words, "mixed") && words_have(&words, "step"))
			is_extend = is_decode = true;
	}
	*phase = is_extend && is_decode ? PHASE_MIXED : is_extend ? PHASE_EXTEND : is_decode ? PHASE_DECODE : PHASE_ALL;
	return true;
}

struct said { /* by a label */
	bool is_known;
	uint8_t phase;
	uint32_t step;
};

static tav_status read_label(struct triage *triage, uint32_t label, struct said *said)
{
	struct pool scratch = {0};
	struct tav_text category, name = triage->self->host->label(triage->self, label, &category);
	tav_status status = TAV_OK;

	if (triage->rules->phase_words == PHASES_BY_SUBSTRING) {
		said->phase = phase_by_substring(name);
	} else {
		if (!phase_by_word(&scratch, name, &said->phase))
			status = no_memory(triage);
		/* `name` ends with NUL as every text of the host does. */
		else if (triage->steps && !regexec(triage->steps, name.data, 0, NULL, 0) &&
		         !(said->step = texts_add(&triage->texts, name.data, name.size)))
			status = no_memory(triage);
	}
	said->is_known = true;
	pool_free(&scratch);
	return status;
}

/* Is the row an annotation, and of the device's clock? */
static bool is_annotation(struct analysis *analysis, tav_row row, bool *is_device)
{
	struct triage *triage = analysis->triage;
	struct label_facts *facts;

	if (!(analysis->traits[row] & TAV_TRAIT_INTERVAL) || analysis->end[row] <= analysis->start[row])
		return false;
	if (triage->rules->kernels == KERNELS_BY_DIALECT) {
		*is_device = (analysis->traits[row] & TAV_TRAIT_DEVICE_CLOCK) != 0;
		return (analysis->traits[row] & TAV_TRAIT_ANNOTATION) != 0;
	}
	facts = &triage->labels[analysis->label[row]];
	if (!facts->annotation) {
		struct pool scratch = {0};
		struct tav_text category;

		triage->self->host->label(triage->self, analysis->label[row], &category);
		category = text_normal(&scratch, category);
		facts->annotation = text_starts_lower(category, "user_annotation") && category.size == 15       ? 2
		                    : text_starts_lower(category, "gpu_user_annotation") && category.size == 19 ? 3
		                                                                                                : 1;
		pool_free(&scratch);
	}
	*is_device = facts->annotation == 3;
	return facts->annotation > 1 && analysis->phase[row] == 'X';
}

/* ---- Annotations --------------------------------------------------------------------------------------- */

struct all_marks {
	struct marks device, host;
	struct marks by_id; /* one for each id */
	struct map ids;     /* External id to place + 1 in by_id */
};

static tav_status add_mark(struct analysis *analysis, struct marks *marks, const struct mark *mark)
{
	if (!pool_grow(&analysis->pool, (void **)&marks->items, &marks->capacity, marks->count, sizeof(*marks->items)))
		return no_memory(analysis->triage);
	marks->items[marks->count++] = *mark;
	marks->have_phase |= mark->phase != PHASE_ALL;
	marks->have_step |= mark->step != 0;
	return TAV_OK;
}

/* Of several with one id the device's wins, then the longer one, then the first. */
static tav_status add_id(struct analysis *analysis, struct all_marks *all, int64_t id, const struct mark *mark)
{
	uint32_t *place;
	struct mark *old;

	if (id == -1)
		return TAV_OK;
	place = map_add(&all->ids, (uint64_t)id, NULL);
	if (!place)
		return no_memory(analysis->triage);
	if (!*place) {
		*place = (uint32_t)all->by_id.count + 1;
		return add_mark(analysis, &all->by_id, mark);
	}
	old = &all->by_id.items[*place - 1];
	if (mark->is_device != old->is_device ? mark->is_device : mark->end - mark->start > old->end - old->start)
		*old = *mark;
	return TAV_OK;
}

static tav_status find_marks(struct analysis *analysis, struct all_marks *all)
{
	struct triage *triage = analysis->triage;
	struct pool scratch = {0};
	struct said *said = POOL_NEW(&scratch, struct said, triage->label_count);
	tav_status status = said && map_init(&all->ids, &analysis->pool, 16) ? TAV_OK : no_memory(triage);

	for (tav_row row = 0; row < analysis->info->row_count && !status; row++) {
		struct said *here = &said[analysis->label[row]];
		struct mark mark = {.start = analysis->start[row],
		                    .end = analysis->end[row],
		                    .pid = analysis->pid[row],
		                    .row = row};

		if (!is_annotation(analysis, row, &mark.is_device))
			continue;
		if (!here->is_known && read_label(triage, analysis->label[row], here)) {
			status = TAV_FAILED;
			break;
		}
		mark.phase = here->phase;
		mark.step = here->step;
		if (!mark.phase && !mark.step)
			continue;
		if (mark.phase && is_present(analysis->external_present, row))
			status = add_id(analysis, all, analysis->external[row], &mark);
		if (!status)
			status = add_mark(analysis, mark.is_device ? &all->device : &all->host, &mark);
	}
	pool_free(&scratch);
	return status;
}

/* ---- By id (both rule sets) ---------------------------------------------------------------------------- */

static tav_status assign_by_id(struct analysis *analysis, struct device *device, const struct all_marks *all)
{
	struct triage *triage = analysis->triage;
	struct map places;
	int64_t *ids;

	if (!all->by_id.count)
		return TAV_OK;
	if (!map_init(&places, &analysis->pool, 64))
		return no_memory(triage);
	for (size_t i = 0; i < device->count; i++) {
		tav_row row = device->kernels[i].row;
		uint64_t key;

		if (!is_present(analysis->external_present, row) && correlation_key(analysis, row, &key) &&
		    !map_add(&places, key, NULL))
			return no_memory(triage);
	}
	if (find_external_ids(analysis, &analysis->pool, &places, &ids))
		return TAV_FAILED;
	for (size_t i = 0; i < device->count; i++) {
		struct kernel *kernel = &device->kernels[i];
		const uint32_t *place;
		int64_t id = -1;
		uint64_t key;

		if (is_present(analysis->external_present, kernel->row))
			id = analysis->external[kernel->row];
		else if (correlation_key(analysis, kernel->row, &key) && (place = map_find(&places, key)) && *place)
			id = ids[*place - 1];
		if (id != -1 && (place = map_find(&all->ids, (uint64_t)id)) && *place)
			kernel->phase = all->by_id.items[*place - 1].phase;
	}
	return TAV_OK;
}

/* ---- By nearness (reference) --------------------------------------------------------------------------- */

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

static int by_start_end(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

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
		qsort(marks->items, marks->count, sizeof(*marks->items), by_start_end);
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

/* ---- By the device's own annotations, then by the launch (improved) ------------------------------------ */

struct point { /* a kernel at the time that decides */
	int64_t time;
	uint32_t pid;
	uint32_t kernel;
};

static int by_pid_start(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return by_start_end(a, b);
}

/* By (pid, time), equal ones in the order in which they come. */
static tav_status sort_points(struct analysis *analysis, struct point *points, size_t count)
{
	struct pool scratch = {0};
	struct sort_item *items = POOL_NEW(&scratch, struct sort_item, count);
	struct sort_item *spare = POOL_NEW(&scratch, struct sort_item, count);
	struct point *sorted = POOL_NEW(&scratch, struct point, count);

	if (!items || !spare || !sorted) {
		pool_free(&scratch);
		return no_memory(analysis->triage);
	}
	for (size_t i = 0; i < count; i++)
		items[i] = (struct sort_item){sort_key(points[i].time), (uint32_t)i};
	sort_by_key(items, spare, count);
	for (size_t i = 0; i < count; i++)
		items[i].key = points[items[i].value].pid;
	sort_by_key(items, spare, count);
	for (size_t i = 0; i < count; i++)
		sorted[i] = points[items[i].value];
	memcpy(points, sorted, count * sizeof(*points));
	pool_free(&scratch);
	return TAV_OK;
}

enum said_what { SAYS_PHASE, SAYS_STEP };

/* The innermost mark of the same process that holds a point says phase or step, unless the kernel has it already. */
static tav_status assign_innermost(struct analysis *analysis, struct device *device, const struct marks *marks,
                                   const struct point *points, size_t point_count, enum said_what what)
{
	struct pool scratch = {0};
	const struct mark **open = POOL_NEW(&scratch, const struct mark *, marks->count);
	size_t open_count = 0, next = 0;

	if (!open)
		return no_memory(analysis->triage);
	for (size_t i = 0; i < point_count; i++) {
		const struct point *point = &points[i];
		struct kernel *kernel = &device->kernels[point->kernel];

		if (!i || point->pid != points[i - 1].pid)
			open_count = 0;
		while (next < marks->count &&
		       (marks->items[next].pid < point->pid ||
		        (marks->items[next].pid == point->pid && marks->items[next].start <= point->time))) {
			const struct mark *mark = &marks->items[next++];

			if (mark->pid == point->pid &&
			    (what == SAYS_PHASE ? mark->phase != PHASE_ALL : mark->step != 0))
				open[open_count++] = mark;
		}
		while (open_count && open[open_count - 1]->end <= point->time)
			open_count--;
		if (!open_count)
			continue;
		if (what == SAYS_PHASE && kernel->phase == PHASE_ALL)
			kernel->phase = open[open_count - 1]->phase;
		if (what == SAYS_STEP && !kernel->step)
			kernel->step = open[open_count - 1]->step;
	}
	pool_free(&scratch);
	return TAV_OK;
}

static tav_status assign_both(struct analysis *analysis, struct device *device, const struct marks *marks,
                              const struct point *points, size_t count)
{
	if (marks->have_phase && assign_innermost(analysis, device, marks, points, count, SAYS_PHASE))
		return TAV_FAILED;
	return marks->have_step ? assign_innermost(analysis, device, marks, points, count, SAYS_STEP) : TAV_OK;
}

/* Does the kernel lack something that these marks may tell? */
static bool is_lacking(const struct kernel *kernel, const struct marks *marks)
{
	return (marks->have_phase && kernel->phase == PHASE_ALL) || (marks->have_step && !kernel->step);
}

/* The kernels that lack a phase or step, at the time of their launch. */
static tav_status find_launch_points(struct analysis *analysis, struct device *device, const struct marks *marks,
                                     struct point *points, size_t *count)
{
	struct pool scratch = {0};
	struct map launches;
	uint64_t key;
	tav_status status = map_init(&launches, &scratch, 64) ? TAV_OK : no_memory(analysis->triage);

	for (size_t i = 0; i < device->count && !status; i++)
		if (is_lacking(&device->kernels[i], marks) && correlation_key(analysis, device->kernels[i].row, &key) &&
		    !map_add(&launches, key, NULL))
			status = no_memory(analysis->triage);
	if (!status && launches.count)
		status = find_launches(analysis, &launches);
	for (size_t i = 0; i < device->count && !status && launches.count; i++) {
		const uint32_t *launch;

		if (is_lacking(&device->kernels[i], marks) && correlation_key(analysis, device->kernels[i].row, &key) &&
		    (launch = map_find(&launches, key)) && *launch)
			points[(*count)++] =
			        (struct point){analysis->start[*launch - 1], analysis->pid[*launch - 1], (uint32_t)i};
	}
	pool_free(&scratch);
	return status;
}

static tav_status assign_by_launch(struct analysis *analysis, struct device *device, const struct marks *marks,
                                   struct point *points)
{
	size_t count = 0;

	if (find_launch_points(analysis, device, marks, points, &count) || sort_points(analysis, points, count))
		return TAV_FAILED;
	return assign_both(analysis, device, marks, points, count);
}

static tav_status assign_by_clocks(struct analysis *analysis, struct device *device, struct all_marks *all)
{
	struct pool scratch = {0};
	struct point *points;
	tav_status status;

	if (!all->device.count && !all->host.count)
		return TAV_OK;
	points = POOL_NEW(&scratch, struct point, device->count);
	if (!points)
		return no_memory(analysis->triage);
	if (all->device.count)
		qsort(all->device.items, all->device.count, sizeof(struct mark), by_pid_start);
	if (all->host.count)
		qsort(all->host.items, all->host.count, sizeof(struct mark), by_pid_start);
	for (size_t i = 0; i < device->count; i++)
		points[i] = (struct point){device->kernels[i].start, device->pid, (uint32_t)i};
	status = assign_both(analysis, device, &all->device, points, device->count);
	if (!status && all->host.count)
		status = assign_by_launch(analysis, device, &all->host, points);
	pool_free(&scratch);
	return status;
}

/* ---- Section 8.2 --------------------------------------------------------------------------------------- */

tav_status find_phases(struct analysis *analysis)
{
	struct triage *triage = analysis->triage;
	struct all_marks all = {0};

	if (!analysis->device_count)
		return TAV_OK;
	if (triage->default_phase != PHASE_ALL) {
		for (size_t d = 0; d < analysis->device_count; d++)
			for (size_t i = 0; i < analysis->devices[d].count; i++)
				analysis->devices[d].kernels[i].phase = (uint8_t)triage->default_phase;
		if (triage->rules->phases == PHASES_BY_NEARNESS)
			return TAV_OK;
	}
	if (find_marks(analysis, &all))
		return TAV_FAILED;
	for (size_t d = 0; d < analysis->device_count; d++) {
		struct device *device = &analysis->devices[d];

		if (triage->default_phase == PHASE_ALL && assign_by_id(analysis, device, &all))
			return TAV_FAILED;
		if (triage->rules->phases == PHASES_BY_NEARNESS ? assign_by_nearness(analysis, device, &all)
		                                                : assign_by_clocks(analysis, device, &all))
			return TAV_FAILED;
	}
	return TAV_OK;
}
