/* SPDX-License-Identifier: Apache-2.0 */
/* The host's table as a stage sees it: whole runs over small traces, asked from inside each() and combine(). */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kit/text.h>
#include <run/session.h>
#include <tav/kit.h>

#include "suite.h"

enum { FIELD_STREAM, FIELD_CORRELATION, FIELD_SHARE, FIELD_FLAG, FIELD_ARGS };
enum { OPT_COMPANION, OPT_OTHERS, OPT_BASELINE, OPT_GROUP, OPT_RULES };
static const struct tav_field fields[] = {
        [FIELD_STREAM] = {"args.stream", TAV_TYPE_STRING, 0},
        [FIELD_CORRELATION] = {"args.correlation", TAV_TYPE_INT, 0},
        [FIELD_SHARE] = {"args.share", TAV_TYPE_REAL, 0},
        [FIELD_FLAG] = {"args.flag", TAV_TYPE_PRESENT, 0},
        [FIELD_ARGS] = {"args", TAV_TYPE_JSON, 0},
};
static const struct tav_option options[] = {
        [OPT_COMPANION] = {.name = "companion", .type = TAV_TYPE_INPUT},
        [OPT_OTHERS] = {.name = "others", .type = TAV_TYPE_INPUT, .flags = TAV_OPT_MANY, .preset = "[]"},
        [OPT_BASELINE] = {.name = "baseline", .type = TAV_TYPE_INPUT, .flags = TAV_OPT_BASELINE | TAV_OPT_LATE},
        [OPT_GROUP] = {.name = "group", .type = TAV_TYPE_FIELD, .preset = "args.device"},
        [OPT_RULES] = {.name = "rules", .type = TAV_TYPE_FILE},
};
static const struct tav_rule rules[] = {
        {{{"cat", TAV_TEST_EQUALS, 0, "kernel"}}, TAV_TRAIT_DEVICE | TAV_TRAIT_KERNEL, 0, 0, 0}};
static const char *const pid[] = {"pid", NULL}, *const stream_fields[] = {"args.stream", NULL};
static const struct tav_key key[] = {{pid, "0", NULL}, {stream_fields, "0", NULL}, {NULL, NULL, NULL}};

static int32_t probe(struct tav_self *self, const struct tav_sample *sample, char *why, size_t why_size)
{
	(void)self;
	snprintf(why, why_size, "%llu events", (unsigned long long)sample->event_count);
	return 50;
}

static const struct tav_dialect dialect = {
        .struct_size = sizeof(dialect), .name = "small", .rules = TAV_LIST(rules), .track = key, .probe = probe};

static atomic_uint calls; /* of the stage; these tests run one after the other */
static tav_status (*body)(struct tav_self *self), (*after)(struct tav_self *self);
static tav_status each(struct tav_self *self)
{
	calls++;
	return body(self);
}
static tav_status combine(struct tav_self *self)
{
	return after ? after(self) : TAV_OK;
}
static const struct tav_stage stage = {.struct_size = sizeof(stage),
                                       .name = "probe",
                                       .options = TAV_LIST(options),
                                       .fields = TAV_LIST(fields),
                                       .each = each,
                                       .combine = combine};
static const struct tav_stage *const stages[] = {&stage, NULL};
static const struct tav_dialect *const dialects[] = {&dialect, NULL};
static const struct tav_plugin plugin = {TAV_PLUGIN_HEAD, "test", "1", "none", dialects, stages};

static char folder[] = "/tmp/tav-test-host-XXXXXX";

static const char *write_trace(char *path, const char *name, const char *text)
{
	sprintf(path, "%s/%s", folder, name);
	FILE *out = fopen(path, "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	fputs(text, out);
	fclose(out);
	return path;
}

#define EVENT(name, ts, dur, args)                                                                                     \
	"{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"" name "\", \"pid\": 3, \"tid\": 4, \"ts\": " #ts            \
	", \"dur\": " #dur ", \"args\": " args "}"
static const char first_trace[] =
        "{\"distributedInfo\": {\"rank\": 5, \"big\": 18446744073709551615}, \"traceEvents\": [" EVENT(
                "a", 2, 1,
                "{\"stream\": 7, \"correlation\": 12, \"share\": 0.5}") ",\n" EVENT("b", 1, 0.5,
                                                                                    "{\"flag\": null, \"device\": "
                                                                                    "\"x\"}") ",\n"
                                                                                              "{\"ph\": \"X\", "
                                                                                              "\"cat\": \"kernel\", "
                                                                                              "\"name\": \"c\", "
                                                                                              "\"pid\": 3, \"ts\": "
                                                                                              "\"?\", \"dur\": 1}]}";
static const char second_trace[] = "[" EVENT("b", 0, 1, "{\"stream\": \"7\", \"flag\": 1}") "]";

/* Runs the stage over the traces; the report's exit status. `sets` ends with NULL. */
static int run_over(const char *const *traces, uint32_t count, const char *const *sets,
                    void (*look)(const struct session *session))
{
	static const char *const names[] = {"probe"};
	struct config config = {0};
	struct config_arguments arguments = {.stages = names, .stage_count = 1, .sets = sets};
	struct registry registry = {0};
	struct diags diags = {0};
	struct session session;
	struct run_options run = {.traces = traces, .trace_count = count, .jobs = 3};
	int status = -1;

	while (sets[arguments.set_count])
		arguments.set_count++;
	calls = 0;
	CU_ASSERT_PTR_NOT_NULL_FATAL(registry_add(&registry, &plugin, "test.so"));
	CU_ASSERT_TRUE_FATAL(registry_settle(&registry));
	CU_ASSERT_TRUE_FATAL(config_open(&config, &arguments, &diags));
	CU_ASSERT_TRUE_FATAL(config_settle(&config, &arguments, &registry, &diags));
	CU_ASSERT_TRUE_FATAL(session_init(&session, &config, &run));
	session.is_trial = true; /* quiet */
	CU_ASSERT_TRUE_FATAL(session_create(&session));
	CU_ASSERT_TRUE_FATAL(session_open(&session));
	CU_ASSERT_TRUE_FATAL(session_look(&session));
	CU_ASSERT_TRUE_FATAL(session_combine(&session));
	status = report_exit_status(&session.run.report);
	if (look)
		look(&session);
	session_fini(&session);
	config_fini(&config);
	registry_fini(&registry);
	diags_fini(&diags);
	after = NULL;
	return status;
}

static const char *const no_sets[] = {NULL};

static tav_status see_columns(struct tav_self *self)
{
	const struct tav_host *host = self->host;
	const struct tav_source *source = host->source(self, 0);

	CU_ASSERT_EQUAL(host->source_count(self), 1);
	CU_ASSERT_EQUAL(source->row_count, 3);
	CU_ASSERT_EQUAL(source->rank, 5);
	CU_ASSERT_TRUE(text_is(source->dialect, "small"));
	CU_ASSERT_PTR_NULL(host->source(self, 1));
	const int64_t *start = host->column(self, 0, TAV_COL_START_NS), *end = host->column(self, 0, TAV_COL_END_NS);
	CU_ASSERT_TRUE(start[0] == 2000 && end[0] == 3000 && start[1] == 1000 && end[1] == 1500 && start[2] == 0);
	const uint32_t *stream = host->column(self, 0, TAV_COL_FIELDS + FIELD_STREAM);
	CU_ASSERT_TRUE(text_is(host->value(self, 0, stream[0]), "7"));
	CU_ASSERT_EQUAL(stream[1], 0);
	const int64_t *correlation = host->column(self, 0, TAV_COL_FIELDS + FIELD_CORRELATION);
	CU_ASSERT_TRUE(correlation[0] == 12 && correlation[1] == 0);
	const double *share = host->column(self, 0, TAV_COL_FIELDS + FIELD_SHARE);
	CU_ASSERT_TRUE(share[0] == 0.5 && share[2] == 0);
	CU_ASSERT_PTR_NULL(host->column(self, 0, TAV_COL_FIELDS + FIELD_FLAG));
	const uint32_t *args = host->column(self, 0, TAV_COL_FIELDS + FIELD_ARGS);
	CU_ASSERT_TRUE(text_is(host->value(self, 0, args[1]), "{\"flag\": null, \"device\": \"x\"}"));
	const uint32_t *device = host->column(self, 0, (uint32_t)self->options[OPT_GROUP]->integer);
	CU_ASSERT_TRUE(text_is(host->value(self, 0, device[1]), "x"));
	const uint32_t *labels = host->column(self, 0, TAV_COL_LABEL);
	struct tav_text category;
	CU_ASSERT_TRUE(text_is(host->label(self, 0, labels[2], &category), "c"));
	CU_ASSERT_TRUE(text_is(category, "kernel"));
	CU_ASSERT_PTR_NULL(host->column(self, 0, 77));
	CU_ASSERT_PTR_NULL(host->column(self, 0, TAV_COL_FIELDS + 99));
	CU_ASSERT_PTR_NULL(host->column(self, 1, TAV_COL_START_NS));
	CU_ASSERT_EQUAL(((const uint8_t *)host->column(self, 0, TAV_COL_KIND))[0], TAV_KIND_COMPUTE);
	CU_ASSERT_EQUAL(host->find_value(self, 0, (struct tav_text){"7", 1}), stream[0]);
	CU_ASSERT_EQUAL(host->find_value(self, 0, (struct tav_text){"77", 2}), TAV_NONE);
	CU_ASSERT_EQUAL(host->find_label(self, 0, category, (struct tav_text){"c", 1}), labels[2]);
	CU_ASSERT_EQUAL(host->find_label(self, 0, category, (struct tav_text){"7", 1}), TAV_NONE);
	CU_ASSERT_PTR_NULL(host->keep(self, 1)); /* is for create() */
	return TAV_OK;
}

static tav_status see_presence(struct tav_self *self)
{
	const struct tav_host *host = self->host;

	CU_ASSERT_EQUAL(host->present(self, 0, TAV_COL_FIELDS + FIELD_STREAM)[0], 1);
	CU_ASSERT_EQUAL(host->present(self, 0, TAV_COL_FIELDS + FIELD_CORRELATION)[0], 1);
	CU_ASSERT_EQUAL(host->present(self, 0, TAV_COL_FIELDS + FIELD_ARGS)[0], 3);
	CU_ASSERT_EQUAL(host->present(self, 0, TAV_COL_TID)[0], 3);
	CU_ASSERT_EQUAL(host->present(self, 0, TAV_COL_PID)[0], 7);
	CU_ASSERT_PTR_NULL(host->present(self, 0, TAV_COL_START_NS));
	CU_ASSERT_PTR_EQUAL(host->present(self, 0, TAV_COL_FIELDS + FIELD_STREAM),
	                    host->present(self, 0, TAV_COL_FIELDS + FIELD_STREAM));
	return TAV_OK;
}

static tav_status see_order(struct tav_self *self)
{
	const struct tav_host *host = self->host;
	const struct tav_order *order, *again;
	uint64_t count;

	CU_ASSERT_EQUAL(host->order(self, 0, TAV_TRAIT_DEVICE, &order), TAV_OK);
	CU_ASSERT_EQUAL(order->track_count, host->source(self, 0)->track_count);
	uint64_t rows = 0;
	for (uint32_t track = 0; track < order->track_count; track++) {
		rows += order->first[track + 1] - order->first[track];
		CU_ASSERT_PTR_NOT_NULL(host->track(self, 0, track));
	}
	CU_ASSERT_EQUAL(rows, 2);
	host->order(self, 0, TAV_TRAIT_DEVICE, &again);
	CU_ASSERT_PTR_EQUAL(order, again);
	CU_ASSERT_PTR_NULL(host->track(self, 0, order->track_count));
	const struct tav_unusable *bad = host->unusable(self, 0, &count);
	CU_ASSERT_EQUAL_FATAL(count, 1);
	CU_ASSERT_TRUE(bad->row == 2 && bad->reason == TAV_BAD_NOT_NUMBER && bad->field == TAV_BAD_FIELD_TS);
	CU_ASSERT_PTR_NOT_NULL(host->extension(self, "tav.overlap/1"));
	CU_ASSERT_PTR_NULL(host->extension(self, "tav.overlap/2"));
	return TAV_OK;
}

static tav_status see_metadata(struct tav_self *self)
{
	CU_ASSERT_TRUE(
	        text_is(self->host->metadata(self, 0, "distributedInfo"), "{\"rank\":5,\"big\":18446744073709551615}"));
	CU_ASSERT_EQUAL(self->host->metadata(self, 0, "traceEvents").size, 0);
	CU_ASSERT_EQUAL(self->host->metadata(self, 9, "rank").size, 0);
	return TAV_OK;
}

static void a_stage_sees_the_trace(void)
{
	static tav_status (*const bodies[])(struct tav_self *) = {see_columns, see_presence, see_order, see_metadata};
	char path[64];
	const char *traces[] = {write_trace(path, "first.json", first_trace)};

	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		body = bodies[i];
		CU_ASSERT_EQUAL(run_over(traces, 1, no_sets, NULL), 0);
		CU_ASSERT_EQUAL(calls, 1);
	}
}

static tav_status see_companions(struct tav_self *self)
{
	const struct tav_host *host = self->host;

	CU_ASSERT_EQUAL(host->source_count(self), 1);
	CU_ASSERT_EQUAL(self->options[OPT_COMPANION]->integer, 1);
	CU_ASSERT_EQUAL(host->source(self, 1)->rank, 5);
	CU_ASSERT_EQUAL(host->source(self, 1)->role, TAV_ROLE_COMPANION);
	CU_ASSERT_EQUAL(self->options[OPT_OTHERS]->items[0]->integer, 2); /* the same file again */
	CU_ASSERT_EQUAL(self->options[OPT_OTHERS]->items[1]->integer, 3);
	CU_ASSERT_EQUAL(host->source(self, 3)->form, TAV_FORM_ARRAY);
	CU_ASSERT_PTR_NULL(host->source(self, 4));
	const uint32_t *names = host->column(self, 3, TAV_COL_LABEL);
	CU_ASSERT_TRUE(text_is(host->label(self, 3, names[0], NULL), "b"));
	/* what is told is of source 0 */
	CU_ASSERT_EQUAL(tav_measure(self, 1, "m", 1, TAV_UNIT_COUNT, 0), TAV_FAILED);
	return TAV_FAILED;
}

static void look_at_companions(const struct session *session)
{
	const struct report *report = &session->run.report;

	CU_ASSERT_EQUAL(report->source_count, 1);
	CU_ASSERT_EQUAL(report->baseline_count, 0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(report->sources[0].results.stages[0].error);
	CU_ASSERT_PTR_NOT_NULL(strstr(report->sources[0].results.stages[0].error, "is of source 1"));
	CU_ASSERT_EQUAL(report_source_verdict(report, 0), VERDICT_ERROR);
}

static void companions_stand_behind_the_source(void)
{
	char first[64], second[64], third[64], companion[128], others[256];
	const char *traces[] = {write_trace(second, "2.json", second_trace)};
	const char *const sets[] = {companion, others, NULL};

	write_trace(first, "1.json", first_trace);
	write_trace(third, "3.json", second_trace);
	sprintf(companion, "probe.companion=%s", first);
	sprintf(others, "probe.others=[%s, %s]", first, third);
	body = see_companions;
	CU_ASSERT_EQUAL(run_over(traces, 1, sets, look_at_companions), 2);
	CU_ASSERT_EQUAL(calls, 1);
}

static tav_status tell_all(struct tav_self *self)
{
	const int64_t numbers[] = {3, 4};
	const struct tav_ref refs[] = {{0, 0}, {0, 0}};
	const struct tav_series columns[] = {{"n", TAV_TYPE_INT, TAV_UNIT_COUNT, numbers, NULL},
	                                     {"event", TAV_TYPE_REF, TAV_UNIT_NONE, refs, NULL}};
	const struct tav_table table = {.struct_size = sizeof(table),
	                                .id = "t",
	                                .title = "t",
	                                .row_count = 2,
	                                .columns = TAV_LIST(columns),
	                                .show = TAV_SHOW_DATA};
	const struct tav_finding finding = {.struct_size = sizeof(finding),
	                                    .severity = TAV_SEV_WARNING,
	                                    .id = "pair",
	                                    .message = "a pair",
	                                    .refs_each = 2,
	                                    .count = 1,
	                                    .instance_count = 1,
	                                    .refs = refs};

	CU_ASSERT_EQUAL(self->host->table(self, &table), TAV_OK);
	CU_ASSERT_EQUAL(self->host->finding(self, &finding), TAV_OK);
	CU_ASSERT_EQUAL(tav_measure(self, 0, "m", 5, TAV_UNIT_COUNT, 0), TAV_OK);
	CU_ASSERT_EQUAL(tav_tell(self, TAV_RUN, "c", TAV_RESULT_PASS, 0, 1, "x"), TAV_FAILED);
	return tav_tell(self, 0, "c", TAV_RESULT_WARN, 1, 3, "one of 3");
}

static unsigned shown_sources, shown_baselines;

static tav_status see_results(struct tav_self *self)
{
	const struct tav_host *host = self->host;
	const struct tav_results *results = host->extension(self, TAV_RESULTS_ID);
	uint32_t stage_number = results->find_stage(self, "probe");

	CU_ASSERT_EQUAL_FATAL(stage_number, 0);
	CU_ASSERT_EQUAL(results->find_stage(self, "other"), TAV_NONE);
	CU_ASSERT_PTR_NULL(host->column(self, 0, TAV_COL_START_NS)); /* no events any more */
	for (uint32_t source = 0; host->source(self, source); source++) {
		bool is_baseline = source >= host->source_count(self);

		CU_ASSERT_EQUAL(host->source(self, source)->role, is_baseline ? TAV_ROLE_BASELINE : TAV_ROLE_SOURCE);
		if (!results->is_done(self, 0, source)) {
			CU_ASSERT_PTR_NULL(results->find_metric(self, 0, source, "m"));
			continue;
		}
		shown_sources += !is_baseline;
		shown_baselines += is_baseline;
		CU_ASSERT_EQUAL(results->find_metric(self, 0, source, "m")->value, 5);
		CU_ASSERT_EQUAL(results->find_check(self, 0, source, "c")->examined, 3);
		const struct tav_table_result *table = results->find_table(self, 0, source, "t");
		CU_ASSERT_PTR_NOT_NULL_FATAL(table);
		CU_ASSERT_EQUAL(((const int64_t *)results->column(self, table, "n")->data)[1], 4);
		const struct tav_event *events = results->column(self, table, "event")->data;
		CU_ASSERT_TRUE(events[1].has_time && text_is(events[1].category, "kernel"));
		const struct tav_finding_result *found = results->find_finding(self, 0, source, "pair");
		CU_ASSERT_EQUAL_FATAL(found->instance_count, 1);
		CU_ASSERT_EQUAL(found->events[1].source, source);
		/* passed on: a finding of the run that names events of a source */
		struct tav_finding finding = {.struct_size = sizeof(finding),
		                              .source = TAV_RUN,
		                              .severity = TAV_SEV_NOTE,
		                              .id = "again",
		                              .message = "again",
		                              .refs_each = 2,
		                              .count = 1,
		                              .instance_count = 1,
		                              .events = found->events};
		CU_ASSERT_EQUAL(host->finding(self, &finding), TAV_OK);
		if (is_baseline)
			CU_ASSERT_EQUAL(tav_measure(self, source, "late", 1, TAV_UNIT_COUNT, 0), TAV_FAILED);
	}
	CU_ASSERT_EQUAL(tav_measure(self, 0, "late", 1, TAV_UNIT_COUNT, 0), TAV_OK);
	return tav_tell(self, TAV_RUN, "all", TAV_RESULT_PASS, 0, 2, "seen");
}

static void look_at_results(const struct session *session)
{
	const struct report *report = &session->run.report;

	CU_ASSERT_EQUAL(report->source_count, 3);
	CU_ASSERT_EQUAL(report->baseline_count, 1);
	CU_ASSERT_EQUAL(report_source_verdict(report, 0), VERDICT_WARN);
	CU_ASSERT_EQUAL(report_source_verdict(report, 1), VERDICT_ERROR);
	CU_ASSERT_STRING_EQUAL(report->sources[3].role, "baseline");
	CU_ASSERT_PTR_NOT_NULL(results_find_metric(&report->sources[0].results, 0, "late"));
	CU_ASSERT_PTR_NOT_NULL(results_find_check(&report->run, 0, "all"));
	CU_ASSERT_EQUAL(results_find_finding(&report->run, 0, "again")->shown.instance_count, 3);
}

static void combine_sees_the_results_of_all(void)
{
	char first[64], second[64], third[64], baseline[128];
	const char *traces[] = {write_trace(first, "1.json", first_trace), "/no/such/trace.json",
	                        write_trace(second, "2.json", second_trace)};
	const char *const sets[] = {baseline, NULL};

	write_trace(third, "3.json", first_trace); /* a baseline may equal a source */
	sprintf(baseline, "probe.baseline=%s", third);
	shown_sources = shown_baselines = 0;
	body = tell_all;
	after = see_results;
	CU_ASSERT_EQUAL(run_over(traces, 3, sets, look_at_results), 2);
	CU_ASSERT_EQUAL(calls, 3);
	CU_ASSERT_EQUAL(shown_sources, 2);
	CU_ASSERT_EQUAL(shown_baselines, 1);
}

static void look_at_twins(const struct session *session)
{
	const struct report *report = &session->run.report;

	CU_ASSERT_PTR_NULL(report->sources[0].error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(report->sources[1].error);
	CU_ASSERT_PTR_NOT_NULL(strstr(report->sources[1].error, "1.json"));
}

static void the_same_content_twice_is_an_error(void)
{
	char first[64], second[64];
	const char *traces[] = {write_trace(first, "1.json", first_trace), write_trace(second, "2.json", first_trace)};

	body = tell_all;
	CU_ASSERT_EQUAL(run_over(traces, 2, no_sets, look_at_twins), 2);
}

static void look_at_missing(const struct session *session)
{
	CU_ASSERT_PTR_NOT_NULL_FATAL(session->run.report.error);
	CU_ASSERT_PTR_NOT_NULL(
	        strstr(session->run.report.error, "option 'companion' names (/no/such) could not be read"));
}

static void a_run_needs_its_companion(void)
{
	char path[64];
	const char *traces[] = {write_trace(path, "first.json", first_trace)};
	const char *const sets[] = {"probe.companion=/no/such", NULL};

	body = see_columns;
	CU_ASSERT_EQUAL(run_over(traces, 1, sets, look_at_missing), 2);
	CU_ASSERT_EQUAL(calls, 0);
	/* and with no trace at all there is no verdict of a stage */
	traces[0] = "/no/such/trace.json";
	CU_ASSERT_EQUAL(run_over(traces, 1, no_sets, NULL), 2);
	CU_ASSERT_EQUAL(calls, 0);
}

static tav_status misuse(struct tav_self *self)
{
	const struct tav_ref refs[] = {{0, 3}};
	struct tav_finding finding = {.struct_size = sizeof(finding),
	                              .severity = TAV_SEV_NOTE,
	                              .id = "far",
	                              .message = "m",
	                              .refs_each = 1,
	                              .count = 1,
	                              .instance_count = 1,
	                              .refs = refs};
	const struct tav_order *order;

	CU_ASSERT_EQUAL(self->host->finding(self, &finding), TAV_FAILED);
	finding.source = 7;
	CU_ASSERT_EQUAL(self->host->finding(self, &finding), TAV_FAILED);
	CU_ASSERT_EQUAL(tav_tell(self, 0, "c", 99, 0, 0, "x"), TAV_FAILED);
	CU_ASSERT_EQUAL(tav_measure(self, 0, "", 1, 0, 0), TAV_FAILED);
	CU_ASSERT_EQUAL(self->host->check(self, NULL), TAV_FAILED);
	CU_ASSERT_EQUAL(self->host->order(self, 5, 0, &order), TAV_FAILED);
	CU_ASSERT_EQUAL(self->host->bad_option(self, 0, "too late"), TAV_FAILED);
	CU_ASSERT_PTR_NOT_NULL(self->host->alloc(self, 0));
	CU_ASSERT_PTR_NULL(self->host->alloc(self, SIZE_MAX));
	return 17; /* no status */
}

static void look_at_misuse(const struct session *session)
{
	const char *error = session->run.report.sources[0].results.stages[0].error;

	CU_ASSERT_PTR_NOT_NULL_FATAL(error);
	CU_ASSERT_PTR_NOT_NULL(strstr(error, "its each() returned 17"));
	CU_ASSERT_PTR_NOT_NULL(strstr(error, "out of memory: 18446744073709551615 bytes"));
}

static void misuse_is_told_and_changes_nothing(void)
{
	char path[64];
	const char *traces[] = {write_trace(path, "first.json", first_trace)};

	body = misuse;
	CU_ASSERT_EQUAL(run_over(traces, 1, no_sets, look_at_misuse), 2);
}

static tav_status add_index(struct tav_self *self, uint32_t i, void *user)
{
	(void)self;
	((uint32_t *)user)[i] = i + 1;
	return i == 90 ? TAV_FAILED : TAV_OK;
}

static tav_status use_parallel(struct tav_self *self)
{
	uint32_t seen[91] = {0};

	CU_ASSERT_EQUAL(self->host->parallel(self, 90, add_index, seen), TAV_OK);
	for (uint32_t i = 0; i < 90; i++)
		CU_ASSERT_EQUAL(seen[i], i + 1);
	CU_ASSERT_EQUAL(self->host->parallel(self, 91, add_index, seen), TAV_FAILED);
	return TAV_OK;
}

static void parallel_is_offered(void)
{
	char path[64];
	const char *traces[] = {write_trace(path, "first.json", first_trace)};

	body = use_parallel;
	CU_ASSERT_EQUAL(run_over(traces, 1, no_sets, NULL), 0);
}

static int make_folder(void)
{
	return !mkdtemp(folder);
}

static int remove_folder(void)
{
	static const char *const names[] = {"first.json", "1.json", "2.json", "3.json", NULL};
	char path[64];

	for (const char *const *name = names; *name; name++) {
		sprintf(path, "%s/%s", folder, *name);
		unlink(path);
	}
	return rmdir(folder);
}

int main(void)
{
	CU_TestInfo tests[] = {{"host: a stage sees the trace", a_stage_sees_the_trace},
	                       {"host: companions stand behind the source", companions_stand_behind_the_source},
	                       {"host: combine sees the results of all", combine_sees_the_results_of_all},
	                       {"host: the same content twice is an error", the_same_content_twice_is_an_error},
	                       {"host: a run needs its companion", a_run_needs_its_companion},
	                       {"host: misuse is told and changes nothing", misuse_is_told_and_changes_nothing},
	                       {"host: parallel is offered", parallel_is_offered},
	                       CU_TEST_INFO_NULL};
	CU_SuiteInfo suites[] = {{"host", make_folder, remove_folder, NULL, NULL, tests}, CU_SUITE_INFO_NULL};

	if (CU_initialize_registry() != CUE_SUCCESS || CU_register_suites(suites) != CUE_SUCCESS)
		return 2;
	CU_basic_set_mode(CU_BRM_VERBOSE);
	CU_basic_run_tests();
	unsigned failed = CU_get_number_of_failures() + (CU_get_number_of_tests_run() == 0);
	CU_cleanup_registry();
	return failed ? 1 : 0;
}
