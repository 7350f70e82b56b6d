/* SPDX-License-Identifier: Apache-2.0 */
/* The message is about the unit, not about memory. */
#include "stage.h"

static tav_status each(struct tav_self *self)
{
	return tav_measure(self, 0, "share", 1, 99, TAV_BETTER_UNKNOWN);
}
static const struct tav_stage bad = {.struct_size = sizeof(bad), .name = "bad", .summary = "s", .each = each};
PLUGIN(bad);
