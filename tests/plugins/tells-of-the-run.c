/* SPDX-License-Identifier: Apache-2.0 */
/* In each() there is one source, and no run yet. */
#include "stage.h"

static tav_status each(struct tav_self *self)
{
	return tav_tell(self, TAV_RUN, "bad", TAV_RESULT_PASS, 0, 1, "all is well");
}
static const struct tav_stage bad = {.struct_size = sizeof(bad), .name = "bad", .summary = "s", .each = each};
PLUGIN(bad);
