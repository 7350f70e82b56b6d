/* SPDX-License-Identifier: Apache-2.0 */
/* A JSON Schema of configs, from the same tables that check them. */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include <config/config.h>
#include <plugin/describe.h>

static struct json_object *typed(const char *type, const char *help)
{
	struct json_object *schema = json_object_new_object();

	if (type)
		json_object_object_add(schema, "type", json_object_new_string(type));
	if (help && *help)
		json_object_object_add(schema, "description", json_object_new_string(help));
	return schema;
}

static void put(struct json_object *object, const char *key, struct json_object *value)
{
	json_object_object_add(object, key, value);
}

static void put_number(struct json_object *schema, const char *key, const struct tav_option *option, const char *text)
{
	int64_t integer;
	bool is_out;

	if (text && option->type == TAV_TYPE_INT && text_to_int(text, &integer, &is_out))
		put(schema, key, json_object_new_int64(integer));
	else if (text && option->type == TAV_TYPE_REAL)
		put(schema, key, json_object_new_double(strtod(text, NULL)));
}

static struct json_object *value_json(const struct tav_option *option, const struct tav_value *value)
{
	switch (option->type) {
	case TAV_TYPE_BOOL:
		return json_object_new_boolean(value->integer != 0);
	case TAV_TYPE_INT:
		return json_object_new_int64(value->integer);
	case TAV_TYPE_REAL:
		return json_object_new_double(value->real);
	default:
		return json_object_new_string(value->text.data);
	}
}

/* Since YAML 1.2 `yes` is a text to editors; here it is what it was before. */
static struct json_object *bool_schema(void)
{
	static const char *const words[] = {"yes", "no", "on", "off"};
	struct json_object *schema = json_object_new_object(), *values = json_object_new_array();

	json_object_array_add(values, json_object_new_boolean(1));
	json_object_array_add(values, json_object_new_boolean(0));
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		json_object_array_add(values, json_object_new_string(words[i]));
	put(schema, "enum", values);
	return schema;
}

static struct json_object *scalar_schema(const struct tav_option *option)
{
	struct json_object *schema;
	struct json_object *types = json_object_new_array();

	switch (option->type) {
	case TAV_TYPE_BOOL:
		json_object_put(types);
		return bool_schema();
	case TAV_TYPE_INT:
	case TAV_TYPE_REAL:
		json_object_put(types);
		schema = typed(option->type == TAV_TYPE_INT ? "integer" : "number", NULL);
		put_number(schema, "minimum", option, option->min);
		put_number(schema, "maximum", option, option->max);
		return schema;
	case TAV_TYPE_CHOICE:
		json_object_put(types);
		schema = json_object_new_object();
		types = json_object_new_array();
		for (uint32_t i = 0; option->choices[i]; i++)
			json_object_array_add(types, json_object_new_string(option->choices[i]));
		put(schema, "enum", types);
		return schema;
	default:
		/* YAML makes numbers of some texts; this program takes them as they are written */
		schema = json_object_new_object();
		json_object_array_add(types, json_object_new_string("string"));
		json_object_array_add(types, json_object_new_string("number"));
		put(schema, "type", types);
		return schema;
	}
}

static struct json_object *option_schema(const struct tav_option *option, const struct tav_value *preset)
{
	struct json_object *schema = scalar_schema(option);

	if (option->flags & TAV_OPT_MANY) {
		struct json_object *list = typed("array", NULL);

		put(list, "items", schema);
		schema = list;
	}
	if (option->help)
		put(schema, "description", json_object_new_string(option->help));
	if (option->flags & TAV_OPT_DEPRECATED)
		put(schema, "deprecated", json_object_new_boolean(1));
	if (option->preset && option->flags & TAV_OPT_MANY) {
		struct json_object *list = json_object_new_array();

		for (uint64_t i = 0; i < preset->count; i++)
			json_object_array_add(list, value_json(option, preset->items[i]));
		put(schema, "default", list);
	} else if (option->preset) {
		put(schema, "default", value_json(option, preset));
	}
	return schema;
}

static struct json_object *closed(struct json_object *properties, struct json_object *required)
{
	struct json_object *schema = typed("object", NULL);

	put(schema, "properties", properties);
	if (required && json_object_array_length(required))
		put(schema, "required", required);
	else
		json_object_put(required);
	put(schema, "additionalProperties", json_object_new_boolean(0));
	return schema;
}

static void put_ids(const struct part *part, struct json_object *schema, const char *const *levels)
{
	struct json_object *names = json_object_new_array();

	for (uint32_t i = 0; i < part->page_count; i++) {
		if (!(part->pages[i].tells & (TAV_TELLS_CHECK | TAV_TELLS_FINDING)))
			continue;
		for (uint32_t j = 0; levels && levels[j]; j++) {
			char text[256];

			snprintf(text, sizeof(text), "%s=%s", part->pages[i].id, levels[j]);
			json_object_array_add(names, json_object_new_string(text));
		}
		if (!levels)
			json_object_array_add(names, json_object_new_string(part->pages[i].id));
	}
	put(schema, "enum", names);
}

/* The keys that every stage has. */
static void host_keys_schema(struct json_object *properties, const struct part *part)
{
	struct json_object *severity = typed("array", "What becomes of a check or finding: CHECK=LEVEL, the level one "
	                                              "of off, note, warn, fail."),
	                   *checks = typed("array", "Only these checks and findings are told."),
	                   *most = typed("integer", "So many instances of a finding are kept for each source."),
	                   *level = json_object_new_object(), *id = json_object_new_object();

	if (part->page_count) {
		put_ids(part, level, config_levels);
		put_ids(part, id, NULL);
	} else {
		put(level, "type", json_object_new_string("string"));
		put(level, "pattern", json_object_new_string("^[a-z0-9_]+=(off|note|warn|fail)$"));
		put(id, "type", json_object_new_string("string"));
	}
	put(severity, "items", level);
	put(checks, "items", id);
	put(checks, "minItems", json_object_new_int(1));
	put(most, "minimum", json_object_new_int(1));
	put(most, "maximum", json_object_new_int(100000000));
	put(properties, "severity", severity);
	put(properties, "checks", checks);
	put(properties, "max_instances", most); /* a stage's own option of that name takes its place */
}

static struct json_object *part_schema(const struct part *part)
{
	struct json_object *properties = json_object_new_object(), *required = json_object_new_array();

	if (!part->is_dialect) {
		struct json_object *name = json_object_new_object(),
		                   *id = typed("string", "A name of its own, for --set and reports.");

		put(name, "const", json_object_new_string(part->name));
		put(id, "pattern", json_object_new_string("^[A-Za-z0-9_-]+$"));
		put(properties, "stage", name);
		put(properties, "id", id);
		json_object_array_add(required, json_object_new_string("stage"));
		host_keys_schema(properties, part);
	}
	for (uint32_t i = 0; i < part->option_count; i++) {
		put(properties, part->options[i].name, option_schema(&part->options[i], part->presets[i]));
		if (part->options[i].flags & TAV_OPT_REQUIRED)
			json_object_array_add(required, json_object_new_string(part->options[i].name));
	}
	struct json_object *schema = closed(properties, required);
	if (*part->summary)
		put(schema, "description", json_object_new_string(part->summary));
	return schema;
}

static struct json_object *stages_schema(const struct registry *registry)
{
	struct json_object *list = typed("array", "What is done, in this order."), *item = json_object_new_object();
	struct json_object *any = json_object_new_array(), *names = json_object_new_array(),
	                   *name = json_object_new_object();

	for (const struct part *part = registry->parts; part; part = part->next) {
		if (part->is_dialect || part->file->refused || part->shadowed_by)
			continue;
		json_object_array_add(names, json_object_new_string(part->name));
		json_object_array_add(any, part_schema(part));
	}
	put(name, "enum", names);
	json_object_array_add(any, name);
	put(item, "anyOf", any);
	put(list, "minItems", json_object_new_int(1));
	put(list, "items", item);
	return list;
}

static struct json_object *dialects_schema(const struct registry *registry)
{
	struct json_object *properties = json_object_new_object();

	for (const struct part *part = registry->parts; part; part = part->next) {
		if (part->is_dialect && !part->file->refused && !part->shadowed_by)
			put(properties, part->name, part_schema(part));
	}
	struct json_object *schema = closed(properties, NULL);
	put(schema, "description", json_object_new_string("Options of dialects."));
	return schema;
}

/* A report of one of these formats; all with options are shaped alone. */
static struct json_object *report_schema(struct json_object *names, const struct report_format *format)
{
	struct json_object *name = json_object_new_object(), *properties = json_object_new_object(),
	                   *required = json_object_new_array();
	struct arena arena = {0};
	uint32_t count = 0;
	const struct tav_value *const *presets = format ? format_presets(&arena, format, &count) : NULL;

	put(name, "enum", names);
	put(properties, "format", name);
	put(properties, "path", typed("string", "Relative to this file; \"-\" is standard output."));
	for (uint32_t i = 0; presets && i < count; i++)
		put(properties, format->options[i].name, option_schema(&format->options[i], presets[i]));
	arena_fini(&arena);
	json_object_array_add(required, json_object_new_string("format"));
	json_object_array_add(required, json_object_new_string("path"));
	return closed(properties, required);
}

static struct json_object *reports_schema(void)
{
	struct json_object *list = typed("array", "Reports besides the text."), *item = json_object_new_object(),
	                   *plain = json_object_new_array(), *any = json_object_new_array();

	for (const struct report_format *format = report_formats; format->name; format++) {
		struct json_object *names = format->options ? json_object_new_array() : plain;

		json_object_array_add(names, json_object_new_string(format->name));
		if (format->options)
			json_object_array_add(any, report_schema(names, format));
	}
	json_object_array_add(any, report_schema(plain, NULL));
	put(item, "anyOf", any);
	put(list, "items", item);
	return list;
}

static struct json_object *pattern_schema(const char *help)
{
	struct json_object *schema = json_object_new_object(), *any = json_object_new_array(),
	                   *one = json_object_new_object(), *types = json_object_new_array(),
	                   *list = typed("array", NULL);

	/* YAML makes numbers of some texts, such as those of streams */
	json_object_array_add(types, json_object_new_string("string"));
	json_object_array_add(types, json_object_new_string("number"));
	put(one, "type", types);
	put(list, "minItems", json_object_new_int(1));
	put(list, "items", json_object_get(one));
	json_object_array_add(any, one);
	json_object_array_add(any, list);
	put(schema, "anyOf", any);
	put(schema, "description", json_object_new_string(help));
	return schema;
}

static struct json_object *waivers_schema(void)
{
	static const char *const wanted[] = {"stage", "id", "reason", "until"};
	struct json_object *schema = json_object_new_object(), *any = json_object_new_array(),
	                   *list = typed("array", NULL), *properties = json_object_new_object(),
	                   *required = json_object_new_array(),
	                   *until = typed("string", "The last day on which it holds (UTC).");

	put(properties, "stage", pattern_schema("Patterns of stages: by id or name."));
	put(properties, "id", pattern_schema("Patterns of checks and findings."));
	put(properties, "names", pattern_schema("Patterns that the names of all events of what is waived match."));
	put(properties, "stream", pattern_schema("The same, of their streams."));
	put(properties, "trace", pattern_schema("Patterns of the trace: of its file name, or with a '/' of its path."));
	put(properties, "reason", typed("string", "Why it does not count."));
	put(until, "pattern", json_object_new_string("^[0-9]{4}-[0-9]{2}-[0-9]{2}$"));
	put(properties, "until", until);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		json_object_array_add(required, json_object_new_string(wanted[i]));
	put(list, "items", closed(properties, required));
	json_object_array_add(any, list);
	json_object_array_add(any, typed("string", "A file with such a list, relative to this one."));
	put(schema, "anyOf", any);
	put(schema, "description",
	    json_object_new_string(
	            "What was found and does not count, for a reason and until a day; it is shown all the same."));
	return schema;
}

static struct json_object *words(const char *first, const char *second, const char *help)
{
	struct json_object *schema = json_object_new_object(), *names = json_object_new_array();

	json_object_array_add(names, json_object_new_string(first));
	json_object_array_add(names, json_object_new_string(second));
	put(schema, "enum", names);
	put(schema, "description", json_object_new_string(help));
	return schema;
}

bool describe_schema(FILE *out, struct registry *registry)
{
	if (!registry_open_all(registry))
		return false;
	struct json_object *properties = json_object_new_object(), *required = json_object_new_array(),
	                   *version = json_object_new_object(), *dirs = typed("array", "Relative to this file.");

	put(version, "const", json_object_new_int(1));
	put(properties, "version", version);
	put(properties, "dialect", typed("string", "The name of a dialect; auto (the default) finds out."));
	put(dirs, "items", typed("string", NULL));
	put(properties, "plugin_dirs", dirs);
	put(properties, "stages", stages_schema(registry));
	put(properties, "dialects", dialects_schema(registry));
	put(properties, "reports", reports_schema());
	put(properties, "fail_on", words("error", "warning", "The least severe finding that ends with status 1."));
	put(properties, "waivers", waivers_schema());
	json_object_array_add(required, json_object_new_string("version"));
	json_object_array_add(required, json_object_new_string("stages"));
	struct json_object *schema = closed(properties, required);
	put(schema, "$schema", json_object_new_string("https://json-schema.org/draft/2020-12/schema"));
	put(schema, "title", json_object_new_string("A pipeline of tav-run"));
	const char *text =
	        json_object_to_json_string_ext(schema, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);
	if (text)
		fprintf(out, "%s\n", text);
	json_object_put(schema);
	return text;
}
