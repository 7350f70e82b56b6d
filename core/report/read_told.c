/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <kit/text.h>
#include <report/json_texts.h>
#include <report/read_told.h>
#include <report/show.h>
#include <report/waive.h>

void *buffer_add(struct json_in *in, struct buffer *buffer, size_t size)
{
	if (buffer->capacity - buffer->size < size) {
		size_t capacity = buffer->capacity ? buffer->capacity * 2 : 1024;
		char *data;

		while (capacity - buffer->size < size && capacity < SIZE_MAX / 4)
			capacity *= 2;
		data = capacity - buffer->size < size ? NULL : realloc(buffer->data, capacity);
		if (!data) {
			in_fail(in, in->at, "out of memory");
			return NULL;
		}
		buffer->data = data;
		buffer->capacity = capacity;
	}
	void *place = buffer->data + buffer->size;
	buffer->size += size;
	return memset(place, 0, size);
}

void buffer_fini(struct buffer *buffer)
{
	free(buffer->data);
	*buffer = (struct buffer){0};
}

void told_in_fini(struct told_in *told)
{
	arena_fini(&told->scratch);
	for (uint32_t i = 0; i < told->column_capacity; i++) {
		buffer_fini(&told->columns[i].data);
		buffer_fini(&told->columns[i].present);
	}
	free(told->columns);
	buffer_fini(&told->events);
	buffer_fini(&told->numbers);
	buffer_fini(&told->data_texts);
}

uint32_t read_name(struct json_in *in, const struct names *names, bool is_optional, const char *what)
{
	if (is_optional && in_null(in))
		return 0;
	size_t at = in_place(in);
	struct tav_text name = in_text(in);
	for (uint32_t i = 0; names->names[i]; i++) {
		if (text_is(name, names->names[i]))
			return names->first + i;
	}
	in_fail(in, at, "there is no %s of that name", what);
	return 0;
}

static struct tav_text text_number(struct told_in *told, const struct text_list *texts)
{
	size_t at = in_place(told->in);
	uint64_t number = in_size(told->in, UINT32_MAX);

	if (told->in->message)
		return text_of(NULL);
	if (number >= texts->count) {
		in_fail(told->in, at, "text %llu is not there: there are %zu", (unsigned long long)number,
		        texts->count);
		return text_of(NULL);
	}
	return texts->items[number];
}

/* One of a data table, or the number of one that stood before it. */
static struct tav_text data_text(struct told_in *told)
{
	if (!in_is(told->in, '"')) {
		struct text_list before = {(struct tav_text *)(void *)told->data_texts.data,
		                           told->data_texts.size / sizeof(struct tav_text)};

		return text_number(told, &before);
	}
	struct tav_text text = in_text(told->in), *place;

	if (text.size && !told->in->message && (place = buffer_add(told->in, &told->data_texts, sizeof(text))))
		*place = text;
	return text;
}

/* As the writer puts them: a text, or the begin of a long one with its number. */
static struct tav_text placed_text(struct told_in *told, bool is_data)
{
	struct json_in *in = told->in;

	if (is_data)
		return data_text(told);
	if (!in_is(in, '{'))
		return in_text(in);
	size_t at = in_place(in);
	in_open(in, '{');
	in_key(in, "begins");
	struct tav_text begins = in_text(in);
	in_key(in, "text");
	struct tav_text whole = text_number(told, told->texts);
	in_close(in, '}');
	if (!in->message && (begins.size != json_texts_placed(whole) || memcmp(begins.data, whole.data, begins.size)))
		in_fail(in, at, "the text does not begin so");
	return in->message ? text_of(NULL) : whole;
}

static struct tav_text optional_text(struct told_in *told, const char *key, bool is_data)
{
	in_key(told->in, key);
	return in_null(told->in) ? text_of(NULL) : placed_text(told, is_data);
}

static void check_times(struct told_in *told, size_t at, const struct tav_event *event, bool has_rel, int64_t rel,
                        uint64_t duration)
{
	int64_t start_rel;
	bool knows_rel = event_start_rel(told->report, event, &start_rel);

	if (duration != (uint64_t)event->end_ns - (uint64_t)event->start_ns)
		in_fail(told->in, at, "duration_ns is not end_ns - start_ns");
	if (has_rel != knows_rel || (has_rel && rel != start_rel))
		in_fail(told->in, at, "start_rel_ns is not what start_ns says");
}

static void read_times(struct told_in *told, struct tav_event *event)
{
	struct json_in *in = told->in;
	size_t at = in_place(in);

	in_key(in, "start_ns");
	event->has_time = !in_null(in);
	if (!event->has_time) {
		static const char *const keys[] = {"start_rel_ns", "end_ns", "duration_ns"};

		for (size_t i = 0; i < 3; i++) {
			in_key(in, keys[i]);
			if (!in_null(in))
				in_fail(in, in_place(in), "expected null: the event has no start");
		}
		return;
	}
	event->start_ns = in_integer(in);
	in_key(in, "start_rel_ns");
	bool has_rel = !in_null(in);
	int64_t rel = has_rel ? in_integer(in) : 0;
	in_key(in, "end_ns");
	event->end_ns = in_integer(in);
	in_key(in, "duration_ns");
	check_times(told, at, event, has_rel, rel, in_size(in, UINT64_MAX));
}

static struct tav_event read_event(struct told_in *told, uint32_t by, bool is_data)
{
	struct json_in *in = told->in;
	uint32_t all = told->report->source_count + told->report->baseline_count;
	struct tav_event event = {0};

	in_open(in, '{');
	in_key(in, "source");
	size_t at = in_place(in);
	event.source = (uint32_t)in_size(in, UINT32_MAX - 1);
	if (event.source >= all)
		in_fail(in, at, "there is no source %u", event.source);
	else if (by == TAV_BY_EACH && event.source != told->results->source)
		in_fail(in, at, "each() sees no event of another source");
	in_key(in, "row");
	event.row = (uint32_t)in_size(in, UINT32_MAX);
	event.name = optional_text(told, "name", is_data);
	event.category = optional_text(told, "category", is_data);
	event.pid = optional_text(told, "pid", is_data);
	event.tid = optional_text(told, "tid", is_data);
	event.stream = optional_text(told, "stream", is_data);
	event.lane = optional_text(told, "lane", is_data);
	in_key(in, "device");
	event.device = in_null(in) ? TAV_NONE : (uint32_t)in_size(in, UINT32_MAX - 1);
	read_times(told, &event);
	in_key(in, "offset");
	event.offset = in_size(in, UINT64_MAX);
	in_close(in, '}');
	return event;
}

/* ---- Columns ---------------------------------------------------------------------------------------------------- */
static void read_value(struct told_in *told, struct column_in *column, uint64_t row, uint32_t by, bool is_data)
{
	struct json_in *in = told->in;
	bool is_there = !in_null(in);
	struct tav_text text = {"", 0};
	void *place;

	if (row % 64 == 0 && !buffer_add(in, &column->present, sizeof(uint64_t)))
		return;
	if (is_there)
		((uint64_t *)(void *)column->present.data)[row / 64] |= UINT64_C(1) << row % 64;
	switch (column->series.type) {
	case TAV_TYPE_INT: {
		int64_t value = is_there ? in_integer(in) : 0;

		if ((place = buffer_add(in, &column->data, sizeof(value))))
			memcpy(place, &value, sizeof(value));
		return;
	}
	case TAV_TYPE_REAL: {
		double value = is_there ? in_real(in) : 0;

		if ((place = buffer_add(in, &column->data, sizeof(value))))
			memcpy(place, &value, sizeof(value));
		return;
	}
	case TAV_TYPE_REF: {
		struct tav_event event = is_there ? read_event(told, by, is_data) : (struct tav_event){0};

		if ((place = buffer_add(in, &column->data, sizeof(event))))
			memcpy(place, &event, sizeof(event));
		return;
	}
	default:
		if (is_there)
			text = placed_text(told, is_data);
		if ((place = buffer_add(in, &column->data, sizeof(text))))
			memcpy(place, &text, sizeof(text));
	}
}

static struct column_in *new_column(struct told_in *told)
{
	if (told->column_count == told->column_capacity) {
		uint32_t capacity = told->column_capacity ? told->column_capacity * 2 : 16;
		struct column_in *columns = capacity ? realloc(told->columns, capacity * sizeof(*columns)) : NULL;

		if (!columns) {
			in_fail(told->in, told->in->at, "out of memory");
			return NULL;
		}
		memset(columns + told->column_capacity, 0, (capacity - told->column_capacity) * sizeof(*columns));
		told->columns = columns;
		told->column_capacity = capacity;
	}
	struct column_in *column = &told->columns[told->column_count++];
	column->data.size = column->present.size = 0;
	column->series = (struct tav_series){0};
	column->show = TAV_SHOW_COLUMN;
	return column;
}

static void read_head(struct told_in *told, struct column_in *column)
{
	struct json_in *in = told->in;

	in_key(in, "name");
	column->series.name = in_chars(in);
	in_key(in, "type");
	size_t at = in_place(in);
	struct tav_text type = in_text(in);
	for (uint32_t i = 0; type_names.names[i]; i++) {
		if (text_is(type, type_names.names[i]))
			column->series.type = type_names.first + i;
	}
	if (text_is(type, "event"))
		column->series.type = TAV_TYPE_REF;
	if (!column->series.type)
		in_fail(in, at, "there is no type of that name");
	in_key(in, "unit");
	column->series.unit = read_name(in, &unit_names, true, "unit");
}

/* One member for each column, in their order. */
static void read_row(struct told_in *told, uint64_t row, uint32_t by, bool is_data)
{
	in_open(told->in, is_data ? '[' : '{');
	for (uint32_t i = 0; i < told->column_count && !told->in->message; i++) {
		if (!is_data)
			in_key(told->in, told->columns[i].series.name);
		read_value(told, &told->columns[i], row, by, is_data);
	}
	in_close(told->in, is_data ? ']' : '}');
}

/* What was read, for the one who adds it. */
static struct tav_series_list as_series(struct told_in *told)
{
	struct tav_series *series = arena_array(&told->scratch, told->column_count, sizeof(*series));

	if (!series) {
		in_fail(told->in, told->in->at, "out of memory");
		return (struct tav_series_list){0};
	}
	for (uint32_t i = 0; i < told->column_count; i++) {
		series[i] = told->columns[i].series;
		series[i].data = told->columns[i].data.size ? told->columns[i].data.data : NULL;
		series[i].present = (const uint64_t *)(void *)told->columns[i].present.data;
		if (!told->columns[i].present.size)
			series[i].present = NULL;
	}
	return (struct tav_series_list){series, told->column_count, sizeof(*series)};
}

/* ---- Items ------------------------------------------------------------------------------------------------------ */
/* Adding says no: the author of the report, not of a plugin, is to be told. */
static void refuse(struct told_in *told, size_t at, const char *what, const char *id, const char *why)
{
	in_fail(told->in, at, "the %s '%s' cannot be: %s", what, id, why);
}

static const char *read_id(struct told_in *told, uint32_t *by)
{
	in_key(told->in, "id");
	const char *id = in_chars(told->in);
	in_key(told->in, "by");
	*by = read_name(told->in, &by_names, false, "author");
	return id;
}

/* Of the report's waivers, from 1; null: 0. */
static uint32_t read_waiver_number(struct told_in *told, bool is_optional)
{
	size_t at = in_place(told->in);

	if (is_optional && in_null(told->in))
		return 0;
	uint32_t number = (uint32_t)in_size(told->in, UINT32_MAX - 1);
	if (number >= told->report->waiver_count)
		in_fail(told->in, at, "there is no waiver %u", number);
	return number + 1;
}

static void read_check(struct told_in *told)
{
	struct json_in *in = told->in;
	struct tav_check check = {.struct_size = sizeof(check)};
	size_t at = in_place(in);
	const char *why = NULL;
	uint32_t by;

	in_open(in, '{');
	check.id = read_id(told, &by);
	in_key(in, "result");
	uint32_t result = read_name(in, &result_names, false, "result");
	in_key(in, "told");
	check.result = read_name(in, &result_names, false, "result");
	in_key(in, "why");
	check.why = in_chars_or_null(in);
	in_key(in, "count");
	check.count = in_size(in, UINT64_MAX);
	in_key(in, "examined");
	check.examined = in_size(in, UINT64_MAX);
	uint32_t waiver = in_optional_key(in, "waived_by") ? read_waiver_number(told, false) : 0;
	in_close(in, '}');
	if (in->message)
		return;
	if (!results_add_check(told->results, told->stage, by, &check, &why)) {
		refuse(told, at, "check", check.id, why);
		return;
	}
	struct stage_results *said = &told->results->stages[told->stage];
	said->checks[said->check_count - 1]->result = result;
	check_waived(said->checks[said->check_count - 1])->rest = waiver;
}

/* What finding of its id there is, is known when all have been read. */
static void count_waived_checks(struct told_in *told)
{
	const struct stage_results *said = &told->results->stages[told->stage];

	for (uint32_t i = 0; i < said->check_count; i++) {
		if (check_is_waived(said->checks[i]))
			check_waived(said->checks[i])->count =
			        check_count_beyond(told->results, told->stage, said->checks[i]);
	}
}

/* By which waivers: numbers from 1, in the arena of the results. */
static void read_waived(struct told_in *told, const struct tav_finding_result *finding)
{
	struct json_in *in = told->in;
	struct waived *waived = finding_waived(finding);
	uint64_t taken = 0, i = 0;

	in_open(in, '{');
	in_key(in, "count");
	size_t at = in_place(in);
	waived->count = in_size(in, finding->count);
	in_key(in, "rest_by");
	waived->rest = read_waiver_number(told, true);
	in_key(in, "instances_by");
	in_open(in, '[');
	for (; in_more(in, ']') && !in->message; i++) {
		if (i == finding->instance_count)
			in_fail(in, in_place(in), "more waived instances than there are");
		if (!i)
			waived->instances = arena_array(&told->results->arena, finding->instance_count + 1,
			                                sizeof(*waived->instances));
		if (!waived->instances)
			in_fail(in, in->at, "out of memory");
		uint32_t number = read_waiver_number(told, true);
		if (!in->message)
			waived->instances[i] = number;
		taken += number != 0;
	}
	if (waived->instances && i < finding->instance_count)
		in_fail(in, at, "fewer waived instances than there are");
	if (!waived->count || waived->count != (waived->rest ? finding->count : taken))
		in_fail(in, at, "the count is not what its instances come to: it was edited");
	in_close(in, '}');
}

static uint64_t read_instances(struct told_in *told, uint32_t events_each, uint32_t by)
{
	struct json_in *in = told->in;
	uint64_t count = 0;

	told->events.size = 0;
	in_open(in, '[');
	for (; in_more(in, ']') && !in->message; count++) {
		in_open(in, '{');
		in_key(in, "events");
		in_open(in, '[');
		for (uint32_t i = 0; i < events_each && !in->message; i++) {
			struct tav_event event = read_event(told, by, false);
			void *place = buffer_add(in, &told->events, sizeof(event));

			if (place)
				memcpy(place, &event, sizeof(event));
		}
		in_close(in, ']');
		in_key(in, "measures");
		read_row(told, count, by, false);
		in_close(in, '}');
	}
	return count;
}

static void read_finding(struct told_in *told)
{
	struct json_in *in = told->in;
	struct tav_finding finding = {.struct_size = sizeof(finding)};
	size_t at = in_place(in);
	const char *why = NULL;
	uint32_t by;

	told->column_count = 0;
	in_open(in, '{');
	finding.id = read_id(told, &by);
	in_key(in, "severity");
	uint32_t severity = read_name(in, &severity_names, false, "severity");
	in_key(in, "told");
	finding.severity = read_name(in, &severity_names, false, "severity");
	in_key(in, "message");
	finding.message = in_chars(in);
	in_key(in, "remedy");
	finding.remedy = in_chars_or_null(in);
	in_key(in, "count");
	finding.count = in_size(in, UINT64_MAX);
	if (!finding.count)
		in_fail(in, in->at, "a finding that was never found");
	in_key(in, "events_each");
	finding.refs_each = (uint32_t)in_size(in, 4);
	in_key(in, "measures");
	in_open(in, '[');
	while (in_more(in, ']') && !in->message) {
		struct column_in *column = new_column(told);

		in_open(in, '{');
		if (column)
			read_head(told, column);
		in_close(in, '}');
	}
	in_key(in, "instances");
	finding.instance_count = finding.max_instances = read_instances(told, finding.refs_each, by);
	finding.events = (const struct tav_event *)(void *)told->events.data;
	finding.measures = as_series(told);
	if (in->message)
		return;
	if (results_find_finding(told->results, told->stage, finding.id))
		refuse(told, at, "finding", finding.id, "it was told before");
	else if (!results_add_finding(told->results, told->stage, by, &finding, &why))
		refuse(told, at, "finding", finding.id, why);
	if (in->message)
		return;
	struct stage_results *said = &told->results->stages[told->stage];
	struct tav_finding_result *kept = &said->findings[said->finding_count - 1]->shown;
	kept->severity = severity;
	if (in_optional_key(in, "waived"))
		read_waived(told, kept);
	in_close(in, '}');
}

static void read_columns(struct told_in *told)
{
	struct json_in *in = told->in;

	in_key(in, "columns");
	in_open(in, '[');
	while (in_more(in, ']') && !in->message) {
		struct column_in *column = new_column(told);

		if (!column)
			return;
		in_open(in, '{');
		read_head(told, column);
		in_key(in, "show");
		column->show = read_name(in, &show_names, false, "way to show a column");
		in_close(in, '}');
	}
}

static void read_rows(struct told_in *told, uint64_t row_count, bool is_data, uint32_t by)
{
	struct json_in *in = told->in;
	uint64_t row = 0;

	in_key(in, "rows");
	in_open(in, '[');
	for (; in_more(in, ']') && !in->message; row++)
		read_row(told, row, by, is_data);
	if (row != row_count)
		in_fail(in, in->at, "the table has %llu rows, and row_count says %llu", (unsigned long long)row,
		        (unsigned long long)row_count);
}

static void read_table(struct told_in *told)
{
	struct json_in *in = told->in;
	struct tav_table table = {.struct_size = sizeof(table)};
	size_t at = in_place(in);
	const char *why = NULL;
	uint32_t by;

	told->column_count = 0;
	in_open(in, '{');
	table.id = read_id(told, &by);
	in_key(in, "title");
	table.title = in_chars(in);
	in_key(in, "show");
	table.show = read_name(in, &show_names, false, "way to show a table");
	in_key(in, "first_rows");
	table.first_rows = in_size(in, UINT64_MAX);
	in_key(in, "omitted");
	table.omitted_count = in_size(in, UINT64_MAX);
	in_key(in, "row_count");
	table.row_count = in_size(in, UINT64_MAX);
	read_columns(told);
	told->data_texts.size = 0;
	read_rows(told, table.row_count, table.show == TAV_SHOW_DATA, by);
	in_close(in, '}');
	table.columns = as_series(told);
	uint32_t *shows = arena_array(&told->scratch, told->column_count, sizeof(*shows));
	if (!shows)
		in_fail(in, in->at, "out of memory");
	if (in->message)
		return;
	for (uint32_t i = 0; i < told->column_count; i++)
		shows[i] = told->columns[i].show;
	table.shows = shows;
	if (!results_add_table(told->results, told->stage, by, &table, &why))
		refuse(told, at, "table", table.id, why);
}

/* ---- Metrics: a map of values, and maps of the rest in the same order -------------------------------------------- */
static struct tav_metric *metric_named(struct told_in *told, struct buffer *metrics, size_t *next, struct tav_text key)
{
	struct tav_metric *list = (struct tav_metric *)(void *)metrics->data;
	size_t count = metrics->size / sizeof(*list);

	for (; *next < count; ++*next) {
		if (text_is(key, list[*next].id))
			return &list[(*next)++];
	}
	in_fail(told->in, told->in->at, "there is no such metric, or it is out of order");
	return NULL;
}

static void read_metric_names(struct told_in *told, const char *key, const struct names *names, struct buffer *metrics,
                              size_t member, const char *what)
{
	struct json_in *in = told->in;
	size_t next = 0;

	in_key(in, key);
	in_open(in, '{');
	while (in_more(in, '}') && !in->message) {
		struct tav_metric *metric = metric_named(told, metrics, &next, in_any_key(in));
		uint32_t number = read_name(in, names, false, what);

		if (metric)
			memcpy((char *)metric + member, &number, sizeof(number));
	}
}

static void read_metrics(struct told_in *told)
{
	struct json_in *in = told->in;
	struct buffer *metrics = &told->numbers;
	size_t at = in_place(in), next = 0;
	const char *why = NULL;

	metrics->size = 0;
	in_key(in, "metrics");
	in_open(in, '{');
	while (in_more(in, '}') && !in->message) {
		struct tav_metric *metric = buffer_add(in, metrics, sizeof(*metric));

		if (!metric)
			return;
		metric->struct_size = sizeof(*metric);
		metric->id = in_any_key(in).data;
		metric->type = in_is_real(in) ? TAV_TYPE_REAL : TAV_TYPE_INT;
		if (metric->type == TAV_TYPE_REAL)
			metric->real = in_real(in);
		else
			metric->value = in_integer(in);
	}
	read_metric_names(told, "units", &unit_names, metrics, offsetof(struct tav_metric, unit), "unit");
	read_metric_names(told, "better", &better_names, metrics, offsetof(struct tav_metric, better),
	                  "way to be better");
	/* `source` is for the caller of results_add_metric(): here it holds who told the metric */
	read_metric_names(told, "metrics_by", &by_names, metrics, offsetof(struct tav_metric, source), "author");
	in_key(in, "metrics_shown");
	in_open(in, '[');
	while (in_more(in, ']') && !in->message) {
		struct tav_metric *metric = metric_named(told, metrics, &next, in_text(in));

		if (metric)
			metric->flags = TAV_METRIC_HEADLINE;
	}
	const struct tav_metric *list = (const struct tav_metric *)(void *)metrics->data;
	for (size_t i = 0; i < metrics->size / sizeof(*list) && !in->message; i++) {
		if (!list[i].source)
			in_fail(in, at, "metrics_by does not say who told '%s'", list[i].id);
		else if (!results_add_metric(told->results, told->stage, list[i].source, &list[i], &why))
			refuse(told, at, "metric", list[i].id, why);
	}
}

static void read_headlines(struct told_in *told)
{
	struct json_in *in = told->in;
	const char *why = NULL;

	in_key(in, "headlines");
	in_open(in, '[');
	while (in_more(in, ']') && !in->message) {
		size_t at = in_place(in);

		in_open(in, '{');
		in_key(in, "text");
		const char *text = in_chars(in);
		in_key(in, "by");
		uint32_t by = read_name(in, &by_names, false, "author");
		in_close(in, '}');
		if (!in->message && !results_add_headline(told->results, told->stage, by, text, &why))
			refuse(told, at, "headline", text, why);
	}
}

static void read_items(struct told_in *told, const char *key, void (*read)(struct told_in *told))
{
	struct json_in *in = told->in;

	in_key(in, key);
	in_open(in, '[');
	while (in_more(in, ']') && !in->message) {
		read(told);
		if (!in->message) /* it may stand there */
			arena_fini(&told->scratch);
	}
}

/* A sentence that outlives this: of the results. */
static const char *keep_chars(struct told_in *told, const char *key)
{
	in_key(told->in, key);
	const char *chars = in_chars_or_null(told->in);
	const char *copy = chars ? arena_copy(&told->results->arena, chars, strlen(chars)) : NULL;

	if (chars && !copy)
		in_fail(told->in, told->in->at, "out of memory");
	return copy;
}

void read_told(struct told_in *told)
{
	struct stage_results *said = &told->results->stages[told->stage];
	struct json_in *in = told->in;
	struct arena *before = in->arena;

	in->arena = &told->scratch;
	in_key(in, "done");
	said->is_done = in_bool(in);
	said->error = keep_chars(told, "error");
	said->skipped = keep_chars(told, "skipped");
	read_headlines(told);
	read_items(told, "checks", read_check);
	read_items(told, "findings", read_finding);
	count_waived_checks(told);
	read_items(told, "tables", read_table);
	read_metrics(told);
	in->arena = before;
	/* What is wrong may be said in memory that goes with this. */
	if (in->message) {
		const char *copy = arena_copy(before, in->message, strlen(in->message));

		in->message = copy ? copy : "out of memory";
	} else {
		arena_fini(&told->scratch);
	}
}
