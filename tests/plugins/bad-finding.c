/* SPDX-License-Identifier: Apache-2.0 */
/* A finding that points behind the last event. */
#include "stage.h"

static tav_status each(struct tav_self *self)
{
	const struct tav_ref refs[] = {{0, 1000000}};
	const struct tav_finding finding = {.struct_size = sizeof(finding),
	                                    .severity = TAV_SEV_ERROR,
	                                    .id = "too_far",
	                                    .message = "An event that is not there",
	                                    .source = 0,
	                                    .refs_each = 1,
	                                    .count = 1,
	                                    .instance_count = 1,
	                                    .refs = refs};

	if (self->host->finding(self, &finding))
		return tav_fail(self, "the host did not take the finding");
	return TAV_OK;
}
static const struct tav_stage bad = {.struct_size = sizeof(bad), .name = "bad", .summary = "s", .each = each};
PLUGIN(bad);
