/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waivers as the user writes them: `waivers:` of a config, which holds them or names a file of them, and --waivers
 * FILE. What is said of a waiver is said at its place, also when the run has ended.
 */
#include <stdlib.h>
#include <string.h>

#include <config/config.h>
#include <kit/date.h>
#include <kit/glob.h>
#include <kit/text.h>

enum { MOST_WAIVERS = 1000, MOST_PATTERNS = 1000 };

const char *const config_waiver_keys[] = {"stage", "id", "names", "stream", "trace", "reason", "until", NULL};

static const char how[] = "{stage: overlap-verify, id: overlap, reason: WHY, until: 2027-01-31}";

static bool is_word(const struct node *node)
{
	return node->kind == NODE_SCALAR && !node_is_null(node) && *node->text;
}

/* A pattern, or a list of them; absent: an empty list. NULL: said. */
static const char *const *read_patterns(struct config *config, const struct node *rule, const char *key,
                                        const char *example, struct diags *diags)
{
	const struct node *node = node_get(rule, key);
	uint32_t count = !node ? 0 : node->kind == NODE_LIST ? node->count : 1;
	const char **patterns = arena_array(&config->arena, (size_t)count + 1, sizeof(*patterns));
	unsigned before = diags->error_count;

	if (!patterns) {
		diags->is_out_of_memory = true;
		return NULL;
	}
	if (node && node->kind == NODE_LIST && (!count || count > MOST_PATTERNS))
		diag_error(diags, node->place, "'%s' is a list of %u; it must have 1 to %d patterns", key, count,
		           MOST_PATTERNS);
	for (uint32_t i = 0; i < count; i++) {
		const struct node *item = node->kind == NODE_LIST ? node->items[i] : node;
		const char *wrong = item->kind == NODE_SCALAR && !node_is_null(item) ? glob_error(item->text) : NULL;

		patterns[i] = item->text;
		if (item->kind != NODE_SCALAR || node_is_null(item))
			diag_error(diags, item->place,
			           "'%s' holds %s; it must be a pattern such as %s, or a list of them", key,
			           node_kind_name(item), example);
		else if (wrong)
			diag_error(diags, item->place, "the pattern \"%s\" %s", item->text, wrong);
	}
	return diags->error_count > before ? NULL : patterns;
}

static const char *read_word(const struct node *rule, const char *key, const char *meaning, struct diags *diags)
{
	const struct node *node = node_get(rule, key);

	if (node && is_word(node))
		return node->text;
	if (node)
		diag_error(diags, node->place, "'%s' is %s; it must be %s", key,
		           node->kind == NODE_SCALAR && !node_is_null(node) ? "empty" : node_kind_name(node), meaning);
	else
		diag_error(diags, rule->place, "this waiver has no '%s': it must be %s", key, meaning);
	return NULL;
}

static void check_waiver_keys(const struct node *rule, struct diags *diags)
{
	for (uint32_t i = 0; i < rule->count; i++) {
		const char *const *known = config_waiver_keys;

		while (*known && strcmp(*known, rule->keys[i]->text))
			known++;
		if (!*known)
			diag_error(diags, rule->keys[i]->place, "a waiver has no key '%s'%s", rule->keys[i]->text,
			           diag_suggestion(diags, rule->keys[i]->text, config_waiver_keys));
	}
	for (const char *const *key = config_waiver_keys; key < config_waiver_keys + 2; key++) {
		if (!node_get(rule, *key))
			diag_error(diags, rule->place, "this waiver has no '%s'; write %s", *key, how);
	}
}

static bool matches_any(const char *const *patterns, const char *text)
{
	while (*patterns && !glob_match(*patterns, text_of(text)))
		patterns++;
	return *patterns;
}

/* Is there a stage in this run that can tell it, or none that the waiver is about? */
static bool is_told(const struct config *config, const struct waiver *waiver, const char *id)
{
	bool has_stage = false;

	for (uint32_t i = 0; i < config->stage_count; i++) {
		const struct part *part = config->stages[i].part;

		if (!matches_any(waiver->stages, config->stages[i].id) && !matches_any(waiver->stages, part->name))
			continue;
		has_stage = true;
		const struct tav_page *page = part_page(part, id);
		if (!part->page_count || (page && page->tells & (TAV_TELLS_CHECK | TAV_TELLS_FINDING)))
			return true;
	}
	return !has_stage;
}

static void check_ids(const struct config *config, const struct waiver *waiver, const struct node *node,
                      struct diags *diags)
{
	for (uint32_t i = 0; waiver->ids[i]; i++) {
		const struct node *item = node->kind == NODE_LIST ? node->items[i] : node;

		if (!strpbrk(item->text, "*?[\\") && !is_told(config, waiver, item->text))
			diag_error(diags, item->place,
			           "no check or finding of stage '%s' is called '%s' (tav-run --list -v)",
			           waiver->stages[0], item->text);
	}
}

static void read_waiver(struct config *config, const struct node *rule, struct diags *diags)
{
	unsigned before = diags->error_count;

	if (rule->kind != NODE_MAP) {
		diag_error(diags, rule->place, "%s where a waiver is wanted; write '- %s'", node_kind_name(rule), how);
		return;
	}
	check_waiver_keys(rule, diags);
	struct waiver waiver = {
	        .file = rule->place.text->name,
	        .line = rule->place.line,
	        .column = rule->place.column,
	        .stages = read_patterns(config, rule, "stage", "overlap-verify", diags),
	        .ids = read_patterns(config, rule, "id", "overlap", diags),
	        .names = read_patterns(config, rule, "names", "'nccl*'", diags),
	        .streams = read_patterns(config, rule, "stream", "'7'", diags),
	        .traces = read_patterns(config, rule, "trace", "'rank3*.json.gz'", diags),
	        .reason = read_word(rule, "reason", "why this does not count", diags),
	        .until = read_word(rule, "until", "the last day on which it holds, such as 2027-01-31", diags),
	};
	if (waiver.until && !date_parse(waiver.until, &waiver.until_day))
		diag_error(diags, node_get(rule, "until")->place,
		           "\"%s\" is not a day; it must be YYYY-MM-DD, such as 2027-01-31", waiver.until);
	if (diags->error_count > before || diags->is_out_of_memory)
		return;
	check_ids(config, &waiver, node_get(rule, "id"), diags);
	config->waivers[config->waiver_count] = waiver;
	config->waiver_places[config->waiver_count++] = rule->place;
}

static void read_list(struct config *config, const struct node *list, struct diags *diags)
{
	uint32_t count = config->waiver_count;

	if (list->kind != NODE_LIST) {
		diag_error(diags, list->place, "%s where waivers are wanted; write a list of them, each as %s",
		           node_kind_name(list), how);
		return;
	}
	if (list->count > MOST_WAIVERS - count) {
		diag_error(diags, list->place, "more waivers than there can be: %d are the most", MOST_WAIVERS);
		return;
	}
	struct waiver *waivers = arena_array(&config->arena, (size_t)count + list->count, sizeof(*waivers));
	struct place *places = arena_array(&config->arena, (size_t)count + list->count, sizeof(*places));
	if (!waivers || !places) {
		diags->is_out_of_memory = true;
		return;
	}
	if (count) {
		memcpy(waivers, config->waivers, count * sizeof(*waivers));
		memcpy(places, config->waiver_places, count * sizeof(*places));
	}
	config->waivers = waivers;
	config->waiver_places = places;
	for (uint32_t i = 0; i < list->count; i++)
		read_waiver(config, list->items[i], diags);
}

/* A file whose last waiver has gone may keep its comments. */
static bool is_blank(const struct diag_text *text)
{
	bool is_comment = false;

	for (size_t i = 0; i < text->size; i++) {
		is_comment = text->data[i] != '\n' && (is_comment || text->data[i] == '#');
		if (!is_comment && !strchr(" \t\r\n", text->data[i]))
			return false;
	}
	return true;
}

static void read_file(struct config *config, const char *path, struct diags *diags)
{
	struct diag_text *text;

	if (!yaml_read_file(path, path, &config->arena, &text, diags))
		return;
	config->waiver_files[config->waiver_file_count++] = path;
	if (is_blank(text))
		return;
	const struct node *root = yaml_parse(text, &config->arena, diags);
	if (root)
		read_list(config, root, diags);
}

void config_read_waivers(struct config *config, const struct config_arguments *arguments, struct diags *diags)
{
	const struct node *node = config->root ? node_get(config->root, "waivers") : NULL;

	config->waiver_files =
	        arena_array(&config->arena, (size_t)arguments->waiver_count + 1, sizeof(*config->waiver_files));
	if (!config->waiver_files) {
		diags->is_out_of_memory = true;
		return;
	}
	if (node && is_word(node)) {
		const char *path = path_resolve(config->directory, node->text, &config->arena);

		diags->is_out_of_memory |= !path;
		if (path)
			read_file(config, path, diags);
	} else if (node) {
		read_list(config, node, diags);
	}
	for (uint32_t i = 0; i < arguments->waiver_count; i++)
		read_file(config, arguments->waivers[i], diags);
	if (config->waiver_count && !date_today(&config->today))
		diag_error(diags, argument_place(&config->arena, "SOURCE_DATE_EPOCH", getenv("SOURCE_DATE_EPOCH")),
		           "not a time in seconds since 1970, by which waivers end");
}

static void print_patterns(FILE *out, const char *key, const char *const *patterns)
{
	struct arena arena = {0};

	for (uint32_t i = 0; patterns[i]; i++) {
		const char *quoted = yaml_quote(patterns[i], &arena);

		fprintf(out, "%s%s%s%s", i ? ", " : key, i ? "" : ": [", quoted ? quoted : "",
		        patterns[i + 1] ? "" : "], ");
	}
	arena_fini(&arena);
}

void config_print_waivers(FILE *out, const struct config *config)
{
	struct arena arena = {0};

	fputs(config->waiver_count ? "waivers:\n" : "", out);
	for (uint32_t i = 0; i < config->waiver_count; i++) {
		const struct waiver *waiver = &config->waivers[i];
		const char *reason = yaml_quote(waiver->reason, &arena);

		fputs("  - {", out);
		print_patterns(out, "stage", waiver->stages);
		print_patterns(out, "id", waiver->ids);
		print_patterns(out, "names", waiver->names);
		print_patterns(out, "stream", waiver->streams);
		print_patterns(out, "trace", waiver->traces);
		fprintf(out, "reason: %s, until: %s}\n", reason ? reason : "", waiver->until);
	}
	arena_fini(&arena);
}
