/* SPDX-License-Identifier: Apache-2.0 */
#include "longest.h"

#include <stdlib.h>

static int compare_numbers(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* Negative: a comes before b, that is, it is longer. */
static int compare_rows(const struct view *view, tav_row a, tav_row b)
{
	uint64_t a_duration = view_duration(view, a), b_duration = view_duration(view, b);

	if (a_duration != b_duration)
		return a_duration > b_duration ? -1 : 1;
	if (view->start[a] != view->start[b])
		return compare_numbers(view->start[a], view->start[b]);
	if (view->label[a] != view->label[b]) {
		struct tav_text a_category, b_category;
		struct tav_text a_name = view->self->host->label(view->self, 0, view->label[a], &a_category);
		struct tav_text b_name = view->self->host->label(view->self, 0, view->label[b], &b_category);
		int order = tav_text_compare(a_name, b_name);

		if (!order)
			order = tav_text_compare(a_category, b_category);
		if (order)
			return order;
	}
	return compare_numbers(a, b);
}

/* What qsort() does not pass on is put beside the row. */
struct item {
	const struct view *view;
	tav_row row;
};

static int compare_items(const void *left, const void *right)
{
	const struct item *a = left, *b = right;

	return compare_rows(a->view, a->row, b->row);
}

tav_status longest_find(const struct view *view, struct longest *out)
{
	const struct tav_host *host = view->self->host;
	size_t labels = (size_t)host->label_count(view->self, 0) + 1;
	tav_row *best = host->alloc(view->self, labels * sizeof(*best)); /* by label; row + 1 */
	struct item *items = host->alloc(view->self, labels * sizeof(*items));
	uint64_t count = 0;

	*out = (struct longest){.rows = best};
	if (!best || !items)
		return TAV_FAILED;
	for (tav_row row = 0; row < view->about->row_count; row++) {
		tav_row *kept = &best[view->label[row]];

		if (!(row & 0xffff) && host->cancelled(view->self))
			return TAV_CANCELLED;
		if (view_has(view, view->scope, row) && (!*kept || compare_rows(view, row, *kept - 1) < 0))
			*kept = row + 1;
	}
	for (size_t label = 0; label < labels; label++)
		if (best[label])
			items[count++] = (struct item){view, best[label] - 1};
	qsort(items, count, sizeof(*items), compare_items);
	for (uint64_t i = 0; i < count; i++)
		out->rows[i] = items[i].row;
	out->count = count;
	return TAV_OK;
}
