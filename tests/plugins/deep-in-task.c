/* SPDX-License-Identifier: Apache-2.0 */
/* Runs out of stack, on a thread of the host. */
#include "stage.h"

static int deeper(const volatile int *above)
{
	volatile char page[4096];

	page[0] = (char)*above;
	return *above == 2 ? 0 : deeper((const volatile int *)page) + page[0];
}
static tav_status task(struct tav_self *self, uint32_t i, void *user)
{
	volatile int top = 1;

	(void)self;
	(void)user;
	return i == 7 ? deeper(&top) : TAV_OK;
}
static tav_status each(struct tav_self *self)
{
	return self->host->parallel(self, 8, task, NULL);
}
static const struct tav_stage bad = {.struct_size = sizeof(bad), .name = "bad", .summary = "s", .each = each};
PLUGIN(bad);
