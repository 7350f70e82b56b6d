/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For a pull request: the verdict, one line for each source, what is wrong with its remedy, and the tables collapsed.
 * Bounded, for servers take no more than 64 KiB; what did not fit is said.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <kit/format.h>
#include <kit/memory_file.h>
#include <kit/text.h>
#include <report/facts_of.h>
#include <report/show.h>
#include <report/waive.h>
#include <report/writers.h>

enum { MOST_BYTES = 58 << 10, MOST_ROWS = 15, MOST_COLUMNS = 8 };

struct markdown {
	const struct report *report;
	struct arena scratch;
	struct memory_file block; /* under way */
	FILE *out;                /* its stream */
	FILE *page;
	size_t written;
	uint64_t left_out; /* blocks that did not fit */
	bool failed;
};

static void begin(struct markdown *markdown)
{
	markdown->block.size = 0;
}

/* A block is whole or absent. */
static void end(struct markdown *markdown)
{
	markdown->failed |= !memory_file_flush(&markdown->block);
	if (!markdown->failed && markdown->written + markdown->block.size <= MOST_BYTES) {
		fwrite(markdown->block.text, 1, markdown->block.size, markdown->page);
		markdown->written += markdown->block.size;
	} else {
		markdown->left_out++;
	}
	arena_fini(&markdown->scratch);
}

/* Text of a trace must not become markup. */
static void put(struct markdown *markdown, const char *text)
{
	markdown->failed |= !text;
	for (; text && *text && markdown->out; text++) {
		if (*text == '@') { /* a name in a trace must not call a person */
			fputs("&#64;", markdown->out);
			continue;
		}
		if (strchr("\\`*_{}[]<>#|~&", *text))
			putc('\\', markdown->out);
		putc(*text == '\n' ? ' ' : *text, markdown->out);
	}
}

static void put_chars(struct markdown *markdown, const char *chars)
{
	put(markdown, show_chars(&markdown->scratch, chars));
}

static void put_raw(struct markdown *markdown, const char *text)
{
	if (markdown->out)
		fputs(text, markdown->out);
}

static const char *mark_of(enum verdict verdict)
{
	static const char *const marks[] = {":white_check_mark: pass", ":warning: warn", ":x: fail",
	                                    ":no_entry: error"};

	return marks[verdict];
}

static void put_headlines(struct markdown *markdown, uint32_t source)
{
	const struct report *report = markdown->report;

	for (uint32_t stage = 0; stage < report->stage_count; stage++) {
		const struct stage_results *told = told_of(report, source, stage);

		for (uint32_t i = 0; i < told->headline_count; i++) {
			put_raw(markdown, "- ");
			put(markdown, show_text(&markdown->scratch, told->headlines[i].text));
			put_raw(markdown, "\n");
		}
	}
}

static void put_head(struct markdown *markdown)
{
	const struct report *report = markdown->report;
	char count[FORMAT_SIZE];

	begin(markdown);
	put_raw(markdown, "### tav: ");
	put_raw(markdown, mark_of(report_verdict(report)));
	if (report_waived(report) && markdown->out)
		fprintf(markdown->out, ", %s waived", format_size(count, report_waived(report)));
	put_raw(markdown, " (");
	put_chars(markdown, report->pipeline);
	put_raw(markdown, ")\n\n");
	if (report->error) {
		put_chars(markdown, report->error);
		put_raw(markdown, "\n\n");
	}
	put_headlines(markdown, TAV_RUN);
	if (report->source_count == 1)
		put_headlines(markdown, 0);
	put_raw(markdown, "\n");
	end(markdown);
}

static void put_sources(struct markdown *markdown)
{
	const struct report *report = markdown->report;
	char count[FORMAT_SIZE];

	begin(markdown);
	put_raw(markdown, "| verdict | trace | rank | events | device events |\n|---|---|---:|---:|---:|\n");
	for (uint32_t i = 0; i < report->source_count; i++) {
		const struct report_source *source = &report->sources[i];

		if (!memory_file_flush(&markdown->block) || markdown->block.size > MOST_BYTES / 3) {
			fprintf(markdown->out, "| | ... and %s more | | | |\n",
			        format_size(count, report->source_count - i));
			break;
		}
		put_raw(markdown, "| ");
		put_raw(markdown, mark_of(report_source_verdict(report, i)));
		put_raw(markdown, " | ");
		put_chars(markdown, source->path);
		if (markdown->out && source->is_read && source->facts.rank >= 0)
			fprintf(markdown->out, " | %" PRId64 " | ", source->facts.rank);
		else
			put_raw(markdown, " | - | ");
		put_raw(markdown, source->is_read ? format_size(count, source->facts.event_count) : "-");
		put_raw(markdown, " | ");
		put_raw(markdown, source->is_read ? format_size(count, source->facts.device_event_count) : "-");
		put_raw(markdown, " |\n");
	}
	put_raw(markdown, "\n");
	end(markdown);
}

static bool put_fact(void *user, const struct fact *fact)
{
	static const char *const marks[] = {"", ":x:", ":warning:", ":information_source:"};
	struct markdown *markdown = user;
	const struct report *report = markdown->report;

	begin(markdown);
	put_raw(markdown, "- ");
	put_raw(markdown, fact->waiver ? ":heavy_minus_sign:" : marks[fact->level]);
	put_raw(markdown, " **");
	put_chars(markdown, fact->stage == TAV_NONE ? "tav" : report->stages[fact->stage].id);
	put_raw(markdown, " ");
	put(markdown, show_text(&markdown->scratch, fact->id));
	put_raw(markdown, "** ");
	if (fact->source != TAV_RUN && report->source_count > 1) {
		put_chars(markdown, report->sources[fact->source].path);
		put_raw(markdown, ": ");
	}
	if (fact->message)
		put_chars(markdown, fact->message);
	else if (fact->check && fact->check->why.size)
		put(markdown, show_text(&markdown->scratch, fact->check->why));
	else if (fact->finding)
		put(markdown, show_message(&markdown->scratch, fact->finding));
	const char *waived = fact->finding ? show_waived(&markdown->scratch, report, fact->finding) : "";
	if (fact->waiver)
		waived = show_waiver(&markdown->scratch, report, fact->waiver);
	if (!waived || *waived) {
		put_raw(markdown, "  \n  ");
		put(markdown, waived);
	}
	if (fact->finding && fact->finding->remedy.size && !fact->waiver) {
		put_raw(markdown, "  \n  ");
		put(markdown, show_text(&markdown->scratch, fact->finding->remedy));
	}
	put_raw(markdown, "\n");
	end(markdown);
	return !markdown->failed;
}

static bool is_shown(const struct result_table *table, uint32_t column)
{
	return table->shows[column] == TAV_SHOW_COLUMN || table->shows[column] == TAV_SHOW_KEY;
}

static void put_row(struct markdown *markdown, const struct result_table *table, uint64_t row)
{
	uint32_t shown = 0;

	for (uint32_t i = 0; i < table->shown.column_count && shown < MOST_COLUMNS; i++) {
		if (!is_shown(table, i))
			continue;
		put_raw(markdown, "| ");
		put(markdown, show_value(&markdown->scratch, &table->shown.columns[i], row, false));
		put_raw(markdown, " ");
		shown++;
	}
	put_raw(markdown, "|\n");
}

static void put_table(struct markdown *markdown, const struct result_table *table)
{
	uint32_t shown = 0;
	char count[FORMAT_SIZE];

	for (uint32_t i = 0; i < table->shown.column_count; i++)
		shown += is_shown(table, i);
	if (!shown || !table->shown.row_count || table->show == TAV_SHOW_DATA)
		return;
	begin(markdown);
	put_raw(markdown, "\n<details><summary>");
	put(markdown, show_text(&markdown->scratch, table->shown.title));
	put_raw(markdown, "</summary>\n\n");
	shown = 0;
	for (uint32_t i = 0; i < table->shown.column_count && shown < MOST_COLUMNS; i++) {
		if (!is_shown(table, i))
			continue;
		put_raw(markdown, "| ");
		put(markdown, show_head(&markdown->scratch, &table->shown.columns[i]));
		put_raw(markdown, " ");
		shown++;
	}
	put_raw(markdown, "|\n");
	for (uint32_t i = 0; i < shown; i++)
		put_raw(markdown, "|---");
	put_raw(markdown, "|\n");
	uint64_t rows = table->shown.row_count < MOST_ROWS ? table->shown.row_count : MOST_ROWS;
	for (uint64_t row = 0; row < rows; row++)
		put_row(markdown, table, row);
	if (rows < table->shown.row_count)
		fprintf(markdown->out, "\n%s more rows in the JSON report.\n",
		        format_size(count, table->shown.row_count - rows));
	put_raw(markdown, "\n</details>\n");
	end(markdown);
}

static void put_tables(struct markdown *markdown, uint32_t source)
{
	const struct report *report = markdown->report;

	for (uint32_t stage = 0; stage < report->stage_count; stage++) {
		const struct stage_results *told = told_of(report, source, stage);

		for (uint32_t i = 0; i < told->table_count; i++)
			put_table(markdown, told->tables[i]);
	}
}

static void put_waivers(struct markdown *markdown)
{
	const struct report *report = markdown->report;
	char count[FORMAT_SIZE];

	begin(markdown);
	for (uint32_t i = 0; i < report->waiver_count; i++) {
		const struct waiver *waiver = &report->waivers[i];

		if (waiver->state == WAIVER_USED)
			continue;
		put_raw(markdown, "- :warning: **tav waiver** ");
		put_raw(markdown, name_of(&waiver_names, waiver->state));
		put_raw(markdown, ": ");
		put_chars(markdown, waiver->file);
		put_raw(markdown, ", line ");
		put_raw(markdown, format_size(count, waiver->line));
		put_raw(markdown, ", ");
		put(markdown, show_until(&markdown->scratch, waiver));
		put_raw(markdown, "\n");
	}
	end(markdown);
}

bool write_markdown(const struct report *report, const struct report_style *style, FILE *out)
{
	struct markdown markdown = {.report = report, .page = out};

	(void)style;
	if (!memory_file_open(&markdown.block))
		return false;
	markdown.out = markdown.block.out;
	put_head(&markdown);
	put_sources(&markdown);
	report_each_fact(report, put_fact, &markdown);
	if (report->waiver_count)
		put_waivers(&markdown);
	put_tables(&markdown, TAV_RUN);
	for (uint32_t i = 0; i < report->source_count && report->source_count <= 8; i++)
		put_tables(&markdown, i);
	if (markdown.left_out)
		fprintf(out, "\n%" PRIu64 " more parts did not fit: the JSON report has them.\n", markdown.left_out);
	arena_fini(&markdown.scratch);
	markdown.failed |= !memory_file_close(&markdown.block);
	free(markdown.block.text);
	return !markdown.failed;
}
