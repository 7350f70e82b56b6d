/* SPDX-License-Identifier: Apache-2.0 */
/* The report as JSON, see config/report.schema.json. */
#include <report/event.h>
#include <report/json_out.h>
#include <report/merge.h>
#include <report/writers.h>

/* What the trace does not say is null, not "". */
static void put_text(struct json_out *json, const char *key, struct tav_text text)
{
	if (text.size)
		emit_text(json, key, text);
	else
		emit_null(json, key);
}

static void put_value(struct json_out *json, const char *key, const struct report_series *series, uint64_t row)
{
	if (!bit_is_set(series->present, row)) {
		emit_null(json, key);
		return;
	}
	switch (series->type) {
	case TAV_TYPE_INT:
		emit_integer(json, key, ((const int64_t *)series->data)[row]);
		break;
	case TAV_TYPE_REAL:
		emit_real(json, key, ((const double *)series->data)[row]);
		break;
	default:
		emit_text(json, key, ((const struct tav_text *)series->data)[row]);
	}
}

static void put_units(struct json_out *json, const struct report_series *series, uint32_t count)
{
	emit_open_flat(json, "units", '{');
	for (uint32_t i = 0; i < count; i++) {
		if (unit_name(series[i].unit))
			emit_chars(json, series[i].name, unit_name(series[i].unit));
	}
	emit_close(json, '}');
}

static void put_event(struct json_out *json, const struct report *report, struct tav_ref ref)
{
	struct event_view event = event_view(report, ref);

	emit_open_flat(json, NULL, '{');
	emit_integer(json, "source", ref.source);
	emit_integer(json, "row", ref.row);
	put_text(json, "name", event.name);
	put_text(json, "category", event.category);
	put_text(json, "pid", event.pid);
	put_text(json, "tid", event.tid);
	put_text(json, "stream", event.stream);
	put_text(json, "lane", event.lane);
	if (event.has_time) {
		emit_integer(json, "start_ns", event.start_ns);
		emit_integer(json, "end_ns", event.end_ns);
		emit_size(json, "duration_ns", event.duration_ns);
	} else {
		emit_null(json, "start_ns");
		emit_null(json, "end_ns");
		emit_null(json, "duration_ns");
	}
	emit_size(json, "offset", event.offset);
	emit_close(json, '}');
}

static void put_checks(struct json_out *json, const struct report_stage *stage, uint32_t source)
{
	emit_open(json, "checks", '[');
	for (const struct report_check *check = stage->checks; check; check = check->next) {
		if (check->source != source)
			continue;
		emit_open_flat(json, NULL, '{');
		emit_chars(json, "id", check->id);
		emit_chars(json, "result", result_name(check->result));
		emit_chars(json, "why", check->why);
		emit_close(json, '}');
	}
	emit_close(json, ']');
}

static void put_finding(struct json_out *json, const struct report *report, const struct report_finding *finding)
{
	emit_open(json, NULL, '{');
	emit_chars(json, "id", finding->id);
	emit_chars(json, "severity", severity_name(finding->severity));
	emit_chars(json, "message", finding->message);
	emit_size(json, "count", finding->count);
	put_units(json, finding->series, finding->series_count);
	emit_open(json, "instances", '[');
	for (uint64_t i = 0; i < finding->instance_count; i++) {
		emit_open(json, NULL, '{');
		emit_open(json, "events", '[');
		for (uint32_t j = 0; j < finding->refs_each; j++)
			put_event(json, report, finding->refs[i * finding->refs_each + j]);
		emit_close(json, ']');
		emit_open_flat(json, "measures", '{');
		for (uint32_t j = 0; j < finding->series_count; j++)
			put_value(json, finding->series[j].name, &finding->series[j], i);
		emit_close(json, '}');
		emit_close(json, '}');
	}
	emit_close(json, ']');
	emit_close(json, '}');
}

static void put_table(struct json_out *json, const struct report_table *table)
{
	emit_open(json, NULL, '{');
	emit_chars(json, "id", table->id);
	emit_chars(json, "title", table->title);
	emit_size(json, "omitted", table->omitted_count);
	emit_open(json, "columns", '[');
	for (uint32_t i = 0; i < table->series_count; i++) {
		emit_open_flat(json, NULL, '{');
		emit_chars(json, "name", table->series[i].name);
		emit_chars(json, "type", type_name(table->series[i].type));
		emit_chars(json, "unit", unit_name(table->series[i].unit));
		emit_close(json, '}');
	}
	emit_close(json, ']');
	emit_open(json, "rows", '[');
	for (uint64_t row = 0; row < table->row_count; row++) {
		emit_open_flat(json, NULL, '{');
		for (uint32_t i = 0; i < table->series_count; i++)
			put_value(json, table->series[i].name, &table->series[i], row);
		emit_close(json, '}');
	}
	emit_close(json, ']');
	emit_close(json, '}');
}

static void put_metrics(struct json_out *json, const struct report_stage *stage, uint32_t source)
{
	emit_open(json, "metrics", '{');
	for (const struct report_metric *metric = stage->metrics; metric; metric = metric->next) {
		if (metric->source != source)
			continue;
		if (metric->is_ratio)
			emit_real(json, metric->id, metric->real);
		else
			emit_integer(json, metric->id, metric->integer);
	}
	emit_close(json, '}');
	emit_open_flat(json, "units", '{');
	for (const struct report_metric *metric = stage->metrics; metric; metric = metric->next) {
		if (metric->source == source && unit_name(metric->unit))
			emit_chars(json, metric->id, unit_name(metric->unit));
	}
	emit_close(json, '}');
}

/* What a stage said of one source, or of the run. */
static void put_said(struct json_out *json, const struct report *report, uint32_t number, uint32_t source)
{
	const struct report_stage *stage = &report->stages[number];

	put_checks(json, stage, source);
	emit_open(json, "findings", '[');
	for (const struct report_finding *finding = stage->findings; finding; finding = finding->next) {
		if (finding->source == source)
			put_finding(json, report, finding);
	}
	emit_close(json, ']');
	emit_open(json, "tables", '[');
	for (const struct report_table *table = stage->tables; table; table = table->next) {
		if (table->source == source)
			put_table(json, table);
	}
	emit_close(json, ']');
	put_metrics(json, stage, source);
}

static void put_stage(struct json_out *json, const struct report *report, uint32_t number)
{
	const struct report_stage *stage = &report->stages[number];

	emit_open(json, NULL, '{');
	emit_chars(json, "name", stage->name);
	emit_chars(json, "id", stage->id ? stage->id : stage->name);
	emit_open(json, "options", '{');
	for (uint32_t i = 0; i < stage->option_count; i++)
		emit_chars(json, stage->options[i].name, stage->options[i].text);
	emit_close(json, '}');
	emit_chars(json, "verdict", verdict_name(report_stage_verdict(report, number, TAV_RUN)));
	emit_chars(json, "error", stage->error);
	put_said(json, report, number, TAV_RUN);
	emit_open(json, "by_source", '[');
	for (uint32_t source = 0; source < report->source_count; source++) {
		emit_open(json, NULL, '{');
		emit_integer(json, "source", source);
		emit_chars(json, "path", report->sources[source].path);
		emit_chars(json, "verdict", verdict_name(report_stage_verdict(report, number, source)));
		put_said(json, report, number, source);
		emit_close(json, '}');
	}
	emit_close(json, ']');
	emit_close(json, '}');
}

static void put_notices(struct json_out *json, const char *key, const struct events *events, unsigned kind)
{
	emit_open(json, key, '[');
	for (const struct notice *notice = events ? events->notices : NULL; notice; notice = notice->next) {
		if (notice->kind != kind)
			continue;
		emit_open_flat(json, NULL, '{');
		emit_chars(json, "id", notice->id);
		emit_chars(json, "message", notice->message);
		emit_size(json, "count", notice->count);
		if (notice->line) {
			emit_size(json, "line", notice->line);
			emit_size(json, "column", notice->column);
			emit_size(json, "offset", notice->offset);
		} else {
			emit_null(json, "line");
			emit_null(json, "column");
			emit_null(json, "offset");
		}
		emit_close(json, '}');
	}
	emit_close(json, ']');
}

static void put_error(struct json_out *json, const struct report_source *source)
{
	const struct read_error *error = source->read_error;

	if (!report_source_error(source)) {
		emit_null(json, "error");
		return;
	}
	emit_open(json, "error", '{');
	emit_chars(json, "message", report_source_error(source));
	if (error && error->message && error->line) {
		emit_size(json, "line", error->line);
		emit_size(json, "column", error->column);
		emit_size(json, "offset", error->offset);
		emit_chars(json, "excerpt", error->excerpt);
	} else {
		emit_null(json, "line");
		emit_null(json, "column");
		emit_null(json, "offset");
		emit_null(json, "excerpt");
	}
	if (error && error->message)
		emit_size(json, "events_read", error->events_read);
	else
		emit_null(json, "events_read");
	emit_close(json, '}');
}

static void put_source(struct json_out *json, const struct report *report, uint32_t number)
{
	const struct report_source *source = &report->sources[number];
	const struct events *events = source->events;

	emit_open(json, NULL, '{');
	emit_chars(json, "path", source->path);
	emit_chars(json, "role", source->role ? source->role : "");
	if (events) {
		emit_chars(json, "form", form_name(events->form));
		emit_bool(json, "gzip", events->is_gzip);
		emit_size(json, "bytes", events->bytes);
		emit_size(json, "events", events->event_count);
	} else {
		emit_null(json, "form");
		emit_null(json, "gzip");
		emit_null(json, "bytes");
		emit_null(json, "events");
	}
	emit_chars(json, "dialect", events ? events->dialect : NULL);
	emit_chars(json, "dialect_reason", events ? events->dialect_reason : NULL);
	emit_chars(json, "verdict", verdict_name(report_source_verdict(report, number)));
	put_notices(json, "repairs", events, NOTICE_REPAIR);
	put_notices(json, "warnings", events, NOTICE_WARNING);
	put_error(json, source);
	emit_close(json, '}');
}

bool write_json(const struct report *report, const struct report_style *style, FILE *out)
{
	struct json_out json = {.out = out};

	(void)style; /* the same bytes wherever they go */
	emit_open(&json, NULL, '{');
	emit_chars(&json, "schema", "tav-report/1");
	emit_open_flat(&json, "tool", '{');
	emit_chars(&json, "name", "tav");
	emit_chars(&json, "version", report->tool_version);
	emit_close(&json, '}');
	emit_chars(&json, "pipeline", report->pipeline);
	emit_chars(&json, "verdict", verdict_name(report_verdict(report)));
	emit_integer(&json, "exit_status", report_exit_status(report));
	emit_open(&json, "sources", '[');
	for (uint32_t source = 0; source < report->source_count; source++)
		put_source(&json, report, source);
	emit_close(&json, ']');
	emit_open(&json, "stages", '[');
	for (uint32_t stage = 0; stage < report->stage_count; stage++)
		put_stage(&json, report, stage);
	emit_close(&json, ']');
	emit_close(&json, '}');
	return !json.failed;
}
