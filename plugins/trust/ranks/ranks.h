/* SPDX-License-Identifier: Apache-2.0 */
/* The stage ranks: what each trace says of itself, and checks of all of them together. */
#ifndef TRUST_RANKS_H
#define TRUST_RANKS_H

#include <trust.h>

enum { OPT_ALL_RANKS, OPT_MAX_STEPS };

struct rank { /* one trace */
	uint32_t source;
	int64_t number, world_size; /* -1: not stated */
	bool has_time;
	int64_t start, end;
	struct tav_text base; /* what its times count from, as it stands */
	bool has_all_steps;
	uint64_t step_count;
	const struct tav_text *steps;
};
struct ranks {
	struct tav_self *self;
	struct rank *items;
	uint32_t count, left_out; /* left_out: could not be looked at */
	/* Facts of the numbers. */
	uint32_t unnumbered, twice;
	int64_t twice_number, world_size; /* world_size: the largest that is stated; -1: none is */
	uint32_t world_sizes;             /* distinct ones */
};
struct rank_check {
	struct trust_check check;
	tav_status (*judge)(const struct ranks *ranks, struct verdict *verdict);
};
extern const struct rank_check check_rank_once, check_rank_all, check_rank_clock, check_same_steps;

#endif
