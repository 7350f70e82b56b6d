/* SPDX-License-Identifier: Apache-2.0 */
#include "structure.h"

static bool is_simple(const struct flow_end *flow, uint64_t count)
{
	uint64_t starts = 0, finishes = 0;

	for (uint64_t i = 0; i < count; i++) {
		starts += flow[i].what == FLOW_START;
		finishes += flow[i].what == FLOW_FINISH;
	}
	return starts == 1 && finishes > 0;
}

/* An id may be used again after its finish; a step may end a flow. */
static void judge_flow(struct verdict *verdict, const struct flow_end *flow, uint64_t count)
{
	tav_row open = TAV_NONE;
	bool has_step = false;

	if (is_simple(flow, count))
		return;
	for (uint64_t i = 0; i < count; i++) {
		switch (flow[i].what) {
		case FLOW_START:
			if (open != TAV_NONE && !has_step)
				found(verdict, open);
			open = flow[i].row;
			has_step = false;
			break;
		case FLOW_FINISH:
			if (open == TAV_NONE)
				found(verdict, flow[i].row);
			open = TAV_NONE;
			break;
		default:
			has_step = true;
		}
	}
	if (open != TAV_NONE && !has_step)
		found(verdict, open);
}

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	const struct structure_facts *facts = facts_of(trust);
	uint64_t examined = 0, to;

	for (uint64_t from = 0; from < facts->flow_count; from = to) {
		to = flow_limit(trust, from);
		/* Kineto writes one half for a call without device work. */
		if (is_launch_flow(trust, &facts->flows[from]))
			continue;
		examined++;
		judge_flow(verdict, &facts->flows[from], to - from);
	}
	if (!examined)
		return does_not_apply(verdict);
	if (!verdict->count)
		return judge(verdict, TRUST_PASS, examined, "%s ha%s a start and an end", COUNTED(examined, "flow"),
		             examined == 1 ? "s" : "ve");
	return judge(verdict, TRUST_WARN, examined, "among %s are %s without the other end; first: %s",
	             COUNTED(examined, "flow"), COUNTED(verdict->count, "place"), NAME(trust, verdict->rows[0]));
}

const struct trust_check check_flow_ends = {
        .id = "flow_ends",
        .question = "Has every flow a start and an end?",
        .worst = TRUST_WARN,
        .text = "A flow with a start (ph s) and no end, an end (ph f) without a start, or a start while the same id is "
                "still open. Viewers draw no arrow then, and what follows from what is lost.\n\nFlows from launches to "
                "device work are left out, since their producer writes halves as a matter of course.",
        .remedy = "do not count what these arrows would join",
        .run = run,
};
