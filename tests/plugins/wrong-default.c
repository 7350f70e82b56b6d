/* SPDX-License-Identifier: Apache-2.0 */
/* An option whose own default is not of its type. */
#include "stage.h"

static const struct tav_option options[] = {
        {"limit", TAV_TYPE_INT, 0, "ten", "0", "100", NULL, "How many."},
};
static const struct tav_stage bad = {
        .struct_size = sizeof(bad), .name = "bad", .summary = "s", .options = TAV_LIST(options), .each = each_well};
PLUGIN(bad);
