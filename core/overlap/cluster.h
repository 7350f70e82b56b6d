/* SPDX-License-Identifier: Apache-2.0 */
/* One cluster of a track: the part of the sweep that needs memory. Used by sweep.c alone. */
#ifndef OVERLAP_CLUSTER_H
#define OVERLAP_CLUSTER_H

#include <stdbool.h>

#include <tav/overlap.h>

struct sweep {
	const int64_t *start_ns, *end_ns;
	uint32_t track;
	const struct tav_overlap_rules *rules;
	int64_t tolerance;
	tav_status (*hit)(void *user, const struct tav_overlap_hit *);
	void *user;
	struct tav_overlap_totals *totals;
	bool is_out_of_memory;

	/* the cluster at hand, sorted by (start, end descending, row) */
	const tav_row *rows;
	uint32_t count;

	/* kept from one cluster to the next */
	uint32_t *scratch;
	size_t scratch_capacity;
	int64_t *heap;
	size_t heap_size, heap_capacity;
};

/*
 * Each event of the cluster against the earlier ones. Its direct predecessor is looked at by itself, since that pair
 * alone may be allowed; "the rest" are those before the predecessor.
 */
tav_status cluster_strict(struct sweep *sweep);  /* partial and nested pairs */
tav_status cluster_partial(struct sweep *sweep); /* partial pairs only */

enum { NOBODY = -1 };
struct verdict {            /* of one event */
	int64_t partner;    /* place in the cluster, or NOBODY */
	uint64_t count;     /* of the rest that it overlaps */
	bool is_partial;    /* to one of the rest */
	bool overlaps_last; /* its direct predecessor */
	bool is_partial_to_last;
};

/* Counts the event at `place`, and reports it where it offends. */
tav_status cluster_settle(struct sweep *sweep, uint32_t place, struct verdict *found);
uint32_t *cluster_scratch(struct sweep *sweep, size_t count); /* zeroed; NULL: no memory */

static inline int64_t add_clamped(int64_t a, int64_t b) /* b >= 0 */
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static inline int64_t start_of(const struct sweep *sweep, uint32_t place)
{
	return sweep->start_ns[sweep->rows[place]];
}

static inline int64_t end_of(const struct sweep *sweep, uint32_t place)
{
	return sweep->end_ns[sweep->rows[place]];
}

/* Unsigned, since an event may be longer than int64_t can say. */
static inline bool is_longer_than_tolerance(const struct sweep *sweep, uint32_t place)
{
	return (uint64_t)end_of(sweep, place) - (uint64_t)start_of(sweep, place) > (uint64_t)sweep->tolerance;
}

#endif
