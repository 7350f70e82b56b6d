/* SPDX-License-Identifier: Apache-2.0 */
/* Stages that change traces: each says what it would change, and the trace report writes it. */
#include "edit.h"

static const struct tav_stage *const stages[] = {&overlap_resolve, &slice, &rebase, &annotate, &merge, &redact, NULL};

TAV_EXPORT const struct tav_plugin tav_plugin = {
        TAV_PLUGIN_HEAD, .name = "edit", .version = "1.0.0", .license = "Apache-2.0", .stages = stages,
};
