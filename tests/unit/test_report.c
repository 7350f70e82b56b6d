/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <time.h>

#include "report_sample.h"
#include "suite.h"

static enum verdict of_stage(struct sample *sample, uint32_t stage, uint32_t source)
{
	enum verdict verdict;

	return report_stage_verdict(&sample->report, stage, source, &verdict) ? verdict : (enum verdict)99;
}

static enum verdict of_all(struct sample *sample, uint32_t stage)
{
	enum verdict verdict;

	return report_stage_verdict_of_all(&sample->report, stage, &verdict) ? verdict : (enum verdict)99;
}

static void verdicts_take_the_worst(void)
{
	struct sample sample;
	const char *why = NULL;

	CU_ASSERT_FATAL(sample_init(&sample, 2, sample_names));
	CU_ASSERT_EQUAL(report_verdict(&sample.report), VERDICT_PASS);
	CU_ASSERT_EQUAL(report_exit_status(&sample.report), 0);
	CU_ASSERT_EQUAL(of_stage(&sample, 0, 0), 99); /* nobody asked anything */
	CU_ASSERT_TRUE(sample_check(&sample, 0, 0, "looked", TAV_RESULT_PASS, NULL));
	CU_ASSERT_EQUAL(of_stage(&sample, 0, 0), VERDICT_PASS);
	CU_ASSERT_TRUE(sample_check(&sample, 0, 0, "saw", TAV_RESULT_WARN, NULL));
	CU_ASSERT_EQUAL(report_source_verdict(&sample.report, 0), VERDICT_WARN);
	CU_ASSERT_EQUAL(report_source_verdict(&sample.report, 1), VERDICT_PASS);
	CU_ASSERT_EQUAL(report_exit_status(&sample.report), 0);
	sample.report.fail_on_warning = true;
	CU_ASSERT_EQUAL(report_verdict(&sample.report), VERDICT_WARN);
	CU_ASSERT_EQUAL(report_exit_status(&sample.report), 1);
	CU_ASSERT_TRUE(sample_add_overlap(&sample, 1, 5000, &why));
	CU_ASSERT_EQUAL(report_source_verdict(&sample.report, 1), VERDICT_FAIL);
	CU_ASSERT_EQUAL(of_stage(&sample, 0, 0), VERDICT_WARN);
	CU_ASSERT_EQUAL(of_stage(&sample, 0, TAV_RUN), 99);
	CU_ASSERT_EQUAL(of_all(&sample, 0), VERDICT_FAIL);
	CU_ASSERT_EQUAL(of_all(&sample, 1), 99);
	sample_fini(&sample);
}

/* A stage that did not end well makes its source, or the run, an error; of a baseline nothing counts but that it cannot
 * be read. */
static void what_died_is_an_error(void)
{
	struct sample sample;

	CU_ASSERT_FATAL(sample_init(&sample, 3, sample_names));
	CU_ASSERT_TRUE(sample_check(&sample, 0, 0, "looked", TAV_RESULT_PASS, NULL));
	sample.sources[0].results.stages[1].error = "no memory";
	CU_ASSERT_EQUAL(report_source_verdict(&sample.report, 0), VERDICT_ERROR);
	CU_ASSERT_EQUAL(report_source_verdict(&sample.report, 1), VERDICT_PASS);
	CU_ASSERT_EQUAL(report_exit_status(&sample.report), 2);
	sample.sources[0].results.stages[1].error = NULL;
	CU_ASSERT_EQUAL(report_exit_status(&sample.report), 0);
	sample.report.run.stages[1].error = "no memory";
	CU_ASSERT_EQUAL(report_source_verdict(&sample.report, TAV_RUN), VERDICT_ERROR);
	CU_ASSERT_EQUAL(report_exit_status(&sample.report), 2);
	sample.report.run.stages[1].error = NULL;
	sample_break(&sample, 2);
	CU_ASSERT_EQUAL(report_exit_status(&sample.report), 2);
	sample.report.source_count = 2;
	sample.report.baseline_count = 1;
	CU_ASSERT_EQUAL(report_source_verdict(&sample.report, 2), VERDICT_ERROR);
	CU_ASSERT_EQUAL(report_exit_status(&sample.report), 2);
	sample.sources[2].read_error = NULL;
	sample.sources[2].error = NULL;
	sample.sources[2].is_read = true;
	sample.sources[2].results.stages[1].error = "no memory";
	CU_ASSERT_EQUAL(report_exit_status(&sample.report), 0);
	sample_fini(&sample);
}

static void nothing_examined_is_a_warning(void)
{
	struct sample sample;

	CU_ASSERT_FATAL(sample_init(&sample, 2, sample_names));
	CU_ASSERT_TRUE(sample_check(&sample, 0, 0, "first", TAV_RESULT_SKIP, "no kernels"));
	CU_ASSERT_EQUAL(report_source_verdict(&sample.report, 0), VERDICT_WARN);
	CU_ASSERT_TRUE(sample_check(&sample, 0, 0, "second", TAV_RESULT_PASS, NULL));
	CU_ASSERT_EQUAL(report_source_verdict(&sample.report, 0), VERDICT_PASS);
	/* of the run: harmless where the stage examined something of a source, and only there */
	CU_ASSERT_TRUE(sample_check(&sample, 0, TAV_RUN, "third", TAV_RESULT_SKIP, "one rank"));
	CU_ASSERT_EQUAL(report_verdict(&sample.report), VERDICT_PASS);
	CU_ASSERT_TRUE(sample_check(&sample, 1, TAV_RUN, "third", TAV_RESULT_SKIP, "one rank"));
	CU_ASSERT_EQUAL(report_verdict(&sample.report), VERDICT_WARN);
	sample_fini(&sample);
}

static void doubts_warn(void)
{
	struct sample sample;
	struct report_note note = {.is_repair = true, .id = "truncated", .message = "the end is missing", .count = 1};

	CU_ASSERT_FATAL(sample_init(&sample, 1, sample_names));
	struct report_source *source = &sample.sources[0];
	CU_ASSERT_TRUE(report_add_doubts(source, &sample.report.arena, true));
	CU_ASSERT_EQUAL(source->doubt_count, 0);
	source->notes = &note;
	source->note_count = 1;
	source->facts.unusable_count = 1;
	source->facts.zero_time_count = 2;
	CU_ASSERT_TRUE(report_add_doubts(source, &sample.report.arena, true));
	CU_ASSERT_EQUAL_FATAL(source->doubt_count, 3);
	CU_ASSERT_STRING_EQUAL(source->doubts[0].id, "unusable_events");
	CU_ASSERT_STRING_EQUAL(source->doubts[0].message, "1 of 4 events has no usable time and is left out");
	CU_ASSERT_STRING_EQUAL(source->doubts[1].id, "zero_timestamps");
	CU_ASSERT_STRING_EQUAL(source->doubts[2].id, "repairs");
	CU_ASSERT_EQUAL(report_source_verdict(&sample.report, 0), VERDICT_WARN);
	source->notes = NULL;
	source->note_count = 0;
	source->facts.unusable_count = source->facts.zero_time_count = source->facts.device_event_count = 0;
	CU_ASSERT_TRUE(report_add_doubts(source, &sample.report.arena, false));
	CU_ASSERT_EQUAL(source->doubt_count, 0);
	CU_ASSERT_TRUE(report_add_doubts(source, &sample.report.arena, true));
	CU_ASSERT_EQUAL_FATAL(source->doubt_count, 1);
	CU_ASSERT_STRING_EQUAL(source->doubts[0].id, "no_device_events");
	CU_ASSERT_EQUAL(report_verdict(&sample.report), VERDICT_WARN);
	sample_fini(&sample);
}

static bool add_batch(struct sample *sample, const char *id, const int64_t *times, uint64_t count, uint64_t facts,
                      uint64_t max_instances, const char **why)
{
	struct tav_event events[8];
	struct tav_text texts[8];
	const uint64_t present = 0x55;
	char letters[8];

	for (uint64_t i = 0; i < count; i++) {
		letters[i] = (char)('a' + times[i] % 26);
		events[i] = sample->events[0][times[i] % SAMPLE_ROWS];
		texts[i] = (struct tav_text){&letters[i], 1};
	}
	struct tav_series measures[3] = {{"letter", TAV_TYPE_STRING, TAV_UNIT_NONE, texts, &present},
	                                 {"number", TAV_TYPE_INT, TAV_UNIT_COUNT, times, NULL},
	                                 {"time_ns", TAV_TYPE_INT, TAV_UNIT_NS, times, NULL}};
	struct tav_finding finding = {.severity = TAV_SEV_WARNING,
	                              .id = id,
	                              .message = "m",
	                              .refs_each = 1,
	                              .count = facts,
	                              .instance_count = count,
	                              .events = events,
	                              .max_instances = max_instances,
	                              .measures = TAV_LIST(measures)};

	return sample_finding(sample, 0, 0, &finding, why);
}

static void batches_add_up_and_keep_the_longest(void)
{
	struct sample sample;
	const char *why = NULL;
	static const int64_t first[] = {40, 3, 20}, second[] = {1, 30, 21, 22}, third[] = {2};

	CU_ASSERT_FATAL(sample_init(&sample, 1, sample_names));
	CU_ASSERT_TRUE(add_batch(&sample, "late", first, 3, 10, 4, &why));
	const struct tav_finding_result *kept = &sample.sources[0].results.stages[0].findings[0]->shown;
	CU_ASSERT_EQUAL(((const int64_t *)kept->measures[2].data)[1], 3); /* one batch keeps the stage's order */
	CU_ASSERT_TRUE(add_batch(&sample, "late", second, 4, 4, 4, &why));
	CU_ASSERT_TRUE(add_batch(&sample, "late", third, 1, 100, 4, &why));
	CU_ASSERT_EQUAL(kept->count, 114);
	CU_ASSERT_EQUAL_FATAL(kept->instance_count, 4);
	static const int64_t expected[] = {40, 30, 22, 21};
	for (unsigned i = 0; i < 4; i++) {
		CU_ASSERT_EQUAL(((const int64_t *)kept->measures[2].data)[i], expected[i]);
		CU_ASSERT_EQUAL(kept->events[i].row, (tav_row)(expected[i] % SAMPLE_ROWS));
	}
	/* The odd ones of each batch had no letter. */
	CU_ASSERT_EQUAL(kept->measures[0].present[0] & 15, 1 | 8);
	CU_ASSERT_TRUE(text_is(((const struct tav_text *)kept->measures[0].data)[0], "o"));
	CU_ASSERT_TRUE(text_is(((const struct tav_text *)kept->measures[0].data)[3], "v"));
	CU_ASSERT_EQUAL(sample.sources[0].results.stages[0].finding_count, 1);
	sample_fini(&sample);
}

static void a_hundred_are_kept_unless_said(void)
{
	struct sample sample;
	const char *why = NULL;

	CU_ASSERT_FATAL(sample_init(&sample, 1, sample_names));
	for (int64_t i = 0; i < 30; i++) {
		const int64_t times[] = {i, i + 100, i + 200, i + 300, i + 400, i + 500, i + 600, i + 700};

		CU_ASSERT_TRUE(add_batch(&sample, "late", times, 8, 8, 0, &why));
	}
	const struct tav_finding_result *finding = &sample.sources[0].results.stages[0].findings[0]->shown;
	CU_ASSERT_EQUAL(finding->count, 240);
	CU_ASSERT_EQUAL(finding->instance_count, 100);
	sample_fini(&sample);
}

/* However the same instances are cut into batches, the same are kept (of those in the stage's order, sorted). */
static void batches_of_any_size_keep_the_same(void)
{
	int64_t kept[2][5];

	for (unsigned turn = 0; turn < 2; turn++) {
		struct sample sample;
		const char *why = NULL;
		uint64_t random = 42, each = turn ? 1 : 8;
		int64_t times[8];

		CU_ASSERT_FATAL(sample_init(&sample, 1, sample_names));
		CU_ASSERT_TRUE(add_batch(&sample, "late", (const int64_t[]){0}, 1, 1, 5, &why));
		for (unsigned i = 0; i < 64; i++) {
			random = random * UINT64_C(6364136223846793005) + 1;
			times[i % each] = (int64_t)(random >> 33);
			if (i % each == each - 1)
				CU_ASSERT_TRUE(add_batch(&sample, "late", times, each, each, 5, &why));
		}
		const struct tav_finding_result *finding = &sample.sources[0].results.stages[0].findings[0]->shown;
		CU_ASSERT_EQUAL(finding->count, 65);
		CU_ASSERT_EQUAL_FATAL(finding->instance_count, 5);
		memcpy(kept[turn], finding->measures[2].data, sizeof(kept[turn]));
		for (unsigned i = 1; i < 5; i++)
			CU_ASSERT_TRUE(kept[turn][i - 1] >= kept[turn][i]);
		sample_fini(&sample);
	}
	CU_ASSERT_EQUAL(memcmp(kept[0], kept[1], sizeof(kept[0])), 0);
}

#define REFUSED(call, wanted)                                                                                          \
	do {                                                                                                           \
		bool is_taken = call;                                                                                  \
		expect_refusal(is_taken, why, wanted);                                                                 \
	} while (0)

static void expect_refusal(bool is_taken, const char *why, const char *wanted)
{
	CU_ASSERT_FALSE(is_taken);
	CU_ASSERT_PTR_NOT_NULL_FATAL(why);
	if (!strstr(why, wanted))
		fprintf(stderr, "said '%s', wanted '%s'\n", why, wanted);
	CU_ASSERT_PTR_NOT_NULL(strstr(why, wanted));
}

static void checks_and_metrics_that_are_nonsense(void)
{
	static const struct {
		struct tav_check check;
		const char *why;
	} checks[] = {{{.id = "No Id", .result = TAV_RESULT_PASS}, "snake_case"},
	              {{.id = NULL, .result = TAV_RESULT_PASS}, "has no name"},
	              {{.id = "a", .result = 9}, "result is 9"},
	              {{.id = "a", .result = TAV_RESULT_SKIP}, "does not say why"},
	              {{.id = "a", .result = TAV_RESULT_PASS, .reserved = 1}, "reserved"},
	              {{.id = "twice", .result = TAV_RESULT_PASS}, "told before"}};
	static const struct {
		struct tav_metric metric;
		const char *why;
	} metrics[] = {{{.id = "1"}, "snake_case"},
	               {{.id = "a", .unit = 99}, "unit 99"},
	               {{.id = "a", .type = TAV_TYPE_STRING}, "type is"},
	               {{.id = "a", .better = 7}, "`better` is 7"},
	               {{.id = "a", .flags = 0x80}, "flags 0x80"},
	               {{.id = "a", .type = TAV_TYPE_REAL, .real = INFINITY}, "not finite"},
	               {{.id = "twice"}, "told before"}};
	struct sample sample;

	CU_ASSERT_FATAL(sample_init(&sample, 1, sample_names));
	struct results *results = &sample.sources[0].results;
	CU_ASSERT_TRUE(sample_check(&sample, 0, 0, "twice", TAV_RESULT_PASS, NULL));
	CU_ASSERT_TRUE(sample_metric(&sample, 0, 0, "twice", 1, TAV_UNIT_NS));
	CU_ASSERT_TRUE(sample_metric(&sample, 1, 0, "twice", 1, TAV_UNIT_NS));
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		const char *why = NULL;

		REFUSED(results_add_check(results, 0, TAV_BY_EACH, &checks[i].check, &why), checks[i].why);
	}
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
		const char *why = NULL;

		REFUSED(results_add_metric(results, 0, TAV_BY_EACH, &metrics[i].metric, &why), metrics[i].why);
	}
	const char *why = NULL;
	REFUSED(results_add_metric(results, 7, TAV_BY_EACH, &metrics[6].metric, &why), "stage");
	REFUSED(results_add_headline(results, 0, TAV_BY_EACH, "", &why), "empty");
	CU_ASSERT_EQUAL(results->stages[0].check_count, 1);
	CU_ASSERT_EQUAL(results->stages[0].metric_count, 1);
	CU_ASSERT_PTR_NOT_NULL(results_find_check(results, 0, "twice"));
	CU_ASSERT_PTR_NULL(results_find_check(results, 1, "twice"));
	CU_ASSERT_PTR_NOT_NULL(results_find_metric(results, 1, "twice"));
	CU_ASSERT_PTR_NULL(results_find_finding(results, 0, "twice"));
	sample_fini(&sample);
}

static void tables_and_findings_that_are_nonsense(void)
{
	struct sample sample;
	const char *why = NULL;
	int64_t numbers[2] = {1, 2};
	double reals[2] = {1, NAN};
	uint64_t only_first = 1;

	CU_ASSERT_FATAL(sample_init(&sample, 1, sample_names));
	REFUSED(add_batch(&sample, "few", numbers, 2, 1, 0, &why), "its count is 1, and it has 2 instances");
	struct tav_series columns[2] = {{"number", TAV_TYPE_INT, TAV_UNIT_NS, numbers, NULL},
	                                {"real", TAV_TYPE_REAL, TAV_UNIT_NONE, reals, NULL}};
	struct tav_table table = {.id = "table", .title = "A table", .row_count = 2, .columns = TAV_LIST(columns)};
	REFUSED(sample_table(&sample, 0, 0, &table, &why), "the column 'real' holds a number that is not");
	columns[1].present = &only_first; /* what is absent may be anything */
	CU_ASSERT_TRUE(sample_table(&sample, 0, 0, &table, &why));
	REFUSED(sample_table(&sample, 0, 0, &table, &why), "told before");
	table.id = "other";
	columns[1].name = "number";
	REFUSED(sample_table(&sample, 0, 0, &table, &why), "two columns or measures are named 'number'");
	columns[1].name = "real";
	columns[1].unit = 77;
	REFUSED(sample_table(&sample, 0, 0, &table, &why), "the column 'real' has the unit 77");
	columns[1].unit = 0;
	columns[1].type = 50;
	REFUSED(sample_table(&sample, 0, 0, &table, &why), "the column 'real' has the type 50");
	columns[1] = columns[0];
	columns[1].name = "empty";
	columns[1].data = NULL;
	REFUSED(sample_table(&sample, 0, 0, &table, &why), "the column 'empty' has no data");
	table.columns.count = 0;
	REFUSED(sample_table(&sample, 0, 0, &table, &why), "no columns");

	struct tav_finding finding = {
	        .severity = TAV_SEV_NOTE, .id = "far", .message = "m", .refs_each = 1, .count = 1, .instance_count = 1};
	REFUSED(sample_finding(&sample, 0, 0, &finding, &why), "name no events");
	finding.events = sample.events[0];
	CU_ASSERT_TRUE(sample_finding(&sample, 0, 0, &finding, &why));
	finding.refs_each = 0;
	REFUSED(sample_finding(&sample, 0, 0, &finding, &why), "other measures or another number of events");
	finding.refs_each = 5;
	REFUSED(sample_finding(&sample, 0, 0, &finding, &why), "5 events make one instance");
	finding.refs_each = 1;
	finding.message = "";
	REFUSED(sample_finding(&sample, 0, 0, &finding, &why), "no message");
	finding.message = "m";
	REFUSED(results_add_finding(&sample.sources[0].results, 0, TAV_BY_COMBINE, &finding, &why), "each() told it");
	finding.severity = 8;
	REFUSED(sample_finding(&sample, 0, 0, &finding, &why), "severity is 8");
	sample_fini(&sample);
}

static void what_combine_told_can_be_taken_away(void)
{
	struct sample sample;
	const char *why = NULL;
	const struct tav_check late = {.struct_size = sizeof(late), .id = "late", .result = TAV_RESULT_FAIL};

	CU_ASSERT_FATAL(sample_init(&sample, 1, sample_names));
	struct results *results = &sample.sources[0].results;
	CU_ASSERT_TRUE(results_add_check(results, 0, TAV_BY_COMBINE, &late, &why));
	CU_ASSERT_TRUE(sample_check(&sample, 0, 0, "kept", TAV_RESULT_WARN, "so"));
	CU_ASSERT_TRUE(sample_add_overlap(&sample, 0, 5, &why));
	CU_ASSERT_TRUE(results_add_headline(results, 0, TAV_BY_COMBINE, "late", &why));
	results->stages[0].checks[1]->result = TAV_RESULT_PASS; /* by the user's `severity` */
	CU_ASSERT_TRUE(results_keep_each(results));
	CU_ASSERT_EQUAL(results->stages[0].check_count, 1);
	CU_ASSERT_EQUAL(results->stages[0].headline_count, 0);
	CU_ASSERT_EQUAL(results->stages[0].checks[0]->result, TAV_RESULT_WARN);
	CU_ASSERT_PTR_NULL(results_find_check(results, 0, "late"));
	CU_ASSERT_PTR_EQUAL(results_find_check(results, 0, "kept"), results->stages[0].checks[0]);
	CU_ASSERT_PTR_NOT_NULL(results_find_finding(results, 0, "device_overlap"));
	results_renumber(results, 7);
	CU_ASSERT_EQUAL(results->stages[0].checks[0]->source, 7);
	CU_ASSERT_EQUAL(results->stages[0].findings[0]->shown.events[1].source, 7);
	CU_ASSERT_TRUE(results_add_check(results, 0, TAV_BY_COMBINE, &late, &why));
	sample_fini(&sample);
}

/* Processor time of `count` metrics, checks, findings and batches of one finding. */
static double time_of(uint32_t count)
{
	struct sample sample;
	const char *why = NULL;
	char id[32];

	CU_ASSERT_FATAL(sample_init(&sample, 1, sample_names));
	clock_t start = clock();
	for (uint32_t i = 0; i < count; i++) {
		struct tav_finding finding = {.severity = TAV_SEV_NOTE,
		                              .id = id,
		                              .message = "m",
		                              .refs_each = 1,
		                              .count = 1,
		                              .instance_count = 1};

		finding.events = &sample.events[0][i % SAMPLE_ROWS];
		snprintf(id, sizeof(id), "id_%u", i);
		CU_ASSERT_TRUE(sample_metric(&sample, 0, 0, id, i, TAV_UNIT_COUNT));
		CU_ASSERT_TRUE(sample_check(&sample, 0, 0, id, TAV_RESULT_PASS, NULL));
		CU_ASSERT_TRUE(sample_finding(&sample, 0, 0, &finding, &why));
		finding.id = "one";
		CU_ASSERT_TRUE(sample_finding(&sample, 1, 0, &finding, &why));
	}
	for (uint32_t i = 0; i < count; i++) {
		snprintf(id, sizeof(id), "id_%u", i);
		CU_ASSERT_PTR_NOT_NULL(results_find_metric(&sample.sources[0].results, 0, id));
	}
	CU_ASSERT_NOT_EQUAL(results_bytes(&sample.sources[0].results), 0);
	clock_t end = clock();
	sample_fini(&sample);
	return (double)(end - start) / CLOCKS_PER_SEC;
}

static void telling_is_linear(void)
{
	double least[2] = {1e9, 1e9};

	for (unsigned turn = 0; turn < 3; turn++) {
		for (unsigned i = 0; i < 2; i++) {
			double seconds = time_of(i ? 40000 : 10000);

			least[i] = seconds < least[i] ? seconds : least[i];
		}
	}
	CU_ASSERT_TRUE(least[1] < least[0] * 8); /* four times as many; quadratic would be 16 */
}

static void texts_are_kept_once_and_valid(void)
{
	struct sample sample;
	const char *why = NULL;
	const struct tav_text bad = {"a\xff", 2}, names[2] = {bad, bad};

	CU_ASSERT_FATAL(sample_init(&sample, 1, names));
	CU_ASSERT_TRUE(sample_add_overlap(&sample, 0, 5, &why));
	const struct tav_event *events = sample.sources[0].results.stages[0].findings[0]->shown.events;
	CU_ASSERT_STRING_EQUAL(events[0].name.data, "a\\xff");
	CU_ASSERT_PTR_EQUAL(events[0].name.data, events[1].name.data);
	sample_fini(&sample);
}

SUITE("report", {"report: verdicts take the worst", verdicts_take_the_worst},
      {"report: what died is an error", what_died_is_an_error},
      {"report: nothing examined is a warning", nothing_examined_is_a_warning}, {"report: doubts warn", doubts_warn},
      {"report: batches add up and keep the longest", batches_add_up_and_keep_the_longest},
      {"report: a hundred are kept unless said", a_hundred_are_kept_unless_said},
      {"report: batches of any size keep the same", batches_of_any_size_keep_the_same},
      {"report: checks and metrics that are nonsense", checks_and_metrics_that_are_nonsense},
      {"report: tables and findings that are nonsense", tables_and_findings_that_are_nonsense},
      {"report: what combine told can be taken away", what_combine_told_can_be_taken_away},
      {"report: telling is linear", telling_is_linear},
      {"report: texts are kept once and valid", texts_are_kept_once_and_valid})
