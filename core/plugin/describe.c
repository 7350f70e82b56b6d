/* SPDX-License-Identifier: Apache-2.0 */
#include <json-c/json.h>
#include <string.h>

#include <kit/text.h>
#include <plugin/describe.h>

static int name_width(const struct registry *registry)
{
	int width = 4;

	for (const struct part *part = registry->parts; part; part = part->next) {
		int size = (int)strlen(part->name);

		width = size > width && size <= 24 ? size : width;
	}
	return width;
}

static void print_indented(FILE *out, int indent, const char *text, unsigned width)
{
	char blanks[64];

	snprintf(blanks, sizeof(blanks), "%*s", indent, "");
	text_print_wrapped(out, text, blanks, (unsigned)indent, width);
	putc('\n', out);
}

static void list_pages(FILE *out, const struct part *part, int indent, unsigned width)
{
	for (uint32_t i = 0; i < part->page_count; i++) {
		fprintf(out, "%*s%s (", indent, "", part->pages[i].id);
		describe_tells(out, part->pages[i].tells);
		fprintf(out, ")\n%*s", indent + 4, "");
		print_indented(out, indent + 4, part->pages[i].summary, width);
	}
}

static void list_parts(FILE *out, const struct registry *registry, bool is_dialect, unsigned width, bool is_long)
{
	int name = name_width(registry);

	for (const struct part *part = registry->parts; part; part = part->next) {
		struct arena arena = {0};

		if (part->is_dialect != is_dialect || part->file->refused || part->shadowed_by)
			continue;
		fprintf(out, "  %-*s  ", name, part->name);
		print_indented(out, name + 4, part->summary, width);
		const char *from =
		        arena_printf(&arena, "%s %s, %s", part->file->name, part->file->version, part->file->path);
		fprintf(out, "  %-*s  ", name, "");
		print_indented(out, name + 4, from ? from : "", width);
		if (is_long)
			list_pages(out, part, name + 4, width);
		arena_fini(&arena);
	}
}

void describe_list(FILE *out, struct registry *registry, unsigned width, bool is_long)
{
	bool has_head = false;

	if (is_long && !registry_open_all(registry))
		is_long = false;
	const char *const *pipelines = ready_pipelines(&registry->arena);
	fputs("Pipelines (-c)\n  ", out);
	for (size_t i = 0; pipelines && pipelines[i]; i++)
		fprintf(out, "%s%s", i ? ", " : "", pipelines[i]);
	fputs("\nStages (-s, --describe)\n", out);
	list_parts(out, registry, false, width, is_long);
	fputs("Dialects (--dialect, --describe)\n", out);
	list_parts(out, registry, true, width, is_long);
	for (const struct part *part = registry->parts; part; part = part->next) {
		if (!part->shadowed_by)
			continue;
		fputs(has_head ? "" : "Shadowed: the same name was found before\n", out);
		has_head = true;
		fprintf(out, "  %s  %s ", part->name, part->is_dialect ? "dialect" : "stage");
		text_print_escaped(out, text_of(part->file->path));
		fputs("\n    by ", out);
		text_print_escaped(out, text_of(part->shadowed_by));
		putc('\n', out);
	}
	has_head = false;
	for (const struct plugin_file *file = registry->files; file; file = file->next) {
		if (!file->refused)
			continue;
		fputs(has_head ? "" : "Refused\n", out);
		has_head = true;
		fputs("  ", out);
		text_print_escaped(out, text_of(file->path));
		fputs("\n    ", out);
		print_indented(out, 4, file->refused, width);
	}
}

static void add_text(struct json_object *object, const char *key, const char *text)
{
	json_object_object_add(object, key, text ? json_object_new_string(text) : NULL);
}

static struct json_object *options_json(const struct part *part)
{
	struct json_object *list = json_object_new_array();

	for (uint32_t i = 0; i < part->option_count; i++) {
		const struct tav_option *option = &part->options[i];
		struct json_object *item = json_object_new_object();

		add_text(item, "name", option->name);
		add_text(item, "type", option_type_name(option->type));
		json_object_object_add(item, "list", json_object_new_boolean(option->flags & TAV_OPT_MANY));
		json_object_object_add(item, "late", json_object_new_boolean(option->flags & TAV_OPT_LATE));
		json_object_object_add(item, "required", json_object_new_boolean(option->flags & TAV_OPT_REQUIRED));
		json_object_object_add(item, "deprecated", json_object_new_boolean(option->flags & TAV_OPT_DEPRECATED));
		add_text(item, "default", option->preset);
		add_text(item, "min", option->min);
		add_text(item, "max", option->max);
		struct json_object *choices = json_object_new_array();
		for (uint32_t j = 0; option->type == TAV_TYPE_CHOICE && option->choices[j]; j++)
			json_object_array_add(choices, json_object_new_string(option->choices[j]));
		json_object_object_add(item, "choices", choices);
		add_text(item, "help", option->help);
		json_object_array_add(list, item);
	}
	return list;
}

static struct json_object *pages_json(const struct part *part)
{
	static const char *const kinds[] = {"check", "finding", "table", "metric"};
	struct json_object *list = json_object_new_array();

	for (uint32_t i = 0; i < part->page_count; i++) {
		struct json_object *item = json_object_new_object(), *tells = json_object_new_array();

		add_text(item, "id", part->pages[i].id);
		for (size_t j = 0; j < sizeof(kinds) / sizeof(kinds[0]); j++) {
			if (part->pages[i].tells & 1u << j)
				json_object_array_add(tells, json_object_new_string(kinds[j]));
		}
		json_object_object_add(item, "tells", tells);
		add_text(item, "summary", part->pages[i].summary);
		json_object_array_add(list, item);
	}
	return list;
}

static struct json_object *part_json(const struct part *part)
{
	struct json_object *item = json_object_new_object();
	struct json_object *fields = json_object_new_array();

	add_text(item, "name", part->name);
	add_text(item, "kind", part->is_dialect ? "dialect" : "stage");
	add_text(item, "summary", part->summary);
	add_text(item, "plugin", part->file->name);
	add_text(item, "version", part->file->version);
	add_text(item, "license", part->file->license);
	add_text(item, "path", part->file->path);
	add_text(item, "shadowed_by", part->shadowed_by);
	for (uint32_t i = 0; i < part->field_count; i++)
		json_object_array_add(fields, json_object_new_string(part->fields[i].path));
	json_object_object_add(item, "fields", fields);
	struct json_object *needs = json_object_new_array();
	for (uint32_t i = 0; i < part->need_count; i++)
		json_object_array_add(needs, json_object_new_string(part->needs[i]));
	json_object_object_add(item, "needs", needs);
	json_object_object_add(item, "options", options_json(part));
	json_object_object_add(item, "pages", pages_json(part));
	return item;
}

bool describe_list_json(FILE *out, struct registry *registry)
{
	if (!registry_open_all(registry))
		return false;
	struct json_object *top = json_object_new_object(), *parts = json_object_new_array(),
	                   *refused = json_object_new_array();

	for (const struct part *part = registry->parts; part; part = part->next) {
		if (!part->file->refused)
			json_object_array_add(parts, part_json(part));
	}
	for (const struct plugin_file *file = registry->files; file; file = file->next) {
		if (!file->refused)
			continue;
		struct json_object *item = json_object_new_object();
		add_text(item, "path", file->path);
		add_text(item, "reason", file->refused);
		json_object_array_add(refused, item);
	}
	const char *const *pipelines = ready_pipelines(&registry->arena);
	struct json_object *names = json_object_new_array();
	for (size_t i = 0; pipelines && pipelines[i]; i++)
		json_object_array_add(names, json_object_new_string(pipelines[i]));
	json_object_object_add(top, "pipelines", names);
	json_object_object_add(top, "plugins", parts);
	json_object_object_add(top, "refused", refused);
	const char *text =
	        json_object_to_json_string_ext(top, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);
	if (text)
		fprintf(out, "%s\n", text);
	json_object_put(top);
	return text;
}

/* Text of a plugin as a comment: no line of it can be taken for YAML. */
static void print_comment(FILE *out, const char *indent, const char *text, unsigned width)
{
	char margin[32];

	if (!text || !*text)
		return;
	snprintf(margin, sizeof(margin), "%s# ", indent);
	fputs(margin, out);
	text_print_wrapped(out, text, margin, (unsigned)strlen(margin), width);
	putc('\n', out);
}

static void describe_option(FILE *out, const struct tav_option *option, const struct tav_value *preset,
                            const char *indent, unsigned width)
{
	struct arena arena = {0};
	bool is_many = option->flags & TAV_OPT_MANY;

	const char *expected = option_expectation(option, &arena);
	for (uint32_t i = 0; expected && option->type == TAV_TYPE_CHOICE && option->choices[i]; i++)
		expected = arena_printf(&arena, "%s%s %s", expected, i ? "," : ":", option->choices[i]);
	if (expected)
		expected =
		        arena_printf(&arena, "%s%s%s%s%s", is_many ? "a list, each item " : "", expected,
		                     option->flags & TAV_OPT_REQUIRED ? "; required" : "",
		                     option->flags & TAV_OPT_DEPRECATED ? "; deprecated" : "",
		                     option->flags & TAV_OPT_LATE ? "; reports that differ in it still combine" : "");
	putc('\n', out);
	print_comment(out, indent, option->help, width);
	print_comment(out, indent, expected, width);
	const char *value = option->preset ? option_value_yaml(option, preset, &arena) : NULL;
	if (value) /* one with an older name is nothing to paste */
		fprintf(out, "%s%s%s: %s\n", indent, option->flags & TAV_OPT_DEPRECATED ? "# " : "", option->name,
		        value);
	else
		fprintf(out, "%s# %s: %s\n", indent, option->name, is_many ? "[]" : "(no default)");
	arena_fini(&arena);
}

void describe_part(FILE *out, const struct part *part, unsigned width)
{
	const struct plugin_file *file = part->file;
	struct arena arena = {0};
	const char *kind = !file ? "report" : part->is_dialect ? "dialect" : "stage";
	const char *text = arena_printf(&arena, "%s '%s': %s", kind, part->name, part->summary);

	print_comment(out, "", text, width);
	print_comment(out, "", part->help, width);
	if (file)
		print_comment(out, "",
		              arena_printf(&arena, "plugin %s %s, %s, interface %u.%u, %s", file->name, file->version,
		                           file->license, file->abi_major, file->abi_minor, file->path),
		              width);
	if (part->shadowed_by)
		print_comment(out, "", arena_printf(&arena, "shadowed by %s", part->shadowed_by), width);
	text = part->need_count ? "needs the stages" : NULL;
	for (uint32_t i = 0; text && i < part->need_count; i++)
		text = arena_printf(&arena, "%s%s %s", text, i ? "," : "", part->needs[i]);
	print_comment(out, "", text, width);
	text = part->field_count ? "reads" : NULL;
	for (uint32_t i = 0; text && i < part->field_count; i++)
		text = arena_printf(&arena, "%s%s %s", text, i ? "," : "", part->fields[i].path);
	print_comment(out, "", text, width);
	if (!file)
		fprintf(out, "reports:\n  - format: %s\n    path: report.%s\n", part->name, part->name);
	else if (part->is_dialect)
		fprintf(out, "dialects:\n  %s:%s\n", part->name, part->option_count ? "" : " {}");
	else
		fprintf(out, "stages:\n  - stage: %s\n", part->name);
	for (uint32_t i = 0; i < part->option_count; i++)
		describe_option(out, &part->options[i], part->presets[i], "    ", width);
	arena_fini(&arena);
}

bool describe_name(FILE *out, FILE *err, struct registry *registry, const char *name, unsigned width)
{
	const struct part *stage = registry_find(registry, false, name), *dialect = registry_find(registry, true, name);
	const struct plugin_file *refused = registry_find_refused(registry, name);

	if (stage)
		describe_part(out, stage, width);
	if (dialect)
		describe_part(out, dialect, width);
	if (stage || dialect)
		return true;
	fprintf(err, "tav-run: error: no stage and no dialect is called '");
	text_print_escaped(err, text_of(name));
	if (refused) {
		fprintf(err, "': %s was refused: ", refused->path);
		text_print_escaped(err, text_of(refused->refused));
		putc('\n', err);
		return false;
	}
	const char *const *stages = registry_names(registry, false), *const *dialects = registry_names(registry, true);
	const char *near = stages ? text_nearest(name, stages) : NULL;
	if (!near && dialects)
		near = text_nearest(name, dialects);
	if (near)
		fprintf(err, "'; did you mean '%s'?\n", near);
	else
		fputs("'; see tav-run --list\n", err);
	return false;
}
