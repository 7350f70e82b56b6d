/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tav/overlap.h - the extension "tav.overlap/1": which events of one track occupy the same time.
 *
 *   const struct tav_overlap *overlap = self->host->extension(self, TAV_OVERLAP_ID);
 *
 * Rules. Two events overlap when their intersection is longer than `tolerance_ns`, or when one has zero length and
 * lies inside the other, more than `tolerance_ns` from both its ends. Touching is no overlap. A pair is *partial* when
 * the later one starts inside the earlier one and ends after it; else it is *nested*. A strict sweep counts both kinds,
 * any other only partial ones. Each event that overlaps at least one earlier one is reported once (the *offending*
 * event), with the earlier one that ends last as its partner (ties: earliest start, lowest row).
 * Cost: O(n log n) in time however deep the nesting, O(n) in memory.
 */
#ifndef TAV_OVERLAP_H
#define TAV_OVERLAP_H

#include <tav/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAV_OVERLAP_ID "tav.overlap/1"

struct tav_overlap_rules {
	uint32_t struct_size;
	uint32_t strict; /* 1: nested pairs count too */
	int64_t tolerance_ns;
	/* Optional: 1 when the pair is allowed; asked once for an offending event and its direct predecessor. */
	int32_t (*is_allowed)(void *user, tav_row earlier, tav_row later);
	void *user;
};

struct tav_overlap_hit { /* one offending event */
	uint32_t struct_size;
	uint32_t track;
	tav_row later, earlier; /* the offending event; its partner */
	int64_t overlap_ns;     /* time the two share */
	uint32_t is_partial;    /* 0: nested in all of its partners */
	uint32_t is_duplicate;  /* same start and end as its partner; the caller compares the rest */
	uint64_t partner_count; /* pairs in which it is the later one, allowed ones left out */
};

struct tav_overlap_totals {
	uint32_t struct_size, reserved;
	uint64_t event_count, track_count; /* looked at; tracks with at least one event */
	uint64_t offending_count, partial_count, pair_count;
	uint64_t allowed_count; /* pairs that is_allowed() took out */
	int64_t overlap_ns;     /* time covered more than once, whatever the rules */
};

struct tav_overlap {
	uint32_t struct_size, reserved;
	/*
	 * Sweeps track `track` of `order` (of `source`), adds to `totals`, and calls `hit` for each offending event in
	 * the order of start, which may return other than TAV_OK to end the sweep; NULL: only counts. [any; one
	 * `totals` a thread]
	 */
	tav_status (*sweep)(struct tav_self *, uint32_t source, const struct tav_order *order, uint32_t track,
	                    const struct tav_overlap_rules *rules,
	                    tav_status (*hit)(void *user, const struct tav_overlap_hit *), void *user,
	                    struct tav_overlap_totals *totals);
};

#ifdef __cplusplus
}
#endif
#endif
