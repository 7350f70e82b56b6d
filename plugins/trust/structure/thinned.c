/* SPDX-License-Identifier: Apache-2.0 */
#include "structure.h"

enum { AT_LEAST = 10 };

/* How many distinct ones: as bits, but where a few wild ones would make too many of them. */
static tav_status count_distinct(struct trust *trust, const int64_t *numbers, const uint64_t *present, int64_t lowest,
                                 uint64_t span)
{
	struct structure_facts *facts = facts_of(trust);
	struct tav_map distinct;
	uint64_t *bits = NULL;

	if (span && span / 64 <= (uint64_t)trust->row_count * 2 + 1024) {
		bits = trust->host->alloc(trust->self, (span / 64 + 1) * sizeof(*bits));
		if (!bits)
			return TAV_FAILED;
	}
	tav_map_init(&distinct, trust->self);
	TAV_FOR_BITS(row, present, trust->row_count)
	{
		uint64_t at = (uint64_t)numbers[row] - (uint64_t)lowest;

		if (bits) {
			facts->distinct += !bit_is(bits, at);
			bit_set(bits, at);
		} else if (tav_map_number(&distinct, (uint64_t)numbers[row]) == TAV_NONE) {
			return TAV_FAILED;
		}
	}
	facts->distinct += distinct.count;
	return TAV_OK;
}

tav_status find_numbers(struct trust *trust)
{
	struct structure_facts *facts = facts_of(trust);
	const uint64_t *present = field_present(trust, FIELD_EV_IDX);
	const int64_t *numbers;
	int64_t lowest = 0, highest = INT64_MIN;
	uint64_t span;

	if (!trust->is_linked || tav_bit_next(present, 0, trust->row_count) == trust->row_count)
		return TAV_OK;
	numbers = field_of(trust, FIELD_EV_IDX);
	if (!numbers)
		return TAV_FAILED;
	TAV_FOR_BITS(row, present, trust->row_count)
	{
		facts->numbered++;
		lowest = numbers[row] < lowest ? numbers[row] : lowest;
		highest = numbers[row] > highest ? numbers[row] : highest;
	}
	if (facts->numbered < AT_LEAST)
		return TAV_OK;
	span = (uint64_t)highest - (uint64_t)lowest + 1;
	facts->span = span ? span : UINT64_MAX;
	return count_distinct(trust, numbers, present, lowest, span);
}

bool is_excerpt(const struct trust *trust)
{
	const struct structure_facts *facts = facts_of(trust);

	return facts->numbered >= AT_LEAST && (double)(facts->span - facts->distinct) > 0.01 * (double)facts->span;
}

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	const struct structure_facts *facts = facts_of(trust);

	if (facts->numbered < AT_LEAST)
		return judge(verdict, TRUST_INCONCLUSIVE, facts->numbered,
		             "fewer than ten events have a number (Ev Idx)");
	verdict->count = facts->span - facts->distinct;
	if (!verdict->count)
		return judge(verdict, TRUST_PASS, facts->span, "all of %s are there",
		             COUNTED(facts->span, "event number"));
	return judge(verdict, is_excerpt(trust) ? TRUST_WARN : TRUST_NOTE, facts->span, "%s of %s are there%s",
	             COUNTED(facts->distinct, ""), COUNTED(facts->span, "event number"),
	             is_excerpt(trust) ? ": an excerpt, events were taken out after the recording" : "");
}

const struct trust_check check_thinned = {
        .id = "thinned",
        .question = "Were events taken out after the recording?",
        .worst = TRUST_WARN,
        .text = "The profiler numbers its events (Ev Idx) from 0 on. Where more than 1 % of the numbers are missing, "
                "somebody cut an excerpt or filtered the file: times are right, counts and sums of the host are those "
                "of the excerpt, and parents may be missing.",
        .remedy = "ask for the whole file where counts and sums matter",
        .applies = needs_links,
        .run = run,
};
