/* SPDX-License-Identifier: Apache-2.0 */
/* The options that the user gave. */
#include "stage.h"

static const struct tav_option options[] = {
        {"limit", TAV_TYPE_INT, 0, "10", "0", NULL, NULL, "How many."},
};
static tav_status each(struct tav_self *self)
{
	*(volatile int64_t *)(uintptr_t)&self->options[0]->integer = 1;
	return tav_tell(self, 0, "bad", TAV_RESULT_PASS, 0, 1, "the option was changed");
}
static const struct tav_stage bad = {
        .struct_size = sizeof(bad), .name = "bad", .summary = "s", .options = TAV_LIST(options), .each = each};
PLUGIN(bad);
