/* SPDX-License-Identifier: Apache-2.0 */
/* Medians, unions, and device events in the order of their starts. */
#include "trust.h"

static int compare_times(const void *a, const void *b)
{
	int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

	return left < right ? -1 : left > right;
}

static int64_t middle_of(int64_t a, int64_t b, int64_t c)
{
	if (a > b)
		return a < c ? a : b > c ? b : c;
	return b < c ? b : a > c ? a : c;
}

int64_t select_nth(int64_t *values, uint64_t count, uint64_t nth)
{
	uint64_t low = 0, high = count; /* it lies in [low, high) */

	for (unsigned rounds = 0; high - low > 16; rounds++) {
		int64_t pivot = middle_of(values[low], values[low + (high - low) / 2], values[high - 1]);
		uint64_t less = low, at = low, more = high;

		if (rounds > 64) /* an order that keeps splitting badly */
			break;
		while (at < more) {
			int64_t value = values[at];

			if (value < pivot) {
				values[at++] = values[less];
				values[less++] = value;
			} else if (value > pivot) {
				values[at] = values[--more];
				values[more] = value;
			} else {
				at++;
			}
		}
		if (nth >= less && nth < more)
			return pivot;
		if (nth < less)
			high = less;
		else
			low = more;
	}
	qsort(values + low, high - low, sizeof(*values), compare_times);
	return values[nth];
}

int64_t lower_median(int64_t *values, uint64_t count)
{
	return select_nth(values, count, (count - 1) / 2);
}

static int compare_spans(const void *a, const void *b)
{
	const struct span *left = a, *right = b;

	return left->from < right->from ? -1 : left->from > right->from;
}

int64_t union_of(struct span *spans, uint64_t count)
{
	int64_t sum = 0, reached = INT64_MIN;

	qsort(spans, count, sizeof(*spans), compare_spans);
	for (uint64_t i = 0; i < count; i++) {
		int64_t from = spans[i].from > reached ? spans[i].from : reached;

		if (spans[i].to <= from)
			continue;
		sum = tav_sum(sum, spans[i].to - from);
		reached = spans[i].to;
	}
	return sum;
}

static bool is_before(const struct walk *walk, uint32_t a, uint32_t b)
{
	tav_row left = walk->order->rows[walk->at[a]], right = walk->order->rows[walk->at[b]];
	const int64_t *start = walk->trust->start;

	return start[left] != start[right] ? start[left] < start[right] : left < right;
}

static void sink(struct walk *walk, uint32_t i)
{
	for (;;) {
		uint32_t child = 2 * i + 1, track = walk->heap[i];

		if (child >= walk->size)
			return;
		if (child + 1 < walk->size && is_before(walk, walk->heap[child + 1], walk->heap[child]))
			child++;
		if (!is_before(walk, walk->heap[child], track))
			return;
		walk->heap[i] = walk->heap[child];
		walk->heap[child] = track;
		i = child;
	}
}

tav_status walk_start(struct walk *walk, struct trust *trust)
{
	uint32_t tracks;

	*walk = (struct walk){.trust = trust, .order = trust_tracks(trust)};
	if (!walk->order)
		return TAV_FAILED;
	tracks = walk->order->track_count;
	walk->at = trust->host->alloc(trust->self, ((size_t)tracks + 1) * sizeof(*walk->at));
	walk->heap = trust->host->alloc(trust->self, ((size_t)tracks + 1) * sizeof(*walk->heap));
	if (!walk->at || !walk->heap)
		return TAV_FAILED;
	for (uint32_t track = 0; track < tracks; track++) {
		walk->at[track] = walk->order->first[track];
		if (walk->at[track] < walk->order->first[track + 1])
			walk->heap[walk->size++] = track;
	}
	for (uint32_t i = walk->size / 2; i-- > 0;)
		sink(walk, i);
	return TAV_OK;
}

tav_row walk_next(struct walk *walk)
{
	uint32_t track;
	tav_row row;

	if (!walk->size)
		return TAV_NONE;
	track = walk->heap[0];
	row = walk->order->rows[walk->at[track]++];
	if (walk->at[track] == walk->order->first[track + 1])
		walk->heap[0] = walk->heap[--walk->size];
	sink(walk, 0);
	return row;
}
