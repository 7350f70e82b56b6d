/* SPDX-License-Identifier: Apache-2.0 */
/* A list that points nowhere. */
#include "stage.h"

static tav_status each(struct tav_self *self)
{
	return each_well(self);
}
static const struct tav_stage bad = {.struct_size = sizeof(bad),
                                     .name = "bad",
                                     .summary = "s",
                                     .options = {(const struct tav_option *)8, 3, sizeof(struct tav_option)},
                                     .each = each};
PLUGIN(bad);
