/* SPDX-License-Identifier: Apache-2.0 */
/* A name of an event. */
#include "stage.h"

static tav_status each(struct tav_self *self)
{
	const char *name = self->host->label(self, 0, 0, NULL).data;

	*(volatile char *)(uintptr_t)name = 0;
	return tav_tell(self, 0, "bad", TAV_RESULT_PASS, 0, 1, "the text was changed");
}
static const struct tav_stage bad = {.struct_size = sizeof(bad), .name = "bad", .summary = "s", .each = each};
PLUGIN(bad);
