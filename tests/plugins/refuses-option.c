/* SPDX-License-Identifier: Apache-2.0 */
/* create() finds that the value of an option cannot be used. */
#include "stage.h"

static const struct tav_option options[] = {
        {"limit", TAV_TYPE_INT, 0, "10", "0", NULL, NULL, "How many; even."},
};
static tav_status create(struct tav_self *self)
{
	if (self->options[0]->integer % 2)
		return self->host->bad_option(self, 0, "an odd number does not do");
	return TAV_OK;
}
static const struct tav_stage bad = {.struct_size = sizeof(bad),
                                     .name = "bad",
                                     .summary = "s",
                                     .options = TAV_LIST(options),
                                     .create = create,
                                     .each = each_well};
PLUGIN(bad);
