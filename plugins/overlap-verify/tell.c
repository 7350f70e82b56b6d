/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "verify.h"

/* A finding of `count` facts, and examples of them where there are any. */
static tav_status tell_fact(struct tav_self *self, uint32_t source, const char *id, uint32_t severity, uint64_t count,
                            const struct examples *examples, const char *message)
{
	struct tav_ref refs[EXAMPLES];
	uint64_t shown = !examples ? 0 : examples->count < EXAMPLES ? examples->count : EXAMPLES;

	for (uint64_t i = 0; i < shown; i++)
		refs[i] = (struct tav_ref){source, examples->rows[i]};
	return self->host->finding(self, &(struct tav_finding){
	                                         .struct_size = sizeof(struct tav_finding),
	                                         .severity = severity,
	                                         .id = id,
	                                         .message = message,
	                                         .source = source,
	                                         .refs_each = examples ? 1 : 0,
	                                         .count = count,
	                                         .instance_count = shown,
	                                         .refs = refs,
	                                 });
}

/* ---- Overlaps ----------------------------------------------------------------------------------------------- */

static int compare_instances(const void *a, const void *b)
{
	return instance_compare(a, b);
}

static tav_status tell_overlaps(struct tav_self *self, uint32_t source, const struct judgement *judgement)
{
	static const struct tav_text kinds[] = {{"partial", 7}, {"nested", 6}, {"duplicate", 9}};
	const struct instances *shown = &judgement->instances;
	const struct tav_overlap_totals *judged = &judgement->judged;

	if (!judged->offending_count)
		return TAV_OK;
	struct tav_ref *refs = malloc((shown->count + 1) * 2 * sizeof(*refs));
	int64_t *overlap_ns = malloc((shown->count + 1) * sizeof(*overlap_ns));
	struct tav_text *kind = malloc((shown->count + 1) * sizeof(*kind));
	tav_status status = TAV_FAILED;
	if (!refs || !overlap_ns || !kind) {
		tav_fail(self, "out of memory: %llu overlaps to show", (unsigned long long)shown->count);
		goto out;
	}
	qsort(shown->items, shown->count, sizeof(*shown->items), compare_instances);
	for (uint64_t i = 0; i < shown->count; i++) {
		refs[2 * i] = (struct tav_ref){source, shown->items[i].later};
		refs[2 * i + 1] = (struct tav_ref){source, shown->items[i].earlier};
		overlap_ns[i] = shown->items[i].overlap_ns;
		kind[i] = kinds[shown->items[i].kind];
	}
	const struct tav_series measures[] = {
	        {"overlap_ns", TAV_TYPE_INT, TAV_UNIT_NS, overlap_ns, NULL},
	        {"kind", TAV_TYPE_STRING, TAV_UNIT_NONE, kind, NULL},
	};
	char message[TEXT];
	uint64_t partial = judged->partial_count, nested = judged->offending_count - partial;
	int used = snprintf(message, sizeof(message), "%s %s an earlier one of the same track (stream)",
	                    COUNTED(judged->offending_count, "device event"),
	                    judged->offending_count == 1 ? "overlaps" : "overlap");
	if (partial && nested)
		used += snprintf(message + used, sizeof(message) - (size_t)used, ": %s partly, %s nested",
		                 COUNTED(partial, ""), COUNTED(nested, ""));
	else
		used += snprintf(message + used, sizeof(message) - (size_t)used, ", %s", partial ? "partly" : "nested");
	if (judgement->judged_duplicates)
		snprintf(message + used, sizeof(message) - (size_t)used,
		         judgement->judged_duplicates == 1 ? "; %s is the same record twice (duplicate)"
		                                           : "; %s are the same record twice (duplicates)",
		         COUNTED(judgement->judged_duplicates, ""));
	status = self->host->finding(self, &(struct tav_finding){
	                                           .struct_size = sizeof(struct tav_finding),
	                                           .severity = TAV_SEV_ERROR,
	                                           .id = "overlap",
	                                           .message = message,
	                                           .source = source,
	                                           .refs_each = 2,
	                                           .count = judged->offending_count,
	                                           .instance_count = shown->count,
	                                           .refs = refs,
	                                           .measures = TAV_LIST(measures),
	                                           .max_instances = shown->limit,
	                                   });
out:
	free(refs);
	free(overlap_ns);
	free(kind);
	return status;
}

/* ---- What else may be wrong ---------------------------------------------------------------------------------- */

static void say_nothing(struct tav_self *self, uint32_t source, char *out, size_t size)
{
	char strange[TEXT / 2];

	strange_categories(self, source, strange, sizeof(strange));
	snprintf(out, size, "0 device events: nothing was verified%s%s",
	         *strange ? "; categories that the dialect knows nothing of: " : "", strange);
}

static tav_status tell_amount(struct tav_self *self, uint32_t source, const struct judgement *judgement,
                              const struct facts *facts)
{
	uint64_t judged = judgement->judged.event_count, measured = judgement->measured.event_count;
	uint64_t wanted = (uint64_t)self->options[OPT_MIN_DEVICE_EVENTS]->integer;
	char message[TEXT];
	tav_status status = TAV_OK;

	if (!judged) {
		if (measured)
			snprintf(message, sizeof(message),
			         "0 device events on judged tracks: nothing was verified; %s only measured",
			         COUNTED(measured, "device event"));
		else
			say_nothing(self, source, message, sizeof(message));
		status = tell_fact(self, source, "no_device_events", TAV_SEV_WARNING, 1, NULL, message);
	}
	if (!status && judged < wanted) {
		snprintf(message, sizeof(message), "%s: min_device_events asks for at least %s",
		         COUNTED(judged, "device event"), COUNTED(wanted, ""));
		status = tell_fact(self, source, "too_few_device_events", TAV_SEV_ERROR, 1, NULL, message);
	}
	if (!status && facts->launches.count && !facts->kernels) {
		snprintf(message, sizeof(message), "%s %s without any kernel: was the device recorded?",
		         COUNTED(facts->launches.count, ""), facts->launches.count == 1 ? "launch" : "launches");
		status = tell_fact(self, source, "launches_without_kernels", TAV_SEV_WARNING, facts->launches.count,
		                   &facts->launches, message);
	}
	return status;
}

static tav_status tell_doubts(struct tav_self *self, uint32_t source, const struct judgement *judgement,
                              const struct facts *facts)
{
	char message[TEXT];
	tav_status status = TAV_OK;

	if (facts->default_stream && facts->default_tid_count > 1) {
		snprintf(message, sizeof(message),
		         "%s without args.stream from %s%u different tids: all stand on the default stream (stream 0)",
		         COUNTED(facts->default_stream, "device event"),
		         facts->default_tid_count == TIDS_TOLD ? "at least " : "", facts->default_tid_count);
		status = tell_fact(self, source, "default_stream_tids", TAV_SEV_WARNING, facts->default_stream, NULL,
		                   message);
	}
	if (!status && facts->zero_timestamps.count > 1) {
		snprintf(message, sizeof(message), "%s with a ts of 0: the clock was not read",
		         COUNTED(facts->zero_timestamps.count, "device event"));
		status = tell_fact(self, source, "zero_timestamps", TAV_SEV_WARNING, facts->zero_timestamps.count,
		                   &facts->zero_timestamps, message);
	}
	if (!status && facts->suspect_times.count) {
		snprintf(message, sizeof(message),
		         "%s whose own fields contradict %s ts or dur (no length, but different TS1 and TS5)",
		         COUNTED(facts->suspect_times.count, "device event"),
		         facts->suspect_times.count == 1 ? "its" : "their");
		status = tell_fact(self, source, "suspect_time", TAV_SEV_WARNING, facts->suspect_times.count,
		                   &facts->suspect_times, message);
	}
	if (!status && judgement->other_lane_events) {
		snprintf(message, sizeof(message), "%s of no known engine: measured, not judged",
		         COUNTED(judgement->other_lane_events, "device event"));
		status = tell_fact(self, source, "other_lane", TAV_SEV_WARNING, judgement->other_lane_events, NULL,
		                   message);
	}
	return status;
}

/* ---- Checks and metrics -------------------------------------------------------------------------------------- */

/* "22,290 device events on 2 tracks, 0 without a stream" */
static void say_amount(char *out, size_t size, const struct judgement *judgement)
{
	int used = snprintf(
	        out, size, "%s on %s, %s without a stream", COUNTED(judgement->judged.event_count, "device event"),
	        COUNTED(judgement->judged.track_count, "track"), COUNTED(judgement->judged_default_stream, ""));

	if (judgement->measured.event_count && used > 0 && (size_t)used < size)
		used += snprintf(out + used, size - (size_t)used, "; %s on %s measured, not judged",
		                 COUNTED(judgement->measured.event_count, "device event"),
		                 COUNTED(judgement->measured.track_count, "track"));
	if (judgement->judged.allowed_count && used > 0 && (size_t)used < size)
		snprintf(out + used, size - (size_t)used, "; %s",
		         COUNTED(judgement->judged.allowed_count, "allowed overlap"));
}

static tav_status tell_checks(struct tav_self *self, uint32_t source, const struct judgement *judgement,
                              const struct facts *facts)
{
	const struct tav_overlap_totals *judged = &judgement->judged;
	uint64_t looked_at = judged->event_count + judgement->measured.event_count;
	char amount[TEXT];

	say_amount(amount, sizeof(amount), judgement);
	uint32_t result = judged->offending_count ? TAV_RESULT_FAIL
	                  : judged->event_count   ? TAV_RESULT_PASS
	                                          : TAV_RESULT_SKIP;
	tav_status status = judged->offending_count ? tav_check(self, source, "overlap", result, "%s among %s",
	                                                        COUNTED(judged->offending_count, "overlap"), amount)
	                                            : self->host->check(self, source, "overlap", result, amount);
	if (!status && facts->unusable_device)
		status = tav_check(self, source, "times", TAV_RESULT_FAIL, "%s cannot be placed in time",
		                   COUNTED(facts->unusable_device, "device event"));
	else if (!status)
		status = self->host->check(self, source, "times", looked_at ? TAV_RESULT_PASS : TAV_RESULT_SKIP,
		                           looked_at ? "every device event has its place in time" : "no device events");
	return status;
}

static tav_status tell_metrics(struct tav_self *self, uint32_t source, const struct judgement *judgement,
                               const struct facts *facts, uint64_t unmatched)
{
	const struct tav_overlap_totals *judged = &judgement->judged, *measured = &judgement->measured;
	const struct {
		const char *id;
		uint64_t value;
		uint32_t unit;
	} metrics[] = {
	        {"device_events", judged->event_count, TAV_UNIT_COUNT},
	        {"tracks", judged->track_count, TAV_UNIT_COUNT},
	        {"measured_events", measured->event_count, TAV_UNIT_COUNT},
	        {"measured_tracks", measured->track_count, TAV_UNIT_COUNT},
	        {"overlaps", judged->offending_count, TAV_UNIT_COUNT},
	        {"partial_overlaps", judged->partial_count, TAV_UNIT_COUNT},
	        {"overlap_pairs", judged->pair_count, TAV_UNIT_COUNT},
	        {"overlap_ns", (uint64_t)judged->overlap_ns, TAV_UNIT_NS},
	        {"allowed_overlaps", judged->allowed_count, TAV_UNIT_COUNT},
	        {"measured_overlaps", measured->offending_count, TAV_UNIT_COUNT},
	        {"measured_overlap_ns", (uint64_t)measured->overlap_ns, TAV_UNIT_NS},
	        {"duplicate_records", judgement->duplicates, TAV_UNIT_COUNT},
	        {"default_stream_events", facts->default_stream, TAV_UNIT_COUNT},
	        {"unusable_events", facts->unusable_device, TAV_UNIT_COUNT},
	        {"unusable_host_events", facts->unusable_host, TAV_UNIT_COUNT},
	        {"zero_duration_events", facts->zero_duration, TAV_UNIT_COUNT},
	        {"unmatched_begin_end", unmatched, TAV_UNIT_COUNT},
	};

	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
		int64_t value = metrics[i].value > INT64_MAX ? INT64_MAX : (int64_t)metrics[i].value;
		tav_status status = self->host->metric(self, source, metrics[i].id, value, metrics[i].unit);
		if (status)
			return status;
	}
	return TAV_OK;
}

static uint64_t unmatched_of(struct tav_self *self, uint32_t source)
{
	const struct tav_source *about = self->host->source(self, source);

	return about ? about->unmatched_begin + about->unmatched_end : 0;
}

tav_status tell_source(struct tav_self *self, uint32_t source, struct judgement *judgement, const struct facts *facts)
{
	tav_status status = tell_checks(self, source, judgement, facts);
	if (!status)
		status = tell_overlaps(self, source, judgement);
	if (!status)
		status = tell_unusable(self, source, facts);
	if (!status)
		status = tell_amount(self, source, judgement, facts);
	if (!status)
		status = tell_doubts(self, source, judgement, facts);
	return status ? status : tell_metrics(self, source, judgement, facts, unmatched_of(self, source));
}

tav_status tell_run(struct tav_self *self, uint32_t source_count, const struct judgement *judgement,
                    const struct facts *facts)
{
	struct judgement all = {0};
	struct facts sum = {0};
	uint64_t unmatched = 0;

	for (uint32_t source = 0; source < source_count; source++) {
		judgement_add(&all, &judgement[source]);
		sum.default_stream += facts[source].default_stream;
		sum.unusable_device += facts[source].unusable_device;
		sum.unusable_host += facts[source].unusable_host;
		sum.zero_duration += facts[source].zero_duration;
		unmatched += unmatched_of(self, source);
	}
	if (source_count > 1) {
		tav_status status = tell_checks(self, TAV_RUN, &all, &sum);
		if (status)
			return status;
	}
	return tell_metrics(self, TAV_RUN, &all, &sum, unmatched);
}
