/* SPDX-License-Identifier: Apache-2.0 */
/* run() fails, with two causes. */
#include "stage.h"

static tav_status look(struct tav_self *self)
{
	return tav_fail(self, "the lamp is out");
}
static tav_status each(struct tav_self *self)
{
	if (look(self))
		return tav_fail(self, "cannot see %d events", 3);
	return TAV_OK;
}
static const struct tav_stage bad = {.struct_size = sizeof(bad), .name = "bad", .summary = "s", .each = each};
PLUGIN(bad);
