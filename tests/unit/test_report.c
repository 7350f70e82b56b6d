/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "report_sample.h"
#include "suite.h"

static void verdicts_take_the_worst(void)
{
	struct sample sample;
	const char *why = NULL;

	CU_ASSERT_FATAL(sample_init(&sample, 2, sample_names));
	CU_ASSERT_EQUAL(report_verdict(&sample.report), VERDICT_PASS);
	CU_ASSERT_EQUAL(report_exit_status(&sample.report), 0);
	CU_ASSERT_TRUE(report_add_check(&sample.report, 0, 0, "looked", TAV_RESULT_SKIP, "nothing there"));
	CU_ASSERT_EQUAL(report_verdict(&sample.report), VERDICT_PASS);
	CU_ASSERT_TRUE(report_add_check(&sample.report, 0, 0, "looked", TAV_RESULT_WARN, NULL));
	CU_ASSERT_EQUAL(report_source_verdict(&sample.report, 0), VERDICT_WARN);
	CU_ASSERT_EQUAL(report_source_verdict(&sample.report, 1), VERDICT_PASS);
	CU_ASSERT_EQUAL(report_exit_status(&sample.report), 0);
	sample.report.fail_on_warning = true;
	CU_ASSERT_EQUAL(report_verdict(&sample.report), VERDICT_WARN);
	CU_ASSERT_EQUAL(report_exit_status(&sample.report), 1);
	CU_ASSERT_TRUE(sample_add_overlap(&sample, 1, 5000, &why));
	CU_ASSERT_EQUAL(report_source_verdict(&sample.report, 1), VERDICT_FAIL);
	CU_ASSERT_EQUAL(report_stage_verdict(&sample.report, 0, 0), VERDICT_WARN);
	CU_ASSERT_EQUAL(report_stage_verdict(&sample.report, 0, TAV_RUN), VERDICT_FAIL);
	CU_ASSERT_EQUAL(report_stage_verdict(&sample.report, 1, TAV_RUN), VERDICT_PASS);
	sample.stages[1].error = "no memory";
	CU_ASSERT_EQUAL(report_stage_verdict(&sample.report, 1, TAV_RUN), VERDICT_ERROR);
	CU_ASSERT_EQUAL(report_exit_status(&sample.report), 2);
	sample.stages[1].error = NULL;
	sample_break(&sample, 0);
	CU_ASSERT_EQUAL(report_source_verdict(&sample.report, 0), VERDICT_ERROR);
	CU_ASSERT_EQUAL(report_exit_status(&sample.report), 2);
	sample_fini(&sample);
}

static void notices_warn(void)
{
	struct sample sample;
	struct notice notice = {.kind = NOTICE_REPAIR, .id = "truncated", .message = "the end is missing", .count = 1};

	CU_ASSERT_FATAL(sample_init(&sample, 1, sample_names));
	sample.blocks[0]->notices = &notice;
	CU_ASSERT_EQUAL(report_source_verdict(&sample.report, 0), VERDICT_WARN);
	sample_fini(&sample);
}

static bool add_batch(struct sample *sample, const char *id, const int64_t *times, uint64_t count, uint64_t facts,
                      uint64_t max_instances, const char **why)
{
	struct tav_ref refs[8];
	struct tav_text texts[8];
	const uint64_t present = 0x55;
	char letters[8];

	for (uint64_t i = 0; i < count; i++) {
		letters[i] = (char)('a' + times[i] % 26);
		refs[i] = (struct tav_ref){0, (tav_row)(times[i] % SAMPLE_ROWS)};
		texts[i] = (struct tav_text){&letters[i], 1};
	}
	struct tav_series measures[3] = {{"letter", TAV_TYPE_STRING, TAV_UNIT_NONE, texts, &present},
	                                 {"number", TAV_TYPE_INT, TAV_UNIT_COUNT, times, NULL},
	                                 {"time_ns", TAV_TYPE_INT, TAV_UNIT_NS, times, NULL}};
	struct tav_finding finding = {.struct_size = sizeof(finding),
	                              .severity = TAV_SEV_WARNING,
	                              .id = id,
	                              .message = "m",
	                              .refs_each = 1,
	                              .count = facts,
	                              .instance_count = count,
	                              .refs = refs,
	                              .max_instances = max_instances,
	                              .measures = TAV_LIST(measures)};

	return report_add_finding(&sample->report, 0, &finding, why);
}

static void batches_add_up_and_keep_the_longest(void)
{
	struct sample sample;
	const char *why = NULL;
	static const int64_t first[] = {40, 3, 20}, second[] = {1, 30, 21, 22}, third[] = {2};

	CU_ASSERT_FATAL(sample_init(&sample, 1, sample_names));
	CU_ASSERT_TRUE(add_batch(&sample, "late", first, 3, 10, 4, &why));
	const struct report_finding *kept = sample.stages[0].findings;
	CU_ASSERT_EQUAL(((const int64_t *)kept->series[2].data)[1], 3); /* one batch keeps the stage's order */
	CU_ASSERT_TRUE(add_batch(&sample, "late", second, 4, 4, 4, &why));
	CU_ASSERT_TRUE(add_batch(&sample, "late", third, 1, 100, 4, &why));
	CU_ASSERT_EQUAL(kept->count, 114);
	CU_ASSERT_EQUAL_FATAL(kept->instance_count, 4);
	static const int64_t expected[] = {40, 30, 22, 21};
	for (unsigned i = 0; i < 4; i++) {
		CU_ASSERT_EQUAL(((const int64_t *)kept->series[2].data)[i], expected[i]);
		CU_ASSERT_EQUAL(kept->refs[i].row, (tav_row)(expected[i] % SAMPLE_ROWS));
	}
	/* The odd ones of each batch had no letter. */
	CU_ASSERT_EQUAL(kept->series[0].present[0] & 15, 1 | 8);
	CU_ASSERT_TRUE(text_is(((const struct tav_text *)kept->series[0].data)[0], "o"));
	CU_ASSERT_TRUE(text_is(((const struct tav_text *)kept->series[0].data)[3], "v"));
	CU_ASSERT_PTR_NULL(kept->next);
	sample_fini(&sample);
}

static void nonsense_is_refused(void)
{
	struct sample sample;
	const char *why = NULL;
	int64_t numbers[2] = {1, 2};
	double reals[2] = {1, NAN};
	uint64_t only_first = 1;

	CU_ASSERT_FATAL(sample_init(&sample, 1, sample_names));
	struct report *report = &sample.report;
	CU_ASSERT_FALSE(report_add_check(report, 0, 1, "no_source", TAV_RESULT_PASS, NULL));
	CU_ASSERT_FALSE(report_add_check(report, 0, 0, "No Id", TAV_RESULT_PASS, NULL));
	CU_ASSERT_FALSE(report_add_check(report, 0, 0, "no_result", 9, NULL));
	CU_ASSERT_TRUE(report_add_metric(report, 0, 0, "twice", 1, TAV_UNIT_NS));
	CU_ASSERT_FALSE(report_add_metric(report, 0, 0, "twice", 1, TAV_UNIT_NS));
	CU_ASSERT_TRUE(report_add_metric(report, 0, TAV_RUN, "twice", 1, TAV_UNIT_NS));
	CU_ASSERT_FALSE(report_add_ratio(report, 0, 0, "infinite", INFINITY, TAV_UNIT_RATIO, &why));
	CU_ASSERT_STRING_EQUAL(why, "the ratio is not finite");
	CU_ASSERT_FALSE(add_batch(&sample, "few", numbers, 2, 1, 0, &why));
	CU_ASSERT_STRING_EQUAL(why, "the finding has more instances than its count says");

	struct tav_series columns[2] = {{"number", TAV_TYPE_INT, TAV_UNIT_NS, numbers, NULL},
	                                {"real", TAV_TYPE_REAL, TAV_UNIT_NONE, reals, NULL}};
	struct tav_table table = {.struct_size = sizeof(table),
	                          .source = 0,
	                          .id = "table",
	                          .title = "A table",
	                          .row_count = 2,
	                          .columns = TAV_LIST(columns)};
	CU_ASSERT_FALSE(report_add_table(report, 0, &table, &why));
	CU_ASSERT_STRING_EQUAL(why, "a measure or column holds a number that is not finite");
	columns[1].present = &only_first; /* what is absent may be anything */
	CU_ASSERT_TRUE(report_add_table(report, 0, &table, &why));
	CU_ASSERT_FALSE(report_add_table(report, 0, &table, &why));
	CU_ASSERT_STRING_EQUAL(why, "the table was given before");
	table.source = TAV_RUN;
	columns[1].name = "number";
	CU_ASSERT_FALSE(report_add_table(report, 0, &table, &why));

	struct tav_ref ref = {0, SAMPLE_ROWS};
	struct tav_finding finding = {.struct_size = sizeof(finding),
	                              .severity = TAV_SEV_NOTE,
	                              .id = "far",
	                              .message = "m",
	                              .refs_each = 1,
	                              .count = 1,
	                              .instance_count = 1,
	                              .refs = &ref};
	CU_ASSERT_FALSE(report_add_finding(report, 0, &finding, &why));
	CU_ASSERT_STRING_EQUAL(why, "the finding names an event that is not there");
	ref.row = 0;
	finding.struct_size = 16;
	CU_ASSERT_FALSE(report_add_finding(report, 0, &finding, &why));
	finding.struct_size = sizeof(finding);
	CU_ASSERT_TRUE(report_add_finding(report, 0, &finding, &why));
	finding.refs_each = 0;
	CU_ASSERT_FALSE(report_add_finding(report, 0, &finding, &why));
	sample_fini(&sample);
}

SUITE("report", {"report: verdicts take the worst", verdicts_take_the_worst}, {"report: notices warn", notices_warn},
      {"report: batches add up and keep the longest", batches_add_up_and_keep_the_longest},
      {"report: nonsense is refused", nonsense_is_refused})
