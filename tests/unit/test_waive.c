/* SPDX-License-Identifier: Apache-2.0 */
/* Waivers: patterns, days, what they take, and that nothing goes away by them. */
#include <stdlib.h>

#include <kit/date.h>
#include <kit/glob.h>
#include <report/waive.h>

#include "report_sample.h"
#include "suite.h"

static void patterns_match_all_of_a_text(void)
{
	static const struct {
		const char *pattern, *text;
		bool is_match;
	} cases[] = {
	        {"", "", true},
	        {"*", "", true},
	        {"?", "", false},
	        {"gemm", "gemm", true},
	        {"gemm", "gemm_a", false},
	        {"emm", "gemm", false},
	        {"gemm*", "gemm", true},
	        {"gemm*", "gemm/a/b", true},
	        {"*gemm", "a gemm gemm", true},
	        {"*a*b*", "xxaxxbxx", true},
	        {"*a*b", "xxbxxa", false},
	        {"a?c", "abc", true},
	        {"a?c",
	         "a\xe2\x82\xac"
	         "c",
	         true},
	        {"a?c", "abbc", false},
	        {"rank[0-3].json", "rank2.json", true},
	        {"rank[0-3].json", "rank4.json", false},
	        {"rank[!0-3].json", "rank4.json", true},
	        {"rank[^0-3].json", "rank3.json", false},
	        {"[]]", "]", true},
	        {"[]-a]", "_", true},
	        {"[a-]", "-", true},
	        {"[\xce\xb1-\xcf\x89]", "\xce\xb2", true},
	        {"[\xce\xb1-\xcf\x89]", "b", false},
	        {"void f<\\*>(\\[x\\])", "void f<*>([x])", true},
	        {"\\*", "x", false},
	        {"*\xff*", "a\xff", true},
	        {"a*a*a*a*a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (glob_match(cases[i].pattern, text_of(cases[i].text)) != cases[i].is_match)
			fprintf(stderr, "%s, %s\n", cases[i].pattern, cases[i].text);
		CU_ASSERT_EQUAL(glob_match(cases[i].pattern, text_of(cases[i].text)), cases[i].is_match);
	}
	CU_ASSERT_TRUE(glob_match("a?b", (struct tav_text){"a\0b", 3}));
}

static void unsound_patterns_are_refused(void)
{
	static const char *const wrong[] = {"", "a\\", "[", "[]", "[!", "[!]", "a[b", "[a\\"};
	static const char *const sound[] = {"*", "[]]", "[!]]", "\\[", "a]", "[\\]"};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CU_ASSERT_PTR_NOT_NULL(glob_error(wrong[i]));
	for (size_t i = 0; i < sizeof(sound) / sizeof(sound[0]); i++)
		CU_ASSERT_PTR_NULL(glob_error(sound[i]));
}

static void days_are_those_of_the_calendar(void)
{
	static const char *const wrong[] = {"",           "2027",       "2027-1-31",   "2027-02-29", "2100-02-29",
	                                    "2027-00-01", "2027-13-01", "2027-01-00",  "2027-01-32", "2027-04-31",
	                                    "2027/01/31", "0000-01-01", "2027-01-311", " 2027-01-31"};
	uint32_t day = 0;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CU_ASSERT_FALSE(date_parse(wrong[i], &day));
	CU_ASSERT_TRUE(date_parse("2027-01-31", &day) && day == 20270131);
	CU_ASSERT_TRUE(date_parse("2028-02-29", &day) && day == 20280229);
	CU_ASSERT_TRUE(date_parse("2000-02-29", &day) && day == 20000229);
	CU_ASSERT_TRUE(date_parse("9999-12-31", &day) && day == 99991231);
}

static void today_can_be_set(void)
{
	uint32_t day = 0;

	CU_ASSERT_FALSE_FATAL(setenv("SOURCE_DATE_EPOCH", "1798761599", 1));
	CU_ASSERT_TRUE(date_today(&day) && day == 20261231);
	CU_ASSERT_FALSE_FATAL(setenv("SOURCE_DATE_EPOCH", "1798761600", 1));
	CU_ASSERT_TRUE(date_today(&day) && day == 20270101);
	CU_ASSERT_FALSE_FATAL(setenv("SOURCE_DATE_EPOCH", "yesterday", 1));
	CU_ASSERT_FALSE(date_today(&day));
	CU_ASSERT_FALSE_FATAL(setenv("SOURCE_DATE_EPOCH", "999999999999999", 1));
	CU_ASSERT_FALSE(date_today(&day));
	CU_ASSERT_FALSE_FATAL(unsetenv("SOURCE_DATE_EPOCH"));
	CU_ASSERT_TRUE(date_today(&day) && day > 20260101);
}

/* ---- What waivers take ----------------------------------------------------------------------------------------- */
enum { TODAY = 20261201 };
static const char *const none[] = {NULL}, *const any[] = {"*", NULL}, *const overlaps[] = {"overlap*", NULL},
                         *const of_verify[] = {"overlap-verify", NULL}, *const gemms[] = {"gemm*", NULL},
                         *const gemm_a[] = {"gemm_a", NULL}, *const seven[] = {"7", NULL}, *const eight[] = {"8", NULL},
                         *const rank1[] = {"rank1*", NULL};

static struct waiver rule(const char *const *stages, const char *const *ids)
{
	return (struct waiver){.file = "w",
	                       .stages = stages,
	                       .ids = ids,
	                       .names = none,
	                       .streams = none,
	                       .traces = none,
	                       .reason = "why",
	                       .until = "2027-01-31",
	                       .until_day = 20270131};
}

static void waive(struct sample *sample, struct waiver *rules, uint32_t count)
{
	sample->report.waivers = rules;
	sample->report.waiver_count = count;
	CU_ASSERT_TRUE_FATAL(report_waive(&sample->report, TODAY));
}

/* A failed check of its id, and a finding that counts `count` and lists `listed` pairs of gemm_b and gemm_a. */
static void add_overlaps(struct sample *sample, uint32_t source, uint64_t count, uint64_t listed)
{
	const struct tav_check check = {
	        .struct_size = sizeof(check), .id = "overlap", .result = TAV_RESULT_FAIL, .count = count};
	struct tav_event events[32];
	struct tav_finding finding = {.severity = TAV_SEV_ERROR,
	                              .id = "overlap",
	                              .message = "m",
	                              .refs_each = 2,
	                              .count = count,
	                              .instance_count = listed,
	                              .events = events};
	const char *why = NULL;

	for (uint64_t i = 0; i < 2 * listed; i++)
		events[i] = sample->events[source == TAV_RUN ? 0 : source][(i + 1) % 2];
	CU_ASSERT_TRUE_FATAL(results_add_check(sample_results(sample, source), 0, sample_by(source), &check, &why) &&
	                     sample_finding(sample, 0, source, &finding, &why));
}

static void start(struct sample *sample)
{
	CU_ASSERT_TRUE_FATAL(sample_init(sample, 2, sample_names));
}

static const struct tav_finding_result *found(struct sample *sample, uint32_t source)
{
	return &results_find_finding(sample_results(sample, source), 0, "overlap")->shown;
}

static void a_waiver_without_patterns_takes_all(void)
{
	struct waiver rules[] = {rule(of_verify, overlaps)};
	struct sample sample;

	start(&sample);
	add_overlaps(&sample, 0, 1000, 2);
	CU_ASSERT_EQUAL(report_exit_status(&sample.report), 1);
	waive(&sample, rules, 1);
	CU_ASSERT_EQUAL(report_exit_status(&sample.report), 0);
	CU_ASSERT_EQUAL(report_verdict(&sample.report), VERDICT_PASS);
	CU_ASSERT_EQUAL(rules[0].state, WAIVER_USED);
	CU_ASSERT_EQUAL(rules[0].count, 1000);
	CU_ASSERT_EQUAL(stage_waived(&sample.report, 0, 0), 1000);
	CU_ASSERT_EQUAL(found(&sample, 0)->count, 1000);
	sample.report.waivers = NULL;
	sample_fini(&sample);
}

/* What is not listed was not looked at, so it counts. */
static void patterns_take_what_is_listed(void)
{
	struct waiver rules[] = {rule(any, any)};
	struct sample sample;

	rules[0].names = gemms;
	start(&sample);
	add_overlaps(&sample, 0, 1000, 2);
	add_overlaps(&sample, 1, 2, 2);
	waive(&sample, rules, 1);
	CU_ASSERT_EQUAL(finding_waived(found(&sample, 0))->count, 2);
	CU_ASSERT_FALSE(finding_is_waived(found(&sample, 0)));
	CU_ASSERT_EQUAL(report_source_verdict(&sample.report, 0), VERDICT_FAIL);
	CU_ASSERT_TRUE(finding_is_waived(found(&sample, 1)));
	CU_ASSERT_EQUAL(report_source_verdict(&sample.report, 1), VERDICT_PASS);
	CU_ASSERT_EQUAL(rules[0].count, 4);
	sample.report.waivers = NULL;
	sample_fini(&sample);
}

static void every_event_of_an_instance_must_match(void)
{
	struct waiver rules[] = {rule(any, any), rule(any, any), rule(any, any), rule(any, any)};
	struct sample sample;

	rules[0].names = gemm_a; /* its partner is gemm_b */
	rules[1].streams = eight;
	rules[2].names = gemms;
	rules[2].traces = rank1;
	rules[3].streams = seven;
	start(&sample);
	add_overlaps(&sample, 0, 2, 2);
	waive(&sample, rules, 3);
	CU_ASSERT_EQUAL(report_waived(&sample.report), 0);
	CU_ASSERT_TRUE(rules[0].met == MET_OTHERS && rules[2].met == MET_NOTHING);
	CU_ASSERT_EQUAL(rules[2].state, WAIVER_UNUSED);
	waive(&sample, rules, 4);
	CU_ASSERT_EQUAL(rules[3].count, 2);
	CU_ASSERT_EQUAL(report_verdict(&sample.report), VERDICT_PASS);
	sample.report.waivers = NULL;
	sample_fini(&sample);
}

/* A check without a finding names no event: patterns cannot see what it is about. */
static void a_check_alone_is_taken_whole_or_not(void)
{
	struct waiver rules[] = {rule(any, any), rule(any, any)};
	struct sample sample;

	rules[0].names = any;
	start(&sample);
	CU_ASSERT_TRUE(sample_check(&sample, 1, 0, "slow", TAV_RESULT_FAIL, "10 %"));
	CU_ASSERT_TRUE(sample_check(&sample, 1, TAV_RUN, "late", TAV_RESULT_WARN, "rank 1"));
	waive(&sample, rules, 1);
	CU_ASSERT_EQUAL(report_exit_status(&sample.report), 1);
	CU_ASSERT_EQUAL(report_waived(&sample.report), 0);
	waive(&sample, rules, 2);
	CU_ASSERT_EQUAL(report_verdict(&sample.report), VERDICT_PASS);
	CU_ASSERT_EQUAL(rules[1].count, 2);
	sample.report.waivers = NULL;
	sample_fini(&sample);
}

/* A finding that no check speaks for fails as long as anything of it counts. */
static void a_finding_alone_counts_by_itself(void)
{
	struct waiver rules[] = {rule(any, any), rule(any, any)};
	struct tav_finding finding = {.severity = TAV_SEV_ERROR,
	                              .id = "lost",
	                              .message = "m",
	                              .refs_each = 1,
	                              .count = 3,
	                              .instance_count = 2};
	struct sample sample;
	const char *why = NULL;

	rules[0].names = gemms;
	start(&sample);
	finding.events = sample.events[0];
	CU_ASSERT_TRUE(sample_finding(&sample, 0, 0, &finding, &why));
	waive(&sample, rules, 1);
	CU_ASSERT_EQUAL(rules[0].count, 2);
	CU_ASSERT_EQUAL(report_exit_status(&sample.report), 1);
	waive(&sample, rules, 2);
	CU_ASSERT_EQUAL(rules[1].count, 1);
	CU_ASSERT_EQUAL(report_exit_status(&sample.report), 0);
	sample.report.waivers = NULL;
	sample_fini(&sample);
}

/* A check that counts more than its finding does is not taken by what that lists. */
static void a_check_that_counts_more_fails(void)
{
	struct waiver rules[] = {rule(any, any)};
	const struct tav_check check = {
	        .struct_size = sizeof(check), .id = "overlap", .result = TAV_RESULT_FAIL, .count = 5};
	struct tav_finding finding = {.severity = TAV_SEV_ERROR,
	                              .id = "overlap",
	                              .message = "m",
	                              .refs_each = 1,
	                              .count = 1,
	                              .instance_count = 1};
	struct sample sample;
	const char *why = NULL;

	rules[0].names = gemms;
	start(&sample);
	finding.events = sample.events[0];
	CU_ASSERT_TRUE(results_add_check(sample_results(&sample, 0), 0, TAV_BY_EACH, &check, &why));
	CU_ASSERT_TRUE(sample_finding(&sample, 0, 0, &finding, &why));
	waive(&sample, rules, 1);
	CU_ASSERT_TRUE(finding_is_waived(found(&sample, 0)));
	CU_ASSERT_EQUAL(report_exit_status(&sample.report), 1);
	sample.report.waivers = NULL;
	sample_fini(&sample);
}

static void what_was_not_looked_at_is_no_pass(void)
{
	struct waiver rules[] = {rule(any, any)};
	struct sample sample;

	start(&sample);
	CU_ASSERT_TRUE(sample_check(&sample, 1, 0, "slow", TAV_RESULT_SKIP, "no device events"));
	sample.sources[1].results.stages[1].error = "it died";
	waive(&sample, rules, 1);
	CU_ASSERT_EQUAL(report_source_verdict(&sample.report, 0), VERDICT_WARN);
	CU_ASSERT_EQUAL(report_source_verdict(&sample.report, 1), VERDICT_ERROR);
	CU_ASSERT_EQUAL(rules[0].state, WAIVER_UNUSED);
	sample.report.waivers = NULL;
	sample_fini(&sample);
}

static void a_waiver_holds_through_its_day(void)
{
	struct waiver rules[] = {rule(any, any)};
	struct sample sample;

	start(&sample);
	add_overlaps(&sample, 0, 2, 2);
	rules[0].until_day = TODAY - 1;
	waive(&sample, rules, 1);
	CU_ASSERT_EQUAL(rules[0].state, WAIVER_EXPIRED);
	CU_ASSERT_EQUAL(report_exit_status(&sample.report), 1);
	rules[0].until_day = TODAY;
	waive(&sample, rules, 1);
	CU_ASSERT_EQUAL(rules[0].state, WAIVER_USED);
	CU_ASSERT_EQUAL(report_exit_status(&sample.report), 0);
	sample.report.waivers = NULL;
	sample_fini(&sample);
}

/* Of the run, a trace is one by its events. */
static void a_trace_of_the_run_is_that_of_its_events(void)
{
	struct waiver rules[] = {rule(any, any), rule(any, any)};
	struct sample sample;

	rules[0].traces = rank1;
	rules[1].traces = any;
	start(&sample);
	add_overlaps(&sample, TAV_RUN, 2, 2); /* of events of trace.json */
	waive(&sample, rules, 1);
	CU_ASSERT_EQUAL(report_exit_status(&sample.report), 1);
	waive(&sample, rules, 2);
	CU_ASSERT_EQUAL(report_exit_status(&sample.report), 0);
	sample.report.waivers = NULL;
	sample_fini(&sample);
}

/* ---- Whatever the waivers, what was found is there, and counted or waived --------------------------------------- */
static uint32_t dice(uint32_t *state, uint32_t sides)
{
	*state = *state * 1664525 + 1013904223;
	return (*state >> 8) % sides;
}

static const char *const *pick(uint32_t *state)
{
	static const char *const *const lists[] = {none, any, overlaps, gemms, gemm_a, seven, eight, rank1, of_verify};

	return lists[dice(state, sizeof(lists) / sizeof(lists[0]))];
}

static void nothing_goes_away(void)
{
	static const char *const ids[] = {"overlap", "slow", "late"};

	for (uint32_t seed = 1; seed <= 2000; seed++) {
		uint32_t state = seed, count = dice(&state, 4);
		struct waiver rules[4];
		uint64_t all[4] = {0}, sum = 0;
		struct sample sample;

		start(&sample);
		for (uint32_t source = 0; source < 3; source++) {
			uint32_t where = source < 2 ? source : TAV_RUN;

			if (dice(&state, 2)) {
				uint64_t listed = dice(&state, 4);

				add_overlaps(&sample, where, 1 + listed + dice(&state, 2) * dice(&state, 9), listed);
			}
			CU_ASSERT_TRUE(sample_check(&sample, 1, where, ids[1 + dice(&state, 2)],
			                            TAV_RESULT_PASS + dice(&state, 4), "why"));
		}
		enum verdict before = report_verdict(&sample.report);
		for (uint32_t i = 0; i < count; i++) {
			rules[i] = rule(dice(&state, 3) ? any : of_verify, dice(&state, 3) ? any : overlaps);
			rules[i].names = pick(&state);
			rules[i].streams = pick(&state);
			rules[i].traces = pick(&state);
			rules[i].until_day = dice(&state, 4) ? 20270131 : 20260101;
		}
		waive(&sample, rules, count);
		CU_ASSERT_TRUE(report_verdict(&sample.report) <= before);
		report_count_waived(&sample.report, all);
		for (uint32_t i = 0; i < count; i++) {
			CU_ASSERT_EQUAL(all[i], rules[i].count);
			CU_ASSERT_TRUE(rules[i].state == WAIVER_USED ? rules[i].count > 0 : !rules[i].count);
			sum += all[i];
		}
		CU_ASSERT_EQUAL(sum, source_waived(&sample.report, 0) + source_waived(&sample.report, 1) +
		                             source_waived(&sample.report, TAV_RUN));
		for (uint32_t source = 0; source < 3; source++) {
			const struct stage_results *told =
			        &sample_results(&sample, source < 2 ? source : TAV_RUN)->stages[0];

			for (uint32_t i = 0; i < told->finding_count; i++) {
				const struct result_finding *finding = told->findings[i];

				/* by patterns no more than is listed; whole, all of it */
				CU_ASSERT_TRUE(finding->waived.rest
				                       ? finding->waived.count == finding->shown.count
				                       : finding->waived.count <= finding->shown.instance_count);
			}
		}
		sample.report.waivers = NULL;
		sample_fini(&sample);
	}
}

SUITE("waivers", {"waivers: patterns match all of a text", patterns_match_all_of_a_text},
      {"waivers: unsound patterns are refused", unsound_patterns_are_refused},
      {"waivers: days are those of the calendar", days_are_those_of_the_calendar},
      {"waivers: today can be set", today_can_be_set},
      {"waivers: a waiver without patterns takes all", a_waiver_without_patterns_takes_all},
      {"waivers: patterns take what is listed", patterns_take_what_is_listed},
      {"waivers: every event of an instance must match", every_event_of_an_instance_must_match},
      {"waivers: a check alone is taken whole or not", a_check_alone_is_taken_whole_or_not},
      {"waivers: a finding alone counts by itself", a_finding_alone_counts_by_itself},
      {"waivers: a check that counts more fails", a_check_that_counts_more_fails},
      {"waivers: what was not looked at is no pass", what_was_not_looked_at_is_no_pass},
      {"waivers: a waiver holds through its day", a_waiver_holds_through_its_day},
      {"waivers: a trace of the run is that of its events", a_trace_of_the_run_is_that_of_its_events},
      {"waivers: nothing goes away", nothing_goes_away})
