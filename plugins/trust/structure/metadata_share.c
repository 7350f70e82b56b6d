/* SPDX-License-Identifier: Apache-2.0 */
#include "structure.h"

enum { AT_LEAST = 1000 };

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	uint64_t count = facts_of(trust)->phases['M'], examined = trust->about->event_count;

	if (examined < AT_LEAST)
		return judge(verdict, TRUST_INCONCLUSIVE, examined, "fewer than 1,000 events");
	if (count <= examined / 2)
		return judge(verdict, TRUST_PASS, examined, "%s of the events are names and other metadata",
		             SHARE(count, examined));
	verdict->count = count;
	return judge(verdict, TRUST_NOTE, examined,
	             "%s of %s events are names and other metadata: most name nothing that is in the trace",
	             COUNTED(count, ""), COUNTED(examined, ""));
}

const struct trust_check check_metadata_share = {
        .id = "metadata_share",
        .question = "How much of the file is metadata?",
        .worst = TRUST_NOTE,
        .text = "Events with ph M only name processes and threads. Where they are more than half of a file of 1,000 "
                "events or more, the file is mostly names: of processes without events, or each said again and again.",
        .run = run,
};
