/* SPDX-License-Identifier: Apache-2.0 */
#include "links.h"

enum { AT_LEAST = 20 };

/* Launches, but of graphs, that found their device idle: everything on it had ended before. */
static tav_status count_idle(struct trust *trust, struct verdict *verdict)
{
	const struct tav_link_list *links = facts_of(trust)->links;
	size_t devices = (size_t)trust->about->device_count + 1;
	int64_t *end = trust->host->alloc(trust->self, devices * sizeof(*end));
	struct tav_walk walk;

	if (!end || trust_walk(trust, &walk))
		return TAV_FAILED;
	for (size_t device = 0; device < devices; device++)
		end[device] = INT64_MAX; /* nothing yet */
	for (tav_row row; (row = tav_walk_next(&walk)) != TAV_NONE;) {
		tav_row launch = links->launch[links->index[row]];
		int64_t *last = &end[device_of(trust, row)];

		if (!is_believable(trust, row))
			continue;
		if (launch != TAV_NONE && *last != INT64_MAX && *last <= trust->start[launch] &&
		    call_of(trust, launch) != TAV_CALL_GRAPH_LAUNCH)
			found(verdict, row);
		if (*last == INT64_MAX || trust->end[row] > *last)
			*last = trust->end[row];
	}
	return TAV_OK;
}

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	const struct link_facts *facts = facts_of(trust);
	int64_t least = INT64_MAX, limit = trust->self->options[OPT_LAG]->integer;
	uint64_t idle_launches = (uint64_t)trust->self->options[OPT_IDLE_LAUNCHES]->integer;
	uint64_t examined = facts->believable_count;

	if (lacks_links(trust, true))
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "%s", lacks_links(trust, true));
	if (examined < AT_LEAST)
		return judge(verdict, TRUST_INCONCLUSIVE, examined, "fewer than 20 linked device events");
	for (uint64_t i = 0; i < trust->device_count; i++) {
		tav_row launch = launch_of(trust, i);
		int64_t delay = launch == TAV_NONE ? INT64_MAX : trust->start[trust->devices[i]] - trust->start[launch];

		least = delay < least ? delay : least;
	}
	if (least <= limit)
		return judge(verdict, TRUST_PASS, examined, "the fastest of %s linked device events starts after %s",
		             COUNTED(examined, ""), DURATION(least));
	if (count_idle(trust, verdict))
		return TAV_FAILED;
	if (verdict->count >= idle_launches)
		return judge(verdict, TRUST_WARN, examined,
		             "even the fastest of %s linked device events waits %s, and so do %s that found the device "
		             "idle: the clocks of host and device are shifted",
		             COUNTED(examined, ""), DURATION(least), COUNTED(verdict->count, ""));
	*verdict = (struct verdict){.worst = TAV_NONE, .count = examined};
	return judge(
	        verdict, TRUST_NOTE, examined,
	        "even the fastest of %s linked device events waits %s: the queue was full when recording began, or "
	        "the clocks are shifted",
	        COUNTED(examined, ""), DURATION(least));
}

const struct trust_check check_lag = {
        .id = "lag",
        .question = "Does the device ever catch up with the host?",
        .worst = TRUST_WARN,
        .absent = "the dialect knows no links to launches",
        .text = "Somewhere in a trace of 20 launches or more the device has caught up, and a kernel starts soon after "
                "its launch. Where even the fastest waits longer than lag (1 ms), the queue was full all the time, or "
                "the device's clock is late.\n\nLaunches that found the device idle tell which: had the clocks agreed, "
                "their work would have started at once. Five of them make a warning.",
        .remedy = "do not trust launch delays, nor whether the device waited for the host",
        .applies = needs_links,
        .run = run,
};
