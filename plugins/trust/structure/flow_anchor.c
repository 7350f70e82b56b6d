/* SPDX-License-Identifier: Apache-2.0 */
#include "structure.h"

/* A place of a flow that must lie on an event of its thread. */
struct point {
	uint32_t thread;
	tav_row row;
	int64_t time;
};
struct points {
	struct point *items;
	uint64_t count;
	uint64_t *first; /* by thread */
	uint32_t *next;  /* the next one that nothing covers, itself where nothing covers it */
	struct tav_map threads;
};

static int compare(const void *a, const void *b)
{
	const struct point *left = a, *right = b;

	if (left->thread != right->thread)
		return left->thread < right->thread ? -1 : 1;
	if (left->time != right->time)
		return left->time < right->time ? -1 : 1;
	return left->row < right->row ? -1 : left->row > right->row;
}

static uint64_t thread_key(const struct trust *trust, tav_row row)
{
	return (uint64_t)trust->pid[row] << 32 | trust->tid[row];
}

static tav_status take_points(struct trust *trust, struct points *points)
{
	const struct structure_facts *facts = facts_of(trust);
	const struct tav_host *host = trust->host;
	const uint32_t *bp = field_of(trust, FIELD_BP);
	uint32_t enclosing = host->find_value(trust->self, 0, tav_text_of("e")), thread = 0;

	points->items = host->alloc(trust->self, facts->flow_count * sizeof(*points->items));
	points->next = host->alloc(trust->self, (facts->flow_count + 1) * sizeof(*points->next));
	tav_map_init(&points->threads, trust->self);
	if (!bp || !points->items || !points->next)
		return TAV_FAILED;
	for (uint64_t i = 0; i < facts->flow_count; i++) {
		const struct flow_end *flow = &facts->flows[i];

		if (flow->what == FLOW_FINISH && (enclosing == TAV_NONE || bp[flow->row] != enclosing))
			continue;
		thread = tav_map_number(&points->threads, thread_key(trust, flow->row));
		if (thread == TAV_NONE)
			return TAV_FAILED;
		points->items[points->count++] = (struct point){thread, flow->row, flow->time};
	}
	qsort(points->items, points->count, sizeof(*points->items), compare);
	points->first = host->alloc(trust->self, ((size_t)points->threads.count + 1) * sizeof(*points->first));
	if (!points->first)
		return TAV_FAILED;
	for (uint64_t i = 0; i < points->count; i++) {
		points->first[points->items[i].thread + 1] = i + 1;
		points->next[i] = (uint32_t)i;
	}
	points->next[points->count] = (uint32_t)points->count;
	return TAV_OK;
}

/* The first point from `at` on that nothing covers yet; paths are halved on the way. */
static uint64_t uncovered(struct points *points, uint64_t at)
{
	while (points->next[at] != at) {
		points->next[at] = points->next[points->next[at]];
		at = points->next[at];
	}
	return at;
}

static void cover(struct points *points, uint32_t thread, int64_t from, int64_t to)
{
	uint64_t low = points->first[thread], high = points->first[thread + 1], limit = high;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (points->items[middle].time < from)
			low = middle + 1;
		else
			high = middle;
	}
	for (uint64_t at = uncovered(points, low); at < limit && points->items[at].time <= to;
	     at = uncovered(points, at))
		points->next[at] = (uint32_t)at + 1;
}

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	struct points points = {0};
	uint64_t last_key = 0;
	uint32_t thread = TAV_NONE;
	bool has_last = false;

	if (!facts_of(trust)->flow_count)
		return does_not_apply(verdict);
	if (take_points(trust, &points))
		return TAV_FAILED;
	for (tav_row row = 0; row < trust->row_count; row++) {
		uint64_t key = thread_key(trust, row);

		if (!is_interval(trust, row))
			continue;
		if (!has_last || key != last_key)
			thread = tav_map_find_number(&points.threads, key);
		has_last = true;
		last_key = key;
		if (thread != TAV_NONE)
			cover(&points, thread, trust->start[row], trust->end[row]);
	}
	for (uint64_t i = 0; i < points.count; i++) {
		if (points.next[i] == i)
			found(verdict, points.items[i].row);
	}
	if (!points.count)
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "no place of a flow that must lie on an event");
	if (!verdict->count)
		return judge(verdict, TRUST_PASS, points.count, "%s of flows, all on events",
		             COUNTED(points.count, "place"));
	return judge(verdict, TRUST_WARN, points.count, "%s of %s of flows lie%s on no event of the thread; first: %s",
	             COUNTED(verdict->count, ""), COUNTED(points.count, "place"), tav_does(verdict->count),
	             NAME(trust, verdict->rows[0]));
}

const struct trust_check check_flow_anchor = {
        .id = "flow_anchor",
        .question = "Does every end of a flow lie on an event?",
        .worst = TRUST_WARN,
        .text = "A flow starts, passes and (with bp: e) ends within an event of its thread. One that lies in the air "
                "belongs to an event that is not there, or has a wrong time: viewers drop it, or bind it to a "
                "neighbour.",
        .remedy = "look for the events that these arrows belonged to: they may have been taken out",
        .run = run,
};
