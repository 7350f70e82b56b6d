/* SPDX-License-Identifier: Apache-2.0 */
/* The sweeps of a device: of all its kernels, of each phase and of each step; and the time that phases and steps span.
 */
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

/* `order`: kernels by start; group_of gives each its group below `group_count`, or UINT32_MAX. */
static tav_status measure_windows(struct analysis *analysis, const struct device *device, const uint32_t *order,
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

/* Sweeps the kernels of each group apart. `order`: kernels by start, so that groups need no sorting by it. */
static tav_status sweep_groups(struct analysis *analysis, struct device *device, const uint32_t *order,
                               const uint32_t *group_of, size_t group_count, bool with_partners, struct totals *totals)
{
	struct pool scratch = {0};
	size_t *first = POOL_NEW(&scratch, size_t, group_count + 1);
	uint32_t *members = POOL_NEW(&scratch, uint32_t, device->count);
	tav_status status = first && members ? TAV_OK : no_memory(analysis->triage);

	if (!status) {
		for (size_t i = 0; i < device->count; i++)
			if (group_of[i] != UINT32_MAX)
				first[group_of[i] + 1]++;
		for (size_t group = 0; group < group_count; group++)
			first[group + 1] += first[group];
		for (size_t i = 0; i < device->count; i++)
			if (group_of[order[i]] != UINT32_MAX)
				members[first[group_of[order[i]]]++] = order[i];
	}
	for (size_t group = 0; group < group_count && !status; group++) {
		size_t from = group ? first[group - 1] : 0; /* each `first` has moved on to the next group's */

		if (first[group] > from)
			status = sweep_some(analysis, device, members + from, first[group] - from, with_partners,
			                    &totals[group]);
	}
	if (!status)
		status = measure_windows(analysis, device, order, group_of, group_count, totals);
	pool_free(&scratch);
	return status;
}

static tav_status order_by_start(struct analysis *analysis, const struct device *device, uint32_t *order)
{
	struct pool scratch = {0};
	struct sort_item *items, *spare;
	bool is_sorted = true;

	for (size_t i = 0; i < device->count; i++) {
		order[i] = (uint32_t)i;
		is_sorted = is_sorted && (!i || device->kernels[i - 1].start <= device->kernels[i].start);
	}
	if (is_sorted)
		return TAV_OK;
	items = POOL_NEW(&scratch, struct sort_item, device->count);
	spare = POOL_NEW(&scratch, struct sort_item, device->count);
	if (!items || !spare) {
		pool_free(&scratch);
		return no_memory(analysis->triage);
	}
	for (size_t i = 0; i < device->count; i++)
		items[i] = (struct sort_item){sort_key(device->kernels[i].start), (uint32_t)i};
	sort_by_key(items, spare, device->count);
	for (size_t i = 0; i < device->count; i++)
		order[i] = items[i].value;
	pool_free(&scratch);
	return TAV_OK;
}

/* Steps get numbers in the order of their first kernel. */
static tav_status number_steps(struct analysis *analysis, struct device *device, const uint32_t *order,
                               uint32_t *group_of)
{
	struct map numbers;
	size_t capacity = 0;

	if (!map_init(&numbers, &device->pool, 64))
		return no_memory(analysis->triage);
	for (size_t i = 0; i < device->count; i++) {
		uint32_t step = device->kernels[order[i]].step, *number;
		bool is_new;

		group_of[order[i]] = UINT32_MAX;
		if (!step)
			continue;
		number = map_add(&numbers, step, &is_new);
		if (!number || !pool_grow(&device->pool, (void **)&device->steps, &capacity, device->step_count,
		                          sizeof(*device->steps)))
			return no_memory(analysis->triage);
		if (is_new) {
			device->steps[device->step_count] = step;
			*number = (uint32_t)device->step_count++;
		}
		group_of[order[i]] = *number;
	}
	device->step_totals = POOL_NEW(&device->pool, struct totals, device->step_count);
	return device->step_totals ? TAV_OK : no_memory(analysis->triage);
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
	const struct rules *rules = analysis->triage->rules;
	bool by_phase = rules->sweep == SWEEP_EACH_PHASE, is_single = has_one_phase(device);
	struct pool scratch = {0};
	uint32_t *order = POOL_NEW(&scratch, uint32_t, device->count);
	uint32_t *group_of = POOL_NEW(&scratch, uint32_t, device->count);
	tav_status status = order && group_of ? order_by_start(analysis, device, order) : no_memory(analysis->triage);

	if (!status && !partners_init(&device->partners, rules->partner_ties == PARTNERS_BY_KERNEL))
		status = no_memory(analysis->triage);
	if (!status) {
		for (size_t i = 0; i < device->count; i++)
			group_of[i] = device->kernels[i].phase;
		if (!by_phase || !is_single)
			status = sweep_some(analysis, device, order, device->count, !by_phase, &device->totals);
		if (!status && is_single && !by_phase)
			device->phases[device->kernels[0].phase] = device->totals;
		if (!status && is_single && !by_phase)
			status = measure_windows(analysis, device, order, group_of, PHASE_COUNT, device->phases);
		else if (!status)
			status = sweep_groups(analysis, device, order, group_of, PHASE_COUNT, by_phase, device->phases);
		if (!status && by_phase && is_single)
			device->totals = device->phases[device->kernels[0].phase];
	}
	if (!status && rules->phases == PHASES_BY_LAUNCH)
		status = number_steps(analysis, device, order, group_of);
	if (!status && device->step_count)
		status =
		        sweep_groups(analysis, device, order, group_of, device->step_count, false, device->step_totals);
	device->totals.window = device->totals.last - device->totals.first;
	pool_free(&scratch);
	return status;
}
