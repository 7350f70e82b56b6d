/* SPDX-License-Identifier: Apache-2.0 */
/* The text writer's part about stages: checks, findings with their events, tables, metrics. */
#include <inttypes.h>
#include <string.h>

#include <kit/format.h>
#include <kit/text.h>
#include <report/shorten.h>
#include <report/show.h>
#include <report/text_out.h>
#include <report/text_table.h>
#include <report/waive.h>

enum { SHOWN_INSTANCES = 10, SHOWN_PAIRS = 3 /* of several events each */, INDENT = 4 };

/* A finding of its id, which says by which waiver. */
static bool finding_of_check(const struct stage_results *told, const struct tav_check_result *check)
{
	for (uint32_t i = 0; i < told->finding_count; i++) {
		if (text_equals(told->findings[i]->shown.id, check->id))
			return finding_is_waived(&told->findings[i]->shown);
	}
	return false;
}

static void print_checks(struct text_out *text, const struct stage_results *told)
{
	static const struct {
		const char *word;
		enum colour colour;
	} results[] = {{"ok", COLOUR_GREEN}, {"warn", COLOUR_YELLOW}, {"FAIL", COLOUR_RED}, {"skip", COLOUR_NONE}};
	static const char waived[] = "waived";
	unsigned widest = 0, word_width = 4;

	for (uint32_t i = 0; i < told->check_count; i++) {
		widest = told->checks[i]->id.size > widest ? (unsigned)told->checks[i]->id.size : widest;
		if (check_is_waived(told->checks[i]))
			word_width = sizeof(waived) - 1;
	}
	for (uint32_t i = 0; i < told->check_count; i++) {
		const struct tav_check_result *check = told->checks[i];
		unsigned result = check->result - TAV_RESULT_PASS, column = widest + word_width + 6;
		bool is_waived = check_is_waived(check);

		fprintf(text->out, "  %s%-*s%s  %-*s  ",
		        colour_start(text, is_waived ? COLOUR_NONE : results[result].colour), (int)word_width,
		        is_waived ? waived : results[result].word, colour_end(text), (int)widest, check->id.data);
		print_wrapped(text, check->why.data, column, column);
		if (is_waived && !finding_of_check(told, check)) {
			fprintf(text->out, "%*s", (int)column, "");
			print_wrapped(text, got(text, show_waiver(&text->scratch, text->report, check_waiver(check))),
			              column, column);
		}
	}
}

/* The events of an instance stand below what was measured of it: the name on a line of its own, since names are long.
 */
static void print_instances(struct text_out *text, const struct tav_finding_result *finding, uint64_t shown)
{
	bool has_source = finding->source == TAV_RUN && text->report->source_count > 1;
	const struct waived *waived = finding_waived(finding);
	bool is_marked = waived->instances && waived->count < finding->count;
	unsigned indent = INDENT + 4;

	for (uint64_t i = 0; i < shown; i++) {
		fprintf(text->out, "%*s%2" PRIu64 "  ", INDENT, "", i + 1);
		const char *measures = got(text, show_measures(&text->scratch, finding, i));
		if (is_marked && waived->instances[i])
			measures =
			        got(text, arena_printf(&text->scratch, "%s%swaived", measures, *measures ? ", " : ""));
		if (*measures)
			print_wrapped(text, measures, indent, indent);
		for (uint32_t j = 0; j < finding->events_each; j++) {
			const struct tav_event *event = &finding->events[i * finding->events_each + j];
			const char *name = event->name.size ? safe_text(text, event->name) : "(no name)";
			const char *facts = got(text, show_event_facts(&text->scratch, text->report, event));

			if (j || *measures)
				fprintf(text->out, "%*s", (int)indent, "");
			unsigned width = table_width(text) > indent ? table_width(text) - indent : 0;
			fprintf(text->out, "%s\n%*s", got(text, text_shorten(&text->scratch, name, width)),
			        (int)indent + 2, "");
			if (has_source)
				facts = got(text, arena_printf(&text->scratch, "%s, %s",
				                               source_name(text, event->source), facts));
			print_wrapped(text, facts, indent + 2, indent + 2);
		}
	}
}

/* Is this one of the columns, as seen with this verbosity? */
static bool is_column(const struct text_out *text, const uint32_t *shows, uint32_t i)
{
	if (!shows || shows[i] == TAV_SHOW_COLUMN || shows[i] == TAV_SHOW_KEY)
		return true;
	return shows[i] == TAV_SHOW_DETAIL && text->style->verbosity > 0;
}

/* The head of a column without its unit, unless another is headed so. */
static const char *head_of(struct text_out *text, const struct tav_column_result *series, uint32_t count, uint32_t i)
{
	const char *head = got(text, show_head(&text->scratch, &series[i]));

	for (uint32_t j = 0; j < count && strlen(head) < series[i].name.size; j++) {
		if (j != i && !strcmp(head, got(text, show_head(&text->scratch, &series[j]))))
			return got(text, show_text(&text->scratch, series[i].name));
	}
	return head;
}

static const char *cell_of(struct text_out *text, const struct tav_column_result *column, uint64_t row, bool is_exact)
{
	struct tav_text raw = {"", 0};

	if (column->type == TAV_TYPE_STRING)
		raw = ((const struct tav_text *)column->data)[row];
	else if (column->type == TAV_TYPE_REF)
		raw = ((const struct tav_event *)column->data)[row].name;
	if (raw.size && bit_is_set(column->present, row))
		return safe_text(text, raw);
	return got(text, show_value(&text->scratch, column, row, is_exact));
}

/*
 * Rows as a table: of instances without events what was measured, or a table of the stage. `shows`: what becomes of
 * each series, see TAV_SHOW_...; NULL: a column.
 */
static void print_series(struct text_out *text, const struct tav_column_result *series, const uint32_t *shows,
                         uint32_t count, uint64_t rows, bool is_exact)
{
	struct text_table table;
	uint32_t columns = 0, column = 0;

	for (uint32_t i = 0; i < count; i++)
		columns += is_column(text, shows, i);
	text_table_init(&table, &text->scratch, columns);
	for (uint32_t i = 0; i < count; i++) {
		bool is_text = series[i].type == TAV_TYPE_STRING || series[i].type == TAV_TYPE_REF;

		if (is_column(text, shows, i))
			text_table_head(&table, column++,
			                (struct text_column){head_of(text, series, count, i), !is_text,
			                                     .least = is_text ? 16 : 0,
			                                     .is_key = shows && shows[i] == TAV_SHOW_KEY});
	}
	for (uint64_t row = 0; row < rows; row++) {
		text_table_row(&table);
		column = 0;
		for (uint32_t i = 0; i < count; i++) {
			const char *value = cell_of(text, &series[i], row, is_exact);

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

/* Has the line of a check said it already? */
static bool is_said(const struct stage_results *told, const struct tav_finding_result *finding)
{
	for (uint32_t i = 0; i < told->check_count; i++) {
		const struct tav_check_result *check = told->checks[i];

		if (check->why.size == finding->message.size && !strcmp(check->id.data, finding->id.data) &&
		    !memcmp(check->why.data, finding->message.data, finding->message.size))
			return true;
	}
	return false;
}

static void print_finding(struct text_out *text, const struct stage_results *told,
                          const struct tav_finding_result *finding)
{
	bool is_waived = finding_is_waived(finding);
	enum colour colour = is_waived                              ? COLOUR_NONE
	                     : finding->severity == TAV_SEV_ERROR   ? COLOUR_RED
	                     : finding->severity == TAV_SEV_WARNING ? COLOUR_YELLOW
	                                                            : COLOUR_NONE;
	const char *severity = is_waived ? "waived" : name_of(&severity_names, finding->severity);
	const char *waived = got(text, show_waived(&text->scratch, text->report, finding));
	uint64_t shown = finding->instance_count;
	char count[FORMAT_SIZE];
	bool is_repeated = is_said(told, finding);

	if (is_repeated && !shown && !finding->remedy.size && !*waived)
		return;
	fprintf(text->out, "\n  %s%s%s  ", colour_start(text, colour), severity, colour_end(text));
	const char *message = got(text, show_message(&text->scratch, finding));
	if (is_repeated)
		message = shown ? "" : finding->remedy.data;
	print_wrapped(
	        text,
	        got(text, arena_printf(&text->scratch, "%s:%s%s", finding->id.data, *message ? " " : "", message)),
	        INDENT, 4 + (unsigned)strlen(severity));
	if (*waived) {
		fprintf(text->out, "%*s", INDENT, "");
		print_words(text, waived, INDENT, INDENT);
		putc('\n', text->out);
	}
	uint64_t enough = finding->events_each > 1 ? SHOWN_PAIRS : SHOWN_INSTANCES;
	if (shown > enough && text->style->verbosity < 1)
		shown = enough;
	if (shown && finding->events_each)
		print_instances(text, finding, shown);
	else if (shown && finding->measure_count)
		print_series(text, finding->measures, NULL, finding->measure_count, shown, true);
	if (finding->count > shown && shown) {
		fprintf(text->out, "%*s", INDENT, "");
		print_wrapped(text,
		              got(text, arena_printf(&text->scratch, "... and %s more%s",
		                                     format_size(count, finding->count - shown),
		                                     shown < finding->instance_count
		                                             ? " (-v or --report json=PATH lists more of them)"
		                                             : "")),
		              INDENT, INDENT);
	}
	if (finding->remedy.size && !(is_repeated && !shown)) {
		fprintf(text->out, "%*s", INDENT, "");
		print_wrapped(text, finding->remedy.data, INDENT, INDENT);
	}
}

/* Which option of the stage shows more rows than it handed over: by custom it is called `top`. */
static bool has_top(const struct report_stage *stage)
{
	for (uint32_t i = 0; i < stage->option_count; i++) {
		if (!strcmp(stage->options[i].name, "top"))
			return true;
	}
	return false;
}

static void print_table(struct text_out *text, const struct report_stage *stage, const struct result_table *given)
{
	const struct tav_table_result *table = &given->shown;
	uint64_t shown = table->row_count;
	char count[FORMAT_SIZE];
	bool has_column = false, is_empty = !table->row_count && !table->omitted_count;

	for (uint32_t i = 0; i < table->column_count; i++)
		has_column |= is_column(text, given->shows, i);
	if (!has_column || given->show == TAV_SHOW_DATA)
		return;
	if (given->first_rows && shown > given->first_rows && text->style->verbosity < 1)
		shown = given->first_rows;
	fprintf(text->out, "\n  %s", colour_start(text, COLOUR_BOLD));
	print_wrapped(text,
	              got(text, arena_printf(&text->scratch, "%s%s", table->title.data, is_empty ? ": none" : "")), 2,
	              2);
	fputs(colour_end(text), text->out);
	if (is_empty)
		return;
	print_series(text, table->columns, given->shows, table->column_count, shown, false);
	if (shown < table->row_count)
		fprintf(text->out, "%*s... and %s more (-v or --report json=PATH lists more of them)\n", INDENT, "",
		        format_size(count, table->row_count - shown + table->omitted_count));
	else if (table->omitted_count)
		fprintf(text->out, "%*s... and %s more%s%s%s\n", INDENT, "", format_size(count, table->omitted_count),
		        has_top(stage) ? " (--set " : "", has_top(stage) ? safe_chars(text, stage->id) : "",
		        has_top(stage) ? ".top=N shows more)" : "");
}

/* Metrics that are zero say little: they share a line, and stand there with -v only. */
static void print_metrics(struct text_out *text, const struct stage_results *told)
{
	const char *zeros = "";
	unsigned widest = 0, widest_value = 0;

	for (unsigned pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < told->metric_count; i++) {
			const struct tav_metric_result *metric = &told->metrics[i]->shown;

			if (metric_is_zero(metric))
				continue;
			const char *value = got(text, show_metric(&text->scratch, metric, true));
			unsigned width = (unsigned)metric->id.size, value_width = (unsigned)strlen(value);
			if (pass) {
				fprintf(text->out, "    %-*s  %*s\n", (int)widest, metric->id.data, (int)widest_value,
				        value);
			} else {
				widest = width > widest ? width : widest;
				widest_value = value_width > widest_value ? value_width : widest_value;
			}
		}
		if (!pass && (widest || text->style->verbosity > 0))
			fprintf(text->out, "\n  %smetrics%s\n", colour_start(text, COLOUR_BOLD), colour_end(text));
	}
	for (uint32_t i = 0; text->style->verbosity > 0 && i < told->metric_count; i++) {
		if (metric_is_zero(&told->metrics[i]->shown))
			zeros = got(text, arena_printf(&text->scratch, "%s%s%s", zeros,
			                               *zeros ? ", " : "0: ", told->metrics[i]->shown.id.data));
	}
	if (*zeros) {
		fputs("    ", text->out);
		print_wrapped(text, zeros, INDENT + 3, INDENT);
	}
}

static bool has_told(const struct stage_results *told)
{
	return told->check_count || told->finding_count || told->table_count || told->metric_count || told->error ||
	       told->skipped;
}

static void print_failure(struct text_out *text, const struct stage_results *told)
{
	if (told->error) {
		fprintf(text->out, "  %serror%s  did not finish: ", colour_start(text, COLOUR_RED), colour_end(text));
		print_wrapped(text, told->error, INDENT, 25);
	}
	if (told->skipped) {
		fprintf(text->out, "  skip   ");
		print_wrapped(text, told->skipped, INDENT, 9);
	}
}

/* The metrics of the run stand for those of its sources, which -v shows too. */
static void print_told(struct text_out *text, uint32_t stage, uint32_t source)
{
	const struct stage_results *told = told_of(text->report, source, stage);
	const struct stage_results *of_run = told_of(text->report, TAV_RUN, stage);

	print_failure(text, told);
	print_checks(text, told);
	for (uint32_t i = 0; i < told->finding_count; i++)
		print_finding(text, told, &told->findings[i]->shown);
	for (uint32_t i = 0; i < told->table_count; i++)
		print_table(text, &text->report->stages[stage], told->tables[i]);
	if (told->metric_count && (source == TAV_RUN || !of_run->metric_count ||
	                           (text->style->verbosity > 0 && text->report->source_count > 1)))
		print_metrics(text, told);
	arena_fini(&text->scratch);
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

static void print_stage_verdict(struct text_out *text, enum verdict verdict, uint64_t waived)
{
	char count[FORMAT_SIZE];

	fprintf(text->out, ": %s%s%s", colour_start(text, verdict_colour(verdict)), verdict_word(verdict),
	        colour_end(text));
	if (waived)
		fprintf(text->out, ", %s waived", format_size(count, waived));
}

/* The heading of a stage, with what it makes of all: what looked at nothing has no verdict. */
static void print_heading(struct text_out *text, uint32_t number)
{
	const struct report *report = text->report;
	const struct report_stage *stage = &report->stages[number];
	bool has_said = has_told(told_of(report, TAV_RUN, number)), has_source = false;
	enum verdict verdict;

	for (uint32_t source = 0; source < report->source_count; source++) {
		has_said |= has_told(told_of(report, source, number));
		has_source |= !report_source_error(&report->sources[source]);
	}
	fprintf(text->out, "\n%s%s%s", colour_start(text, COLOUR_BOLD), safe_chars(text, stage->name),
	        colour_end(text));
	if (stage->id && strcmp(stage->id, stage->name))
		fprintf(text->out, " (%s)", safe_chars(text, stage->id));
	if (report_stage_verdict_of_all(report, number, &verdict) && (has_source || verdict != VERDICT_PASS))
		print_stage_verdict(text, verdict, stage_waived_of_all(report, number));
	else if (!has_said || !has_source)
		fputs(has_source ? ": said nothing" : ": no trace to look at", text->out);
	putc('\n', text->out);
	print_options(text, stage);
}

void print_stage(struct text_out *text, uint32_t number)
{
	const struct report *report = text->report;

	print_heading(text, number);
	for (uint32_t i = 0; i < text->shown_count; i++) {
		uint32_t source = text->shown[i];
		enum verdict verdict;

		if (!has_told(told_of(report, source, number)))
			continue;
		if (report->source_count > 1) {
			fprintf(text->out, "\n %s%s%s", colour_start(text, COLOUR_BOLD), source_name(text, source),
			        colour_end(text));
			if (report_stage_verdict(report, number, source, &verdict))
				print_stage_verdict(text, verdict, stage_waived(report, number, source));
			putc('\n', text->out);
		}
		print_told(text, number, source);
	}
	if (report->source_count > 1 && has_told(told_of(report, TAV_RUN, number)))
		fprintf(text->out, "\n %sall traces%s\n", colour_start(text, COLOUR_BOLD), colour_end(text));
	print_told(text, number, TAV_RUN);
}
