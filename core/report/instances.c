/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <report/instances.h>
#include <report/take.h>

/* Two sets of arrays: a merge reads the one that is shown and writes the other. */
struct instance_arrays {
	struct tav_event *events;
	struct tav_column_result *measures; /* data and present point to arrays of `capacity` */
	uint64_t capacity;
};
struct instances {
	struct instance_arrays arrays[2];
	unsigned shown;
};

static size_t item_size(uint32_t type)
{
	return type == TAV_TYPE_INT    ? sizeof(int64_t)
	       : type == TAV_TYPE_REAL ? sizeof(double)
	       : type == TAV_TYPE_REF  ? sizeof(struct tav_event)
	                               : sizeof(struct tav_text);
}

/* Arrays of results belong to them, though plugins see them as const. */
static void *own(const void *data)
{
	return (void *)(uintptr_t)data;
}

static bool copy_event(struct results *results, struct tav_event *out, const struct tav_event *from)
{
	struct tav_text *texts[] = {&out->name, &out->category, &out->pid, &out->tid, &out->stream, &out->lane};

	*out = *from;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		*texts[i] = results_text(results, *texts[i]);
		if (!texts[i]->data)
			return false;
	}
	out->has_time = from->has_time != 0;
	if (!out->has_time)
		out->start_ns = out->end_ns = 0;
	return true;
}

/* One value; what was kept before is whole already. */
static bool copy_value(struct results *results, uint32_t type, void *out, const void *from, bool is_fresh)
{
	size_t size = item_size(type);

	if (is_fresh && type == TAV_TYPE_REF)
		return copy_event(results, out, from);
	memcpy(out, from, size);
	if (is_fresh && type == TAV_TYPE_STRING) {
		struct tav_text text;

		memcpy(&text, from, size);
		text = results_text(results, text);
		memcpy(out, &text, size);
		return text.data != NULL;
	}
	return true;
}

bool instances_copy_column(struct results *results, struct tav_column_result *out, const struct tav_series *from,
                           uint64_t row_count)
{
	size_t size = item_size(from->type);
	char *data = arena_array(&results->arena, row_count, size);
	uint64_t *present = NULL;

	if (!data)
		return false;
	for (uint64_t row = 0; row < row_count; row++) {
		if (bit_is_set(from->present, row)) {
			if (!copy_value(results, from->type, data + row * size, (const char *)from->data + row * size,
			                true))
				return false;
			continue; /* the others stay zero: the plugin need not have written anything there */
		}
		if (!present) {
			present = arena_array(&results->arena, row_count / 64 + 1, sizeof(*present));
			if (!present)
				return false;
			memset(present, 0xff, (row_count / 64 + 1) * sizeof(*present));
		}
		present[row / 64] &= ~(UINT64_C(1) << row % 64);
	}
	out->data = data;
	out->present = present;
	return true;
}

/* Where one of the instances to choose from lies, and what it is ranked by. */
struct candidate {
	int64_t measure;
	uint64_t source, first_row; /* of its first event; of none, zeros */
	uint64_t row;               /* in its own arrays */
	bool is_fresh, has_measure;
};

static int compare(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->has_measure != b->has_measure)
		return a->has_measure ? -1 : 1;
	if (a->measure != b->measure)
		return a->measure > b->measure ? -1 : 1;
	if (a->has_measure && a->source != b->source)
		return a->source < b->source ? -1 : 1;
	if (a->has_measure && a->first_row != b->first_row)
		return a->first_row < b->first_row ? -1 : 1;
	if (a->is_fresh != b->is_fresh) /* the last resort: the order in which they came */
		return a->is_fresh ? 1 : -1;
	return a->row < b->row ? -1 : a->row > b->row;
}

/* The measure that ranks instances: the first time. */
static uint32_t ranking(const struct tav_finding_result *finding)
{
	uint32_t i = 0;

	while (i < finding->measure_count &&
	       (finding->measures[i].type != TAV_TYPE_INT || finding->measures[i].unit != TAV_UNIT_NS))
		i++;
	return i;
}

static void rank(struct candidate *out, uint64_t count, bool is_fresh, const struct tav_event *events,
                 uint32_t events_each, const int64_t *measures, const uint64_t *present)
{
	for (uint64_t row = 0; row < count; row++) {
		out[row] = (struct candidate){.row = row, .is_fresh = is_fresh};
		if (events_each) {
			out[row].source = events[row * events_each].source;
			out[row].first_row = events[row * events_each].row;
		}
		out[row].has_measure = measures && bit_is_set(present, row);
		if (out[row].has_measure)
			out[row].measure = measures[row];
	}
}

static bool reserve(struct results *results, const struct result_finding *finding, struct instance_arrays *arrays,
                    uint64_t count)
{
	uint32_t measure_count = finding->shown.measure_count;
	uint64_t capacity = arrays->capacity ? arrays->capacity * 2 : count;

	if (count <= arrays->capacity)
		return true;
	if (capacity < count)
		capacity = count;
	size_t each = finding->shown.events_each * sizeof(struct tav_event);
	struct tav_event *events = arena_array(&results->arena, capacity, each);
	struct tav_column_result *measures = arena_array(&results->arena, measure_count, sizeof(*measures));
	if (!events || !measures)
		return false;
	for (uint32_t i = 0; i < measure_count; i++) {
		measures[i] = finding->shown.measures[i];
		measures[i].data = arena_array(&results->arena, capacity, item_size(measures[i].type));
		measures[i].present = arena_array(&results->arena, capacity / 64 + 1, sizeof(uint64_t));
		if (!measures[i].data || !measures[i].present)
			return false;
	}
	*arrays = (struct instance_arrays){events, measures, capacity};
	return true;
}

static bool fill_measure(struct results *results, struct tav_column_result *out, const struct tav_column_result *kept,
                         const struct tav_series *fresh, const struct candidate *chosen, uint64_t count)
{
	size_t size = item_size(out->type);
	char *data = own(out->data);
	uint64_t *present = own(out->present);

	memset(present, 0, (count / 64 + 1) * sizeof(*present));
	for (uint64_t i = 0; i < count; i++) {
		bool is_fresh = chosen[i].is_fresh;
		const char *from = is_fresh ? fresh->data : kept->data;

		if (!bit_is_set(is_fresh ? fresh->present : kept->present, chosen[i].row)) {
			memset(data + i * size, 0, size);
			continue;
		}
		if (!copy_value(results, out->type, data + i * size, from + chosen[i].row * size, is_fresh))
			return false;
		present[i / 64] |= UINT64_C(1) << i % 64;
	}
	return true;
}

static bool fill(struct results *results, const struct result_finding *kept, const struct tav_finding *fresh,
                 const struct candidate *chosen, uint64_t count, struct instance_arrays *out)
{
	uint32_t each = kept->shown.events_each;

	for (uint32_t i = 0; i < kept->shown.measure_count; i++) {
		struct tav_series from = take_series_at(&fresh->measures, i);

		if (!fill_measure(results, &out->measures[i], &kept->shown.measures[i], &from, chosen, count))
			return false;
	}
	for (uint64_t i = 0; i < count; i++) {
		const struct tav_event *from = chosen[i].is_fresh ? fresh->events : kept->shown.events;

		for (uint32_t j = 0; j < each; j++) {
			const struct tav_event *event = &from[chosen[i].row * each + j];

			if (!chosen[i].is_fresh)
				out->events[i * each + j] = *event;
			else if (!copy_event(results, &out->events[i * each + j], event))
				return false;
		}
	}
	return true;
}

/* The two runs of candidates, each in its order, as one; `count` of it. */
static void merge(const struct candidate *a, uint64_t a_count, const struct candidate *b, uint64_t b_count,
                  struct candidate *out, uint64_t count)
{
	for (uint64_t i = 0, j = 0, k = 0; k < count; k++)
		out[k] = j == b_count || (i < a_count && compare(&a[i], &b[j]) < 0) ? a[i++] : b[j++];
}

bool instances_merge(struct results *results, struct result_finding *kept, const struct tav_finding *fresh)
{
	struct tav_finding_result *shown = &kept->shown;
	uint64_t old = shown->instance_count, total = old + fresh->instance_count;
	uint64_t count = total < kept->max_instances ? total : kept->max_instances;
	uint32_t by = ranking(shown);
	size_t bytes;

	if (!fresh->instance_count)
		return true;
	if (!kept->instances && !(kept->instances = arena_alloc(&results->arena, sizeof(*kept->instances))))
		return false;
	struct instance_arrays *next = &kept->instances->arrays[!kept->instances->shown];
	if (__builtin_add_overflow(total, count, &total) ||
	    __builtin_mul_overflow(total, sizeof(struct candidate), &bytes) || !reserve(results, kept, next, count))
		return false;
	struct candidate *candidates = malloc(bytes ? bytes : 1);
	if (!candidates)
		return false;
	struct candidate *added = candidates + old, *chosen = added + fresh->instance_count;
	struct tav_series measure =
	        by < shown->measure_count ? take_series_at(&fresh->measures, by) : (struct tav_series){0};
	rank(added, fresh->instance_count, true, fresh->events, shown->events_each, measure.data, measure.present);
	/* The stage hands over the most telling first, so one batch keeps its order; several must be brought together.
	 */
	if (old) {
		rank(candidates, old, false, shown->events, shown->events_each,
		     by < shown->measure_count ? shown->measures[by].data : NULL,
		     by < shown->measure_count ? shown->measures[by].present : NULL);
		if (!kept->is_ordered)
			qsort(candidates, old, sizeof(*candidates), compare);
		qsort(added, fresh->instance_count, sizeof(*added), compare);
	}
	merge(candidates, old, added, fresh->instance_count, chosen, count);
	bool is_changed = false;
	for (uint64_t i = 0; i < count && !is_changed; i++)
		is_changed = chosen[i].is_fresh || chosen[i].row != i;
	bool is_done = !is_changed || fill(results, kept, fresh, chosen, count, next);
	free(candidates);
	if (!is_done)
		return false;
	kept->is_ordered = old > 0;
	if (is_changed) {
		kept->instances->shown = !kept->instances->shown;
		shown->events = next->events;
		shown->measures = next->measures;
		shown->instance_count = count;
	}
	return true;
}
