/* SPDX-License-Identifier: Apache-2.0 */
/* A store and a report made by hand, for the tests of the report and its writers. */
#ifndef UNIT_REPORT_SAMPLE_H
#define UNIT_REPORT_SAMPLE_H

#include <stdlib.h>
#include <string.h>

#include <base/text.h>
#include <report/report.h>

enum { SAMPLE_ROWS = 4, SAMPLE_SOURCES = 3, SAMPLE_STAGES = 2 };

struct sample {
	struct store store;
	struct report report;
	struct report_source sources[SAMPLE_SOURCES];
	struct report_stage stages[SAMPLE_STAGES];
	struct read_error read_error;
	struct events *blocks[SAMPLE_SOURCES];
	struct tav_track device, thread;
	const struct tav_track *tracks[2];
	struct label labels[SAMPLE_ROWS];
};

static inline uint32_t sample_value(struct sample *sample, struct tav_text text)
{
	return intern_add(&sample->store.values, text.data, text.size);
}

/* Columns of plain memory: the writers read nothing but `data`. */
static inline bool sample_column(struct arena *arena, struct pages *pages, const void *from, size_t bytes)
{
	pages->data = arena_alloc(arena, bytes);
	if (pages->data)
		memcpy(pages->data, from, bytes);
	return pages->data;
}

static inline struct events *sample_events(struct sample *sample, const char *path)
{
	static const int64_t starts[SAMPLE_ROWS] = {100000, 105000, -1, 0},
	                     ends[SAMPLE_ROWS] = {110000, 115001, 1000, 0};
	static const uint32_t traits[SAMPLE_ROWS] = {0, 0, 0, TAV_TRAIT_UNUSABLE};
	static const uint64_t offsets[SAMPLE_ROWS] = {17, 4711, 5000, 9000000000};
	static const uint32_t labels[SAMPLE_ROWS] = {0, 1, 2, 3}, tracks[SAMPLE_ROWS] = {0, 0, 1, TAV_NONE};
	struct events *events = calloc(1, sizeof(*events));

	if (!events)
		return NULL;
	uint32_t zero = sample_value(sample, text_of("0")), forty = sample_value(sample, text_of("400"));
	const uint32_t pids[SAMPLE_ROWS] = {zero, zero, zero, zero}, tids[SAMPLE_ROWS] = {forty, forty, zero, 0};
	events->path = path;
	events->form = TAV_FORM_OBJECT;
	events->bytes = 12345;
	events->event_count = events->row_count = SAMPLE_ROWS;
	events->dialect = "torch";
	events->dialect_reason = "score 90: deviceProperties";
	events->tracks = sample->tracks;
	events->track_count = 2;
	if (!sample_column(&events->arena, &events->start_ns, starts, sizeof(starts)) ||
	    !sample_column(&events->arena, &events->end_ns, ends, sizeof(ends)) ||
	    !sample_column(&events->arena, &events->traits, traits, sizeof(traits)) ||
	    !sample_column(&events->arena, &events->offset, offsets, sizeof(offsets)) ||
	    !sample_column(&events->arena, &events->label, labels, sizeof(labels)) ||
	    !sample_column(&events->arena, &events->track, tracks, sizeof(tracks)) ||
	    !sample_column(&events->arena, &events->pid, pids, sizeof(pids)) ||
	    !sample_column(&events->arena, &events->tid, tids, sizeof(tids)))
		return NULL;
	return events;
}

/*
 * Each of `count` sources holds two kernels on stream 7, [100 us, 110 us) and [105 us, 115.001 us), named by `names`,
 * a CPU event and one that cannot be placed in time. Two stages: overlap-verify, and stats with the id "st".
 */
static inline bool sample_init(struct sample *sample, uint32_t count, const struct tav_text names[2])
{
	static const char *const paths[SAMPLE_SOURCES] = {"trace.json", "rank1.json", "rank2.json"};

	*sample = (struct sample){
	        .store = {.source_count = count, .sources = sample->blocks, .label_count = SAMPLE_ROWS}};
	if (!intern_init(&sample->store.values))
		return false;
	uint32_t kernel = sample_value(sample, text_of("kernel"));
	sample->labels[0] = (struct label){sample_value(sample, names[0]), kernel};
	sample->labels[1] = (struct label){sample_value(sample, names[1]), kernel};
	sample->labels[2] =
	        (struct label){sample_value(sample, text_of("aten::mm")), sample_value(sample, text_of("cpu_op"))};
	sample->labels[3] = (struct label){sample_value(sample, text_of("lost")), kernel};
	sample->store.labels.data = sample->labels;
	sample->device = (struct tav_track){.struct_size = sizeof(struct tav_track), .flags = TAV_TRACK_DEVICE};
	sample->device.stream = sample_value(sample, text_of("7"));
	sample->thread = (struct tav_track){.struct_size = sizeof(struct tav_track)};
	sample->tracks[0] = &sample->device;
	sample->tracks[1] = &sample->thread;
	for (uint32_t source = 0; source < count; source++) {
		sample->blocks[source] = sample_events(sample, paths[source]);
		if (!sample->blocks[source])
			return false;
		sample->sources[source] = (struct report_source){paths[source], "", sample->blocks[source], NULL, NULL};
	}
	sample->stages[0] = (struct report_stage){.name = "overlap-verify", .id = "overlap-verify"};
	sample->stages[1] = (struct report_stage){.name = "stats", .id = "st"};
	sample->report = (struct report){.store = &sample->store, .tool_version = "1.2.3", .pipeline = "verify"};
	sample->report.sources = sample->sources;
	sample->report.source_count = count;
	sample->report.stages = sample->stages;
	sample->report.stage_count = SAMPLE_STAGES;
	return true;
}

/* Source `source` becomes one that could not be read. */
static inline void sample_break(struct sample *sample, uint32_t source)
{
	sample->read_error = (struct read_error){
	        "a comma or ']' was expected, \"}\" was found", "{\"ph\": \"X\"}}", 11, 3, 12, 120, 5};
	sample->sources[source].events = NULL;
	sample->sources[source].read_error = &sample->read_error;
	sample->sources[source].error = "trace.json:3:12: a comma or ']' was expected";
	arena_fini(&sample->blocks[source]->arena);
	free(sample->blocks[source]);
	sample->blocks[source] = NULL;
}

static inline void sample_fini(struct sample *sample)
{
	report_fini(&sample->report);
	for (uint32_t source = 0; source < SAMPLE_SOURCES; source++) {
		if (sample->blocks[source])
			arena_fini(&sample->blocks[source]->arena);
		free(sample->blocks[source]);
	}
	intern_fini(&sample->store.values);
}

/* The finding of the two kernels, as overlap-verify gives it. */
static inline bool sample_add_overlap(struct sample *sample, uint32_t source, int64_t overlap_ns, const char **why)
{
	struct tav_ref refs[2] = {{source, 1}, {source, 0}};
	struct tav_text kind = text_of("partial");
	struct tav_series measures[2] = {{"overlap_ns", TAV_TYPE_INT, TAV_UNIT_NS, &overlap_ns, NULL},
	                                 {"kind", TAV_TYPE_STRING, TAV_UNIT_NONE, &kind, NULL}};
	struct tav_finding finding = {.struct_size = sizeof(finding),
	                              .severity = TAV_SEV_ERROR,
	                              .id = "device_overlap",
	                              .message = "device events of one stream occupy the same time",
	                              .source = source,
	                              .refs_each = 2,
	                              .count = 1,
	                              .instance_count = 1,
	                              .refs = refs,
	                              .measures = TAV_LIST(measures)};

	return report_add_finding(&sample->report, 0, &finding, why);
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
