/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plugins that can be found: loaded, judged, and copied into structs of our own size, so that nobody behind this
 * file sees a struct_size or an item_size. Nothing is ever unloaded.
 */
#ifndef PIPELINE_LOAD_H
#define PIPELINE_LOAD_H

#include <base/cause.h>
#include <pipeline/option.h>

struct plugin_file {
	struct plugin_file *next; /* in the order of the search */
	const char *path;
	uint64_t directory;  /* number of its directory, to tell a clash from a shadow */
	const char *refused; /* the reason; NULL: it was not */
	const char *name, *version, *license;
	unsigned abi_major, abi_minor;
};
/* A dialect or a stage. */
struct part {
	struct part *next; /* in the order of the search */
	const struct plugin_file *file;
	const char *shadowed_by; /* path of the plugin that was found first; NULL: this one is used */
	bool is_dialect;
	const char *name, *summary, *help;
	const struct tav_option *options;
	const struct tav_value *const *presets;
	uint32_t option_count, field_count;
	const struct tav_field *fields;
	struct tav_dialect dialect; /* complete; its lists have our item sizes */
	struct tav_stage stage;
};
struct registry {
	struct arena arena;
	struct plugin_file *files;
	struct part *parts;
	uint64_t directory_count;
	struct directory_id *directories;
};

/*
 * Loads all *.so of a directory, in the order of their names. A directory that cannot be read is an error only where
 * `is_named`: the user asked for it. TAV_FAILED: causes.
 */
tav_status registry_scan(struct registry *registry, const char *directory, bool is_named, struct causes *causes);
/* One file, as if alone in its directory; its plugin_file tells whether it was refused. NULL: no memory. */
struct plugin_file *registry_load(struct registry *registry, const char *path);
/* After the last scan: parts that share a name are refused within a directory and shadowed between directories. */
bool registry_settle(struct registry *registry);
/* A static table instead of files, for programs that link their plugins. The name stands for the path. */
struct plugin_file *registry_add(struct registry *registry, const struct tav_plugin *plugin, const char *path);

const struct part *registry_find(const struct registry *registry, bool is_dialect, const char *name);
/* The refused file that `name` was probably to come from; NULL: none. */
const struct plugin_file *registry_find_refused(const struct registry *registry, const char *name);
/* Names of the usable ones, ends with NULL. NULL: no memory. */
const char *const *registry_names(struct registry *registry, bool is_dialect);
void registry_fini(struct registry *registry);

/* Where plugins and ready configs are when this program was installed, or built: relative to the program itself. */
const char *installed_plugin_directory(struct arena *arena);
const char *installed_data_directory(struct arena *arena);
/* The user's own plugins; NULL: no home, or the program runs with rights that the user does not have. */
const char *user_plugin_directory(struct arena *arena);

#endif
