/* SPDX-License-Identifier: Apache-2.0 */
/* generic - any Chrome trace: no device work, so that stages which look at every event can still be used. */
#include <tav/plugin.h>

static const struct tav_dialect generic = {
        .struct_size = sizeof(generic),
        .name = "generic",
        .summary = "Any Chrome trace; knows no device work, and is only taken when named",
};

static const struct tav_dialect *const dialects[] = {&generic, NULL};
TAV_EXPORT const struct tav_plugin tav_plugin = {
        TAV_PLUGIN_HEAD, .name = "generic", .version = "2.0.0", .license = "Apache-2.0", .dialects = dialects,
};
