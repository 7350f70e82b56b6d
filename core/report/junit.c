/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report for a CI server: a suite for each source and one for the run, a test case for each check, and for each
 * finding that no check of its id speaks for.
 * Times stand where they are known, in a run over traces and in reports of parts: that of reading on its case, that of
 * a stage on its first case and 0 on the others, for a stage looks once. Warnings are failures where --fail-on warning
 * makes them so.
 */
#include <inttypes.h>
#include <string.h>

#include <kit/format.h>
#include <kit/text.h>
#include <report/show.h>
#include <report/waive.h>
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
	int64_t case_ns;    /* that the next case took; below 0: not known */
	bool failed;        /* no memory */
};

/* What is made safe to show holds neither a control character nor a non-character: nothing that is no XML. */
static void put_safe(struct junit *junit, const char *text)
{
	static const char special[] = "&<>\"'";
	static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};

	junit->failed |= !text;
	while (text && *text) {
		size_t plain = strcspn(text, special);

		fwrite(text, 1, plain, junit->out);
		text += plain;
		if (*text)
			fputs(entities[strchr(special, *text++) - special], junit->out);
	}
}

static void put_xml(struct junit *junit, const char *raw)
{
	put_safe(junit, show_chars(&junit->scratch, raw));
}

static void put_attribute(struct junit *junit, const char *name, const char *value)
{
	fprintf(junit->out, " %s=\"", name);
	put_xml(junit, value);
	putc('"', junit->out);
}

static void put_time(struct junit *junit, int64_t ns)
{
	if (ns >= 0)
		fprintf(junit->out, " time=\"%" PRId64 ".%06d\"", ns / 1000000000, (int)(ns % 1000000000 / 1000));
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
	put_time(junit, junit->case_ns);
	junit->case_ns = junit->case_ns > 0 ? 0 : junit->case_ns;
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

static enum outcome of_check(const struct junit *junit, const struct tav_check_result *check)
{
	return check_is_waived(check)             ? OUTCOME_SKIPPED
	       : check->result == TAV_RESULT_FAIL ? OUTCOME_FAILURE
	       : check->result == TAV_RESULT_SKIP ? OUTCOME_SKIPPED
	       : check->result == TAV_RESULT_WARN ? of_warning(junit)
	       : check->why.size                  ? OUTCOME_NOTE
	                                          : OUTCOME_GOOD;
}

static enum outcome of_finding(const struct junit *junit, const struct tav_finding_result *finding)
{
	return finding_is_waived(finding)             ? OUTCOME_SKIPPED
	       : finding->severity == TAV_SEV_ERROR   ? OUTCOME_FAILURE
	       : finding->severity == TAV_SEV_WARNING ? of_warning(junit)
	                                              : OUTCOME_NOTE;
}

static void put_instances(struct junit *junit, const struct tav_finding_result *finding)
{
	uint64_t shown = finding->instance_count < SHOWN_INSTANCES ? finding->instance_count : SHOWN_INSTANCES;
	char count[FORMAT_SIZE];

	for (uint64_t i = 0; i < shown; i++) {
		fprintf(junit->out, "\n%" PRIu64 ". ", i + 1);
		put_safe(junit, show_measures(&junit->scratch, finding, i));
		for (uint32_t j = 0; j < finding->events_each; j++) {
			const struct tav_event *event = &finding->events[i * finding->events_each + j];

			fputs("\n   ", junit->out);
			put_safe(junit, show_event(&junit->scratch, junit->report, event));
		}
	}
	if (shown && finding->count > shown)
		fprintf(junit->out, "\n... and %s more", format_size(count, finding->count - shown));
	if (finding->remedy.size) {
		fputs("\n", junit->out);
		put_safe(junit, show_text(&junit->scratch, finding->remedy));
	}
	putc('\n', junit->out);
}

/* The finding of a check's own id says what the check found: one case tells both. */
static void put_check(struct junit *junit, const struct report_stage *stage, const struct tav_check_result *check,
                      const struct tav_finding_result *finding)
{
	enum outcome outcome = of_check(junit, check);

	const char *message = check->why.size ? check->why.data : check->id.data, *waived = "";

	if (finding && (outcome == OUTCOME_GOOD || of_finding(junit, finding) == OUTCOME_FAILURE))
		outcome = of_finding(junit, finding);
	if (check_is_waived(check))
		waived = show_waiver(&junit->scratch, junit->report, check_waiver(check));
	else if (finding)
		waived = show_waived(&junit->scratch, junit->report, finding);
	bool is_skipped = outcome == OUTCOME_SKIPPED && waived && *waived;
	if (!begin_case(junit, stage->id, check->id.data, "check", outcome, is_skipped ? waived : message))
		return;
	if (is_skipped || !waived || *waived) {
		putc('\n', junit->out);
		put_safe(junit, is_skipped ? show_chars(&junit->scratch, message) : waived);
	}
	if (finding) {
		putc('\n', junit->out);
		put_safe(junit, show_message(&junit->scratch, finding));
		put_instances(junit, finding);
	}
	end_case(junit, outcome);
}

static void put_finding(struct junit *junit, const struct report_stage *stage, const struct tav_finding_result *finding)
{
	enum outcome outcome = of_finding(junit, finding);
	const char *name = arena_printf(&junit->scratch, "finding %s", finding->id.data);
	const char *message = show_message(&junit->scratch, finding);
	const char *waived = show_waived(&junit->scratch, junit->report, finding);
	bool is_skipped = outcome == OUTCOME_SKIPPED;

	if (!name || !message || !waived)
		junit->failed = true;
	else if (begin_case(junit, stage->id, name, "finding", outcome, is_skipped ? waived : message)) {
		if (*waived) {
			putc('\n', junit->out);
			put_safe(junit, is_skipped ? message : waived);
		}
		put_instances(junit, finding);
		end_case(junit, outcome);
	}
}

static void put_stage(struct junit *junit, uint32_t number, uint32_t source)
{
	const struct results *results =
	        source == TAV_RUN ? &junit->report->run : &junit->report->sources[source].results;
	const struct report_stage *stage = &junit->report->stages[number];
	const struct stage_results *told = told_of(junit->report, source, number);

	junit->case_ns = told->elapsed_ns ? told->elapsed_ns : -1;
	if (told->error && begin_case(junit, stage->id, "run", "stage", OUTCOME_ERROR, told->error))
		end_case(junit, OUTCOME_ERROR);
	if (told->skipped && begin_case(junit, stage->id, "run", "stage", OUTCOME_SKIPPED, told->skipped))
		end_case(junit, OUTCOME_SKIPPED);
	for (uint32_t i = 0; i < told->check_count; i++) {
		const struct result_finding *finding = results_find_finding(results, number, told->checks[i]->id.data);

		put_check(junit, stage, told->checks[i], finding ? &finding->shown : NULL);
	}
	for (uint32_t i = 0; i < told->finding_count; i++) {
		if (!results_find_check(results, number, told->findings[i]->shown.id.data))
			put_finding(junit, stage, &told->findings[i]->shown);
	}
	arena_fini(&junit->scratch);
}

static void put_notes(struct junit *junit, const struct report_source *source)
{
	char count[FORMAT_SIZE];

	for (uint32_t i = 0; i < source->doubt_count; i++) {
		putc('\n', junit->out);
		put_xml(junit, source->doubts[i].message);
	}
	for (uint32_t i = 0; i < source->note_count; i++) {
		putc('\n', junit->out);
		put_xml(junit, source->notes[i].message);
		if (source->notes[i].count > 1)
			fprintf(junit->out, " (%s times)", format_size(count, source->notes[i].count));
	}
}

/* Reading is a test case too, so that no suite is empty and what was wrong with the input is told. */
static void put_reading(struct junit *junit, const struct report_source *source)
{
	const char *error = report_source_error(source);
	const char *note = error                 ? error
	                   : source->doubt_count ? source->doubts[0].message
	                   : source->note_count  ? source->notes[0].message
	                                         : NULL;
	enum outcome outcome = error ? OUTCOME_ERROR : note ? of_warning(junit) : OUTCOME_GOOD;
	const struct read_error *place = source->read_error;

	junit->case_ns = source->read_ns ? source->read_ns : -1;
	if (!begin_case(junit, "input", "read", "input", outcome, note ? note : ""))
		return;
	if (error && place && place->message && place->line)
		fprintf(junit->out, "line %" PRIu64 ", column %" PRIu64 ", byte offset %" PRIu64, place->line,
		        place->column, place->offset);
	if (!error)
		put_notes(junit, source);
	end_case(junit, outcome);
	arena_fini(&junit->scratch);
}

static void put_cases(struct junit *junit, uint32_t source)
{
	junit->tally = (struct tally){0};
	junit->case_ns = -1;
	if (source != TAV_RUN)
		put_reading(junit, &junit->report->sources[source]);
	else if (junit->report->error && begin_case(junit, "input", "run", "run", OUTCOME_ERROR, junit->report->error))
		end_case(junit, OUTCOME_ERROR);
	for (uint32_t stage = 0; stage < junit->report->stage_count; stage++)
		put_stage(junit, stage, source);
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

static int64_t suite_ns(const struct report *report, uint32_t source)
{
	int64_t sum = source == TAV_RUN ? 0 : report->sources[source].read_ns;

	for (uint32_t stage = 0; stage < report->stage_count; stage++)
		sum += told_of(report, source, stage)->elapsed_ns;
	return sum ? sum : -1;
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
	put_time(&junit, report->elapsed_ns ? report->elapsed_ns : -1);
	fputs(">\n", out);
	for (uint32_t i = 0; i <= report->source_count; i++) {
		uint32_t source = i < report->source_count ? i : TAV_RUN;
		struct tally tally = count_cases(&junit, source);

		if (!tally.tests)
			continue;
		fputs("  <testsuite", out);
		put_attribute(&junit, "name", source == TAV_RUN ? "run" : report->sources[source].path);
		put_tally(&junit, &tally);
		fprintf(out, " skipped=\"%" PRIu64 "\"", tally.skipped);
		put_time(&junit, suite_ns(report, source));
		fputs(">\n", out);
		put_cases(&junit, source);
		fputs("  </testsuite>\n", out);
	}
	fputs("</testsuites>\n", out);
	arena_fini(&junit.scratch);
	return !junit.failed;
}
