/* SPDX-License-Identifier: Apache-2.0 */
/* Judges what a plugin declares and copies it into complete structs of the host's own. Calls nothing of the plugin. */
#ifndef PLUGIN_ADOPT_H
#define PLUGIN_ADOPT_H

#include <plugin/load.h>

/* Sets file->refused with a reason, or appends the plugin's parts to the registry. False: no memory. */
bool plugin_adopt(struct registry *registry, struct plugin_file *file, const struct tav_plugin *plugin);

#endif
