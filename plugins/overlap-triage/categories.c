/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Section 7: the category of a kernel, by a table of words that is data (config/kernel-categories.yaml). Words are
 * looked for in the head of a name, without its template and call arguments. What is communication and what is a copy
 * the dialect has decided: the words only part such work, and all other work, further.
 */
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "triage.h"

enum { IGNORE = UINT16_MAX, FIRST_CHARACTERS = 128, HEAD_BYTES = 1024 };

struct part { /* one word of a pattern */
	struct tav_text text;
	bool open_before, open_after; /* a '*' stood there */
};
struct pattern {
	struct part *parts;
	size_t count;
	uint32_t rule; /* IGNORE: says nothing of the kind of work */
	uint32_t next; /* of the same first character; number + 1 */
};
struct category_rule {
	uint8_t category;
	struct tav_text *events; /* categories of events, lower case */
	size_t event_count;
};
struct category_table {
	struct category_rule *rules;
	size_t rule_count;
	struct pattern *patterns;
	size_t pattern_count;
	uint32_t first[FIRST_CHARACTERS]; /* patterns by their first character, 0: by any; number + 1 */
	uint32_t ignored;                 /* patterns that say nothing, likewise */
	uint8_t fallback;
};

/* ---- Matching ------------------------------------------------------------------------------------------ */

static bool part_matches(const struct part *part, struct tav_text word)
{
	const struct tav_text *text = &part->text;

	if (word.size < text->size)
		return false;
	if (part->open_before && part->open_after)
		return text_has_lower(word, text->data);
	if (part->open_before)
		return text_starts_lower(text_after(word, word.size - text->size), text->data);
	return text_starts_lower(word, text->data) && (part->open_after || word.size == text->size);
}

/* Words that say nothing do not stand between others. */
static bool is_ignored(const struct category_table *table, struct tav_text word)
{
	for (uint32_t i = table->ignored; i; i = table->patterns[i - 1].next)
		if (part_matches(&table->patterns[i - 1].parts[0], word))
			return true;
	return false;
}

static bool pattern_matches(const struct category_table *table, const struct pattern *pattern, struct tav_text head,
                            struct tav_text word, size_t after)
{
	for (size_t i = 0; part_matches(&pattern->parts[i], word);) {
		if (++i == pattern->count)
			return true;
		do
			if (!next_word(head, &after, &word))
				return false;
		while (is_ignored(table, word));
	}
	return false;
}

/* The name without what stands in its template and call arguments, and without the folders of a path. */
static struct tav_text head_of(struct tav_text name, char out[HEAD_BYTES])
{
	static const char unnamed[] = "(anonymous namespace)";
	size_t size = 0, depth = 0;

	for (size_t i = 0; i < name.size && size < HEAD_BYTES; i++) {
		char c = name.data[i];

		if (c == '(' && text_starts(text_after(name, i), unnamed)) {
			i += sizeof(unnamed) - 2;
		} else if (i && (c == '<' || c == '(')) {
			if (!depth++)
				out[size++] = ' '; /* words end here */
		} else if (depth) {
			depth -= c == ')' || (c == '>' && name.data[i - 1] != '-');
		} else if (c == '/') {
			size = 0;
		} else {
			out[size++] = c;
		}
	}
	return (struct tav_text){out, size};
}

/* May work of this kind be of such a category? */
static bool is_allowed(const struct categories *categories, uint8_t category, uint32_t work)
{
	enum kind kind = categories->items[category].kind;

	if (work == TAV_KIND_COPY)
		return kind == KIND_MEMORY;
	return (work == TAV_KIND_COMMUNICATION) == (kind == KIND_COMMUNICATION);
}

static uint32_t rule_by_words(const struct categories *categories, struct tav_text head, uint32_t work)
{
	const struct category_table *table = categories->table;
	uint32_t best = UINT32_MAX;
	struct tav_text word;

	for (size_t at = 0; next_word(head, &at, &word);) {
		uint32_t lists[] = {table->first[text_lower_char(word.data[0]) & 127], table->first[0]};

		if (is_ignored(table, word))
			continue;
		for (size_t list = 0; list < 2; list++) {
			for (uint32_t i = lists[list]; i; i = table->patterns[i - 1].next) {
				const struct pattern *pattern = &table->patterns[i - 1];

				if (pattern->rule < best &&
				    is_allowed(categories, table->rules[pattern->rule].category, work) &&
				    pattern_matches(table, pattern, head, word, at))
					best = pattern->rule;
			}
		}
	}
	return best;
}

static uint32_t rule_by_event(const struct categories *categories, struct tav_text event, uint32_t work)
{
	const struct category_table *table = categories->table;

	for (uint32_t i = 0; i < table->rule_count; i++)
		for (size_t k = 0; k < table->rules[i].event_count; k++)
			if (text_is_lower(event, table->rules[i].events[k].data) &&
			    is_allowed(categories, table->rules[i].category, work))
				return i;
	return UINT32_MAX;
}

uint8_t category_of(const struct categories *categories, struct tav_text event, struct tav_text name, uint32_t work)
{
	char head[HEAD_BYTES];
	uint32_t rule = rule_by_event(categories, event, work);

	if (rule == UINT32_MAX)
		rule = rule_by_words(categories, head_of(name, head), work);
	if (rule != UINT32_MAX)
		return categories->table->rules[rule].category;
	/* Without a word to tell it, a copy is a copy whatever its name. */
	for (uint32_t i = 0; i < categories->count; i++)
		if ((work == TAV_KIND_COPY || work == TAV_KIND_COMMUNICATION) &&
		    is_allowed(categories, (uint8_t)i, work))
			return (uint8_t)i;
	return categories->table->fallback;
}

static void index_patterns(struct category_table *table)
{
	for (uint32_t i = 0; i < table->pattern_count; i++) {
		struct pattern *pattern = &table->patterns[i];
		const struct part *part = &pattern->parts[0];
		uint32_t *first = pattern->rule == IGNORE
		                          ? &table->ignored
		                          : &table->first[part->open_before ? 0 : part->text.data[0] & 127];

		pattern->next = *first;
		*first = i + 1;
	}
}

/* ---- Reading the table --------------------------------------------------------------------------------- */

struct load {
	struct triage *triage;
	struct pool *pool;
	const char *path;
	yaml_document_t document;
	struct categories *categories;
	struct category_table *table;
	size_t capacity; /* of the table's patterns */
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

struct key { /* of a mapping, and its value */
	const char *name;
	yaml_node_type_t type;
	bool is_required;
	yaml_node_t *value; /* NULL: not there */
};

/* Takes a mapping apart. */
static tav_status read_map(struct load *load, const yaml_node_t *map, const char *what, struct key *keys, size_t count)
{
	if (expect(load, map, YAML_MAPPING_NODE, what))
		return TAV_FAILED;
	for (yaml_node_pair_t *pair = map->data.mapping.pairs.start; pair < map->data.mapping.pairs.top; pair++) {
		yaml_node_t *name = node_at(load, pair->key);
		size_t i = 0;

		if (expect(load, name, YAML_SCALAR_NODE, "a key"))
			return TAV_FAILED;
		while (i < count && !text_is(scalar(name), keys[i].name))
			i++;
		if (i == count)
			return bad(load, name->start_mark, "unknown key \"%.100s\"; expected %s",
			           (const char *)name->data.scalar.value, what);
		keys[i].value = node_at(load, pair->value);
		if (expect(load, keys[i].value, keys[i].type,
		           keys[i].type == YAML_SEQUENCE_NODE ? "a list" : "a word or number"))
			return TAV_FAILED;
	}
	for (size_t i = 0; i < count; i++)
		if (keys[i].is_required && !keys[i].value)
			return bad(load, map->start_mark, "there is no \"%s\"; expected %s", keys[i].name, what);
	return TAV_OK;
}

/* The number of a category; the count of them: there is none of that name. */
static uint32_t find_category(const struct categories *categories, struct tav_text name)
{
	uint32_t i = 0;

	while (i < categories->count && !text_is(name, categories->items[i].name))
		i++;
	return i;
}

static size_t list_size(const yaml_node_t *list)
{
	return (size_t)(list->data.sequence.items.top - list->data.sequence.items.start);
}

/* "all reduce", "nccl*": parts are parted by white space or '_'. */
static tav_status read_pattern(struct load *load, const yaml_node_t *node, uint32_t rule, struct pattern *pattern)
{
	struct tav_text text;
	size_t i = 0;

	*pattern = (struct pattern){.rule = rule};
	if (expect(load, node, YAML_SCALAR_NODE, "a word"))
		return TAV_FAILED;
	text = text_keep_lower(load->triage->self, scalar(node));
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
			((char *)text.data)[part->text.data + part->text.size - text.data] = '\0';
			if (!part->text.size || memchr(part->text.data, '*', part->text.size))
				return bad(load, node->start_mark, "\"%.100s\": a * may stand at an end of a word only",
				           (const char *)node->data.scalar.value);
			pattern->count++;
		}
		i++;
	}
	if (!pattern->count)
		return bad(load, node->start_mark, "an empty word");
	return TAV_OK;
}

static tav_status read_patterns(struct load *load, const yaml_node_t *list, uint32_t rule)
{
	struct category_table *table = load->table;

	for (size_t i = 0; i < list_size(list); i++) {
		struct pattern *pattern;

		if (!pool_grow(load->pool, (void **)&table->patterns, &load->capacity, table->pattern_count,
		               sizeof(*table->patterns)))
			return no_memory(load->triage);
		pattern = &table->patterns[table->pattern_count];
		if (read_pattern(load, node_at(load, list->data.sequence.items.start[i]), rule, pattern))
			return TAV_FAILED;
		table->pattern_count++;
	}
	return TAV_OK;
}

static tav_status read_number(struct load *load, const yaml_node_t *node, double *out)
{
	enum { MOST = 1000 };
	char *end;

	if (!node)
		return TAV_OK;
	*out = strtod((const char *)node->data.scalar.value, &end);
	if (end == (char *)node->data.scalar.value || *end || !(*out >= 0 && *out <= MOST))
		return bad(load, node->start_mark, "expected a number from 0 to %d", MOST);
	return TAV_OK;
}

static const char *keep_name(struct tav_self *self, struct tav_text name)
{
	char *copy = self->host->keep(self, name.size + 1);

	return copy ? memcpy(copy, name.data, name.size) : NULL;
}

static tav_status read_category(struct load *load, const yaml_node_t *map)
{
	enum { NAME, KIND, RANK, WEIGHT, KEYS };
	static const char *const kinds[KIND_COUNT] = {
	        [KIND_OTHER] = "other",     [KIND_ELEMENTWISE] = "elementwise",
	        [KIND_MEMORY] = "memory",   [KIND_COMMUNICATION] = "communication",
	        [KIND_COMPUTE] = "compute",
	};
	struct key keys[KEYS] = {[NAME] = {"name", YAML_SCALAR_NODE, true, NULL},
	                         [KIND] = {"kind", YAML_SCALAR_NODE, true, NULL},
	                         [RANK] = {"rank", YAML_SCALAR_NODE, false, NULL},
	                         [WEIGHT] = {"weight", YAML_SCALAR_NODE, false, NULL}};
	struct category *category = &load->categories->items[load->categories->count];
	double rank = 0;
	int kind = 0;

	if (read_map(load, map, "{name, kind, rank, weight}", keys, KEYS))
		return TAV_FAILED;
	if (load->categories->count == CATEGORY_LIMIT)
		return bad(load, map->start_mark, "more than %d categories", CATEGORY_LIMIT);
	if (find_category(load->categories, scalar(keys[NAME].value)) < load->categories->count)
		return bad(load, keys[NAME].value->start_mark, "the category \"%.100s\" is there twice",
		           (const char *)keys[NAME].value->data.scalar.value);
	while (kind < KIND_COUNT && !text_is(scalar(keys[KIND].value), kinds[kind]))
		kind++;
	if (kind == KIND_COUNT)
		return bad(load, keys[KIND].value->start_mark,
		           "kind must be one of compute, communication, memory, elementwise, other");
	*category = (struct category){.weight = 1, .kind = (enum kind)kind};
	category->name = keep_name(load->triage->self, scalar(keys[NAME].value));
	if (!category->name)
		return TAV_FAILED;
	if (read_number(load, keys[RANK].value, &rank) || read_number(load, keys[WEIGHT].value, &category->weight))
		return TAV_FAILED;
	category->rank = (uint32_t)rank;
	load->categories->count++;
	return TAV_OK;
}

static tav_status read_events(struct load *load, const yaml_node_t *list, struct category_rule *rule)
{
	rule->events = POOL_NEW(load->pool, struct tav_text, list_size(list));
	if (!rule->events)
		return no_memory(load->triage);
	for (size_t i = 0; i < list_size(list); i++) {
		const yaml_node_t *event = node_at(load, list->data.sequence.items.start[i]);

		if (expect(load, event, YAML_SCALAR_NODE, "a category of events"))
			return TAV_FAILED;
		rule->events[rule->event_count] = text_keep_lower(load->triage->self, scalar(event));
		if (!rule->events[rule->event_count++].data)
			return TAV_FAILED;
	}
	return TAV_OK;
}

static tav_status read_rule(struct load *load, const yaml_node_t *map)
{
	enum { CATEGORY, WORDS, EVENTS, KEYS };
	struct key keys[KEYS] = {[CATEGORY] = {"category", YAML_SCALAR_NODE, true, NULL},
	                         [WORDS] = {"words", YAML_SEQUENCE_NODE, false, NULL},
	                         [EVENTS] = {"events", YAML_SEQUENCE_NODE, false, NULL}};
	struct category_rule *rule = &load->table->rules[load->table->rule_count];
	uint32_t category;

	if (read_map(load, map, "{category, words or events}", keys, KEYS))
		return TAV_FAILED;
	category = find_category(load->categories, scalar(keys[CATEGORY].value));
	if (category == load->categories->count)
		return bad(load, keys[CATEGORY].value->start_mark, "no category is called \"%.100s\"",
		           (const char *)keys[CATEGORY].value->data.scalar.value);
	rule->category = (uint8_t)category;
	if (!keys[WORDS].value && !keys[EVENTS].value)
		return bad(load, map->start_mark, "a rule needs words or events");
	if (keys[WORDS].value && read_patterns(load, keys[WORDS].value, (uint32_t)load->table->rule_count))
		return TAV_FAILED;
	if (keys[EVENTS].value && read_events(load, keys[EVENTS].value, rule))
		return TAV_FAILED;
	load->table->rule_count++;
	return TAV_OK;
}

static tav_status read_each(struct load *load, const yaml_node_t *list,
                            tav_status (*read)(struct load *, const yaml_node_t *))
{
	for (size_t i = 0; i < list_size(list); i++)
		if (read(load, node_at(load, list->data.sequence.items.start[i])))
			return TAV_FAILED;
	return TAV_OK;
}

static tav_status read_document(struct load *load)
{
	enum { VERSION, CATEGORIES, IGNORED, RULES, KEYS };
	struct key keys[KEYS] = {[VERSION] = {"version", YAML_SCALAR_NODE, true, NULL},
	                         [CATEGORIES] = {"categories", YAML_SEQUENCE_NODE, true, NULL},
	                         [IGNORED] = {"ignore", YAML_SEQUENCE_NODE, false, NULL},
	                         [RULES] = {"rules", YAML_SEQUENCE_NODE, true, NULL}};
	yaml_node_t *root = yaml_document_get_root_node(&load->document);
	uint32_t other;

	if (!root)
		return bad(load, (yaml_mark_t){0}, "the file is empty");
	if (read_map(load, root, "version: 1, categories, ignore and rules", keys, KEYS))
		return TAV_FAILED;
	if (!text_is(scalar(keys[VERSION].value), "1"))
		return bad(load, keys[VERSION].value->start_mark, "expected \"version: 1\"");
	if (read_each(load, keys[CATEGORIES].value, read_category))
		return TAV_FAILED;
	other = find_category(load->categories, TEXT("other"));
	if (other == load->categories->count)
		return bad(load, keys[CATEGORIES].value->start_mark,
		           "there is no category \"other\" for what no rule knows");
	load->table->fallback = (uint8_t)other;
	if (keys[IGNORED].value && read_patterns(load, keys[IGNORED].value, IGNORE))
		return TAV_FAILED;
	load->table->rules = POOL_NEW(load->pool, struct category_rule, list_size(keys[RULES].value));
	return load->table->rules ? read_each(load, keys[RULES].value, read_rule) : no_memory(load->triage);
}

tav_status categories_load(struct triage *triage, struct pool *pool, const char *path, const char *data, size_t size)
{
	struct load load = {.triage = triage, .pool = pool, .path = path, .categories = &triage->categories};
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
	if (!status)
		index_patterns(load.table);
	triage->categories.table = load.table;
	yaml_document_delete(&load.document);
	yaml_parser_delete(&parser);
	return status;
}
