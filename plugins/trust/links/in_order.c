/* SPDX-License-Identifier: Apache-2.0 */
#include "links.h"

/* What a launching thread has put on the track so far. */
struct queue {
	int64_t latest; /* start of a launch */
	uint64_t count;
};
struct pair {
	int64_t launch_start;
	tav_row row, launch;
};

static int compare(const void *a, const void *b)
{
	const struct pair *left = a, *right = b;

	if (left->launch_start != right->launch_start)
		return left->launch_start < right->launch_start ? -1 : 1;
	return left->row < right->row ? -1 : left->row > right->row;
}

/* Events of one track that start together, by their launches. */
static tav_status take_pairs(struct trust *trust, struct verdict *verdict, struct tav_map *threads,
                             struct queue *queues, struct pair *pairs, uint64_t count, uint64_t *examined)
{
	if (count > 1)
		qsort(pairs, count, sizeof(*pairs), compare);
	for (uint64_t i = 0; i < count; i++) {
		tav_row launch = pairs[i].launch;
		uint32_t thread = tav_map_number(threads, (uint64_t)trust->pid[launch] << 32 | trust->tid[launch]);
		struct queue *queue;

		if (thread == TAV_NONE)
			return TAV_FAILED;
		queue = &queues[thread];
		queue->count++;
		*examined += queue->count == 2 ? 2 : queue->count > 2;
		if (queue->count > 1 && pairs[i].launch_start < queue->latest)
			found_by(verdict, pairs[i].row, queue->latest - pairs[i].launch_start);
		else
			queue->latest = pairs[i].launch_start;
	}
	return TAV_OK;
}

static tav_status look_at_track(struct trust *trust, struct verdict *verdict, const struct tav_order *order,
                                uint32_t track, struct tav_map *threads, struct queue *queues, struct pair *pairs,
                                uint64_t *examined)
{
	const struct tav_link_list *links = facts_of(trust)->links;
	uint64_t count = 0;

	for (uint64_t i = order->first[track]; i < order->first[track + 1]; i++) {
		tav_row row = order->rows[i], launch = links->launch[links->index[row]];

		if (launch == TAV_NONE || !is_believable(trust, row) || bit_is(trust->early, row))
			continue;
		if (count && trust->start[pairs[0].row] != trust->start[row]) {
			if (take_pairs(trust, verdict, threads, queues, pairs, count, examined))
				return TAV_FAILED;
			count = 0;
		}
		pairs[count++] = (struct pair){trust->start[launch], row, launch};
	}
	return take_pairs(trust, verdict, threads, queues, pairs, count, examined);
}

/* All threads that launch, and the most events of a track that start together. */
static tav_status measure(struct trust *trust, const struct tav_order *order, struct tav_map *threads,
                          uint64_t *together)
{
	const struct tav_link_list *links = facts_of(trust)->links;

	*together = 1;
	for (uint64_t i = 0; i < trust->device_count; i++) {
		tav_row launch = links->launch[i];

		if (launch != TAV_NONE &&
		    tav_map_number(threads, (uint64_t)trust->pid[launch] << 32 | trust->tid[launch]) == TAV_NONE)
			return TAV_FAILED;
	}
	for (uint32_t track = 0; track < order->track_count; track++) {
		uint64_t count = 0;

		for (uint64_t i = order->first[track]; i < order->first[track + 1]; i++) {
			bool goes_on = count && trust->start[order->rows[i]] == trust->start[order->rows[i - 1]];

			count = goes_on ? count + 1 : 1;
			*together = count > *together ? count : *together;
		}
	}
	return TAV_OK;
}

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	const struct tav_order *order;
	struct tav_map threads;
	struct queue *queues;
	struct pair *pairs;
	uint64_t examined = 0, together;

	if (lacks_links(trust, true))
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "%s", lacks_links(trust, true));
	order = trust_tracks(trust);
	tav_map_init(&threads, trust->self);
	if (!order || measure(trust, order, &threads, &together))
		return TAV_FAILED;
	queues = trust->host->alloc(trust->self, ((size_t)threads.count + 1) * sizeof(*queues));
	pairs = trust->host->alloc(trust->self, together * sizeof(*pairs));
	if (!queues || !pairs)
		return TAV_FAILED;
	for (uint32_t track = 0; track < order->track_count; track++) {
		if (order->first[track] == order->first[track + 1])
			continue;
		memset(queues, 0, threads.count * sizeof(*queues));
		if (look_at_track(trust, verdict, order, track, &threads, queues, pairs, &examined))
			return TAV_FAILED;
	}
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
