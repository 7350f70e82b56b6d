/* SPDX-License-Identifier: Apache-2.0 */
/* One bad file in a folder must not end runs that do not need it. */
#include <stdlib.h>

#include "stage.h"

__attribute__((constructor)) static void leave(void)
{
	exit(0);
}
static tav_status each(struct tav_self *self)
{
	return each_well(self);
}
static const struct tav_stage bad = {.struct_size = sizeof(bad), .name = "bad", .summary = "s", .each = each};
PLUGIN(bad);
