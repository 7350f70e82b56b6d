/* SPDX-License-Identifier: Apache-2.0 */
/* _exit() would end the run with status 0 and no report. */
#include <unistd.h>

#include "stage.h"

static tav_status each(struct tav_self *self)
{
	(void)self;
	_exit(0);
}
static const struct tav_stage bad = {.struct_size = sizeof(bad), .name = "bad", .summary = "s", .each = each};
PLUGIN(bad);
