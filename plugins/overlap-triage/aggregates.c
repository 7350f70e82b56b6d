/* SPDX-License-Identifier: Apache-2.0 */
/* Section 10: one aggregate for each canonical name, category, kind of work and phase, in the order of first sight. */
#include <stdlib.h>

#include <tav/rank.h>

#include "triage.h"

static tav_status add_aggregate(struct analysis *analysis, struct device *device, const struct kernel *kernel,
                                size_t *capacity)
{
	if (!pool_grow(&analysis->pool, (void **)&device->aggregates, capacity, device->aggregate_count,
	               sizeof(*device->aggregates)))
		return no_memory(analysis->triage);
	device->aggregates[device->aggregate_count++] = (struct aggregate){
	        .name = kernel->name, .category = kernel->category, .work = kernel->work, .phase = kernel->phase};
	return TAV_OK;
}

/* The aggregate of a kernel; the one found last for its name stands in most of the time. */
static tav_status find_aggregate(struct analysis *analysis, struct device *device, struct tav_map *keys,
                                 uint32_t *by_name, size_t *capacity, struct kernel *kernel)
{
	uint32_t number = by_name[kernel->name];
	const struct aggregate *near = number ? &device->aggregates[number - 1] : NULL;

	if (near && near->category == kernel->category && near->work == kernel->work && near->phase == kernel->phase) {
		kernel->aggregate = number - 1;
		return TAV_OK;
	}
	/* Mostly these follow from the name, but one name may stand in two categories of events. */
	number = tav_map_number(keys, (uint64_t)kernel->name << 24 | (uint64_t)kernel->category << 16 |
	                                      (uint64_t)kernel->work << 8 | kernel->phase);
	if (number == TAV_NONE ||
	    (number == device->aggregate_count && add_aggregate(analysis, device, kernel, capacity)))
		return TAV_FAILED;
	kernel->aggregate = number;
	by_name[kernel->name] = number + 1;
	return TAV_OK;
}

/* Numbers the pairs of aggregate and stream that occur. */
static tav_status make_lanes(struct analysis *analysis, struct device *device)
{
	enum { SMALL = 1 << 22 }; /* pairs up to here get a table, more of them a map */
	struct pool scratch = {0};
	bool is_small = device->aggregate_count <= SMALL / device->stream_count;
	uint32_t *table = POOL_NEW(&scratch, uint32_t, is_small ? device->aggregate_count * device->stream_count : 0);
	struct tav_map pairs;
	size_t capacity = 0;
	bool is_done = table;

	tav_map_init(&pairs, analysis->triage->self);
	for (size_t i = 0; i < device->count && is_done; i++) {
		struct kernel *kernel = &device->kernels[i];
		uint32_t *place =
		        &table[is_small ? (size_t)kernel->aggregate * device->stream_count + kernel->stream : 0];

		if (is_small)
			kernel->lane = *place ? *place - 1 : (uint32_t)device->lane_count;
		else
			kernel->lane = tav_map_number(&pairs, (uint64_t)kernel->aggregate << 32 | kernel->stream);
		if (kernel->lane < device->lane_count)
			continue;
		is_done = kernel->lane != TAV_NONE &&
		          pool_grow(&analysis->pool, (void **)&device->lane_aggregates, &capacity, device->lane_count,
		                    sizeof(*device->lane_aggregates));
		if (!is_done)
			break;
		device->lane_aggregates[device->lane_count++] = kernel->aggregate;
		if (is_small)
			*place = (uint32_t)device->lane_count;
	}
	pool_free(&scratch);
	return is_done ? TAV_OK : no_memory(analysis->triage);
}

/* ---- Which of them are shown --------------------------------------------------------------------------- */

struct line {
	int64_t total;
	uint32_t aggregate;
};

static int by_total(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return x->aggregate < y->aggregate ? -1 : x->aggregate > y->aggregate;
}

/* Those with most time: there may be as many names as kernels, of which a few are shown. */
static size_t take_heaviest(const struct device *device, size_t limit, uint64_t *totals, struct line *lines)
{
	size_t count = 0, above = 0;
	uint64_t least;

	for (size_t i = 0; i < device->aggregate_count; i++)
		totals[i] = (uint64_t)device->aggregates[i].total;
	tav_select(totals, device->aggregate_count, device->aggregate_count - limit);
	least = totals[device->aggregate_count - limit];
	for (size_t i = 0; i < device->aggregate_count; i++)
		above += (uint64_t)device->aggregates[i].total > least;
	for (size_t i = 0, equal = 0; i < device->aggregate_count; i++) {
		uint64_t total = (uint64_t)device->aggregates[i].total;

		if (total > least || (total == least && equal++ < limit - above))
			lines[count++] = (struct line){(int64_t)total, (uint32_t)i};
	}
	qsort(lines, count, sizeof(*lines), by_total);
	return count;
}

static tav_status choose_shown(struct analysis *analysis, struct device *device)
{
	const struct triage *triage = analysis->triage;
	struct pool scratch = {0};
	size_t limit = device->aggregate_count;
	uint64_t *totals = POOL_NEW(&scratch, uint64_t, device->aggregate_count);
	struct line *lines;

	if (triage->kernel_limit && triage->kernel_limit < limit)
		limit = (size_t)triage->kernel_limit;
	lines = POOL_NEW(&scratch, struct line, limit);
	device->shown = POOL_NEW(&analysis->pool, uint32_t, limit);
	if (totals && lines && device->shown && limit)
		device->shown_count = take_heaviest(device, limit, totals, lines);
	for (size_t i = 0; i < device->shown_count; i++) {
		device->shown[i] = lines[i].aggregate;
		device->aggregates[lines[i].aggregate].is_shown = true;
	}
	/* The reference names the partners of other kernels too. */
	for (size_t i = 0; i < device->aggregate_count && triage->is_reference; i++)
		device->aggregates[i].is_shown = true;
	pool_free(&scratch);
	return totals && lines && device->shown ? TAV_OK : no_memory(analysis->triage);
}

tav_status make_aggregates(struct analysis *analysis, struct device *device)
{
	struct pool scratch = {0};
	uint32_t *by_name = POOL_NEW(&scratch, uint32_t, (size_t)analysis->triage->texts.count + 1);
	size_t capacity = 0;
	struct tav_map keys;
	tav_status status = by_name ? TAV_OK : no_memory(analysis->triage);

	tav_map_init(&keys, analysis->triage->self);
	for (size_t i = 0; i < device->count && !status; i++) {
		struct kernel *kernel = &device->kernels[i];
		struct aggregate *aggregate;

		status = find_aggregate(analysis, device, &keys, by_name, &capacity, kernel);
		if (status)
			break;
		aggregate = &device->aggregates[kernel->aggregate];
		if (!aggregate->count++ ||
		    kernel_time(kernel) > kernel_time(&device->kernels[aggregate->representative]))
			aggregate->representative = (uint32_t)i;
		aggregate->total += kernel_time(kernel);
	}
	pool_free(&scratch);
	return status || make_lanes(analysis, device) || choose_shown(analysis, device) ? TAV_FAILED : TAV_OK;
}
