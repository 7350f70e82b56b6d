/* SPDX-License-Identifier: Apache-2.0 */
/* An option of a type that does not exist. */
#include "stage.h"

static const struct tav_option options[] = {
        {"limit", 4711, 0, NULL, NULL, NULL, NULL, "How many."},
};
static const struct tav_stage bad = {
        .struct_size = sizeof(bad), .name = "bad", .summary = "s", .options = TAV_LIST(options), .each = each_well};
PLUGIN(bad);
