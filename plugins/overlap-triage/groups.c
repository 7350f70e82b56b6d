/* SPDX-License-Identifier: Apache-2.0 */
/* The sweeps of a device: of all its kernels, of each phase and of each step; and the time that phases and steps span.
 */
#include <string.h>

#include "triage.h"

/* ---- Windows of a phase or step ------------------------------------------------------------------------ */

/*
 * The time of a group, gaps included: kernels that follow each other without one of another group between them make a
 * run from the first start to the last end; runs that meet count once.
 */
struct run_window {
	int64_t start, end; /* of the run that grows */
	int64_t counted_to; /* the end of what is counted */
	bool is_open;
};

static void close_run(struct run_window *run, struct totals *totals)
{
	int64_t from = run->start;

	if (!run->is_open)
		return;
	if (totals->runs && from < run->counted_to)
		from = run->counted_to;
	if (run->end > from)
		totals->window += run->end - from;
	if (!totals->runs || run->end > run->counted_to)
		run->counted_to = run->end;
	totals->runs++;
	run->is_open = false;
}

tav_status measure_windows(struct analysis *analysis, const struct device *device, const uint32_t *order,
                           const uint32_t *group_of, size_t group_count, struct totals *totals)
{
	struct pool scratch = {0};
	struct run_window *runs = POOL_NEW(&scratch, struct run_window, group_count);
	uint32_t last = UINT32_MAX;

	if (!runs)
		return no_memory(analysis->triage);
	for (size_t i = 0; i < device->count; i++) {
		const struct kernel *kernel = &device->kernels[order[i]];
		uint32_t group = group_of[order[i]];

		if (last != UINT32_MAX && group != last)
			close_run(&runs[last], &totals[last]);
		last = group;
		if (group == UINT32_MAX)
			continue;
		if (!runs[group].is_open) {
			runs[group].start = kernel->start;
			runs[group].end = kernel->end;
			runs[group].is_open = true;
		}
		if (kernel->end > runs[group].end)
			runs[group].end = kernel->end;
	}
	if (last != UINT32_MAX)
		close_run(&runs[last], &totals[last]);
	pool_free(&scratch);
	return TAV_OK;
}

/* ---- The sweeps of a device ---------------------------------------------------------------------------- */

struct orders { /* all kernels of a device, by time */
	uint32_t *starts, *ends;
};

/* The kernels of each group together, in their order. `first`: where those of each group begin. */
static void part(const struct device *device, const uint32_t *order, const uint32_t *group_of, size_t *first,
                 uint32_t *members)
{
	for (size_t i = 0; i < device->count; i++)
		if (group_of[order[i]] != UINT32_MAX)
			members[first[group_of[order[i]]]++] = order[i];
}

/* Sweeps the kernels of each group apart. */
static tav_status sweep_groups(struct analysis *analysis, struct device *device, const struct orders *orders,
                               const uint32_t *group_of, size_t group_count, bool with_partners, struct totals *totals)
{
	struct pool scratch = {0};
	size_t *starts_at = POOL_NEW(&scratch, size_t, group_count + 1);
	size_t *ends_at = POOL_NEW(&scratch, size_t, group_count + 1);
	uint32_t *starts = POOL_NEW(&scratch, uint32_t, device->count);
	uint32_t *ends = POOL_NEW(&scratch, uint32_t, device->count);
	tav_status status = starts_at && ends_at && starts && ends ? TAV_OK : no_memory(analysis->triage);

	if (!status) {
		for (size_t i = 0; i < device->count; i++)
			if (group_of[i] != UINT32_MAX)
				starts_at[group_of[i] + 1]++;
		for (size_t group = 0; group < group_count; group++)
			ends_at[group + 1] = starts_at[group + 1] += starts_at[group];
		part(device, orders->starts, group_of, starts_at, starts);
		part(device, orders->ends, group_of, ends_at, ends);
	}
	for (size_t group = 0; group < group_count && !status; group++) {
		size_t from = group ? starts_at[group - 1] : 0; /* each has moved on to the next group's */

		if (starts_at[group] > from)
			status = sweep_some(analysis, device, starts + from, ends + from, starts_at[group] - from,
			                    with_partners, &totals[group]);
	}
	if (!status)
		status = measure_windows(analysis, device, orders->starts, group_of, group_count, totals);
	pool_free(&scratch);
	return status;
}

uint32_t step_of(const struct analysis *analysis, const struct kernel *kernel)
{
	uint32_t place = analysis->steps && analysis->steps->count ? analysis->links->index[kernel->row] : TAV_NONE;

	return place != TAV_NONE && analysis->steps->step_of[place] >= 0 ? (uint32_t)analysis->steps->step_of[place]
	                                                                 : UINT32_MAX;
}

static tav_status sweep_steps(struct analysis *analysis, struct device *device, const struct orders *orders,
                              uint32_t *group_of)
{
	uint32_t count = analysis->steps ? analysis->steps->count : 0;

	if (!count)
		return TAV_OK;
	device->steps = POOL_NEW(&device->pool, struct totals, count);
	if (!device->steps)
		return no_memory(analysis->triage);
	for (size_t i = 0; i < device->count; i++)
		group_of[i] = step_of(analysis, &device->kernels[i]);
	return sweep_groups(analysis, device, orders, group_of, count, false, device->steps);
}

static bool has_one_phase(const struct device *device)
{
	for (size_t i = 1; i < device->count; i++)
		if (device->kernels[i].phase != device->kernels[0].phase)
			return false;
	return true;
}

tav_status sweep_device(struct analysis *analysis, struct device *device)
{
	bool by_phase = analysis->triage->is_reference, is_single = has_one_phase(device);
	struct pool scratch = {0};
	struct orders orders = {POOL_NEW(&scratch, uint32_t, device->count),
	                        POOL_NEW(&scratch, uint32_t, device->count)};
	uint32_t *group_of = POOL_NEW(&scratch, uint32_t, device->count);
	tav_status status = orders.starts && orders.ends && group_of ? TAV_OK : no_memory(analysis->triage);

	for (size_t i = 0; i < device->count && !status; i++)
		orders.starts[i] = (uint32_t)i;
	if (!status)
		status = order_kernels(analysis, device, orders.starts, kernel_start);
	if (!status)
		memcpy(orders.ends, orders.starts, device->count * sizeof(*orders.ends));
	if (!status)
		status = order_kernels(analysis, device, orders.ends, kernel_end);
	partners_init(&device->partners, analysis->triage->self, by_phase);
	if (!status) {
		for (size_t i = 0; i < device->count; i++)
			group_of[i] = device->kernels[i].phase;
		if (!by_phase || !is_single)
			status = sweep_some(analysis, device, orders.starts, orders.ends, device->count, !by_phase,
			                    &device->totals);
		if (!status && is_single && !by_phase)
			device->phases[device->kernels[0].phase] = device->totals;
		if (!status && is_single && !by_phase)
			status =
			        measure_windows(analysis, device, orders.starts, group_of, PHASE_COUNT, device->phases);
		else if (!status)
			status = sweep_groups(analysis, device, &orders, group_of, PHASE_COUNT, by_phase,
			                      device->phases);
		if (!status && by_phase && is_single)
			device->totals = device->phases[device->kernels[0].phase];
	}
	if (!status)
		status = sweep_steps(analysis, device, &orders, group_of);
	device->totals.window = device->totals.last - device->totals.first;
	pool_free(&scratch);
	return status;
}
