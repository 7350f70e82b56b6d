/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include <base/text.h>
#include <report/merge.h>
#include <report/report.h>

#define DEFAULT_MAX_INSTANCES 100
#define MAX_REFS_EACH 4

static bool refuse(const char **why, const char *text)
{
	if (why)
		*why = text;
	return false;
}

static bool no_memory(const char **why)
{
	return refuse(why, "out of memory");
}

/* Ids and names are keys in JSON and words on a command line: [a-z][a-z0-9_]*. */
static bool is_id(const char *id)
{
	if (!id || *id < 'a' || *id > 'z')
		return false;
	for (; *id; id++) {
		if (!(*id >= 'a' && *id <= 'z') && !(*id >= '0' && *id <= '9') && *id != '_')
			return false;
	}
	return true;
}

static bool is_source(const struct report *report, uint32_t source)
{
	return source == TAV_RUN || source < report->source_count;
}

static char *copy(struct report *report, const char *text)
{
	return text ? arena_copy(&report->arena, text, strlen(text)) : NULL;
}

static bool check_series(const struct tav_series_list *list, uint64_t count, const char **why)
{
	for (uint32_t i = 0; i < list->count; i++) {
		struct tav_series series = series_at(list, i);

		if (!is_id(series.name))
			return refuse(why, "the name of a measure or column is not snake_case");
		for (uint32_t j = 0; j < i; j++) {
			if (!strcmp(series.name, series_at(list, j).name))
				return refuse(why, "two measures or columns have the same name");
		}
		if (series.type != TAV_TYPE_INT && series.type != TAV_TYPE_REAL && series.type != TAV_TYPE_STRING)
			return refuse(why, "a measure or column is neither INT, REAL nor STRING");
		if (series.unit > TAV_UNIT_COUNT)
			return refuse(why, "a measure or column has an unknown unit");
		if (count && !series.data)
			return refuse(why, "a measure or column has no data");
		for (uint64_t row = 0; series.type == TAV_TYPE_REAL && row < count; row++) {
			if (bit_is_set(series.present, row) && !isfinite(((const double *)series.data)[row]))
				return refuse(why, "a measure or column holds a number that is not finite");
		}
	}
	return true;
}

static bool check_list(const struct tav_series_list *list, const char **why)
{
	if (list->count && (!list->items || list->item_size < offsetof(struct tav_series, present)))
		return refuse(why, "a list of measures or columns has no items or no item_size");
	return true;
}

/* `target` gets what the caller's version of the struct has; the rest is zero. False: older than any version. */
static bool adopt(void *target, size_t target_size, const void *given, size_t oldest)
{
	uint32_t size;

	memcpy(&size, given, sizeof(size));
	if (size < oldest)
		return false;
	memset(target, 0, target_size);
	memcpy(target, given, size < target_size ? size : target_size);
	return true;
}

static bool check_finding(const struct report *report, const struct tav_finding *finding, const char **why)
{
	if (!is_id(finding->id))
		return refuse(why, "the id of the finding is not snake_case");
	if (!finding->message || !*finding->message)
		return refuse(why, "the finding has no message");
	if (finding->severity < TAV_SEV_NOTE || finding->severity > TAV_SEV_ERROR)
		return refuse(why, "the finding has an unknown severity");
	if (!is_source(report, finding->source))
		return refuse(why, "the finding is about a source that is not there");
	if (finding->refs_each > MAX_REFS_EACH)
		return refuse(why, "more than 4 events make one instance of the finding");
	if (finding->count < finding->instance_count)
		return refuse(why, "the finding has more instances than its count says");
	if (finding->instance_count && finding->refs_each && !finding->refs)
		return refuse(why, "the finding names no events");
	for (uint64_t i = 0; finding->refs_each && i < finding->instance_count * finding->refs_each; i++) {
		struct tav_ref ref = finding->refs[i];

		if (ref.source >= report->store->source_count || !report->store->sources[ref.source] ||
		    ref.row >= report->store->sources[ref.source]->row_count)
			return refuse(why, "the finding names an event that is not there");
	}
	return check_list(&finding->measures, why) && check_series(&finding->measures, finding->instance_count, why);
}

static struct report_series *copy_heads(struct report *report, const struct tav_series_list *list)
{
	struct report_series *heads = arena_array(&report->arena, list->count, sizeof(*heads));

	for (uint32_t i = 0; heads && i < list->count; i++) {
		struct tav_series series = series_at(list, i);

		heads[i] = (struct report_series){.type = series.type, .unit = series.unit};
		heads[i].name = copy(report, series.name);
		if (!heads[i].name)
			return NULL;
	}
	return heads;
}

static bool has_same_shape(const struct report_finding *kept, const struct tav_finding *finding)
{
	if (kept->refs_each != finding->refs_each || kept->series_count != finding->measures.count)
		return false;
	for (uint32_t i = 0; i < kept->series_count; i++) {
		struct tav_series series = series_at(&finding->measures, i);

		if (strcmp(kept->series[i].name, series.name) || kept->series[i].type != series.type ||
		    kept->series[i].unit != series.unit)
			return false;
	}
	return true;
}

bool report_add_check(struct report *report, uint32_t stage, uint32_t source, const char *id, uint32_t result,
                      const char *why)
{
	struct report_check **end = &report->stages[stage].checks;

	if (!is_id(id) || result < TAV_RESULT_PASS || result > TAV_RESULT_SKIP || !is_source(report, source))
		return false;
	struct report_check *check = arena_alloc(&report->arena, sizeof(*check));
	if (!check)
		return false;
	*check = (struct report_check){.source = source, .result = result};
	check->id = copy(report, id);
	check->why = copy(report, why);
	if (!check->id || (why && !check->why))
		return false;
	while (*end)
		end = &(*end)->next;
	*end = check;
	return true;
}

bool report_add_finding(struct report *report, uint32_t stage, const struct tav_finding *finding, const char **why)
{
	struct report_finding **place = &report->stages[stage].findings;
	struct tav_finding given;

	if (!adopt(&given, sizeof(given), finding, offsetof(struct tav_finding, max_instances) + sizeof(uint64_t)))
		return refuse(why, "the finding's struct_size is too small");
	if (!check_finding(report, &given, why))
		return false;
	if (!given.count)
		return true;
	while (*place && ((*place)->source != given.source || strcmp((*place)->id, given.id)))
		place = &(*place)->next;
	struct report_finding *kept = *place;
	if (!kept) {
		kept = arena_alloc(&report->arena, sizeof(*kept));
		if (!kept)
			return no_memory(why);
		*kept = (struct report_finding){.source = given.source, .severity = given.severity};
		kept->id = copy(report, given.id);
		kept->message = copy(report, given.message);
		kept->refs_each = given.refs_each;
		kept->series_count = given.measures.count;
		kept->series = copy_heads(report, &given.measures);
		if (!kept->id || !kept->message || !kept->series)
			return no_memory(why);
	} else if (!has_same_shape(kept, &given)) {
		return refuse(why, "the finding was given before with other measures or another number of events");
	}
	uint64_t max_instances = given.max_instances ? given.max_instances : DEFAULT_MAX_INSTANCES;
	if (kept->max_instances < max_instances)
		kept->max_instances = max_instances;
	if (!merge_instances(&report->arena, kept, &given))
		return no_memory(why);
	if (kept->severity < given.severity)
		kept->severity = given.severity;
	kept->count = kept->count > UINT64_MAX - given.count ? UINT64_MAX : kept->count + given.count;
	*place = kept;
	return true;
}

bool report_add_table(struct report *report, uint32_t stage, const struct tav_table *table, const char **why)
{
	struct report_table **place = &report->stages[stage].tables;
	struct tav_table given;

	if (!adopt(&given, sizeof(given), table, offsetof(struct tav_table, shows)))
		return refuse(why, "the table's struct_size is too small");
	if (!is_id(given.id))
		return refuse(why, "the id of the table is not snake_case");
	if (!is_source(report, given.source))
		return refuse(why, "the table is about a source that is not there");
	if (!given.columns.count)
		return refuse(why, "the table has no columns");
	if (!check_list(&given.columns, why) || !check_series(&given.columns, given.row_count, why))
		return false;
	for (; *place; place = &(*place)->next) {
		if ((*place)->source == given.source && !strcmp((*place)->id, given.id))
			return refuse(why, "the table was given before");
	}
	struct report_table *kept = arena_alloc(&report->arena, sizeof(*kept));
	if (!kept)
		return no_memory(why);
	*kept = (struct report_table){.source = given.source, .row_count = given.row_count};
	kept->omitted_count = given.omitted_count;
	kept->first_rows = given.first_rows;
	kept->shows = arena_array(&report->arena, given.columns.count, sizeof(*kept->shows));
	for (uint32_t i = 0; kept->shows && i < given.columns.count; i++)
		kept->shows[i] = given.shows ? given.shows[i] : TAV_SHOW_COLUMN;
	kept->id = copy(report, given.id);
	kept->title = copy(report, given.title && *given.title ? given.title : given.id);
	kept->series_count = given.columns.count;
	kept->series = copy_heads(report, &given.columns);
	if (!kept->id || !kept->title || !kept->series || !kept->shows ||
	    !merge_rows(&report->arena, kept->series, &given.columns, given.row_count))
		return no_memory(why);
	*place = kept;
	return true;
}

static bool add_metric(struct report *report, uint32_t stage, const struct report_metric *metric, const char **why)
{
	struct report_metric **place = &report->stages[stage].metrics;

	if (!is_id(metric->id))
		return refuse(why, "the id of the metric is not snake_case");
	if (!is_source(report, metric->source))
		return refuse(why, "the metric is about a source that is not there");
	if (metric->unit > TAV_UNIT_COUNT)
		return refuse(why, "the metric has an unknown unit");
	for (; *place; place = &(*place)->next) {
		if ((*place)->source == metric->source && !strcmp((*place)->id, metric->id))
			return refuse(why, "the metric was given before");
	}
	struct report_metric *kept = arena_alloc(&report->arena, sizeof(*kept));
	if (!kept)
		return no_memory(why);
	*kept = *metric;
	kept->id = copy(report, metric->id);
	if (!kept->id)
		return no_memory(why);
	*place = kept;
	return true;
}

bool report_add_metric(struct report *report, uint32_t stage, uint32_t source, const char *id, int64_t value,
                       uint32_t unit)
{
	return add_metric(report, stage,
	                  &(struct report_metric){.source = source, .unit = unit, .id = id, .integer = value}, NULL);
}

bool report_add_ratio(struct report *report, uint32_t stage, uint32_t source, const char *id, double value,
                      uint32_t unit, const char **why)
{
	if (!isfinite(value))
		return refuse(why, "the ratio is not finite");
	return add_metric(
	        report, stage,
	        &(struct report_metric){.source = source, .unit = unit, .id = id, .is_ratio = true, .real = value},
	        why);
}

void report_fini(struct report *report)
{
	arena_fini(&report->arena);
	*report = (struct report){0};
}
