/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who makes the others wait. A call takes everybody until the last has arrived, and then the transfer; so the shortest
 * duration of a call is its transfer, and whose it is arrived last. Clocks are not needed for that; how far they lie
 * apart follows from the ends, which are common, and says whether these are the same calls at all.
 */
#include "collectives.h"

/* The clock of each rank against that of the lowest: the median over the judged calls of the difference of ends. */
static tav_status find_offsets(struct over_ranks *all)
{
	int64_t *numbers = take(all->self, 2 * all->judged + 2, sizeof(*numbers)), low = 0, high = 0;

	if (!numbers)
		return TAV_FAILED;
	for (uint32_t i = 0; i < all->rank_count; i++) {
		struct rank *rank = &all->ranks[i];
		uint64_t count = 0;

		for (uint64_t row = 0; row < rank->count; row++) {
			const struct match *match = match_of(all, rank, row);

			if (match && match->is_judged)
				numbers[count++] = rank->end[row] - match->end_of_first;
		}
		sort_numbers(numbers, numbers + all->judged + 1, count);
		rank->offset = count ? percentile(numbers, count, 50) : 0;
		low = rank->offset < low ? rank->offset : low;
		high = rank->offset > high ? rank->offset : high;
	}
	all->clock_spread = high - low;
	return TAV_OK;
}

static void fix_clocks(struct over_ranks *all)
{
	for (uint32_t i = 0; i < all->rank_count; i++) {
		const struct rank *rank = &all->ranks[i];

		for (uint64_t row = 0; row < rank->count; row++) {
			struct match *match = match_of(all, rank, row);
			int64_t start = rank->start[row] - rank->offset, end = rank->end[row] - rank->offset;

			if (!match || !match->is_judged)
				continue;
			/* Rank 0 of the list is in every judged call, and comes first. */
			if (!i) {
				match->first_start_fixed = match->last_start_fixed = start;
				match->first_end_fixed = match->last_end_fixed = end;
			}
			match->first_start_fixed = start < match->first_start_fixed ? start : match->first_start_fixed;
			match->last_start_fixed = start > match->last_start_fixed ? start : match->last_start_fixed;
			match->first_end_fixed = end < match->first_end_fixed ? end : match->first_end_fixed;
			match->last_end_fixed = end > match->last_end_fixed ? end : match->last_end_fixed;
		}
	}
}

/* Do the matched calls end together, once the clocks are set? If not, they are not the same calls. */
static tav_status find_residual(struct over_ranks *all)
{
	int64_t *numbers = take(all->self, 2 * all->judged + 2, sizeof(*numbers)), *spare = numbers + all->judged + 1;
	int64_t tolerance = all->self->options[COLL_OPT_TOLERANCE]->integer, tenth;
	uint64_t count = 0;

	if (!numbers)
		return TAV_FAILED;
	for (uint64_t i = 0; i < all->match_count; i++)
		if (all->matches[i].is_judged)
			numbers[count++] = all->matches[i].last_end_fixed - all->matches[i].first_end_fixed;
	sort_numbers(numbers, spare, count);
	all->residual_p50 = percentile(numbers, count, 50);
	all->residual_max = numbers[count - 1];
	count = 0;
	for (uint64_t i = 0; i < all->match_count; i++)
		if (all->matches[i].is_judged)
			numbers[count++] = all->matches[i].most;
	sort_numbers(numbers, spare, count);
	tenth = percentile(numbers, count, 50) / 10;
	all->is_judged = all->residual_p50 <= (tolerance > tenth ? tolerance : tenth);
	return TAV_OK;
}

static void sum_waits(struct over_ranks *all)
{
	for (uint64_t i = 0; i < all->match_count; i++) {
		const struct match *match = &all->matches[i];
		int64_t wait = match->most - match->least;

		if (!match->is_judged)
			continue;
		all->transfer_ns = tav_sum(all->transfer_ns, match->least);
		all->longest_wait_ns = tav_sum(all->longest_wait_ns, wait);
		if (match->last == TAV_NONE)
			continue;
		all->ranks[match->last].arrived_last++;
		all->ranks[match->last].caused_ns = tav_sum(all->ranks[match->last].caused_ns, wait);
		if (i != all->first)
			all->ranks[match->last].caused_after_first_ns =
			        tav_sum(all->ranks[match->last].caused_after_first_ns, wait);
	}
	all->first_wait_ns = all->matches[all->first].most - all->matches[all->first].least;
	for (uint32_t i = 0; i < all->rank_count; i++) {
		struct rank *rank = &all->ranks[i];

		for (uint64_t row = 0; row < rank->count; row++) {
			const struct match *match = match_of(all, rank, row);
			int64_t ns = rank->end[row] - rank->start[row];

			if (!match || !match->is_judged)
				continue;
			rank->collective_ns = tav_sum(rank->collective_ns, ns);
			rank->waited_ns = tav_sum(rank->waited_ns, ns - match->least);
			rank->late_ns =
			        tav_sum(rank->late_ns, rank->start[row] - rank->offset - match->first_start_fixed);
		}
	}
}

tav_status collectives_combine(struct tav_self *self)
{
	struct over_ranks all = {.self = self, .results = self->host->extension(self, TAV_RESULTS_ID)};
	const char *why_not = NULL;
	bool is_empty;

	all.source_count = self->host->source_count(self);
	if (!all.results)
		return tav_fail(self, "this host does not show results");
	all.stage = all.results->find_stage(self, "collectives");
	if (all.stage == TAV_NONE)
		return tav_fail(self, "cannot find the results of this stage");
	if (all.source_count < 2)
		return TAV_OK;
	if (ranks_read(&all, &is_empty, &why_not))
		return TAV_FAILED;
	if (is_empty) /* no question asked */
		return TAV_OK;
	if (why_not)
		return tav_tell(self, TAV_RUN, "waits", TAV_RESULT_SKIP, 0, 0, "cannot tell: %s", why_not);
	if (ranks_match(&all))
		return TAV_FAILED;
	if (all.judged) {
		if (find_offsets(&all))
			return TAV_FAILED;
		fix_clocks(&all);
		if (find_residual(&all))
			return TAV_FAILED;
		if (all.is_judged)
			sum_waits(&all);
	}
	return ranks_checks(&all) || ranks_tables(&all) || ranks_say(&all) ? TAV_FAILED : TAV_OK;
}
