/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Section 9: what ran beside what. Time is cut at each start and end (ends first); in a slice only the number of
 * streams, the number of compute kernels by stream, and the best two partners on different streams are needed. What a
 * single kernel gets follows from sums that run along: it is their growth between its start and its end. So the cost
 * is O(n log n) in the kernels, whatever their depth.
 */
#include "triage.h"

enum { NOBODY = 0 }; /* of kernels by number + 1 */

struct heap { /* the kernels of one stream, best first; those that ended leave when they come to the top */
	uint32_t *items;
	size_t count, capacity;
};
struct sums {                 /* up to now */
	int64_t single;       /* time with exactly one stream */
	int64_t compute;      /* time with compute somewhere */
	int64_t only_compute; /* of a stream: time with compute on this stream alone */
};
struct lane {                            /* the active kernels of one aggregate on one stream */
	uint32_t active, next, previous; /* in the list of its stream; number + 1 */
};
struct stream {
	uint32_t active, compute;
	uint32_t first_lane;
	int64_t only_compute;
	struct heap heap;
};

struct sweep {
	struct analysis *analysis;
	struct device *device;
	const struct category *categories;
	struct pool *pool;
	bool with_partners; /* else totals only */
	/* by stream, by lane, by kernel */
	struct stream *streams;
	struct lane *lanes;
	struct sums *at_start; /* in slots, see slot_of */
	uint32_t *slot_of, *free_slots;
	size_t slot_count, free_count, slot_capacity, free_capacity;
	uint32_t *previous, *next; /* active kernels of one aggregate by age; only where ties need it */
	uint32_t *tree;            /* best kernel + 1 of each subtree of streams; leaves from tree_size on */
	size_t tree_size;
	uint32_t *active_aggregates;
	size_t active_aggregate_count;
	/* now */
	struct sums sums;
	uint32_t active_streams, compute_streams, communication;
	uint64_t compute_stream_sum; /* of the numbers of streams with compute: of a single one it is the number */
	struct totals *totals;
};

/* ---- The best partner ---------------------------------------------------------------------------------- */

static const struct kernel *kernel_at(const struct sweep *sweep, uint32_t number)
{
	return &sweep->device->kernels[number - 1];
}

/* Highest rank, then longest, then the one that started first. */
static bool is_better(const struct sweep *sweep, uint32_t a, uint32_t b)
{
	const struct kernel *x = kernel_at(sweep, a), *y = kernel_at(sweep, b);
	uint32_t rank_x = sweep->categories[x->category].rank, rank_y = sweep->categories[y->category].rank;

	if (rank_x != rank_y)
		return rank_x > rank_y;
	if (kernel_time(x) != kernel_time(y))
		return kernel_time(x) > kernel_time(y);
	if (x->start != y->start)
		return x->start < y->start;
	return a < b;
}

static uint32_t better(const struct sweep *sweep, uint32_t a, uint32_t b)
{
	if (a == NOBODY || b == NOBODY)
		return a == NOBODY ? b : a;
	return is_better(sweep, a, b) ? a : b;
}

static bool heap_push(struct sweep *sweep, struct heap *heap, uint32_t kernel)
{
	size_t place = heap->count;

	if (!pool_grow(sweep->pool, (void **)&heap->items, &heap->capacity, heap->count, sizeof(*heap->items)))
		return false;
	heap->count++;
	while (place && is_better(sweep, kernel, heap->items[(place - 1) / 2])) {
		heap->items[place] = heap->items[(place - 1) / 2];
		place = (place - 1) / 2;
	}
	heap->items[place] = kernel;
	return true;
}

static void heap_pop(struct sweep *sweep, struct heap *heap)
{
	uint32_t last = heap->items[--heap->count];
	size_t place = 0;

	for (;;) {
		size_t child = place * 2 + 1;

		if (child >= heap->count)
			break;
		if (child + 1 < heap->count && is_better(sweep, heap->items[child + 1], heap->items[child]))
			child++;
		if (!is_better(sweep, heap->items[child], last))
			break;
		heap->items[place] = heap->items[child];
		place = child;
	}
	if (heap->count)
		heap->items[place] = last;
}

static void tree_set(struct sweep *sweep, uint32_t stream, uint32_t kernel)
{
	size_t node = sweep->tree_size + stream;

	sweep->tree[node] = kernel;
	for (node /= 2; node; node /= 2)
		sweep->tree[node] = better(sweep, sweep->tree[node * 2], sweep->tree[node * 2 + 1]);
}

/* The best kernel outside a stream. */
static uint32_t best_outside(const struct sweep *sweep, uint32_t stream)
{
	uint32_t best = NOBODY;

	for (size_t node = sweep->tree_size + stream; node > 1; node /= 2)
		best = better(sweep, best, sweep->tree[node ^ 1]);
	return best;
}

/* ---- Partners ------------------------------------------------------------------------------------------ */

/* `best` stood beside an aggregate; the reference also wants to know of the lowest kernel that had it, and when. */
static bool add_partner(struct sweep *sweep, uint32_t aggregate, uint32_t best, int64_t time)
{
	struct aggregate *owner = &sweep->device->aggregates[aggregate];

	return partners_add(&sweep->device->partners, aggregate, kernel_at(sweep, best)->name, time, &owner->last_pair);
}

static void note_first(struct sweep *sweep, uint32_t kernel, uint32_t best, int64_t now)
{
	const struct kernel *here = kernel_at(sweep, kernel);
	struct aggregate *owner = &sweep->device->aggregates[here->aggregate];

	if (add_partner(sweep, here->aggregate, best, 0))
		partners_note_first(&sweep->device->partners, owner->last_pair, kernel - 1, now);
}

static bool share_out(struct sweep *sweep, int64_t from, int64_t time)
{
	struct device *device = sweep->device;
	uint32_t best = sweep->tree[1], best_stream = kernel_at(sweep, best)->stream;
	uint32_t second = best_outside(sweep, best_stream);

	for (uint32_t lane = sweep->streams[best_stream].first_lane; lane; lane = sweep->lanes[lane - 1].next)
		device->aggregates[device->lane_aggregates[lane - 1]].on_best_stream += sweep->lanes[lane - 1].active;
	for (size_t i = 0; i < sweep->active_aggregate_count; i++) {
		struct aggregate *aggregate = &device->aggregates[sweep->active_aggregates[i]];
		uint32_t here = aggregate->on_best_stream, elsewhere = aggregate->active - here;

		aggregate->on_best_stream = 0;
		if (elsewhere && !add_partner(sweep, sweep->active_aggregates[i], best, time * elsewhere))
			return false;
		if (here && !add_partner(sweep, sweep->active_aggregates[i], second, time * here))
			return false;
		if (!sweep->next)
			continue;
		for (uint32_t kernel = aggregate->active_head; kernel; kernel = sweep->next[kernel - 1])
			note_first(sweep, kernel, kernel_at(sweep, kernel)->stream == best_stream ? second : best,
			           from);
	}
	return true;
}

/* ---- A slice of time ----------------------------------------------------------------------------------- */

static bool pass(struct sweep *sweep, int64_t from, int64_t to)
{
	struct totals *totals = sweep->totals;
	int64_t time = to - from;

	if (!sweep->active_streams || time <= 0)
		return true;
	totals->busy += time;
	if (sweep->active_streams > totals->max_streams)
		totals->max_streams = sweep->active_streams;
	if (sweep->active_streams == 1)
		sweep->sums.single += time;
	else
		totals->overlap += time;
	if (sweep->compute_streams)
		sweep->sums.compute += time;
	if (sweep->compute_streams == 1)
		sweep->streams[sweep->compute_stream_sum].only_compute += time;
	if (sweep->communication) {
		totals->communication += time;
		if (!sweep->compute_streams)
			totals->exposed_communication += time;
	}
	return sweep->active_streams < 2 || !sweep->active_aggregate_count || share_out(sweep, from, time);
}

/* ---- Starts and ends ----------------------------------------------------------------------------------- */

static bool take_slot(struct sweep *sweep, uint32_t kernel)
{
	const struct stream *stream = &sweep->streams[kernel_at(sweep, kernel)->stream];
	uint32_t slot;

	if (sweep->free_count) {
		slot = sweep->free_slots[--sweep->free_count];
	} else {
		if (!pool_grow(sweep->pool, (void **)&sweep->at_start, &sweep->slot_capacity, sweep->slot_count,
		               sizeof(*sweep->at_start)))
			return false;
		slot = (uint32_t)sweep->slot_count++;
	}
	sweep->at_start[slot] = sweep->sums;
	sweep->at_start[slot].only_compute = stream->only_compute;
	sweep->slot_of[kernel - 1] = slot;
	return true;
}

static void lane_enter(struct sweep *sweep, uint32_t number, struct stream *stream)
{
	struct lane *lane = &sweep->lanes[number];

	if (lane->active++)
		return;
	lane->previous = 0;
	lane->next = stream->first_lane;
	if (lane->next)
		sweep->lanes[lane->next - 1].previous = number + 1;
	stream->first_lane = number + 1;
}

static void lane_leave(struct sweep *sweep, uint32_t number, struct stream *stream)
{
	struct lane *lane = &sweep->lanes[number];

	if (--lane->active)
		return;
	if (lane->next)
		sweep->lanes[lane->next - 1].previous = lane->previous;
	if (lane->previous)
		sweep->lanes[lane->previous - 1].next = lane->next;
	else
		stream->first_lane = lane->next;
}

static void aggregate_enter(struct sweep *sweep, uint32_t kernel, uint32_t *tails)
{
	uint32_t number = kernel_at(sweep, kernel)->aggregate;
	struct aggregate *aggregate = &sweep->device->aggregates[number];

	if (!aggregate->active++) {
		aggregate->active_place = (uint32_t)sweep->active_aggregate_count;
		sweep->active_aggregates[sweep->active_aggregate_count++] = number;
		aggregate->active_head = 0;
	}
	if (!sweep->next)
		return;
	/* At the end of the list, so that it stays in the order of age. */
	sweep->next[kernel - 1] = 0;
	sweep->previous[kernel - 1] = aggregate->active_head ? tails[number] : 0;
	if (aggregate->active_head)
		sweep->next[tails[number] - 1] = kernel;
	else
		aggregate->active_head = kernel;
	tails[number] = kernel;
}

static void aggregate_leave(struct sweep *sweep, uint32_t kernel, uint32_t *tails)
{
	uint32_t number = kernel_at(sweep, kernel)->aggregate;
	struct aggregate *aggregate = &sweep->device->aggregates[number];

	if (sweep->next) {
		uint32_t before = sweep->previous[kernel - 1], after = sweep->next[kernel - 1];

		if (before)
			sweep->next[before - 1] = after;
		else
			aggregate->active_head = after;
		if (after)
			sweep->previous[after - 1] = before;
		else
			tails[number] = before;
	}
	if (!--aggregate->active) {
		uint32_t moved = sweep->active_aggregates[--sweep->active_aggregate_count];

		sweep->active_aggregates[aggregate->active_place] = moved;
		sweep->device->aggregates[moved].active_place = aggregate->active_place;
	}
}

static bool enter(struct sweep *sweep, uint32_t kernel, uint32_t *tails)
{
	const struct kernel *here = kernel_at(sweep, kernel);
	struct stream *stream = &sweep->streams[here->stream];

	if (!stream->active++)
		sweep->active_streams++;
	if (here->work == TAV_KIND_COMPUTE && !stream->compute++) {
		sweep->compute_streams++;
		sweep->compute_stream_sum += here->stream;
	}
	sweep->communication += here->work == TAV_KIND_COMMUNICATION;
	sweep->totals->kernels++;
	sweep->totals->kernel_time += kernel_time(here);
	if (!sweep->with_partners)
		return true;
	if (!take_slot(sweep, kernel) || !heap_push(sweep, &stream->heap, kernel))
		return false;
	if (stream->heap.items[0] == kernel)
		tree_set(sweep, here->stream, kernel);
	if (sweep->device->aggregates[here->aggregate].is_shown) {
		lane_enter(sweep, here->lane, stream);
		aggregate_enter(sweep, kernel, tails);
	}
	return true;
}

static bool leave(struct sweep *sweep, uint32_t kernel, uint32_t *tails)
{
	const struct kernel *here = kernel_at(sweep, kernel);
	struct stream *stream = &sweep->streams[here->stream];
	struct aggregate *aggregate = &sweep->device->aggregates[here->aggregate];
	const struct sums *start;
	int64_t exclusive;

	if (!--stream->active)
		sweep->active_streams--;
	if (here->work == TAV_KIND_COMPUTE && !--stream->compute) {
		sweep->compute_streams--;
		sweep->compute_stream_sum -= here->stream;
	}
	sweep->communication -= here->work == TAV_KIND_COMMUNICATION;
	if (!sweep->with_partners)
		return true;

	start = &sweep->at_start[sweep->slot_of[kernel - 1]];
	exclusive = sweep->sums.single - start->single;
	aggregate->exclusive += exclusive;
	aggregate->hidden += kernel_time(here) - exclusive;
	aggregate->by_compute += sweep->sums.compute - start->compute - (stream->only_compute - start->only_compute);
	if (!pool_grow(sweep->pool, (void **)&sweep->free_slots, &sweep->free_capacity, sweep->free_count,
	               sizeof(*sweep->free_slots)))
		return false;
	sweep->free_slots[sweep->free_count++] = sweep->slot_of[kernel - 1];

	if (stream->heap.count && stream->heap.items[0] == kernel) {
		do
			heap_pop(sweep, &stream->heap);
		while (stream->heap.count && kernel_at(sweep, stream->heap.items[0])->end <= here->end);
		tree_set(sweep, here->stream, stream->heap.count ? stream->heap.items[0] : NOBODY);
	}
	if (aggregate->is_shown) {
		lane_leave(sweep, here->lane, stream);
		aggregate_leave(sweep, kernel, tails);
	}
	return true;
}

/* ---- The walk ------------------------------------------------------------------------------------------ */

/* Kernels by start and by end. */
static bool run(struct sweep *sweep, const uint32_t *starts, const uint32_t *ends, size_t count)
{
	const struct kernel *kernels = sweep->device->kernels;
	size_t started = 0, ended = 0;
	uint32_t *tails = sweep->next ? POOL_NEW(sweep->pool, uint32_t, sweep->device->aggregate_count) : NULL;
	int64_t now = count ? kernels[starts[0]].start : 0;

	if (sweep->next && !tails)
		return false;
	sweep->totals->first = now;
	while (ended < count) {
		int64_t end = kernels[ends[ended]].end, time = end;
		bool is_start = false;

		if (started < count && kernels[starts[started]].start < end) {
			time = kernels[starts[started]].start;
			is_start = true;
		}
		if (!pass(sweep, now, time))
			return false;
		now = time;
		if (is_start ? !enter(sweep, starts[started++] + 1, tails) : !leave(sweep, ends[ended++] + 1, tails))
			return false;
	}
	sweep->totals->last = now;
	sweep->totals->compute = sweep->sums.compute;
	return true;
}

static bool open_sweep(struct sweep *sweep)
{
	const struct device *device = sweep->device;
	bool by_kernel = sweep->analysis->triage->is_reference;

	sweep->streams = POOL_NEW(sweep->pool, struct stream, device->stream_count);
	if (!sweep->streams)
		return false;
	if (!sweep->with_partners)
		return true;
	for (sweep->tree_size = 1; sweep->tree_size < device->stream_count;)
		sweep->tree_size *= 2;
	sweep->tree = POOL_NEW(sweep->pool, uint32_t, sweep->tree_size * 2);
	sweep->lanes = POOL_NEW(sweep->pool, struct lane, device->lane_count);
	sweep->slot_of = POOL_NEW(sweep->pool, uint32_t, device->count);
	sweep->active_aggregates = POOL_NEW(sweep->pool, uint32_t, device->aggregate_count);
	if (by_kernel) {
		sweep->next = POOL_NEW(sweep->pool, uint32_t, device->count);
		sweep->previous = POOL_NEW(sweep->pool, uint32_t, device->count);
		if (!sweep->next || !sweep->previous)
			return false;
	}
	return sweep->tree && sweep->lanes && sweep->slot_of && sweep->active_aggregates;
}

tav_status sweep_some(struct analysis *analysis, struct device *device, const uint32_t *starts, const uint32_t *ends,
                      size_t count, bool with_partners, struct totals *totals)
{
	struct pool scratch = {0};
	struct sweep sweep = {.analysis = analysis,
	                      .device = device,
	                      .categories = analysis->triage->categories.items,
	                      .pool = &scratch,
	                      .with_partners = with_partners,
	                      .totals = totals};
	bool is_done;

	*totals = (struct totals){0};
	is_done = open_sweep(&sweep) && run(&sweep, starts, ends, count);
	pool_free(&scratch);
	return is_done ? TAV_OK : no_memory(analysis->triage);
}
