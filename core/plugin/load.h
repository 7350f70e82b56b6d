/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plugins that can be found: judged in a process of their own, opened in this one when they are needed, and copied
 * into structs of our own size, so that nobody behind this file sees a struct_size or an item_size. Nothing is ever
 * unloaded.
 */
#ifndef PLUGIN_LOAD_H
#define PLUGIN_LOAD_H

#include <kit/cause.h>
#include <option/option.h>

struct plugin_file {
	struct plugin_file *next; /* in the order of the search */
	const char *path;
	uint64_t directory;  /* number of its directory, to tell a clash from a shadow */
	const char *refused; /* the reason; NULL: it was not */
	const char *name, *version, *license;
	unsigned abi_major, abi_minor;
	bool is_open; /* its parts are complete; else they have name and summary alone */
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
	const char *version; /* of the plugin */
	/* of a stage */
	uint32_t flags; /* TAV_STAGE_... */
	uint32_t need_count, page_count;
	const char *const *needs; /* names of stages; ends with NULL */
	const struct tav_page *pages;
};
struct registry {
	struct arena arena;
	struct plugin_file *files;
	struct part *parts;
	uint64_t directory_count;
	struct directory_id *directories;
	const char *trouble; /* why files could not be looked at: memory, descriptors, an I/O error; NULL: they could */
};

/*
 * Looks at all *.so of a directory, in the order of their names; opens none. A directory that cannot be read is an
 * error only where `is_named`: the user asked for it. TAV_FAILED: causes.
 */
tav_status registry_scan(struct registry *registry, const char *directory, bool is_named, struct causes *causes);
/* One file, as if alone in its directory, and open; its plugin_file tells whether it was refused. NULL: trouble. */
struct plugin_file *registry_load(struct registry *registry, const char *path);
/* After the last scan: parts that share a name are refused within a directory and shadowed between directories. */
bool registry_settle(struct registry *registry);
/* A static table instead of files, for programs that link their plugins. The name stands for the path. */
struct plugin_file *registry_add(struct registry *registry, const struct tav_plugin *plugin, const char *path);

/* Opens its file if need be. NULL: there is none, no memory, or the file is refused now, though it was not before. */
const struct part *registry_find(struct registry *registry, bool is_dialect, const char *name);
/* The same as far as it is known without opening anything. */
const struct part *registry_look(const struct registry *registry, bool is_dialect, const char *name);
bool registry_open_all(struct registry *registry); /* that are not refused; false: no memory */
/* The page of a check, finding, table or metric; NULL: the stage has none of that id. */
const struct tav_page *part_page(const struct part *part, const char *id);
/* The refused file that `name` was probably to come from; NULL: none. */
const struct plugin_file *registry_find_refused(const struct registry *registry, const char *name);
/* Names of the usable ones, ends with NULL. NULL: no memory. */
const char *const *registry_names(struct registry *registry, bool is_dialect);
void registry_fini(struct registry *registry);

/*
 * Where plugins and ready configs are when this program was installed, or built: relative to the program itself. "":
 * not known; NULL: no memory.
 */
const char *installed_plugin_directory(struct arena *arena);
const char *installed_data_directory(struct arena *arena);
/* Names of the pipelines that come with this program, for -c; ends with NULL. NULL: no memory, or none. */
const char *const *ready_pipelines(struct arena *arena);
/* The user's own plugins; "": no home, or the program runs with rights that the user does not have. NULL: no memory. */
const char *user_plugin_directory(struct arena *arena);

#endif
