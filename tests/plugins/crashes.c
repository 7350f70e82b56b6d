/* SPDX-License-Identifier: Apache-2.0 */
/* Reads where no memory is. */
#include "stage.h"

static tav_status each(struct tav_self *self)
{
	const volatile int *nowhere = (const volatile int *)((uintptr_t)self->reserved + 64);

	return *nowhere;
}
static const struct tav_stage bad = {.struct_size = sizeof(bad), .name = "bad", .summary = "s", .each = each};
PLUGIN(bad);
