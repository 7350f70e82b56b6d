/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tav/results.h - the extension "tav.results/1": what stages have told.
 *
 *   const struct tav_results *results = self->host->extension(self, TAV_RESULTS_ID);
 *
 * In each() it shows the results of the stages before this one, of source 0. In combine() it shows those of each
 * source (numbered as source() does there) and of the run, as told by each(), by combine() of the stages before, and
 * by this call so far. Only the stage itself and those that its descriptor names in `needs` can be read by name; with
 * two stages of that name the nearest before it. Reading all stages in turn (stage_count(), stage_name()) is for
 * stages that judge a whole pipeline; it is always allowed. All of it is sealed. [any]
 */
#ifndef TAV_RESULTS_H
#define TAV_RESULTS_H

#include <tav/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAV_RESULTS_ID "tav.results/1"

enum { TAV_BY_EACH = 1, TAV_BY_COMBINE };

struct tav_check_result {
	uint32_t struct_size, by; /* TAV_BY_... */
	struct tav_text id, why;
	uint32_t result; /* after the user's `severity` */
	uint32_t source;
	uint64_t count, examined;
	uint32_t told; /* the result as its stage told it */
	uint32_t reserved;
};
struct tav_metric_result {
	uint32_t struct_size, by;
	struct tav_text id;
	uint32_t unit, better, type, source;
	int64_t value;
	double real;
};
/* A column: read what `type` says, `row_count` elements. Frozen. */
struct tav_column_result {
	struct tav_text name;
	uint32_t type, unit; /* INT: int64_t, REAL: double, STRING: struct tav_text, REF: struct tav_event */
	const void *data;
	const uint64_t *present; /* NULL: everywhere */
};
struct tav_finding_result {
	uint32_t struct_size, by;
	struct tav_text id, message, remedy;
	uint32_t severity, source;
	uint64_t count, instance_count; /* kept */
	uint32_t events_each, measure_count;
	const struct tav_event *events; /* instance_count * events_each */
	const struct tav_column_result *measures;
	uint32_t told; /* the severity as its stage told it, before the user's `severity` */
	uint32_t reserved;
};
struct tav_table_result {
	uint32_t struct_size, by;
	struct tav_text id, title;
	uint32_t source, column_count;
	uint64_t row_count, omitted_count;
	const struct tav_column_result *columns;
};

struct tav_results {
	uint32_t struct_size, reserved;
	/* The stages of the pipeline whose results can be read, in their order: those before this one, and this one. */
	uint32_t (*stage_count)(struct tav_self *);
	struct tav_text (*stage_name)(struct tav_self *, uint32_t stage, struct tav_text *id); /* `id` may be NULL */
	uint32_t (*find_stage)(struct tav_self *,
	                       const char *name); /* one of `needs`, or its own; TAV_NONE: not there */
	/* Did the stage look at that source and end well? 0: what it told is not whole, and nothing of it is shown. */
	int32_t (*is_done)(struct tav_self *, uint32_t stage, uint32_t source);
	/* The i-th of (stage, source), in the order in which they were told; NULL: no more. */
	const struct tav_check_result *(*check)(struct tav_self *, uint32_t stage, uint32_t source, uint32_t i);
	const struct tav_metric_result *(*metric)(struct tav_self *, uint32_t stage, uint32_t source, uint32_t i);
	const struct tav_finding_result *(*finding)(struct tav_self *, uint32_t stage, uint32_t source, uint32_t i);
	const struct tav_table_result *(*table)(struct tav_self *, uint32_t stage, uint32_t source, uint32_t i);
	/* The one with this id; NULL: there is none. */
	const struct tav_check_result *(*find_check)(struct tav_self *, uint32_t stage, uint32_t source,
	                                             const char *id);
	const struct tav_metric_result *(*find_metric)(struct tav_self *, uint32_t stage, uint32_t source,
	                                               const char *id);
	const struct tav_finding_result *(*find_finding)(struct tav_self *, uint32_t stage, uint32_t source,
	                                                 const char *id);
	const struct tav_table_result *(*find_table)(struct tav_self *, uint32_t stage, uint32_t source,
	                                             const char *id);
	/* The column of a table by its name; NULL: there is none. */
	const struct tav_column_result *(*column)(struct tav_self *, const struct tav_table_result *, const char *name);
	/* What the host itself doubts of a source, such as unusable events: a text for each; size 0: no more. */
	struct tav_text (*doubt)(struct tav_self *, uint32_t source, uint32_t i, struct tav_text *id);
};

/* The whole number of a metric, or `otherwise` where it was not told. */
static inline int64_t tav_metric_or(struct tav_self *self, const struct tav_results *results, uint32_t stage,
                                    uint32_t source, const char *id, int64_t otherwise)
{
	const struct tav_metric_result *metric = results->find_metric(self, stage, source, id);

	return metric && metric->type != TAV_TYPE_REAL ? metric->value : otherwise;
}

#ifdef __cplusplus
}
#endif
#endif
