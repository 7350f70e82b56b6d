/* SPDX-License-Identifier: Apache-2.0 */
/* The report for a person: sources, stages, and the verdict lines at the end, where a terminal shows them. */
#include <inttypes.h>
#include <string.h>

#include <kit/format.h>
#include <kit/text.h>
#include <report/show.h>
#include <report/text_out.h>
#include <report/text_table.h>
#include <report/waive.h>

const char *colour_start(const struct text_out *text, enum colour colour)
{
	static const char *const codes[] = {"", "\x1b[1m", "\x1b[1;32m", "\x1b[1;33m", "\x1b[1;31m"};

	return text->style->is_coloured ? codes[colour] : "";
}

const char *colour_end(const struct text_out *text)
{
	return text->style->is_coloured ? "\x1b[0m" : "";
}

enum colour verdict_colour(enum verdict verdict)
{
	return verdict == VERDICT_PASS ? COLOUR_GREEN : verdict == VERDICT_WARN ? COLOUR_YELLOW : COLOUR_RED;
}

const char *verdict_word(enum verdict verdict)
{
	static const char *const words[] = {"PASS", "WARN", "FAIL", "ERROR"};

	return words[verdict];
}

const char *got(struct text_out *text, const char *words)
{
	text->failed |= !words;
	return words ? words : "";
}

/* Whoever reads a file, or asked for more, wants names whole. */
static bool is_whole(const struct text_out *text)
{
	return text->style->verbosity > 0 || text->style->is_file;
}

unsigned table_width(const struct text_out *text)
{
	return is_whole(text) ? UINT16_MAX : text->style->width;
}

const char *safe_text(struct text_out *text, struct tav_text raw)
{
	return got(text, is_whole(text) ? show_whole(&text->scratch, raw) : show_text(&text->scratch, raw));
}

const char *safe_chars(struct text_out *text, const char *raw)
{
	return safe_text(text, text_of(raw));
}

void print_words(struct text_out *text, const char *raw, unsigned indent, unsigned column)
{
	text_wrap(text->out, safe_chars(text, raw), indent, column, text->style->width);
}

void print_wrapped(struct text_out *text, const char *raw, unsigned indent, unsigned column)
{
	print_words(text, raw, indent, column);
	putc('\n', text->out);
}

static void print_note(struct text_out *text, const char *kind, const char *line)
{
	fprintf(text->out, "  %s%s%s  ", colour_start(text, COLOUR_YELLOW), kind, colour_end(text));
	print_wrapped(text, got(text, line), 11, 4 + (unsigned)strlen(kind));
}

static const char *note_line(struct text_out *text, const struct report_note *note)
{
	char count[FORMAT_SIZE];

	if (note->count == 1 && note->line)
		return arena_printf(&text->scratch, "%s (line %" PRIu64 ", column %" PRIu64 ", byte %" PRIu64 ")",
		                    note->message, note->line, note->column, note->offset);
	if (note->line)
		return arena_printf(&text->scratch,
		                    "%s (%s times, first at line %" PRIu64 ", column %" PRIu64 ", byte %" PRIu64 ")",
		                    note->message, format_size(count, note->count), note->line, note->column,
		                    note->offset);
	if (note->count > 1)
		return arena_printf(&text->scratch, "%s (%s times)", note->message, format_size(count, note->count));
	return note->message;
}

/* Repairs before warnings, as in the other formats, whatever came first. */
static void print_notes(struct text_out *text, const struct report_source *source)
{
	for (uint32_t i = 0; i < source->doubt_count; i++)
		print_note(text, "doubt", source->doubts[i].message);
	for (unsigned is_repair = 2; is_repair-- > 0;) {
		for (uint32_t i = 0; i < source->note_count; i++) {
			if (source->notes[i].is_repair == (is_repair == 1))
				print_note(text, is_repair ? "repair" : "warning", note_line(text, &source->notes[i]));
		}
	}
}

static void print_read_error(struct text_out *text, const struct report_source *source)
{
	const struct read_error *error = source->read_error;
	const char *path = safe_chars(text, source->path);

	fputs(path, text->out);
	if (error && error->message && error->line)
		fprintf(text->out, ":%" PRIu64 ":%" PRIu64, error->line, error->column);
	fprintf(text->out, ": %serror:%s %s", colour_start(text, COLOUR_RED), colour_end(text),
	        safe_chars(text, report_source_error(source)));
	if (error && error->message && error->line) {
		char count[FORMAT_SIZE];

		fprintf(text->out, " (byte offset %" PRIu64 "; %s event%s read before it)", error->offset,
		        format_size(count, error->events_read), error->events_read == 1 ? " was" : "s were");
	}
	putc('\n', text->out);
	if (error && error->message && error->excerpt) {
		fprintf(text->out, "    %s\n", safe_chars(text, error->excerpt));
		fprintf(text->out, "    %*s%s^%s\n", (int)error->caret, "", colour_start(text, COLOUR_RED),
		        colour_end(text));
	}
}

static void print_source(struct text_out *text, uint32_t number)
{
	const struct report_source *source = &text->report->sources[number];
	const struct tav_source *facts = &source->facts;
	char size[FORMAT_SIZE], count[FORMAT_SIZE];

	if (report_source_error(source)) {
		print_read_error(text, source);
		return;
	}
	fprintf(text->out, "%s%s%s", colour_start(text, COLOUR_BOLD), source_name(text, number), colour_end(text));
	if (source->role && *source->role)
		fprintf(text->out, " (for %s)", safe_chars(text, source->role));
	if (facts->rank >= 0)
		fprintf(text->out, ", rank %" PRId64, facts->rank);
	fprintf(text->out, "\n  input    %s%s, %s, %s event%s\n", name_of(&form_names, facts->form),
	        source->is_gzip ? " in gzip" : "", format_bytes(size, facts->bytes),
	        format_size(count, facts->event_count), facts->event_count == 1 ? "" : "s");
	if (facts->dialect.size) {
		const char *reason = source->dialect_reason;
		const char *line = got(text, arena_printf(&text->scratch, "%s%s%s%s", facts->dialect.data,
		                                          reason && *reason ? " (" : "", reason ? reason : "",
		                                          reason && *reason ? ")" : ""));

		fputs("  dialect  ", text->out);
		print_wrapped(text, line, 11, 11);
	}
	print_notes(text, source);
}

/* A stage behind it sums up what it says of that source. */
static bool is_summed_up(const struct report *report, uint32_t stage, uint32_t source)
{
	for (uint32_t later = stage + 1; later < report->stage_count && source != TAV_RUN; later++) {
		if (report->stages[later].sums_up && told_of(report, source, later)->headline_count)
			return true;
	}
	return false;
}

static void print_headline(struct text_out *text, uint32_t source, const char *line, bool *is_first)
{
	if (source != TAV_RUN && text->report->source_count > 1)
		line = got(text, arena_printf(&text->scratch, "%s: %s", text->names[source], line));
	if (*is_first && text->style->verbosity >= 0)
		putc('\n', text->out);
	*is_first = false;
	fputs(colour_start(text, COLOUR_BOLD), text->out);
	print_words(text, line, 2, 0);
	fprintf(text->out, "%s\n", colour_end(text));
}

/* The sentences that stages want to be read first, and first of all those that sum up; of many sources of the run. */
static void print_headlines(struct text_out *text)
{
	const struct report *report = text->report;
	uint32_t count = text->is_many ? 0 : report->source_count;
	bool is_first = true;

	for (uint32_t place = 0; place < 2 * report->stage_count; place++) {
		uint32_t stage = place % report->stage_count;

		if (report->stages[stage].sums_up != (place < report->stage_count))
			continue;
		for (uint32_t i = 0; i <= count; i++) {
			uint32_t source = i < count ? i : TAV_RUN;
			const struct stage_results *told = told_of(report, source, stage);

			if (text->style->verbosity < 0 && is_summed_up(report, stage, source))
				continue;
			for (uint32_t j = 0; j < told->headline_count; j++)
				print_headline(text, source, told->headlines[j].text.data, &is_first);
		}
	}
}

/* A stage that did not end well says so wherever it was asked. */
static void print_failure(struct text_out *text, const struct report_stage *stage, const struct stage_results *told,
                          const char **separator)
{
	if (!told->error)
		return;
	fprintf(text->out, "%sstage '%s' did not finish: %s", *separator,
	        safe_chars(text, stage->id ? stage->id : stage->name), safe_chars(text, told->error));
	*separator = "; ";
}

/* What one stage says of a source in a few words: how much it looked at, and what is wrong. */
static void print_said(struct text_out *text, uint32_t stage, uint32_t source, const char **separator)
{
	const struct stage_results *told = told_of(text->report, source, stage);
	uint32_t worst = 0; /* severity that a check has told of already */
	bool is_brief = is_summed_up(text->report, stage, source);

	print_failure(text, &text->report->stages[stage], told, separator);
	if (text->report->stages[stage].sums_up && source != TAV_RUN && told->headline_count) {
		fprintf(text->out, "%s%s", *separator, safe_text(text, told->headlines[0].text));
		*separator = "; ";
	}
	for (uint32_t i = 0; i < told->check_count; i++) {
		const struct tav_check_result *check = told->checks[i];
		bool is_waived = check_is_waived(check);
		bool is_wrong = check->result == TAV_RESULT_WARN || check->result == TAV_RESULT_FAIL;
		uint32_t severity = check->result == TAV_RESULT_FAIL ? TAV_SEV_ERROR : TAV_SEV_WARNING;

		if (is_wrong && severity > worst)
			worst = severity;
		if (((i || is_brief) && !is_wrong) || (!is_wrong && !check->why.size))
			continue;
		fprintf(text->out, "%s%s%s", *separator, safe_text(text, check->why.size ? check->why : check->id),
		        is_waived ? " (waived)" : "");
		*separator = "; ";
	}
	for (uint32_t i = 0; i < told->finding_count; i++) {
		const struct tav_finding_result *finding = &told->findings[i]->shown;

		if (finding->severity == TAV_SEV_NOTE || finding->severity <= worst)
			continue;
		fprintf(text->out, "%s%s%s", *separator, safe_text(text, finding->message),
		        finding_is_waived(finding) ? " (waived)" : "");
		*separator = "; ";
	}
}

static void print_waived(struct text_out *text, uint64_t waived, const char *separator)
{
	char count[FORMAT_SIZE];

	if (waived)
		fprintf(text->out, "%s%s waived", separator, format_size(count, waived));
}

static void print_verdict(struct text_out *text, enum verdict verdict)
{
	fprintf(text->out, "%s%-5s%s ", colour_start(text, verdict_colour(verdict)), verdict_word(verdict),
	        colour_end(text));
}

/* Did a stage tell of it in its own words? */
static bool is_told(const struct report_source *source, const char *id)
{
	for (uint32_t stage = 0; stage < source->results.stage_count; stage++) {
		if (results_find_finding(&source->results, stage, id))
			return true;
	}
	return false;
}

/* Why a source is doubted, in a few words. */
static void print_doubts(struct text_out *text, const struct report_source *source, const char **separator)
{
	char count[FORMAT_SIZE];
	uint32_t warnings = 0; /* repairs are among the doubts */

	for (uint32_t i = 0; i < source->doubt_count; i++) {
		if (is_told(source, source->doubts[i].id))
			continue;
		fprintf(text->out, "%s%s", *separator, safe_chars(text, source->doubts[i].message));
		*separator = "; ";
	}
	for (uint32_t i = 0; i < source->note_count; i++)
		warnings += !source->notes[i].is_repair;
	if (warnings) {
		fprintf(text->out, "%s%s warning%s about the input", *separator, format_size(count, warnings),
		        warnings == 1 ? "" : "s");
		*separator = "; ";
	}
}

static void print_source_line(struct text_out *text, uint32_t number)
{
	const struct report *report = text->report;
	const struct report_source *source = &report->sources[number];
	const char *error = report_source_error(source), *separator = "";
	char count[FORMAT_SIZE];

	print_verdict(text, text->verdicts[number]);
	fputs(source_name(text, number), text->out);
	if (report->source_count > 1 && source->is_read && source->facts.rank >= 0)
		fprintf(text->out, " (rank %" PRId64 ")", source->facts.rank);
	fputs(": ", text->out);
	if (error) {
		const struct read_error *place = source->read_error;

		fputs(safe_chars(text, error), text->out);
		if (place && place->message && place->line)
			fprintf(text->out, " at line %" PRIu64 ", column %" PRIu64 " (byte offset %" PRIu64 ")",
			        place->line, place->column, place->offset);
	} else {
		for (uint32_t stage = 0; stage < report->stage_count; stage++)
			print_said(text, stage, number, &separator);
		if (!*separator) {
			fprintf(text->out, "%s event%s", format_size(count, source->facts.event_count),
			        source->facts.event_count == 1 ? "" : "s");
			separator = "; ";
		}
		print_doubts(text, source, &separator);
		print_waived(text, source_waived(report, number), separator);
	}
	putc('\n', text->out);
	arena_fini(&text->scratch);
}

/* The run's own line; a run over one source that says the same needs none. */
static void print_run_line(struct text_out *text)
{
	const struct report *report = text->report;
	enum verdict verdict = report_verdict(report);
	uint32_t counts[VERDICT_ERROR + 1] = {0};
	const char *separator = ": ";
	bool has_error = report->error != NULL;
	char count[FORMAT_SIZE];

	for (uint32_t stage = 0; stage < report->stage_count; stage++)
		has_error |= told_of(report, TAV_RUN, stage)->error != NULL;
	/* A stage that had nothing to run on says no more than the trace that could not be read. */
	if (report->source_count == 1 && text->verdicts[0] == verdict &&
	    (!has_error || report_source_error(&report->sources[0])))
		return;
	for (uint32_t source = 0; source < report->source_count; source++)
		counts[text->verdicts[source]]++;
	print_verdict(text, verdict);
	fprintf(text->out, "run of %s trace%s", format_size(count, report->source_count),
	        report->source_count == 1 ? "" : "s");
	for (unsigned i = 0; i <= VERDICT_ERROR; i++) {
		if (counts[i]) {
			fprintf(text->out, "%s%s %s", separator, format_size(count, counts[i]),
			        verdict_word((enum verdict)i));
			separator = ", ";
		}
	}
	separator = "; ";
	if (report->error)
		fprintf(text->out, "; %s", safe_chars(text, report->error));
	for (uint32_t i = report->source_count; i < report->source_count + report->baseline_count; i++) {
		if (report_source_error(&report->sources[i]))
			fprintf(text->out, "; %s %s could not be read", safe_chars(text, report->sources[i].role),
			        source_name(text, i));
	}
	for (uint32_t stage = 0; stage < report->stage_count; stage++)
		print_said(text, stage, TAV_RUN, &separator);
	print_waived(text, report_waived(report), "; ");
	putc('\n', text->out);
}

static const char *joined(struct text_out *text, const char *const *patterns)
{
	const char *line = "";

	for (uint32_t i = 0; patterns[i]; i++)
		line = got(text, arena_printf(&text->scratch, "%s%s%s", line, i ? ", " : "", patterns[i]));
	return line;
}

/* What each waiver takes, the others too: who reads it knows which can go. */
static void print_waivers(struct text_out *text)
{
	const struct report *report = text->report;
	char count[FORMAT_SIZE];

	if (report->waiver_count)
		fprintf(text->out, "\n%swaivers%s\n", colour_start(text, COLOUR_BOLD), colour_end(text));
	for (uint32_t i = 0; i < report->waiver_count; i++) {
		const struct waiver *waiver = &report->waivers[i];
		const char *line = arena_printf(
		        &text->scratch, "%s %s%s%s%s%s%s%s, until %s: %s (%s, line %" PRIu32 ")",
		        joined(text, waiver->stages), joined(text, waiver->ids), *waiver->names ? ", names " : "",
		        joined(text, waiver->names), *waiver->streams ? ", stream " : "", joined(text, waiver->streams),
		        *waiver->traces ? ", trace " : "", joined(text, waiver->traces), waiver->until, waiver->reason,
		        waiver->file, waiver->line);

		if (waiver->state == WAIVER_USED)
			fprintf(text->out, "  %s waived  ", format_size(count, waiver->count));
		else
			fprintf(text->out, "  %s%-8s%s  ", colour_start(text, COLOUR_YELLOW),
			        name_of(&waiver_names, waiver->state), colour_end(text));
		print_wrapped(text, got(text, line), 12, 12);
		arena_fini(&text->scratch);
	}
}

static void print_in_full(struct text_out *text)
{
	const struct report *report = text->report;

	fprintf(text->out, "tav %s, pipeline %s\n", safe_chars(text, report->tool_version),
	        safe_chars(text, report->pipeline));
	print_headlines(text);
	if (text->is_many)
		print_many(text);
	for (uint32_t i = 0; i < text->shown_count; i++) {
		putc('\n', text->out);
		print_source(text, text->shown[i]);
		arena_fini(&text->scratch);
	}
	for (uint32_t i = 0; i < report->baseline_count; i++) {
		putc('\n', text->out);
		print_source(text, report->source_count + i);
	}
	for (uint32_t stage = 0; stage < report->stage_count; stage++)
		print_stage(text, stage);
	print_waivers(text);
	putc('\n', text->out);
}

bool write_text(const struct report *report, const struct report_style *style, FILE *out)
{
	struct text_out text = {.report = report, .style = style, .out = out};
	uint32_t wrong = 0;
	char count[FORMAT_SIZE];

	if (choose_sources(&text) && name_sources(&text)) {
		if (style->verbosity >= 0)
			print_in_full(&text);
		else
			print_headlines(&text);
		for (uint32_t i = 0; i < text.shown_count; i++)
			print_source_line(&text, text.shown[i]);
		for (uint32_t i = 0; i < report->source_count; i++)
			wrong += text.verdicts[i] != VERDICT_PASS;
		if (text.is_many && wrong > text.shown_count)
			fprintf(out, "      ... and %s more that did not pass\n",
			        format_size(count, wrong - text.shown_count));
		print_run_line(&text);
	}
	arena_fini(&text.scratch);
	arena_fini(&text.kept);
	return !text.failed;
}
