/* SPDX-License-Identifier: Apache-2.0 */
/* create() refuses. */
#include "stage.h"

static tav_status create(struct tav_self *self)
{
	return tav_fail(self, "the moon is not %s", "full");
}
static const struct tav_stage bad = {
        .struct_size = sizeof(bad), .name = "bad", .summary = "s", .create = create, .each = each_well};
PLUGIN(bad);
