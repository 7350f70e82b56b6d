/* SPDX-License-Identifier: Apache-2.0 */
/* Section 10: one aggregate for each canonical name, category and phase, in the order of first sight. */
#include "triage.h"

static tav_status add_aggregate(struct analysis *analysis, struct device *device, const struct kernel *kernel,
                                size_t *capacity)
{
	if (!pool_grow(&analysis->pool, (void **)&device->aggregates, capacity, device->aggregate_count,
	               sizeof(*device->aggregates)))
		return no_memory(analysis->triage);
	device->aggregates[device->aggregate_count++] =
	        (struct aggregate){.name = kernel->name, .category = kernel->category, .phase = kernel->phase};
	return TAV_OK;
}

static tav_status add_lane(struct analysis *analysis, struct device *device, uint32_t aggregate, size_t *capacity)
{
	if (!pool_grow(&analysis->pool, (void **)&device->lane_aggregates, capacity, device->lane_count,
	               sizeof(*device->lane_aggregates)))
		return no_memory(analysis->triage);
	device->lane_aggregates[device->lane_count++] = aggregate;
	return TAV_OK;
}

tav_status make_aggregates(struct analysis *analysis, struct device *device)
{
	struct triage *triage = analysis->triage;
	size_t capacity = 0, lane_capacity = 0;
	struct map aggregates, lanes;

	if (!map_init(&aggregates, &analysis->pool, 256) || !map_init(&lanes, &analysis->pool, 256))
		return no_memory(triage);
	for (size_t i = 0; i < device->count; i++) {
		struct kernel *kernel = &device->kernels[i];
		struct aggregate *aggregate;
		uint32_t *place;
		bool is_new;

		/* The category follows from the name, but for copies that only their event's category tells. */
		place = map_add(&aggregates,
		                (uint64_t)kernel->name << 16 | (uint64_t)kernel->category << 8 | kernel->phase,
		                &is_new);
		if (!place)
			return no_memory(triage);
		if (is_new) {
			*place = (uint32_t)device->aggregate_count;
			if (add_aggregate(analysis, device, kernel, &capacity))
				return TAV_FAILED;
		}
		kernel->aggregate = *place;
		aggregate = &device->aggregates[*place];
		if (!aggregate->count++ ||
		    kernel_time(kernel) > kernel_time(&device->kernels[aggregate->representative]))
			aggregate->representative = (uint32_t)i;
		aggregate->total += kernel_time(kernel);

		place = map_add(&lanes, (uint64_t)kernel->aggregate << 32 | kernel->stream, &is_new);
		if (!place)
			return no_memory(triage);
		if (is_new) {
			*place = (uint32_t)device->lane_count;
			if (add_lane(analysis, device, kernel->aggregate, &lane_capacity))
				return TAV_FAILED;
		}
		kernel->lane = *place;
	}
	return TAV_OK;
}
