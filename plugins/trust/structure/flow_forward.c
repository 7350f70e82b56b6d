/* SPDX-License-Identifier: Apache-2.0 */
#include "structure.h"

/* By how much the first finish comes before the start; 0: it does not. Of one flow, by time. */
static int64_t backwards(const struct flow_end *flow, uint64_t count, const struct flow_end **start, bool *is_whole)
{
	const struct flow_end *finish = NULL;

	*start = NULL;
	for (uint64_t i = 0; i < count; i++) {
		if (flow[i].what == FLOW_START && !*start)
			*start = &flow[i];
		if (flow[i].what == FLOW_FINISH && !finish)
			finish = &flow[i];
	}
	*is_whole = *start && finish;
	return *is_whole && finish->time < (*start)->time ? (*start)->time - finish->time : 0;
}

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	const struct structure_facts *facts = facts_of(trust);
	int64_t tolerance = trust->self->options[OPT_CLOCK_TOLERANCE]->integer;
	uint64_t examined = 0, to;

	for (uint64_t from = 0; from < facts->flow_count; from = to) {
		const struct flow_end *start;
		bool is_whole;
		int64_t by = 0;

		to = flow_limit(trust, from);
		/* Arrows of launches are told by launch_first, where there are links. */
		if (facts->has_links && is_launch_flow(trust, &facts->flows[from]))
			continue;
		by = backwards(&facts->flows[from], to - from, &start, &is_whole);
		examined += is_whole;
		if (by > tolerance)
			found_by(verdict, start->row, by);
	}
	if (!examined)
		return does_not_apply(verdict);
	if (!verdict->count)
		return judge(verdict, TRUST_PASS, examined, "%s point%s forward in time", COUNTED(examined, "flow"),
		             tav_does(examined));
	return judge(verdict, TRUST_FAIL, examined, "%s of %s end%s before %s; worst: %s by %s",
	             COUNTED(verdict->count, ""), COUNTED(examined, "flow"), tav_does(verdict->count),
	             verdict->count == 1 ? "its start" : "their starts", NAME(trust, verdict->worst),
	             DURATION(verdict->worst_ns));
}

const struct trust_check check_flow_forward = {
        .id = "flow_forward",
        .question = "Does every flow arrow point forward?",
        .worst = TRUST_FAIL,
        .text = "A flow goes from its cause (ph s) to its effect (ph f). An arrow that points back in time, by more "
                "than clock_tolerance, has a wrong time at one end, or joins two things that do not belong "
                "together.\n\nFlows from launches to kernels are judged by launch_first instead.",
        .remedy = "do not follow these arrows",
        .run = run,
};
