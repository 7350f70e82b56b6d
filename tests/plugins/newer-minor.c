/* SPDX-License-Identifier: Apache-2.0 */
/* Needs more than this host has. */
#define NEEDS_MINOR 7
#include "stage.h"

static const struct tav_stage bad = {.struct_size = sizeof(bad), .name = "bad", .summary = "s", .each = each_well};
PLUGIN(bad);
