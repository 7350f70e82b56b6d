/* SPDX-License-Identifier: Apache-2.0 */
/* The report as JSON, all of it: config/report.schema.json says what is there, read.c reads it again in the same order.
 */
#include <stdlib.h>
#include <string.h>

#include <kit/text.h>
#include <report/json_out.h>
#include <report/json_texts.h>
#include <report/page_data.h>
#include <report/show.h>
#include <report/writers.h>

struct writer {
	const struct page_limits *limits; /* NULL: all is written */
	struct page_limit limit;          /* of what is being written */
	struct json_out json;
	const struct report *report;
	struct json_texts *texts;        /* of each source, and of the run behind them */
	const struct json_texts *placed; /* those of what is being written */
	struct json_texts *data;         /* of the data table that is being written, NULL: none is */
};

/*
 * What the trace does not say is null, not "". A long text is its begin, and the number of the whole one; in a data
 * table a text stands where it comes first, and after that it is the number of that place.
 */
static void put_text(struct writer *out, const char *key, struct tav_text text)
{
	struct json_out *json = &out->json;
	uint32_t number = text.size ? json_texts_find(out->data ? out->data : out->placed, text) : TAV_NONE;

	if (!text.size) {
		emit_null(json, key);
	} else if (number == TAV_NONE) {
		emit_text(json, key, text);
		json->failed |= out->data && !json_texts_add(out->data, text);
	} else if (out->data) {
		emit_size(json, key, number);
	} else {
		emit_open_flat(json, key, '{');
		emit_text(json, "begins", (struct tav_text){text.data, json_texts_placed(text)});
		emit_size(json, "text", number);
		emit_close(json, '}');
	}
}

static void put_plain(struct json_out *json, const char *key, struct tav_text text) /* of facts and sentences */
{
	if (text.size)
		emit_text(json, key, text);
	else
		emit_null(json, key);
}

static void put_name(struct json_out *json, const char *key, const struct names *names, uint32_t number)
{
	emit_chars(json, key, name_of(names, number));
}

/* -1 and TAV_NONE stand for what is not there. */
static void put_known(struct json_out *json, const char *key, int64_t value)
{
	if (value >= 0)
		emit_integer(json, key, value);
	else
		emit_null(json, key);
}

static void put_event(struct writer *out, const char *key, const struct tav_event *event)
{
	struct json_out *json = &out->json;
	int64_t start_rel_ns;

	emit_open_flat(json, key, '{');
	emit_size(json, "source", event->source);
	emit_size(json, "row", event->row);
	put_text(out, "name", event->name);
	put_text(out, "category", event->category);
	put_text(out, "pid", event->pid);
	put_text(out, "tid", event->tid);
	put_text(out, "stream", event->stream);
	put_text(out, "lane", event->lane);
	put_known(json, "device", event->device == TAV_NONE ? -1 : (int64_t)event->device);
	if (event->has_time) {
		emit_integer(json, "start_ns", event->start_ns);
		if (event_start_rel(out->report, event, &start_rel_ns))
			emit_integer(json, "start_rel_ns", start_rel_ns);
		else
			emit_null(json, "start_rel_ns");
		emit_integer(json, "end_ns", event->end_ns);
		emit_size(json, "duration_ns", (uint64_t)event->end_ns - (uint64_t)event->start_ns);
	} else {
		emit_null(json, "start_ns");
		emit_null(json, "start_rel_ns");
		emit_null(json, "end_ns");
		emit_null(json, "duration_ns");
	}
	emit_size(json, "offset", event->offset);
	emit_close(json, '}');
}

static void put_value(struct writer *out, const char *key, const struct tav_column_result *column, uint64_t row)
{
	if (!bit_is_set(column->present, row)) {
		emit_null(&out->json, key);
		return;
	}
	switch (column->type) {
	case TAV_TYPE_INT:
		emit_integer(&out->json, key, ((const int64_t *)column->data)[row]);
		break;
	case TAV_TYPE_REAL:
		emit_real(&out->json, key, ((const double *)column->data)[row]);
		break;
	case TAV_TYPE_REF:
		put_event(out, key, &((const struct tav_event *)column->data)[row]);
		break;
	default:
		if (((const struct tav_text *)column->data)[row].size)
			put_text(out, key, ((const struct tav_text *)column->data)[row]);
		else
			emit_chars(&out->json, key, ""); /* there, and empty */
	}
}

static void put_head(struct json_out *json, const struct tav_column_result *column)
{
	emit_text(json, "name", column->name);
	emit_chars(json, "type", type_name(column->type));
	put_name(json, "unit", &unit_names, column->unit);
}

static void put_check(struct json_out *json, const struct tav_check_result *check)
{
	emit_open_flat(json, NULL, '{');
	emit_text(json, "id", check->id);
	put_name(json, "by", &by_names, check->by);
	put_name(json, "result", &result_names, check->result);
	put_name(json, "told", &result_names, check->told);
	put_plain(json, "why", check->why);
	emit_size(json, "count", check->count);
	emit_size(json, "examined", check->examined);
	if (check_is_waived(check))
		emit_size(json, "waived_by", check_waived(check)->rest - 1);
	emit_close(json, '}');
}

/* By which waiver what of it does not count; a report without waivers has none of this. */
static void put_waived(struct writer *out, const struct tav_finding_result *finding)
{
	struct json_out *json = &out->json;
	const struct waived *waived = finding_waived(finding);

	if (!waived->count)
		return;
	emit_open_flat(json, "waived", '{');
	emit_size(json, "count", waived->count);
	put_known(json, "rest_by", (int64_t)waived->rest - 1);
	emit_open(json, "instances_by", '[');
	for (uint64_t i = 0; waived->instances && i < finding->instance_count && i < out->limit.instances; i++)
		put_known(json, NULL, (int64_t)waived->instances[i] - 1);
	emit_close(json, ']');
	emit_close(json, '}');
}

static void put_finding(struct writer *out, const struct tav_finding_result *finding)
{
	struct json_out *json = &out->json;

	emit_open(json, NULL, '{');
	emit_text(json, "id", finding->id);
	put_name(json, "by", &by_names, finding->by);
	put_name(json, "severity", &severity_names, finding->severity);
	put_name(json, "told", &severity_names, finding->told);
	emit_text(json, "message", finding->message);
	put_plain(json, "remedy", finding->remedy);
	emit_size(json, "count", finding->count);
	emit_size(json, "events_each", finding->events_each);
	emit_open(json, "measures", '[');
	for (uint32_t i = 0; i < finding->measure_count; i++) {
		emit_open_flat(json, NULL, '{');
		put_head(json, &finding->measures[i]);
		emit_close(json, '}');
	}
	emit_close(json, ']');
	emit_open(json, "instances", '[');
	for (uint64_t i = 0; i < finding->instance_count && i < out->limit.instances; i++) {
		emit_open(json, NULL, '{');
		emit_open(json, "events", '[');
		for (uint32_t j = 0; j < finding->events_each; j++)
			put_event(out, NULL, &finding->events[i * finding->events_each + j]);
		emit_close(json, ']');
		emit_open_flat(json, "measures", '{');
		for (uint32_t j = 0; j < finding->measure_count; j++)
			put_value(out, finding->measures[j].name.data, &finding->measures[j], i);
		emit_close(json, '}');
		emit_close(json, '}');
	}
	emit_close(json, ']');
	put_waived(out, finding);
	emit_close(json, '}');
}

/* A row is a line, so that the difference of two reports is that of their rows. A data table does without the keys. */
static void put_row(struct writer *out, const struct tav_table_result *table, uint64_t row)
{
	emit_open_flat(&out->json, NULL, out->data ? '[' : '{');
	for (uint32_t i = 0; i < table->column_count; i++)
		put_value(out, out->data ? NULL : table->columns[i].name.data, &table->columns[i], row);
	emit_close(&out->json, out->data ? ']' : '}');
}

static void put_table(struct writer *out, const struct result_table *table)
{
	const struct tav_table_result *shown = &table->shown;
	struct json_out *json = &out->json;
	struct json_texts data = {0};
	uint64_t rows = shown->row_count < out->limit.rows ? shown->row_count : out->limit.rows;

	emit_open(json, NULL, '{');
	emit_text(json, "id", shown->id);
	put_name(json, "by", &by_names, shown->by);
	emit_text(json, "title", shown->title);
	put_name(json, "show", &show_names, table->show);
	emit_size(json, "first_rows", table->first_rows);
	emit_size(json, "omitted", shown->omitted_count + (shown->row_count - rows));
	emit_size(json, "row_count", rows);
	emit_open(json, "columns", '[');
	for (uint32_t i = 0; i < shown->column_count; i++) {
		emit_open_flat(json, NULL, '{');
		put_head(json, &shown->columns[i]);
		put_name(json, "show", &show_names, table->shows[i]);
		emit_close(json, '}');
	}
	emit_close(json, ']');
	emit_open(json, "rows", '[');
	out->data = table->show == TAV_SHOW_DATA ? &data : NULL;
	for (uint64_t row = 0; row < rows; row++)
		put_row(out, shown, row);
	out->data = NULL;
	json_texts_fini(&data);
	emit_close(json, ']');
	emit_close(json, '}');
}

/* A map of what is not 0 for each metric that has it. */
static void put_metric_names(struct json_out *json, const char *key, const struct stage_results *told,
                             const struct names *names, size_t member)
{
	emit_open_flat(json, key, '{');
	for (uint32_t i = 0; i < told->metric_count; i++) {
		uint32_t number;

		memcpy(&number, (const char *)told->metrics[i] + member, sizeof(number));
		if (name_of(names, number))
			put_name(json, told->metrics[i]->shown.id.data, names, number);
	}
	emit_close(json, '}');
}

static void put_metrics(struct json_out *json, const struct stage_results *told)
{
	emit_open(json, "metrics", '{');
	for (uint32_t i = 0; i < told->metric_count; i++) {
		const struct tav_metric_result *metric = &told->metrics[i]->shown;

		if (metric->type == TAV_TYPE_REAL)
			emit_real(json, metric->id.data, metric->real);
		else
			emit_integer(json, metric->id.data, metric->value);
	}
	emit_close(json, '}');
	put_metric_names(json, "units", told, &unit_names, offsetof(struct result_metric, shown.unit));
	put_metric_names(json, "better", told, &better_names, offsetof(struct result_metric, shown.better));
	emit_open_flat(json, "metrics_by", '{');
	for (uint32_t i = 0; i < told->metric_count; i++)
		put_name(json, told->metrics[i]->shown.id.data, &by_names, told->metrics[i]->shown.by);
	emit_close(json, '}');
	emit_open_flat(json, "metrics_shown", '[');
	for (uint32_t i = 0; i < told->metric_count; i++) {
		if (told->metrics[i]->flags & TAV_METRIC_HEADLINE)
			emit_text(json, NULL, told->metrics[i]->shown.id);
	}
	emit_close(json, ']');
}

/* What a stage told of one source, or of the run. */
static void put_told(struct writer *out, const struct stage_results *told)
{
	struct json_out *json = &out->json;

	emit_bool(json, "done", told->is_done);
	emit_chars(json, "error", told->error);
	emit_chars(json, "skipped", told->skipped);
	emit_open(json, "headlines", '[');
	for (uint32_t i = 0; i < told->headline_count; i++) {
		emit_open_flat(json, NULL, '{');
		emit_text(json, "text", told->headlines[i].text);
		put_name(json, "by", &by_names, told->headlines[i].by);
		emit_close(json, '}');
	}
	emit_close(json, ']');
	emit_open(json, "checks", '[');
	for (uint32_t i = 0; i < told->check_count; i++)
		put_check(json, told->checks[i]);
	emit_close(json, ']');
	emit_open(json, "findings", '[');
	for (uint32_t i = 0; i < told->finding_count; i++)
		put_finding(out, &told->findings[i]->shown);
	emit_close(json, ']');
	emit_open(json, "tables", '[');
	for (uint32_t i = 0; i < told->table_count; i++) {
		if (!out->limits || (told->tables[i]->show != TAV_SHOW_DATA && out->limit.rows))
			put_table(out, told->tables[i]);
	}
	emit_close(json, ']');
	put_metrics(json, told);
}

/* TAV_RUN: over all sources and the run. */
static void put_verdict(struct writer *out, uint32_t stage, uint32_t source)
{
	enum verdict verdict;

	if (source == TAV_RUN ? report_stage_verdict_of_all(out->report, stage, &verdict)
	                      : report_stage_verdict(out->report, stage, source, &verdict))
		put_name(&out->json, "verdict", &verdict_names, verdict);
	else
		emit_null(&out->json, "verdict");
}

static void put_by_source(struct writer *out, const char *key, uint32_t stage, uint32_t first, uint32_t count)
{
	emit_open(&out->json, key, '[');
	for (uint32_t source = first; source < first + count; source++) {
		out->limit = limit_of(out->limits, source);
		if (out->limit.is_left_out)
			continue;
		emit_open(&out->json, NULL, '{');
		emit_size(&out->json, "source", source);
		emit_chars(&out->json, "path", out->report->sources[source].path);
		put_verdict(out, stage, source);
		if (out->report->part)
			emit_integer(&out->json, "elapsed_ns", told_of(out->report, source, stage)->elapsed_ns);
		else
			emit_null(&out->json, "elapsed_ns");
		out->placed = &out->texts[source];
		put_told(out, told_of(out->report, source, stage));
		emit_close(&out->json, '}');
	}
	emit_close(&out->json, ']');
}

static void put_options(struct json_out *json, const struct report_stage *stage)
{
	emit_open(json, "options", '{');
	for (uint32_t i = 0; i < stage->option_count; i++)
		emit_chars(json, stage->options[i].name, stage->options[i].text);
	emit_close(json, '}');
	emit_open_flat(json, "options_given", '[');
	for (uint32_t i = 0; i < stage->option_count; i++) {
		if (stage->options[i].is_given)
			emit_chars(json, NULL, stage->options[i].name);
	}
	emit_close(json, ']');
	emit_open_flat(json, "options_late", '[');
	for (uint32_t i = 0; i < stage->option_count; i++) {
		if (stage->options[i].is_late)
			emit_chars(json, NULL, stage->options[i].name);
	}
	emit_close(json, ']');
}

static void put_stage(struct writer *out, uint32_t number)
{
	const struct report *report = out->report;
	const struct report_stage *stage = &report->stages[number];

	emit_open(&out->json, NULL, '{');
	emit_chars(&out->json, "name", stage->name);
	emit_chars(&out->json, "id", stage->id ? stage->id : stage->name);
	emit_chars(&out->json, "version", stage->version);
	put_options(&out->json, stage);
	put_verdict(out, number, TAV_RUN);
	out->placed = &out->texts[report->source_count + report->baseline_count];
	out->limit = limit_of(out->limits, TAV_RUN);
	put_told(out, told_of(report, TAV_RUN, number));
	put_by_source(out, "by_source", number, 0, report->source_count);
	put_by_source(out, "by_baseline", number, report->source_count, report->baseline_count);
	emit_close(&out->json, '}');
}

static void put_place(struct json_out *json, bool is_known, uint64_t line, uint64_t column, uint64_t offset)
{
	if (is_known) {
		emit_size(json, "line", line);
		emit_size(json, "column", column);
		emit_size(json, "offset", offset);
	} else {
		emit_null(json, "line");
		emit_null(json, "column");
		emit_null(json, "offset");
	}
}

static void put_notes(struct json_out *json, const char *key, const struct report_source *source, bool is_repair)
{
	emit_open(json, key, '[');
	for (uint32_t i = 0; i < source->note_count; i++) {
		const struct report_note *note = &source->notes[i];

		if (note->is_repair != is_repair)
			continue;
		emit_open_flat(json, NULL, '{');
		emit_chars(json, "id", note->id);
		emit_chars(json, "message", note->message);
		emit_size(json, "count", note->count);
		put_place(json, note->line > 0, note->line, note->column, note->offset);
		emit_close(json, '}');
	}
	emit_close(json, ']');
}

static void put_doubts(struct json_out *json, const struct report_source *source)
{
	emit_open(json, "doubts", '[');
	for (uint32_t i = 0; i < source->doubt_count; i++) {
		emit_open_flat(json, NULL, '{');
		emit_chars(json, "id", source->doubts[i].id);
		emit_chars(json, "message", source->doubts[i].message);
		emit_size(json, "count", source->doubts[i].count);
		emit_close(json, '}');
	}
	emit_close(json, ']');
}

static void put_error(struct json_out *json, const struct report_source *source)
{
	const struct read_error *error = source->read_error && source->read_error->message ? source->read_error : NULL;

	if (!report_source_error(source)) {
		emit_null(json, "error");
		return;
	}
	emit_open(json, "error", '{');
	emit_chars(json, "message", report_source_error(source));
	put_place(json, error && error->line, error ? error->line : 0, error ? error->column : 0,
	          error ? error->offset : 0);
	emit_chars(json, "excerpt", error ? error->excerpt : NULL);
	put_known(json, "caret", error ? (int64_t)error->caret : -1);
	if (error)
		emit_size(json, "events_read", error->events_read);
	else
		emit_null(json, "events_read");
	emit_chars(json, "whole", error ? source->error : NULL);
	emit_close(json, '}');
}

/* What is known of a source that could be read, or null. */
static void put_facts(struct json_out *json, const struct report_source *source)
{
	const struct tav_source *facts = &source->facts;

	if (!source->is_read) {
		emit_null(json, "facts");
		return;
	}
	emit_open(json, "facts", '{');
	emit_hash(json, "content", facts->content);
	put_known(json, "rank", facts->rank);
	put_known(json, "world_size", facts->world_size);
	put_name(json, "flavour", &flavour_names, facts->flavour);
	put_plain(json, "track_word", facts->track_word);
	emit_size(json, "rows", facts->row_count);
	emit_size(json, "tracks", facts->track_count);
	emit_size(json, "devices", facts->device_count);
	emit_size(json, "device_events", facts->device_event_count);
	emit_size(json, "unmatched_begin", facts->unmatched_begin);
	emit_size(json, "unmatched_end", facts->unmatched_end);
	emit_size(json, "unusable", facts->unusable_count);
	emit_size(json, "unusable_device", facts->unusable_device_count);
	emit_size(json, "zero_time", facts->zero_time_count);
	emit_integer(json, "first_ns", facts->first_ns);
	emit_integer(json, "last_ns", facts->last_ns);
	emit_size(json, "file_bytes", source->file_bytes);
	emit_close(json, '}');
}

/* How it was read: only a part says it, for --resume and for the times of JUnit. */
static void put_source_run(struct writer *out, const struct report_source *source)
{
	struct json_out *json = &out->json;

	if (!out->report->part || !source->is_read) {
		emit_null(json, "run");
		return;
	}
	emit_open_flat(json, "run", '{');
	emit_size(json, "mtime_ns", source->mtime_ns);
	emit_integer(json, "read_ns", source->read_ns);
	emit_close(json, '}');
}

static void put_top_level(struct json_out *json, const struct report_source *source)
{
	emit_open(json, "top_level", '{');
	for (uint32_t i = 0; i < source->top_level_count; i++)
		emit_raw(json, source->top_level[i].key.data, source->top_level[i].value.data,
		         source->top_level[i].value.size);
	emit_close(json, '}');
}

static void put_threads(struct json_out *json, const struct report_source *source)
{
	emit_open(json, "threads", '[');
	for (uint32_t i = 0; i < source->thread_count; i++) {
		const struct report_thread *thread = &source->threads[i];

		emit_open_flat(json, NULL, '{');
		emit_text(json, "pid", thread->pid);
		emit_text(json, "tid", thread->tid);
		emit_text(json, "process_name", thread->process_name);
		emit_text(json, "thread_name", thread->thread_name);
		emit_close(json, '}');
	}
	emit_close(json, ']');
}

static void put_texts(struct json_out *json, const struct json_texts *texts)
{
	emit_open(json, "texts", '[');
	for (uint32_t i = 0; i < texts->count; i++)
		emit_text(json, NULL, texts->items[i]);
	emit_close(json, ']');
}

static void put_source(struct writer *out, uint32_t number)
{
	const struct report_source *source = &out->report->sources[number];
	struct json_out *json = &out->json;
	uint64_t bytes = results_bytes(&source->results);

	json->failed |= bytes == UINT64_MAX;
	emit_open(json, NULL, '{');
	emit_chars(json, "path", source->path);
	emit_chars(json, "role", source->role ? source->role : "");
	put_name(json, "kind", &role_names, source->role_kind);
	put_known(json, "owner", source->role_kind == TAV_ROLE_BASELINE ? (int64_t)source->owner : -1);
	if (source->is_read) {
		put_name(json, "form", &form_names, source->facts.form);
		emit_bool(json, "gzip", source->is_gzip);
		emit_size(json, "bytes", source->facts.bytes);
		emit_size(json, "events", source->facts.event_count);
		put_plain(json, "dialect", source->facts.dialect);
		emit_chars(json, "dialect_reason", source->dialect_reason);
	} else {
		static const char *const unknown[] = {"form", "gzip", "bytes", "events", "dialect", "dialect_reason"};

		for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
			emit_null(json, unknown[i]);
	}
	put_name(json, "verdict", &verdict_names, report_source_verdict(out->report, number));
	put_doubts(json, source);
	put_notes(json, "repairs", source, true);
	put_notes(json, "warnings", source, false);
	put_error(json, source);
	put_facts(json, source);
	put_top_level(json, source);
	put_threads(json, source);
	put_source_run(out, source);
	emit_size(json, "results_bytes", bytes);
	json->failed |= bytes == UINT64_MAX; /* no memory to weigh them */
	put_texts(json, &out->texts[number]);
	if (source->picture)
		emit_raw(json, "picture", source->picture, source->picture_size);
	else
		emit_null(json, "picture");
	emit_close(json, '}');
}

struct page_limit limit_of(const struct page_limits *limits, uint32_t source)
{
	if (!limits)
		return (struct page_limit){UINT64_MAX, UINT64_MAX, false};
	return source == TAV_RUN || limits->is_whole[source] ? limits->whole : limits->other;
}

static bool collect_texts(struct writer *out)
{
	const struct report *report = out->report;
	uint64_t count = (uint64_t)report->source_count + report->baseline_count;
	bool is_done = true;

	out->texts = calloc(count + 1, sizeof(*out->texts));
	for (uint64_t i = 0; out->texts && is_done && i < count; i++)
		is_done = json_texts_collect(&out->texts[i], &report->sources[i].results,
		                             limit_of(out->limits, (uint32_t)i));
	return out->texts && is_done &&
	       json_texts_collect(&out->texts[count], &report->run, limit_of(out->limits, TAV_RUN));
}

static void put_patterns(struct json_out *json, const char *key, const char *const *patterns)
{
	emit_open(json, key, '[');
	for (; *patterns; patterns++)
		emit_chars(json, NULL, *patterns);
	emit_close(json, ']');
}

static void put_waivers(struct json_out *json, const struct report *report)
{
	emit_open(json, "waivers", '[');
	for (uint32_t i = 0; i < report->waiver_count; i++) {
		const struct waiver *waiver = &report->waivers[i];

		emit_open_flat(json, NULL, '{');
		emit_chars(json, "file", waiver->file);
		emit_size(json, "line", waiver->line);
		emit_size(json, "column", waiver->column);
		put_patterns(json, "stage", waiver->stages);
		put_patterns(json, "id", waiver->ids);
		put_patterns(json, "names", waiver->names);
		put_patterns(json, "stream", waiver->streams);
		put_patterns(json, "trace", waiver->traces);
		emit_chars(json, "reason", waiver->reason);
		emit_chars(json, "until", waiver->until);
		put_name(json, "state", &waiver_names, waiver->state);
		emit_size(json, "count", waiver->count);
		emit_close(json, '}');
	}
	emit_close(json, ']');
}

static void put_report(struct writer *out)
{
	const struct report *report = out->report;
	struct json_out *json = &out->json;
	uint32_t all = report->source_count + report->baseline_count;

	emit_open(json, NULL, '{');
	emit_chars(json, "schema", "tav-report/2");
	emit_open_flat(json, "tool", '{');
	emit_chars(json, "name", "tav");
	emit_chars(json, "version", report->tool_version);
	emit_close(json, '}');
	emit_chars(json, "pipeline", report->pipeline);
	if (report->part) {
		emit_open_flat(json, "part", '{');
		emit_size(json, "k", report->part->k);
		emit_size(json, "n", report->part->n);
		emit_hash(json, "list_hash", report->part->list_hash);
		emit_close(json, '}');
	} else {
		emit_null(json, "part");
	}
	put_name(json, "verdict", &verdict_names, report_verdict(report));
	emit_bool(json, "fail_on_warning", report->fail_on_warning);
	emit_integer(json, "exit_status", report_exit_status(report));
	emit_chars(json, "error", report->error);
	if (report->waiver_count)
		put_waivers(json, report);
	emit_open(json, "sources", '[');
	for (uint32_t source = 0; source < report->source_count; source++)
		put_source(out, source);
	emit_close(json, ']');
	emit_open(json, "baselines", '[');
	for (uint32_t source = report->source_count; source < all; source++)
		put_source(out, source);
	emit_close(json, ']');
	put_texts(json, &out->texts[all]);
	emit_open(json, "stages", '[');
	for (uint32_t stage = 0; stage < report->stage_count; stage++)
		put_stage(out, stage);
	emit_close(json, ']');
	if (report->part) {
		emit_open_flat(json, "run", '{');
		emit_size(json, "jobs", report->jobs);
		emit_integer(json, "elapsed_ns", report->elapsed_ns);
		emit_close(json, '}');
	} else {
		emit_null(json, "run");
	}
	emit_close(json, '}');
}

bool write_json_within(const struct report *report, const struct page_limits *limits, FILE *out)
{
	struct writer writer = {.json = {.out = out}, .report = report, .limits = limits};
	uint64_t count = (uint64_t)report->source_count + report->baseline_count;
	bool is_done = collect_texts(&writer);

	writer.json.is_compact = limits;
	writer.json.is_anonymous = limits && limits->is_anonymous;
	if (is_done)
		put_report(&writer);
	for (uint64_t i = 0; writer.texts && i <= count; i++)
		json_texts_fini(&writer.texts[i]);
	free(writer.texts);
	return is_done && !writer.json.failed;
}

bool write_json(const struct report *report, const struct report_style *style, FILE *out)
{
	(void)style; /* the same bytes wherever they go */
	return write_json_within(report, NULL, out);
}
