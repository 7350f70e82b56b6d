/* SPDX-License-Identifier: Apache-2.0 */
/* Changes the order of the rows that all stages share. */
#include "stage.h"

static tav_status each(struct tav_self *self)
{
	const struct tav_order *order;

	if (self->host->order(self, 0, TAV_TRAIT_DEVICE, &order))
		return tav_fail(self, "no order");
	*(volatile tav_row *)(uintptr_t)order->rows = 1;
	return tav_tell(self, 0, "bad", TAV_RESULT_PASS, 0, 1, "the order was changed");
}
static const struct tav_stage bad = {.struct_size = sizeof(bad), .name = "bad", .summary = "s", .each = each};
PLUGIN(bad);
