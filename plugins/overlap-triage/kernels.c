/* SPDX-License-Identifier: Apache-2.0 */
/* Sections 3 to 6: which events are device work, of which device and stream, under which name. */
#include <string.h>

#include "triage.h"

/* ---- The columns of a source --------------------------------------------------------------------------- */

/* What rules: reference reads: fields as they stand in the file. */
static bool open_fields(struct analysis *analysis, struct tav_self *self)
{
	const struct tav_host *host = self->host;
	uint32_t source = analysis->source;

	analysis->stream = host->column(self, source, TAV_COL_FIELDS + FIELD_STREAM);
	analysis->cuda_stream = host->column(self, source, TAV_COL_FIELDS + FIELD_CUDA_STREAM);
	analysis->correlation = host->column(self, source, TAV_COL_FIELDS + FIELD_CORRELATION);
	analysis->external = host->column(self, source, TAV_COL_FIELDS + FIELD_EXTERNAL);
	return analysis->stream && analysis->cuda_stream && analysis->correlation && analysis->external;
}

/* What rules: improved asks the host for: launches, steps and the numbers of operators. */
static tav_status open_facts(struct analysis *analysis, struct tav_self *self)
{
	const struct tav_links *links = self->host->extension(self, TAV_LINKS_ID);
	const struct tav_steps *steps = self->host->extension(self, TAV_STEPS_ID);

	analysis->operators = self->host->column(self, analysis->source, TAV_COL_OPERATOR);
	if (!links || !steps || !analysis->operators)
		return tav_fail(self,
		                "this host tells neither launches nor steps (" TAV_LINKS_ID ", " TAV_STEPS_ID ")");
	if (links->links(self, analysis->source, &analysis->links) ||
	    steps->steps(self, analysis->source, &analysis->steps))
		return TAV_FAILED;
	return TAV_OK;
}

tav_status analysis_open(struct triage *triage, uint32_t source, struct analysis *analysis)
{
	struct tav_self *self = triage->self;
	const struct tav_host *host = self->host;

	analysis->triage = triage;
	analysis->source = source;
	analysis->info = host->source(self, source);
	analysis->start = host->column(self, source, TAV_COL_START_NS);
	analysis->end = host->column(self, source, TAV_COL_END_NS);
	analysis->label = host->column(self, source, TAV_COL_LABEL);
	analysis->pid = host->column(self, source, TAV_COL_PID);
	analysis->tid = host->column(self, source, TAV_COL_TID);
	analysis->traits = host->column(self, source, TAV_COL_TRAITS);
	analysis->track = host->column(self, source, TAV_COL_TRACK);
	analysis->phase = host->column(self, source, TAV_COL_PHASE);
	analysis->kind = host->column(self, source, TAV_COL_KIND);
	if (!analysis->info || !analysis->start || !analysis->end || !analysis->label || !analysis->pid ||
	    !analysis->tid || !analysis->traits || !analysis->track || !analysis->phase || !analysis->kind)
		return tav_fail(self, "a column of the trace is missing");
	analysis->labels = POOL_NEW(&analysis->pool, struct label_facts, host->label_count(self, source));
	if (!analysis->labels)
		return no_memory(triage);
	if (!triage->is_reference)
		return open_facts(analysis, self);
	return open_fields(analysis, self) ? TAV_OK : tav_fail(self, "a field of the trace is missing");
}

/* ---- Streams ------------------------------------------------------------------------------------------- */

/* The dialect's tracks: stream 0 is a stream, 7 and "7" are the same. */
static tav_status number_streams(struct analysis *analysis, struct device *device)
{
	uint32_t *numbers = POOL_NEW(&analysis->pool, uint32_t, analysis->info->track_count); /* number + 1 */

	if (!numbers)
		return no_memory(analysis->triage);
	for (size_t i = 0; i < device->count; i++) {
		uint32_t *number = &numbers[analysis->track[device->kernels[i].row]];

		if (!*number)
			*number = ++device->stream_count;
		device->kernels[i].stream = *number - 1;
	}
	return TAV_OK;
}

/* ---- Records ------------------------------------------------------------------------------------------- */

/* What the reference calls compute and communication is so by its words. */
static uint8_t work_by_category(enum kind kind)
{
	return kind == KIND_COMPUTE         ? TAV_KIND_COMPUTE
	       : kind == KIND_COMMUNICATION ? TAV_KIND_COMMUNICATION
	                                    : TAV_KIND_NONE;
}

static tav_status name_kernel(struct analysis *analysis, struct kernel *kernel)
{
	struct triage *triage = analysis->triage;
	struct label_facts *facts = &analysis->labels[analysis->label[kernel->row]];
	bool is_reference = triage->is_reference;

	kernel->work = analysis->kind[kernel->row];
	if (!facts->kernel_name) {
		struct tav_text category, name = label_of(analysis, kernel->row, &category);

		struct tav_text canonical = text_canonical(triage->self, name);

		facts->kernel_name = canonical.data ? text_id(&triage->texts, canonical) : 0;
		if (!facts->kernel_name)
			return TAV_FAILED;
		facts->category = is_reference ? reference_category(name)
		                               : category_of(&triage->categories, category, name, kernel->work);
	}
	kernel->name = facts->kernel_name;
	kernel->category = facts->category;
	if (is_reference)
		kernel->work = work_by_category(triage->categories.items[kernel->category].kind);
	return TAV_OK;
}

tav_status add_kernel(struct analysis *analysis, struct device *device, tav_row row)
{
	struct kernel *kernel = &device->kernels[device->count];

	*kernel = (struct kernel){.start = analysis->start[row], .end = analysis->end[row], .row = row};
	if (analysis->window_start < analysis->window_end) {
		if (kernel->start < analysis->window_start)
			kernel->start = analysis->window_start;
		if (kernel->end > analysis->window_end)
			kernel->end = analysis->window_end;
		if (kernel->end <= kernel->start)
			return TAV_OK;
	}
	device->count++;
	return name_kernel(analysis, kernel);
}

/* ---- Order --------------------------------------------------------------------------------------------- */

uint64_t kernel_start(const struct triage *triage, const struct kernel *kernel)
{
	(void)triage;
	return sort_key(kernel->start);
}

uint64_t kernel_end(const struct triage *triage, const struct kernel *kernel)
{
	(void)triage;
	return sort_key(kernel->end);
}

tav_status order_kernels(struct analysis *analysis, const struct device *device, uint32_t *order, kernel_key *key)
{
	const struct triage *triage = analysis->triage;
	struct pool scratch = {0};
	struct sort_item *items, *spare;
	size_t sorted = 1;

	while (sorted < device->count &&
	       key(triage, &device->kernels[order[sorted - 1]]) <= key(triage, &device->kernels[order[sorted]]))
		sorted++;
	if (sorted >= device->count)
		return TAV_OK;
	items = POOL_NEW(&scratch, struct sort_item, device->count);
	spare = POOL_NEW(&scratch, struct sort_item, device->count);
	for (size_t i = 0; i < device->count && items && spare; i++)
		items[i] = (struct sort_item){key(triage, &device->kernels[order[i]]), order[i]};
	if (items && spare)
		sort_by_key(items, spare, device->count);
	for (size_t i = 0; i < device->count && items && spare; i++)
		order[i] = items[i].value;
	pool_free(&scratch);
	return items && spare ? TAV_OK : no_memory(analysis->triage);
}

/* Numbers by start, so that nothing depends on the order of the file but what starts at one time. */
static tav_status number_by_start(struct analysis *analysis, struct device *device)
{
	struct pool scratch = {0};
	uint32_t *order = POOL_NEW(&scratch, uint32_t, device->count);
	struct kernel *sorted = POOL_NEW(&scratch, struct kernel, device->count);
	tav_status status = order && sorted ? TAV_OK : no_memory(analysis->triage);

	for (size_t i = 0; i < device->count && !status; i++)
		order[i] = (uint32_t)i;
	if (!status)
		status = order_kernels(analysis, device, order, kernel_start);
	for (size_t i = 0; i < device->count && !status; i++)
		sorted[i] = device->kernels[order[i]];
	if (!status)
		memcpy(device->kernels, sorted, device->count * sizeof(*sorted));
	pool_free(&scratch);
	return status;
}

/* ---- Every device of the source that did some work ------------------------------------------------------ */

struct found { /* of one device, by its number */
	size_t count;
	uint64_t empty_count;
	uint32_t pid;
	struct device *device;
};

static tav_status count_kernels(struct analysis *analysis, const uint32_t *devices, struct found *found)
{
	const struct tav_host *host = analysis->triage->self->host;

	for (tav_row row = 0; row < analysis->info->row_count; row++) {
		uint32_t device;

		if (!(row % CANCEL_EVERY) && host->cancelled(analysis->triage->self))
			return TAV_CANCELLED;
		if (!(analysis->traits[row] & TAV_TRAIT_DEVICE) ||
		    (device = devices[analysis->track[row]]) >= analysis->info->device_count)
			continue;
		if (is_interval(analysis, row))
			found[device].count++;
		else
			found[device].empty_count++;
	}
	return TAV_OK;
}

static tav_status take_kernels(struct analysis *analysis, const uint32_t *devices, const struct found *found)
{
	for (tav_row row = 0; row < analysis->info->row_count; row++) {
		uint32_t device;

		if (!(analysis->traits[row] & TAV_TRAIT_DEVICE) || !is_interval(analysis, row) ||
		    (device = devices[analysis->track[row]]) >= analysis->info->device_count)
			continue;
		if (add_kernel(analysis, found[device].device, row))
			return TAV_FAILED;
	}
	return TAV_OK;
}

static tav_status each_device(struct analysis *analysis)
{
	struct triage *triage = analysis->triage;
	uint32_t device_count = analysis->info->device_count, track_count = analysis->info->track_count;
	struct found *found = POOL_NEW(&analysis->pool, struct found, device_count);
	uint32_t *devices = POOL_NEW(&analysis->pool, uint32_t, track_count); /* by track */
	struct device *all = POOL_NEW(&analysis->pool, struct device, device_count);
	tav_status status;

	if (!found || !devices || !all)
		return no_memory(triage);
	for (uint32_t track = 0; track < track_count; track++) {
		const struct tav_track *info = triage->self->host->track(triage->self, analysis->source, track);

		devices[track] = info->device;
		/* Of a device with several processes the first names it, as in other stages. */
		if (info->device < device_count && !found[info->device].pid)
			found[info->device].pid = info->pid;
	}
	status = count_kernels(analysis, devices, found);
	if (status)
		return status;
	for (uint32_t number = 0; number < device_count; number++) {
		all[number] = (struct device){.number = number, .pid = found[number].pid};
		all[number].empty_count = found[number].empty_count;
		all[number].kernels = POOL_NEW(&analysis->pool, struct kernel, found[number].count);
		if (!all[number].kernels)
			return no_memory(triage);
		found[number].device = &all[number];
	}
	if (take_kernels(analysis, devices, found))
		return TAV_FAILED;
	analysis->devices = all;
	for (uint32_t number = 0; number < device_count; number++) {
		if (!all[number].count)
			continue; /* it did nothing, or nothing in the window */
		if (number_by_start(analysis, &all[number]) || number_streams(analysis, &all[number]))
			return TAV_FAILED;
		all[analysis->device_count++] = all[number];
	}
	return TAV_OK;
}

/* Do all sums of times fit? 292 years of device work are no run, and nothing that is told of them would be true. */
static bool has_sane_times(const struct analysis *analysis)
{
	int64_t first = INT64_MAX, last = INT64_MIN, span, total = 0;

	for (tav_row row = 0; row < analysis->info->row_count; row++) {
		if (!(analysis->traits[row] & TAV_TRAIT_DEVICE) || !is_interval(analysis, row))
			continue;
		first = analysis->start[row] < first ? analysis->start[row] : first;
		last = analysis->end[row] > last ? analysis->end[row] : last;
		if (__builtin_sub_overflow(analysis->end[row], analysis->start[row], &span) ||
		    __builtin_add_overflow(total, span, &total))
			return false;
	}
	return first > last || !__builtin_sub_overflow(last, first, &span);
}

tav_status find_kernels(struct analysis *analysis)
{
	analysis->is_too_long = !has_sane_times(analysis);
	if (analysis->is_too_long)
		return TAV_OK;
	return analysis->triage->is_reference ? reference_kernels(analysis) : each_device(analysis);
}
