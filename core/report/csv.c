/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report for a spreadsheet: blocks of rows (RFC 4180), an empty line between them, each with a head of its own.
 * Findings and tables of one id and shape share a block, whatever their source. Times are integers in ns.
 *
 * Texts are escaped as on a terminal, so that a record is a line. A text that a spreadsheet would take for a formula
 * (= + - @ at its start, and no number) gets a ' before it, which spreadsheets hide.
 */
#include <inttypes.h>
#include <string.h>

#include <base/format.h>
#include <base/text.h>
#include <report/merge.h>
#include <report/show.h>
#include <report/writers.h>

struct csv {
	const struct report *report;
	FILE *out;
	struct arena scratch;
	bool has_cells;  /* in this record */
	bool has_blocks; /* in this file */
	bool failed;     /* no memory */
};

static void separate(struct csv *csv)
{
	if (csv->has_cells)
		putc(',', csv->out);
	csv->has_cells = true;
}

static void end_record(struct csv *csv)
{
	fputs("\r\n", csv->out);
	csv->has_cells = false;
}

static bool is_number(const char *text)
{
	text += *text == '-' || *text == '+';
	size_t digits = strspn(text, "0123456789");
	return digits &&
	       (!text[digits] || (text[digits] == '.' && !text[digits + 1 + strspn(text + digits + 1, "0123456789")]));
}

static void put_text(struct csv *csv, struct tav_text raw)
{
	const char *text = show_text(&csv->scratch, raw);

	separate(csv);
	if (!text) {
		csv->failed = true;
		return;
	}
	bool is_formula = *text && strchr("=+-@", *text) && !is_number(text);
	if (!is_formula && !strpbrk(text, ",\" ")) {
		fputs(text, csv->out);
		return;
	}
	fputs(is_formula ? "\"'" : "\"", csv->out);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', csv->out);
		putc(*text, csv->out);
	}
	putc('"', csv->out);
}

static void put_chars(struct csv *csv, const char *chars)
{
	put_text(csv, text_of(chars));
}

static void put_integer(struct csv *csv, int64_t value)
{
	separate(csv);
	fprintf(csv->out, "%" PRId64, value);
}

static void put_real(struct csv *csv, double value)
{
	char text[FORMAT_SIZE];

	separate(csv);
	fputs(format_double(text, value), csv->out);
}

static void put_value(struct csv *csv, const struct report_series *series, uint64_t row)
{
	if (!bit_is_set(series->present, row))
		separate(csv);
	else if (series->type == TAV_TYPE_INT)
		put_integer(csv, ((const int64_t *)series->data)[row]);
	else if (series->type == TAV_TYPE_REAL)
		put_real(csv, ((const double *)series->data)[row]);
	else
		put_text(csv, ((const struct tav_text *)series->data)[row]);
}

static void put_source(struct csv *csv, uint32_t source) /* of the run: empty */
{
	put_chars(csv, source == TAV_RUN ? "" : csv->report->sources[source].path);
}

static void begin_block(struct csv *csv, const char *const *heads)
{
	if (csv->has_blocks)
		end_record(csv);
	csv->has_blocks = true;
	for (; *heads; heads++)
		put_chars(csv, *heads);
}

static void put_event(struct csv *csv, struct tav_ref ref)
{
	struct event_view event = event_view(csv->report, ref);

	put_text(csv, event.name);
	put_text(csv, event.category);
	put_text(csv, event.pid);
	put_text(csv, event.tid);
	put_text(csv, event.stream);
	put_text(csv, event.lane);
	if (event.has_time) {
		put_integer(csv, event.start_ns);
		put_integer(csv, event.end_ns);
		separate(csv);
		fprintf(csv->out, "%" PRIu64, event.duration_ns);
	} else {
		for (unsigned i = 0; i < 3; i++)
			separate(csv);
	}
	separate(csv);
	fprintf(csv->out, "%" PRIu64, event.offset);
}

static bool is_same_shape(const struct report_series *a, uint32_t a_count, const struct report_series *b,
                          uint32_t b_count)
{
	if (a_count != b_count)
		return false;
	for (uint32_t i = 0; i < a_count; i++) {
		if (strcmp(a[i].name, b[i].name) || a[i].type != b[i].type)
			return false;
	}
	return true;
}

static bool share_block(const struct report_finding *a, const struct report_finding *b)
{
	return !strcmp(a->id, b->id) && a->refs_each == b->refs_each &&
	       is_same_shape(a->series, a->series_count, b->series, b->series_count);
}

static bool share_table(const struct report_table *a, const struct report_table *b)
{
	return !strcmp(a->id, b->id) && is_same_shape(a->series, a->series_count, b->series, b->series_count);
}

/* A finding without instances still is one record. */
static void put_finding(struct csv *csv, const struct report_stage *stage, const struct report_finding *finding)
{
	for (uint64_t i = 0; i < (finding->instance_count ? finding->instance_count : 1); i++) {
		put_chars(csv, stage->id);
		put_source(csv, finding->source);
		put_chars(csv, finding->id);
		put_chars(csv, severity_name(finding->severity));
		separate(csv);
		fprintf(csv->out, "%" PRIu64, finding->count);
		for (uint32_t j = 0; finding->instance_count && j < finding->refs_each; j++)
			put_event(csv, finding->refs[i * finding->refs_each + j]);
		for (uint32_t j = 0; finding->instance_count && j < finding->series_count; j++)
			put_value(csv, &finding->series[j], i);
		end_record(csv);
	}
}

static void put_findings(struct csv *csv, const struct report_stage *stage)
{
	static const char *const heads[] = {"stage", "source", "finding", "severity", "count", NULL};
	static const char *const parts[] = {"name", "category", "pid",    "tid",         "stream",
	                                    "lane", "start_ns", "end_ns", "duration_ns", "offset"};

	for (const struct report_finding *finding = stage->findings; finding; finding = finding->next) {
		const struct report_finding *first = stage->findings;

		while (!share_block(first, finding))
			first = first->next;
		if (first != finding)
			continue; /* stands in the block of the first */
		begin_block(csv, heads);
		for (uint32_t i = 0; i < finding->refs_each; i++) {
			for (size_t j = 0; j < sizeof(parts) / sizeof(parts[0]); j++) {
				separate(csv);
				fprintf(csv->out, "%c_%s", 'a' + (int)i, parts[j]);
			}
		}
		for (uint32_t i = 0; i < finding->series_count; i++)
			put_chars(csv, finding->series[i].name);
		end_record(csv);
		for (; first; first = first->next) {
			if (share_block(first, finding))
				put_finding(csv, stage, first);
		}
	}
}

static void put_tables(struct csv *csv, const struct report_stage *stage)
{
	static const char *const heads[] = {"stage", "source", "table", NULL};

	for (const struct report_table *table = stage->tables; table; table = table->next) {
		const struct report_table *first = stage->tables;

		while (!share_table(first, table))
			first = first->next;
		if (first != table)
			continue;
		begin_block(csv, heads);
		for (uint32_t i = 0; i < table->series_count; i++)
			put_chars(csv, table->series[i].name);
		end_record(csv);
		for (; first; first = first->next) {
			for (uint64_t row = 0; share_table(first, table) && row < first->row_count; row++) {
				put_chars(csv, stage->id);
				put_source(csv, first->source);
				put_chars(csv, first->id);
				for (uint32_t i = 0; i < first->series_count; i++)
					put_value(csv, &first->series[i], row);
				end_record(csv);
			}
		}
	}
}

static void put_checks(struct csv *csv)
{
	static const char *const heads[] = {"stage", "source", "check", "result", "why", NULL};
	bool has_head = false;

	for (uint32_t i = 0; i < csv->report->stage_count; i++) {
		for (const struct report_check *check = csv->report->stages[i].checks; check; check = check->next) {
			if (!has_head) {
				begin_block(csv, heads);
				end_record(csv);
				has_head = true;
			}
			put_chars(csv, csv->report->stages[i].id);
			put_source(csv, check->source);
			put_chars(csv, check->id);
			put_chars(csv, result_name(check->result));
			put_chars(csv, check->why);
			end_record(csv);
		}
	}
}

static void put_metrics(struct csv *csv)
{
	static const char *const heads[] = {"stage", "source", "metric", "value", "unit", NULL};
	bool has_head = false;

	for (uint32_t i = 0; i < csv->report->stage_count; i++) {
		for (const struct report_metric *metric = csv->report->stages[i].metrics; metric;
		     metric = metric->next) {
			if (!has_head) {
				begin_block(csv, heads);
				end_record(csv);
				has_head = true;
			}
			put_chars(csv, csv->report->stages[i].id);
			put_source(csv, metric->source);
			put_chars(csv, metric->id);
			if (metric->is_ratio)
				put_real(csv, metric->real);
			else
				put_integer(csv, metric->integer);
			put_chars(csv, unit_name(metric->unit));
			end_record(csv);
		}
	}
}

static void put_sources(struct csv *csv)
{
	static const char *const heads[] = {"source", "verdict", "events", "dialect", "error", NULL};

	begin_block(csv, heads);
	end_record(csv);
	for (uint32_t source = 0; source < csv->report->source_count; source++) {
		const struct events *events = csv->report->sources[source].events;

		put_source(csv, source);
		put_chars(csv, verdict_name(report_source_verdict(csv->report, source)));
		separate(csv);
		if (events)
			fprintf(csv->out, "%" PRIu64, events->event_count);
		put_chars(csv, events ? events->dialect : NULL);
		put_chars(csv, report_source_error(&csv->report->sources[source]));
		end_record(csv);
	}
}

bool write_csv(const struct report *report, const struct report_style *style, FILE *out)
{
	struct csv csv = {.report = report, .out = out};

	(void)style;
	put_sources(&csv);
	put_checks(&csv);
	put_metrics(&csv);
	for (uint32_t stage = 0; stage < report->stage_count; stage++) {
		put_findings(&csv, &report->stages[stage]);
		put_tables(&csv, &report->stages[stage]);
	}
	arena_fini(&csv.scratch);
	return !csv.failed;
}
