/* SPDX-License-Identifier: Apache-2.0 */
/* Section 7: the category of a kernel, by a table of words that is data (config/kernel-categories.yaml). */
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "triage.h"

struct part { /* one word of a pattern */
	struct tav_text text;
	bool open_before, open_after; /* a '*' stood there */
};
struct pattern {
	struct part *parts;
	size_t count;
};
struct category_rule {
	uint8_t category;
	struct pattern *words;
	size_t word_count;
	struct tav_text *events; /* categories of events, lower case */
	size_t event_count;
};
struct category_table {
	struct category_rule *rules;
	size_t rule_count;
	struct pattern *ignore;
	size_t ignore_count;
	uint8_t fallback;
};

/* ---- Matching ------------------------------------------------------------------------------------------ */

static bool part_matches(const struct part *part, struct tav_text word)
{
	const struct tav_text *text = &part->text;

	if (word.size < text->size)
		return false;
	if (part->open_before && part->open_after)
		return memmem(word.data, word.size, text->data, text->size) != NULL;
	if (part->open_before)
		return !memcmp(word.data + word.size - text->size, text->data, text->size);
	if (part->open_after)
		return !memcmp(word.data, text->data, text->size);
	return text_equal(word, *text);
}

static bool pattern_matches_at(const struct pattern *pattern, const struct words *words, size_t at)
{
	if (at + pattern->count > words->count)
		return false;
	for (size_t i = 0; i < pattern->count; i++)
		if (!part_matches(&pattern->parts[i], word_at(words, at + i)))
			return false;
	return true;
}

static bool any_matches(const struct pattern *patterns, size_t count, const struct words *words)
{
	for (size_t i = 0; i < count; i++)
		for (size_t at = 0; at < words->count; at++)
			if (pattern_matches_at(&patterns[i], words, at))
				return true;
	return false;
}

static void drop_ignored(const struct category_table *table, struct words *words)
{
	size_t kept = 0;

	for (size_t i = 0; i < words->count; i++) {
		bool is_ignored = false;

		for (size_t k = 0; k < table->ignore_count && !is_ignored; k++)
			is_ignored = pattern_matches_at(&table->ignore[k], words, i);
		words->first[kept] = words->first[i];
		words->end[kept] = words->end[i];
		kept += !is_ignored;
	}
	words->count = kept;
}

/* The name before its template and call arguments. */
static struct tav_text head_of(struct tav_text name)
{
	static const char unnamed[] = "(anonymous namespace)";

	for (size_t i = 0; i < name.size; i++) {
		if (name.size - i >= sizeof(unnamed) - 1 && !memcmp(name.data + i, unnamed, sizeof(unnamed) - 1))
			i += sizeof(unnamed) - 2;
		else if (i && (name.data[i] == '<' || name.data[i] == '('))
			return (struct tav_text){name.data, i};
	}
	return name;
}

static bool find_by_words(const struct category_table *table, struct pool *scratch, struct tav_text name, uint8_t *out)
{
	struct words words;

	if (!text_words(scratch, name, &words))
		return false;
	drop_ignored(table, &words);
	for (size_t i = 0; i < table->rule_count; i++) {
		if (any_matches(table->rules[i].words, table->rules[i].word_count, &words)) {
			*out = table->rules[i].category;
			return true;
		}
	}
	return false;
}

static bool find_by_event(const struct category_table *table, struct pool *scratch, struct tav_text category,
                          uint8_t *out)
{
	struct tav_text lower = text_lower(scratch, category);

	if (!lower.data)
		return false;
	for (size_t i = 0; i < table->rule_count; i++) {
		for (size_t k = 0; k < table->rules[i].event_count; k++) {
			if (text_equal(table->rules[i].events[k], lower)) {
				*out = table->rules[i].category;
				return true;
			}
		}
	}
	return false;
}

/* Without a word to tell it, the dialect's own traits decide: a copy is a copy whatever its name. */
static uint8_t by_traits(const struct categories *categories, uint32_t traits)
{
	enum kind kind = traits & TAV_TRAIT_COLLECTIVE                    ? KIND_COMMUNICATION
	                 : traits & (TAV_TRAIT_MEMCPY | TAV_TRAIT_MEMSET) ? KIND_MEMORY
	                                                                  : KIND_OTHER;

	for (uint32_t i = 0; i < categories->count && kind != KIND_OTHER; i++)
		if (categories->items[i].kind == kind)
			return (uint8_t)i;
	return categories->table->fallback;
}

bool category_of(struct triage *triage, struct tav_text category, struct tav_text name, uint32_t traits, uint8_t *out)
{
	const struct category_table *table = triage->categories.table;
	struct pool scratch = {0};
	bool is_done;

	if (triage->rules->categories == CATEGORIES_BY_SUBSTRING) {
		*out = reference_category(name);
		return true;
	}
	if (!find_by_event(table, &scratch, category, out) && !find_by_words(table, &scratch, head_of(name), out) &&
	    !find_by_words(table, &scratch, name, out))
		*out = by_traits(&triage->categories, traits);
	is_done = !scratch.failed;
	pool_free(&scratch);
	return is_done;
}

/* ---- Reading the table --------------------------------------------------------------------------------- */

struct load {
	struct triage *triage;
	struct pool *pool;
	const char *path;
	yaml_document_t document;
	struct categories *categories;
	struct category_table *table;
};

__attribute__((format(printf, 3, 4))) static tav_status bad(struct load *load, yaml_mark_t mark, const char *format,
                                                            ...)
{
	char text[512], all[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	snprintf(all, sizeof(all), "%s:%zu:%zu: %s", load->path, mark.line + 1, mark.column + 1, text);
	return load->triage->self->host->bad_option(load->triage->self, OPT_CATEGORIES, all);
}

static struct tav_text scalar(const yaml_node_t *node)
{
	return (struct tav_text){(const char *)node->data.scalar.value, node->data.scalar.length};
}

static yaml_node_t *node_at(struct load *load, int index)
{
	return yaml_document_get_node(&load->document, index);
}

static tav_status expect(struct load *load, const yaml_node_t *node, yaml_node_type_t type, const char *what)
{
	return node->type == type ? TAV_OK : bad(load, node->start_mark, "expected %s", what);
}

/* The value of `key` in a mapping; NULL: not there. */
static yaml_node_t *member(struct load *load, const yaml_node_t *map, const char *key)
{
	for (yaml_node_pair_t *pair = map->data.mapping.pairs.start; pair < map->data.mapping.pairs.top; pair++) {
		yaml_node_t *name = node_at(load, pair->key);

		if (name->type == YAML_SCALAR_NODE && text_is(scalar(name), key))
			return node_at(load, pair->value);
	}
	return NULL;
}

static tav_status check_keys(struct load *load, const yaml_node_t *map, const char *const *known, const char *list)
{
	for (yaml_node_pair_t *pair = map->data.mapping.pairs.start; pair < map->data.mapping.pairs.top; pair++) {
		yaml_node_t *name = node_at(load, pair->key);
		bool is_known = false;

		if (expect(load, name, YAML_SCALAR_NODE, "a key"))
			return TAV_FAILED;
		for (const char *const *key = known; *key; key++)
			is_known = is_known || text_is(scalar(name), *key);
		if (!is_known)
			return bad(load, name->start_mark, "unknown key \"%.100s\"; known are: %s",
			           (const char *)name->data.scalar.value, list);
	}
	return TAV_OK;
}

static size_t list_size(const yaml_node_t *list)
{
	return (size_t)(list->data.sequence.items.top - list->data.sequence.items.start);
}

/* "all reduce", "nccl*": parts are parted by white space or '_'. */
static tav_status read_pattern(struct load *load, const yaml_node_t *node, struct pattern *pattern)
{
	struct tav_text text;
	size_t i = 0;

	if (expect(load, node, YAML_SCALAR_NODE, "a word"))
		return TAV_FAILED;
	text = text_lower(load->pool, scalar(node));
	pattern->parts = POOL_NEW(load->pool, struct part, text.size + 1);
	if (!text.data || !pattern->parts)
		return no_memory(load->triage);
	while (i < text.size) {
		struct part *part = &pattern->parts[pattern->count];
		size_t first = i;

		while (i < text.size && !strchr(" \t_", text.data[i]))
			i++;
		if (i > first) {
			part->text = (struct tav_text){text.data + first, i - first};
			part->open_before = part->text.data[0] == '*';
			part->text.data += part->open_before;
			part->text.size -= part->open_before;
			part->open_after = part->text.size && part->text.data[part->text.size - 1] == '*';
			part->text.size -= part->open_after;
			if (!part->text.size || memchr(part->text.data, '*', part->text.size))
				return bad(load, node->start_mark, "\"%.100s\": a * may stand at an end of a word only",
				           text.data);
			pattern->count++;
		}
		i++;
	}
	if (!pattern->count)
		return bad(load, node->start_mark, "an empty word");
	return TAV_OK;
}

static tav_status read_patterns(struct load *load, const yaml_node_t *list, struct pattern **patterns, size_t *count)
{
	if (expect(load, list, YAML_SEQUENCE_NODE, "a list of words"))
		return TAV_FAILED;
	*patterns = POOL_NEW(load->pool, struct pattern, list_size(list));
	if (!*patterns)
		return no_memory(load->triage);
	for (size_t i = 0; i < list_size(list); i++)
		if (read_pattern(load, node_at(load, list->data.sequence.items.start[i]), &(*patterns)[(*count)++]))
			return TAV_FAILED;
	return TAV_OK;
}

static tav_status read_number(struct load *load, const yaml_node_t *node, double max, double *out)
{
	char *end;

	if (expect(load, node, YAML_SCALAR_NODE, "a number"))
		return TAV_FAILED;
	*out = strtod((const char *)node->data.scalar.value, &end);
	if (end == (char *)node->data.scalar.value || *end || !(*out >= 0 && *out <= max))
		return bad(load, node->start_mark, "expected a number from 0 to %g", max);
	return TAV_OK;
}

static tav_status read_category(struct load *load, const yaml_node_t *map)
{
	static const char *const known[] = {"name", "kind", "rank", "weight", NULL};
	static const char *const kinds[KIND_COUNT] = {
	        [KIND_OTHER] = "other",     [KIND_ELEMENTWISE] = "elementwise",
	        [KIND_MEMORY] = "memory",   [KIND_COMMUNICATION] = "communication",
	        [KIND_COMPUTE] = "compute",
	};
	struct category *category = &load->categories->items[load->categories->count];
	double rank = 0;
	yaml_node_t *node;

	if (expect(load, map, YAML_MAPPING_NODE, "{name, kind, rank, weight}") ||
	    check_keys(load, map, known, "name, kind, rank, weight"))
		return TAV_FAILED;
	if (load->categories->count == CATEGORY_LIMIT)
		return bad(load, map->start_mark, "more than %d categories", CATEGORY_LIMIT);
	node = member(load, map, "name");
	if (!node || node->type != YAML_SCALAR_NODE || !node->data.scalar.length)
		return bad(load, map->start_mark, "a category needs a name");
	for (uint32_t i = 0; i < load->categories->count; i++)
		if (text_is(scalar(node), load->categories->items[i].name))
			return bad(load, node->start_mark, "the category \"%.100s\" is there twice",
			           load->categories->items[i].name);
	*category = (struct category){.weight = 1, .kind = KIND_COUNT};
	category->name = text_normal(load->pool, scalar(node)).data;
	if (!category->name)
		return no_memory(load->triage);
	node = member(load, map, "kind");
	for (unsigned kind = 0; node && node->type == YAML_SCALAR_NODE && kind < KIND_COUNT; kind++)
		if (text_is(scalar(node), kinds[kind]))
			category->kind = (enum kind)kind;
	if (category->kind == KIND_COUNT)
		return bad(load, node ? node->start_mark : map->start_mark,
		           "kind must be one of compute, communication, memory, elementwise, other");
	if ((node = member(load, map, "rank")) && read_number(load, node, 1000, &rank))
		return TAV_FAILED;
	category->rank = (uint32_t)rank;
	if ((node = member(load, map, "weight")) && read_number(load, node, 1000, &category->weight))
		return TAV_FAILED;
	load->categories->count++;
	return TAV_OK;
}

static tav_status read_rule(struct load *load, const yaml_node_t *map, struct category_rule *rule)
{
	static const char *const known[] = {"category", "words", "events", NULL};
	const yaml_node_t *name, *words, *events;
	uint32_t i;

	if (expect(load, map, YAML_MAPPING_NODE, "{category, words or events}") ||
	    check_keys(load, map, known, "category, words, events"))
		return TAV_FAILED;
	name = member(load, map, "category");
	words = member(load, map, "words");
	events = member(load, map, "events");
	if (!name || name->type != YAML_SCALAR_NODE)
		return bad(load, map->start_mark, "a rule needs a category");
	for (i = 0; i < load->categories->count; i++)
		if (text_is(scalar(name), load->categories->items[i].name))
			break;
	if (i == load->categories->count)
		return bad(load, name->start_mark, "no category is called \"%.100s\"",
		           (const char *)name->data.scalar.value);
	rule->category = (uint8_t)i;
	if (!words && !events)
		return bad(load, map->start_mark, "a rule needs words or events");
	if (words && read_patterns(load, words, &rule->words, &rule->word_count))
		return TAV_FAILED;
	if (!events)
		return TAV_OK;
	if (expect(load, events, YAML_SEQUENCE_NODE, "a list of categories of events"))
		return TAV_FAILED;
	rule->events = POOL_NEW(load->pool, struct tav_text, list_size(events));
	if (!rule->events)
		return no_memory(load->triage);
	for (size_t k = 0; k < list_size(events); k++) {
		const yaml_node_t *event = node_at(load, events->data.sequence.items.start[k]);

		if (expect(load, event, YAML_SCALAR_NODE, "a category of events"))
			return TAV_FAILED;
		rule->events[rule->event_count] = text_lower(load->pool, scalar(event));
		if (!rule->events[rule->event_count++].data)
			return no_memory(load->triage);
	}
	return TAV_OK;
}

static tav_status read_document(struct load *load)
{
	static const char *const known[] = {"version", "categories", "ignore", "rules", NULL};
	yaml_node_t *root = yaml_document_get_root_node(&load->document), *node;
	uint32_t other = 0;

	if (!root)
		return bad(load, (yaml_mark_t){0}, "the file is empty");
	if (expect(load, root, YAML_MAPPING_NODE, "version, categories and rules") ||
	    check_keys(load, root, known, "version, categories, ignore, rules"))
		return TAV_FAILED;
	node = member(load, root, "version");
	if (!node || node->type != YAML_SCALAR_NODE || !text_is(scalar(node), "1"))
		return bad(load, node ? node->start_mark : root->start_mark, "expected \"version: 1\"");
	node = member(load, root, "categories");
	if (!node)
		return bad(load, root->start_mark, "there are no categories");
	if (expect(load, node, YAML_SEQUENCE_NODE, "a list of categories"))
		return TAV_FAILED;
	for (size_t i = 0; i < list_size(node); i++)
		if (read_category(load, node_at(load, node->data.sequence.items.start[i])))
			return TAV_FAILED;
	while (other < load->categories->count && !text_is(TEXT("other"), load->categories->items[other].name))
		other++;
	if (other == load->categories->count)
		return bad(load, node->start_mark, "there is no category \"other\" for what no rule knows");
	load->table->fallback = (uint8_t)other;
	if ((node = member(load, root, "ignore")) &&
	    read_patterns(load, node, &load->table->ignore, &load->table->ignore_count))
		return TAV_FAILED;
	node = member(load, root, "rules");
	if (!node)
		return bad(load, root->start_mark, "there are no rules");
	if (expect(load, node, YAML_SEQUENCE_NODE, "a list of rules"))
		return TAV_FAILED;
	load->table->rules = POOL_NEW(load->pool, struct category_rule, list_size(node));
	if (!load->table->rules)
		return no_memory(load->triage);
	for (size_t i = 0; i < list_size(node); i++)
		if (read_rule(load, node_at(load, node->data.sequence.items.start[i]),
		              &load->table->rules[load->table->rule_count++]))
			return TAV_FAILED;
	return TAV_OK;
}

tav_status categories_load(struct triage *triage, const char *path, const char *data, size_t size)
{
	struct load load = {.triage = triage, .pool = &triage->pool, .path = path, .categories = &triage->categories};
	yaml_parser_t parser;
	tav_status status;

	load.table = POOL_NEW(load.pool, struct category_table, 1);
	if (!load.table || !yaml_parser_initialize(&parser))
		return no_memory(triage);
	yaml_parser_set_input_string(&parser, (const unsigned char *)data, size);
	if (!yaml_parser_load(&parser, &load.document)) {
		yaml_mark_t mark = parser.problem_mark;

		status = bad(&load, mark, "%s", parser.problem ? parser.problem : "this is not YAML");
		yaml_parser_delete(&parser);
		return status;
	}
	status = read_document(&load);
	triage->categories.table = load.table;
	yaml_document_delete(&load.document);
	yaml_parser_delete(&parser);
	return status;
}
