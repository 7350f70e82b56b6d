/* SPDX-License-Identifier: Apache-2.0 */
/* Changes the trace. */
#include "stage.h"

static tav_status each(struct tav_self *self)
{
	const int64_t *start = self->host->column(self, 0, TAV_COL_START_NS);

	if (!start)
		return tav_fail(self, "no start");
	*(volatile int64_t *)(uintptr_t)start = 42;
	return tav_tell(self, 0, "bad", TAV_RESULT_PASS, 0, 1, "the trace was changed");
}
static const struct tav_stage bad = {.struct_size = sizeof(bad), .name = "bad", .summary = "s", .each = each};
PLUGIN(bad);
