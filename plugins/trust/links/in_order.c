/* SPDX-License-Identifier: Apache-2.0 */
#include "links.h"

/* What a launching thread has put on the track so far. */
struct queue {
	int64_t latest; /* start of a launch */
	uint64_t count;
	uint64_t stamp; /* 1 + the track */
};
struct pair {
	int64_t launch_start;
	tav_row row, launch;
};
/* Events of one track that start together. */
struct pairs {
	struct pair *items;
	uint64_t count, capacity;
};
struct looking {
	struct trust *trust;
	struct verdict *verdict;
	struct queue *queues; /* by the track of the launch: that is its thread */
	struct pairs pairs;
	uint64_t examined;
};

static int compare(const void *a, const void *b)
{
	const struct pair *left = a, *right = b;

	if (left->launch_start != right->launch_start)
		return left->launch_start < right->launch_start ? -1 : 1;
	return left->row < right->row ? -1 : left->row > right->row;
}

static void take_pairs(struct looking *looking, uint32_t track)
{
	struct pairs *pairs = &looking->pairs;

	if (pairs->count > 1)
		qsort(pairs->items, pairs->count, sizeof(*pairs->items), compare);
	for (uint64_t i = 0; i < pairs->count; i++) {
		const struct pair *pair = &pairs->items[i];
		struct queue *queue = &looking->queues[looking->trust->track[pair->launch]];

		if (queue->stamp != track + UINT64_C(1))
			*queue = (struct queue){.stamp = track + UINT64_C(1)};
		queue->count++;
		looking->examined += queue->count == 2 ? 2 : queue->count > 2;
		if (queue->count > 1 && pair->launch_start < queue->latest)
			found_by(looking->verdict, pair->row, queue->latest - pair->launch_start);
		else
			queue->latest = pair->launch_start;
	}
	pairs->count = 0;
}

static tav_status add_pair(struct looking *looking, struct pair pair)
{
	const struct trust *trust = looking->trust;
	struct pairs *pairs = &looking->pairs;

	if (pairs->count == pairs->capacity) {
		uint64_t capacity = 2 * pairs->capacity + 64;
		struct pair *items = trust->host->alloc(trust->self, capacity * sizeof(*items));

		if (!items)
			return TAV_FAILED;
		if (pairs->count)
			memcpy(items, pairs->items, pairs->count * sizeof(*items));
		pairs->items = items;
		pairs->capacity = capacity;
	}
	pairs->items[pairs->count++] = pair;
	return TAV_OK;
}

/* The launches of events that start together have no order. */
static tav_status look_at_track(struct looking *looking, const struct tav_order *order, uint32_t track)
{
	const struct trust *trust = looking->trust;
	const struct tav_link_list *links = trust->links;
	const struct pairs *pairs = &looking->pairs;

	for (uint64_t i = order->first[track]; i < order->first[track + 1]; i++) {
		tav_row row = order->rows[i], launch = links->launch[links->index[row]];

		if (launch == TAV_NONE || !is_believable(trust, row) || bit_is(trust->early, row))
			continue;
		if (pairs->count && trust->start[pairs->items[0].row] != trust->start[row])
			take_pairs(looking, track);
		if (add_pair(looking, (struct pair){trust->start[launch], row, launch}))
			return TAV_FAILED;
	}
	take_pairs(looking, track);
	return TAV_OK;
}

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	struct looking looking = {.trust = trust, .verdict = verdict};
	const struct tav_order *order;
	uint64_t examined;

	if (lacks_links(trust, true))
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "%s", lacks_links(trust, true));
	order = trust_tracks(trust);
	looking.queues = trust->host->alloc(trust->self, (size_t)trust->about->track_count * sizeof(*looking.queues));
	if (!order || !looking.queues)
		return TAV_FAILED;
	for (uint32_t track = 0; track < order->track_count; track++) {
		if (look_at_track(&looking, order, track))
			return TAV_FAILED;
	}
	examined = looking.examined;
	if (!examined)
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "no two linked events of one thread on one %.*s",
		             (int)trust->about->track_word.size, trust->about->track_word.data);
	if (!verdict->count)
		return judge(verdict, TRUST_PASS, examined, "%s start%s in the order of their launches",
		             COUNTED(examined, "device event"), tav_does(examined));
	return judge(verdict, TRUST_FAIL, examined,
	             "%s of %s start%s after work that was launched later; worst: %s, whose launch came %s earlier",
	             COUNTED(verdict->count, ""), COUNTED(examined, "device event"), tav_does(verdict->count),
	             NAME(trust, verdict->worst), DURATION(verdict->worst_ns));
}

const struct trust_check check_in_order = {
        .id = "in_order",
        .question = "Do the events of a stream start in the order of their launches?",
        .worst = TRUST_FAIL,
        .absent = "the dialect knows no links to launches",
        .text = "What one thread puts on one stream starts in that order. A device event that starts after work "
                "launched later carries the wrong link, or a wrong start.\n\nEvents that launch_first has told are "
                "left out.",
        .remedy = "do not trust the links of these events: delays and operators may be another kernel's",
        .applies = needs_links,
        .run = run,
};
