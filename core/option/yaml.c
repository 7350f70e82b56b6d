/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml.h>

#include <kit/table.h>
#include <kit/text.h>
#include <option/yaml.h>

enum {
	MAX_HEIGHT = 64,    /* nesting, aliases written out */
	MAX_WEIGHT = 20000, /* nodes, aliases written out: a few lines can stand for billions */
	MAX_FILE_BYTES = 1 << 20
};

struct anchor {
	const char *name;
	struct node *node; /* NULL: still being read, so an alias to it would hold itself */
};
struct loader {
	yaml_parser_t parser;
	const struct diag_text *text;
	struct arena *arena;
	struct diags *diags;
	struct anchor **anchors; /* in their order; a name may stand for several things, one after the other */
	uint32_t anchor_count, anchor_capacity;
	struct table anchors_by_name;
	unsigned depth;
};

static struct place place_of(const struct loader *loader, yaml_mark_t start, yaml_mark_t end)
{
	unsigned width =
	        end.line == start.line && end.column > start.column ? (unsigned)(end.column - start.column) : 1;

	return (struct place){loader->text, (unsigned)start.line + 1, (unsigned)start.column + 1, width};
}

static struct node *no_memory(struct loader *loader)
{
	loader->diags->is_out_of_memory = true;
	return NULL;
}

/* Byte offset to line and column; libyaml gives nothing better where it cannot decode the text. */
static struct place place_of_offset(const struct diag_text *text, size_t offset)
{
	struct place place = {text, 1, 1, 1};

	for (size_t i = 0; i < offset && i < text->size;) {
		size_t length = utf8_length(text->data + i, text->size - i);

		if (text->data[i] == '\n') {
			place.line++;
			place.column = 0;
		}
		place.column++;
		i += length ? length : 1;
	}
	return place;
}

/* Column of a tab among the blanks that begin the line, or 0. */
static unsigned tab_in_indentation(const struct diag_text *text, unsigned line)
{
	const char *at = text->data, *end = text->data + text->size;

	for (unsigned i = 1; i < line && at; i++) {
		at = memchr(at, '\n', (size_t)(end - at));
		at = at ? at + 1 : NULL;
	}
	for (unsigned column = 1; at && at < end && (*at == ' ' || *at == '\t'); at++, column++) {
		if (*at == '\t')
			return column;
	}
	return 0;
}

static void report_syntax(struct loader *loader)
{
	const yaml_parser_t *parser = &loader->parser;
	const char *problem = parser->problem ? parser->problem : "not YAML";

	if (parser->error == YAML_MEMORY_ERROR) {
		loader->diags->is_out_of_memory = true;
		return;
	}
	if (parser->error == YAML_READER_ERROR) {
		diag_error(loader->diags, place_of_offset(loader->text, parser->problem_offset),
		           "%s (byte 0x%02x); a config is UTF-8 text", problem,
		           (unsigned)parser->problem_value & 0xffu);
		return;
	}
	struct place place = place_of(loader, parser->problem_mark, parser->problem_mark);
	unsigned tab = tab_in_indentation(loader->text, place.line);
	if (tab) {
		place.column = tab;
		diag_error(loader->diags, place, "a tab in the indentation; YAML allows only blanks there");
		return;
	}
	if (parser->context && parser->context_mark.line + 1 < place.line)
		diag_error(loader->diags, place, "%s, %s that starts in line %zu", problem, parser->context,
		           parser->context_mark.line + 1);
	else if (parser->context)
		diag_error(loader->diags, place, "%s, %s", problem, parser->context);
	else
		diag_error(loader->diags, place, "%s", problem);
}

static bool next_event(struct loader *loader, yaml_event_t *event)
{
	if (yaml_parser_parse(&loader->parser, event))
		return true;
	report_syntax(loader);
	return false;
}

static bool accept_tag(struct loader *loader, const yaml_char_t *tag, struct place place)
{
	if (!tag)
		return true;
	diag_error(loader->diags, place, "the tag '%s' is not supported; what a value means follows from its key",
	           (const char *)tag);
	return false;
}

static struct anchor *add_anchor(struct loader *loader, const yaml_char_t *name)
{
	struct anchor *anchor = arena_alloc(loader->arena, sizeof(*anchor));
	size_t size = strlen((const char *)name);
	char *copy = arena_copy(loader->arena, (const char *)name, size);

	if (loader->anchor_count == loader->anchor_capacity) {
		uint32_t capacity = loader->anchor_capacity ? loader->anchor_capacity * 2 : 16;
		struct anchor **larger = arena_array(loader->arena, capacity, sizeof(struct anchor *));

		if (larger && loader->anchor_count)
			memcpy(larger, loader->anchors, loader->anchor_count * sizeof(struct anchor *));
		loader->anchors = larger;
		loader->anchor_capacity = capacity;
	}
	if (!anchor || !copy || !loader->anchors ||
	    !table_add(&loader->anchors_by_name, loader->arena, table_hash(copy, size), loader->anchor_count)) {
		loader->diags->is_out_of_memory = true;
		return NULL;
	}
	anchor->name = copy;
	loader->anchors[loader->anchor_count++] = anchor;
	return anchor;
}

/* The last of that name; NULL: none. */
static const struct anchor *find_anchor(const struct loader *loader, const char *name)
{
	const struct table *table = &loader->anchors_by_name;
	uint64_t hash = table_hash(name, strlen(name));
	uint32_t best = TABLE_END;

	for (uint32_t at = table_first(table, hash); at != TABLE_END; at = table_next(table, hash, at)) {
		uint32_t number = table->slots[at].number;

		if (!strcmp(loader->anchors[number]->name, name) && (best == TABLE_END || number > best))
			best = number;
	}
	return best == TABLE_END ? NULL : loader->anchors[best];
}

static struct node *load_alias(struct loader *loader, const yaml_event_t *event)
{
	const char *name = (const char *)event->data.alias.anchor;
	struct place place = place_of(loader, event->start_mark, event->end_mark);
	const struct anchor *anchor = find_anchor(loader, name);

	if (!anchor) {
		diag_error(loader->diags, place, "the alias '*%s' has no anchor '&%s' before it", name, name);
		return NULL;
	}
	if (!anchor->node) {
		diag_error(loader->diags, place, "the alias '*%s' stands inside its own anchor", name);
		return NULL;
	}
	return anchor->node;
}

static struct node *load_scalar(struct loader *loader, const yaml_event_t *event, struct place place)
{
	struct node *node = arena_alloc(loader->arena, sizeof(*node));
	size_t size = event->data.scalar.length;
	char *text = arena_copy(loader->arena, (const char *)event->data.scalar.value, size);

	if (!node || !text)
		return no_memory(loader);
	if (memchr(text, '\0', size)) {
		diag_error(loader->diags, place, "a NUL character cannot be part of a value");
		return NULL;
	}
	*node = (struct node){.kind = NODE_SCALAR, .place = place, .text = text, .height = 1, .weight = 1};
	node->is_plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	return node;
}

/* Makes room for one more: capacity is the next power of two, so it needs no member of its own. */
static bool grow(struct loader *loader, struct node ***array, uint32_t count)
{
	if (count & (count - 1) || count == 1)
		return true;
	struct node **larger = arena_array(loader->arena, count ? (size_t)count * 2 : 2, sizeof(*larger));
	if (!larger) {
		no_memory(loader);
		return false;
	}
	if (count)
		memcpy(larger, *array, count * sizeof(*larger));
	*array = larger;
	return true;
}

static bool accept_size(struct loader *loader, struct node *parent, const struct node *child, struct place at)
{
	parent->weight = child->weight > MAX_WEIGHT - parent->weight ? MAX_WEIGHT : parent->weight + child->weight;
	if (child->height + 1 > parent->height)
		parent->height = child->height + 1;
	if (parent->weight >= MAX_WEIGHT) {
		diag_error(loader->diags, at, "more than %d values, with every alias written out", MAX_WEIGHT);
		return false;
	}
	if (parent->height + loader->depth > MAX_HEIGHT) {
		diag_error(loader->diags, at, "nested deeper than %d levels", MAX_HEIGHT);
		return false;
	}
	return true;
}

/* `known`: the keys of the map so far, by their place. */
static bool accept_key(struct loader *loader, const struct node *map, const struct node *key, struct table *known)
{
	if (key->kind != NODE_SCALAR) {
		diag_error(loader->diags, key->place, "%s cannot be a key", node_kind_name(key));
		return false;
	}
	if (key->is_plain && !strcmp(key->text, "<<")) {
		diag_error(loader->diags, key->place, "the merge key '<<' is not supported; write the keys out");
		return false;
	}
	uint64_t hash = table_hash(key->text, strlen(key->text));
	for (uint32_t at = table_first(known, hash); at != TABLE_END; at = table_next(known, hash, at)) {
		const struct node *first = map->keys[known->slots[at].number];

		if (!strcmp(first->text, key->text)) {
			diag_error(loader->diags, key->place,
			           "the key '%s' stands here for the second time; the first is in line %u", key->text,
			           first->place.line);
			return true; /* goes on, so that the other mistakes are found too */
		}
	}
	return table_add(known, loader->arena, hash, map->count) || no_memory(loader);
}

static struct node *load_node(struct loader *loader, yaml_event_t *event);

static struct node *load_next(struct loader *loader, yaml_event_type_t end, bool *is_end)
{
	yaml_event_t event;
	struct node *node = NULL;

	*is_end = false;
	if (!next_event(loader, &event))
		return NULL;
	if (event.type == end)
		*is_end = true;
	else
		node = load_node(loader, &event);
	yaml_event_delete(&event);
	return node;
}

static struct node *load_collection(struct loader *loader, const yaml_event_t *event, struct place place)
{
	bool is_map = event->type == YAML_MAPPING_START_EVENT;
	struct node *node = arena_alloc(loader->arena, sizeof(*node));
	struct table known = {0};

	if (!node)
		return no_memory(loader);
	place.width = 1;
	*node = (struct node){.kind = is_map ? NODE_MAP : NODE_LIST, .place = place, .height = 1, .weight = 1};
	if (++loader->depth > MAX_HEIGHT) {
		diag_error(loader->diags, place, "nested deeper than %d levels", MAX_HEIGHT);
		return NULL;
	}
	for (;;) {
		bool is_end;
		struct node *key = NULL;
		struct node *item =
		        load_next(loader, is_map ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT, &is_end);

		if (is_end)
			break;
		if (item && is_map) {
			key = item;
			if (!accept_key(loader, node, key, &known))
				return NULL;
			item = load_next(loader, YAML_NO_EVENT, &is_end);
		}
		if (!item || !grow(loader, &node->items, node->count) ||
		    (is_map && !grow(loader, &node->keys, node->count)))
			return NULL;
		loader->depth--; /* accept_size() counts this level as part of the height */
		bool is_accepted = accept_size(loader, node, item, key ? key->place : item->place);
		loader->depth++;
		if (!is_accepted)
			return NULL;
		if (is_map)
			node->keys[node->count] = key;
		node->items[node->count++] = item;
	}
	loader->depth--;
	return node;
}

static struct node *load_node(struct loader *loader, yaml_event_t *event)
{
	const yaml_char_t *tag = NULL, *name = NULL;
	struct place place = place_of(loader, event->start_mark, event->end_mark);

	switch (event->type) {
	case YAML_ALIAS_EVENT:
		return load_alias(loader, event);
	case YAML_SCALAR_EVENT:
		tag = event->data.scalar.tag;
		name = event->data.scalar.anchor;
		break;
	case YAML_SEQUENCE_START_EVENT:
		tag = event->data.sequence_start.tag;
		name = event->data.sequence_start.anchor;
		break;
	case YAML_MAPPING_START_EVENT:
		tag = event->data.mapping_start.tag;
		name = event->data.mapping_start.anchor;
		break;
	default:
		diag_error(loader->diags, place, "a value is missing");
		return NULL;
	}
	if (!accept_tag(loader, tag, place))
		return NULL;
	struct anchor *anchor = name ? add_anchor(loader, name) : NULL;
	if (name && !anchor)
		return NULL;
	struct node *node = event->type == YAML_SCALAR_EVENT ? load_scalar(loader, event, place)
	                                                     : load_collection(loader, event, place);
	if (anchor)
		anchor->node = node;
	return node;
}

static struct node *load_document(struct loader *loader)
{
	struct node *root = NULL;
	bool is_done = false;

	while (!is_done) {
		yaml_event_t event;

		if (!next_event(loader, &event))
			return NULL;
		struct place place = place_of(loader, event.start_mark, event.end_mark);
		switch (event.type) {
		case YAML_STREAM_START_EVENT:
		case YAML_DOCUMENT_END_EVENT:
			break;
		case YAML_DOCUMENT_START_EVENT:
			if (root) {
				diag_error(loader->diags, place, "a second document; a config is one document");
				root = NULL;
				is_done = true;
			}
			break;
		case YAML_STREAM_END_EVENT:
			if (!root)
				diag_error(loader->diags, (struct place){.text = loader->text},
				           "nothing but blanks and comments");
			is_done = true;
			break;
		default:
			root = load_node(loader, &event);
			is_done = !root;
		}
		yaml_event_delete(&event);
	}
	return root;
}

struct node *yaml_parse(const struct diag_text *text, struct arena *arena, struct diags *diags)
{
	struct loader loader = {.text = text, .arena = arena, .diags = diags};
	size_t skip = text->size >= 3 && !memcmp(text->data, "\xef\xbb\xbf", 3) ? 3 : 0;

	if (text->size >= 2 && (!memcmp(text->data, "\xff\xfe", 2) || !memcmp(text->data, "\xfe\xff", 2))) {
		diag_error(diags, (struct place){.text = text}, "UTF-16 text; a config is UTF-8");
		return NULL;
	}
	if (!yaml_parser_initialize(&loader.parser))
		return no_memory(&loader);
	yaml_parser_set_encoding(&loader.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&loader.parser, (const unsigned char *)text->data + skip, text->size - skip);
	struct node *root = load_document(&loader);
	yaml_parser_delete(&loader.parser);
	return root;
}

bool yaml_read_file(const char *path, const char *name, struct arena *arena, struct diag_text **text,
                    struct diags *diags)
{
	struct stat status;
	size_t used = 0;
	char *data = NULL;
	const char *why = NULL;
	char *name_copy = arena_copy(arena, name, strlen(name));

	*text = arena_alloc(arena, sizeof(**text));
	if (!*text || !name_copy) {
		diags->is_out_of_memory = true;
		return false;
	}
	**text = (struct diag_text){.name = name_copy, .data = ""};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0 || fstat(fd, &status))
		why = strerror(errno);
	else if (S_ISDIR(status.st_mode))
		why = "it is a directory";
	else if (!(data = arena_alloc(arena, MAX_FILE_BYTES + 1)))
		diags->is_out_of_memory = true;
	while (data && !why && used <= MAX_FILE_BYTES) {
		ssize_t got = read(fd, data + used, MAX_FILE_BYTES + 1 - used);

		if (got < 0 && errno != EINTR)
			why = strerror(errno);
		if (got == 0)
			break;
		used += got > 0 ? (size_t)got : 0;
	}
	if (used > MAX_FILE_BYTES)
		why = "it is larger than 1 MiB";
	if (fd >= 0)
		close(fd);
	if (why)
		diag_error(diags, (struct place){.text = *text}, "cannot be read: %s", why);
	(*text)->data = data ? data : "";
	(*text)->size = used;
	return !why && data;
}

struct node *node_get(const struct node *map, const char *key)
{
	for (uint32_t i = 0; i < map->count; i++) {
		if (!strcmp(map->keys[i]->text, key))
			return map->items[i];
	}
	return NULL;
}

bool node_is_null(const struct node *node)
{
	return node->kind == NODE_SCALAR && node->is_plain &&
	       (!*node->text || !strcmp(node->text, "~") || !strcmp(node->text, "null"));
}

const char *node_kind_name(const struct node *node)
{
	if (node->kind == NODE_LIST)
		return "a list";
	if (node->kind == NODE_MAP)
		return "a map of keys and values";
	return node_is_null(node) ? "nothing" : "a single value";
}
