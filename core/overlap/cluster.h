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

tav_status cluster_strict(struct sweep *sweep);  /* partial and nested pairs */
tav_status cluster_partial(struct sweep *sweep); /* partial pairs only */

#endif
