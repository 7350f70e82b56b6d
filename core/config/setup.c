/* SPDX-License-Identifier: Apache-2.0 */
/* The options of one stage, dialect or report: from the config's keys, from --set, from the presets. */
#include <string.h>

#include <config/config.h>
#include <kit/text.h>

static const char *kind_of(const struct part *part)
{
	return !part->file ? "report" : part->is_dialect ? "dialect" : "stage";
}

static uint32_t find_option(const struct part *part, const char *name)
{
	uint32_t i = 0;

	while (i < part->option_count && strcmp(part->options[i].name, name))
		i++;
	return i;
}

static void report_unknown(const struct part *part, const char *name, struct place place, struct diags *diags)
{
	const char **names = arena_array(&diags->arena, part->option_count + 1, sizeof(*names));

	if (!names) {
		diags->is_out_of_memory = true;
		return;
	}
	for (uint32_t i = 0; i < part->option_count; i++)
		names[i] = part->options[i].name;
	diag_error(diags, place, "%s '%s' has no option '%s'%s", kind_of(part), part->name, name,
	           diag_suggestion(diags, name, names));
}

static void set_option(struct config *config, struct setup *setup, uint32_t option, const struct node *node,
                       struct place place, const char *directory, struct diags *diags)
{
	const struct part *part = setup->part;
	struct option_reader reader = {&config->arena, diags, NULL, directory};

	reader.owner = arena_printf(&diags->arena, "%s '%s'", kind_of(part), part->name);
	if (!reader.owner) {
		diags->is_out_of_memory = true;
		return;
	}
	if (part->options[option].flags & TAV_OPT_DEPRECATED)
		diag_warning(diags, place, "%s, option '%s' is deprecated: %s", reader.owner,
		             part->options[option].name, part->options[option].help ? part->options[option].help : "");
	const struct tav_value *value = option_value(&reader, &part->options[option], node);
	if (value)
		setup->values[option] = value;
	setup->value_places[option] = node->place.text ? node->place : place;
}

/* ---- the host's own keys of a stage ---- */

const char *const config_stage_keys[] = {"stage", "id", "severity", "checks", "max_instances", NULL};
const char *const config_levels[] = {
        [LEVEL_OFF] = "off", [LEVEL_NOTE] = "note", [LEVEL_WARN] = "warn", [LEVEL_FAIL] = "fail", NULL};

/* True: the stage tells it, or does not say what it tells. */
static bool accept_id(const struct part *part, const char *id, struct place place, struct diags *diags)
{
	static const uint32_t judged = TAV_TELLS_CHECK | TAV_TELLS_FINDING;
	const struct tav_page *page = part_page(part, id);
	uint32_t count = 0;

	if (!*id) {
		diag_error(diags, place, "the id of a check is missing");
		return false;
	}
	if (!part->page_count || (page && page->tells & judged))
		return true;
	const char **names = arena_array(&diags->arena, (size_t)part->page_count + 1, sizeof(*names));
	for (uint32_t i = 0; names && i < part->page_count; i++) {
		if (part->pages[i].tells & judged)
			names[count++] = part->pages[i].id;
	}
	if (!names)
		diags->is_out_of_memory = true;
	else
		diag_error(diags, place, "stage '%s' has no check or finding '%s'%s", part->name, id,
		           diag_suggestion(diags, id, names));
	return false;
}

/* The items of a list of words, or the one word; false: said. */
static bool words_of(const struct node *node, const char *key, const char *example, struct node *const **items,
                     uint32_t *count, struct diags *diags)
{
	bool is_list = node->kind == NODE_LIST;

	*items = is_list ? node->items : NULL;
	*count = is_list ? node->count : 0;
	for (uint32_t i = 0; is_list && i < node->count; i++)
		is_list = node->items[i]->kind == NODE_SCALAR && !node_is_null(node->items[i]);
	if (!is_list)
		diag_error(diags, node->place, "'%s' must be a list, such as %s", key, example);
	return is_list;
}

static void read_severity(struct config *config, struct setup *setup, const struct node *node, struct diags *diags)
{
	struct node *const *items;
	uint32_t count;

	if (!words_of(node, "severity", "[one_at_a_time=warn]", &items, &count, diags))
		return;
	struct severity *severities = arena_array(&config->arena, count, sizeof(*severities));
	setup->severities = severities;
	setup->severity_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		const char *equals = strchr(items[i]->text, '=');
		struct severity *severity = severities ? &severities[setup->severity_count] : NULL;

		if (!equals) {
			diag_error(diags, items[i]->place, "\"%s\" is not CHECK=LEVEL, such as one_at_a_time=warn",
			           items[i]->text);
			continue;
		}
		const char *id = arena_copy(&config->arena, items[i]->text, (size_t)(equals - items[i]->text));
		if (!severity || !id) {
			diags->is_out_of_memory = true;
			return;
		}
		*severity = (struct severity){.id = id};
		while (config_levels[severity->level] && strcmp(config_levels[severity->level], equals + 1))
			severity->level++;
		if (!config_levels[severity->level])
			diag_error(diags, items[i]->place, "\"%s\" is no level%s", equals + 1,
			           diag_suggestion(diags, equals + 1, config_levels));
		else if (accept_id(setup->part, id, items[i]->place, diags))
			setup->severity_count++;
	}
}

static void read_checks(struct config *config, struct setup *setup, const struct node *node, struct diags *diags)
{
	struct node *const *items;
	uint32_t count;

	if (!words_of(node, "checks", "[one_at_a_time]", &items, &count, diags))
		return;
	if (!count)
		diag_error(diags, node->place,
		           "'checks' is empty: the stage would tell nothing; leave the key out for all");
	const char **chosen = arena_array(&config->arena, count, sizeof(*chosen));
	setup->chosen = chosen;
	setup->chosen_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		const char *id = chosen ? arena_copy(&config->arena, items[i]->text, strlen(items[i]->text)) : NULL;

		if (!id)
			diags->is_out_of_memory = true;
		else if (accept_id(setup->part, id, items[i]->place, diags))
			chosen[setup->chosen_count++] = id;
	}
}

static void read_max_instances(struct setup *setup, const struct node *node, struct diags *diags)
{
	enum { MOST = 100000000 };
	int64_t value;
	bool is_out;

	if (node->kind != NODE_SCALAR || !text_to_int(node->text, &value, &is_out) || value < 1 || value > MOST)
		diag_error(diags, node->place, "'max_instances' must be a whole number (1 to %d)", MOST);
	else
		setup->max_instances = (uint64_t)value;
}

/* True: this key belongs to the host. */
static bool read_host_key(struct config *config, struct setup *setup, const char *key, const struct node *node,
                          struct diags *diags)
{
	if (!setup->part->file)
		return !strcmp(key, "format") || !strcmp(key, "path");
	if (setup->part->is_dialect)
		return false;
	if (!strcmp(key, "severity"))
		read_severity(config, setup, node, diags);
	else if (!strcmp(key, "checks"))
		read_checks(config, setup, node, diags);
	else if (!strcmp(key, "max_instances") && find_option(setup->part, key) == setup->part->option_count)
		read_max_instances(setup, node, diags);
	else
		return !strcmp(key, "stage") || !strcmp(key, "id");
	return true;
}

bool settle_setup(struct config *config, struct setup *setup, const struct node *map, struct diags *diags)
{
	const struct part *part = setup->part;

	setup->values = arena_array(&config->arena, part->option_count, sizeof(*setup->values));
	setup->value_places = arena_array(&config->arena, part->option_count, sizeof(*setup->value_places));
	if (!setup->values || !setup->value_places) {
		diags->is_out_of_memory = true;
		return false;
	}
	for (uint32_t i = 0; i < part->option_count; i++)
		setup->values[i] = part->presets[i];
	for (uint32_t i = 0; map && i < map->count; i++) {
		const struct node *key = map->keys[i];
		uint32_t option = find_option(part, key->text);

		if (read_host_key(config, setup, key->text, map->items[i], diags))
			continue;
		if (option == part->option_count && part->file) /* keys of reports are checked */
			report_unknown(part, key->text, key->place, diags);
		else if (option < part->option_count)
			set_option(config, setup, option, map->items[i], key->place, config->directory, diags);
	}
	return true;
}

static struct setup *find_setup(struct config *config, const char *name)
{
	for (uint32_t i = 0; i < config->stage_count; i++) {
		if (!strcmp(config->stages[i].id, name))
			return &config->stages[i];
	}
	for (uint32_t i = 0; i < config->dialect_count; i++) {
		if (!strcmp(config->dialects[i].id, name))
			return &config->dialects[i];
	}
	for (uint32_t i = 0; i < config->report_count; i++) {
		if (!strcmp(config->reports[i].setup.id, name))
			return &config->reports[i].setup;
	}
	return NULL;
}

static void report_unknown_setup(struct config *config, const char *name, struct place place, struct diags *diags)
{
	const char **names = arena_array(&diags->arena,
	                                 (size_t)config->stage_count + config->dialect_count + config->report_count + 1,
	                                 sizeof(*names));
	uint32_t count = 0;

	if (!names) {
		diags->is_out_of_memory = true;
		return;
	}
	for (uint32_t i = 0; i < config->stage_count; i++)
		names[count++] = config->stages[i].id;
	for (uint32_t i = 0; i < config->dialect_count; i++)
		names[count++] = config->dialects[i].id;
	for (uint32_t i = 0; i < config->report_count; i++)
		names[count++] = config->reports[i].setup.id;
	diag_error(diags, place, "no stage or report of this run and no dialect is called '%s'%s", name,
	           diag_suggestion(diags, name, names));
}

struct place argument_place(struct arena *arena, const char *option, const char *value)
{
	struct diag_text *text = arena_alloc(arena, sizeof(*text));
	char *name = arena_printf(arena, "%s %s", option, value);
	static const struct diag_text nameless = {"the command line", "", 0, true};

	if (!text || !name)
		return (struct place){.text = &nameless};
	*text = (struct diag_text){name, "", 0, true};
	return (struct place){.text = text};
}

/* The value as a node: what stands behind '=' as it is, so that no quotes are needed; a list as YAML flow. */
static struct node *value_node(struct config *config, uint32_t flags, const char *value, struct place place,
                               struct diags *diags)
{
	struct diag_text *text = arena_alloc(&config->arena, sizeof(*text));
	struct node *node = arena_alloc(&config->arena, sizeof(*node));
	char *copy = arena_copy(&config->arena, value, strlen(value));

	if (!text || !node || !copy) {
		diags->is_out_of_memory = true;
		return NULL;
	}
	if (flags & TAV_OPT_MANY && *copy == '[') {
		*text = (struct diag_text){place.text->name, copy, strlen(copy), true};
		return yaml_parse(text, &config->arena, diags);
	}
	*node = (struct node){.kind = NODE_SCALAR, .place = place, .text = copy};
	return node;
}

static bool is_settable_host_key(const struct part *part, const char *key)
{
	return part->file && !part->is_dialect &&
	       (!strcmp(key, "severity") || !strcmp(key, "checks") ||
	        (!strcmp(key, "max_instances") && find_option(part, key) == part->option_count));
}

void config_set(struct config *config, const char *argument, struct diags *diags)
{
	struct place place = argument_place(&config->arena, "--set", argument);
	const char *equals = strchr(argument, '='), *dot = strchr(argument, '.');

	if (!equals || !dot || dot > equals || dot == argument || dot + 1 == equals) {
		diag_error(diags, place, "not STAGE.OPTION=VALUE, such as overlap-verify.strict=false");
		return;
	}
	const char *name = arena_copy(&config->arena, argument, (size_t)(dot - argument));
	const char *key = arena_copy(&config->arena, dot + 1, (size_t)(equals - dot) - 1);
	if (!name || !key) {
		diags->is_out_of_memory = true;
		return;
	}
	struct setup *setup = find_setup(config, name);
	if (!setup) {
		report_unknown_setup(config, name, place, diags);
		return;
	}
	uint32_t option = find_option(setup->part, key);
	if (is_settable_host_key(setup->part, key)) {
		struct node *node =
		        value_node(config, strcmp(key, "max_instances") ? TAV_OPT_MANY : 0, equals + 1, place, diags);
		if (node)
			read_host_key(config, setup, key, node, diags);
		return;
	}
	if (option == setup->part->option_count) {
		report_unknown(setup->part, key, place, diags);
		return;
	}
	struct node *node = value_node(config, setup->part->options[option].flags, equals + 1, place, diags);
	if (!node)
		return;
	set_option(config, setup, option, node, place, NULL, diags);
	for (uint32_t i = 0; !setup->part->file && i < config->report_count; i++) { /* all reports of that format */
		struct setup *other = &config->reports[i].setup;

		if (other != setup && !strcmp(other->id, setup->id))
			other->values[option] = setup->values[option];
	}
}

static void check_required(const struct setup *setup, struct diags *diags)
{
	for (uint32_t i = 0; i < setup->part->option_count; i++) {
		const struct tav_option *option = &setup->part->options[i];

		if (option->flags & TAV_OPT_REQUIRED && !setup->values[i]->given && !option->preset)
			diag_error(diags, setup->place, "%s '%s' needs the option '%s': %s", kind_of(setup->part),
			           setup->part->name, option->name, option->help ? option->help : "");
	}
}

void config_check_required(const struct config *config, struct diags *diags)
{
	for (uint32_t i = 0; i < config->stage_count; i++)
		check_required(&config->stages[i], diags);
	for (uint32_t i = 0; i < config->dialect_count; i++) {
		/* of a dialect that was neither named nor configured, nobody can know that it wants something */
		if (config->dialects[i].place.text ||
		    (config->dialect && !strcmp(config->dialect, config->dialects[i].id)))
			check_required(&config->dialects[i], diags);
	}
}

static void print_options(FILE *out, const struct setup *setup, const char *indent)
{
	struct arena arena = {0};

	for (uint32_t i = 0; i < setup->part->option_count; i++) {
		const struct tav_option *option = &setup->part->options[i];
		const struct tav_value *value = setup->values[i];

		if (!value->given && (!option->preset || option->flags & TAV_OPT_DEPRECATED))
			continue; /* has no value, or an older name */
		const char *text = option_value_yaml(option, value, &arena);
		fprintf(out, "%s%s: %s%s\n", indent, option->name, text ? text : "", value->given ? "" : "  # default");
	}
	arena_fini(&arena);
}

/* What the user gave, behind other keys. */
static void print_flow(FILE *out, const struct setup *setup)
{
	struct arena arena = {0};

	for (uint32_t i = 0; i < setup->part->option_count; i++) {
		const char *text = setup->values[i]->given
		                           ? option_value_yaml(&setup->part->options[i], setup->values[i], &arena)
		                           : NULL;

		if (text)
			fprintf(out, ", %s: %s", setup->part->options[i].name, text);
	}
	arena_fini(&arena);
}

static void print_quoted(FILE *out, const char *text)
{
	struct arena arena = {0};
	const char *quoted = yaml_quote(text, &arena);

	fputs(quoted ? quoted : "", out);
	arena_fini(&arena);
}

static void print_host_keys(FILE *out, const struct setup *stage)
{
	for (uint32_t i = 0; i < stage->severity_count; i++)
		fprintf(out, "%s%s=%s", i ? ", " : "    severity: [", stage->severities[i].id,
		        config_levels[stage->severities[i].level]);
	fputs(stage->severity_count ? "]\n" : "", out);
	for (uint32_t i = 0; i < stage->chosen_count; i++)
		fprintf(out, "%s%s", i ? ", " : "    checks: [", stage->chosen[i]);
	fputs(stage->chosen_count ? "]\n" : "", out);
	if (stage->max_instances)
		fprintf(out, "    max_instances: %llu\n", (unsigned long long)stage->max_instances);
}

void config_print(FILE *out, const struct config *config)
{
	fputs("version: 1\ndialect: ", out);
	print_quoted(out, config->dialect ? config->dialect : "auto");
	fprintf(out, "\nfail_on: %s\n", config->is_fail_on_warning ? "warning" : "error");
	if (config->plugin_dir_count)
		fputs("plugin_dirs:\n", out);
	for (uint32_t i = 0; i < config->plugin_dir_count; i++) {
		fputs("  - ", out);
		print_quoted(out, config->plugin_dirs[i]);
		putc('\n', out);
	}
	fputs("stages:\n", out);
	for (uint32_t i = 0; i < config->stage_count; i++) {
		const struct setup *stage = &config->stages[i];

		fprintf(out, "  - stage: %s\n", stage->part->name);
		if (strcmp(stage->id, stage->part->name))
			fprintf(out, "    id: %s\n", stage->id);
		print_host_keys(out, stage);
		print_options(out, stage, "    ");
	}
	bool has_head = false;
	for (uint32_t i = 0; i < config->dialect_count; i++) {
		const struct setup *dialect = &config->dialects[i];
		bool has_options = false;

		for (uint32_t j = 0; j < dialect->part->option_count; j++)
			has_options |= dialect->values[j]->given || dialect->part->options[j].preset;
		if (!has_options)
			continue;
		fputs(has_head ? "" : "dialects:\n", out);
		has_head = true;
		fprintf(out, "  %s:\n", dialect->part->name);
		print_options(out, dialect, "    ");
	}
	config_print_waivers(out, config);
	if (config->report_count)
		fputs("reports:\n", out);
	for (uint32_t i = 0; i < config->report_count; i++) {
		fprintf(out, "  - {format: %s, path: ", config->reports[i].format->name);
		print_quoted(out, config->reports[i].path);
		print_flow(out, &config->reports[i].setup);
		fputs("}\n", out);
	}
}
