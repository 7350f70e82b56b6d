/* SPDX-License-Identifier: Apache-2.0 */
/* What a plugin file offers, found out without running anything of it in this process. */
#ifndef PLUGIN_LOOK_H
#define PLUGIN_LOOK_H

#include <plugin/load.h>

/*
 * Whether an error says something of the machine, such as too many open files, and nothing of a plugin. Then no plugin
 * is refused, for the run would go on without it: `trouble` is set.
 */
bool look_is_trouble(int error);
/* What can be seen of a file without opening it as a library; NULL: nothing is wrong. */
const char *look_at_file(struct registry *registry, const char *path);
/* Of a folder of plugins, by the rights of all the folders above it too. */
const char *look_at_folder(struct registry *registry, const char *directory);
/*
 * Opens those of the files that are not refused yet in a forked process, and tells of each its names or why it is
 * refused. False: no memory, or other trouble.
 */
bool look_at_plugins(struct registry *registry, struct plugin_file *const *files, uint32_t count);
/* In this process: completes the parts of a file that was looked at. False: no memory. */
bool plugin_open(struct registry *registry, struct plugin_file *file);

#endif
