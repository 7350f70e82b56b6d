/* SPDX-License-Identifier: Apache-2.0 */
#include "longest.h"

#include <stdlib.h>
#include <string.h>

/* Negative: a comes before b, that is, it is longer. */
static int compare_rows(const struct view *view, tav_row a, tav_row b)
{
	uint64_t a_duration = view_duration(view, a), b_duration = view_duration(view, b);

	if (a_duration != b_duration)
		return a_duration > b_duration ? -1 : 1;
	if (view->start[a] != view->start[b])
		return view->start[a] < view->start[b] ? -1 : 1;
	if (view->label[a] != view->label[b]) {
		struct tav_text a_category, b_category;
		struct tav_text a_name = view->self->host->label(view->self, view->label[a], &a_category);
		struct tav_text b_name = view->self->host->label(view->self, view->label[b], &b_category);
		int order = tav_text_compare(a_name, b_name);

		if (!order)
			order = tav_text_compare(a_category, b_category);
		if (order)
			return order;
	}
	return (a > b) - (a < b);
}

/* A heap with the least of the kept ones on top. */
static void sink_row(const struct view *view, tav_row *heap, uint64_t count, uint64_t at)
{
	for (;;) {
		uint64_t child = 2 * at + 1;
		tav_row row = heap[at];

		if (child >= count)
			return;
		if (child + 1 < count && compare_rows(view, heap[child + 1], heap[child]) > 0)
			child++;
		if (compare_rows(view, heap[child], row) <= 0)
			return;
		heap[at] = heap[child];
		heap[child] = row;
		at = child;
	}
}

tav_status longest_find(const struct view *view, uint64_t top, struct longest *out)
{
	uint64_t rows = view->about->row_count, room = top && top < rows ? top : rows, count = 0;
	tav_row *heap = malloc((room + 1) * sizeof(*heap));

	*out = (struct longest){.rows = heap};
	if (!heap)
		return tav_fail(view->self, "out of memory: the %llu longest events", (unsigned long long)room);
	for (tav_row row = 0; row < rows; row++) {
		if (!(row & 0xffff) && view->self->host->cancelled(view->self))
			return TAV_CANCELLED;
		if (!view_has(view, view->scope, row))
			continue;
		out->in_scope++;
		if (count < room) {
			heap[count++] = row;
			for (uint64_t i = count == room ? room / 2 : 0; i-- > 0;)
				sink_row(view, heap, count, i);
		} else if (compare_rows(view, row, heap[0]) < 0) {
			heap[0] = row;
			sink_row(view, heap, count, 0);
		}
	}
	if (count < room) /* fewer than asked for: not a heap yet */
		for (uint64_t i = count / 2; i-- > 0;)
			sink_row(view, heap, count, i);
	for (uint64_t left = count; left > 1; left--) {
		tav_row least = heap[0];

		heap[0] = heap[left - 1];
		heap[left - 1] = least;
		sink_row(view, heap, left - 1, 0);
	}
	out->count = count;
	return TAV_OK;
}

void longest_free(struct longest *longest)
{
	free(longest->rows);
	*longest = (struct longest){0};
}
