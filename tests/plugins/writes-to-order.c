/* SPDX-License-Identifier: Apache-2.0 */
/* Changes the order of the rows that all stages share. */
#include "stage.h"

static tav_status run(struct tav_self *self)
{
	const struct tav_order *order;

	if (self->host->order(self, 0, TAV_TRAIT_DEVICE, &order))
		return tav_fail(self, "no order");
	*(volatile tav_row *)(uintptr_t)order->rows = 1;
	return tav_check(self, TAV_RUN, "bad", TAV_RESULT_PASS, "the order was changed");
}
static const struct tav_stage bad = {.struct_size = sizeof(bad), .name = "bad", .summary = "s", .run = run};
PLUGIN(bad);
