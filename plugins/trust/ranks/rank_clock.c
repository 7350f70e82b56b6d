/* SPDX-License-Identifier: Apache-2.0 */
#include "ranks.h"

static tav_status judge_clock(const struct ranks *ranks, struct verdict *verdict)
{
	int64_t latest_start = INT64_MIN, earliest_end = INT64_MAX;

	for (uint32_t i = 0; i < ranks->count; i++) {
		const struct rank *rank = &ranks->items[i];

		if (!rank->has_time)
			return judge(verdict, TRUST_INCONCLUSIVE, ranks->count,
			             "a trace holds no events with a length");
		if (tav_text_compare(rank->base, ranks->items[0].base))
			return judge(verdict, TRUST_INCONCLUSIVE, ranks->count,
			             "the traces count from different times (baseTimeNanoseconds)");
		latest_start = rank->start > latest_start ? rank->start : latest_start;
		earliest_end = rank->end < earliest_end ? rank->end : earliest_end;
	}
	if (latest_start >= earliest_end)
		return judge(verdict, TRUST_INCONCLUSIVE, ranks->count, "the recordings share no time");
	return judge(verdict, TRUST_PASS, ranks->count, "the recordings share %s",
	             DURATION(earliest_end - latest_start));
}

const struct rank_check check_rank_clock = {
        {
                .id = "rank_clock",
                .question = "Do the recordings share time?",
                .worst = TRUST_NOTE,
                .text = "Times of several ranks can be compared only where all count from one base "
                        "(baseTimeNanoseconds) and the recordings overlap. Where they do not, each trace is right by "
                        "itself, and who waited for whom cannot be told.",
        },
        judge_clock,
};
