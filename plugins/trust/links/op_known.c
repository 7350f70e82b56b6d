/* SPDX-License-Identifier: Apache-2.0 */
#include "links.h"

static bool names_operator(const struct trust *trust, tav_row row)
{
	return is_interval(trust, row) && operator_of(trust, row) &&
	       trust->traits[row] & (TAV_TRAIT_DEVICE | TRUST_HOST_CALL);
}

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	const uint64_t *known = facts_of(trust)->known_operators;
	uint64_t named = 0, examined = 0, resolved = 0, operators = 0;

	for (uint32_t i = 0; i < facts_of(trust)->operator_limit / 64 + 1; i++)
		operators += known[i] != 0;
	if (!operators)
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "no operator has a number (External id)");
	for (tav_row row = 0; row < trust->row_count; row++) {
		uint32_t id = operator_of(trust, row);

		if (!names_operator(trust, row))
			continue;
		named++;
		/* A single copy of the link names nothing, and is no fault. */
		if (id == link_of(trust, row) && !bit_is(known, id))
			continue;
		examined++;
		resolved += bit_is(known, id);
		if (!bit_is(known, id))
			found(verdict, row);
	}
	if (!named)
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "no launch or device event names an operator");
	if (facts_of(trust)->repeats || !resolved) {
		*verdict = (struct verdict){.worst = TAV_NONE};
		return judge(verdict, TRUST_INCONCLUSIVE, named,
		             "External id repeats the correlation: no link to operators");
	}
	if (!verdict->count)
		return judge(verdict, TRUST_PASS, examined,
		             "the operators that %s launches and device events name are there%s%s%s",
		             COUNTED(examined, ""), named > examined ? " (" : "",
		             named > examined ? COUNTED(named - examined, "") : "",
		             named > examined ? " name none)" : "");
	return judge(verdict, TRUST_WARN, examined,
	             "%s of %s launches and device events name%s no operator that is there; first: %s",
	             COUNTED(verdict->count, ""), COUNTED(examined, ""), tav_does(verdict->count),
	             NAME(trust, verdict->rows[0]));
}

const struct trust_check check_op_known = {
        .id = "op_known",
        .question = "Is the operator that a launch or kernel names there?",
        .worst = TRUST_WARN,
        .absent = "the dialect knows no links to launches",
        .text = "Launches and device events name the operator around them by its number (args.External id). A number "
                "that no operator and no annotation has points to something that was not recorded.\n\nSome versions of "
                "Kineto (2021 to 2023) wrote the correlation there: then nothing can be told, and operators go by "
                "nesting.",
        .remedy = "take the operator around the launch instead",
        .applies = needs_links,
        .run = run,
};
