/* SPDX-License-Identifier: Apache-2.0 */
/* insight - where the time goes, and what it would be worth: wall-time, operators, collectives. */
#include "insight.h"

static const struct tav_stage *const stages[] = {&wall_stage, &operators_stage, &collectives_stage, NULL};

const struct tav_plugin tav_plugin = {
        TAV_PLUGIN_HEAD, .name = "insight", .version = "1.0.0", .license = "Apache-2.0", .stages = stages,
};
