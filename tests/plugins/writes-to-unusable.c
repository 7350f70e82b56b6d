/* SPDX-License-Identifier: Apache-2.0 */
/* The list of events without a time. */
#include "stage.h"

static tav_status each(struct tav_self *self)
{
	uint64_t count;
	volatile struct tav_unusable *list = (struct tav_unusable *)(uintptr_t)self->host->unusable(self, 0, &count);

	if (!count)
		return tav_fail(self, "no unusable event");
	list->row = 0;
	return tav_tell(self, 0, "bad", TAV_RESULT_PASS, 0, 1, "the list was changed");
}
static const struct tav_stage bad = {.struct_size = sizeof(bad), .name = "bad", .summary = "s", .each = each};
PLUGIN(bad);
