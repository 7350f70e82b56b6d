/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tav/walk.h - the rows of an order ("order()", by track) in the order of their starts over all tracks; compiled into
 * whoever includes it. Its memory is the host's alloc(): gone when the plugin's function has
 * returned.
 *
 *   struct tav_walk walk;
 *
 *   tav_walk_init(&walk, self, order, start);   (start: the column TAV_COL_START_NS)
 *   for (tav_row row; (row = tav_walk_next(&walk)) != TAV_NONE;)
 *           ...
 */
#ifndef TAV_WALK_H
#define TAV_WALK_H

#include <tav/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tav_walk_head { /* the next row of a track */
	int64_t start;
	tav_row row;
	uint32_t track;
};
struct tav_walk {
	const struct tav_order *order;
	const int64_t *start;
	uint64_t *at;               /* by track: the place behind its head */
	struct tav_walk_head *heap; /* the earliest first */
	uint64_t size;
};

static inline int tav_walk_is_before(const struct tav_walk_head *a, const struct tav_walk_head *b)
{
	return a->start != b->start ? a->start < b->start : a->row < b->row;
}

static inline void tav_walk_sink(struct tav_walk *walk, uint64_t i)
{
	struct tav_walk_head head = walk->heap[i];

	for (uint64_t child; (child = 2 * i + 1) < walk->size; i = child) {
		if (child + 1 < walk->size && tav_walk_is_before(&walk->heap[child + 1], &walk->heap[child]))
			child++;
		if (!tav_walk_is_before(&walk->heap[child], &head))
			break;
		walk->heap[i] = walk->heap[child];
	}
	walk->heap[i] = head;
}

static inline tav_status tav_walk_init(struct tav_walk *walk, struct tav_self *self, const struct tav_order *order,
                                       const int64_t *start)
{
	size_t tracks = order->track_count;

	walk->order = order;
	walk->start = start;
	walk->size = 0;
	walk->at = (uint64_t *)self->host->alloc(self, (tracks + 1) * sizeof(*walk->at));
	walk->heap = (struct tav_walk_head *)self->host->alloc(self, (tracks + 1) * sizeof(*walk->heap));
	if (!walk->at || !walk->heap)
		return TAV_FAILED;
	for (uint32_t track = 0; track < tracks; track++) {
		struct tav_walk_head *head = &walk->heap[walk->size];

		walk->at[track] = order->first[track] + 1;
		if (order->first[track] == order->first[track + 1])
			continue;
		head->row = order->rows[order->first[track]];
		head->start = start[head->row];
		head->track = track;
		walk->size++;
	}
	for (uint64_t i = walk->size / 2; i-- > 0;)
		tav_walk_sink(walk, i);
	return TAV_OK;
}

/* TAV_NONE: no more. */
static inline tav_row tav_walk_next(struct tav_walk *walk)
{
	struct tav_walk_head *head = walk->heap;
	tav_row row = head->row;

	if (!walk->size)
		return TAV_NONE;
	if (walk->at[head->track] < walk->order->first[head->track + 1]) {
		head->row = walk->order->rows[walk->at[head->track]++];
		head->start = walk->start[head->row];
	} else {
		*head = walk->heap[--walk->size];
	}
	if (walk->size)
		tav_walk_sink(walk, 0);
	return row;
}

#ifdef __cplusplus
}
#endif
#endif
