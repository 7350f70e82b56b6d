/* SPDX-License-Identifier: Apache-2.0 */
/* Two options of one name. */
#include "stage.h"

static const struct tav_option options[] = {
        {"limit", TAV_TYPE_INT, 0, "10", NULL, NULL, NULL, "How many."},
        {"limit", TAV_TYPE_INT, 0, "20", NULL, NULL, NULL, "How many, again."},
};
static const struct tav_stage bad = {
        .struct_size = sizeof(bad), .name = "bad", .summary = "s", .options = TAV_LIST(options), .each = each_well};
PLUGIN(bad);
