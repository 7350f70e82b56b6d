/* SPDX-License-Identifier: Apache-2.0 */
#include "links.h"

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	const struct link_facts *facts = facts_of(trust);
	int64_t tolerance = trust->self->options[OPT_CLOCK_TOLERANCE]->integer;
	uint64_t named = 0, examined = 0;
	tav_row *first; /* by operator id: 1 + the row that starts first; 0: none */

	first = trust->host->alloc(trust->self, ((size_t)facts->operator_limit + 1) * sizeof(*first));
	if (!first)
		return TAV_FAILED;
	for (tav_row row = 0; row < trust->row_count; row++) {
		uint32_t id = operator_of(trust, row);

		if (id && is_operator(trust, row) && (!first[id] || trust->start[row] < trust->start[first[id] - 1]))
			first[id] = row + 1;
	}
	tolerance = tolerance > trust->res ? tolerance : trust->res;
	for (uint64_t i = 0; i < trust->device_count; i++) {
		tav_row row = trust->devices[i];
		uint32_t id = operator_of(trust, row);
		int64_t early;

		if (!id || !first[id])
			continue;
		named++;
		if (!is_believable(trust, row) || bit_is(trust->early, row))
			continue;
		examined++;
		early = trust->start[first[id] - 1] - trust->start[row];
		if (early > tolerance)
			found_by(verdict, row, early);
	}
	if (!named)
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "%s",
		             lacks_devices(trust) ? lacks_devices(trust)
		                                  : "no device event names an operator that is there");
	if (facts->repeats) {
		*verdict = (struct verdict){.worst = TAV_NONE};
		return judge(verdict, TRUST_INCONCLUSIVE, named,
		             "External id repeats the correlation: no link to operators");
	}
	if (!examined)
		return judge(verdict, TRUST_INCONCLUSIVE, 0,
		             "no device event with a believable time names an operator");
	if (!verdict->count)
		return judge(verdict, TRUST_PASS, examined, "%s start%s after %s", COUNTED(examined, "device event"),
		             tav_does(examined), examined == 1 ? "its operator" : "their operators");
	return judge(verdict, TRUST_FAIL, examined, "%s of %s start%s before the operator that %s; worst: %s by %s",
	             COUNTED(verdict->count, ""), COUNTED(examined, "device event"), tav_does(verdict->count),
	             verdict->count == 1 ? "it names" : "they name", NAME(trust, verdict->worst),
	             DURATION(verdict->worst_ns));
}

const struct trust_check check_op_first = {
        .id = "op_first",
        .question = "Does device work start after the operator that it names?",
        .worst = TRUST_FAIL,
        .absent = "the dialect knows no links to launches",
        .text = "An operator starts before the work that it launches. A device event that starts before the operator "
                "whose number it carries names the wrong one: the clocks are not to blame, since events that start "
                "before their own launch are left out.",
        .remedy = "take the operator around the launch instead",
        .applies = needs_links,
        .run = run,
};
