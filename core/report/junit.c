/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report for a CI server: a suite for each source and one for the run, a test case for each check and finding.
 * No times: the same input gives the same bytes. Warnings are failures where --fail-on warning makes them so.
 */
#include <inttypes.h>
#include <string.h>

#include <base/format.h>
#include <base/text.h>
#include <report/show.h>
#include <report/writers.h>

enum { SHOWN_INSTANCES = 20 };

enum outcome { OUTCOME_GOOD, OUTCOME_NOTE, OUTCOME_SKIPPED, OUTCOME_FAILURE, OUTCOME_ERROR };

struct tally {
	uint64_t tests, failures, errors, skipped;
};

struct junit {
	const struct report *report;
	FILE *out; /* NULL: only count */
	struct arena scratch;
	struct tally tally; /* of this suite */
	bool failed;        /* no memory */
};

/* `raw` is made safe first, so that neither a control character nor a non-character can make the XML invalid. */
static void put_xml(struct junit *junit, const char *raw)
{
	const char *text = show_text(&junit->scratch, text_of(raw));

	if (!text) {
		junit->failed = true;
		return;
	}
	for (; *text; text++) {
		switch (*text) {
		case '&':
			fputs("&amp;", junit->out);
			break;
		case '<':
			fputs("&lt;", junit->out);
			break;
		case '>':
			fputs("&gt;", junit->out);
			break;
		case '"':
			fputs("&quot;", junit->out);
			break;
		case '\'':
			fputs("&apos;", junit->out);
			break;
		case '\xef': /* U+FFFE and U+FFFF are valid UTF-8, and no characters of XML */
			if (!strncmp(text, "\xef\xbf\xbe", 3) || !strncmp(text, "\xef\xbf\xbf", 3)) {
				fprintf(junit->out, "\\uff%02x", (unsigned char)text[2] + 0x40u);
				text += 2;
				break;
			}
			/* fall through */
		default:
			putc(*text, junit->out);
		}
	}
}

static void put_attribute(struct junit *junit, const char *name, const char *value)
{
	fprintf(junit->out, " %s=\"", name);
	put_xml(junit, value);
	putc('"', junit->out);
}

/* Opens a test case with its outcome; what is printed until end_case() is the outcome's text. */
static bool begin_case(struct junit *junit, const char *stage, const char *name, const char *kind, enum outcome outcome,
                       const char *message)
{
	junit->tally.tests++;
	junit->tally.failures += outcome == OUTCOME_FAILURE;
	junit->tally.errors += outcome == OUTCOME_ERROR;
	junit->tally.skipped += outcome == OUTCOME_SKIPPED;
	if (!junit->out)
		return false;
	fputs("    <testcase", junit->out);
	put_attribute(junit, "classname", stage);
	put_attribute(junit, "name", name);
	if (outcome == OUTCOME_GOOD) {
		fputs("/>\n", junit->out);
		return false;
	}
	fputs(">\n      ", junit->out);
	if (outcome == OUTCOME_NOTE) {
		fputs("<system-out>", junit->out);
		put_xml(junit, message);
	} else {
		fputs(outcome == OUTCOME_FAILURE ? "<failure"
		      : outcome == OUTCOME_ERROR ? "<error"
		                                 : "<skipped",
		      junit->out);
		if (outcome != OUTCOME_SKIPPED)
			put_attribute(junit, "type", kind);
		put_attribute(junit, "message", message);
		putc('>', junit->out);
	}
	return true;
}

static void end_case(struct junit *junit, enum outcome outcome)
{
	static const char *const names[] = {"", "system-out", "skipped", "failure", "error"};

	fprintf(junit->out, "</%s>\n    </testcase>\n", names[outcome]);
}

static enum outcome of_warning(const struct junit *junit)
{
	return junit->report->fail_on_warning ? OUTCOME_FAILURE : OUTCOME_NOTE;
}

static void put_check(struct junit *junit, const struct report_stage *stage, const struct report_check *check)
{
	enum outcome outcome = check->result == TAV_RESULT_FAIL   ? OUTCOME_FAILURE
	                       : check->result == TAV_RESULT_SKIP ? OUTCOME_SKIPPED
	                       : check->result == TAV_RESULT_WARN ? of_warning(junit)
	                       : check->why && *check->why        ? OUTCOME_NOTE
	                                                          : OUTCOME_GOOD;

	if (begin_case(junit, stage->id, check->id, "check", outcome, check->why ? check->why : check->id))
		end_case(junit, outcome);
}

static void put_instances(struct junit *junit, const struct report_finding *finding)
{
	uint64_t shown = finding->instance_count < SHOWN_INSTANCES ? finding->instance_count : SHOWN_INSTANCES;
	char count[FORMAT_SIZE];

	for (uint64_t i = 0; i < shown; i++) {
		const char *measures = show_measures(&junit->scratch, finding, i);

		fprintf(junit->out, "\n%" PRIu64 ". ", i + 1);
		if (measures)
			put_xml(junit, measures);
		for (uint32_t j = 0; j < finding->refs_each; j++) {
			const char *event =
			        show_event(&junit->scratch, junit->report, finding->refs[i * finding->refs_each + j]);

			fputs("\n   ", junit->out);
			if (event)
				put_xml(junit, event);
			junit->failed |= !event;
		}
		junit->failed |= !measures;
	}
	if (finding->count > shown)
		fprintf(junit->out, "\n... and %s more", format_size(count, finding->count - shown));
	putc('\n', junit->out);
}

static void put_finding(struct junit *junit, const struct report_stage *stage, const struct report_finding *finding)
{
	enum outcome outcome = finding->severity == TAV_SEV_ERROR     ? OUTCOME_FAILURE
	                       : finding->severity == TAV_SEV_WARNING ? of_warning(junit)
	                                                              : OUTCOME_NOTE;
	char count[FORMAT_SIZE];
	const char *name = arena_printf(&junit->scratch, "finding %s", finding->id);
	const char *message =
	        arena_printf(&junit->scratch, "%s (%s)", finding->message, format_size(count, finding->count));

	if (!name || !message) {
		junit->failed = true;
		return;
	}
	if (begin_case(junit, stage->id, name, "finding", outcome, message)) {
		put_instances(junit, finding);
		end_case(junit, outcome);
	}
}

static void put_stage(struct junit *junit, const struct report_stage *stage, uint32_t source)
{
	if (source == TAV_RUN && stage->error &&
	    begin_case(junit, stage->id, "run", "stage", OUTCOME_ERROR, stage->error))
		end_case(junit, OUTCOME_ERROR);
	for (const struct report_check *check = stage->checks; check; check = check->next) {
		if (check->source == source)
			put_check(junit, stage, check);
	}
	for (const struct report_finding *finding = stage->findings; finding; finding = finding->next) {
		if (finding->source == source)
			put_finding(junit, stage, finding);
	}
}

/* Reading is a test case too, so that no suite is empty and what was wrong with the input is told. */
static void put_reading(struct junit *junit, const struct report_source *source)
{
	const char *error = report_source_error(source);
	const struct notice *notices = error ? NULL : source->events->notices;
	enum outcome outcome = error ? OUTCOME_ERROR : notices ? of_warning(junit) : OUTCOME_GOOD;
	const struct read_error *place = source->read_error;

	if (!begin_case(junit, "input", "read", "input", outcome, error ? error : notices ? notices->message : ""))
		return;
	if (error && place && place->message && place->line)
		fprintf(junit->out, "line %" PRIu64 ", column %" PRIu64 ", byte offset %" PRIu64, place->line,
		        place->column, place->offset);
	for (const struct notice *notice = notices; notice; notice = notice->next) {
		fputs("\n", junit->out);
		put_xml(junit, notice->message);
		fprintf(junit->out, " (%" PRIu64 ")", notice->count);
	}
	end_case(junit, outcome);
}

static void put_cases(struct junit *junit, uint32_t source)
{
	junit->tally = (struct tally){0};
	if (source != TAV_RUN)
		put_reading(junit, &junit->report->sources[source]);
	for (uint32_t stage = 0; stage < junit->report->stage_count; stage++)
		put_stage(junit, &junit->report->stages[stage], source);
}

/* The head of a suite holds the counts, so each suite is gone through twice. */
static struct tally count_cases(struct junit *junit, uint32_t source)
{
	FILE *out = junit->out;

	junit->out = NULL;
	put_cases(junit, source);
	junit->out = out;
	return junit->tally;
}

static void put_tally(struct junit *junit, const struct tally *tally)
{
	fprintf(junit->out, " tests=\"%" PRIu64 "\" failures=\"%" PRIu64 "\" errors=\"%" PRIu64 "\"", tally->tests,
	        tally->failures, tally->errors);
}

bool write_junit(const struct report *report, const struct report_style *style, FILE *out)
{
	struct junit junit = {.report = report, .out = out};
	struct tally total = {0};

	(void)style;
	for (uint32_t i = 0; i <= report->source_count; i++) {
		struct tally tally = count_cases(&junit, i < report->source_count ? i : TAV_RUN);

		total.tests += tally.tests;
		total.failures += tally.failures;
		total.errors += tally.errors;
	}
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tav\"", out);
	put_tally(&junit, &total); /* "skipped" is for suites only: servers check against a schema */
	fputs(">\n", out);
	for (uint32_t i = 0; i <= report->source_count; i++) {
		uint32_t source = i < report->source_count ? i : TAV_RUN;
		struct tally tally = count_cases(&junit, source);

		if (!tally.tests)
			continue;
		fputs("  <testsuite", out);
		put_attribute(&junit, "name", source == TAV_RUN ? "run" : report->sources[source].path);
		put_tally(&junit, &tally);
		fprintf(out, " skipped=\"%" PRIu64 "\">\n", tally.skipped);
		put_cases(&junit, source);
		fputs("  </testsuite>\n", out);
	}
	fputs("</testsuites>\n", out);
	arena_fini(&junit.scratch);
	return !junit.failed;
}
