/* SPDX-License-Identifier: Apache-2.0 */
/* What is counted: of a source, and of the run as the sum over its sources. */
#include <tav/results.h>

#include "verify.h"

enum metric {
	DEVICE_EVENTS,
	TRACKS,
	MEASURED_EVENTS,
	MEASURED_TRACKS,
	OVERLAPS,
	PARTIAL_OVERLAPS,
	OVERLAP_PAIRS,
	OVERLAP_NS,
	ALLOWED_OVERLAPS,
	MEASURED_OVERLAPS,
	MEASURED_OVERLAP_NS,
	DUPLICATE_RECORDS,
	DEFAULT_STREAM_EVENTS,
	UNUSABLE_EVENTS,
	UNUSABLE_HOST_EVENTS,
	ZERO_DURATION_EVENTS,
	UNMATCHED_BEGIN_END,
	METRIC_COUNT
};
static const struct {
	const char *id;
	uint32_t unit, better, flags;
} metrics[METRIC_COUNT] = {
        [DEVICE_EVENTS] = {"device_events", TAV_UNIT_COUNT, TAV_BETTER_UNKNOWN, TAV_METRIC_HEADLINE},
        [TRACKS] = {"tracks", TAV_UNIT_COUNT, TAV_BETTER_UNKNOWN, 0},
        [MEASURED_EVENTS] = {"measured_events", TAV_UNIT_COUNT, TAV_BETTER_UNKNOWN, 0},
        [MEASURED_TRACKS] = {"measured_tracks", TAV_UNIT_COUNT, TAV_BETTER_UNKNOWN, 0},
        [OVERLAPS] = {"overlaps", TAV_UNIT_COUNT, TAV_BETTER_LOWER, TAV_METRIC_HEADLINE},
        [PARTIAL_OVERLAPS] = {"partial_overlaps", TAV_UNIT_COUNT, TAV_BETTER_LOWER, 0},
        [OVERLAP_PAIRS] = {"overlap_pairs", TAV_UNIT_COUNT, TAV_BETTER_LOWER, 0},
        [OVERLAP_NS] = {"overlap_ns", TAV_UNIT_NS, TAV_BETTER_LOWER, 0},
        [ALLOWED_OVERLAPS] = {"allowed_overlaps", TAV_UNIT_COUNT, TAV_BETTER_UNKNOWN, 0},
        [MEASURED_OVERLAPS] = {"measured_overlaps", TAV_UNIT_COUNT, TAV_BETTER_UNKNOWN, 0},
        [MEASURED_OVERLAP_NS] = {"measured_overlap_ns", TAV_UNIT_NS, TAV_BETTER_UNKNOWN, 0},
        [DUPLICATE_RECORDS] = {"duplicate_records", TAV_UNIT_COUNT, TAV_BETTER_LOWER, 0},
        [DEFAULT_STREAM_EVENTS] = {"default_stream_events", TAV_UNIT_COUNT, TAV_BETTER_UNKNOWN, 0},
        [UNUSABLE_EVENTS] = {"unusable_events", TAV_UNIT_COUNT, TAV_BETTER_LOWER, 0},
        [UNUSABLE_HOST_EVENTS] = {"unusable_host_events", TAV_UNIT_COUNT, TAV_BETTER_LOWER, 0},
        [ZERO_DURATION_EVENTS] = {"zero_duration_events", TAV_UNIT_COUNT, TAV_BETTER_UNKNOWN, 0},
        [UNMATCHED_BEGIN_END] = {"unmatched_begin_end", TAV_UNIT_COUNT, TAV_BETTER_LOWER, 0},
};

static tav_status tell_values(struct tav_self *self, uint32_t source, const int64_t *values)
{
	tav_status status = TAV_OK;

	for (int i = 0; i < METRIC_COUNT && !status; i++)
		status = tav_measure_as(self, source, metrics[i].id, values[i], metrics[i].unit, metrics[i].better,
		                        metrics[i].flags);
	return status;
}

tav_status tell_metrics(struct tav_self *self, const struct judgement *judgement, const struct facts *facts)
{
	const struct tav_overlap_totals *judged = &judgement->judged, *measured = &judgement->measured;
	const struct tav_source *about = self->host->source(self, 0);
	/* Counts of rows, which are 32 bits wide, and of pairs of them. */
	const int64_t values[METRIC_COUNT] = {
	        [DEVICE_EVENTS] = (int64_t)judged->event_count,
	        [TRACKS] = (int64_t)judged->track_count,
	        [MEASURED_EVENTS] = (int64_t)measured->event_count,
	        [MEASURED_TRACKS] = (int64_t)measured->track_count,
	        [OVERLAPS] = (int64_t)judged->offending_count,
	        [PARTIAL_OVERLAPS] = (int64_t)judged->partial_count,
	        [OVERLAP_PAIRS] = judged->pair_count > INT64_MAX ? INT64_MAX : (int64_t)judged->pair_count,
	        [OVERLAP_NS] = judged->overlap_ns,
	        [ALLOWED_OVERLAPS] = (int64_t)judged->allowed_count,
	        [MEASURED_OVERLAPS] = (int64_t)measured->offending_count,
	        [MEASURED_OVERLAP_NS] = measured->overlap_ns,
	        [DUPLICATE_RECORDS] = (int64_t)judgement->duplicates,
	        [DEFAULT_STREAM_EVENTS] = (int64_t)facts->default_stream,
	        [UNUSABLE_EVENTS] = (int64_t)facts->unusable_device,
	        [UNUSABLE_HOST_EVENTS] = (int64_t)facts->unusable_host,
	        [ZERO_DURATION_EVENTS] = (int64_t)facts->zero_duration,
	        [UNMATCHED_BEGIN_END] = (int64_t)(about->unmatched_begin + about->unmatched_end),
	};

	return tell_values(self, 0, values);
}

/* ---- Of the run ---------------------------------------------------------------------------------------------- */

static tav_status tell_headline(struct tav_self *self, uint64_t looked_at, uint64_t wrong, const int64_t *values)
{
	if (!values[OVERLAPS])
		return tav_headline(self, TAV_RUN, "no overlap in %s: %s verified", COUNTED(looked_at, "trace"),
		                    COUNTED((uint64_t)values[DEVICE_EVENTS], "device event"));
	return tav_headline(self, TAV_RUN, "%s in %s of %s", COUNTED((uint64_t)values[OVERLAPS], "overlap"),
	                    COUNTED(wrong, ""), COUNTED(looked_at, "trace"));
}

tav_status tell_run(struct tav_self *self)
{
	const struct tav_results *results = self->host->extension(self, TAV_RESULTS_ID);
	uint32_t source_count = self->host->source_count(self);
	int64_t values[METRIC_COUNT] = {0};
	uint64_t looked_at = 0, wrong = 0;

	if (!results)
		return tav_fail(self, "this host does not offer %s", TAV_RESULTS_ID);
	uint32_t stage = results->find_stage(self, "overlap-verify");
	for (uint32_t source = 0; source < source_count; source++) {
		if (!results->is_done(self, stage, source))
			continue;
		looked_at++;
		wrong += tav_metric_or(self, results, stage, source, metrics[OVERLAPS].id, 0) > 0;
		for (int i = 0; i < METRIC_COUNT; i++)
			values[i] = tav_sum(values[i], tav_metric_or(self, results, stage, source, metrics[i].id, 0));
	}
	tav_status status = tell_values(self, TAV_RUN, values);
	if (!status && source_count > 1)
		status = tell_headline(self, looked_at, wrong, values);
	return status;
}
