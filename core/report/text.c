/* SPDX-License-Identifier: Apache-2.0 */
/* The report for a person: sources, stages, and the verdict lines at the end, where a terminal shows them. */
#include <inttypes.h>
#include <string.h>

#include <base/format.h>
#include <base/text.h>
#include <report/show.h>
#include <report/text_out.h>
#include <report/text_table.h>
#include <report/writers.h>

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

const char *safe_text(struct text_out *text, struct tav_text raw)
{
	const char *safe = show_text(&text->scratch, raw);

	text->failed |= !safe;
	return safe ? safe : "";
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

static void print_notices(struct text_out *text, const struct events *events)
{
	char count[FORMAT_SIZE];

	for (const struct notice *notice = events->notices; notice; notice = notice->next) {
		const char *kind = notice->kind == NOTICE_REPAIR ? "repair" : "warning";
		char *line;

		if (notice->count == 1 && notice->line)
			line = arena_printf(&text->scratch,
			                    "%s (line %" PRIu64 ", column %" PRIu64 ", byte %" PRIu64 ")",
			                    notice->message, notice->line, notice->column, notice->offset);
		else if (notice->line)
			line = arena_printf(&text->scratch,
			                    "%s (%s times, first at line %" PRIu64 ", column %" PRIu64 ", byte %" PRIu64
			                    ")",
			                    notice->message, format_size(count, notice->count), notice->line,
			                    notice->column, notice->offset);
		else if (notice->count > 1)
			line = arena_printf(&text->scratch, "%s (%s times)", notice->message,
			                    format_size(count, notice->count));
		else
			line = arena_printf(&text->scratch, "%s", notice->message);
		if (!line) {
			text->failed = true;
			return;
		}
		fprintf(text->out, "  %s%s%s  ", colour_start(text, COLOUR_YELLOW), kind, colour_end(text));
		print_wrapped(text, line, 11, 4 + (unsigned)strlen(kind));
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
	const struct events *events = source->events;
	char size[FORMAT_SIZE], count[FORMAT_SIZE];

	if (report_source_error(source)) {
		print_read_error(text, source);
		return;
	}
	fprintf(text->out, "%s%s%s", colour_start(text, COLOUR_BOLD), source_name(text, number), colour_end(text));
	if (source->role && *source->role)
		fprintf(text->out, " (for %s)", safe_chars(text, source->role));
	fprintf(text->out, "\n  input    %s%s, %s, %s event%s\n", form_name(events->form),
	        events->is_gzip ? " in gzip" : "", format_bytes(size, events->bytes),
	        format_size(count, events->event_count), events->event_count == 1 ? "" : "s");
	if (events->dialect && *events->dialect) {
		const char *reason = events->dialect_reason;
		char *line = arena_printf(&text->scratch, "%s%s%s%s", events->dialect, reason && *reason ? " (" : "",
		                          reason ? reason : "", reason && *reason ? ")" : "");

		text->failed |= !line;
		fputs("  dialect  ", text->out);
		print_wrapped(text, line, 11, 11);
	}
	print_notices(text, events);
}

/* What one stage says of a source in a few words: how much it looked at, and what is wrong. */
static void print_said(struct text_out *text, const struct report_stage *stage, uint32_t source, const char **separator)
{
	uint32_t worst = 0; /* severity that a check has told of already */
	bool is_first = true;

	for (const struct report_check *check = stage->checks; check; check = check->next) {
		if (check->source != source)
			continue;
		bool is_wrong = check->result == TAV_RESULT_WARN || check->result == TAV_RESULT_FAIL;
		uint32_t severity = check->result == TAV_RESULT_FAIL ? TAV_SEV_ERROR : TAV_SEV_WARNING;
		if (is_wrong && severity > worst)
			worst = severity;
		if (!is_first && !is_wrong)
			continue;
		is_first = false;
		if (check->why && *check->why)
			fprintf(text->out, "%s%s", *separator, safe_chars(text, check->why));
		else if (is_wrong)
			fprintf(text->out, "%s%s", *separator, check->id);
		else
			continue;
		*separator = "; ";
	}
	for (const struct report_finding *finding = stage->findings; finding; finding = finding->next) {
		if (finding->source != source || finding->severity == TAV_SEV_NOTE || finding->severity <= worst)
			continue;
		fprintf(text->out, "%s%s", *separator, safe_chars(text, finding->message));
		*separator = "; ";
	}
}

static void print_verdict(struct text_out *text, enum verdict verdict)
{
	fprintf(text->out, "%s%-5s%s ", colour_start(text, verdict_colour(verdict)), verdict_word(verdict),
	        colour_end(text));
}

static void print_source_line(struct text_out *text, uint32_t number)
{
	const struct report *report = text->report;
	const struct report_source *source = &report->sources[number];
	const char *error = report_source_error(source), *separator = "";
	char count[FORMAT_SIZE];

	print_verdict(text, report_source_verdict(report, number));
	fprintf(text->out, "%s: ", source_name(text, number));
	if (error) {
		const struct read_error *place = source->read_error;

		fputs(safe_chars(text, error), text->out);
		if (place && place->message && place->line)
			fprintf(text->out, " at line %" PRIu64 ", column %" PRIu64 " (byte offset %" PRIu64 ")",
			        place->line, place->column, place->offset);
	} else {
		for (uint32_t stage = 0; stage < report->stage_count; stage++)
			print_said(text, &report->stages[stage], number, &separator);
		if (!*separator) {
			fprintf(text->out, "%s event%s", format_size(count, source->events->event_count),
			        source->events->event_count == 1 ? "" : "s");
			separator = "; ";
		}
		uint64_t notices = 0;
		for (const struct notice *notice = source->events->notices; notice; notice = notice->next)
			notices++;
		if (notices)
			fprintf(text->out, "%s%" PRIu64 " warning%s about the input", separator, notices,
			        notices == 1 ? "" : "s");
	}
	putc('\n', text->out);
}

/* The run's own line; a run over one source that says the same needs none. */
static void print_run_line(struct text_out *text)
{
	const struct report *report = text->report;
	enum verdict verdict = report_verdict(report);
	uint32_t counts[VERDICT_ERROR + 1] = {0};
	const char *separator = ": ";
	bool has_error = false;

	for (uint32_t stage = 0; stage < report->stage_count; stage++)
		has_error |= report->stages[stage].error != NULL;
	/* A stage that had nothing to run on says no more than the trace that could not be read. */
	if (report->source_count == 1 && report_source_verdict(report, 0) == verdict &&
	    (!has_error || report_source_error(&report->sources[0])))
		return;
	for (uint32_t source = 0; source < report->source_count; source++)
		counts[report_source_verdict(report, source)]++;
	print_verdict(text, verdict);
	fprintf(text->out, "run of %" PRIu32 " trace%s", report->source_count, report->source_count == 1 ? "" : "s");
	for (unsigned i = 0; i <= VERDICT_ERROR; i++) {
		if (counts[i]) {
			fprintf(text->out, "%s%" PRIu32 " %s", separator, counts[i], verdict_word((enum verdict)i));
			separator = ", ";
		}
	}
	separator = "; ";
	for (uint32_t stage = 0; stage < report->stage_count; stage++) {
		const struct report_stage *said = &report->stages[stage];

		if (said->error)
			fprintf(text->out, "; stage '%s' did not finish: %s",
			        safe_chars(text, said->id ? said->id : said->name), safe_chars(text, said->error));
		print_said(text, said, TAV_RUN, &separator);
	}
	putc('\n', text->out);
}

bool write_text(const struct report *report, const struct report_style *style, FILE *out)
{
	struct text_out text = {.report = report, .style = style, .out = out};

	if (style->verbosity >= 0) {
		fprintf(out, "tav %s, pipeline %s\n", safe_chars(&text, report->tool_version),
		        safe_chars(&text, report->pipeline));
		for (uint32_t source = 0; source < report->source_count; source++) {
			putc('\n', out);
			print_source(&text, source);
		}
		for (uint32_t stage = 0; stage < report->stage_count; stage++)
			print_stage(&text, stage);
		putc('\n', out);
	}
	for (uint32_t source = 0; source < report->source_count; source++)
		print_source_line(&text, source);
	print_run_line(&text);
	if (style->verbosity > 0 && report->elapsed_ns > 0) {
		char elapsed[FORMAT_SIZE];

		fprintf(out, "took %s\n", format_duration(elapsed, report->elapsed_ns));
	}
	arena_fini(&text.scratch);
	return !text.failed;
}
