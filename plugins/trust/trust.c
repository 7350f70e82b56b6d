/* SPDX-License-Identifier: Apache-2.0 */
#include "trust.h"

static const struct tav_stage *const stages[] = {
        &stage_timing, &stage_links, &stage_structure, &stage_coverage, &stage_ranks, &stage_answers, NULL};

TAV_EXPORT const struct tav_plugin tav_plugin = {
        TAV_PLUGIN_HEAD, .name = "trust", .version = "1.0.0", .license = "Apache-2.0", .stages = stages,
};
