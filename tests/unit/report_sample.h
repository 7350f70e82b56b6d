/* SPDX-License-Identifier: Apache-2.0 */
/* A report made by hand, for the tests of the report and its writers. */
#ifndef UNIT_REPORT_SAMPLE_H
#define UNIT_REPORT_SAMPLE_H

#include <stdlib.h>
#include <string.h>

#include <kit/text.h>
#include <report/report.h>

enum { SAMPLE_ROWS = 4, SAMPLE_SOURCES = 3, SAMPLE_STAGES = 2 };

struct sample {
	struct report report;
	struct report_source sources[SAMPLE_SOURCES];
	struct report_stage stages[SAMPLE_STAGES];
	struct read_error read_error;
	struct tav_event events[SAMPLE_SOURCES][SAMPLE_ROWS];
};

static inline void sample_events(struct sample *sample, uint32_t source, const struct tav_text names[2])
{
	static const int64_t starts[SAMPLE_ROWS] = {100000, 105000, -1, 0},
	                     ends[SAMPLE_ROWS] = {110000, 115001, 1000, 0};
	static const uint64_t offsets[SAMPLE_ROWS] = {17, 4711, 5000, 9000000000};
	const struct tav_text all[SAMPLE_ROWS] = {names[0], names[1], text_of("aten::mm"), text_of("lost")};

	for (uint32_t row = 0; row < SAMPLE_ROWS; row++) {
		struct tav_event *event = &sample->events[source][row];

		*event = (struct tav_event){.name = all[row], .source = source, .row = row, .offset = offsets[row]};
		event->category = text_of(row == 2 ? "cpu_op" : "kernel");
		event->pid = text_of("0");
		event->tid = text_of(row < 2 ? "400" : row == 2 ? "0" : "");
		event->stream = text_of(row < 2 ? "7" : "");
		event->lane = text_of("");
		event->device = row < 2 ? 0 : TAV_NONE;
		event->has_time = row < 3;
		event->start_ns = starts[row];
		event->end_ns = ends[row];
	}
}

static inline void sample_facts(struct report_source *source)
{
	struct tav_source *facts = &source->facts;

	*facts = (struct tav_source){.struct_size = sizeof(*facts),
	                             .form = TAV_FORM_OBJECT,
	                             .dialect = text_of("torch"),
	                             .track_word = text_of("stream"),
	                             .rank = -1,
	                             .world_size = -1,
	                             .bytes = 12345,
	                             .content = 0xfedcba9876543210,
	                             .event_count = SAMPLE_ROWS,
	                             .row_count = SAMPLE_ROWS,
	                             .track_count = 2,
	                             .device_count = 1,
	                             .flavour = TAV_FLAVOUR_CUDA,
	                             .device_event_count = 2,
	                             .first_ns = 95000,
	                             .last_ns = 115001};
	facts->path = text_of(source->path);
	source->dialect_reason = "score 90: deviceProperties";
	source->is_read = true;
}

/*
 * Each of `count` sources holds two kernels on stream 7, [100 us, 110 us) and [105 us, 115.001 us), named by `names`,
 * a CPU event and one that cannot be placed in time. Two stages: overlap-verify, and stats with the id "st".
 */
static inline bool sample_init(struct sample *sample, uint32_t count, const struct tav_text names[2])
{
	static const char *const paths[SAMPLE_SOURCES] = {"trace.json", "rank1.json", "rank2.json"};
	static const struct report_option options[] = {{"tolerance", "1us", true, false}, {"top", "20", false, true}};
	bool is_done = true;

	*sample = (struct sample){.stages = {{.name = "overlap-verify", .id = "overlap-verify", .version = "1"},
	                                     {.name = "stats", .id = "st", .version = "2"}}};
	sample->stages[1].options = options;
	sample->stages[1].option_count = 2;
	sample->report = (struct report){.tool_version = "1.2.3", .pipeline = "verify"};
	sample->report.sources = sample->sources;
	sample->report.source_count = count;
	sample->report.stages = sample->stages;
	sample->report.stage_count = SAMPLE_STAGES;
	for (uint32_t source = 0; source < count; source++) {
		sample->sources[source] = (struct report_source){.path = paths[source], .role = ""};
		sample_facts(&sample->sources[source]);
		sample_events(sample, source, names);
		is_done = is_done && results_init(&sample->sources[source].results, source, SAMPLE_STAGES);
		for (uint32_t stage = 0; is_done && stage < SAMPLE_STAGES; stage++)
			sample->sources[source].results.stages[stage].is_done = true;
	}
	return results_init(&sample->report.run, TAV_RUN, SAMPLE_STAGES) && is_done;
}

static inline struct results *sample_results(struct sample *sample, uint32_t source)
{
	return source == TAV_RUN ? &sample->report.run : &sample->sources[source].results;
}

static inline uint32_t sample_by(uint32_t source)
{
	return source == TAV_RUN ? TAV_BY_COMBINE : TAV_BY_EACH;
}

/* Source `source` becomes one that could not be read. */
static inline void sample_break(struct sample *sample, uint32_t source)
{
	sample->read_error = (struct read_error){
	        "a comma or ']' was expected, \"}\" was found", "{\"ph\": \"X\"}}", 11, 3, 12, 120, 5};
	sample->sources[source].is_read = false;
	sample->sources[source].facts = (struct tav_source){0};
	sample->sources[source].read_error = &sample->read_error;
	sample->sources[source].error = "trace.json:3:12: a comma or ']' was expected";
}

static inline void sample_fini(struct sample *sample)
{
	report_fini(&sample->report);
}

static inline bool sample_check(struct sample *sample, uint32_t stage, uint32_t source, const char *id, uint32_t result,
                                const char *why_text)
{
	const struct tav_check check = {
	        .struct_size = sizeof(check), .id = id, .result = result, .why = why_text, .count = 1, .examined = 2};
	const char *why = NULL;

	return results_add_check(sample_results(sample, source), stage, sample_by(source), &check, &why);
}

static inline bool sample_metric(struct sample *sample, uint32_t stage, uint32_t source, const char *id, int64_t value,
                                 uint32_t unit)
{
	const struct tav_metric metric = {.struct_size = sizeof(metric), .id = id, .value = value, .unit = unit};
	const char *why = NULL;

	return results_add_metric(sample_results(sample, source), stage, sample_by(source), &metric, &why);
}

static inline bool sample_finding(struct sample *sample, uint32_t stage, uint32_t source, struct tav_finding *finding,
                                  const char **why)
{
	finding->struct_size = sizeof(*finding);
	return results_add_finding(sample_results(sample, source), stage, sample_by(source), finding, why);
}

static inline bool sample_table(struct sample *sample, uint32_t stage, uint32_t source, struct tav_table *table,
                                const char **why)
{
	table->struct_size = sizeof(*table);
	return results_add_table(sample_results(sample, source), stage, sample_by(source), table, why);
}

/* The finding of the two kernels, as overlap-verify gives it. */
static inline bool sample_add_overlap(struct sample *sample, uint32_t source, int64_t overlap_ns, const char **why)
{
	const struct tav_event events[2] = {sample->events[source][1], sample->events[source][0]};
	struct tav_text kind = text_of("partial");
	struct tav_series measures[2] = {{"overlap_ns", TAV_TYPE_INT, TAV_UNIT_NS, &overlap_ns, NULL},
	                                 {"kind", TAV_TYPE_STRING, TAV_UNIT_NONE, &kind, NULL}};
	struct tav_finding finding = {.severity = TAV_SEV_ERROR,
	                              .id = "device_overlap",
	                              .message = "device events of one stream occupy the same time",
	                              .refs_each = 2,
	                              .count = 1,
	                              .instance_count = 1,
	                              .events = events,
	                              .measures = TAV_LIST(measures)};

	return sample_finding(sample, 0, source, &finding, why);
}

/* The whole report as text, to be freed; NULL: the writer failed. */
static inline char *sample_write(struct sample *sample, const char *format, const struct report_style *style)
{
	const struct report_format *writer = report_format_find(format);
	char *text = NULL;
	size_t size = 0;
	FILE *out = writer ? open_memstream(&text, &size) : NULL;

	if (!out)
		return NULL;
	bool is_written = writer->write(&sample->report, style, out);
	if (fclose(out) || !is_written) {
		free(text);
		return NULL;
	}
	return text;
}

static const struct tav_text sample_names[2] = {{"gemm_a", 6}, {"gemm_b", 6}};

#endif
