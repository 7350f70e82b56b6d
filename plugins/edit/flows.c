/* SPDX-License-Identifier: Apache-2.0 */
/* Flows, as viewers draw them: an arrow is bound to the interval of its thread around it. */
#include <stdlib.h>
#include <string.h>

#include "edit.h"

struct sorting { /* of rows; qsort has no user pointer in C11, qsort_r has */
	const struct looked *looked;
	const uint32_t *id;
};

static int flow_by_thread(const void *left, const void *right, void *user)
{
	const struct looked *looked = user;
	tav_row a = ((const struct flow *)left)->row, b = ((const struct flow *)right)->row;
	int order = compare_threads(looked, a, b);

	if (order)
		return order;
	if (looked->start[a] != looked->start[b])
		return looked->start[a] < looked->start[b] ? -1 : 1;
	return a < b ? -1 : a > b;
}

static int flow_by_row(const void *left, const void *right)
{
	tav_row a = ((const struct flow *)left)->row, b = ((const struct flow *)right)->row;

	return a < b ? -1 : a > b;
}

static int is_flow(char phase)
{
	return phase == 's' || phase == 't' || phase == 'f';
}

/* The intervals that are open at the time of a flow; ended ones go when they are met. */
struct open_rows {
	tav_row *rows;
	uint64_t count;
};

static void forget_ended(const struct looked *looked, struct open_rows *open, int64_t at)
{
	uint64_t kept = 0;

	for (uint64_t i = 0; i < open->count; i++) {
		tav_row row = open->rows[i];

		if (looked->end[row] > at || (looked->end[row] == at && looked->start[row] == at))
			open->rows[kept++] = row;
	}
	open->count = kept;
}

struct binding {
	const struct looked *looked;
	const uint32_t *id, *bp, *correlation;
	const tav_row *intervals;
	uint64_t interval_count;
	uint32_t enclosing; /* value id of "e"; TAV_NONE: nobody writes it */
	struct open_rows open;
};

/* An f without "bp": "e" points to what comes next. */
static tav_row next_interval(const struct binding *binding, uint64_t at, uint64_t last, int64_t time)
{
	while (at < last && binding->looked->start[binding->intervals[at]] < time)
		at++;
	return at < last ? binding->intervals[at] : TAV_NONE;
}

static tav_row enclosing_interval(const struct binding *binding, tav_row flow)
{
	const struct looked *looked = binding->looked;

	for (uint64_t i = binding->open.count; i-- > 0;) {
		tav_row row = binding->open.rows[i];

		if (looked->start[row] == looked->start[flow] && binding->id[flow] &&
		    binding->correlation[row] == binding->id[flow])
			return row;
	}
	return binding->open.count ? binding->open.rows[binding->open.count - 1] : TAV_NONE;
}

/* The flows of one thread, by time, over its intervals first .. last. */
static void bind_thread(struct binding *binding, struct flow *flows, uint64_t count, uint64_t first, uint64_t last)
{
	const struct looked *looked = binding->looked;
	uint64_t at = first, next = first;

	binding->open.count = 0;
	for (uint64_t i = 0; i < count; i++) {
		tav_row flow = flows[i].row;
		int64_t time = looked->start[flow];

		for (; at < last && looked->start[binding->intervals[at]] <= time; at++)
			binding->open.rows[binding->open.count++] = binding->intervals[at];
		forget_ended(looked, &binding->open, time);
		while (next < last && looked->start[binding->intervals[next]] < time)
			next++;
		flows[i].on = looked->phase[flow] == 'f' && (binding->enclosing == TAV_NONE ||
		                                             binding->bp[flow] != binding->enclosing)
		                      ? next_interval(binding, next, last, time)
		                      : enclosing_interval(binding, flow);
	}
}

tav_status flows_find(const struct looked *looked, const struct flow_fields *fields, struct flows *flows)
{
	struct tav_self *self = looked->self;
	const struct tav_host *host = looked->host;
	uint64_t flow_count = 0, interval_count;

	for (tav_row row = 0; row < looked->rows; row++)
		flow_count += is_flow(looked->phase[row]);
	*flows = (struct flows){host->alloc(self, (flow_count + 1) * sizeof(*flows->items)), 0};
	if (!flows->items || !flow_count)
		return flows->items ? TAV_OK : TAV_FAILED;
	tav_row *intervals = intervals_by_thread(looked, &interval_count);
	if (!intervals)
		return TAV_FAILED;
	struct binding binding = {.looked = looked, .intervals = intervals};
	binding.open.rows = host->alloc(self, (interval_count + 1) * sizeof(*binding.open.rows));
	binding.id = host->column(self, 0, TAV_COL_FIELDS + fields->id);
	binding.bp = host->column(self, 0, TAV_COL_FIELDS + fields->bp);
	binding.correlation = host->column(self, 0, TAV_COL_FIELDS + fields->correlation);
	binding.enclosing = host->find_value(self, 0, (struct tav_text){"e", 1});
	if (!binding.open.rows || !binding.id || !binding.bp || !binding.correlation)
		return TAV_FAILED;
	for (tav_row row = 0; row < looked->rows; row++) {
		if (is_flow(looked->phase[row]))
			flows->items[flows->count++] = (struct flow){row, TAV_NONE};
	}
	qsort_r(flows->items, flows->count, sizeof(*flows->items), flow_by_thread, (void *)(uintptr_t)looked);
	uint64_t first = 0;
	for (uint64_t i = 0; i < flows->count;) {
		uint64_t end = i, last;

		while (end < flows->count && !compare_threads(looked, flows->items[end].row, flows->items[i].row))
			end++;
		while (first < interval_count && compare_threads(looked, intervals[first], flows->items[i].row) < 0)
			first++;
		for (last = first;
		     last < interval_count && !compare_threads(looked, intervals[last], flows->items[i].row);)
			last++;
		bind_thread(&binding, flows->items + i, end - i, first, last);
		first = last;
		i = end;
	}
	qsort(flows->items, flows->count, sizeof(*flows->items), flow_by_row);
	return TAV_OK;
}

static int by_flow(const void *left, const void *right, void *user)
{
	const struct sorting *sorting = user;
	tav_row a = *(const tav_row *)left, b = *(const tav_row *)right;

	if (sorting->looked->label[a] != sorting->looked->label[b])
		return sorting->looked->label[a] < sorting->looked->label[b] ? -1 : 1;
	if (sorting->id[a] != sorting->id[b])
		return sorting->id[a] < sorting->id[b] ? -1 : 1;
	return a < b ? -1 : a > b;
}

tav_status flows_close(const struct looked *looked, const struct flow_fields *fields, const struct flows *flows,
                       uint64_t *drops, uint64_t *closed)
{
	struct tav_self *self = looked->self;
	struct sorting sorting = {looked, looked->host->column(self, 0, TAV_COL_FIELDS + fields->id)};
	tav_row *rows = looked->host->alloc(self, (flows->count + 1) * sizeof(*rows));

	*closed = 0;
	if (!rows || !sorting.id)
		return TAV_FAILED;
	for (uint64_t i = 0; i < flows->count; i++)
		rows[i] = flows->items[i].row;
	qsort_r(rows, flows->count, sizeof(*rows), by_flow, &sorting);
	for (uint64_t i = 0, end; i < flows->count; i = end) {
		int has_start = 0, has_end = 0, has_lost = 0;

		for (end = i; end < flows->count && looked->label[rows[end]] == looked->label[rows[i]] &&
		              sorting.id[rows[end]] == sorting.id[rows[i]];
		     end++) {
			int is_gone = bit_of(drops, rows[end]);

			has_lost |= is_gone;
			has_start |= !is_gone && looked->phase[rows[end]] == 's';
			has_end |= !is_gone && looked->phase[rows[end]] == 'f';
		}
		for (uint64_t j = i; j < end && has_lost && !(has_start && has_end); j++) {
			*closed += !bit_of(drops, rows[j]);
			set_bit(drops, rows[j]);
		}
	}
	return TAV_OK;
}
