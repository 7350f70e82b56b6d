/* SPDX-License-Identifier: Apache-2.0 */
/* A track that is serial no more would turn FAIL into PASS. */
#include "stage.h"

static tav_status each(struct tav_self *self)
{
	volatile struct tav_track *track = (struct tav_track *)(uintptr_t)self->host->track(self, 0, 0);

	if (!track)
		return tav_fail(self, "no track");
	track->flags = 0;
	return tav_tell(self, 0, "bad", TAV_RESULT_PASS, 0, 1, "the track was changed");
}
static const struct tav_stage bad = {.struct_size = sizeof(bad), .name = "bad", .summary = "s", .each = each};
PLUGIN(bad);
