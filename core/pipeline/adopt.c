/* SPDX-License-Identifier: Apache-2.0 */
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include <base/text.h>
#include <pipeline/adopt.h>

/* The sizes of version 1.0: the least that a plugin may have. They never change; what comes later is optional. */
#define SIZE_UP_TO(type, member) (offsetof(struct type, member) + sizeof(((struct type *)0)->member))
enum {
	PLUGIN_SIZE_1_0 = SIZE_UP_TO(tav_plugin, stages),
	STAGE_SIZE_1_0 = SIZE_UP_TO(tav_stage, destroy),
	DIALECT_SIZE_1_0 = SIZE_UP_TO(tav_dialect, assign),
	OPTION_SIZE_1_0 = SIZE_UP_TO(tav_option, help),
	FIELD_SIZE_1_0 = SIZE_UP_TO(tav_field, reserved),
	RULE_SIZE_1_0 = SIZE_UP_TO(tav_rule, clear),
	LANE_SIZE_1_0 = SIZE_UP_TO(tav_lane, reserved),
	MOST_ITEMS = 100000 /* of a list; a larger count is a wrong one */
};

struct adoption {
	struct registry *registry;
	struct arena *arena;
	const char *owner;   /* "stage 'stats'" */
	const char *refused; /* NULL: fine so far */
	bool is_out_of_memory;
};

__attribute__((format(printf, 2, 3))) static bool refuse(struct adoption *adoption, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	const char *text = arena_vprintf(adoption->arena, format, args);
	va_end(args);
	if (text && adoption->owner)
		text = arena_printf(adoption->arena, "%s: %s", adoption->owner, text);
	adoption->refused = text ? text : "refused, and out of memory";
	return false;
}

static bool no_memory(struct adoption *adoption)
{
	adoption->is_out_of_memory = true;
	return false;
}

/* min(theirs, ours) bytes into a zeroed struct of ours. */
static void copy_struct(void *ours, size_t our_size, const void *theirs, size_t their_size)
{
	memset(ours, 0, our_size);
	memcpy(ours, theirs, their_size < our_size ? their_size : our_size);
}

static bool copy_list(struct adoption *adoption, const char *what, const void *items, uint32_t count,
                      uint32_t item_size, size_t least, size_t our_size, void *out)
{
	unsigned char *copy = NULL;

	if (count && !items)
		return refuse(adoption, "the list of %s has %u items and no address", what, count);
	if (count && item_size < least)
		return refuse(adoption, "items of the list of %s have %u bytes; version 1.0 has %zu", what, item_size,
		              least);
	if (count > MOST_ITEMS)
		return refuse(adoption, "the list of %s has %u items", what, count);
	copy = arena_array(adoption->arena, count, our_size);
	if (!copy)
		return no_memory(adoption);
	for (uint32_t i = 0; i < count; i++)
		copy_struct(copy + i * our_size, our_size, (const unsigned char *)items + (size_t)i * item_size,
		            item_size);
	memcpy(out, &copy, sizeof(copy));
	return true;
}

static bool is_part_name(const char *name)
{
	return ((*name >= 'a' && *name <= 'z') || (*name >= '0' && *name <= '9')) &&
	       !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_")];
}

static bool adopt_options(struct adoption *adoption, struct part *part, const struct tav_option_list *list)
{
	struct tav_option *options;

	if (!copy_list(adoption, "options", list->items, list->count, list->item_size, OPTION_SIZE_1_0,
	               sizeof(struct tav_option), &options))
		return false;
	const char *error = option_declaration_error(options, list->count, adoption->arena);
	if (error)
		return refuse(adoption, "%s", error);
	const struct tav_value **presets = arena_array(adoption->arena, list->count, sizeof(*presets));
	if (!presets)
		return no_memory(adoption);
	struct diags diags = {0};
	struct option_reader reader = {adoption->arena, &diags, "its default", NULL};
	for (uint32_t i = 0; i < list->count && !adoption->refused; i++) {
		presets[i] = option_preset(&reader, &options[i]);
		if (diags.first)
			refuse(adoption, "%s", diags.first->message);
		else if (!presets[i])
			no_memory(adoption);
	}
	diags_fini(&diags);
	part->options = options;
	part->presets = presets;
	part->option_count = list->count;
	return !adoption->refused && !adoption->is_out_of_memory;
}

static bool adopt_fields(struct adoption *adoption, struct part *part, const struct tav_field_list *list)
{
	struct tav_field *fields;

	if (!copy_list(adoption, "fields", list->items, list->count, list->item_size, FIELD_SIZE_1_0,
	               sizeof(struct tav_field), &fields))
		return false;
	for (uint32_t i = 0; i < list->count; i++) {
		uint32_t type = fields[i].type;

		if (!fields[i].path || !*fields[i].path || !strcmp(fields[i].path, "args."))
			return refuse(adoption, "field %u has no path", i);
		if (type != TAV_TYPE_INT && type != TAV_TYPE_REAL && type != TAV_TYPE_STRING && type != TAV_TYPE_JSON &&
		    type != TAV_TYPE_PRESENT)
			return refuse(adoption, "field '%s' has the type %u, which no field can have", fields[i].path,
			              type);
		if (!strcmp(fields[i].path, "args") && type != TAV_TYPE_JSON && type != TAV_TYPE_PRESENT)
			return refuse(adoption, "field 'args' as a whole can only be JSON or PRESENT");
	}
	part->fields = fields;
	part->field_count = list->count;
	return true;
}

static bool is_rule_field(const char *field)
{
	return !strcmp(field, "name") || !strcmp(field, "cat") || !strcmp(field, "ph") ||
	       (!strncmp(field, "args.", 5) && field[5]);
}

static bool check_condition(struct adoption *adoption, uint32_t rule, const struct tav_condition *condition)
{
	regex_t pattern;
	char why[128];
	int status;

	if (!is_rule_field(condition->field))
		return refuse(adoption, "rule %u tests the field '%s'; a rule tests name, cat, ph or args.KEY", rule,
		              condition->field);
	if (condition->test < TAV_TEST_EQUALS || condition->test > TAV_TEST_EXISTS)
		return refuse(adoption, "rule %u has the unknown test %u", rule, condition->test);
	if (condition->flags & ~(uint32_t)(TAV_COND_IGNORE_CASE | TAV_COND_NOT))
		return refuse(adoption, "rule %u has unknown flags 0x%x", rule, condition->flags);
	if (condition->test != TAV_TEST_EXISTS && !condition->text)
		return refuse(adoption, "rule %u has a test without a text", rule);
	if (condition->test != TAV_TEST_MATCHES)
		return true;
	status = regcomp(&pattern, condition->text, REG_EXTENDED | REG_NOSUB);
	if (!status) {
		regfree(&pattern);
		return true;
	}
	regerror(status, &pattern, why, sizeof(why));
	return refuse(adoption, "rule %u: \"%s\" is not a POSIX extended regular expression: %s", rule, condition->text,
	              why);
}

static bool adopt_rules(struct adoption *adoption, struct tav_dialect *dialect)
{
	struct tav_rule *rules;

	if (!copy_list(adoption, "rules", dialect->rules.items, dialect->rules.count, dialect->rules.item_size,
	               RULE_SIZE_1_0, sizeof(struct tav_rule), &rules))
		return false;
	for (uint32_t i = 0; i < dialect->rules.count; i++) {
		for (size_t j = 0; j < sizeof(rules[i].when) / sizeof(rules[i].when[0]) && rules[i].when[j].field;
		     j++) {
			if (!check_condition(adoption, i, &rules[i].when[j]))
				return false;
		}
	}
	dialect->rules = (struct tav_rule_list){rules, dialect->rules.count, sizeof(struct tav_rule)};
	return true;
}

static bool adopt_lanes(struct adoption *adoption, struct tav_dialect *dialect)
{
	struct tav_lane *lanes;

	if (!copy_list(adoption, "lanes", dialect->lanes.items, dialect->lanes.count, dialect->lanes.item_size,
	               LANE_SIZE_1_0, sizeof(struct tav_lane), &lanes))
		return false;
	if (dialect->lanes.count && !dialect->assign)
		return refuse(adoption, "it has lanes and no assign()");
	for (uint32_t i = 0; i < dialect->lanes.count; i++) {
		if (!lanes[i].name)
			return refuse(adoption, "lane %u has no name", i);
	}
	dialect->lanes = (struct tav_lane_list){lanes, dialect->lanes.count, sizeof(struct tav_lane)};
	return true;
}

static bool adopt_dialect(struct adoption *adoption, struct part *part, const struct tav_dialect *theirs)
{
	struct tav_dialect *dialect = &part->dialect;

	copy_struct(dialect, sizeof(*dialect), theirs, theirs->struct_size);
	dialect->struct_size = sizeof(*dialect);
	if (!adopt_options(adoption, part, &dialect->options) || !adopt_fields(adoption, part, &dialect->fields) ||
	    !adopt_rules(adoption, dialect) || !adopt_lanes(adoption, dialect))
		return false;
	dialect->options = (struct tav_option_list){part->options, part->option_count, sizeof(struct tav_option)};
	dialect->fields = (struct tav_field_list){part->fields, part->field_count, sizeof(struct tav_field)};
	return true;
}

static bool adopt_stage(struct adoption *adoption, struct part *part, const struct tav_stage *theirs)
{
	struct tav_stage *stage = &part->stage;

	copy_struct(stage, sizeof(*stage), theirs, theirs->struct_size);
	stage->struct_size = sizeof(*stage);
	part->help = stage->help;
	if (!stage->run)
		return refuse(adoption, "it has no run()");
	if (!adopt_options(adoption, part, &stage->options) || !adopt_fields(adoption, part, &stage->fields))
		return false;
	stage->options = (struct tav_option_list){part->options, part->option_count, sizeof(struct tav_option)};
	stage->fields = (struct tav_field_list){part->fields, part->field_count, sizeof(struct tav_field)};
	return true;
}

static struct part *new_part(struct adoption *adoption, const struct plugin_file *file, bool is_dialect,
                             const char *name, const char *summary)
{
	struct part *part = arena_alloc(adoption->arena, sizeof(*part)), **end = &adoption->registry->parts;

	if (!part)
		return NULL;
	*part = (struct part){.file = file, .is_dialect = is_dialect, .name = name, .summary = summary ? summary : ""};
	while (*end)
		end = &(*end)->next;
	*end = part;
	return part;
}

/* One member of either list; `index` is for those that have no name yet. */
static bool adopt_part(struct adoption *adoption, const struct plugin_file *file, bool is_dialect, uint32_t index,
                       const void *descriptor)
{
	const char *kind = is_dialect ? "dialect" : "stage";
	const struct tav_stage *stage = descriptor;
	const struct tav_dialect *dialect = descriptor;
	uint32_t size = is_dialect ? dialect->struct_size : stage->struct_size;
	uint32_t least = is_dialect ? (uint32_t)DIALECT_SIZE_1_0 : (uint32_t)STAGE_SIZE_1_0;

	adoption->owner = NULL;
	if (size < least)
		return refuse(adoption, "%s %u: its struct has %u bytes; version 1.0 has %u", kind, index, size, least);
	const char *name = is_dialect ? dialect->name : stage->name;
	if (!name || !*name)
		return refuse(adoption, "%s %u has no name", kind, index);
	if (!is_part_name(name))
		return refuse(adoption, "%s '%s': a name has lower case letters, digits, '-' and '_'", kind, name);
	adoption->owner = arena_printf(adoption->arena, "%s '%s'", kind, name);
	struct part *part = adoption->owner ? new_part(adoption, file, is_dialect, name,
	                                               is_dialect ? dialect->summary : stage->summary)
	                                    : NULL;
	if (!part)
		return no_memory(adoption);
	for (const struct part *other = adoption->registry->parts; other; other = other->next) {
		if (other != part && other->file == file && other->is_dialect == is_dialect &&
		    !strcmp(other->name, name))
			return refuse(adoption, "this name stands twice in the plugin");
	}
	return is_dialect ? adopt_dialect(adoption, part, dialect) : adopt_stage(adoption, part, stage);
}

static bool adopt_all(struct adoption *adoption, struct plugin_file *file, const struct tav_plugin *theirs)
{
	struct tav_plugin plugin;

	file->abi_major = theirs->abi_major;
	file->abi_minor = theirs->abi_minor;
	/* Behind the first 8 bytes, another major version may have anything. */
	if (theirs->abi_major != TAV_ABI_MAJOR)
		return refuse(adoption, "made for plugin interface %u.x; this program has %u.%u", theirs->abi_major,
		              TAV_ABI_MAJOR, TAV_ABI_MINOR);
	if (theirs->abi_minor > TAV_ABI_MINOR)
		return refuse(adoption, "needs plugin interface %u.%u; this program has %u.%u", theirs->abi_major,
		              theirs->abi_minor, TAV_ABI_MAJOR, TAV_ABI_MINOR);
	if (theirs->struct_size < PLUGIN_SIZE_1_0)
		return refuse(adoption, "its struct tav_plugin has %u bytes; version 1.0 has %u", theirs->struct_size,
		              (unsigned)PLUGIN_SIZE_1_0);
	copy_struct(&plugin, sizeof(plugin), theirs, theirs->struct_size);
	if (!plugin.name || !*plugin.name)
		return refuse(adoption, "the plugin has no name");
	file->name = plugin.name;
	file->version = plugin.version ? plugin.version : "";
	file->license = plugin.license ? plugin.license : "";
	bool has_dialects = plugin.dialects && plugin.dialects[0], has_stages = plugin.stages && plugin.stages[0];
	if (!has_dialects && !has_stages)
		return refuse(adoption, "it offers neither a dialect nor a stage");
	for (uint32_t i = 0; has_dialects && plugin.dialects[i]; i++) {
		if (!adopt_part(adoption, file, true, i, plugin.dialects[i]))
			return false;
	}
	for (uint32_t i = 0; has_stages && plugin.stages[i]; i++) {
		if (!adopt_part(adoption, file, false, i, plugin.stages[i]))
			return false;
	}
	return true;
}

bool plugin_adopt(struct registry *registry, struct plugin_file *file, const struct tav_plugin *plugin)
{
	struct adoption adoption = {.registry = registry, .arena = &registry->arena};

	adopt_all(&adoption, file, plugin);
	file->refused = adoption.refused;
	return !adoption.is_out_of_memory;
}
