/* SPDX-License-Identifier: Apache-2.0 */
/* A source that is written down event by event, and a host that shows it to the parts of overlap-triage. */
#ifndef TRIAGE_MADE_H
#define TRIAGE_MADE_H

#include <stdlib.h>
#include <string.h>

#include <tav/results.h>

#include "../../plugins/overlap-triage/sourcemap.h"
#include "../../plugins/overlap-triage/triage.h"
#include "../unit/suite.h"

enum { MADE_ROWS = 256, MADE_TOLD = 4096 };
#define US 1000 /* times are told in us */

struct made {
	struct tav_self self;
	struct tav_host host;
	struct tav_source info;
	struct tav_track tracks[16];
	tav_row rows, launches[MADE_ROWS];
	int64_t start[MADE_ROWS], end[MADE_ROWS];
	uint32_t label[MADE_ROWS], pid[MADE_ROWS], tid[MADE_ROWS], traits[MADE_ROWS], track[MADE_ROWS];
	uint32_t operators[MADE_ROWS];
	uint8_t kind[MADE_ROWS];
	char phase[MADE_ROWS];
	const char *names[MADE_ROWS];
	uint32_t calls[MADE_ROWS], label_count;
	struct tav_link_list links;
	tav_row link_rows[MADE_ROWS], link_launch[MADE_ROWS], link_ops[MADE_ROWS];
	uint8_t why[MADE_ROWS];
	uint32_t index[MADE_ROWS];
	struct tav_step_list steps;
	struct tav_step step_items[8];
	int32_t step_of[MADE_ROWS];
	char told[MADE_TOLD]; /* what checks, findings, metrics and headlines said, a line each */
	struct tav_value values[OPT_COUNT];
	const struct tav_value *options[OPT_COUNT];
	struct triage triage;
	struct analysis analysis;
};
static struct made made;

static inline void tell(const char *kind, const char *id, const char *text)
{
	size_t used = strlen(made.told);

	snprintf(made.told + used, sizeof(made.told) - used, "%s %s: %s\n", kind, id, text ? text : "");
}
static inline bool was_told(const char *part)
{
	return strstr(made.told, part) != NULL;
}

/* ---- The host: what is given is never freed, as the test ends soon ------------------------------------- */

static inline void *made_alloc(struct tav_self *self, size_t bytes)
{
	(void)self;
	return calloc(1, bytes + 1);
}
static inline tav_status made_fail(struct tav_self *self, const char *file, uint32_t line, const char *text)
{
	(void)self, (void)file, (void)line;
	tell("fail", "", text);
	return TAV_FAILED;
}
static inline const void *made_extension(struct tav_self *self, const char *id)
{
	(void)self, (void)id;
	return NULL;
}
static inline int32_t made_cancelled(struct tav_self *self)
{
	(void)self;
	return 0;
}
static inline struct tav_text made_label(struct tav_self *self, uint32_t source, uint32_t label,
                                         struct tav_text *category)
{
	(void)self, (void)source;
	if (category)
		*category = TEXT("");
	return (struct tav_text){made.names[label], strlen(made.names[label])};
}
static inline uint32_t made_call(struct tav_self *self, uint32_t source, uint32_t label)
{
	(void)self, (void)source;
	return made.calls[label];
}
static inline struct tav_text made_value(struct tav_self *self, uint32_t source, uint32_t value)
{
	static const char *const digits[] = {"", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};

	(void)self, (void)source;
	return (struct tav_text){digits[value], strlen(digits[value])};
}
static inline const struct tav_track *made_track(struct tav_self *self, uint32_t source, uint32_t track)
{
	(void)self, (void)source;
	return &made.tracks[track];
}
static inline tav_status made_check(struct tav_self *self, const struct tav_check *check)
{
	static const char *const words[] = {"", "pass", "warn", "fail", "skip"};

	(void)self;
	tell(words[check->result], check->id, check->why);
	return TAV_OK;
}
static inline tav_status made_finding(struct tav_self *self, const struct tav_finding *finding)
{
	(void)self;
	tell("finding", finding->id, finding->message);
	return TAV_OK;
}
static inline tav_status made_metric(struct tav_self *self, const struct tav_metric *metric)
{
	char text[32];

	(void)self;
	snprintf(text, sizeof(text), "%lld", (long long)metric->value);
	tell("metric", metric->id, text);
	return TAV_OK;
}
static inline tav_status made_headline(struct tav_self *self, uint32_t source, const char *text)
{
	(void)self, (void)source;
	tell("headline", "", text);
	return TAV_OK;
}
static inline tav_status made_table(struct tav_self *self, const struct tav_table *table)
{
	char text[32];

	(void)self;
	snprintf(text, sizeof(text), "%llu rows, %llu more", (unsigned long long)table->row_count,
	         (unsigned long long)table->omitted_count);
	tell("table", table->id, text);
	return TAV_OK;
}

/* ---- Writing a source ---------------------------------------------------------------------------------- */

static inline void made_init(void)
{
	memset(&made, 0, sizeof(made));
	made.host = (struct tav_host){.struct_size = sizeof(made.host),
	                              .fail = made_fail,
	                              .alloc = made_alloc,
	                              .keep = made_alloc,
	                              .cancelled = made_cancelled,
	                              .extension = made_extension,
	                              .label = made_label,
	                              .label_call = made_call,
	                              .value = made_value,
	                              .track = made_track,
	                              .check = made_check,
	                              .finding = made_finding,
	                              .metric = made_metric,
	                              .headline = made_headline,
	                              .table = made_table};
	for (int i = 0; i < OPT_COUNT; i++)
		made.options[i] = &made.values[i];
	made.self = (struct tav_self){.struct_size = sizeof(made.self), .host = &made.host, .options = made.options};
	made.label_count = 1;
	made.names[0] = "";
	made.info = (struct tav_source){.track_word = TEXT("stream"), .device_count = 2, .track_count = 16};
	for (uint32_t track = 0; track < 16; track++)
		made.tracks[track] = (struct tav_track){.pid = track < 8 ? 1 : 2, .device = track < 8 ? 0 : TAV_NONE};
	made.triage = (struct triage){.self = &made.self,
	                              .only_phase = -1,
	                              .kernel_limit = 50,
	                              .min_total = 5 * US,
	                              .min_share = 1,
	                              .min_exposed = 0.45,
	                              .min_hidden = 0.65,
	                              .tight_min = 2 * US,
	                              .tight_max = 20 * US,
	                              .tight_share = 0.15,
	                              .lookup_min_chars = 12,
	                              .lookup_min_share = 0.5,
	                              .samples = 16};
	made.triage.pool.keep = &made.self;
	tav_map_init(&made.triage.texts, &made.self);
	CU_ASSERT_EQUAL_FATAL(categories_load(&made.triage, &made.triage.pool, "built-in",
	                                      (const char *)builtin_categories, builtin_categories_size),
	                      TAV_OK);
}

static inline tav_row made_event(const char *name, int64_t start, int64_t time, uint32_t track, uint32_t traits)
{
	tav_row row = made.rows++;
	uint32_t label = 0;

	while (label < made.label_count && strcmp(made.names[label], name))
		label++;
	if (label == made.label_count)
		made.names[made.label_count++] = name;
	made.start[row] = start * US;
	made.end[row] = (start + time) * US;
	made.label[row] = label;
	made.track[row] = track;
	made.pid[row] = made.tracks[track].pid;
	made.tid[row] = track;
	made.traits[row] = traits | TAV_TRAIT_INTERVAL;
	made.phase[row] = 'X';
	made.launches[row] = TAV_NONE;
	made.step_of[row] = TAV_STEP_OUTSIDE;
	return row;
}
/* A kernel of device 0 and this stream; its kind by what its name says. */
static inline tav_row made_kernel(const char *name, int64_t start, int64_t time, uint32_t stream)
{
	tav_row row = made_event(name, start, time, stream, TAV_TRAIT_DEVICE);

	made.kind[row] = strstr(name, "nccl")     ? TAV_KIND_COMMUNICATION
	                 : strstr(name, "Memcpy") ? TAV_KIND_COPY
	                                          : TAV_KIND_COMPUTE;
	return row;
}
enum { HOST_TRACK = 8 };
static inline tav_row made_host(const char *name, int64_t start, int64_t time, uint32_t traits)
{
	return made_event(name, start, time, HOST_TRACK, traits);
}
static inline tav_row made_launched(tav_row kernel, tav_row call)
{
	made.launches[kernel] = call;
	return kernel;
}

/* The innermost operator around a launch, by looking at all of them. */
static inline tav_row made_operator(tav_row launch)
{
	tav_row best = TAV_NONE;

	for (tav_row row = 0; row < made.rows; row++)
		if (made.traits[row] & TAV_TRAIT_HOST_OP && made.start[row] <= made.start[launch] &&
		    made.start[launch] < made.end[row] && (best == TAV_NONE || made.start[row] >= made.start[best]))
			best = row;
	return best;
}

/* Everything up to the aggregates; the sweep and the source map are the test's. */
static inline void made_open(void)
{
	struct analysis *a = &made.analysis;
	uint64_t count = 0;

	*a = (struct analysis){.triage = &made.triage,
	                       .info = &made.info,
	                       .start = made.start,
	                       .end = made.end,
	                       .label = made.label,
	                       .pid = made.pid,
	                       .tid = made.tid,
	                       .traits = made.traits,
	                       .track = made.track,
	                       .phase = made.phase,
	                       .kind = made.kind,
	                       .operators = made.operators,
	                       .links = &made.links,
	                       .steps = &made.steps};
	made.info.row_count = made.rows;
	for (tav_row row = 0; row < made.rows; row++) {
		made.index[row] = TAV_NONE;
		if (!(made.traits[row] & TAV_TRAIT_DEVICE))
			continue;
		made.index[row] = (uint32_t)count;
		made.link_rows[count] = row;
		made.link_launch[count] = made.launches[row];
		made.link_ops[count] = made.launches[row] == TAV_NONE ? TAV_NONE : made_operator(made.launches[row]);
		made.why[count] = made.launches[row] == TAV_NONE ? TAV_LINK_NONE : TAV_LINK_OK;
		made.step_of[count++] = made.step_of[row];
	}
	made.links = (struct tav_link_list){.count = count,
	                                    .rows = made.link_rows,
	                                    .launch = made.link_launch,
	                                    .operators = made.link_ops,
	                                    .why = made.why,
	                                    .index = made.index,
	                                    .operator_repeats_link = made.links.operator_repeats_link};
	made.steps.steps = made.step_items;
	made.steps.step_of = made.step_of;
	a->labels = POOL_NEW(&a->pool, struct label_facts, made.label_count);
	CU_ASSERT_EQUAL_FATAL(find_kernels(a), TAV_OK);
	CU_ASSERT_EQUAL_FATAL(find_phases(a), TAV_OK);
	for (size_t d = 0; d < a->device_count; d++)
		CU_ASSERT_EQUAL_FATAL(make_aggregates(a, &a->devices[d]), TAV_OK);
}

static inline struct device *made_sweep(void)
{
	struct analysis *a = &made.analysis;

	made_open();
	CU_ASSERT_EQUAL_FATAL(a->device_count, 1);
	CU_ASSERT_EQUAL_FATAL(sweep_device(a, &a->devices[0]), TAV_OK);
	partners_choose(&made.triage, &a->devices[0].partners, a->devices[0].aggregates);
	CU_ASSERT_EQUAL_FATAL(make_source_maps(a), TAV_OK);
	return &a->devices[0];
}

static inline const struct aggregate *made_aggregate(const char *name)
{
	const struct device *device = &made.analysis.devices[0];

	for (size_t i = 0; i < device->aggregate_count; i++)
		if (text_is(text_at(&made.triage, device->aggregates[i].name), name))
			return &device->aggregates[i];
	CU_FAIL_FATAL("no such kernel");
	return NULL;
}

#define ASSERT_TEXT(text, wanted) CU_ASSERT_TRUE(text_is((text), (wanted)))

#endif
