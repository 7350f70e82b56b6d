/* SPDX-License-Identifier: Apache-2.0 */
/* The message is about the metric, not about memory. */
#include "stage.h"

static tav_status each(struct tav_self *self)
{
	if (tav_measure(self, 0, "share", 1, TAV_UNIT_COUNT, TAV_BETTER_UNKNOWN))
		return TAV_FAILED;
	return tav_measure(self, 0, "share", 2, TAV_UNIT_COUNT, TAV_BETTER_UNKNOWN);
}
static const struct tav_stage bad = {.struct_size = sizeof(bad), .name = "bad", .summary = "s", .each = each};
PLUGIN(bad);
