/* SPDX-License-Identifier: Apache-2.0 */
/* The text writer's part about stages: checks, findings with their events, tables, metrics. */
#include <inttypes.h>
#include <string.h>

#include <base/format.h>
#include <base/text.h>
#include <report/merge.h>
#include <report/show.h>
#include <report/text_out.h>
#include <report/text_table.h>
#include <report/writers.h>

enum { SHOWN_INSTANCES = 10, INDENT = 4 };

/* What there was no memory for is left out, and the writer fails at the end. */
static const char *got(struct text_out *text, const char *words)
{
	text->failed |= !words;
	return words ? words : "";
}

/* With -v no column is left out and no name shortened, however long the lines get. */
static unsigned table_width(const struct text_out *text)
{
	return text->style->verbosity > 0 ? UINT16_MAX : text->style->width;
}

static void print_checks(struct text_out *text, const struct report_stage *stage, uint32_t source)
{
	static const struct {
		const char *word;
		enum colour colour;
	} results[] = {{"ok", COLOUR_GREEN}, {"warn", COLOUR_YELLOW}, {"FAIL", COLOUR_RED}, {"skip", COLOUR_NONE}};
	unsigned widest = 0;

	for (const struct report_check *check = stage->checks; check; check = check->next) {
		unsigned width = (unsigned)strlen(check->id);

		if (check->source == source && width > widest)
			widest = width;
	}
	for (const struct report_check *check = stage->checks; check; check = check->next) {
		if (check->source != source)
			continue;
		unsigned result = check->result - TAV_RESULT_PASS;
		fprintf(text->out, "  %s%-4s%s  %-*s  ", colour_start(text, results[result].colour),
		        results[result].word, colour_end(text), (int)widest, check->id);
		print_wrapped(text, check->why ? check->why : "", widest + 10, widest + 10);
	}
}

/* The events of an instance stand below what was measured of it: the name on a line of its own, since names are long.
 */
static void print_instances(struct text_out *text, const struct report_finding *finding, uint64_t shown)
{
	bool has_source = finding->source == TAV_RUN && text->report->source_count > 1;
	unsigned indent = INDENT + 4;

	for (uint64_t i = 0; i < shown; i++) {
		fprintf(text->out, "%*s%2" PRIu64 "  ", INDENT, "", i + 1);
		const char *measures = got(text, show_measures(&text->scratch, finding, i));
		if (*measures)
			print_wrapped(text, measures, indent, indent);
		for (uint32_t j = 0; j < finding->refs_each; j++) {
			struct tav_ref ref = finding->refs[i * finding->refs_each + j];
			const char *name = got(text, show_event_name(&text->scratch, text->report, ref));
			const char *facts = got(text, show_event_facts(&text->scratch, text->report, ref));

			if (j || *measures)
				fprintf(text->out, "%*s", (int)indent, "");
			unsigned width = table_width(text) > indent ? table_width(text) - indent : 0;
			fprintf(text->out, "%s\n%*s", got(text, text_shorten(&text->scratch, name, width)),
			        (int)indent + 2, "");
			if (has_source)
				facts = got(text, arena_printf(&text->scratch, "%s, %s", source_name(text, ref.source),
				                               facts));
			print_wrapped(text, facts, indent + 2, indent + 2);
		}
	}
}

/* Is this one of the columns, as seen with this verbosity? */
static bool is_column(const struct text_out *text, const uint32_t *shows, uint32_t i)
{
	if (!shows || shows[i] > TAV_SHOW_DETAIL || shows[i] == TAV_SHOW_COLUMN)
		return true;
	return shows[i] == TAV_SHOW_DETAIL && text->style->verbosity > 0;
}

/*
 * Rows as a table: of instances without events what was measured, or a table of the stage. `shows`: what becomes of
 * each series, see TAV_SHOW_...; NULL: a column.
 */
static void print_series(struct text_out *text, const struct report_series *series, const uint32_t *shows,
                         uint32_t count, uint64_t rows, bool is_exact)
{
	struct text_table table;
	uint32_t columns = 0, column = 0;

	for (uint32_t i = 0; i < count; i++)
		columns += is_column(text, shows, i);
	text_table_init(&table, &text->scratch, columns);
	for (uint32_t i = 0; i < count; i++) {
		bool is_text = series[i].type == TAV_TYPE_STRING;

		if (is_column(text, shows, i))
			text_table_head(&table, column++,
			                (struct text_column){got(text, show_head(&text->scratch, &series[i])), !is_text,
			                                     .least = is_text ? 16 : 0});
	}
	for (uint64_t row = 0; row < rows; row++) {
		text_table_row(&table);
		column = 0;
		for (uint32_t i = 0; i < count; i++) {
			const char *value = got(text, show_value(&text->scratch, &series[i], row, is_exact));

			if (is_column(text, shows, i))
				text_table_cell(&table, column++, value);
			else if (shows[i] == TAV_SHOW_NOTE && bit_is_set(series[i].present, row))
				text_table_note(&table, value);
		}
	}
	text_table_print(&table, text->out, INDENT, table_width(text), colour_start(text, COLOUR_BOLD),
	                 colour_end(text));
	text->failed |= table.failed;
}

static void print_finding(struct text_out *text, const struct report_finding *finding)
{
	enum colour colour = finding->severity == TAV_SEV_ERROR     ? COLOUR_RED
	                     : finding->severity == TAV_SEV_WARNING ? COLOUR_YELLOW
	                                                            : COLOUR_NONE;
	const char *severity = severity_name(finding->severity);
	uint64_t shown = finding->instance_count;
	char count[FORMAT_SIZE];
	format_size(count, finding->count);
	/* Most messages hold the count already. */
	char *line = arena_printf(&text->scratch, strstr(finding->message, count) ? "%s: %s" : "%s: %s (%s)",
	                          finding->id, finding->message, count);

	text->failed |= !line;
	fprintf(text->out, "\n  %s%s%s  ", colour_start(text, colour), severity, colour_end(text));
	print_wrapped(text, line, INDENT, 4 + (unsigned)strlen(severity));
	if (shown > SHOWN_INSTANCES && text->style->verbosity < 1)
		shown = SHOWN_INSTANCES;
	if (shown && finding->refs_each)
		print_instances(text, finding, shown);
	else if (shown && finding->series_count)
		print_series(text, finding->series, NULL, finding->series_count, shown, true);
	if (finding->count > shown && shown) {
		line = arena_printf(&text->scratch, "... and %s more%s", format_size(count, finding->count - shown),
		                    shown < finding->instance_count ? " (-v or --report json=PATH lists more of them)"
		                                                    : "");
		text->failed |= !line;
		fprintf(text->out, "%*s", INDENT, "");
		print_wrapped(text, line, INDENT, INDENT);
	}
}

static void print_table(struct text_out *text, const struct report_table *table)
{
	uint64_t shown = table->row_count;
	char count[FORMAT_SIZE];
	bool has_column = !table->series_count, is_empty = !table->row_count && !table->omitted_count;

	for (uint32_t i = 0; i < table->series_count; i++)
		has_column |= is_column(text, table->shows, i);
	if (!has_column)
		return;
	if (table->first_rows && shown > table->first_rows && text->style->verbosity < 1)
		shown = table->first_rows;
	fprintf(text->out, "\n  %s", colour_start(text, COLOUR_BOLD));
	print_wrapped(text, got(text, arena_printf(&text->scratch, "%s%s", table->title, is_empty ? ": none" : "")), 2,
	              2);
	fputs(colour_end(text), text->out);
	if (is_empty)
		return;
	print_series(text, table->series, table->shows, table->series_count, shown, false);
	if (shown < table->row_count)
		fprintf(text->out, "%*s... and %s more (-v or --report json=PATH lists more of them)\n", INDENT, "",
		        format_size(count, table->row_count - shown + table->omitted_count));
	else if (table->omitted_count)
		fprintf(text->out, "%*s... and %s more\n", INDENT, "", format_size(count, table->omitted_count));
}

/* Metrics that are zero say little each: they share a line. */
static void print_metrics(struct text_out *text, const struct report_stage *stage, uint32_t source)
{
	char value[FORMAT_SIZE];
	const char *zeros = "";
	unsigned widest = 0, widest_value = 0;

	for (unsigned pass = 0; pass < 2; pass++) {
		for (const struct report_metric *metric = stage->metrics; metric; metric = metric->next) {
			if (metric->source != source || (metric->is_ratio ? metric->real == 0 : metric->integer == 0))
				continue;
			if (metric->is_ratio)
				format_real(value, metric->real, metric->unit);
			else if (metric->unit == TAV_UNIT_NS && metric->integer > 0)
				format_duration_exact(value, (uint64_t)metric->integer);
			else
				format_integer(value, metric->integer, metric->unit);
			unsigned width = (unsigned)strlen(metric->id), value_width = (unsigned)strlen(value);
			if (pass) {
				fprintf(text->out, "    %-*s  %*s\n", (int)widest, metric->id, (int)widest_value,
				        value);
			} else {
				widest = width > widest ? width : widest;
				widest_value = value_width > widest_value ? value_width : widest_value;
			}
		}
		if (!pass)
			fprintf(text->out, "\n  %smetrics%s\n", colour_start(text, COLOUR_BOLD), colour_end(text));
	}
	for (const struct report_metric *metric = stage->metrics; zeros && metric; metric = metric->next) {
		if (metric->source == source && (metric->is_ratio ? metric->real == 0 : metric->integer == 0))
			zeros = arena_printf(&text->scratch, "%s%s%s", zeros, *zeros ? ", " : "0: ", metric->id);
	}
	text->failed |= !zeros;
	if (zeros && *zeros) {
		fputs("    ", text->out);
		print_wrapped(text, zeros, INDENT + 3, INDENT);
	}
}

static bool has_metrics(const struct report_stage *stage, uint32_t source)
{
	for (const struct report_metric *metric = stage->metrics; metric; metric = metric->next) {
		if (metric->source == source)
			return true;
	}
	return false;
}

static bool spoke_of(const struct report_stage *stage, uint32_t source)
{
	for (const struct report_check *check = stage->checks; check; check = check->next) {
		if (check->source == source)
			return true;
	}
	for (const struct report_finding *finding = stage->findings; finding; finding = finding->next) {
		if (finding->source == source)
			return true;
	}
	for (const struct report_table *table = stage->tables; table; table = table->next) {
		if (table->source == source)
			return true;
	}
	return has_metrics(stage, source);
}

/* The metrics of the run stand for those of its sources, which -v shows too. */
static void print_said(struct text_out *text, const struct report_stage *stage, uint32_t source)
{
	print_checks(text, stage, source);
	for (const struct report_finding *finding = stage->findings; finding; finding = finding->next) {
		if (finding->source == source)
			print_finding(text, finding);
	}
	for (const struct report_table *table = stage->tables; table; table = table->next) {
		if (table->source == source)
			print_table(text, table);
	}
	if (has_metrics(stage, source) && (source == TAV_RUN || !has_metrics(stage, TAV_RUN) ||
	                                   (text->style->verbosity > 0 && text->report->source_count > 1)))
		print_metrics(text, stage, source);
}

static void print_options(struct text_out *text, const struct report_stage *stage)
{
	const char *line = "";

	for (uint32_t i = 0; line && i < stage->option_count; i++) {
		const struct report_option *option = &stage->options[i];

		if (option->is_given || text->style->verbosity > 0)
			line = arena_printf(&text->scratch, "%s%s%s: %s", line, *line ? ", " : "", option->name,
			                    option->text ? option->text : "");
	}
	text->failed |= !line;
	if (line && *line) {
		fputs("  with  ", text->out);
		print_wrapped(text, line, 8, 8);
	}
}

void print_stage(struct text_out *text, uint32_t number)
{
	const struct report *report = text->report;
	const struct report_stage *stage = &report->stages[number];
	enum verdict verdict = report_stage_verdict(report, number, TAV_RUN);
	bool has_said = spoke_of(stage, TAV_RUN), has_source = false;

	for (uint32_t source = 0; source < report->source_count; source++) {
		has_said |= spoke_of(stage, source);
		has_source |= !report_source_error(&report->sources[source]);
	}
	fprintf(text->out, "\n%s%s%s", colour_start(text, COLOUR_BOLD), safe_chars(text, stage->name),
	        colour_end(text));
	if (stage->id && strcmp(stage->id, stage->name))
		fprintf(text->out, " (%s)", safe_chars(text, stage->id));
	/* What looked at nothing has no good verdict to show. */
	if (verdict != VERDICT_PASS || (has_said && has_source))
		fprintf(text->out, ": %s%s%s", colour_start(text, verdict_colour(verdict)), verdict_word(verdict),
		        colour_end(text));
	else
		fputs(has_source ? ": said nothing" : ": no trace to look at", text->out);
	putc('\n', text->out);
	print_options(text, stage);
	if (stage->error) {
		fprintf(text->out, "  %serror%s  did not finish: ", colour_start(text, COLOUR_RED), colour_end(text));
		print_wrapped(text, stage->error, INDENT, 25);
	}
	for (uint32_t source = 0; source < report->source_count; source++) {
		if (!spoke_of(stage, source))
			continue;
		if (report->source_count > 1) {
			enum verdict of_source = report_stage_verdict(report, number, source);

			fprintf(text->out, "\n %s%s%s: %s%s%s\n", colour_start(text, COLOUR_BOLD),
			        source_name(text, source), colour_end(text),
			        colour_start(text, verdict_colour(of_source)), verdict_word(of_source),
			        colour_end(text));
		}
		print_said(text, stage, source);
	}
	if (report->source_count > 1 && spoke_of(stage, TAV_RUN))
		fprintf(text->out, "\n %sall traces%s\n", colour_start(text, COLOUR_BOLD), colour_end(text));
	print_said(text, stage, TAV_RUN);
}
