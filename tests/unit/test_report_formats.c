/* SPDX-License-Identifier: Apache-2.0 */
/* CSV and JUnit: what goes where. That other programs can read them is for tests/report. */
#include <time.h>

#include "report_rich.h"
#include "suite.h"

static const struct report_style plain = {.width = 100};

static unsigned count(const char *text, const char *word)
{
	unsigned found = 0;

	for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
		found++;
	return found;
}

static void a_check_and_its_finding_are_one_case(void)
{
	struct sample sample;
	const char *why = NULL;

	CU_ASSERT_FATAL(sample_init(&sample, 1, sample_names));
	CU_ASSERT_TRUE(sample_check(&sample, 0, 0, "device_overlap", TAV_RESULT_FAIL, "1 overlap"));
	CU_ASSERT_TRUE(sample_check(&sample, 0, 0, "times", TAV_RESULT_PASS, NULL));
	CU_ASSERT_TRUE(sample_add_overlap(&sample, 0, 5000, &why));
	char *text = sample_write(&sample, "junit", &plain);
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_EQUAL(count(text, "<testcase"), 3); /* reading it is one */
	CU_ASSERT_EQUAL(count(text, "<failure"), 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "<testsuites name=\"tav\" tests=\"3\" failures=\"1\" errors=\"0\">"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "<failure type=\"check\" message=\"1 overlap\">\n"
	                                    "device events of one stream occupy the same time\n"
	                                    "1. overlap 5 us, kind partial\n"
	                                    "   gemm_b: kernel, pid 0"));
	CU_ASSERT_PTR_NULL(strstr(text, "(1)"));
	CU_ASSERT_PTR_NULL(strstr(text, "more"));
	free(text);
	sample_fini(&sample);
}

/* A check that passed does not hide a finding that failed, and a stage that died is an error of its source. */
static void junit_takes_the_worse(void)
{
	struct sample sample;
	const char *why = NULL;

	CU_ASSERT_FATAL(sample_init(&sample, 2, sample_names));
	CU_ASSERT_TRUE(sample_check(&sample, 0, 0, "device_overlap", TAV_RESULT_PASS, NULL));
	CU_ASSERT_TRUE(sample_add_overlap(&sample, 0, 5000, &why));
	sample.sources[1].results.stages[0].error = "it died";
	char *text = sample_write(&sample, "junit", &plain);
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "tests=\"4\" failures=\"1\" errors=\"1\">"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "<error type=\"stage\" message=\"it died\"></error>"));
	free(text);
	sample_fini(&sample);
}

static void blocks_of_csv_hold_one_shape(void)
{
	struct sample sample;
	const char *why = NULL;

	CU_ASSERT_FATAL(sample_init(&sample, 2, sample_names));
	struct tav_finding other = {.severity = TAV_SEV_NOTE, .id = "device_overlap", .message = "m", .count = 2};
	CU_ASSERT_TRUE(sample_add_overlap(&sample, 0, 5000, &why) && sample_add_overlap(&sample, 1, 6000, &why));
	CU_ASSERT_TRUE(sample_finding(&sample, 0, TAV_RUN, &other, &why));
	CU_ASSERT_TRUE(rich_tables(&sample, 0, text_of("k")) && rich_tables(&sample, 1, text_of("k")));
	char *text = sample_write(&sample, "csv", &plain);
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_EQUAL(count(text, "stage,source,finding,severity,count"), 2);
	CU_ASSERT_EQUAL(count(text, "a_name,a_category"), 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(text,
	                              "\r\noverlap-verify,trace.json,device_overlap,error,1,,gemm_b,kernel,0,400,7,,"
	                              "105000,115001,10001,4711,gemm_a,"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\r\noverlap-verify,,device_overlap,note,2,\r\n"));
	/* an event of a table is all of its facts, and what is for programs alone is in JSON */
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\r\nstage,source,table,name,number_ns,real,event_name,event_category,"));
	CU_ASSERT_EQUAL(count(text, ",for_eyes,"), 6);
	CU_ASSERT_EQUAL(count(text, "for_combine"), 0);
	free(text);
	sample_fini(&sample);
}

static void data_tables_are_not_for_eyes(void)
{
	struct sample sample;

	CU_ASSERT_FATAL(rich_init(&sample));
	char *text = sample_write(&sample, "text", &plain), *json = sample_write(&sample, "json", &plain);
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_PTR_NOT_NULL_FATAL(json);
	CU_ASSERT_EQUAL(count(text, "\n  For eyes\n"), 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(json, "\"for_combine\""));
	/* long names: 400 characters where they are used, all of them once a source */
	CU_ASSERT_PTR_NOT_NULL(strstr(json, "{\"begins\": \"abc"));
	CU_ASSERT_PTR_NOT_NULL(strstr(json, "\n                [\"abc")); /* a row is a line */
	free(text);
	free(json);
	sample_fini(&sample);
}

/* Writing `count` sources with a finding, a table and a check each. */
static double time_of(uint32_t sources, const char *format)
{
	struct report_source *list = calloc(sources, sizeof(*list));
	char(*paths)[32] = calloc(sources, sizeof(*paths));
	struct sample sample;
	const char *why = NULL;

	CU_ASSERT_FATAL(list && paths && sample_init(&sample, 1, sample_names));
	results_fini(&sample.sources[0].results);
	for (uint32_t i = 0; i < sources; i++) {
		const struct tav_event events[2] = {sample.events[0][0], sample.events[0][1]};
		struct tav_finding finding = {.severity = TAV_SEV_ERROR,
		                              .id = "late",
		                              .message = "m",
		                              .refs_each = 2,
		                              .count = 1,
		                              .instance_count = 1,
		                              .max_instances = 1,
		                              .events = events};
		const struct tav_check check = {.id = "looked", .result = TAV_RESULT_FAIL};

		snprintf(paths[i], sizeof(paths[i]), "same/rank%u.json", i % 7 ? i : 1);
		list[i] = (struct report_source){.path = paths[i], .role = ""};
		sample_facts(&list[i]);
		CU_ASSERT_FATAL(results_init(&list[i].results, i, SAMPLE_STAGES));
		CU_ASSERT_TRUE(results_add_finding(&list[i].results, 0, TAV_BY_EACH, &finding, &why) &&
		               results_add_check(&list[i].results, 1, TAV_BY_EACH, &check, &why));
	}
	sample.report.sources = list;
	sample.report.source_count = sources;
	clock_t start = clock();
	free(sample_write(&sample, format, &plain));
	clock_t end = clock();
	sample_fini(&sample);
	free(paths);
	free(list);
	return (double)(end - start) / CLOCKS_PER_SEC;
}

static void writing_is_linear_in_sources(void)
{
	static const char *const formats[] = {"text", "json", "csv", "junit"};

	for (size_t format = 0; format < sizeof(formats) / sizeof(formats[0]); format++) {
		double least[2] = {1e9, 1e9};

		for (unsigned turn = 0; turn < 3; turn++) {
			for (unsigned i = 0; i < 2; i++) {
				double seconds = time_of(i ? 4000 : 1000, formats[format]);

				least[i] = seconds < least[i] ? seconds : least[i];
			}
		}
		CU_ASSERT_TRUE(least[1] < least[0] * 8 + 0.01);
	}
}

SUITE("report formats", {"report formats: a check and its finding are one case", a_check_and_its_finding_are_one_case},
      {"report formats: junit takes the worse", junit_takes_the_worse},
      {"report formats: blocks of csv hold one shape", blocks_of_csv_hold_one_shape},
      {"report formats: data tables are not for eyes", data_tables_are_not_for_eyes},
      {"report formats: writing is linear in sources", writing_is_linear_in_sources})
