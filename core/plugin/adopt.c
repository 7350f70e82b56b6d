/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <kit/pattern.h>
#include <plugin/adopt.h>

/* The sizes of version 2.0: the least that a plugin may have. They never change; what comes later is optional. */
#define SIZE_UP_TO(type, member) (offsetof(struct type, member) + sizeof(((struct type *)0)->member))
enum {
	PLUGIN_SIZE_2_0 = SIZE_UP_TO(tav_plugin, stages),
	STAGE_SIZE_2_0 = SIZE_UP_TO(tav_stage, destroy),
	DIALECT_SIZE_2_0 = SIZE_UP_TO(tav_dialect, flavour),
	OPTION_SIZE_2_0 = SIZE_UP_TO(tav_option, help),
	FIELD_SIZE_2_0 = SIZE_UP_TO(tav_field, flags),
	RULE_SIZE_2_0 = SIZE_UP_TO(tav_rule, reserved),
	LANE_SIZE_2_0 = SIZE_UP_TO(tav_lane, reserved),
	PAGE_SIZE_2_0 = SIZE_UP_TO(tav_page, text),
	MOST_ITEMS = 100000, /* of a list; a larger count is a wrong one */
	MOST_BYTES = 65536,  /* of a struct, likewise */
	MOST_KEYS = 8,       /* of a device or a track */
	CONDITIONS = sizeof(((struct tav_rule *)0)->when) / sizeof(((struct tav_rule *)0)->when[0])
};
static const uint32_t settable_traits = ((TAV_TRAIT_ENDS_LATER << 1) - 1) | TAV_TRAIT_REFINE;

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

/* Theirs into a zeroed struct of ours. What ours has no member for must be zero, else it would be lost in silence. */
static bool copy_struct(struct adoption *adoption, const char *what, void *ours, size_t our_size, const void *theirs,
                        size_t their_size, size_t least)
{
	const unsigned char *bytes = theirs;

	if (their_size < least)
		return refuse(adoption, "%s has %zu bytes; version 2.0 has %zu", what, their_size, least);
	if (their_size > MOST_BYTES)
		return refuse(adoption, "%s has %zu bytes, which cannot be", what, their_size);
	for (size_t i = our_size; i < their_size; i++) {
		if (bytes[i])
			return refuse(adoption,
			              "it needs a newer tav: %s uses a member that version %u.%u does not have", what,
			              TAV_ABI_MAJOR, TAV_ABI_MINOR_LATEST);
	}
	memset(ours, 0, our_size);
	memcpy(ours, theirs, their_size < our_size ? their_size : our_size);
	return true;
}

static bool check_bits(struct adoption *adoption, const char *what, uint32_t bits, uint32_t known)
{
	return !(bits & ~known) ||
	       refuse(adoption, "%s: unknown bits 0x%x; it may need a newer tav", what, bits & ~known);
}

static bool check_reserved(struct adoption *adoption, const char *what, uint32_t reserved)
{
	return !reserved || refuse(adoption, "'reserved' of %s is %u; it must be 0", what, reserved);
}

static bool copy_list(struct adoption *adoption, const char *what, const void *items, uint32_t count,
                      uint32_t item_size, size_t least, size_t our_size, void *out)
{
	char item[64];

	if (count && !items)
		return refuse(adoption, "the list of %ss has %u items and no address", what, count);
	if (count > MOST_ITEMS)
		return refuse(adoption, "the list of %ss has %u items", what, count);
	unsigned char *copy = arena_array(adoption->arena, count, our_size);
	if (!copy)
		return no_memory(adoption);
	for (uint32_t i = 0; i < count; i++) {
		snprintf(item, sizeof(item), "%s %u", what, i);
		if (!copy_struct(adoption, item, copy + i * our_size, our_size,
		                 (const unsigned char *)items + (size_t)i * item_size, item_size, least))
			return false;
	}
	memcpy(out, &copy, sizeof(copy));
	return true;
}

/* How many texts stand before the NULL; too many: refused, and UINT32_MAX. */
static uint32_t count_texts(struct adoption *adoption, const char *what, const char *const *texts)
{
	uint32_t count = 0;

	while (texts && count < MOST_ITEMS && texts[count])
		count++;
	if (count == MOST_ITEMS) {
		refuse(adoption, "its list of %s has no NULL at its end", what);
		return UINT32_MAX;
	}
	return count;
}

static bool is_part_name(const char *name)
{
	return ((*name >= 'a' && *name <= 'z') || (*name >= '0' && *name <= '9')) &&
	       !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_")];
}

static bool adopt_options(struct adoption *adoption, struct part *part, const struct tav_option_list *list)
{
	struct tav_option *options = NULL;

	if (!copy_list(adoption, "option", list->items, list->count, list->item_size, OPTION_SIZE_2_0,
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
	struct tav_field *fields = NULL;

	if (!copy_list(adoption, "field", list->items, list->count, list->item_size, FIELD_SIZE_2_0,
	               sizeof(struct tav_field), &fields))
		return false;
	for (uint32_t i = 0; i < list->count; i++) {
		uint32_t type = fields[i].type;
		char what[32];

		snprintf(what, sizeof(what), "field %u", i);
		if (!check_bits(adoption, what, fields[i].flags, TAV_FIELD_COUNTERS))
			return false;
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
	char why[128];

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
	return pattern_is_sound(condition->text, why, sizeof(why)) ||
	       refuse(adoption, "rule %u: \"%s\" is not a POSIX extended regular expression: %s", rule, condition->text,
	              why);
}

/* The call is what a label is, so the rule may look at nothing else. */
static bool check_call(struct adoption *adoption, uint32_t number, const struct tav_rule *rule)
{
	if (rule->call > TAV_CALL_CAPTURE_END)
		return refuse(adoption, "rule %u has the unknown call %u; it may need a newer tav", number, rule->call);
	for (size_t i = 0; rule->call && i < CONDITIONS && rule->when[i].field; i++) {
		if (strcmp(rule->when[i].field, "name") && strcmp(rule->when[i].field, "cat"))
			return refuse(adoption, "rule %u sets a call and tests '%s'; a call goes by name and cat alone",
			              number, rule->when[i].field);
	}
	return true;
}

static bool check_rule(struct adoption *adoption, const struct tav_dialect *dialect, uint32_t number,
                       const struct tav_rule *rule)
{
	char what[48];

	for (size_t i = 0; i < CONDITIONS && rule->when[i].field; i++) {
		if (!check_condition(adoption, number, &rule->when[i]))
			return false;
	}
	snprintf(what, sizeof(what), "rule %u", number);
	if (!check_bits(adoption, what, rule->set | rule->clear, settable_traits) ||
	    !check_reserved(adoption, what, rule->reserved))
		return false;
	if (rule->set & TAV_TRAIT_REFINE && !dialect->refine)
		return refuse(adoption, "rule %u sets TAV_TRAIT_REFINE, and there is no refine()", number);
	return check_call(adoption, number, rule);
}

static bool adopt_rules(struct adoption *adoption, struct tav_dialect *dialect)
{
	struct tav_rule *rules = NULL;

	if (!copy_list(adoption, "rule", dialect->rules.items, dialect->rules.count, dialect->rules.item_size,
	               RULE_SIZE_2_0, sizeof(struct tav_rule), &rules))
		return false;
	for (uint32_t i = 0; i < dialect->rules.count; i++) {
		if (!check_rule(adoption, dialect, i, &rules[i]))
			return false;
	}
	dialect->rules = (struct tav_rule_list){rules, dialect->rules.count, sizeof(struct tav_rule)};
	return true;
}

static bool adopt_lanes(struct adoption *adoption, struct tav_dialect *dialect)
{
	struct tav_lane *lanes = NULL;

	if (!copy_list(adoption, "lane", dialect->lanes.items, dialect->lanes.count, dialect->lanes.item_size,
	               LANE_SIZE_2_0, sizeof(struct tav_lane), &lanes))
		return false;
	if (dialect->lanes.count && !dialect->assign)
		return refuse(adoption, "it has lanes and no assign()");
	for (uint32_t i = 0; i < dialect->lanes.count; i++) {
		if (!lanes[i].name)
			return refuse(adoption, "lane %u has no name", i);
		if (!check_bits(adoption, "a lane", lanes[i].flags, TAV_TRACK_SERIAL) ||
		    !check_reserved(adoption, "a lane", lanes[i].reserved))
			return false;
	}
	dialect->lanes = (struct tav_lane_list){lanes, dialect->lanes.count, sizeof(struct tav_lane)};
	return true;
}

static bool is_event_field(const char *field)
{
	return !strcmp(field, "pid") || !strcmp(field, "tid") || !strcmp(field, "id") ||
	       (!strncmp(field, "args.", 5) && field[5]);
}

static bool check_fields(struct adoption *adoption, const char *what, const char *const *fields)
{
	uint32_t count = count_texts(adoption, what, fields);

	for (uint32_t i = 0; i < count && count != UINT32_MAX; i++) {
		if (!is_event_field(fields[i]))
			return refuse(adoption, "%s has the field '%s'; it must be pid, tid, id or args.KEY", what,
			              fields[i]);
	}
	return count != UINT32_MAX;
}

/* A key whose fields the user may replace names an option that holds fields. */
static bool check_key_option(struct adoption *adoption, const struct part *part, const char *what,
                             const struct tav_key *key)
{
	for (uint32_t i = 0; key->option && i < part->option_count; i++) {
		const struct tav_option *option = &part->options[i];

		if (!strcmp(option->name, key->option))
			return (option->type == TAV_TYPE_FIELD && option->flags & TAV_OPT_MANY) ||
			       refuse(adoption, "%s goes by the option '%s', which is no list of fields", what,
			              key->option);
	}
	return !key->option || refuse(adoption, "%s goes by the option '%s', which is not declared", what, key->option);
}

static bool check_keys(struct adoption *adoption, const struct part *part, const char *what, const struct tav_key *keys)
{
	uint32_t count = 0;

	for (; keys && keys[count].fields; count++) {
		if (count == MOST_KEYS)
			return refuse(adoption, "%s has more than %d keys, or no NULL at its end", what, MOST_KEYS);
		if (!keys[count].fields[0])
			return refuse(adoption, "key %u of %s has no field", count, what);
		if (!check_fields(adoption, what, keys[count].fields) ||
		    !check_key_option(adoption, part, what, &keys[count]))
			return false;
	}
	return !keys || count || refuse(adoption, "%s is an empty list of keys; NULL stands for pid alone", what);
}

static bool adopt_dialect(struct adoption *adoption, struct part *part, const struct tav_dialect *theirs)
{
	struct tav_dialect *dialect = &part->dialect;

	if (!copy_struct(adoption, "struct tav_dialect", dialect, sizeof(*dialect), theirs, theirs->struct_size,
	                 DIALECT_SIZE_2_0) ||
	    !check_reserved(adoption, "struct tav_dialect", dialect->reserved))
		return false;
	dialect->struct_size = sizeof(*dialect);
	if (!adopt_options(adoption, part, &dialect->options) || !adopt_fields(adoption, part, &dialect->fields) ||
	    !adopt_rules(adoption, dialect) || !adopt_lanes(adoption, dialect) ||
	    !check_keys(adoption, part, "its track", dialect->track) ||
	    !check_keys(adoption, part, "its device", dialect->device) ||
	    !check_fields(adoption, "link_fields", dialect->link_fields) ||
	    !check_fields(adoption, "operator_fields", dialect->operator_fields))
		return false;
	if (dialect->track_word && !*dialect->track_word)
		return refuse(adoption, "its track_word is empty; NULL stands for \"stream\"");
	dialect->options = (struct tav_option_list){part->options, part->option_count, sizeof(struct tav_option)};
	dialect->fields = (struct tav_field_list){part->fields, part->field_count, sizeof(struct tav_field)};
	return true;
}

static bool adopt_needs(struct adoption *adoption, struct part *part, const struct tav_stage *stage)
{
	uint32_t count = count_texts(adoption, "needs", stage->needs);

	if (count == UINT32_MAX)
		return false;
	const char **needs = arena_array(adoption->arena, (size_t)count + 1, sizeof(*needs));
	if (!needs)
		return no_memory(adoption);
	for (uint32_t i = 0; i < count; i++) {
		needs[i] = stage->needs[i];
		if (!is_part_name(needs[i]))
			return refuse(adoption, "it needs '%s', which no stage can be called", needs[i]);
		if (!strcmp(needs[i], part->name))
			return refuse(adoption, "it needs itself");
	}
	part->needs = needs;
	part->need_count = count;
	return true;
}

static bool is_id(const char *id)
{
	return id && *id >= 'a' && *id <= 'z' && !id[strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789_")];
}

static int compare_pages(const void *a, const void *b)
{
	return strcmp(((const struct tav_page *)a)->id, ((const struct tav_page *)b)->id);
}

static bool adopt_pages(struct adoption *adoption, struct part *part, const struct tav_page_list *list)
{
	static const uint32_t all = TAV_TELLS_CHECK | TAV_TELLS_FINDING | TAV_TELLS_TABLE | TAV_TELLS_METRIC;
	struct tav_page *pages = NULL;

	if (!copy_list(adoption, "page", list->items, list->count, list->item_size, PAGE_SIZE_2_0,
	               sizeof(struct tav_page), &pages))
		return false;
	for (uint32_t i = 0; i < list->count; i++) {
		char what[32];

		snprintf(what, sizeof(what), "page %u", i);
		if (!is_id(pages[i].id))
			return refuse(adoption, "page %u has no id in snake_case", i);
		if (!check_bits(adoption, what, pages[i].tells, all))
			return false;
		if (!pages[i].tells || pages[i].severity > TAV_SEV_ERROR || !pages[i].summary)
			return refuse(adoption, "the page '%s' says not what it is about: tells, severity, summary",
			              pages[i].id);
	}
	qsort(pages, list->count, sizeof(*pages), compare_pages);
	for (uint32_t i = 1; i < list->count; i++) {
		if (!strcmp(pages[i].id, pages[i - 1].id))
			return refuse(adoption, "the page '%s' stands twice", pages[i].id);
	}
	part->pages = pages;
	part->page_count = list->count;
	return true;
}

static bool adopt_stage(struct adoption *adoption, struct part *part, const struct tav_stage *theirs)
{
	static const uint32_t flags = TAV_STAGE_NO_DEVICE_WORK | TAV_STAGE_EDITS_IN_COMBINE | TAV_STAGE_EDITS |
	                              TAV_STAGE_LINKS | TAV_STAGE_SUMS_UP | TAV_STAGE_MERGES | TAV_STAGE_REDACTS;
	struct tav_stage *stage = &part->stage;

	if (!copy_struct(adoption, "struct tav_stage", stage, sizeof(*stage), theirs, theirs->struct_size,
	                 STAGE_SIZE_2_0) ||
	    !check_bits(adoption, "its flags", stage->flags, flags))
		return false;
	stage->struct_size = sizeof(*stage);
	part->help = stage->help;
	part->flags = stage->flags;
	if (!stage->each && !stage->combine)
		return refuse(adoption, "it has neither each() nor combine()");
	if (!adopt_options(adoption, part, &stage->options) || !adopt_fields(adoption, part, &stage->fields) ||
	    !adopt_needs(adoption, part, stage) || !adopt_pages(adoption, part, &stage->pages))
		return false;
	stage->options = (struct tav_option_list){part->options, part->option_count, sizeof(struct tav_option)};
	stage->fields = (struct tav_field_list){part->fields, part->field_count, sizeof(struct tav_field)};
	stage->needs = part->needs;
	stage->pages = (struct tav_page_list){part->pages, part->page_count, sizeof(struct tav_page)};
	return true;
}

static struct part *new_part(struct adoption *adoption, const struct plugin_file *file, bool is_dialect,
                             const char *name, const char *summary)
{
	struct part *part = arena_alloc(adoption->arena, sizeof(*part)), **end = &adoption->registry->parts;

	if (!part)
		return NULL;
	*part = (struct part){.file = file,
	                      .is_dialect = is_dialect,
	                      .name = name,
	                      .summary = summary ? summary : "",
	                      .version = file->version};
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
	uint32_t least = is_dialect ? (uint32_t)DIALECT_SIZE_2_0 : (uint32_t)STAGE_SIZE_2_0;

	adoption->owner = NULL;
	if (size < least)
		return refuse(adoption, "%s %u: its struct has %u bytes; version 2.0 has %u", kind, index, size, least);
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
		return refuse(adoption, "made for plugin interface %u.x; this program has %u.%u%s", theirs->abi_major,
		              TAV_ABI_MAJOR, TAV_ABI_MINOR_LATEST,
		              theirs->abi_major < TAV_ABI_MAJOR ? " (build it again with its header)" : "");
	if (theirs->abi_minor > TAV_ABI_MINOR_LATEST)
		return refuse(adoption, "needs plugin interface %u.%u; this program has %u.%u", theirs->abi_major,
		              theirs->abi_minor, TAV_ABI_MAJOR, TAV_ABI_MINOR_LATEST);
	if (!copy_struct(adoption, "struct tav_plugin", &plugin, sizeof(plugin), theirs, theirs->struct_size,
	                 PLUGIN_SIZE_2_0))
		return false;
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

static int compare_page_id(const void *id, const void *page)
{
	return strcmp(id, ((const struct tav_page *)page)->id);
}

const struct tav_page *part_page(const struct part *part, const char *id)
{
	return part->page_count ? bsearch(id, part->pages, part->page_count, sizeof(*part->pages), compare_page_id)
	                        : NULL;
}

bool plugin_adopt(struct registry *registry, struct plugin_file *file, const struct tav_plugin *plugin)
{
	struct adoption adoption = {.registry = registry, .arena = &registry->arena};

	adopt_all(&adoption, file, plugin);
	file->refused = adoption.refused;
	file->is_open = true;
	return !adoption.is_out_of_memory;
}
