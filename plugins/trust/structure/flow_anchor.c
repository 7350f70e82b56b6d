/* SPDX-License-Identifier: Apache-2.0 */
#include "structure.h"

/* A place of a flow that must lie on an event of its thread. */
struct point {
	uint32_t thread;
	tav_row row;
	int64_t time;
};
struct points {
	struct point *items; /* by thread and time */
	uint64_t count;
	uint64_t *is_covered; /* bit by point */
	struct tav_map threads;
	struct cursor *cursors; /* by thread */
};
/* How far a track has come that holds events of the thread. */
struct cursor {
	uint64_t first, limit; /* the points of the thread */
	uint64_t at;           /* those before it come before the start of the last event */
	uint64_t done;         /* those before it come before the end of some event so far */
	uint64_t stamp;        /* 1 + the track */
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
	points->is_covered = host->alloc(trust->self, (facts->flow_count / 64 + 1) * sizeof(*points->is_covered));
	tav_map_init(&points->threads, trust->self);
	if (!bp || !points->items || !points->is_covered)
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
	points->cursors = host->alloc(trust->self, points->threads.count * sizeof(*points->cursors));
	if (!points->cursors)
		return TAV_FAILED;
	for (uint64_t i = points->count; i-- > 0;) {
		struct cursor *cursor = &points->cursors[points->items[i].thread];

		cursor->first = i;
		cursor->limit = cursor->limit ? cursor->limit : i + 1;
	}
	return TAV_OK;
}

/* An event of the thread; those of a track come by start, so that no point is looked at twice. */
static void cover(struct points *points, uint32_t track, uint32_t thread, int64_t from, int64_t to)
{
	struct cursor *cursor = &points->cursors[thread];

	if (cursor->stamp != track + UINT64_C(1)) {
		cursor->stamp = track + UINT64_C(1);
		cursor->at = cursor->done = cursor->first;
	}
	while (cursor->at < cursor->limit && points->items[cursor->at].time < from)
		cursor->at++;
	cursor->done = cursor->done > cursor->at ? cursor->done : cursor->at;
	for (; cursor->done < cursor->limit && points->items[cursor->done].time <= to; cursor->done++)
		bit_set(points->is_covered, cursor->done);
}

/* The events of a device's track may be of several threads. */
static void cover_by_track(struct trust *trust, const struct tav_order *order, uint32_t track, struct points *points)
{
	uint32_t thread = TAV_NONE;
	uint64_t last_key = 0;

	for (uint64_t i = order->first[track]; i < order->first[track + 1]; i++) {
		tav_row row = order->rows[i];
		uint64_t key = thread_key(trust, row);

		if (i == order->first[track] || key != last_key)
			thread = tav_map_find_number(&points->threads, key);
		last_key = key;
		if (thread != TAV_NONE)
			cover(points, track, thread, trust->start[row], trust->end[row]);
		else if (is_thread(trust, track))
			return;
	}
}

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	const struct tav_order *order;
	struct points points = {0};

	if (!facts_of(trust)->flow_count)
		return does_not_apply(verdict);
	order = trust_threads(trust);
	if (!order || take_points(trust, &points))
		return TAV_FAILED;
	for (uint32_t track = 0; track < order->track_count; track++)
		cover_by_track(trust, order, track, &points);
	for (uint64_t i = 0; i < points.count; i++) {
		if (!bit_is(points.is_covered, i))
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
