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

/* The aggregate of a kernel; the one found last for its name stands in most of the time. */
static tav_status find_aggregate(struct analysis *analysis, struct device *device, struct map *places,
                                 uint32_t *by_name, size_t *capacity, struct kernel *kernel)
{
	uint32_t *place, near = by_name[kernel->name];
	bool is_new;

	if (near && device->aggregates[near - 1].category == kernel->category &&
	    device->aggregates[near - 1].phase == kernel->phase) {
		kernel->aggregate = near - 1;
		return TAV_OK;
	}
	/* The category follows from the name, but for copies that only their event's category tells. */
	place = map_add(places, (uint64_t)kernel->name << 16 | (uint64_t)kernel->category << 8 | kernel->phase,
	                &is_new);
	if (!place)
		return no_memory(analysis->triage);
	if (is_new) {
		*place = (uint32_t)device->aggregate_count;
		if (add_aggregate(analysis, device, kernel, capacity))
			return TAV_FAILED;
	}
	kernel->aggregate = *place;
	by_name[kernel->name] = *place + 1;
	return TAV_OK;
}

/* Numbers the pairs of aggregate and stream that occur. */
static tav_status make_lanes(struct analysis *analysis, struct device *device)
{
	enum { SMALL = 1 << 22 }; /* pairs up to here get a table, more of them a map */
	struct pool scratch = {0};
	bool is_small = device->aggregate_count <= SMALL / device->stream_count;
	uint32_t *table = POOL_NEW(&scratch, uint32_t, is_small ? device->aggregate_count * device->stream_count : 0);
	struct map places;
	size_t capacity = 0;
	bool is_done = table && (is_small || map_init(&places, &scratch, device->aggregate_count));

	for (size_t i = 0; i < device->count && is_done; i++) {
		struct kernel *kernel = &device->kernels[i];
		uint32_t *place = is_small ? &table[(size_t)kernel->aggregate * device->stream_count + kernel->stream]
		                           : map_add(&places, (uint64_t)kernel->aggregate << 32 | kernel->stream, NULL);

		is_done = place && (*place || pool_grow(&analysis->pool, (void **)&device->lane_aggregates, &capacity,
		                                        device->lane_count, sizeof(*device->lane_aggregates)));
		if (!is_done)
			break;
		if (!*place) {
			device->lane_aggregates[device->lane_count] = kernel->aggregate;
			*place = (uint32_t)++device->lane_count;
		}
		kernel->lane = *place - 1;
	}
	pool_free(&scratch);
	return is_done ? TAV_OK : no_memory(analysis->triage);
}

tav_status make_aggregates(struct analysis *analysis, struct device *device)
{
	struct pool scratch = {0};
	uint32_t *by_name = POOL_NEW(&scratch, uint32_t, analysis->triage->texts.count);
	size_t capacity = 0;
	struct map places;
	tav_status status = by_name && map_init(&places, &scratch, 256) ? TAV_OK : no_memory(analysis->triage);

	for (size_t i = 0; i < device->count && !status; i++) {
		struct kernel *kernel = &device->kernels[i];
		struct aggregate *aggregate;

		status = find_aggregate(analysis, device, &places, by_name, &capacity, kernel);
		if (status)
			break;
		aggregate = &device->aggregates[kernel->aggregate];
		if (!aggregate->count++ ||
		    kernel_time(kernel) > kernel_time(&device->kernels[aggregate->representative]))
			aggregate->representative = (uint32_t)i;
		aggregate->total += kernel_time(kernel);
	}
	pool_free(&scratch);
	return status ? status : make_lanes(analysis, device);
}
