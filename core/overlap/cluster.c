/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each event of the cluster against the earlier ones. Its direct predecessor is looked at by itself, since that pair
 * alone may be allowed; "the rest" are those before the predecessor.
 *
 * Strict: how many earlier events an event overlaps follows from the sorted starts (each earlier one covers a range of
 * later positions: a difference array); the partner is the running highest end; whether one of the pairs is partial is
 * told by the lowest end still open (a heap, as deep as the nesting). Partial pairs only: ends in a range must be
 * counted, so the ends are ranked and counted in a Fenwick tree.
 */
#include <stdlib.h>
#include <string.h>

#include <overlap/cluster.h>

enum { NOBODY = -1 };

static int64_t add_clamped(int64_t a, int64_t b) /* b >= 0 */
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static int64_t subtract_clamped(int64_t a, int64_t b) /* b >= 0 */
{
	int64_t difference;

	return __builtin_sub_overflow(a, b, &difference) ? INT64_MIN : difference;
}

static int64_t start_of(const struct sweep *sweep, uint32_t place)
{
	return sweep->start_ns[sweep->rows[place]];
}

static int64_t end_of(const struct sweep *sweep, uint32_t place)
{
	return sweep->end_ns[sweep->rows[place]];
}

/* Unsigned, since an event may be longer than int64_t can say. */
static bool is_longer_than_tolerance(const struct sweep *sweep, uint32_t place)
{
	return (uint64_t)end_of(sweep, place) - (uint64_t)start_of(sweep, place) > (uint64_t)sweep->tolerance;
}

static uint32_t *scratch_of(struct sweep *sweep, size_t count)
{
	if (count > sweep->scratch_capacity) {
		free(sweep->scratch);
		sweep->scratch_capacity = count < 256 ? 256 : count;
		sweep->scratch = malloc(sweep->scratch_capacity * sizeof(*sweep->scratch));
		if (!sweep->scratch) {
			sweep->scratch_capacity = 0;
			sweep->is_out_of_memory = true;
			return NULL;
		}
	}
	memset(sweep->scratch, 0, count * sizeof(*sweep->scratch));
	return sweep->scratch;
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

struct verdict {            /* of one event */
	int64_t partner;    /* place in the cluster, or NOBODY */
	uint64_t count;     /* of the rest that it overlaps */
	bool is_partial;    /* to one of the rest */
	bool overlaps_last; /* its direct predecessor */
	bool is_partial_to_last;
};

static tav_status settle(struct sweep *sweep, uint32_t place, struct verdict *found)
{
	tav_row later = sweep->rows[place];

	if (found->overlaps_last) {
		const struct tav_overlap_rules *rules = sweep->rules;
		if (rules->is_allowed && rules->is_allowed(rules->user, sweep->rows[place - 1], later)) {
			sweep->totals->allowed_count++;
		} else {
			if (found->partner == NOBODY ||
			    end_of(sweep, place - 1) > end_of(sweep, (uint32_t)found->partner))
				found->partner = place - 1;
			found->count++;
			found->is_partial |= found->is_partial_to_last;
		}
	}
	if (!found->count)
		return TAV_OK;
	sweep->totals->offending_count++;
	sweep->totals->partial_count += found->is_partial;
	sweep->totals->pair_count += found->count;
	if (!sweep->hit)
		return TAV_OK;
	tav_row earlier = sweep->rows[found->partner];
	int64_t start = sweep->start_ns[later], end = sweep->end_ns[later], partner_end = sweep->end_ns[earlier];
	uint64_t shared = (uint64_t)(end < partner_end ? end : partner_end) - (uint64_t)start;
	return sweep->hit(sweep->user, &(struct tav_overlap_hit){
	                                       .struct_size = sizeof(struct tav_overlap_hit),
	                                       .track = sweep->track,
	                                       .later = later,
	                                       .earlier = earlier,
	                                       .overlap_ns = shared > INT64_MAX ? INT64_MAX : (int64_t)shared,
	                                       .is_partial = found->is_partial,
	                                       .is_duplicate = start == sweep->start_ns[earlier] && end == partner_end,
	                                       .partner_count = found->count,
	                               });
}

/* ---- Strict ------------------------------------------------------------------------------------------------- */

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
	uint32_t *longs = scratch_of(sweep, with_points ? 2 * size : size);

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
		tav_status status = settle(sweep, place, &found);
		if (status)
			return status;
		take_higher(sweep, &best, last);
		if (is_longer_than_tolerance(sweep, last) && end_of(sweep, last) > open &&
		    !heap_push(sweep, end_of(sweep, last)))
			return TAV_FAILED;
	}
	return TAV_OK;
}

/* ---- Partial pairs only ------------------------------------------------------------------------------------- */

/* Places by end; of one end the latest place first, so that the earliest of a tie ranks highest. */
static int compare_ends(const void *a, const void *b, void *user)
{
	const struct sweep *sweep = user;
	uint32_t place_a = *(const uint32_t *)a, place_b = *(const uint32_t *)b;
	int64_t end_a = end_of(sweep, place_a), end_b = end_of(sweep, place_b);

	if (end_a != end_b)
		return end_a < end_b ? -1 : 1;
	return place_a > place_b ? -1 : 1;
}

/* How many of the ranked ends lie below `limit`. */
static uint32_t ends_below(const struct sweep *sweep, const uint32_t *by_end, int64_t limit)
{
	uint32_t low = 0, high = sweep->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (end_of(sweep, by_end[middle]) < limit)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void tree_add(uint32_t *tree, uint32_t size, uint32_t rank)
{
	for (uint64_t at = (uint64_t)rank + 1; at <= size; at += at & -at)
		tree[at]++;
}

static uint32_t tree_sum(const uint32_t *tree, uint32_t rank) /* of the ranks below `rank` */
{
	uint32_t sum = 0;

	for (uint32_t at = rank; at; at &= at - 1)
		sum += tree[at];
	return sum;
}

static uint32_t tree_find(const uint32_t *tree, uint32_t size, uint32_t nth) /* rank of the nth, from 1 */
{
	uint64_t at = 0, step = 1;

	while (step * 2 <= size)
		step *= 2;
	for (; step; step /= 2) {
		if (at + step <= size && tree[at + step] < nth) {
			at += step;
			nth -= tree[at];
		}
	}
	return (uint32_t)at;
}

tav_status cluster_partial(struct sweep *sweep)
{
	uint32_t count = sweep->count;
	uint32_t *tree = scratch_of(sweep, 3 * (size_t)count + 1);

	if (!tree)
		return TAV_FAILED;
	uint32_t *by_end = tree + count + 1, *rank_of = by_end + count;
	for (uint32_t place = 0; place < count; place++)
		by_end[place] = place;
	qsort_r(by_end, count, sizeof(*by_end), compare_ends, sweep);
	for (uint32_t rank = 0; rank < count; rank++)
		rank_of[by_end[rank]] = rank;

	for (uint32_t place = 1; place < count; place++) {
		uint32_t last = place - 1;
		int64_t end = end_of(sweep, place);
		int64_t open = add_clamped(start_of(sweep, place), sweep->tolerance);

		if (is_longer_than_tolerance(sweep, place)) { /* so open < end */
			struct verdict found = {.partner = NOBODY};
			found.overlaps_last = end_of(sweep, last) > open && end_of(sweep, last) < end;
			found.is_partial_to_last = found.overlaps_last;
			uint32_t ended = tree_sum(tree, ends_below(sweep, by_end, open + 1));
			uint32_t ended_before = tree_sum(tree, ends_below(sweep, by_end, end));
			found.count = ended_before - ended;
			found.is_partial = found.count > 0;
			if (found.count)
				found.partner = by_end[tree_find(tree, count, ended_before)];
			tav_status status = settle(sweep, place, &found);
			if (status)
				return status;
		}
		tree_add(tree, count, rank_of[last]);
	}
	return TAV_OK;
}
