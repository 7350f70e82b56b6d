/* SPDX-License-Identifier: Apache-2.0 */
#include "report_sample.h"
#include "suite.h"

static const struct report_style plain = {.width = 100};

static void a_failed_run_names_both_events(void)
{
	struct sample sample;
	const char *why = NULL;

	CU_ASSERT_FATAL(sample_init(&sample, 1, sample_names));
	CU_ASSERT_TRUE(report_add_check(&sample.report, 0, 0, "device_events", TAV_RESULT_PASS,
	                                "2 device events on 1 track, 0 on the default stream"));
	CU_ASSERT_TRUE(report_add_check(&sample.report, 0, 0, "overlaps", TAV_RESULT_FAIL,
	                                "1 device event overlaps an earlier one"));
	CU_ASSERT_TRUE(sample_add_overlap(&sample, 0, 1, &why));
	CU_ASSERT_TRUE(report_add_metric(&sample.report, 0, TAV_RUN, "overlap_ns", 5000, TAV_UNIT_NS));
	CU_ASSERT_TRUE(report_add_metric(&sample.report, 0, TAV_RUN, "device_events", 2, TAV_UNIT_COUNT));
	CU_ASSERT_TRUE(report_add_metric(&sample.report, 0, TAV_RUN, "duplicate_records", 0, TAV_UNIT_COUNT));
	char *text = sample_write(&sample, "text", &plain);
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_STRING_EQUAL(
	        text,
	        "tav 1.2.3, pipeline verify\n"
	        "\n"
	        "trace.json\n"
	        "  input    object, 12.3 kB, 4 events\n"
	        "  dialect  torch (score 90: deviceProperties)\n"
	        "\n"
	        "overlap-verify: FAIL\n"
	        "  ok    device_events  2 device events on 1 track, 0 on the default stream\n"
	        "  FAIL  overlaps       1 device event overlaps an earlier one\n"
	        "\n"
	        "  error  device_overlap: device events of one stream occupy the same time (1)\n"
	        "    #  event   category  pid  tid  stream   start   duration  byte\n"
	        "    1  gemm_b  kernel    0    400  7       105 us  10.001 us  4711\n"
	        "       gemm_a  kernel    0    400  7       100 us      10 us    17\n"
	        "       overlap 1 ns, kind partial\n"
	        "\n"
	        "  metrics\n"
	        "    overlap_ns     5 us\n"
	        "    device_events     2\n"
	        "    0: duplicate_records\n"
	        "\n"
	        "stats (st): said nothing\n"
	        "\n"
	        "FAIL  trace.json: 2 device events on 1 track, 0 on the default stream; 1 device event overlaps an "
	        "earlier one\n");
	free(text);
	sample_fini(&sample);
}

static void a_read_error_shows_the_place(void)
{
	struct sample sample;

	CU_ASSERT_FATAL(sample_init(&sample, 1, sample_names));
	sample_break(&sample, 0);
	char *text = sample_write(&sample, "text", &plain);
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_STRING_EQUAL(
	        text, "tav 1.2.3, pipeline verify\n"
	              "\n"
	              "trace.json:3:12: error: a comma or ']' was expected, \"}\" was found (byte offset 120; "
	              "5 events were read before it)\n"
	              "    {\"ph\": \"X\"}}\n"
	              "               ^\n"
	              "\n"
	              "overlap-verify: no trace to look at\n"
	              "\n"
	              "stats (st): no trace to look at\n"
	              "\n"
	              "ERROR trace.json: a comma or ']' was expected, \"}\" was found at line 3, column 12 (byte "
	              "offset 120)\n");
	free(text);
	sample_fini(&sample);
}

SUITE("report text", {"report text: a failed run names both events", a_failed_run_names_both_events},
      {"report text: a read error shows the place", a_read_error_shows_the_place})
