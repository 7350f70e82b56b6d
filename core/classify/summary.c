/* SPDX-License-Identifier: Apache-2.0 */
#include <classify/summary.h>

enum { ZERO_TIME_GAP_NS = 1000000000 };

static uint8_t kind_of(uint32_t traits)
{
	if (!(traits & TAV_TRAIT_DEVICE))
		return TAV_KIND_NONE;
	if (traits & TAV_TRAIT_COLLECTIVE)
		return TAV_KIND_COMMUNICATION;
	return traits & (TAV_TRAIT_MEMCPY | TAV_TRAIT_MEMSET) ? TAV_KIND_COPY : TAV_KIND_COMPUTE;
}

/*
 * Device events at 0 or before were never stamped where the median of all other starts lies beyond 1 s. A recording
 * that counts from 0 may be long too: there, more events than these start within the first second.
 */
static void find_zero_times(struct events *events)
{
	const int64_t *start_ns = COLUMN(events, start_ns, const int64_t);
	const uint32_t *traits = COLUMN(events, traits, const uint32_t);
	uint64_t suspects = 0, near = 0, far = 0;

	for (tav_row row = 0; row < events->row_count; row++) {
		if (!(traits[row] & TAV_TRAIT_INTERVAL))
			continue;
		if (traits[row] & TAV_TRAIT_DEVICE && start_ns[row] <= 0)
			suspects++;
		else if (start_ns[row] <= ZERO_TIME_GAP_NS)
			near++;
		else
			far++;
	}
	events->zero_time_count = near < far && near <= suspects ? suspects : 0;
}

static void find_span(struct events *events)
{
	const int64_t *start_ns = COLUMN(events, start_ns, const int64_t);
	const int64_t *end_ns = COLUMN(events, end_ns, const int64_t);
	const uint32_t *traits = COLUMN(events, traits, const uint32_t);
	int64_t first = INT64_MAX, last = INT64_MIN;

	for (tav_row row = 0; row < events->row_count; row++) {
		if (!(traits[row] & TAV_TRAIT_INTERVAL) ||
		    (events->zero_time_count && traits[row] & TAV_TRAIT_DEVICE && start_ns[row] <= 0))
			continue;
		first = start_ns[row] < first ? start_ns[row] : first;
		last = end_ns[row] > last ? end_ns[row] : last;
	}
	events->first_ns = first <= last ? first : 0;
	events->last_ns = first <= last ? last : 0;
}

tav_status summary_make(struct events *events, struct causes *causes)
{
	const uint32_t *traits = COLUMN(events, traits, const uint32_t);

	events->device_event_count = events->zero_time_count = events->unusable_device_count = 0;
	if (events->row_count && !pages_reserve(&events->kind, events->row_count))
		return cause_add(causes, "out of memory: kinds of %u events", events->row_count);
	uint8_t *kind = events->kind.data;
	for (tav_row row = 0; row < events->row_count; row++) {
		if (!(traits[row] & TAV_TRAIT_DEVICE))
			continue;
		kind[row] = kind_of(traits[row]);
		events->device_event_count += (traits[row] & TAV_TRAIT_INTERVAL) != 0;
		events->unusable_device_count += (traits[row] & TAV_TRAIT_UNUSABLE) != 0;
	}
	find_zero_times(events);
	find_span(events);
	return TAV_OK;
}
