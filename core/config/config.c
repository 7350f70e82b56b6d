/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <config/template.h>
#include <kit/text.h>

enum { MOST_STAGES = 1000 };

const char *const config_keys[] = {"version", "dialect", "plugin_dirs", "stages", "dialects",
                                   "reports", "fail_on", "waivers",     NULL};
const char *const config_report_keys[] = {"format", "path", NULL};

/* The pipeline of those who name none; config/verify.yaml says the same. */
static const char default_pipeline[] = "version: 1\nstages: [overlap-verify]\n";

static const char *copy(struct config *config, const char *text, struct diags *diags)
{
	char *result = arena_copy(&config->arena, text, strlen(text));

	diags->is_out_of_memory |= !result;
	return result;
}

static bool is_path(const char *name)
{
	size_t size = strlen(name);
	struct stat status;

	return strchr(name, '/') || (size > 5 && !strcmp(name + size - 5, ".yaml")) ||
	       (size > 4 && !strcmp(name + size - 4, ".yml")) || (!stat(name, &status) && !S_ISDIR(status.st_mode));
}

static const char *ready_path(struct config *config, const char *name)
{
	const char *directory = installed_data_directory(&config->arena);

	return directory && *directory ? arena_printf(&config->arena, "%s/%s.yaml", directory, name) : NULL;
}

static void report_no_pipeline(struct config *config, const char *name, struct diags *diags)
{
	static const char *const none[] = {NULL};
	const char *directory = installed_data_directory(&config->arena);
	const char *const *ready = ready_pipelines(&config->arena);

	diag_error(diags, argument_place(&config->arena, "-c", name),
	           "no such file, and no ready pipeline of that name%s%s%s", directory && *directory ? " in " : "",
	           directory ? directory : "", diag_suggestion(diags, name, ready ? ready : none));
}

static bool read_config(struct config *config, const char *name, struct diags *diags)
{
	struct diag_text *text;
	const char *path = name;

	if (!is_path(name)) {
		path = ready_path(config, name);
		if (!path || access(path, F_OK)) {
			report_no_pipeline(config, name, diags);
			return false;
		}
	}
	if (!yaml_read_file(path, path, &config->arena, &text, diags))
		return false;
	config->text = text;
	const char *slash = strrchr(path, '/');
	config->directory = slash ? arena_copy(&config->arena, path, (size_t)(slash - path) + (slash == path)) : "";
	return config->directory != NULL;
}

static void read_plugin_dirs(struct config *config, struct diags *diags)
{
	const struct node *dirs = node_get(config->root, "plugin_dirs");

	if (!dirs)
		return;
	if (dirs->kind != NODE_LIST) {
		diag_error(diags, dirs->place, "'plugin_dirs' is %s; it must be a list of directories",
		           node_kind_name(dirs));
		return;
	}
	config->plugin_dirs = arena_array(&config->arena, dirs->count, sizeof(*config->plugin_dirs));
	for (uint32_t i = 0; config->plugin_dirs && i < dirs->count; i++) {
		const struct node *dir = dirs->items[i];

		if (dir->kind != NODE_SCALAR || node_is_null(dir) || !*dir->text) {
			diag_error(diags, dir->place, "%s is not a directory", node_kind_name(dir));
			continue;
		}
		const char *path = path_resolve(config->directory, dir->text, &config->arena);
		if (path && access(path, R_OK | X_OK))
			diag_error(diags, dir->place, "the plugin directory '%s' cannot be searched", path);
		config->plugin_dirs[config->plugin_dir_count++] = path;
		diags->is_out_of_memory |= !path;
	}
}

/* What a run of -s stages is called in its report: their names. */
static const char *joined_names(struct config *config, struct diags *diags)
{
	const char *names = config->stage_names[0];

	for (uint32_t i = 1; names && i < config->stage_name_count; i++)
		names = arena_printf(&config->arena, "%s, %s", names, config->stage_names[i]);
	diags->is_out_of_memory |= !names;
	return names;
}

bool config_open(struct config *config, const struct config_arguments *arguments, struct diags *diags)
{
	if (arguments->stage_count) {
		config->stage_names = arguments->stages;
		config->stage_name_count = arguments->stage_count;
		config->pipeline = joined_names(config, diags);
		return config->pipeline != NULL;
	}
	if (arguments->file) {
		config->pipeline = copy(config, arguments->file, diags);
		if (!read_config(config, arguments->file, diags))
			return false;
	} else {
		struct diag_text *text = arena_alloc(&config->arena, sizeof(*text));

		if (!text) {
			diags->is_out_of_memory = true;
			return false;
		}
		*text = (struct diag_text){"the built-in pipeline", default_pipeline, sizeof(default_pipeline) - 1,
		                           false};
		config->text = text;
		config->pipeline = "verify";
	}
	config->root = yaml_parse(config->text, &config->arena, diags);
	if (!config->root)
		return false;
	if (config->root->kind != NODE_MAP) {
		diag_error(diags, config->root->place, "%s where a config has keys, such as 'version: 1' and 'stages:'",
		           node_kind_name(config->root));
		return false;
	}
	read_plugin_dirs(config, diags);
	return true; /* mistakes found so far are listed with those still to come */
}

static void check_keys(const struct node *map, const char *const *keys, const char *owner, struct diags *diags)
{
	for (uint32_t i = 0; i < map->count; i++) {
		const struct node *key = map->keys[i];
		const char *const *known = keys;

		while (*known && strcmp(*known, key->text))
			known++;
		if (!*known)
			diag_error(diags, key->place, "%s has no key '%s'%s", owner, key->text,
			           diag_suggestion(diags, key->text, keys));
	}
}

static void check_version(const struct config *config, struct diags *diags)
{
	const struct node *version = node_get(config->root, "version");

	if (!version)
		diag_error(diags, config->root->place, "the key 'version' is missing; write 'version: 1'");
	else if (version->kind != NODE_SCALAR || strcmp(version->text, "1"))
		diag_error(diags, version->place, "this program reads configs of version 1");
}

/* A single word under `key`; NULL: absent, or wrong and reported. */
static const struct node *word_of(const struct node *map, const char *key, const char *meaning, struct diags *diags)
{
	const struct node *node = node_get(map, key);

	if (node && (node->kind != NODE_SCALAR || node_is_null(node) || !*node->text)) {
		diag_error(diags, node->place, "'%s' is %s; it must be %s", key, node_kind_name(node), meaning);
		return NULL;
	}
	return node;
}

/* What may be the reason that a name is unknown. */
static const char *list_refused(const struct registry *registry, struct diags *diags)
{
	const char *text = "";

	for (const struct plugin_file *file = registry->files; file && text; file = file->next) {
		if (file->refused)
			text = arena_printf(&diags->arena, "%s; %s was refused: %s", text, file->path, file->refused);
	}
	return text ? text : "";
}

/* Finds a part or says what is wrong with the name. */
static const struct part *find_part(struct registry *registry, bool is_dialect, const char *name, struct place place,
                                    struct diags *diags)
{
	const struct part *part = registry_find(registry, is_dialect, name);
	const char *kind = is_dialect ? "dialect" : "stage";

	if (part)
		return part;
	const struct plugin_file *refused = registry_find_refused(registry, name);
	const char *const *names = registry_names(registry, is_dialect);
	if (!names)
		diags->is_out_of_memory = true;
	else if (refused)
		diag_error(diags, place, "the %s '%s' cannot be used: %s was refused: %s", kind, name, refused->path,
		           refused->refused);
	else
		diag_error(diags, place, "no plugin offers the %s '%s'%s%s", kind, name,
		           names[0] ? diag_suggestion(diags, name, names) : "; none was found (--plugin-dir DIR)",
		           list_refused(registry, diags));
	return NULL;
}

static void read_dialect(struct config *config, const struct config_arguments *arguments, struct registry *registry,
                         struct diags *diags)
{
	const struct node *node = config->root ? word_of(config->root, "dialect", "a name, or auto", diags) : NULL;
	const char *name = node ? node->text : NULL;
	struct place place = node ? node->place : (struct place){0};

	config->dialect_from = "the config";
	if (arguments->dialect) {
		name = arguments->dialect;
		place = argument_place(&config->arena, "--dialect", name);
		config->dialect_from = "--dialect";
	}
	if (name && strcmp(name, "auto") && find_part(registry, true, name, place, diags))
		config->dialect = copy(config, name, diags);
}

static void add_stage(struct config *config, struct registry *registry, const char *name, const char *id,
                      struct place place, const struct node *map, struct diags *diags)
{
	const struct part *part = find_part(registry, false, name, place, diags);

	if (!part)
		return;
	struct setup *setup = &config->stages[config->stage_count++];
	*setup = (struct setup){.part = part, .id = id ? id : part->name, .place = place};
	settle_setup(config, setup, map, diags);
	for (uint32_t i = 0; i + 1 < config->stage_count; i++) {
		if (!strcmp(config->stages[i].id, setup->id)) {
			diag_error(diags, place, "two stages are called '%s'; give each an 'id' of its own", setup->id);
			break;
		}
	}
}

static void read_stage(struct config *config, struct registry *registry, const struct node *node, struct diags *diags)
{
	if (node->kind == NODE_SCALAR && !node_is_null(node) && *node->text) {
		add_stage(config, registry, node->text, NULL, node->place, NULL, diags);
		return;
	}
	if (node->kind != NODE_MAP) {
		diag_error(diags, node->place, "%s where a stage is wanted; write '- stage: NAME'",
		           node_kind_name(node));
		return;
	}
	if (!node_get(node, "stage")) {
		diag_error(diags, node->place, "this stage has no name; write '- stage: NAME'");
		return;
	}
	const struct node *name = word_of(node, "stage", "the name of a stage", diags);
	const struct node *id = word_of(node, "id", "a word", diags);
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
	if (id && id->text[strspn(id->text, letters)])
		diag_error(diags, id->place, "the id '%s' may have only letters, digits, '-' and '_'", id->text);
	if (name)
		add_stage(config, registry, name->text, id ? id->text : NULL, name->place, node, diags);
}

static void read_stages(struct config *config, struct registry *registry, struct diags *diags)
{
	const struct node *stages = node_get(config->root, "stages");

	if (!stages) {
		diag_error(diags, config->root->place, "the key 'stages' is missing: there is nothing to run");
		return;
	}
	if (stages->kind != NODE_LIST) {
		diag_error(diags, stages->place, "'stages' is %s; it must be a list, such as [overlap-verify]",
		           node_kind_name(stages));
		return;
	}
	if (!stages->count)
		diag_error(diags, stages->place, "'stages' is empty: there is nothing to run");
	if (stages->count > MOST_STAGES) {
		diag_error(diags, stages->place, "'stages' has %u of them; %d are the most", stages->count,
		           MOST_STAGES);
		return;
	}
	config->stages = arena_array(&config->arena, stages->count, sizeof(*config->stages));
	if (!config->stages) {
		diags->is_out_of_memory = true;
		return;
	}
	for (uint32_t i = 0; i < stages->count; i++)
		read_stage(config, registry, stages->items[i], diags);
}

/* The nearest stage before `index` of that name; config->stage_count: none. */
static uint32_t stage_before(const struct config *config, uint32_t index, const char *name)
{
	for (uint32_t i = index; i--;) {
		if (!strcmp(config->stages[i].part->name, name))
			return i;
	}
	return config->stage_count;
}

static void check_needs(const struct config *config, struct diags *diags)
{
	for (uint32_t i = 0; i < config->stage_count; i++) {
		const struct setup *stage = &config->stages[i];

		for (uint32_t j = 0; j < stage->part->need_count; j++) {
			const char *need = stage->part->needs[j];
			bool is_behind = stage_before(config, config->stage_count, need) < config->stage_count;

			if (stage_before(config, i, need) < config->stage_count)
				continue;
			diag_error(diags, stage->place,
			           is_behind ? "stage '%s' needs the results of '%s', which stands behind "
			                       "it; move '%s' before '%s'"
			                     : "stage '%s' needs the results of '%s', which is not in this "
			                       "pipeline; put '%s' before '%s'",
			           stage->id, need, need, stage->id);
		}
	}
}

/* Every usable dialect gets its values, whether or not the file names it. */
static void read_dialects(struct config *config, struct registry *registry, struct diags *diags)
{
	const struct node *map = config->root ? node_get(config->root, "dialects") : NULL;
	const char *const *names = registry_names(registry, true);
	uint32_t count = 0;

	if (map && map->kind != NODE_MAP) {
		diag_error(diags, map->place, "'dialects' is %s; it must have the names of dialects as its keys",
		           node_kind_name(map));
		map = NULL;
	}
	for (uint32_t i = 0; map && i < map->count; i++)
		find_part(registry, true, map->keys[i]->text, map->keys[i]->place, diags);
	while (names && names[count])
		count++;
	config->dialects = arena_array(&config->arena, count, sizeof(*config->dialects));
	if (!names || !config->dialects) {
		diags->is_out_of_memory = true;
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct node *options = map ? node_get(map, names[i]) : NULL;
		struct setup *setup = &config->dialects[config->dialect_count];
		const struct part *part =
		        find_part(registry, true, names[i], argument_place(&config->arena, "dialect", names[i]), diags);

		if (!part) /* not to be had now, and without it the trace may be read as another kind of trace */
			return;
		if (options && options->kind != NODE_MAP && !node_is_null(options)) {
			diag_error(diags, options->place,
			           "dialect '%s' has %s where its options are wanted, such as {name: value}", names[i],
			           node_kind_name(options));
			options = NULL;
		}
		*setup = (struct setup){.part = part, .id = part->name};
		config->dialect_count++;
		if (options)
			setup->place = options->place;
		settle_setup(config, setup, options && options->kind == NODE_MAP ? options : NULL, diags);
	}
}

/* `map`: the report as the file has it; NULL: it is an argument. */
static void add_report(struct config *config, const char *format, struct place format_place, const char *path,
                       const struct node *map, struct diags *diags)
{
	const struct report_format *found = report_format_find(format);

	if (!found) {
		const char *names[32] = {NULL};

		for (size_t i = 0; report_formats[i].name && i + 1 < sizeof(names) / sizeof(names[0]); i++)
			names[i] = report_formats[i].name;
		diag_error(diags, format_place, "no report has the format '%s'%s", format,
		           diag_suggestion(diags, format, names));
		return;
	}
	if (!strcmp(path, "-")) {
		if (config->is_output_taken)
			diag_error(diags, format_place, "two reports go to standard output");
		config->is_output_taken = true;
	}
	struct report_request *request = &config->reports[config->report_count];
	*request = (struct report_request){.format = found, .path = path, .place = format_place};
	template_settle(config, request, diags);
	if (settle_report(config, request, map, diags))
		config->report_count++;
}

/* Its own keys, and the options of its format. */
static void check_report_keys(const struct node *node, const char *format, struct diags *diags)
{
	const struct report_format *found = format ? report_format_find(format) : NULL;
	const char *keys[16] = {NULL};
	size_t count = 0;

	while (config_report_keys[count]) {
		keys[count] = config_report_keys[count];
		count++;
	}
	for (const struct tav_option *option = found ? found->options : NULL;
	     option && option->name && count + 1 < sizeof(keys) / sizeof(keys[0]); option++)
		keys[count++] = option->name;
	check_keys(node, keys, "a report", diags);
}

static void read_report(struct config *config, const struct node *node, struct diags *diags)
{
	if (node->kind != NODE_MAP) {
		diag_error(diags, node->place,
		           "%s where a report is wanted; write '- {format: json, path: report.json}'",
		           node_kind_name(node));
		return;
	}
	const struct node *format = word_of(node, "format", "the name of a format", diags);
	const struct node *path = word_of(node, "path", "a path, or \"-\"", diags);
	check_report_keys(node, format ? format->text : NULL, diags);
	for (const char *const *key = config_report_keys; *key; key++) {
		if (!node_get(node, *key))
			diag_error(diags, node->place, "this report has no '%s'", *key);
	}
	const char *resolved = !path                      ? NULL
	                       : !strcmp(path->text, "-") ? "-"
	                                                  : path_resolve(config->directory, path->text, &config->arena);
	if (format && path && !resolved)
		diags->is_out_of_memory = true;
	if (format && resolved)
		add_report(config, format->text, format->place, resolved, node, diags);
}

static void read_reports(struct config *config, const struct config_arguments *arguments, struct diags *diags)
{
	const struct node *reports = config->root ? node_get(config->root, "reports") : NULL;

	if (reports && reports->kind != NODE_LIST) {
		diag_error(diags, reports->place, "'reports' is %s; it must be a list of {format: NAME, path: PATH}",
		           node_kind_name(reports));
		reports = NULL;
	}
	uint32_t count = (reports ? reports->count : 0) + arguments->report_count;
	config->reports = arena_array(&config->arena, count, sizeof(*config->reports));
	if (!config->reports) {
		diags->is_out_of_memory = true;
		return;
	}
	for (uint32_t i = 0; reports && i < reports->count; i++)
		read_report(config, reports->items[i], diags);
	for (uint32_t i = 0; i < arguments->report_count; i++) {
		const char *argument = arguments->reports[i], *equals = strchr(argument, '=');
		struct place place = argument_place(&config->arena, "--report", argument);

		if (!equals || !equals[1] || equals == argument) {
			diag_error(diags, place, "not FORMAT=PATH, such as json=report.json");
			continue;
		}
		const char *format = arena_copy(&config->arena, argument, (size_t)(equals - argument));
		const char *path = copy(config, equals + 1, diags);
		if (format && path)
			add_report(config, format, place, path, NULL, diags);
	}
}

static void read_fail_on(struct config *config, const struct config_arguments *arguments, struct diags *diags)
{
	static const char *const choices[] = {"error", "warning", NULL};
	const struct node *node = config->root ? word_of(config->root, "fail_on", "error or warning", diags) : NULL;

	config->is_fail_on_warning = arguments->is_fail_on_warning || (node && !strcmp(node->text, "warning"));
	if (node && strcmp(node->text, "warning") && strcmp(node->text, "error"))
		diag_error(diags, node->place, "'fail_on' is \"%s\"; it must be error or warning%s", node->text,
		           diag_suggestion(diags, node->text, choices));
}

bool config_settle(struct config *config, const struct config_arguments *arguments, struct registry *registry,
                   struct diags *diags)
{
	if (config->root) {
		check_keys(config->root, config_keys, "a config", diags);
		check_version(config, diags);
		read_stages(config, registry, diags);
	} else {
		config->stages = arena_array(&config->arena, config->stage_name_count, sizeof(*config->stages));
		diags->is_out_of_memory |= !config->stages;
		for (uint32_t i = 0; config->stages && i < config->stage_name_count; i++)
			add_stage(config, registry, config->stage_names[i], NULL,
			          argument_place(&config->arena, "-s", config->stage_names[i]), NULL, diags);
	}
	if (!diags_failed(diags)) /* else the missing one may be the one that is wrong */
		check_needs(config, diags);
	read_dialect(config, arguments, registry, diags);
	read_dialects(config, registry, diags);
	read_reports(config, arguments, diags);
	read_fail_on(config, arguments, diags);
	config_read_waivers(config, arguments, diags);
	for (uint32_t i = 0; i < arguments->set_count; i++)
		config_set(config, arguments->sets[i], diags);
	if (!diags_failed(diags))
		config_check_required(config, diags);
	return !diags_failed(diags);
}

void config_fini(struct config *config)
{
	arena_fini(&config->arena);
	*config = (struct config){0};
}
