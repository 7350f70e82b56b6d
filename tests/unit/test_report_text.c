/* SPDX-License-Identifier: Apache-2.0 */
#include <time.h>

#include <report/shorten.h>

#include "report_sample.h"
#include "suite.h"

static const struct report_style plain = {.width = 100};

static void a_failed_run_names_both_events(void)
{
	struct sample sample;
	const char *why = NULL;

	CU_ASSERT_FATAL(sample_init(&sample, 1, sample_names));
	CU_ASSERT_TRUE(sample_check(&sample, 0, 0, "device_events", TAV_RESULT_PASS,
	                            "2 device events on 1 track, 0 on the default stream"));
	CU_ASSERT_TRUE(
	        sample_check(&sample, 0, 0, "overlaps", TAV_RESULT_FAIL, "1 device event overlaps an earlier one"));
	CU_ASSERT_TRUE(sample_add_overlap(&sample, 0, 1, &why));
	CU_ASSERT_TRUE(sample_metric(&sample, 0, TAV_RUN, "overlap_ns", 5000, TAV_UNIT_NS));
	CU_ASSERT_TRUE(sample_metric(&sample, 0, TAV_RUN, "device_events", 2, TAV_UNIT_COUNT));
	CU_ASSERT_TRUE(sample_metric(&sample, 0, TAV_RUN, "duplicate_records", 0, TAV_UNIT_COUNT));
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
	        "  error  device_overlap: device events of one stream occupy the same time\n"
	        "     1  overlap 1 ns, kind partial\n"
	        "        gemm_b\n"
	        "          kernel, pid 0, tid 400, stream 7, start 105 us (+10.00 us), lasts 10.001 us, byte 4711\n"
	        "        gemm_a\n"
	        "          kernel, pid 0, tid 400, stream 7, start 100 us (+5.000 us), lasts 10 us, byte 17\n"
	        "\n"
	        "  metrics\n"
	        "    overlap_ns     5 us\n"
	        "    device_events     2\n"
	        "\n"
	        "stats (st): said nothing\n"
	        "  with  tolerance: 1us\n"
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
	              "  with  tolerance: 1us\n"
	              "\n"
	              "ERROR trace.json: a comma or ']' was expected, \"}\" was found at line 3, column 12 (byte "
	              "offset 120)\n");
	free(text);
	sample_fini(&sample);
}

static void names_cannot_forge_lines(void)
{
	struct sample sample;
	const char *why = NULL;
	const struct tav_text names[2] = {{"PASS\r\nPASS  all is well\x1b[2J", 27}, {"\xff\xe2\x80\xae", 4}};

	CU_ASSERT_FATAL(sample_init(&sample, 1, names));
	CU_ASSERT_TRUE(sample_add_overlap(&sample, 0, 5000, &why));
	char *text = sample_write(&sample, "text", &plain);
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, " PASS\\r\\nPASS  all is well\\x1b[2J\n          kernel,"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, " \\xff\\u202e\n"));
	CU_ASSERT_PTR_NULL(strchr(text, '\r'));
	CU_ASSERT_PTR_NULL(strchr(text, '\x1b'));
	CU_ASSERT_PTR_NULL(strstr(text, "\nPASS"));
	free(text);
	sample_fini(&sample);
}

static void colours_stand_around_verdicts(void)
{
	const struct report_style coloured = {.is_coloured = true, .width = 100, .verbosity = -1};
	struct sample sample;

	CU_ASSERT_FATAL(sample_init(&sample, 2, sample_names));
	CU_ASSERT_TRUE(sample_check(&sample, 0, 0, "looked", TAV_RESULT_WARN, "0 device events"));
	char *text = sample_write(&sample, "text", &coloured);
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_STRING_EQUAL(text, "\x1b[1;33mWARN \x1b[0m trace.json: 0 device events\n"
	                             "\x1b[1;32mPASS \x1b[0m rank1.json: 4 events\n"
	                             "\x1b[1;33mWARN \x1b[0m run of 2 traces: 1 PASS, 1 WARN\n");
	free(text);
	sample_fini(&sample);
}

/* Cases of the checks ask for it: a run that could not be done must not hold the word. */
static void an_error_never_says_pass(void)
{
	struct sample sample;

	for (int verbosity = -1; verbosity <= 2; verbosity++) {
		const struct report_style style = {.width = 80, .verbosity = verbosity};

		CU_ASSERT_FATAL(sample_init(&sample, 1, sample_names));
		sample_break(&sample, 0);
		sample.report.run.stages[0].error = "it did not run";
		CU_ASSERT_TRUE(sample_check(&sample, 1, TAV_RUN, "looked", TAV_RESULT_PASS, "at nothing"));
		char *text = sample_write(&sample, "text", &style);
		CU_ASSERT_PTR_NOT_NULL_FATAL(text);
		CU_ASSERT_PTR_NULL(strcasestr(text, "pass"));
		CU_ASSERT_PTR_NOT_NULL(strstr(text, "ERROR trace.json: a comma"));
		free(text);
		sample_fini(&sample);
	}
}

static bool add_instances(struct sample *sample, uint64_t kept, uint64_t count)
{
	struct tav_event events[32];
	int64_t times[32] = {0};
	struct tav_series measures[] = {{"lag_ns", TAV_TYPE_INT, TAV_UNIT_NS, times, NULL}};
	struct tav_finding finding = {.severity = TAV_SEV_WARNING,
	                              .id = "late",
	                              .message = "events come late",
	                              .refs_each = 1,
	                              .count = count,
	                              .instance_count = kept,
	                              .events = events,
	                              .measures = TAV_LIST(measures)};
	const char *why = NULL;

	for (unsigned i = 0; i < 32; i++)
		events[i] = sample->events[0][0];
	return sample_finding(sample, 0, 0, &finding, &why);
}

static void many_instances_are_cut(void)
{
	static const struct {
		int verbosity;
		const char *end;
	} cases[] = {{0, "\n    10  lag 0 ns\n        gemm_a\n          kernel, pid 0, tid 400, stream 7, start 100 us "
	                 "(+5.000 us), lasts 10 us, byte 17\n"
	                 "    ... and 2,024 more (-v or --report json=PATH lists more of them)\n"},
	             {1, "\n    32  lag 0 ns\n        gemm_a\n          kernel, pid 0, tid 400, stream 7, start 100 us "
	                 "(+5.000 us), lasts 10 us, byte 17\n"
	                 "    ... and 2,002 more\n"}};
	struct sample sample;

	CU_ASSERT_FATAL(sample_init(&sample, 1, sample_names));
	CU_ASSERT_TRUE(add_instances(&sample, 32, 2034));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct report_style style = {.width = 100, .verbosity = cases[i].verbosity};
		char *text = sample_write(&sample, "text", &style);

		CU_ASSERT_PTR_NOT_NULL_FATAL(text);
		CU_ASSERT_PTR_NOT_NULL(strstr(text, "\n  warning  late: events come late (2,034 times)\n"));
		CU_ASSERT_PTR_NOT_NULL(strstr(text, cases[i].end));
		free(text);
	}
	sample_fini(&sample);
}

static void tables_fit_the_width(void)
{
	struct sample sample;
	struct tav_text names[2] = {text_of("void a_rather_long_kernel_name<float, 4>(float const*)"), text_of("k")};
	int64_t times[2] = {1234567, 1}, counts[2] = {1234567, 0};
	double shares[2] = {0.999, 0.001};
	const uint64_t first_only = 1;
	struct tav_series columns[] = {{"name", TAV_TYPE_STRING, TAV_UNIT_NONE, names, NULL},
	                               {"count", TAV_TYPE_INT, TAV_UNIT_COUNT, counts, &first_only},
	                               {"total_ns", TAV_TYPE_INT, TAV_UNIT_NS, times, NULL},
	                               {"share", TAV_TYPE_REAL, TAV_UNIT_RATIO, shares, NULL}};
	struct tav_table table = {
	        .id = "names", .title = "By name", .row_count = 2, .omitted_count = 1200, .columns = TAV_LIST(columns)};
	const char *why = NULL;
	static const struct {
		unsigned width;
		const char *shown;
	} cases[] = {{100, "  By name\n"
	                   "    name                                                        count     total    share\n"
	                   "    void a_rather_long_kernel_name<float, 4>(float const*)  1,234,567  1.235 ms  99.90 %\n"
	                   "    k                                                               -      1 ns   0.10 %\n"
	                   "    ... and 1,200 more (--set st.top=N shows more)\n"},
	             {60, "        count     total    share  name\n"
	                  "    1,234,567  1.235 ms  99.90 %  void a_rather_lo...const*)\n"
	                  "            -      1 ns   0.10 %  k\n"
	                  "    ... and 1,200 more (--set st.top=N shows more)\n"},
	             {40, "        count     total  name\n"
	                  "    1,234,567  1.235 ms  void a_r...st*)\n"
	                  "            -      1 ns  k\n"
	                  "    (no room for: share; -v shows them,\n"
	                  "     as do the other formats)\n"}};

	CU_ASSERT_FATAL(sample_init(&sample, 1, sample_names));
	CU_ASSERT_TRUE(sample_table(&sample, 1, 0, &table, &why));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct report_style style = {.width = cases[i].width};
		char *text = sample_write(&sample, "text", &style);

		CU_ASSERT_PTR_NOT_NULL_FATAL(text);
		CU_ASSERT_PTR_NOT_NULL(strstr(text, cases[i].shown));
		free(text);
	}
	sample_fini(&sample);
}

static void a_table_shows_what_its_stage_wants(void)
{
	struct sample sample;
	const char *why = NULL;
	const int64_t times[2] = {2000, 1000};
	const struct tav_text names[2] = {text_of("gemm_a"), text_of("gemm_b")};
	const struct tav_text reasons[2] = {text_of("a reason of more words than the forty columns hold"), text_of("")};
	const uint64_t first_only = 1;
	const struct tav_series columns[] = {{"name", TAV_TYPE_STRING, TAV_UNIT_NONE, names, NULL},
	                                     {"reason", TAV_TYPE_STRING, TAV_UNIT_NONE, reasons, &first_only},
	                                     {"total_ns", TAV_TYPE_INT, TAV_UNIT_NS, times, NULL},
	                                     {"rank", TAV_TYPE_INT, TAV_UNIT_NONE, times, NULL}};
	static const uint32_t shows[] = {TAV_SHOW_COLUMN, TAV_SHOW_NOTE, TAV_SHOW_COLUMN, TAV_SHOW_DETAIL};
	static const uint32_t details[] = {TAV_SHOW_DETAIL, TAV_SHOW_DETAIL, TAV_SHOW_DETAIL, TAV_SHOW_DETAIL};
	struct tav_table table = {.id = "kernels",
	                          .title = "Kernels",
	                          .row_count = 2,
	                          .omitted_count = 3,
	                          .columns = TAV_LIST(columns),
	                          .shows = shows};
	static const struct report_style narrow = {.width = 40}, wordy = {.width = 40, .verbosity = 1};

	CU_ASSERT_FATAL(sample_init(&sample, 1, sample_names));
	CU_ASSERT_TRUE(sample_table(&sample, 0, 0, &table, &why));
	table.id = "first";
	table.title = "First";
	table.first_rows = 1;
	CU_ASSERT_TRUE(sample_table(&sample, 0, 0, &table, &why));
	table.id = "details";
	table.title = "Details";
	table.shows = details;
	CU_ASSERT_TRUE(sample_table(&sample, 0, 0, &table, &why));
	char *text = sample_write(&sample, "text", &narrow);
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\n  Kernels\n"
	                                    "    name       total\n"
	                                    "    gemm_a  2.000 us\n"
	                                    "            a reason of more words than\n"
	                                    "            the forty columns hold\n"
	                                    "    gemm_b  1.000 us\n"
	                                    "    ... and 3 more\n"
	                                    "\n  First\n"
	                                    "    name       total\n"
	                                    "    gemm_a  2.000 us\n"
	                                    "            a reason of more words than\n"
	                                    "            the forty columns hold\n"
	                                    "    ... and 4 more (-v"));
	CU_ASSERT_PTR_NULL(strstr(text, "Details"));
	free(text);
	text = sample_write(&sample, "text", &wordy);
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "    gemm_b  1.000 us  1000\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\n  Details\n"));
	free(text);
	text = sample_write(&sample, "json", &narrow);
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\"Details\""));
	free(text);
	sample_fini(&sample);
}

/* Where there is no room heads are stacked and the keys stay; two heads that differ in their unit keep it. */
static void keys_are_never_left_out(void)
{
	struct sample sample;
	const char *why = NULL;
	const struct tav_text names[1] = {text_of("void a_rather_long_kernel_name<float, 4>(float const*)")};
	const int64_t times[1] = {1234567};
	const double shares[1] = {12.5};
	const struct tav_series columns[] = {{"name", TAV_TYPE_STRING, TAV_UNIT_NONE, names, NULL},
	                                     {"gain_ns", TAV_TYPE_INT, TAV_UNIT_NS, times, NULL},
	                                     {"total_ns", TAV_TYPE_INT, TAV_UNIT_NS, times, NULL},
	                                     {"gain_pct", TAV_TYPE_REAL, TAV_UNIT_PERCENT, shares, NULL}};
	static const uint32_t shows[] = {TAV_SHOW_KEY, TAV_SHOW_COLUMN, TAV_SHOW_COLUMN, TAV_SHOW_KEY};
	struct tav_table table = {
	        .id = "t", .title = "T", .row_count = 1, .columns = TAV_LIST(columns), .shows = shows};
	const struct report_style narrow = {.width = 46};

	CU_ASSERT_FATAL(sample_init(&sample, 1, sample_names));
	CU_ASSERT_TRUE(sample_table(&sample, 0, 0, &table, &why));
	char *text = sample_write(&sample, "text", &narrow);
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\n                gain_\n"
	                                    "     gain_ns      pct  name\n"
	                                    "    1.235 ms  12.50 %  void a_rather_...onst*)\n"
	                                    "    (no room for: total; -v shows them, as do\n"
	                                    "     the other formats)\n"));
	free(text);
	sample_fini(&sample);
}

static void short_names_stay_different(void)
{
	static const char *const names[] = {"/tmp/work-1000/torchinductor/aaaaaaaaaaaaaaaa/x/bundle.mlir",
	                                    "/tmp/work-1000/torchinductor/aaaaaaaaaaaaaaab/x/bundle.mlir",
	                                    "/tmp/work-1000/torchinductor/aaaaaaaaaaaaaaac/x/bundle.mlir", "short",
	                                    "/tmp/work-1000/torchinductor/aaaaaaaaaaaaaaaa/x/bundle.mlir"};
	enum { COUNT = sizeof(names) / sizeof(names[0]) };

	for (unsigned width = 4; width < 70; width++) {
		struct arena arena = {0};
		const char *shown[COUNT + 1];

		memcpy(shown, names, sizeof(names));
		shown[COUNT] = NULL;
		CU_ASSERT_TRUE(shorten_all(&arena, shown, COUNT + 1, width));
		for (unsigned i = 0; i < COUNT; i++) {
			CU_ASSERT_TRUE(text_cells(shown[i], strlen(shown[i])) <= (width < 5 ? 5 : width));
			for (unsigned j = 0; j < COUNT; j++)
				CU_ASSERT_EQUAL(!strcmp(shown[i], shown[j]), !strcmp(names[i], names[j]));
		}
		CU_ASSERT_PTR_NULL(shown[COUNT]);
		if (width == 30)
			CU_ASSERT_PTR_NOT_NULL(strstr(shown[1], "aab/x/bundle.mlir"));
		arena_fini(&arena);
	}
}

/* Widths are those of a terminal: what stands in two columns counts twice, what has none not at all. */
static void widths_are_cells(void)
{
	static const struct {
		const char *text;
		unsigned cells;
	} cases[] = {{"abc", 3}, {"\xe6\xa0\xb8", 2}, {"e\xcc\x81", 1}, {"\xf0\x9f\x98\x80", 2}, {"\xc3\xa9", 1},
	             {"", 0}};
	struct arena arena = {0};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CU_ASSERT_EQUAL(text_cells(cases[i].text, strlen(cases[i].text)), cases[i].cells);
	const char *shown = text_shorten(&arena, "\xe6\xa0\xb8\xe6\xa0\xb8\xe6\xa0\xb8\xe6\xa0\xb8\xe6\xa0\xb8", 8);
	CU_ASSERT_STRING_EQUAL(shown, "\xe6\xa0\xb8\xe6\xa0\xb8...");
	arena_fini(&arena);
}

/* What a CI server obeys: a line that begins with "::", or holds "##[". */
static void names_command_no_server(void)
{
	static const struct report_style wordy = {.width = 60, .verbosity = 1};
	struct sample sample;
	const char *why = NULL;
	const struct tav_text names[2] = {text_of("::set-output name=a::b"),
	                                  text_of("at::mm ::error:: ##[error]x ##vso[task")};

	CU_ASSERT_FATAL(sample_init(&sample, 1, names));
	CU_ASSERT_TRUE(sample_add_overlap(&sample, 0, 5000, &why));
	CU_ASSERT_TRUE(sample_check(&sample, 0, 0, "looked", TAV_RESULT_FAIL,
	                            "so long that the words which come ::warning::last"));
	char *text = sample_write(&sample, "text", &wordy);
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		CU_ASSERT_FALSE(!strncmp(line + strspn(line, " "), "::", 2));
	CU_ASSERT_PTR_NULL(strstr(text, "##["));
	CU_ASSERT_PTR_NULL(strstr(text, "##vso["));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, " :\\x3aset-output name=a::b\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "at::mm"));
	free(text);
	sample_fini(&sample);
}

/* A finding says its count once, and ends with what to do. */
static void counts_are_told_once(void)
{
	static const struct {
		const char *message;
		uint64_t count;
		const char *shown;
	} cases[] = {{"kernel", 1, "late: kernel\n"},
	             {"3 events come late", 3, "late: 3 events come late\n"},
	             {"gpu_op of 13 streams", 3, "late: gpu_op of 13 streams (3 times)\n"},
	             {"1,234 of them", 1234, "late: 1,234 of them\n"},
	             {"in 31,234 of them", 1234, "late: in 31,234 of them (1,234 times)\n"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sample sample;
		const char *why = NULL;
		struct tav_finding finding = {.severity = TAV_SEV_NOTE,
		                              .id = "late",
		                              .message = cases[i].message,
		                              .count = cases[i].count,
		                              .remedy = "try --lenient"};

		CU_ASSERT_FATAL(sample_init(&sample, 1, sample_names));
		CU_ASSERT_TRUE(sample_finding(&sample, 0, 0, &finding, &why));
		char *text = sample_write(&sample, "text", &plain);
		CU_ASSERT_PTR_NOT_NULL_FATAL(text);
		CU_ASSERT_PTR_NOT_NULL(strstr(text, cases[i].shown));
		CU_ASSERT_PTR_NOT_NULL(strstr(text, "\n    try --lenient\n"));
		free(text);
		sample_fini(&sample);
	}
}

/* Many sources: one table, the worst first; those that did not pass in full; and what is told of the run. */
static void many_sources_share_a_table(void)
{
	enum { COUNT = 100 };
	static struct report_source sources[COUNT];
	static char paths[COUNT][32];
	struct sample sample;
	const char *why = NULL;

	CU_ASSERT_FATAL(sample_init(&sample, 1, sample_names));
	for (uint32_t i = 0; i < COUNT; i++) {
		const struct tav_metric metric = {
		        .id = "busy_ns", .value = i * 1000, .unit = TAV_UNIT_NS, .flags = TAV_METRIC_HEADLINE};

		snprintf(paths[i], sizeof(paths[i]), "run/rank%u.json", i);
		sources[i] = (struct report_source){.path = paths[i], .role = ""};
		sample_facts(&sources[i]);
		sources[i].facts.rank = i;
		CU_ASSERT_FATAL(results_init(&sources[i].results, i, SAMPLE_STAGES));
		CU_ASSERT_TRUE(results_add_metric(&sources[i].results, 1, TAV_BY_EACH, &metric, &why));
	}
	results_fini(&sample.sources[0].results);
	sample.report.sources = sources;
	sample.report.source_count = COUNT;
	const struct tav_check check = {.id = "looked", .result = TAV_RESULT_FAIL, .why = "3 overlaps"};
	CU_ASSERT_TRUE(results_add_check(&sources[70].results, 0, TAV_BY_EACH, &check, &why));
	CU_ASSERT_TRUE(results_add_headline(&sample.report.run, 0, TAV_BY_COMBINE, "3 overlaps in 1 of 100", &why));
	char *text = sample_write(&sample, "text", &plain);
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "tav 1.2.3, pipeline verify\n"
	                                    "\n"
	                                    "3 overlaps in 1 of 100\n"
	                                    "\n"
	                                    "  rank  verdict  trace        device events      busy\n"
	                                    "    70  FAIL     rank70.json              2  70.00 us\n"
	                                    "     0  PASS     rank0.json               2      0 ns\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\n  ... and 36 more, none worse"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\nrank70.json, rank 70\n"));
	CU_ASSERT_PTR_NULL(strstr(text, "\nrank71.json, rank 71\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\nFAIL  rank70.json (rank 70): 3 overlaps\n"
	                                    "FAIL  run of 100 traces: 99 PASS, 1 FAIL\n"));
	free(text);
	const struct report_style wordy = {.width = 100, .verbosity = 1}, quiet = {.width = 100, .verbosity = -1};
	text = sample_write(&sample, "text", &wordy);
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\nrun/rank71.json, rank 71\n"));
	free(text);
	text = sample_write(&sample, "text", &quiet);
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_STRING_EQUAL(text, "3 overlaps in 1 of 100\n"
	                             "FAIL  rank70.json (rank 70): 3 overlaps\n"
	                             "FAIL  run of 100 traces: 99 PASS, 1 FAIL\n");
	free(text);
	sample_fini(&sample);
}

/* Names of ten megabytes, as often as a finding may hold them. */
static void huge_names_take_no_time(void)
{
	static const char *const formats[] = {"text", "csv", "junit"};
	enum { SIZE = 10 << 20 };
	struct sample sample;
	const char *why = NULL;
	char *name = malloc(SIZE + 1);

	CU_ASSERT_PTR_NOT_NULL_FATAL(name);
	memset(name, 'n', SIZE);
	name[SIZE - 1] = '\x01';
	name[SIZE] = '\0';
	const struct tav_text names[2] = {{name, SIZE}, {name, SIZE}};
	CU_ASSERT_FATAL(sample_init(&sample, 1, names));
	for (unsigned i = 0; i < 20; i++)
		CU_ASSERT_TRUE(sample_add_overlap(&sample, 0, 5000 + i, &why));
	clock_t start = clock();
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		char *text = sample_write(&sample, formats[i], &plain);

		CU_ASSERT_PTR_NOT_NULL_FATAL(text);
		CU_ASSERT_PTR_NOT_NULL(strstr(text, "nnn\\x01"));
		/* A file has names whole, as far as it is readable. */
		CU_ASSERT_TRUE(strlen(text) < (strcmp(formats[i], "csv") ? 100000 : 4 << 20));
		free(text);
	}
	CU_ASSERT_TRUE(clock() - start < 20 * CLOCKS_PER_SEC);
	free(name);
	sample_fini(&sample);
}

SUITE("report text", {"report text: a failed run names both events", a_failed_run_names_both_events},
      {"report text: a read error shows the place", a_read_error_shows_the_place},
      {"report text: names cannot forge lines", names_cannot_forge_lines},
      {"report text: colours stand around verdicts", colours_stand_around_verdicts},
      {"report text: an error never says pass", an_error_never_says_pass},
      {"report text: many instances are cut", many_instances_are_cut},
      {"report text: tables fit the width", tables_fit_the_width},
      {"report text: a table shows what its stage wants", a_table_shows_what_its_stage_wants},
      {"report text: keys are never left out", keys_are_never_left_out},
      {"report text: short names stay different", short_names_stay_different},
      {"report text: widths are cells", widths_are_cells},
      {"report text: names command no server", names_command_no_server},
      {"report text: counts are told once", counts_are_told_once},
      {"report text: many sources share a table", many_sources_share_a_table},
      {"report text: huge names take no time", huge_names_take_no_time})
