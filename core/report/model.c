/* SPDX-License-Identifier: Apache-2.0 */
/* Results: what may be told is checked here and nowhere else; then it is copied. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <kit/text.h>
#include <report/instances.h>
#include <report/take.h>

#define MAX_EVENTS_EACH 4
#define DEFAULT_MAX_INSTANCES 100
#define SHOWN_TEXT 400 /* bytes of a text that count in results_bytes() */

enum kind { KIND_CHECK, KIND_FINDING, KIND_TABLE, KIND_METRIC, KIND_COUNT };

static bool refuse(const char **why, const char *text)
{
	*why = text;
	return false;
}

static bool no_memory(const char **why)
{
	return refuse(why, "out of memory");
}

__attribute__((format(printf, 3, 4))) static bool refuse_of(struct results *results, const char **why,
                                                            const char *format, ...)
{
	va_list args;

	va_start(args, format);
	const char *text = arena_vprintf(&results->arena, format, args);
	va_end(args);
	return text ? refuse(why, text) : no_memory(why);
}

/* Ids and names are keys in JSON and words on a command line: [a-z][a-z0-9_]*. */
static bool check_id(struct results *results, const char *id, const char *what, const char **why)
{
	if (!id || !*id)
		return refuse_of(results, why, "%s has no name", what);
	size_t good = strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789_");
	if (*id < 'a' || *id > 'z' || id[good])
		return refuse_of(results, why,
		                 "%s is named '%s': it must be snake_case, a small letter and then a-z, 0-9 and _",
		                 what, id);
	return true;
}

bool results_init(struct results *results, uint32_t source, uint32_t stage_count)
{
	*results = (struct results){.arena = {.is_paged = true}, .source = source, .stage_count = stage_count};
	results->stages = arena_array(&results->arena, stage_count, sizeof(*results->stages));
	return results->stages != NULL;
}

void results_fini(struct results *results)
{
	arena_fini(&results->arena);
	*results = (struct results){0};
}

/* Makes room for one more item. False: no memory. */
static bool grow(struct results *results, void *items, uint32_t count, uint32_t *capacity, size_t size)
{
	void *old, *grown;

	memcpy(&old, items, sizeof(old));
	if (count < *capacity)
		return true;
	if (*capacity > UINT32_MAX / 4)
		return false;
	uint32_t more = *capacity ? *capacity * 2 : 8;
	grown = arena_array(&results->arena, more, size);
	if (!grown)
		return false;
	if (count)
		memcpy(grown, old, count * size);
	memcpy(items, &grown, sizeof(grown));
	*capacity = more;
	return true;
}

/* Bad UTF-8 becomes the text \xNN, as in all reports, so that what is read back is what was told. */
static struct tav_text repaired(struct arena *arena, struct tav_text text, size_t bad)
{
	static const char digits[] = "0123456789abcdef";
	char *copy = text.size < SIZE_MAX / 8 ? arena_alloc(arena, text.size + 3 * bad + 1) : NULL, *end = copy;

	for (size_t i = 0; copy && i < text.size;) {
		size_t length = utf8_length(text.data + i, text.size - i);

		for (size_t j = 0; j < length; j++)
			*end++ = text.data[i + j];
		if (!length) {
			unsigned char byte = (unsigned char)text.data[i];

			*end++ = '\\';
			*end++ = 'x';
			*end++ = digits[byte >> 4];
			*end++ = digits[byte & 15];
		}
		i += length ? length : 1;
	}
	return (struct tav_text){copy, (size_t)(end - copy)};
}

static struct tav_text copy_text(struct results *results, struct tav_text text)
{
	size_t bad = text.size ? utf8_count_bad(text.data, text.size) : 0;

	return bad ? repaired(&results->arena, text, bad) : arena_text(&results->arena, text);
}

static bool copy_chars(struct results *results, struct tav_text *out, const char *chars)
{
	*out = copy_text(results, text_of(chars));
	return out->data != NULL;
}

struct tav_text results_text(struct results *results, struct tav_text text)
{
	if (!text.size || !text.data)
		return text_of(NULL);
	uint64_t hash = table_hash(text.data, text.size);
	for (uint32_t at = table_first(&results->texts, hash); at != TABLE_END;
	     at = table_next(&results->texts, hash, at)) {
		struct tav_text found = results->text_items[results->texts.slots[at].number];

		if (text_equals(found, text))
			return found;
	}
	if (utf8_count_bad(text.data, text.size)) { /* what it is repaired to may be there */
		struct tav_text good = copy_text(results, text);

		return good.data ? results_text(results, good) : good;
	}
	struct tav_text copy = arena_text(&results->arena, text);
	if (!copy.data ||
	    !grow(results, &results->text_items, results->text_count, &results->text_capacity, sizeof(copy)) ||
	    !table_add(&results->texts, &results->arena, hash, results->text_count))
		return (struct tav_text){NULL, 0};
	return results->text_items[results->text_count++] = copy;
}

/* ---- Finding by id ---------------------------------------------------------------------------------------------- */
static uint64_t hash_of(enum kind kind, const char *id)
{
	return table_hash(id, strlen(id)) + kind * UINT64_C(0x9e3779b97f4a7c15);
}

static const struct tav_text *id_of(const struct stage_results *stage, enum kind kind, uint32_t number)
{
	switch (kind) {
	case KIND_CHECK:
		return &stage->checks[number]->id;
	case KIND_FINDING:
		return &stage->findings[number]->shown.id;
	case KIND_TABLE:
		return &stage->tables[number]->shown.id;
	default:
		return &stage->metrics[number]->shown.id;
	}
}

/* The place of an item among those of its kind; TAV_NONE: there is none. */
static uint32_t find(const struct results *results, uint32_t stage, enum kind kind, const char *id)
{
	if (stage >= results->stage_count || !id)
		return TAV_NONE;
	const struct stage_results *said = &results->stages[stage];
	uint64_t hash = hash_of(kind, id);
	for (uint32_t at = table_first(&said->index, hash); at != TABLE_END; at = table_next(&said->index, hash, at)) {
		uint32_t number = said->index.slots[at].number;

		if (number % KIND_COUNT == kind && text_is(*id_of(said, kind, number / KIND_COUNT), id))
			return number / KIND_COUNT;
	}
	return TAV_NONE;
}

const struct tav_check_result *results_find_check(const struct results *results, uint32_t stage, const char *id)
{
	uint32_t number = find(results, stage, KIND_CHECK, id);

	return number == TAV_NONE ? NULL : results->stages[stage].checks[number];
}

const struct result_finding *results_find_finding(const struct results *results, uint32_t stage, const char *id)
{
	uint32_t number = find(results, stage, KIND_FINDING, id);

	return number == TAV_NONE ? NULL : results->stages[stage].findings[number];
}

const struct result_table *results_find_table(const struct results *results, uint32_t stage, const char *id)
{
	uint32_t number = find(results, stage, KIND_TABLE, id);

	return number == TAV_NONE ? NULL : results->stages[stage].tables[number];
}

const struct result_metric *results_find_metric(const struct results *results, uint32_t stage, const char *id)
{
	uint32_t number = find(results, stage, KIND_METRIC, id);

	return number == TAV_NONE ? NULL : results->stages[stage].metrics[number];
}

/* Puts an item whose id is there behind those of its kind. `items`, `count`, `capacity` are of that kind. */
static bool append(struct results *results, struct stage_results *stage, enum kind kind, void *items, uint32_t *count,
                   uint32_t *capacity, const char *id, void *item, const char **why)
{
	void **list;

	if (*count > UINT32_MAX / KIND_COUNT - 1 || !grow(results, items, *count, capacity, sizeof(item)) ||
	    !table_add(&stage->index, &results->arena, hash_of(kind, id), *count * KIND_COUNT + kind))
		return no_memory(why);
	memcpy(&list, items, sizeof(list));
	list[(*count)++] = item;
	return true;
}

/* ---- What may be told ------------------------------------------------------------------------------------------- */
static bool check_unit(struct results *results, uint32_t unit, const char *what, const char **why)
{
	return unit <= TAV_UNIT_COUNT ||
	       refuse_of(results, why, "%s has the unit %u, which no TAV_UNIT_... is", what, unit);
}

static bool check_series(struct results *results, const struct tav_series *series, uint64_t count, bool is_table,
                         const char **why)
{
	const char *what = is_table ? "a column" : "a measure";

	if (!check_id(results, series->name, what, why))
		return false;
	what = arena_printf(&results->arena, "the %s '%s'", is_table ? "column" : "measure", series->name);
	if (!what)
		return no_memory(why);
	bool is_type = series->type == TAV_TYPE_INT || series->type == TAV_TYPE_REAL ||
	               series->type == TAV_TYPE_STRING || (is_table && series->type == TAV_TYPE_REF);
	if (!is_type)
		return refuse_of(results, why, "%s has the type %u: it must be TAV_TYPE_INT, REAL, STRING%s", what,
		                 series->type, is_table ? " or REF" : "");
	if (!check_unit(results, series->unit, what, why))
		return false;
	if (count && !series->data)
		return refuse_of(results, why, "%s has no data", what);
	for (uint64_t row = 0; series->type == TAV_TYPE_REAL && row < count; row++) {
		if (bit_is_set(series->present, row) && !isfinite(((const double *)series->data)[row]))
			return refuse_of(results, why, "%s holds a number that is not finite", what);
	}
	return true;
}

static int compare_names(const void *left, const void *right)
{
	const char *const *a = left, *const *b = right;

	return strcmp(*a, *b);
}

static bool check_columns(struct results *results, const struct tav_series_list *list, uint64_t count, bool is_table,
                          const char **why)
{
	if (list->count && (!list->items || list->item_size < offsetof(struct tav_series, present) + sizeof(void *)))
		return refuse(why, "its list of columns or measures has no items or no item_size");
	for (uint32_t i = 0; i < list->count; i++) {
		struct tav_series series = take_series_at(list, i);

		if (!check_series(results, &series, count, is_table, why))
			return false;
	}
	const char **names = malloc((list->count ? list->count : 1) * sizeof(*names));
	if (!names)
		return no_memory(why);
	for (uint32_t i = 0; i < list->count; i++)
		names[i] = take_series_at(list, i).name;
	qsort(names, list->count, sizeof(*names), compare_names);
	bool is_unique = true;
	for (uint32_t i = 1; is_unique && i < list->count; i++) {
		is_unique = strcmp(names[i - 1], names[i]) != 0;
		if (!is_unique)
			refuse_of(results, why, "two columns or measures are named '%s'", names[i]);
	}
	free(names);
	return is_unique;
}

static struct tav_column_result *copy_heads(struct results *results, const struct tav_series_list *list)
{
	struct tav_column_result *heads = arena_array(&results->arena, list->count, sizeof(*heads));

	for (uint32_t i = 0; heads && i < list->count; i++) {
		struct tav_series series = take_series_at(list, i);

		heads[i] = (struct tav_column_result){.type = series.type, .unit = series.unit};
		if (!copy_chars(results, &heads[i].name, series.name))
			return NULL;
	}
	return heads;
}

/* ---- Adding ----------------------------------------------------------------------------------------------------- */
static struct stage_results *stage_of(struct results *results, uint32_t stage, const char **why)
{
	if (stage < results->stage_count)
		return &results->stages[stage];
	refuse(why, "it is of a stage that is not there");
	return NULL;
}

static bool is_text(const char *chars)
{
	return chars && *chars;
}

bool results_add_check(struct results *results, uint32_t stage, uint32_t by, const struct tav_check *check,
                       const char **why)
{
	struct stage_results *said = stage_of(results, stage, why);

	if (!said || !check_id(results, check->id, "it", why))
		return false;
	if (check->result < TAV_RESULT_PASS || check->result > TAV_RESULT_SKIP)
		return refuse_of(results, why, "its result is %u, which no TAV_RESULT_... is", check->result);
	if (check->reserved)
		return refuse(why, "its member `reserved` is not 0");
	if (check->result == TAV_RESULT_SKIP && !is_text(check->why))
		return refuse(why, "it was skipped and does not say why: tell what was missing");
	if (find(results, stage, KIND_CHECK, check->id) != TAV_NONE)
		return refuse(why, "it was told before");
	struct result_check *whole = arena_alloc(&results->arena, sizeof(*whole));
	struct tav_check_result *kept = whole ? &whole->shown : NULL;
	if (!kept)
		return no_memory(why);
	*kept = (struct tav_check_result){.struct_size = sizeof(*kept),
	                                  .by = by,
	                                  .result = check->result,
	                                  .told = check->result,
	                                  .source = results->source,
	                                  .count = check->count,
	                                  .examined = check->examined};
	if (!copy_chars(results, &kept->id, check->id) || !copy_chars(results, &kept->why, check->why))
		return no_memory(why);
	return append(results, said, KIND_CHECK, &said->checks, &said->check_count, &said->check_capacity, check->id,
	              kept, why);
}

bool results_add_metric(struct results *results, uint32_t stage, uint32_t by, const struct tav_metric *metric,
                        const char **why)
{
	struct stage_results *said = stage_of(results, stage, why);
	bool is_real = metric->type == TAV_TYPE_REAL;

	if (!said || !check_id(results, metric->id, "it", why) || !check_unit(results, metric->unit, "it", why))
		return false;
	if (metric->type && metric->type != TAV_TYPE_INT && !is_real)
		return refuse_of(results, why, "its type is %u: it must be TAV_TYPE_INT or REAL", metric->type);
	if (metric->better > TAV_BETTER_HIGHER)
		return refuse_of(results, why, "its `better` is %u, which no TAV_BETTER_... is", metric->better);
	if (metric->flags & ~(uint32_t)TAV_METRIC_HEADLINE)
		return refuse_of(results, why, "its flags 0x%x are unknown", metric->flags);
	if (is_real && !isfinite(metric->real))
		return refuse(why, "its value is not finite");
	if (find(results, stage, KIND_METRIC, metric->id) != TAV_NONE)
		return refuse(why, "it was told before");
	struct result_metric *kept = arena_alloc(&results->arena, sizeof(*kept));
	if (!kept)
		return no_memory(why);
	kept->flags = metric->flags;
	kept->shown = (struct tav_metric_result){.struct_size = sizeof(kept->shown),
	                                         .by = by,
	                                         .unit = metric->unit,
	                                         .better = metric->better,
	                                         .type = is_real ? TAV_TYPE_REAL : TAV_TYPE_INT,
	                                         .source = results->source,
	                                         .value = is_real ? 0 : metric->value,
	                                         .real = is_real ? metric->real : 0};
	if (!copy_chars(results, &kept->shown.id, metric->id))
		return no_memory(why);
	return append(results, said, KIND_METRIC, &said->metrics, &said->metric_count, &said->metric_capacity,
	              metric->id, kept, why);
}

bool results_add_headline(struct results *results, uint32_t stage, uint32_t by, const char *text, const char **why)
{
	struct stage_results *said = stage_of(results, stage, why);

	if (!said)
		return false;
	if (!is_text(text))
		return refuse(why, "it is empty");
	if (!grow(results, &said->headlines, said->headline_count, &said->headline_capacity, sizeof(*said->headlines)))
		return no_memory(why);
	struct result_headline *kept = &said->headlines[said->headline_count];
	kept->by = by;
	if (!copy_chars(results, &kept->text, text))
		return no_memory(why);
	said->headline_count++;
	return true;
}

bool results_add_table(struct results *results, uint32_t stage, uint32_t by, const struct tav_table *table,
                       const char **why)
{
	struct stage_results *said = stage_of(results, stage, why);

	if (!said || !check_id(results, table->id, "it", why))
		return false;
	if (!table->columns.count)
		return refuse(why, "it has no columns");
	if (table->show != TAV_SHOW_COLUMN && table->show != TAV_SHOW_DATA)
		return refuse_of(results, why, "its `show` is %u: it must be 0 or TAV_SHOW_DATA", table->show);
	if (table->reserved)
		return refuse(why, "its member `reserved` is not 0");
	if (find(results, stage, KIND_TABLE, table->id) != TAV_NONE)
		return refuse(why, "it was told before");
	if (!check_columns(results, &table->columns, table->row_count, true, why))
		return false;
	struct result_table *kept = arena_alloc(&results->arena, sizeof(*kept));
	struct tav_column_result *columns = copy_heads(results, &table->columns);
	uint32_t *shows = arena_array(&results->arena, table->columns.count, sizeof(*shows));
	if (!kept || !columns || !shows)
		return no_memory(why);
	for (uint32_t i = 0; i < table->columns.count; i++) {
		struct tav_series from = take_series_at(&table->columns, i);

		if (table->shows && table->shows[i] < TAV_SHOW_DATA)
			shows[i] = table->shows[i];
		if (!instances_copy_column(results, &columns[i], &from, table->row_count))
			return no_memory(why);
	}
	*kept = (struct result_table){.show = table->show, .shows = shows, .first_rows = table->first_rows};
	kept->shown = (struct tav_table_result){.struct_size = sizeof(kept->shown),
	                                        .by = by,
	                                        .source = results->source,
	                                        .column_count = table->columns.count,
	                                        .row_count = table->row_count,
	                                        .omitted_count = table->omitted_count,
	                                        .columns = columns};
	if (!copy_chars(results, &kept->shown.id, table->id) ||
	    !copy_chars(results, &kept->shown.title, is_text(table->title) ? table->title : table->id))
		return no_memory(why);
	return append(results, said, KIND_TABLE, &said->tables, &said->table_count, &said->table_capacity, table->id,
	              kept, why);
}

static bool check_finding(struct results *results, const struct tav_finding *finding, const char **why)
{
	if (!check_id(results, finding->id, "it", why))
		return false;
	if (!is_text(finding->message))
		return refuse(why, "it has no message");
	if (finding->severity < TAV_SEV_NOTE || finding->severity > TAV_SEV_ERROR)
		return refuse_of(results, why, "its severity is %u, which no TAV_SEV_... is", finding->severity);
	if (finding->refs_each > MAX_EVENTS_EACH)
		return refuse_of(results, why, "%u events make one instance of it: 4 at most", finding->refs_each);
	if (finding->count < finding->instance_count)
		return refuse_of(results, why, "its count is %llu, and it has %llu instances",
		                 (unsigned long long)finding->count, (unsigned long long)finding->instance_count);
	if (finding->instance_count && finding->refs_each && !finding->events)
		return refuse(why, "its instances name no events");
	return check_columns(results, &finding->measures, finding->instance_count, false, why);
}

static bool has_same_shape(const struct tav_finding_result *kept, const struct tav_finding *finding)
{
	if (kept->events_each != finding->refs_each || kept->measure_count != finding->measures.count)
		return false;
	for (uint32_t i = 0; i < kept->measure_count; i++) {
		struct tav_series series = take_series_at(&finding->measures, i);

		if (!text_is(kept->measures[i].name, series.name) || kept->measures[i].type != series.type ||
		    kept->measures[i].unit != series.unit)
			return false;
	}
	return true;
}

static struct result_finding *new_finding(struct results *results, uint32_t by, const struct tav_finding *finding)
{
	struct result_finding *kept = arena_alloc(&results->arena, sizeof(*kept));

	if (!kept)
		return NULL;
	kept->shown = (struct tav_finding_result){.struct_size = sizeof(kept->shown),
	                                          .by = by,
	                                          .severity = finding->severity,
	                                          .told = finding->severity,
	                                          .source = results->source,
	                                          .events_each = finding->refs_each,
	                                          .measure_count = finding->measures.count};
	kept->shown.measures = copy_heads(results, &finding->measures);
	bool is_whole = kept->shown.measures && copy_chars(results, &kept->shown.id, finding->id) &&
	                copy_chars(results, &kept->shown.message, finding->message) &&
	                copy_chars(results, &kept->shown.remedy, finding->remedy);
	return is_whole ? kept : NULL;
}

bool results_add_finding(struct results *results, uint32_t stage, uint32_t by, const struct tav_finding *finding,
                         const char **why)
{
	struct stage_results *said = stage_of(results, stage, why);

	if (!said || !check_finding(results, finding, why))
		return false;
	if (!finding->count)
		return true;
	uint32_t number = find(results, stage, KIND_FINDING, finding->id);
	struct result_finding *kept = number == TAV_NONE ? new_finding(results, by, finding) : said->findings[number];
	if (!kept)
		return no_memory(why);
	if (kept->shown.by != by)
		return refuse(why, "each() told it: what combine() adds needs an id of its own");
	if (!has_same_shape(&kept->shown, finding))
		return refuse(why, "it was told before with other measures or another number of events");
	uint64_t max_instances = finding->max_instances ? finding->max_instances : DEFAULT_MAX_INSTANCES;
	if (kept->max_instances < max_instances)
		kept->max_instances = max_instances;
	if (!instances_merge(results, kept, finding))
		return no_memory(why);
	if (kept->shown.told < finding->severity)
		kept->shown.severity = kept->shown.told = finding->severity;
	if (__builtin_add_overflow(kept->shown.count, finding->count, &kept->shown.count))
		kept->shown.count = UINT64_MAX;
	return number != TAV_NONE || append(results, said, KIND_FINDING, &said->findings, &said->finding_count,
	                                    &said->finding_capacity, finding->id, kept, why);
}

/* ---- As a whole ------------------------------------------------------------------------------------------------- */
static void renumber_events(const struct tav_event *events, uint64_t count, const uint64_t *present, uint32_t from,
                            uint32_t to)
{
	for (uint64_t i = 0; i < count; i++) {
		struct tav_event *event = (struct tav_event *)(uintptr_t)&events[i];

		if (bit_is_set(present, i) && event->source == from)
			event->source = to;
	}
}

static void renumber_stage(struct stage_results *stage, uint32_t from, uint32_t to)
{
	for (uint32_t i = 0; i < stage->check_count; i++)
		stage->checks[i]->source = to;
	for (uint32_t i = 0; i < stage->metric_count; i++)
		stage->metrics[i]->shown.source = to;
	for (uint32_t i = 0; i < stage->finding_count; i++) {
		struct tav_finding_result *finding = &stage->findings[i]->shown;

		finding->source = to;
		renumber_events(finding->events, finding->instance_count * finding->events_each, NULL, from, to);
	}
	for (uint32_t i = 0; i < stage->table_count; i++) {
		struct tav_table_result *table = &stage->tables[i]->shown;

		table->source = to;
		for (uint32_t j = 0; j < table->column_count; j++) {
			if (table->columns[j].type == TAV_TYPE_REF)
				renumber_events(table->columns[j].data, table->row_count, table->columns[j].present,
				                from, to);
		}
	}
}

void results_renumber(struct results *results, uint32_t source)
{
	for (uint32_t i = 0; results->source != source && i < results->stage_count; i++)
		renumber_stage(&results->stages[i], results->source, source);
	results->source = source;
}

#define KEEP_EACH(items, count, is_each)                                                                               \
	do {                                                                                                           \
		uint32_t kept = 0;                                                                                     \
                                                                                                                       \
		for (uint32_t i = 0; i < (count); i++) {                                                               \
			if (is_each)                                                                                   \
				(items)[kept++] = (items)[i];                                                          \
		}                                                                                                      \
		(count) = kept;                                                                                        \
	} while (0)

static bool index_again(struct results *results, struct stage_results *stage)
{
	const uint32_t counts[] = {stage->check_count, stage->finding_count, stage->table_count, stage->metric_count};

	stage->index = (struct table){0};
	for (unsigned kind = 0; kind < KIND_COUNT; kind++) {
		for (uint32_t i = 0; i < counts[kind]; i++) {
			if (!table_add(&stage->index, &results->arena,
			               hash_of((enum kind)kind, id_of(stage, (enum kind)kind, i)->data),
			               i * KIND_COUNT + kind))
				return false;
		}
	}
	return true;
}

/* It counts as it was told. */
static void undo(uint32_t *level, uint32_t told, struct waived *waived)
{
	*level = told;
	*waived = (struct waived){0};
}

bool results_keep_each(struct results *results)
{
	bool is_done = true;

	for (uint32_t number = 0; is_done && number < results->stage_count; number++) {
		struct stage_results *stage = &results->stages[number];

		KEEP_EACH(stage->checks, stage->check_count, stage->checks[i]->by == TAV_BY_EACH);
		KEEP_EACH(stage->findings, stage->finding_count, stage->findings[i]->shown.by == TAV_BY_EACH);
		KEEP_EACH(stage->tables, stage->table_count, stage->tables[i]->shown.by == TAV_BY_EACH);
		KEEP_EACH(stage->metrics, stage->metric_count, stage->metrics[i]->shown.by == TAV_BY_EACH);
		KEEP_EACH(stage->headlines, stage->headline_count, stage->headlines[i].by == TAV_BY_EACH);
		for (uint32_t i = 0; i < stage->check_count; i++)
			undo(&stage->checks[i]->result, stage->checks[i]->told, check_waived(stage->checks[i]));
		for (uint32_t i = 0; i < stage->finding_count; i++)
			undo(&stage->findings[i]->shown.severity, stage->findings[i]->shown.told,
			     &stage->findings[i]->waived);
		is_done = index_again(results, stage);
	}
	return is_done;
}

/* Texts that were counted already. */
struct weighing {
	struct arena arena;
	struct table seen;
	const char **texts;
	uint32_t count, capacity;
	uint64_t bytes;
	bool failed;
};

enum { WEIGHT_ITEM = 96, WEIGHT_COLUMN = 32, WEIGHT_EVENT = 144, WEIGHT_TEXT = 16, WEIGHT_NUMBER = 8 };

static uint64_t shown_size(struct tav_text text)
{
	return text.size < SHOWN_TEXT ? text.size : SHOWN_TEXT;
}

/* A text of events or columns: results_text() has made each one unique, so its address tells. */
static void weigh_text(struct weighing *weighing, struct tav_text text)
{
	uint64_t hash = table_hash(&text.data, sizeof(text.data));

	if (!text.size || weighing->failed)
		return;
	for (uint32_t at = table_first(&weighing->seen, hash); at != TABLE_END;
	     at = table_next(&weighing->seen, hash, at)) {
		if (weighing->texts[weighing->seen.slots[at].number] == text.data)
			return;
	}
	if (weighing->count == weighing->capacity) {
		uint32_t capacity = weighing->capacity ? weighing->capacity * 2 : 64;
		const char **texts = capacity ? arena_array(&weighing->arena, capacity, sizeof(*texts)) : NULL;

		weighing->failed = !texts;
		if (!texts)
			return;
		if (weighing->count)
			memcpy(texts, weighing->texts, weighing->count * sizeof(*texts));
		weighing->texts = texts;
		weighing->capacity = capacity;
	}
	weighing->failed = !table_add(&weighing->seen, &weighing->arena, hash, weighing->count);
	weighing->texts[weighing->count++] = text.data;
	weighing->bytes += WEIGHT_TEXT + shown_size(text);
}

static void weigh_event(struct weighing *weighing, const struct tav_event *event)
{
	const struct tav_text texts[] = {event->name, event->category, event->pid,
	                                 event->tid,  event->stream,   event->lane};

	weighing->bytes += WEIGHT_EVENT;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		weigh_text(weighing, texts[i]);
}

static void weigh_column(struct weighing *weighing, const struct tav_column_result *column, uint64_t rows)
{
	weighing->bytes += WEIGHT_COLUMN + column->name.size;
	for (uint64_t row = 0; row < rows; row++) {
		bool is_there = bit_is_set(column->present, row);

		if (column->type == TAV_TYPE_REF && is_there)
			weigh_event(weighing, &((const struct tav_event *)column->data)[row]);
		else if (column->type == TAV_TYPE_STRING && is_there)
			weigh_text(weighing, ((const struct tav_text *)column->data)[row]);
		weighing->bytes += column->type == TAV_TYPE_STRING ? WEIGHT_TEXT : WEIGHT_NUMBER;
	}
}

static void weigh_stage(struct weighing *weighing, const struct stage_results *stage)
{
	for (uint32_t i = 0; i < stage->check_count; i++)
		weighing->bytes += WEIGHT_ITEM + stage->checks[i]->id.size + shown_size(stage->checks[i]->why);
	for (uint32_t i = 0; i < stage->metric_count; i++)
		weighing->bytes += WEIGHT_ITEM + stage->metrics[i]->shown.id.size;
	for (uint32_t i = 0; i < stage->headline_count; i++)
		weighing->bytes += WEIGHT_TEXT + shown_size(stage->headlines[i].text);
	for (uint32_t i = 0; i < stage->finding_count; i++) {
		const struct tav_finding_result *finding = &stage->findings[i]->shown;

		weighing->bytes +=
		        2 * WEIGHT_ITEM + finding->id.size + shown_size(finding->message) + shown_size(finding->remedy);
		for (uint64_t j = 0; j < finding->instance_count * finding->events_each; j++)
			weigh_event(weighing, &finding->events[j]);
		for (uint32_t j = 0; j < finding->measure_count; j++)
			weigh_column(weighing, &finding->measures[j], finding->instance_count);
	}
	for (uint32_t i = 0; i < stage->table_count; i++) {
		const struct tav_table_result *table = &stage->tables[i]->shown;

		weighing->bytes += 2 * WEIGHT_ITEM + table->id.size + shown_size(table->title);
		for (uint32_t j = 0; j < table->column_count; j++)
			weigh_column(weighing, &table->columns[j], table->row_count);
	}
}

uint64_t results_bytes(const struct results *results)
{
	struct weighing weighing = {0};

	for (uint32_t i = 0; i < results->stage_count; i++)
		weigh_stage(&weighing, &results->stages[i]);
	arena_fini(&weighing.arena);
	return weighing.failed ? UINT64_MAX : weighing.bytes;
}

void results_seal(struct results *results)
{
	arena_seal(&results->arena);
	results->is_sealed = true;
	results->told_open = 0;
}

void results_unseal(struct results *results)
{
	if (results->is_sealed)
		arena_unseal(&results->arena);
	results->is_sealed = false;
}

void report_fini(struct report *report)
{
	for (uint32_t i = 0; report->sources && i < report->source_count + report->baseline_count; i++)
		results_fini(&report->sources[i].results);
	results_fini(&report->run);
	arena_fini(&report->arena);
	*report = (struct report){0};
}
