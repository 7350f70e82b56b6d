/* SPDX-License-Identifier: Apache-2.0 */
/* Other stages would believe in rows that are not there. */
#include "stage.h"

static tav_status each(struct tav_self *self)
{
	volatile struct tav_source *source = (struct tav_source *)(uintptr_t)self->host->source(self, 0);

	source->row_count = 1;
	return tav_tell(self, 0, "bad", TAV_RESULT_PASS, 0, 1, "the source was changed");
}
static const struct tav_stage bad = {.struct_size = sizeof(bad), .name = "bad", .summary = "s", .each = each};
PLUGIN(bad);
