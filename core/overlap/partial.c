/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Partial pairs only: those with an earlier end in a range, which must be counted. A few open ends are kept sorted;
 * where there are more, all ends of the cluster are ranked, and counted in a Fenwick tree.
 */
#include <stdlib.h>
#include <string.h>

#include <overlap/cluster.h>

static struct verdict compare_with_last(const struct sweep *sweep, uint32_t place, int64_t open)
{
	int64_t last_end = end_of(sweep, place - 1);
	bool is_partial = last_end > open && last_end < end_of(sweep, place);

	return (struct verdict){.partner = NOBODY, .overlaps_last = is_partial, .is_partial_to_last = is_partial};
}

/* ---- Many open ends ----------------------------------------------------------------------------------------- */

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

/* From `place` on; those before are counted first. */
static tav_status run_ranked(struct sweep *sweep, uint32_t place)
{
	uint32_t count = sweep->count;
	uint32_t *tree = cluster_scratch(sweep, 3 * (size_t)count + 1);

	if (!tree)
		return TAV_FAILED;
	uint32_t *by_end = tree + count + 1, *rank_of = by_end + count;
	for (uint32_t i = 0; i < count; i++)
		by_end[i] = i;
	qsort_r(by_end, count, sizeof(*by_end), compare_ends, sweep);
	for (uint32_t rank = 0; rank < count; rank++)
		rank_of[by_end[rank]] = rank;
	for (uint32_t i = 0; i + 1 < place; i++)
		tree_add(tree, count, rank_of[i]);

	for (; place < count; place++) {
		int64_t end = end_of(sweep, place);
		int64_t open = add_clamped(start_of(sweep, place), sweep->tolerance);

		if (is_longer_than_tolerance(sweep, place)) { /* so open < end */
			struct verdict found = compare_with_last(sweep, place, open);
			uint32_t ended = tree_sum(tree, ends_below(sweep, by_end, open + 1));
			uint32_t ended_before = tree_sum(tree, ends_below(sweep, by_end, end));
			found.count = ended_before - ended;
			found.is_partial = found.count > 0;
			if (found.count)
				found.partner = by_end[tree_find(tree, count, ended_before)];
			tav_status status = cluster_settle(sweep, place, &found);
			if (status)
				return status;
		}
		tree_add(tree, count, rank_of[place - 1]);
	}
	return TAV_OK;
}

/* ---- A few open ends ---------------------------------------------------------------------------------------- */

enum { OPEN_MOST = 256 };
struct open_ends { /* places of the rest that may still overlap, sorted as compare_ends() does */
	uint32_t first, end;
	uint32_t places[2 * OPEN_MOST];
};

static uint32_t open_below(const struct sweep *sweep, const struct open_ends *open, int64_t limit)
{
	uint32_t low = open->first, high = open->end;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (end_of(sweep, open->places[middle]) < limit)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool open_add(const struct sweep *sweep, struct open_ends *open, uint32_t place) /* false: too many */
{
	if (open->end - open->first == OPEN_MOST)
		return false;
	if (open->end == 2 * OPEN_MOST) {
		memmove(open->places, open->places + open->first, (open->end - open->first) * sizeof(*open->places));
		open->end -= open->first;
		open->first = 0;
	}
	uint32_t at = open_below(sweep, open, end_of(sweep, place));
	memmove(open->places + at + 1, open->places + at, (open->end - at) * sizeof(*open->places));
	open->places[at] = place;
	open->end++;
	return true;
}

tav_status cluster_partial(struct sweep *sweep)
{
	struct open_ends ends = {0, 0, {0}};

	for (uint32_t place = 1; place < sweep->count; place++) {
		uint32_t last = place - 1;
		int64_t open = add_clamped(start_of(sweep, place), sweep->tolerance);

		while (ends.first < ends.end && end_of(sweep, ends.places[ends.first]) <= open)
			ends.first++;
		if (is_longer_than_tolerance(sweep, place)) {
			struct verdict found = compare_with_last(sweep, place, open);
			uint32_t below = open_below(sweep, &ends, end_of(sweep, place));
			found.count = below - ends.first;
			found.is_partial = found.count > 0;
			if (found.count)
				found.partner = ends.places[below - 1];
			tav_status status = cluster_settle(sweep, place, &found);
			if (status)
				return status;
		}
		if (end_of(sweep, last) > open && !open_add(sweep, &ends, last))
			return run_ranked(sweep, place + 1);
	}
	return TAV_OK;
}
