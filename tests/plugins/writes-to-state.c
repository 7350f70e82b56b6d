/* SPDX-License-Identifier: Apache-2.0 */
/* What create() made is the same for all sources. */
#include "stage.h"

static tav_status create(struct tav_self *self)
{
	self->state = self->host->keep(self, sizeof(int));
	return self->state ? TAV_OK : TAV_FAILED;
}
static tav_status each(struct tav_self *self)
{
	*(volatile int *)self->state = 1;
	return tav_tell(self, 0, "bad", TAV_RESULT_PASS, 0, 1, "the state was changed");
}
static const struct tav_stage bad = {
        .struct_size = sizeof(bad), .name = "bad", .summary = "s", .create = create, .each = each};
PLUGIN(bad);
