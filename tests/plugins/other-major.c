/* SPDX-License-Identifier: Apache-2.0 */
/* Built for another major version of the interface. */
#define NEEDS_MAJOR 3
#include "stage.h"

static const struct tav_stage bad = {.struct_size = sizeof(bad), .name = "bad", .summary = "s", .each = each_well};
PLUGIN(bad);
