/* SPDX-License-Identifier: Apache-2.0 */
#include "links.h"

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	struct link_facts *facts = facts_of(trust);
	int64_t tolerance = trust->self->options[OPT_CLOCK_TOLERANCE]->integer;
	tav_row worst_launch = TAV_NONE;

	if (lacks_links(trust, true))
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "%s", lacks_links(trust, true));
	for (uint64_t i = 0; i < trust->device_count; i++) {
		tav_row row = trust->devices[i], launch = launch_of(trust, i);
		int64_t delay;

		if (launch == TAV_NONE)
			continue;
		delay = trust->start[row] - trust->start[launch];
		facts->least_delay = delay < facts->least_delay ? delay : facts->least_delay;
		if (-delay <= tolerance)
			continue;
		found_by(verdict, row, -delay);
		bit_set(trust->early, row);
		if (verdict->worst == row)
			worst_launch = launch;
	}
	if (!verdict->count)
		return judge(verdict, TRUST_PASS, facts->believable_count, "%s start%s after %s; the least delay is %s",
		             COUNTED(facts->believable_count, "linked device event"), tav_does(facts->believable_count),
		             facts->believable_count == 1 ? "its launch" : "their launches",
		             DURATION(facts->least_delay));
	return judge(verdict, clock_result(trust, verdict->worst_ns), facts->believable_count,
	             "%s of %s start%s before %s; worst: %s by %s (launched by %s): the clocks of host and device "
	             "disagree by at least that",
	             COUNTED(verdict->count, ""), COUNTED(facts->believable_count, "linked device event"),
	             tav_does(verdict->count), verdict->count == 1 ? "its launch" : "their launches",
	             NAME(trust, verdict->worst), DURATION(verdict->worst_ns), NAME(trust, worst_launch));
}

const struct trust_check check_launch_first = {
        .id = "launch_first",
        .question = "Does every device event start after its launch?",
        .worst = TRUST_FAIL,
        .absent = "the dialect knows no links to launches",
        .text = "Nothing runs before it is launched. A device event that starts more than clock_tolerance (1 us) "
                "before the call that launched it proves that the two clocks disagree, by at least that much; up to "
                "clock_bound (50 us) it is a warning, and the words state the bound.\n\nWhere all is well the message "
                "says the least delay: the device's clock can be early by no more than that.",
        .remedy = "do not read delays or idle time finer than this bound",
        .applies = needs_links,
        .run = run,
};
