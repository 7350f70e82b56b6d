/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Partial and nested pairs. How many earlier events an event overlaps follows from the sorted starts: each earlier one
 * covers a range of later places, which a difference array adds up. The partner is the running highest end. Whether one
 * of the pairs is partial is told by the lowest end that is still open: a heap, as deep as the nesting.
 */
#include <stdlib.h>

#include <overlap/cluster.h>

static int64_t subtract_clamped(int64_t a, int64_t b) /* b >= 0 */
{
	int64_t difference;

	return __builtin_sub_overflow(a, b, &difference) ? INT64_MIN : difference;
}

/* The first place from `from` on whose start is at least `limit`; near ones are found fast. */
static uint32_t first_start_from(const struct sweep *sweep, uint32_t from, int64_t limit)
{
	uint32_t low = from, step = 1;

	while (low < sweep->count && start_of(sweep, low) < limit) {
		from = low + 1;
		low = step < sweep->count - low ? low + step : sweep->count;
		step = step > UINT32_MAX / 2 ? step : step * 2;
	}
	uint32_t high = low; /* the answer lies in [from, high] */
	while (from < high) {
		uint32_t middle = from + (high - from) / 2;
		if (start_of(sweep, middle) < limit)
			from = middle + 1;
		else
			high = middle;
	}
	return from;
}

static bool heap_push(struct sweep *sweep, int64_t end)
{
	if (sweep->heap_size == sweep->heap_capacity) {
		size_t capacity = sweep->heap_capacity ? sweep->heap_capacity * 2 : 64;
		int64_t *grown = realloc(sweep->heap, capacity * sizeof(*grown));
		if (!grown) {
			sweep->is_out_of_memory = true;
			return false;
		}
		sweep->heap = grown;
		sweep->heap_capacity = capacity;
	}
	size_t at = sweep->heap_size++;
	for (; at && sweep->heap[(at - 1) / 2] > end; at = (at - 1) / 2)
		sweep->heap[at] = sweep->heap[(at - 1) / 2];
	sweep->heap[at] = end;
	return true;
}

static void heap_pop(struct sweep *sweep)
{
	int64_t *heap = sweep->heap;
	size_t size = --sweep->heap_size, at = 0;
	int64_t moved = heap[size];

	for (;;) {
		size_t child = 2 * at + 1;
		if (child + 1 < size && heap[child + 1] < heap[child])
			child++;
		if (child >= size || heap[child] >= moved)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moved;
}

/*
 * Differences whose running sum is, at each place, the number of earlier events that overlap an event there: in
 * `longs` one that is longer than the tolerance, in `points` one of no length.
 */
static void count_covers(const struct sweep *sweep, uint32_t *longs, uint32_t *points)
{
	for (uint32_t place = 0; place < sweep->count; place++) {
		if (!is_longer_than_tolerance(sweep, place))
			continue;
		uint32_t next = place + 1;
		int64_t limit = subtract_clamped(end_of(sweep, place), sweep->tolerance);
		uint32_t behind = first_start_from(sweep, next, limit);
		if (behind == next)
			continue;
		longs[next]++;
		longs[behind]--;
		if (!points)
			continue;
		int64_t inside = add_clamped(start_of(sweep, place), sweep->tolerance);
		uint32_t first = inside == INT64_MAX ? sweep->count : first_start_from(sweep, next, inside + 1);
		if (first < behind) {
			points[first]++;
			points[behind]--;
		}
	}
}

static bool has_points(const struct sweep *sweep)
{
	for (uint32_t place = 0; place < sweep->count; place++) {
		if (start_of(sweep, place) == end_of(sweep, place))
			return true;
	}
	return false;
}

static void take_higher(const struct sweep *sweep, int64_t *best, uint32_t place)
{
	if (*best == NOBODY || end_of(sweep, place) > end_of(sweep, (uint32_t)*best))
		*best = place;
}

tav_status cluster_strict(struct sweep *sweep)
{
	bool with_points = has_points(sweep);
	size_t size = (size_t)sweep->count + 1;
	uint32_t *longs = cluster_scratch(sweep, with_points ? 2 * size : size);

	if (!longs)
		return TAV_FAILED;
	uint32_t *points = with_points ? longs + size : NULL;
	count_covers(sweep, longs, points);

	uint32_t long_count = 0, point_count = 0; /* running sums */
	int64_t best = NOBODY;                    /* the rest's highest end */
	int64_t point_best = NOBODY;              /* the same of those that start more than the tolerance before */
	uint32_t point_next = 0;
	sweep->heap_size = 0;
	for (uint32_t place = 1; place < sweep->count; place++) {
		int64_t start = start_of(sweep, place), end = end_of(sweep, place);
		int64_t open = add_clamped(start, sweep->tolerance); /* an earlier end must lie above */
		uint32_t last = place - 1;
		struct verdict found = {.partner = NOBODY};

		long_count += longs[place];
		if (points)
			point_count += points[place];
		if (start == end) {
			for (; point_next < last && add_clamped(start_of(sweep, point_next), sweep->tolerance) < start;
			     point_next++)
				take_higher(sweep, &point_best, point_next);
			found.overlaps_last = add_clamped(start_of(sweep, last), sweep->tolerance) < start &&
			                      end_of(sweep, last) > open;
			found.count = point_count - found.overlaps_last;
			found.partner = found.count ? point_best : NOBODY;
		} else if (is_longer_than_tolerance(sweep, place)) {
			while (sweep->heap_size && sweep->heap[0] <= open)
				heap_pop(sweep);
			found.overlaps_last = end_of(sweep, last) > open;
			found.is_partial_to_last = found.overlaps_last && end_of(sweep, last) < end;
			found.count = long_count - found.overlaps_last;
			found.partner = found.count ? best : NOBODY;
			found.is_partial = sweep->heap_size && sweep->heap[0] < end;
		}
		tav_status status = cluster_settle(sweep, place, &found);
		if (status)
			return status;
		take_higher(sweep, &best, last);
		if (is_longer_than_tolerance(sweep, last) && end_of(sweep, last) > open &&
		    !heap_push(sweep, end_of(sweep, last)))
			return TAV_FAILED;
	}
	return TAV_OK;
}
