/* SPDX-License-Identifier: Apache-2.0 */
/* Section 8: phases (prefill, decode), told by annotations. */
#include <stdlib.h>

#include "triage.h"

const char *const phase_names[PHASE_COUNT] = {
        [PHASE_ALL] = "all",
        [PHASE_EXTEND] = "extend",
        [PHASE_DECODE] = "decode",
        [PHASE_MIXED] = "mixed",
};

/* ---- What an annotation's name says -------------------------------------------------------------------- */

/* The number behind the word `word`; -1: there is none. */
static int64_t count_after(struct tav_text name, const char *word)
{
	struct tav_text here;

	for (size_t at = 0; next_word(name, &at, &here);) {
		struct tav_text next;
		size_t after = at;
		int64_t value = 0;

		if (!text_is_lower(here, word) || !next_word(name, &after, &next))
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

static bool has_word(struct tav_text name, const char *word)
{
	struct tav_text here;

	for (size_t at = 0; next_word(name, &at, &here);)
		if (text_is_lower(here, word))
			return true;
	return false;
}

uint8_t phase_by_word(struct tav_text name)
{
	int64_t context = count_after(name, "context"), generation = count_after(name, "generation");
	bool is_extend, is_decode;

	if (context >= 0 && generation >= 0) { /* execute_context_9(..)_generation_37(..): how many requests of each */
		is_extend = context > 0;
		is_decode = generation > 0;
	} else {
		is_extend = has_word(name, "prefill") || has_word(name, "extend");
		is_decode = has_word(name, "decode");
		if (has_word(name, "mixed") && has_word(name, "step"))
			is_extend = is_decode = true;
	}
	return is_extend && is_decode ? PHASE_MIXED : is_extend ? PHASE_EXTEND : is_decode ? PHASE_DECODE : PHASE_ALL;
}

/* ---- Annotations --------------------------------------------------------------------------------------- */

int mark_by_start(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

static bool append(struct analysis *analysis, struct marks *marks, const struct mark *mark)
{
	if (!pool_grow(&analysis->pool, (void **)&marks->items, &marks->capacity, marks->count, sizeof(*marks->items)))
		return false;
	marks->items[marks->count++] = *mark;
	return true;
}

/* Of several with one id the device's wins, then the longer one, then the first. */
static bool add_id(struct analysis *analysis, struct all_marks *all, uint64_t id, const struct mark *mark)
{
	uint32_t place = tav_map_number(&all->ids, id);
	struct mark *old;

	if (place == TAV_NONE)
		return false;
	if (place == all->by_id.count)
		return append(analysis, &all->by_id, mark);
	old = &all->by_id.items[place];
	if (mark->is_device != old->is_device
	            ? mark->is_device
	            : (uint64_t)mark->end - (uint64_t)mark->start > (uint64_t)old->end - (uint64_t)old->start)
		*old = *mark;
	return true;
}

tav_status add_mark(struct analysis *analysis, struct all_marks *all, tav_row row, uint8_t phase, bool is_device,
                    bool has_id, uint64_t id)
{
	struct mark mark = {.start = analysis->start[row],
	                    .end = analysis->end[row],
	                    .pid = analysis->pid[row],
	                    .row = row,
	                    .phase = phase,
	                    .is_device = is_device};

	if ((has_id && !add_id(analysis, all, id, &mark)) ||
	    !append(analysis, is_device ? &all->device : &all->host, &mark))
		return no_memory(analysis->triage);
	return TAV_OK;
}

static tav_status find_marks(struct analysis *analysis, struct all_marks *all)
{
	for (tav_row row = 0; row < analysis->info->row_count; row++) {
		struct label_facts *facts = &analysis->labels[analysis->label[row]];
		uint32_t id = analysis->links->operator_repeats_link ? 0 : analysis->operators[row];

		if (!(analysis->traits[row] & TAV_TRAIT_ANNOTATION) || !is_interval(analysis, row))
			continue;
		if (!facts->annotation) {
			struct tav_text category;

			facts->annotation = 1 + phase_by_word(label_of(analysis, row, &category));
		}
		if (facts->annotation - 1 != PHASE_ALL &&
		    add_mark(analysis, all, row, facts->annotation - 1,
		             (analysis->traits[row] & TAV_TRAIT_DEVICE_CLOCK) != 0, id != 0, id))
			return TAV_FAILED;
	}
	return TAV_OK;
}

/* ---- Which phase holds a moment ------------------------------------------------------------------------ */

struct segment { /* from here on, until the next one of the same process */
	int64_t from;
	uint32_t pid;
	uint8_t phase;
};
struct segments {
	struct segment *items;
	size_t count;
};

static int by_pid_start(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return mark_by_start(a, b);
}

static void begin_segment(struct segments *segments, uint32_t pid, int64_t from, uint8_t phase)
{
	segments->items[segments->count++] = (struct segment){from, pid, phase};
}

/* Closes the open marks that end up to `time`: the one around them takes over. */
static size_t close_marks(struct segments *segments, const struct mark **open, size_t depth, int64_t time)
{
	while (depth && open[depth - 1]->end <= time) {
		const struct mark *ended = open[--depth];

		while (depth && open[depth - 1]->end <= ended->end)
			depth--;
		begin_segment(segments, ended->pid, ended->end, depth ? open[depth - 1]->phase : PHASE_ALL);
	}
	return depth;
}

/* The innermost mark of a process counts. */
static tav_status make_segments(struct analysis *analysis, struct marks *marks, struct segments *segments)
{
	const struct mark **open = POOL_NEW(&analysis->pool, const struct mark *, marks->count);
	size_t depth = 0;

	*segments = (struct segments){POOL_NEW(&analysis->pool, struct segment, marks->count * 2), 0};
	if (!open || !segments->items)
		return no_memory(analysis->triage);
	if (marks->count)
		qsort(marks->items, marks->count, sizeof(*marks->items), by_pid_start);
	for (size_t i = 0; i < marks->count; i++) {
		const struct mark *mark = &marks->items[i];

		depth = close_marks(segments, open, depth,
		                    depth && open[0]->pid != mark->pid ? INT64_MAX : mark->start);
		open[depth++] = mark;
		begin_segment(segments, mark->pid, mark->start, mark->phase);
	}
	close_marks(segments, open, depth, INT64_MAX);
	return TAV_OK;
}

static uint8_t phase_at(const struct segments *segments, uint32_t pid, int64_t time)
{
	size_t low = 0, high = segments->count;

	while (low < high) { /* the first one behind it */
		size_t middle = low + (high - low) / 2;
		const struct segment *here = &segments->items[middle];

		if (here->pid < pid || (here->pid == pid && here->from <= time))
			low = middle + 1;
		else
			high = middle;
	}
	return low && segments->items[low - 1].pid == pid ? segments->items[low - 1].phase : PHASE_ALL;
}

/* ---- By the id of the operator, the device's own annotations, and the launch --------------------------- */

static uint8_t phase_by_id(const struct analysis *analysis, const struct all_marks *all, tav_row row, tav_row launch)
{
	uint32_t id = analysis->operators[row], place;

	if (analysis->links->operator_repeats_link)
		return PHASE_ALL;
	if (!id && launch != TAV_NONE)
		id = analysis->operators[launch];
	place = id ? tav_map_find_number(&all->ids, id) : TAV_NONE;
	return place == TAV_NONE ? PHASE_ALL : all->by_id.items[place].phase;
}

static tav_status improved_phases(struct analysis *analysis)
{
	struct all_marks all = {0};
	struct segments device, host;

	tav_map_init(&all.ids, analysis->triage->self);
	if (find_marks(analysis, &all))
		return TAV_FAILED;
	if (!all.device.count && !all.host.count)
		return TAV_OK;
	if (make_segments(analysis, &all.device, &device) || make_segments(analysis, &all.host, &host))
		return TAV_FAILED;
	for (size_t d = 0; d < analysis->device_count; d++) {
		for (size_t i = 0; i < analysis->devices[d].count; i++) {
			struct kernel *kernel = &analysis->devices[d].kernels[i];
			tav_row launch = launch_of(analysis, kernel->row);

			kernel->phase = phase_by_id(analysis, &all, kernel->row, launch);
			if (kernel->phase == PHASE_ALL)
				kernel->phase = phase_at(&device, analysis->devices[d].pid, kernel->start);
			if (kernel->phase == PHASE_ALL && launch != TAV_NONE)
				kernel->phase = phase_at(&host, analysis->pid[launch], analysis->start[launch]);
		}
	}
	return TAV_OK;
}

tav_status find_phases(struct analysis *analysis)
{
	uint32_t phase = analysis->triage->default_phase;

	if (phase == PHASE_ALL && analysis->device_count)
		return analysis->triage->is_reference ? reference_phases(analysis) : improved_phases(analysis);
	for (size_t d = 0; d < analysis->device_count; d++)
		for (size_t i = 0; i < analysis->devices[d].count; i++)
			analysis->devices[d].kernels[i].phase = (uint8_t)phase;
	return TAV_OK;
}
