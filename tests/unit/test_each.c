/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of each source: their paths, and a source as a report of its own. */
#include <config/template.h>
#include <report/one_source.h>

#include "report_rich.h"
#include "suite.h"

static const struct report_style plain = {.width = 100};

static void words_are_filled_in(void)
{
	static const struct {
		const char *path, *source, *filled;
		int64_t rank;
	} cases[] = {
	        {"out.json", "a/b.json", "out.json", 0},
	        {"{trace}", "a/b.json.gz", "b.json.gz", 0},
	        {"o/{stem}.json", "a/b.pt.trace.json.gz", "o/b.pt.trace.json", 0},
	        {"{stem}", "b", "b", 0},
	        {"{stem}", ".json", ".json", 0},
	        {"{stem}", "b.gz", "b", 0},
	        {"{stem}", "a.b/.gz", ".gz", 0},
	        {"{rank}", "b", "17", 17},
	        {"{rank}", "b", "norank", -1},
	        {"{trace}", "-", "stdin", -1},
	        {"{rank}/{stem}-{rank}/", "x.json", "3/x-3/", 3},
	        {"{{rank}}", "x", "{3}", 3},
	        {"{", "x", "{", 3},
	        {"a{b", "x", "a{b", 3},
	        {"{stem}", "{rank}.json", "{rank}", 3}, /* what a trace is called is no word */
	};
	struct arena arena = {0};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *filled = template_fill(&arena, cases[i].path, cases[i].source, cases[i].rank);

		CU_ASSERT_PTR_NOT_NULL_FATAL(filled);
		if (strcmp(filled, cases[i].filled) != 0)
			fprintf(stderr, "%s: %s, not %s\n", cases[i].path, filled, cases[i].filled);
		CU_ASSERT_STRING_EQUAL(filled, cases[i].filled);
	}
	arena_fini(&arena);
}

static char *json_of(const struct report *report)
{
	struct sample sample = {.report = *report};

	return sample_write(&sample, "json", &plain);
}

/* All but what is of the run alone: it reads back, and is written again as it was. */
static void each_source_is_a_report(void)
{
	struct sample sample;

	CU_ASSERT_TRUE_FATAL(rich_init(&sample));
	for (uint32_t i = 0; i < sample.report.source_count; i++) {
		struct report one;
		struct read_report read;
		struct read_error error;

		CU_ASSERT_TRUE_FATAL(report_one_source(&sample.report, i, &one));
		CU_ASSERT_EQUAL(report_source_verdict(&one, 0), report_source_verdict(&sample.report, i));
		CU_ASSERT_EQUAL(source_waived(&one, 0), source_waived(&sample.report, i));
		CU_ASSERT_EQUAL(results_bytes(&one.sources[0].results), results_bytes(&sample.sources[i].results));
		char *json = json_of(&one);
		CU_ASSERT_PTR_NOT_NULL_FATAL(json);
		bool is_read = report_read_text(json, strlen(json), true, &read, &error);
		if (!is_read)
			fprintf(stderr, "%lu:%lu: %s\n%s\n", error.line, error.column, error.message, error.excerpt);
		CU_ASSERT_TRUE_FATAL(is_read);
		char *again = json_of(&read.report);
		CU_ASSERT_STRING_EQUAL(json, again);
		free(json);
		free(again);
		read_report_fini(&read);
		report_fini(&one);
	}
	sample_fini(&sample);
}

/* An event of another source has no place there: its instance goes, and stays counted. */
static void events_of_others_are_left_out(void)
{
	struct sample sample;
	struct report one;
	const char *why = NULL;

	CU_ASSERT_TRUE_FATAL(sample_init(&sample, 2, sample_names));
	const struct tav_event events[3] = {sample.events[1][0], sample.events[0][0], sample.events[1][1]};
	const int64_t late_ns[3] = {30, 20, 10};
	const struct tav_series measures[] = {{"late_ns", TAV_TYPE_INT, TAV_UNIT_NS, late_ns, NULL}};
	const struct tav_series columns[] = {{"event", TAV_TYPE_REF, TAV_UNIT_NONE, events, NULL}};
	const struct tav_finding finding = {.struct_size = sizeof(finding),
	                                    .severity = TAV_SEV_ERROR,
	                                    .id = "late",
	                                    .message = "m",
	                                    .refs_each = 1,
	                                    .count = 9,
	                                    .instance_count = 3,
	                                    .events = events,
	                                    .measures = TAV_LIST(measures)};
	const struct tav_table table = {
	        .struct_size = sizeof(table), .id = "met", .row_count = 3, .columns = TAV_LIST(columns)};
	CU_ASSERT_TRUE_FATAL(results_add_finding(&sample.sources[1].results, 0, TAV_BY_COMBINE, &finding, &why));
	CU_ASSERT_TRUE_FATAL(results_add_table(&sample.sources[1].results, 0, TAV_BY_COMBINE, &table, &why));
	CU_ASSERT_TRUE_FATAL(report_one_source(&sample.report, 1, &one));
	const struct tav_finding_result *kept = &results_find_finding(&one.sources[0].results, 0, "late")->shown;
	CU_ASSERT_EQUAL(kept->count, 9);
	CU_ASSERT_EQUAL(kept->instance_count, 2);
	CU_ASSERT_EQUAL(((const int64_t *)kept->measures[0].data)[1], 10);
	CU_ASSERT_EQUAL(kept->events[0].source, 0);
	CU_ASSERT_EQUAL(kept->events[1].row, 1);
	const struct tav_table_result *met = &results_find_table(&one.sources[0].results, 0, "met")->shown;
	CU_ASSERT_EQUAL(met->row_count, 3);
	CU_ASSERT_FALSE(bit_is_set(met->columns[0].present, 1));
	CU_ASSERT_TRUE(bit_is_set(met->columns[0].present, 2));
	char *json = json_of(&one);
	CU_ASSERT_PTR_NOT_NULL(json);
	free(json);
	report_fini(&one);
	sample_fini(&sample);
}

SUITE("each", {"each: words are filled in", words_are_filled_in},
      {"each: each source is a report", each_source_is_a_report},
      {"each: events of others are left out", events_of_others_are_left_out})
