/* SPDX-License-Identifier: Apache-2.0 */
#include "links.h"

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	const struct tav_link_list *links = facts_of(trust)->links;
	bool is_kernel = false;

	if (lacks_devices(trust))
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "%s", lacks_devices(trust));
	for (uint64_t i = 0; i < trust->device_count; i++) {
		if (links->why[i] != TAV_LINK_NONE)
			continue;
		found(verdict, trust->devices[i]);
		is_kernel |= !(trust->traits[trust->devices[i]] & (TAV_TRAIT_MEMCPY | TAV_TRAIT_MEMSET));
	}
	if (!verdict->count)
		return judge(verdict, TRUST_PASS, trust->device_count, "%s carr%s a link to a launch",
		             COUNTED(trust->device_count, "device event"), trust->device_count == 1 ? "ies" : "y");
	return judge(verdict, is_kernel ? TRUST_WARN : TRUST_NOTE, trust->device_count,
	             "%s of %s carr%s no link to a launch%s", COUNTED(verdict->count, ""),
	             COUNTED(trust->device_count, "device event"), verdict->count == 1 ? "ies" : "y",
	             is_kernel ? "" : ": copies and fills only, which some recorders never link");
}

/* "No device events" is worth a word even where nobody knows launches. */
static bool applies(const struct trust *trust)
{
	return trust->is_linked || !trust->device_count;
}

const struct trust_check check_linked = {
        .id = "linked",
        .question = "Can device events be linked to their launches?",
        .worst = TRUST_WARN,
        .absent = "the dialect knows no links to launches",
        .text = "A device event and the call that launched it share a number (args.correlation). Without it nobody "
                "can tell which operator a kernel belongs to, or how long it waited.\n\nSome recorders write 0 for all "
                "copies and fills: that is a note.",
        .remedy = "leave these events out of what goes by launches",
        .applies = applies,
        .run = run,
};
