/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <report/merge.h>

struct tav_series series_at(const struct tav_series_list *list, uint32_t i)
{
	const char *item = (const char *)list->items + (size_t)i * list->item_size;
	struct tav_series series = {0};

	memcpy(&series, item, list->item_size < sizeof(series) ? list->item_size : sizeof(series));
	return series;
}

static size_t item_size(uint32_t type)
{
	return type == TAV_TYPE_INT    ? sizeof(int64_t)
	       : type == TAV_TYPE_REAL ? sizeof(double)
	                               : sizeof(struct tav_text);
}

/* Where one of the instances to choose from lies, and what it is ranked by. */
struct candidate {
	int64_t measure;
	struct tav_ref first; /* its first event; of none, zeros */
	uint64_t row;         /* in its own arrays */
	bool is_fresh, has_measure;
	uint64_t rank; /* in the order in which they came: the last resort */
};

static int compare(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->has_measure != b->has_measure)
		return a->has_measure ? -1 : 1;
	if (a->measure != b->measure)
		return a->measure > b->measure ? -1 : 1;
	if (a->has_measure && a->first.source != b->first.source)
		return a->first.source < b->first.source ? -1 : 1;
	if (a->has_measure && a->first.row != b->first.row)
		return a->first.row < b->first.row ? -1 : 1;
	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* The chosen rows of one series, in their order, as a new series. */
static bool choose_series(struct arena *arena, struct report_series *out, const struct report_series *kept,
                          const struct tav_series *fresh, const struct candidate *chosen, uint64_t count)
{
	size_t size = item_size(fresh->type);
	char *data = arena_array(arena, count, size);

	*out = *kept;
	out->data = data;
	out->present = NULL;
	if (!data)
		return false;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t row = chosen[i].row;
		const uint64_t *present = chosen[i].is_fresh ? fresh->present : kept->present;

		if (!bit_is_set(present, row)) {
			if (!out->present) {
				out->present = arena_array(arena, count / 64 + 1, sizeof(uint64_t));
				if (!out->present)
					return false;
				memset(out->present, 0xff, (count / 64 + 1) * sizeof(uint64_t));
			}
			out->present[i / 64] &= ~(UINT64_C(1) << i % 64);
			continue; /* stays zero: the plugin need not have written anything there */
		}
		const char *from = chosen[i].is_fresh ? fresh->data : kept->data;
		memcpy(data + i * size, from + row * size, size);
		if (chosen[i].is_fresh && fresh->type == TAV_TYPE_STRING) {
			struct tav_text text;

			memcpy(&text, from + row * size, size);
			if (!text.data)
				text.size = 0;
			text = arena_text(arena, text);
			if (!text.data)
				return false;
			memcpy(data + i * size, &text, size);
		}
	}
	return true;
}

static void add_candidates(struct candidate *candidates, uint64_t first, uint64_t count, bool is_fresh,
                           const struct tav_ref *refs, uint32_t refs_each, const int64_t *measures,
                           const uint64_t *present)
{
	for (uint64_t row = 0; row < count; row++) {
		struct candidate *candidate = &candidates[first + row];

		*candidate = (struct candidate){.row = row, .is_fresh = is_fresh, .rank = first + row};
		if (refs_each)
			candidate->first = refs[row * refs_each];
		candidate->has_measure = measures && bit_is_set(present, row);
		if (candidate->has_measure)
			candidate->measure = measures[row];
	}
}

bool merge_instances(struct arena *arena, struct report_finding *kept, const struct tav_finding *fresh)
{
	uint64_t old_count = kept->instance_count, total = old_count + fresh->instance_count;
	uint64_t count = total < kept->max_instances ? total : kept->max_instances;
	uint32_t length = kept->series_count, by = 0;

	if (!fresh->instance_count)
		return true;
	while (by < length && (kept->series[by].type != TAV_TYPE_INT || kept->series[by].unit != TAV_UNIT_NS))
		by++;
	struct candidate *candidates =
	        total <= SIZE_MAX / sizeof(*candidates) ? malloc(total * sizeof(*candidates)) : NULL;
	if (!candidates)
		return false;
	struct tav_series measure = by < length ? series_at(&fresh->measures, by) : (struct tav_series){0};
	add_candidates(candidates, 0, old_count, false, kept->refs, kept->refs_each,
	               by < length ? kept->series[by].data : NULL, by < length ? kept->series[by].present : NULL);
	add_candidates(candidates, old_count, fresh->instance_count, true, fresh->refs, fresh->refs_each, measure.data,
	               measure.present);
	/* The stage hands over the most telling first, so one batch keeps its order; several must be brought together.
	 */
	if (old_count)
		qsort(candidates, total, sizeof(*candidates), compare);
	bool is_changed = false;
	for (uint64_t i = 0; i < count; i++)
		is_changed |= candidates[i].is_fresh || candidates[i].row != i;
	if (!is_changed) { /* nothing of this batch is worth keeping */
		free(candidates);
		return true;
	}
	struct tav_ref *refs = arena_array(arena, count, kept->refs_each * sizeof(*refs));
	struct report_series *series = arena_array(arena, length, sizeof(*series));
	bool is_done = refs && series;
	for (uint32_t i = 0; is_done && i < length; i++) {
		struct tav_series from = series_at(&fresh->measures, i);

		is_done = choose_series(arena, &series[i], &kept->series[i], &from, candidates, count);
	}
	for (uint64_t i = 0; is_done && i < count; i++) {
		const struct tav_ref *from = candidates[i].is_fresh ? fresh->refs : kept->refs;

		if (kept->refs_each)
			memcpy(refs + i * kept->refs_each, from + candidates[i].row * kept->refs_each,
			       kept->refs_each * sizeof(*refs));
	}
	free(candidates);
	if (!is_done)
		return false;
	kept->refs = refs;
	kept->series = series;
	kept->instance_count = count;
	return true;
}

bool merge_rows(struct arena *arena, struct report_series *series, const struct tav_series_list *columns,
                uint64_t count)
{
	struct candidate *all = count < SIZE_MAX / sizeof(*all) ? malloc((count + 1) * sizeof(*all)) : NULL;
	bool is_done = all != NULL;

	if (!all)
		return false;
	add_candidates(all, 0, count, true, NULL, 0, NULL, NULL);
	for (uint32_t i = 0; is_done && i < columns->count; i++) {
		struct tav_series from = series_at(columns, i);
		struct report_series head = series[i];

		is_done = choose_series(arena, &series[i], &head, &from, all, count);
	}
	free(all);
	return is_done;
}
