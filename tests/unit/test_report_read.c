/* SPDX-License-Identifier: Apache-2.0 */
#include <time.h>

#include "report_rich.h"
#include "suite.h"

static const struct report_style plain = {.width = 100};
static const char *const formats[] = {"text", "json", "csv", "junit"};

static char *write_report(const struct report *report, const char *format)
{
	struct sample sample = {.report = *report};

	return sample_write(&sample, format, &plain);
}

static void expect_same(const char *wanted, const char *got)
{
	CU_ASSERT_PTR_NOT_NULL_FATAL(wanted);
	CU_ASSERT_PTR_NOT_NULL_FATAL(got);
	if (strcmp(wanted, got)) {
		size_t at = 0;

		while (wanted[at] == got[at])
			at++;
		at = at < 60 ? 0 : at - 60;
		fprintf(stderr, "wanted ...%.160s\ngot ...%.160s\n", wanted + at, got + at);
	}
	CU_ASSERT_STRING_EQUAL(wanted, got);
}

/* All that a report says can be read back: every writer then writes the same bytes. */
static void what_was_read_is_written_again(void)
{
	struct sample sample;
	struct read_report read;
	struct read_error error;

	CU_ASSERT_FATAL(rich_init(&sample));
	char *json = sample_write(&sample, "json", &plain);
	CU_ASSERT_PTR_NOT_NULL_FATAL(json);
	bool is_read = report_read_text(json, strlen(json), true, &read, &error);
	if (!is_read)
		fprintf(stderr, "%lu:%lu: %s\n%s\n", error.line, error.column, error.message, error.excerpt);
	CU_ASSERT_TRUE_FATAL(is_read);
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		char *wanted = sample_write(&sample, formats[i], &plain), *got = write_report(&read.report, formats[i]);

		expect_same(wanted, got);
		free(wanted);
		free(got);
	}
	read_report_fini(&read);
	free(json);
	sample_fini(&sample);
}

static void what_combine_told_is_not_taken(void)
{
	struct sample sample;
	struct read_report read;
	struct read_error error;

	CU_ASSERT_FATAL(rich_init(&sample));
	char *json = sample_write(&sample, "json", &plain);
	CU_ASSERT_PTR_NOT_NULL_FATAL(json);
	CU_ASSERT_TRUE_FATAL(report_read_text(json, strlen(json), false, &read, &error));
	CU_ASSERT_EQUAL(read.report.source_count, 2);
	CU_ASSERT_EQUAL(read.report.baseline_count, 0);
	const struct stage_results *stages = read.report.sources[0].results.stages;
	CU_ASSERT_EQUAL(stages[0].headline_count, 1);
	CU_ASSERT_EQUAL(stages[1].check_count, 0);
	CU_ASSERT_EQUAL(stages[1].metric_count, 4);
	CU_ASSERT_PTR_NOT_NULL_FATAL(read.report.part);
	CU_ASSERT_EQUAL(read.report.part->list_hash, 0x0123456789abcdef);
	CU_ASSERT_EQUAL(read.report.sources[0].facts.content, 0xfedcba9876543210);
	read_report_fini(&read);
	free(json);
	sample_fini(&sample);
}

/* Cut anywhere it is refused, with a place within it. */
static void a_cut_report_is_refused(void)
{
	struct sample sample;

	CU_ASSERT_FATAL(rich_init(&sample));
	char *json = sample_write(&sample, "json", &plain);
	CU_ASSERT_PTR_NOT_NULL_FATAL(json);
	size_t size = strlen(json);
	for (size_t cut = 0; cut + 1 < size; cut += 7) {
		struct read_report read;
		struct read_error error;
		char *part = malloc(cut ? cut : 1); /* so that a sanitizer sees what is read behind it */

		CU_ASSERT_PTR_NOT_NULL_FATAL(part);
		memcpy(part, json, cut);
		CU_ASSERT_FALSE(report_read_text(part, cut, false, &read, &error));
		CU_ASSERT_TRUE(error.message && error.line >= 1 && error.offset <= cut);
		read_report_fini(&read);
		free(part);
	}
	free(json);
	sample_fini(&sample);
}

/* Any byte changed: refused, or a report that says something else and can be written and read again. */
static void an_edited_report_is_refused_or_whole(void)
{
	static const char bytes[] = "0x\" ,}]\\-";
	struct sample sample;
	unsigned taken = 0;

	CU_ASSERT_FATAL(rich_init(&sample));
	char *json = sample_write(&sample, "json", &plain);
	CU_ASSERT_PTR_NOT_NULL_FATAL(json);
	size_t size = strlen(json);
	for (size_t at = 0; at < size; at += 5) {
		struct read_report read, again;
		struct read_error error;
		char was = json[at];

		json[at] = bytes[at % (sizeof(bytes) - 1)];
		if (report_read_text(json, size, true, &read, &error)) {
			char *written = write_report(&read.report, "json");

			CU_ASSERT_PTR_NOT_NULL_FATAL(written);
			CU_ASSERT_TRUE(report_read_text(written, strlen(written), true, &again, &error));
			read_report_fini(&again);
			free(written);
			taken++;
		} else {
			CU_ASSERT_TRUE(error.message && error.excerpt);
		}
		read_report_fini(&read);
		json[at] = was;
	}
	CU_ASSERT_TRUE(taken < size); /* a letter of a sentence may be another */
	free(json);
	sample_fini(&sample);
}

static char *replaced(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	size_t size = strlen(text) + strlen(to) + 1;
	char *copy = at ? malloc(size) : NULL;

	if (copy)
		snprintf(copy, size, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
	return copy;
}

static void contradictions_are_named(void)
{
	static const struct {
		const char *from, *to, *why;
	} cases[] = {
	        {"tav-report/2", "tav-report/1", "its schema is not tav-report/2"},
	        {"\"name\": \"tav\"", "\"name\": \"vat\"", "another tool wrote it"},
	        {"\"verdict\": \"error\"", "\"verdict\": \"pass\"",
	         "the verdict is 'error' by what was told, not 'pass'"},
	        {"\"exit_status\": 2", "\"exit_status\": 0", "the exit status is 2 by the verdict"},
	        {"\"result\": \"pass\"", "\"result\": \"good\"", "there is no result of that name"},
	        {"\"unit\": \"ns\"", "\"unit\": \"years\"", "there is no unit of that name"},
	        {"\"row_count\": 3", "\"row_count\": 4", "row_count says 4"},
	        {"\"count\": 1, \"examined\"", "\"count\": 1.5, \"examined\"", "expected a whole number"},
	        {"\"count\": 1, \"examined\"", "\"count\": -1, \"examined\"", "beyond its bounds"},
	        {"\"count\": 1, \"examined\"", "\"count\": 18446744073709551616, \"examined\"", "beyond its bounds"},
	        {"\"duration_ns\": 10001", "\"duration_ns\": 10002", "duration_ns is not end_ns - start_ns"},
	        {"\"start_rel_ns\": 10000", "\"start_rel_ns\": 1", "start_rel_ns is not what start_ns says"},
	        {"\"source\": 0, \"row\"", "\"source\": 2, \"row\"", "each() sees no event of another source"},
	        {"\"results_bytes\": 0", "\"results_bytes\": 1", "results_bytes is not what the results come to"},
	        {"\"events_each\": 2", "\"events_each\": 1", "expected ']'"},
	        {"\"share\": 0.25", "\"share\": 1e999", "beyond what a double holds"},
	        {"\"fail_on_warning\"", "\"fail_on_wraning\"", "expected the member \"fail_on_warning\""},
	        {"\"role\": \"\",", "", "expected the member \"role\""},
	        {"\"source\": 1,\n", "\"source\": 0,\n", "expected source 1: they stand in their order"},
	        {"\"units\": {\"least\": \"ns\", \"share\": \"ratio\"",
	         "\"units\": {\"share\": \"ratio\", \"least\": \"ns\"", "out of order"},
	        {"\"k\": 2", "\"k\": 4", "there is no part 4 of 3"},
	        {"\"run\": {\"jobs\": 4", "\"run\": {\"jobs\": [4]", "expected a whole number"},
	        {"\"elapsed_ns\": 123456789}\n}", "\"elapsed_ns\": 123456789}\n} x", "expected the end of the file"},
	};
	struct sample sample;

	CU_ASSERT_FATAL(rich_init(&sample));
	char *json = sample_write(&sample, "json", &plain);
	CU_ASSERT_PTR_NOT_NULL_FATAL(json);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *edited = replaced(json, cases[i].from, cases[i].to);
		struct read_report read;
		struct read_error error;

		if (!edited)
			fprintf(stderr, "not there: %s\n", cases[i].from);
		CU_ASSERT_PTR_NOT_NULL_FATAL(edited);
		CU_ASSERT_FALSE(report_read_text(edited, strlen(edited), false, &read, &error));
		CU_ASSERT_PTR_NOT_NULL_FATAL(error.message);
		if (!strstr(error.message, cases[i].why))
			fprintf(stderr, "%s: said '%s'\n", cases[i].to, error.message);
		CU_ASSERT_PTR_NOT_NULL(strstr(error.message, cases[i].why));
		read_report_fini(&read);
		free(edited);
	}
	free(json);
	sample_fini(&sample);
}

static void reports_are_recognised_by_what_they_hold(void)
{
	static const char *const yes[] = {"{\n  \"schema\": \"tav-report/2\",", "{\"schema\":\"tav-report/1\"",
	                                  " \t{ \"schema\"\n: \"tav-report/"};
	static const char *const no[] = {"",
	                                 "{",
	                                 "{\"schema\": \"tav-rep",
	                                 "{\"traceEvents\": []}",
	                                 "[{}]",
	                                 "{\"schemaVersion\": 1, \"schema\": \"tav-report/2\""};

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		CU_ASSERT_TRUE(report_is_report(yes[i], strlen(yes[i])));
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		CU_ASSERT_FALSE(report_is_report(no[i], strlen(no[i])));
}

static void the_first_difference_is_named(void)
{
	struct sample sample, other;
	struct arena arena = {0};
	const struct report_option given[] = {{"tolerance", "2us", true, false}, {"top", "5", false, true}};
	const struct report_option shorter[] = {{"top", "5", false, true}};

	CU_ASSERT_FATAL(sample_init(&sample, 1, sample_names) && sample_init(&other, 1, sample_names));
	CU_ASSERT_PTR_NULL(report_difference(&sample.report, &other.report, &arena));
	other.stages[1].options = given;
	CU_ASSERT_STRING_EQUAL(report_difference(&sample.report, &other.report, &arena),
	                       "st.tolerance is 1us here and 2us there");
	other.stages[1].options = shorter;
	other.stages[1].option_count = 1;
	CU_ASSERT_STRING_EQUAL(report_difference(&sample.report, &other.report, &arena),
	                       "st.tolerance is 1us here and unknown there");
	CU_ASSERT_STRING_EQUAL(report_difference(&other.report, &sample.report, &arena),
	                       "st.tolerance is unknown here and 1us there");
	other.stages[0].version = "2";
	CU_ASSERT_STRING_EQUAL(report_difference(&sample.report, &other.report, &arena),
	                       "overlap-verify is of version 1 here and 2 there");
	other.stages[0].name = "trust";
	CU_ASSERT_STRING_EQUAL(report_difference(&sample.report, &other.report, &arena),
	                       "stage 1 is overlap-verify here and trust there");
	other.report.stage_count = 0;
	CU_ASSERT_STRING_EQUAL(report_difference(&sample.report, &other.report, &arena),
	                       "stage 1 is overlap-verify here and missing there");
	arena_fini(&arena);
	sample_fini(&sample);
	sample_fini(&other);
}

/* Reading a report with `count` findings and metrics. */
static double time_of(uint32_t count)
{
	struct sample sample;
	struct read_report read;
	struct read_error error;
	char id[32];
	const char *why = NULL;

	CU_ASSERT_FATAL(sample_init(&sample, 1, sample_names));
	for (uint32_t i = 0; i < count; i++) {
		struct tav_finding finding = {.severity = TAV_SEV_NOTE,
		                              .id = id,
		                              .message = "m",
		                              .refs_each = 1,
		                              .count = 1,
		                              .instance_count = 1,
		                              .events = sample.events[0]};

		snprintf(id, sizeof(id), "id_%u", i);
		CU_ASSERT_TRUE(sample_metric(&sample, 0, 0, id, i, TAV_UNIT_COUNT));
		CU_ASSERT_TRUE(sample_finding(&sample, 0, 0, &finding, &why));
	}
	char *json = sample_write(&sample, "json", &plain);
	CU_ASSERT_PTR_NOT_NULL_FATAL(json);
	clock_t start = clock();
	CU_ASSERT_TRUE(report_read_text(json, strlen(json), false, &read, &error));
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		free(write_report(&read.report, formats[i]));
	clock_t end = clock();
	read_report_fini(&read);
	free(json);
	sample_fini(&sample);
	return (double)(end - start) / CLOCKS_PER_SEC;
}

static void reading_and_writing_are_linear(void)
{
	double least[2] = {1e9, 1e9};

	for (unsigned turn = 0; turn < 3; turn++) {
		for (unsigned i = 0; i < 2; i++) {
			double seconds = time_of(i ? 8000 : 2000);

			least[i] = seconds < least[i] ? seconds : least[i];
		}
	}
	CU_ASSERT_TRUE(least[1] < least[0] * 8);
}

SUITE("report read", {"report read: what was read is written again", what_was_read_is_written_again},
      {"report read: what combine told is not taken", what_combine_told_is_not_taken},
      {"report read: a cut report is refused", a_cut_report_is_refused},
      {"report read: an edited report is refused or whole", an_edited_report_is_refused_or_whole},
      {"report read: contradictions are named", contradictions_are_named},
      {"report read: reports are recognised by what they hold", reports_are_recognised_by_what_they_hold},
      {"report read: the first difference is named", the_first_difference_is_named},
      {"report read: reading and writing are linear", reading_and_writing_are_linear})
