/* SPDX-License-Identifier: Apache-2.0 */
/* On a thread of the host. */
#include "stage.h"

static tav_status task(struct tav_self *self, uint32_t i, void *user)
{
	(void)user;
	return i == 7 ? *(const volatile int *)((uintptr_t)self->reserved + 64) : TAV_OK;
}
static tav_status each(struct tav_self *self)
{
	return self->host->parallel(self, 8, task, NULL);
}
static const struct tav_stage bad = {.struct_size = sizeof(bad), .name = "bad", .summary = "s", .each = each};
PLUGIN(bad);
