/* SPDX-License-Identifier: Apache-2.0 */
/* A finding of a severity that does not exist. */
#include "stage.h"

static tav_status each(struct tav_self *self)
{
	const struct tav_finding finding = {.struct_size = sizeof(finding),
	                                    .severity = 9,
	                                    .id = "strange",
	                                    .message = "Neither warning nor error",
	                                    .source = 0,
	                                    .count = 1};

	if (self->host->finding(self, &finding))
		return tav_fail(self, "the host did not take the finding");
	return TAV_OK;
}
static const struct tav_stage bad = {.struct_size = sizeof(bad), .name = "bad", .summary = "s", .each = each};
PLUGIN(bad);
