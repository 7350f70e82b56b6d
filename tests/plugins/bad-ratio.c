/* SPDX-License-Identifier: Apache-2.0 */
/* A ratio that is no number. */
#include "stage.h"

static tav_status each(struct tav_self *self)
{
	volatile double zero = 0;

	if (tav_ratio(self, 0, "share", zero / zero, TAV_UNIT_RATIO))
		return tav_fail(self, "the host did not take the ratio");
	return TAV_OK;
}
static const struct tav_stage bad = {.struct_size = sizeof(bad), .name = "bad", .summary = "s", .each = each};
PLUGIN(bad);
