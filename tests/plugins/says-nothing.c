/* SPDX-License-Identifier: Apache-2.0 */
/* run() succeeds without a check: nobody can tell what was looked at. */
#include "stage.h"

static tav_status each(struct tav_self *self)
{
	(void)self;
	return TAV_OK;
}
static const struct tav_stage bad = {.struct_size = sizeof(bad), .name = "bad", .summary = "s", .each = each};
PLUGIN(bad);
