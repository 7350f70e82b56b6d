/* SPDX-License-Identifier: Apache-2.0 */
/* A ratio that is no number. */
#include "stage.h"

static tav_status run(struct tav_self *self)
{
	volatile double zero = 0;

	if (self->host->ratio(self, TAV_RUN, "share", zero / zero, TAV_UNIT_RATIO))
		return tav_fail(self, "the host did not take the ratio");
	return TAV_OK;
}
static const struct tav_stage bad = {.struct_size = sizeof(bad), .name = "bad", .summary = "s", .run = run};
PLUGIN(bad);
