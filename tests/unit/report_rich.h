/* SPDX-License-Identifier: Apache-2.0 */
/* A report with something of all that a report can hold. */
#ifndef UNIT_REPORT_RICH_H
#define UNIT_REPORT_RICH_H

#include <report/waive.h>

#include "report_sample.h"

static inline bool rich_tables(struct sample *sample, uint32_t source, struct tav_text long_name)
{
	const struct tav_text names[3] = {long_name, text_of("k\"\\\n\x1b"), text_of("")};
	const int64_t numbers[3] = {INT64_MIN, 0, INT64_MAX};
	const double reals[3] = {0.1, 1e300, -3};
	const uint64_t present = 5;
	const struct tav_event events[3] = {sample->events[source][0], sample->events[source][3],
	                                    sample->events[source][1]};
	struct tav_series columns[] = {{"name", TAV_TYPE_STRING, TAV_UNIT_NONE, names, NULL},
	                               {"number_ns", TAV_TYPE_INT, TAV_UNIT_NS, numbers, &present},
	                               {"real", TAV_TYPE_REAL, TAV_UNIT_PERCENT, reals, NULL},
	                               {"event", TAV_TYPE_REF, TAV_UNIT_NONE, events, &present}};
	static const uint32_t shows[] = {TAV_SHOW_KEY, TAV_SHOW_COLUMN, TAV_SHOW_DETAIL, TAV_SHOW_NOTE};
	struct tav_table table = {.id = "for_eyes",
	                          .title = "For eyes",
	                          .row_count = 3,
	                          .omitted_count = 7,
	                          .first_rows = 2,
	                          .shows = shows,
	                          .columns = TAV_LIST(columns)};
	const char *why = NULL;

	if (!sample_table(sample, 0, source, &table, &why))
		return false;
	table.id = "for_combine";
	table.show = TAV_SHOW_DATA;
	return sample_table(sample, 0, source, &table, &why);
}

static inline bool rich_metrics(struct results *results, uint32_t by)
{
	const struct tav_metric metrics[] = {
	        {.id = "least", .value = INT64_MIN, .unit = TAV_UNIT_NS, .flags = TAV_METRIC_HEADLINE},
	        {.id = "share",
	         .type = TAV_TYPE_REAL,
	         .real = 0.25,
	         .unit = TAV_UNIT_RATIO,
	         .better = TAV_BETTER_HIGHER},
	        {.id = "plain", .value = 3},
	        {.id = "zero", .unit = TAV_UNIT_COUNT, .better = TAV_BETTER_LOWER, .flags = TAV_METRIC_HEADLINE}};
	const char *why = NULL;
	bool is_done = true;

	for (size_t i = 0; is_done && i < sizeof(metrics) / sizeof(metrics[0]); i++)
		is_done = results_add_metric(results, 1, by, &metrics[i], &why);
	return is_done;
}

/* One that takes an instance, one that takes a check whole, one that waives nothing, and one that has ended. */
static inline bool rich_waive(struct report *report)
{
	static const char *const any[] = {"*", NULL}, *const overlap[] = {"device_overlap", NULL},
	                         *const names[] = {"abc*", "bad*", NULL}, *const of_run[] = {"of_run", NULL},
	                         *const none[] = {NULL};
	static const struct waiver rules[] = {
	        {"w.yaml", 3, 5, any, overlap, names, none, none, "known \"pair\"", "2027-01-31", 20270131, 0, 0, 0},
	        {"w.yaml", 4, 5, any, of_run, none, none, none, "not now", "2027-02-28", 20270228, 0, 0, 0},
	        {"w.yaml", 5, 5, any, any, none, any, any, "none", "2027-02-28", 20270228, 0, 0, 0},
	        {"w.yaml", 6, 5, any, any, none, none, none, "old", "2026-01-31", 20260131, 0, 0, 0}};

	report->waivers = arena_array(&report->arena, sizeof(rules) / sizeof(rules[0]), sizeof(rules[0]));
	if (!report->waivers)
		return false;
	memcpy(report->waivers, rules, sizeof(rules));
	report->waiver_count = sizeof(rules) / sizeof(rules[0]);
	return report_waive(report, 20261201);
}

/* A trace that was read, one that was not, a baseline; a part; results of the run. */
static inline bool rich_init(struct sample *sample)
{
	static char long_name[2000];
	static struct report_note notes[] = {{true, "truncated", "the end is missing", 1, 3, 4, 5},
	                                     {false, "duplicate_key", "a key twice", 12, 0, 0, 0}};
	static const struct report_part part = {2, 3, 0x0123456789abcdef};
	struct tav_text names[2] = {{long_name, sizeof(long_name) - 1}, {"bad\xff\0nul", 8}};
	const char *why = NULL;

	for (size_t i = 0; i + 1 < sizeof(long_name); i += 3)
		memcpy(long_name + i, i % 2 ? "\xe2\x82\xac" : "abc", i + 3 < sizeof(long_name) ? 3 : 1);
	names[0].size = sizeof(long_name) - 2;
	if (!sample_init(sample, 3, names))
		return false;
	struct report *report = &sample->report;
	report->source_count = 2;
	report->baseline_count = 1;
	report->part = &part;
	report->jobs = 4;
	report->elapsed_ns = 123456789;
	sample_break(sample, 1);
	sample->sources[0].notes = notes;
	sample->sources[0].note_count = 2;
	sample->sources[0].facts.unusable_count = 1;
	sample->sources[0].facts.rank = 3;
	sample->sources[0].picture =
	        "{\"schema\": \"tav-picture/2\", \"first_rel_ns\": 0, \"span_ns\": 9, \"bin_ns\": 1, \"bins\": 9, "
	        "\"devices\": [], \"tracks\": [], \"steps\": null, \"names\": [\"\\u202e<b>\"], \"whole\": true, "
	        "\"windows\": [[0, 9]], \"events\": [], \"lanes\": [], \"cut\": []}";
	sample->sources[0].picture_size = strlen(sample->sources[0].picture);
	sample->sources[2].role = "baseline";
	sample->sources[2].role_kind = TAV_ROLE_BASELINE;
	sample->sources[2].owner = 1;
	sample->sources[2].is_gzip = true;
	struct results *first = &sample->sources[0].results;
	sample->sources[1].results.stages[0].error = "it died";
	sample->sources[1].results.stages[0].is_done = false;
	sample->sources[1].results.stages[1].skipped = "overlap-verify failed";
	report->run.stages[1].is_done = true;
	return report_add_doubts(&sample->sources[0], &report->arena, true) &&
	       sample_check(sample, 0, 0, "looked", TAV_RESULT_PASS, "at 2") &&
	       sample_check(sample, 0, 0, "skipped", TAV_RESULT_SKIP, "nothing there") &&
	       sample_check(sample, 0, TAV_RUN, "of_run", TAV_RESULT_WARN, NULL) &&
	       sample_check(sample, 1, 2, "of_baseline", TAV_RESULT_FAIL, "slow") &&
	       sample_add_overlap(sample, 0, 5000, &why) && rich_tables(sample, 0, names[0]) &&
	       rich_tables(sample, 2, names[0]) && rich_metrics(first, TAV_BY_EACH) &&
	       rich_metrics(&report->run, TAV_BY_COMBINE) &&
	       results_add_headline(first, 0, TAV_BY_EACH, "2 overlaps", &why) &&
	       results_add_headline(first, 0, TAV_BY_COMBINE, "and late", &why) &&
	       results_add_check(first, 1, TAV_BY_COMBINE,
	                         &(struct tav_check){.id = "late", .result = TAV_RESULT_FAIL, .why = "by 3 ms"},
	                         &why) &&
	       rich_waive(report);
}

#endif
