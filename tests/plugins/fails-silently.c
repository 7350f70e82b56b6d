/* SPDX-License-Identifier: Apache-2.0 */
/* run() fails and does not say why. */
#include "stage.h"

static tav_status each(struct tav_self *self)
{
	(void)self;
	return TAV_FAILED;
}
static const struct tav_stage bad = {.struct_size = sizeof(bad), .name = "bad", .summary = "s", .each = each};
PLUGIN(bad);
