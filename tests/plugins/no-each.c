/* SPDX-License-Identifier: Apache-2.0 */
/* A stage without run(). */
#include "stage.h"

static const struct tav_stage bad = {.struct_size = sizeof(bad), .name = "bad", .summary = "s"};
PLUGIN(bad);
