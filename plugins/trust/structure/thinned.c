/* SPDX-License-Identifier: Apache-2.0 */
#include "structure.h"

enum { AT_LEAST = 10 };

tav_status find_numbers(struct trust *trust)
{
	struct structure_facts *facts = facts_of(trust);
	const int64_t *numbers = field_of(trust, FIELD_EV_IDX);
	const uint64_t *present = field_present(trust, FIELD_EV_IDX);
	int64_t lowest = INT64_MAX, highest = INT64_MIN;
	struct tav_map distinct;
	uint64_t *bits = NULL, span;

	if (!numbers)
		return TAV_FAILED;
	if (!present || !trust->is_linked)
		return TAV_OK;
	for (tav_row row = 0; row < trust->row_count; row++) {
		if (!bit_is(present, row))
			continue;
		facts->numbered++;
		lowest = numbers[row] < lowest ? numbers[row] : lowest;
		highest = numbers[row] > highest ? numbers[row] : highest;
	}
	if (facts->numbered < AT_LEAST)
		return TAV_OK;
	lowest = lowest > 0 ? 0 : lowest;
	span = (uint64_t)highest - (uint64_t)lowest + 1;
	/* Distinct numbers as bits, but where a few wild ones would make too many of them. */
	if (span && span / 64 <= (uint64_t)trust->row_count * 2 + 1024) {
		bits = trust->host->alloc(trust->self, (span / 64 + 1) * sizeof(*bits));
		if (!bits)
			return TAV_FAILED;
	}
	tav_map_init(&distinct, trust->self);
	for (tav_row row = 0; row < trust->row_count; row++) {
		uint64_t at = (uint64_t)numbers[row] - (uint64_t)lowest;

		if (!bit_is(present, row))
			continue;
		if (bits) {
			facts->distinct += !bit_is(bits, at);
			bit_set(bits, at);
		} else if (tav_map_number(&distinct, (uint64_t)numbers[row]) == TAV_NONE) {
			return TAV_FAILED;
		}
	}
	facts->distinct += distinct.count;
	facts->span = span ? span : UINT64_MAX;
	return TAV_OK;
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
