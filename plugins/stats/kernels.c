/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels.h"

#include <tav/map.h>

static unsigned length_class(uint64_t duration)
{
	return duration ? 64 - (unsigned)__builtin_clzll(duration) : 0;
}

static int is_kernel(const struct view *view, tav_row row)
{
	return view_has(view, SCOPE_DEVICE, row) && view->kind[row] != TAV_KIND_COPY &&
	       view_owner(view, row) < view->about->device_count;
}

/* Numbers the short ones by device and name. */
static tav_status number_shorts(const struct view *view, uint64_t limit, struct tav_map *map, struct kernels *out)
{
	for (tav_row row = 0; row < view->about->row_count; row++) {
		uint64_t duration;
		unsigned class;
		struct lengths *lengths;

		if (!(row & 0xffff) && view->self->host->cancelled(view->self))
			return TAV_CANCELLED;
		if (!is_kernel(view, row))
			continue;
		duration = view_duration(view, row);
		class = length_class(duration);
		lengths = &out->lengths[view_owner(view, row)];
		lengths->count[class]++;
		lengths->total[class] = sum_of(lengths->total[class], duration, &out->is_saturated);
		if (duration < limit &&
		    tav_map_number(map, (uint64_t)view_owner(view, row) << 32 | view->label[row]) == TAV_NONE)
			return TAV_FAILED;
	}
	return TAV_OK;
}

tav_status kernels_measure(const struct view *view, int64_t limit, struct kernels *out)
{
	const struct tav_host *host = view->self->host;
	uint64_t below = (uint64_t)limit;
	struct tav_map map;
	tav_status status;

	*out = (struct kernels){0};
	tav_map_init(&map, view->self);
	out->lengths = host->alloc(view->self, ((size_t)view->about->device_count + 1) * sizeof(*out->lengths));
	if (!out->lengths)
		return TAV_FAILED;
	status = number_shorts(view, below, &map, out);
	if (status)
		return status;
	out->shorts = host->alloc(view->self, ((size_t)map.count + 1) * sizeof(*out->shorts));
	if (!out->shorts)
		return TAV_FAILED;
	out->short_count = map.count;
	for (uint32_t i = 0; i < map.count; i++) {
		out->shorts[i].device = (uint32_t)(map.numbers[i] >> 32);
		out->shorts[i].label = (uint32_t)map.numbers[i];
	}
	for (tav_row row = 0; row < view->about->row_count; row++) {
		uint64_t duration = is_kernel(view, row) ? view_duration(view, row) : below;
		struct short_kernel *kernel;

		if (duration >= below)
			continue;
		kernel = &out->shorts[tav_map_find_number(&map,
		                                          (uint64_t)view_owner(view, row) << 32 | view->label[row])];
		kernel->count++;
		kernel->total = sum_of(kernel->total, duration, &out->is_saturated);
	}
	return TAV_OK;
}
