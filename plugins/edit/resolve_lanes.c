/* SPDX-License-Identifier: Apache-2.0 */
/* Walking the lanes: which events conflict, and what the first policy that can do it does. */
#include <stdlib.h>
#include <string.h>

#include "resolve.h"

/* The events of a lane that have not ended, as a heap by their end: the one that ends first on top. */
struct open_lane {
	tav_row *rows;
	uint64_t count, capacity;
};
struct walk {
	const struct looked *looked;
	const struct resolve_options *options;
	struct resolved *resolved;
	struct open_lane lanes[MOST_LANES + 1]; /* 0: the lane itself, then its followers */
	uint32_t lane_used;                     /* followers that have been used */
};

static int64_t start_of(const struct walk *walk, tav_row row)
{
	return walk->resolved->start ? walk->resolved->start[row] : walk->looked->start[row];
}

static int64_t end_of(const struct walk *walk, tav_row row)
{
	return walk->resolved->end ? walk->resolved->end[row] : walk->looked->end[row];
}

/* Times can differ from now on: copies of the columns, made when the first one does. */
static tav_status own_times(struct walk *walk)
{
	const struct looked *looked = walk->looked;
	struct resolved *resolved = walk->resolved;
	size_t bytes = (size_t)looked->rows * sizeof(int64_t);

	if (resolved->start)
		return TAV_OK;
	int64_t *start = looked->host->alloc(looked->self, bytes), *end = looked->host->alloc(looked->self, bytes);
	resolved->changed_time = make_bits(looked);
	if (!start || !end || !resolved->changed_time)
		return TAV_FAILED;
	memcpy(start, looked->start, bytes);
	memcpy(end, looked->end, bytes);
	resolved->start = start;
	resolved->end = end;
	return TAV_OK;
}

static void sift_down(const struct walk *walk, struct open_lane *lane, uint64_t at)
{
	for (;;) {
		uint64_t least = at;

		for (uint64_t child = 2 * at + 1; child <= 2 * at + 2 && child < lane->count; child++) {
			if (end_of(walk, lane->rows[child]) < end_of(walk, lane->rows[least]))
				least = child;
		}
		if (least == at)
			return;
		tav_row row = lane->rows[at];
		lane->rows[at] = lane->rows[least];
		lane->rows[least] = row;
		at = least;
	}
}

static tav_status push(const struct walk *walk, struct open_lane *lane, tav_row row)
{
	if (lane->count == lane->capacity) {
		uint64_t capacity = lane->capacity ? lane->capacity * 2 : 64;
		tav_row *rows = walk->looked->host->alloc(walk->looked->self, capacity * sizeof(*rows));

		if (!rows)
			return TAV_FAILED;
		if (lane->count)
			memcpy(rows, lane->rows, lane->count * sizeof(*rows));
		lane->rows = rows;
		lane->capacity = capacity;
	}
	uint64_t at = lane->count++;
	lane->rows[at] = row;
	while (at && end_of(walk, lane->rows[(at - 1) / 2]) > end_of(walk, row)) {
		lane->rows[at] = lane->rows[(at - 1) / 2];
		at = (at - 1) / 2;
		lane->rows[at] = row;
	}
	return TAV_OK;
}

static void forget_ended(const struct walk *walk, struct open_lane *lane, int64_t time)
{
	while (lane->count && end_of(walk, lane->rows[0]) <= time) {
		lane->rows[0] = lane->rows[--lane->count];
		sift_down(walk, lane, 0);
	}
}

/* Does an open event conflict with one of [start, end)? */
static int conflicts_with(const struct walk *walk, tav_row open, int64_t start, int64_t end)
{
	int64_t open_start = start_of(walk, open), open_end = end_of(walk, open);

	if (!walk->options->strict)
		return start < open_end && open_end < end;
	if (start == end)
		return open_start < start && start < open_end;
	return open_end > start && open_end > open_start;
}

/* One that conflicts; TAV_NONE: none. `after`: those that end by then are taken for ended. */
static tav_row find_conflict(const struct walk *walk, const struct open_lane *lane, int64_t start, int64_t end,
                             int64_t after)
{
	/* All on the heap end after `start`, so that for most the first to end tells. */
	if (!lane->count)
		return TAV_NONE;
	if (!walk->options->strict && after == start)
		return conflicts_with(walk, lane->rows[0], start, end) ? lane->rows[0] : TAV_NONE;
	for (uint64_t i = 0; i < lane->count; i++) {
		if (end_of(walk, lane->rows[i]) > after && conflicts_with(walk, lane->rows[i], start, end))
			return lane->rows[i];
	}
	return TAV_NONE;
}

static tav_status note(struct walk *walk, struct done done)
{
	struct resolved *resolved = walk->resolved;

	if (resolved->count == resolved->capacity) {
		uint64_t capacity = resolved->capacity ? resolved->capacity * 2 : 256;
		struct done *items = walk->looked->host->alloc(walk->looked->self, capacity * sizeof(*items));

		if (!items)
			return TAV_FAILED;
		if (resolved->count)
			memcpy(items, resolved->items, resolved->count * sizeof(*items));
		resolved->items = items;
		resolved->capacity = capacity;
	}
	resolved->items[resolved->count++] = done;
	return TAV_OK;
}

/* Policies: 1 it did it, 0 it cannot, -1 a failure whose cause is set. */
static int move_lane(struct walk *walk, tav_row row, tav_row partner)
{
	int64_t start = start_of(walk, row), end = end_of(walk, row);

	for (uint32_t lane = 1; lane <= walk->options->max_lanes; lane++) {
		struct open_lane *open = &walk->lanes[lane];

		if (lane > walk->lane_used) {
			walk->lane_used = lane;
			open->count = 0;
		}
		forget_ended(walk, open, start);
		if (find_conflict(walk, open, start, end, start) != TAV_NONE)
			continue;
		if (push(walk, open, row) || note(walk, (struct done){row, partner, DONE_MOVED, lane, 0}))
			return -1;
		return 1;
	}
	return 0;
}

static int shift_start(struct walk *walk, tav_row row, tav_row partner)
{
	const struct open_lane *lane = &walk->lanes[0];
	int64_t start = start_of(walk, row), end = end_of(walk, row), to = start, by;

	for (uint64_t i = 0; i < lane->count; i++) {
		if (conflicts_with(walk, lane->rows[i], start, end) && end_of(walk, lane->rows[i]) > to)
			to = end_of(walk, lane->rows[i]);
	}
	if (walk->looked->phase[row] != 'X' || to >= end || __builtin_sub_overflow(to, start, &by) ||
	    by > walk->options->max_shift || find_conflict(walk, lane, to, end, to) != TAV_NONE)
		return 0;
	if (own_times(walk))
		return -1;
	walk->resolved->start[row] = to;
	set_bit(walk->resolved->changed_time, row);
	walk->resolved->shift_ns = tav_sum(walk->resolved->shift_ns, by);
	if (push(walk, &walk->lanes[0], row) || note(walk, (struct done){row, partner, DONE_SHIFTED, 0, by}))
		return -1;
	return 1;
}

static int cut_earlier(struct walk *walk, tav_row row, tav_row partner)
{
	struct open_lane *lane = &walk->lanes[0];
	int64_t start = start_of(walk, row), end = end_of(walk, row), cut = 0;
	uint64_t kept = 0;

	for (uint64_t i = 0; i < lane->count; i++) {
		tav_row open = lane->rows[i];

		if (conflicts_with(walk, open, start, end) &&
		    (start_of(walk, open) >= start || walk->looked->phase[open] != 'X'))
			return 0;
	}
	if (own_times(walk))
		return -1;
	for (uint64_t i = 0; i < lane->count; i++) {
		tav_row open = lane->rows[i];

		if (!conflicts_with(walk, open, start, end)) {
			lane->rows[kept++] = open;
			continue;
		}
		cut = tav_sum(cut, end_of(walk, open) - start);
		walk->resolved->cut_count += walk->resolved->end[open] == walk->looked->end[open];
		walk->resolved->end[open] = start;
		set_bit(walk->resolved->changed_time, open);
	}
	lane->count = kept;
	for (uint64_t i = kept / 2 + 1; i-- > 0;)
		sift_down(walk, lane, i);
	walk->resolved->cut_ns = tav_sum(walk->resolved->cut_ns, cut);
	if (push(walk, lane, row) || note(walk, (struct done){row, partner, DONE_CUT, 0, cut}))
		return -1;
	return 1;
}

static int apply(struct walk *walk, unsigned policy, tav_row row, tav_row partner)
{
	switch (policy) {
	case POLICY_TID:
		return move_lane(walk, row, partner);
	case POLICY_ASYNC:
		if (walk->looked->phase[row] != 'X')
			return 0;
		return note(walk, (struct done){row, partner, DONE_ASYNC, 0, 0}) ? -1 : 1;
	case POLICY_DROP:
		return note(walk, (struct done){row, partner, DONE_DROPPED, 0, 0}) ? -1 : 1;
	case POLICY_SHIFT:
		return shift_start(walk, row, partner);
	case POLICY_CUT:
		return cut_earlier(walk, row, partner);
	default:
		return 0;
	}
}

static tav_status walk_lane(struct walk *walk, const tav_row *rows, uint64_t count)
{
	const struct resolve_options *options = walk->options;

	walk->lanes[0].count = 0;
	walk->lane_used = 0;
	walk->resolved->lane_count++;
	walk->resolved->event_count += count;
	for (uint64_t i = 0; i < count; i++) {
		tav_row row = rows[i];
		int is_done = 0;

		if (i % 65536 == 0 && walk->looked->host->cancelled(walk->looked->self))
			return TAV_CANCELLED;
		forget_ended(walk, &walk->lanes[0], walk->looked->start[row]);
		tav_row partner = find_conflict(walk, &walk->lanes[0], walk->looked->start[row], walk->looked->end[row],
		                                walk->looked->start[row]);
		if (partner == TAV_NONE) {
			if (push(walk, &walk->lanes[0], row))
				return TAV_FAILED;
			continue;
		}
		walk->resolved->conflict_count++;
		for (unsigned j = 0; j < options->policy_count && !is_done; j++)
			is_done = apply(walk, options->policies[j], row, partner);
		if (is_done < 0)
			return TAV_FAILED;
		if (!is_done &&
		    (push(walk, &walk->lanes[0], row) || note(walk, (struct done){row, partner, DONE_LEFT, 0, 0})))
			return TAV_FAILED;
	}
	return TAV_OK;
}

/* What a viewer draws as one row: all intervals of a thread, of host and device. */
static tav_status walk_threads(struct walk *walk)
{
	const struct looked *looked = walk->looked;
	uint64_t count;
	tav_row *rows = intervals_by_thread(looked, &count);

	if (!rows)
		return TAV_FAILED;
	for (uint64_t first = 0, end; first < count; first = end) {
		for (end = first; end < count && looked->pid[rows[end]] == looked->pid[rows[first]] &&
		                  looked->tid[rows[end]] == looked->tid[rows[first]];)
			end++;
		tav_status status = walk_lane(walk, rows + first, end - first);
		if (status)
			return status;
	}
	return TAV_OK;
}

/* What overlap-verify judges: the device events of each serial track. */
static tav_status walk_tracks(struct walk *walk)
{
	const struct looked *looked = walk->looked;
	const struct tav_order *order;
	tav_status status = looked->host->order(looked->self, 0, TAV_TRAIT_DEVICE, &order);

	for (uint32_t track = 0; !status && track < order->track_count; track++) {
		uint64_t count = order->first[track + 1] - order->first[track];

		if (count && looked->host->track(looked->self, 0, track)->flags & TAV_TRACK_SERIAL)
			status = walk_lane(walk, order->rows + order->first[track], count);
	}
	return status;
}

tav_status resolve_walk(const struct looked *looked, const struct resolve_options *options, struct resolved *resolved)
{
	struct walk *walk = looked->host->alloc(looked->self, sizeof(*walk));

	if (!walk)
		return TAV_FAILED;
	walk->looked = looked;
	walk->options = options;
	walk->resolved = resolved;
	return options->by_track ? walk_tracks(walk) : walk_threads(walk);
}
