/* SPDX-License-Identifier: Apache-2.0 */
#include <json-c/json.h>
#include <string.h>

#include <base/text.h>
#include <pipeline/describe.h>

static int name_width(const struct registry *registry)
{
	int width = 4;

	for (const struct part *part = registry->parts; part; part = part->next) {
		int size = (int)strlen(part->name);

		width = size > width ? size : width;
	}
	return width;
}

static void list_parts(FILE *out, const struct registry *registry, bool is_dialect, int width)
{
	for (const struct part *part = registry->parts; part; part = part->next) {
		if (part->is_dialect != is_dialect || part->file->refused || part->shadowed_by)
			continue;
		fprintf(out, "  %-*s  %s\n  %-*s  %s %s, %s\n", width, part->name, part->summary, width, "",
		        part->file->name, part->file->version, part->file->path);
	}
}

void describe_list(FILE *out, const struct registry *registry)
{
	int width = name_width(registry);
	bool has_head = false;

	fputs("Stages (-s, --describe)\n", out);
	list_parts(out, registry, false, width);
	fputs("Dialects (--dialect, --describe)\n", out);
	list_parts(out, registry, true, width);
	for (const struct part *part = registry->parts; part; part = part->next) {
		if (!part->shadowed_by)
			continue;
		fputs(has_head ? "" : "Shadowed: the same name was found before\n", out);
		has_head = true;
		fprintf(out, "  %-*s  %s %s\n  %-*s  by %s\n", width, part->name,
		        part->is_dialect ? "dialect" : "stage", part->file->path, width, "", part->shadowed_by);
	}
	has_head = false;
	for (const struct plugin_file *file = registry->files; file; file = file->next) {
		if (!file->refused)
			continue;
		fputs(has_head ? "" : "Refused\n", out);
		has_head = true;
		fprintf(out, "  %s\n    ", file->path);
		text_print_escaped(out, text_of(file->refused));
		putc('\n', out);
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
	json_object_object_add(item, "options", options_json(part));
	return item;
}

bool describe_list_json(FILE *out, const struct registry *registry)
{
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
	json_object_object_add(top, "plugins", parts);
	json_object_object_add(top, "refused", refused);
	const char *text =
	        json_object_to_json_string_ext(top, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);
	if (text)
		fprintf(out, "%s\n", text);
	json_object_put(top);
	return text;
}

static void print_comment(FILE *out, const char *indent, const char *text)
{
	enum { WIDTH = 90 };

	while (text && *text) {
		size_t size = strcspn(text, "\n");

		if (size > WIDTH) { /* at a blank, if there is one */
			size_t cut = WIDTH;

			while (cut && text[cut] != ' ')
				cut--;
			size = cut ? cut : size;
		}
		fprintf(out, "%s# ", indent);
		text_print_escaped(out, (struct tav_text){text, size});
		putc('\n', out);
		text += size;
		text += *text == '\n' || *text == ' ';
	}
}

static void describe_option(FILE *out, const struct tav_option *option, const struct tav_value *preset,
                            const char *indent)
{
	struct arena arena = {0};
	bool is_many = option->flags & TAV_OPT_MANY;

	fprintf(out, "\n");
	print_comment(out, indent, option->help);
	fprintf(out, "%s# %s%s", indent, is_many ? "a list, each item " : "", option_expectation(option, &arena));
	for (uint32_t i = 0; option->type == TAV_TYPE_CHOICE && option->choices[i]; i++)
		fprintf(out, "%s %s", i ? "," : ":", option->choices[i]);
	fprintf(out, "%s%s\n", option->flags & TAV_OPT_REQUIRED ? "; required" : "",
	        option->flags & TAV_OPT_DEPRECATED ? "; deprecated" : "");
	const char *value = option->preset ? option_value_yaml(option, preset, &arena) : NULL;
	if (value)
		fprintf(out, "%s%s: %s\n", indent, option->name, value);
	else
		fprintf(out, "%s# %s: %s\n", indent, option->name, is_many ? "[]" : "(no default)");
	arena_fini(&arena);
}

void describe_part(FILE *out, const struct part *part)
{
	const struct plugin_file *file = part->file;

	fprintf(out, "# %s '%s': %s\n", part->is_dialect ? "dialect" : "stage", part->name, part->summary);
	print_comment(out, "", part->help);
	fprintf(out, "# plugin %s %s, %s, interface %u.%u, %s\n", file->name, file->version, file->license,
	        file->abi_major, file->abi_minor, file->path);
	if (part->shadowed_by)
		fprintf(out, "# shadowed by %s\n", part->shadowed_by);
	if (part->field_count) {
		fputs("# reads", out);
		for (uint32_t i = 0; i < part->field_count; i++)
			fprintf(out, "%s %s", i ? "," : "", part->fields[i].path);
		putc('\n', out);
	}
	if (part->is_dialect)
		fprintf(out, "dialects:\n  %s:%s\n", part->name, part->option_count ? "" : " {}");
	else
		fprintf(out, "stages:\n  - stage: %s\n", part->name);
	for (uint32_t i = 0; i < part->option_count; i++)
		describe_option(out, &part->options[i], part->presets[i], "    ");
}

bool describe_name(FILE *out, struct registry *registry, const char *name)
{
	const struct part *stage = registry_find(registry, false, name), *dialect = registry_find(registry, true, name);
	const struct plugin_file *refused = registry_find_refused(registry, name);

	if (stage)
		describe_part(out, stage);
	if (dialect)
		describe_part(out, dialect);
	if (stage || dialect)
		return true;
	fprintf(stderr, "tav-run: error: no stage and no dialect is called '");
	text_print_escaped(stderr, text_of(name));
	if (refused) {
		fprintf(stderr, "': %s was refused: ", refused->path);
		text_print_escaped(stderr, text_of(refused->refused));
		putc('\n', stderr);
		return false;
	}
	const char *const *stages = registry_names(registry, false), *const *dialects = registry_names(registry, true);
	const char *near = stages ? text_nearest(name, stages) : NULL;
	if (!near && dialects)
		near = text_nearest(name, dialects);
	if (near)
		fprintf(stderr, "'; did you mean '%s'?\n", near);
	else
		fputs("'; see tav-run --list\n", stderr);
	return false;
}
