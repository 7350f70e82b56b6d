/* SPDX-License-Identifier: Apache-2.0 */
/* The sweep over the events of a device: which kinds run when, where nothing does, and which event ends that. */
#include "wall.h"

int64_t parts_compute(const struct parts *parts)
{
	return parts->running[RUNS_COMPUTE] + parts->running[RUNS_COMPUTE | RUNS_COPY] +
	       parts->running[RUNS_COMPUTE | RUNS_COMMUNICATION] +
	       parts->running[RUNS_COMPUTE | RUNS_COMMUNICATION | RUNS_COPY];
}

int64_t parts_exposed_communication(const struct parts *parts)
{
	return parts->running[RUNS_COMMUNICATION] + parts->running[RUNS_COMMUNICATION | RUNS_COPY];
}

int64_t parts_exposed_copies(const struct parts *parts)
{
	return parts->running[RUNS_COPY];
}

int64_t parts_busy(const struct parts *parts)
{
	return parts_compute(parts) + parts_exposed_communication(parts) + parts_exposed_copies(parts);
}

int64_t parts_window(const struct parts *parts)
{
	return parts_busy(parts) + parts->idle;
}

int64_t gap_length(const struct look *look, const struct gap *gap)
{
	int64_t from = gap->start > look->from ? gap->start : look->from,
	        to = gap->end < look->to ? gap->end : look->to;

	return to > from ? to - from : 0;
}

/* ---- Where a piece of time goes -------------------------------------------------------------------------------------
 */
/* The last cut that begins at `at` or before; the first one begins with time. */
static uint64_t cut_at(const struct wall_device *device, int64_t at)
{
	uint64_t low = 0, high = device->cut_count;

	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;

		if (device->cuts[middle].from <= at)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static int64_t cut_end(const struct wall_device *device, uint64_t cut)
{
	return cut + 1 < device->cut_count ? device->cuts[cut + 1].from : INT64_MAX;
}

void wall_add_running(struct wall *wall, struct wall_device *device, int64_t from, int64_t to, unsigned set)
{
	from = from > wall->look.from ? from : wall->look.from;
	to = to < wall->look.to ? to : wall->look.to;
	if (from >= to)
		return;
	device->parts.running[set] += to - from;
	for (uint64_t cut = device->cut_count ? cut_at(device, from) : 0; cut < device->cut_count && from < to; cut++) {
		int64_t end = cut_end(device, cut) < to ? cut_end(device, cut) : to;

		device->steps[device->cuts[cut].row].parts.running[set] += end - from;
		from = end;
	}
}

static void add_to_parts(struct parts *parts, enum cause cause, int64_t ns)
{
	parts->idle += ns;
	if (group_of(cause) == GROUP_LATE)
		parts->late += ns;
	else if (cause == CAUSE_UNLINKED)
		parts->unlinked += ns;
}

tav_status wall_add_idle(struct wall *wall, uint32_t number, struct gap *gap, enum cause cause, uint32_t label,
                         int64_t from, int64_t to)
{
	struct wall_device *device = &wall->devices[number];

	from = from > wall->look.from ? from : wall->look.from;
	to = to < wall->look.to ? to : wall->look.to;
	if (from >= to)
		return TAV_OK;
	add_to_parts(&device->parts, cause, to - from);
	device->cause_ns[cause] += to - from;
	if (!(gap->causes >> cause & 1))
		device->cause_gaps[cause]++;
	gap->causes |= (uint16_t)(1u << cause);
	if (gap->slot)
		device->longest[gap->slot - 1].cause_ns[cause] += to - from;
	if (label != TAV_NONE && sums_add(&wall->names, name_key(number, cause, label), to - from))
		return TAV_FAILED;
	for (uint64_t cut = device->cut_count ? cut_at(device, from) : 0; cut < device->cut_count && from < to; cut++) {
		int64_t end = cut_end(device, cut) < to ? cut_end(device, cut) : to;

		add_to_parts(&device->steps[device->cuts[cut].row].parts, cause, end - from);
		from = end;
	}
	return TAV_OK;
}

tav_status wall_check_sums(const struct wall *wall)
{
	for (uint32_t i = 0; i < wall->look.device_count; i++) {
		const struct wall_device *device = &wall->devices[i];
		int64_t causes = 0, steps = 0;

		if (!device->is_there)
			continue;
		for (unsigned c = 0; c < CAUSE_COUNT; c++)
			causes += device->cause_ns[c];
		for (uint32_t s = 0; device->cut_count && s < wall->steps->count + 2; s++)
			steps += parts_window(&device->steps[s].parts);
		if (parts_window(&device->parts) != device->to - device->from || causes != device->parts.idle ||
		    (device->cut_count && steps != device->to - device->from))
			return tav_fail(wall->self,
			                "a fault of this stage: the parts of device %u do not add up to its window", i);
	}
	return TAV_OK;
}

/* ---- One device -----------------------------------------------------------------------------------------------------
 */
static unsigned set_of(uint8_t kind)
{
	return kind == TAV_KIND_COPY ? RUNS_COPY : kind == TAV_KIND_COMMUNICATION ? RUNS_COMMUNICATION : RUNS_COMPUTE;
}

/* until[k]: when the last event of kind k that has started ends. Time between `from` and `to` is shared out. */
static void advance(struct wall *wall, struct wall_device *device, const int64_t until[3], int64_t from, int64_t to)
{
	while (from < to) {
		int64_t next = to;
		unsigned set = 0;

		for (unsigned k = 0; k < 3; k++) {
			if (until[k] <= from)
				continue;
			set |= 1u << k;
			next = until[k] < next ? until[k] : next;
		}
		if (set)
			wall_add_running(wall, device, from, next, set);
		from = next;
	}
}

/* Is the launch of `a` before that of `b`? By start, end, then the event's own row. */
static bool launched_before(const struct look *look, uint32_t a, uint32_t b)
{
	tav_row x = look->links->launch[a], y = look->links->launch[b];

	if (look->start[x] != look->start[y])
		return look->start[x] < look->start[y];
	if (look->end[x] != look->end[y])
		return look->end[x] < look->end[y];
	return row_of(look, a) < row_of(look, b);
}

/* Which of the events that start together, places[at] and those behind it, answers for the gap that they end. */
static void choose_ending(const struct wall *wall, uint64_t at, uint64_t last, struct gap *gap)
{
	const struct look *look = &wall->look;
	int64_t start = look->start[row_of(look, look->places[at])];

	gap->how = GAP_UNLINKED;
	gap->ending = look->places[at];
	for (uint64_t i = at; i < last && look->start[row_of(look, look->places[i])] == start; i++) {
		uint32_t place = look->places[i];
		uint16_t how = look->links->launch[place] == TAV_NONE ? GAP_UNLINKED
		               : bit_is_set(wall->is_first, place)    ? GAP_LAUNCHED
		                                                      : GAP_IN_GRAPH;
		bool is_better = how < gap->how || i == at;

		if (!is_better && how == gap->how)
			is_better = how == GAP_UNLINKED ? row_of(look, place) < row_of(look, gap->ending)
			                                : launched_before(look, place, gap->ending);
		if (is_better) {
			gap->how = how;
			gap->ending = place;
		}
	}
}

static tav_status sweep_device(struct wall *wall, struct wall_device *device, uint64_t at, uint64_t last)
{
	const struct look *look = &wall->look;
	int64_t now = look->start[row_of(look, look->places[at])], busy_until = now;
	int64_t until[3] = {now, now, now};
	struct gap gap = {0};

	device->first_gap = wall->gap_count;
	for (uint64_t i = at; i < last; i++) {
		uint32_t place = look->places[i];
		tav_row row = row_of(look, place);
		int64_t start = look->start[row], end = look->end[row];
		unsigned kind = set_of(look->kind[row]) >> 1;

		if (!((i - at) & 0xffff) && wall->self->host->cancelled(wall->self))
			return TAV_CANCELLED;
		advance(wall, device, until, now, start < busy_until ? start : busy_until);
		if (start > busy_until) {
			gap.start = busy_until;
			gap.end = start;
			choose_ending(wall, i, last, &gap);
			if (gap_length(look, &gap))
				wall->gaps[wall->gap_count++] = gap;
		}
		now = start;
		until[kind] = end > until[kind] ? end : until[kind];
		if (end >= busy_until) {
			busy_until = end;
			gap.before = place;
		}
	}
	advance(wall, device, until, now, busy_until);
	device->gap_count = wall->gap_count - device->first_gap;
	return TAV_OK;
}

/* Of the events of each launch the first on this device; which of them began before their call did. */
static void find_first(struct wall *wall, struct wall_device *device, uint64_t at, uint64_t last, uint64_t *seen)
{
	const struct look *look = &wall->look;
	int64_t tolerance = wall->self->options[WALL_OPT_CLOCK_TOLERANCE]->integer;

	device->first_call = at;
	for (uint64_t i = at; i < last; i++) {
		uint32_t place = look->places[i];
		tav_row row = row_of(look, place), call = look->links->launch[place];
		int64_t start = look->start[row];
		bool is_inside = start < look->to && look->end[row] > look->from;

		device->events += is_inside;
		device->linked += is_inside && call != TAV_NONE;
		device->zero_count += is_inside && start <= 0;
		if (call == TAV_NONE || bit_is_set(seen, call))
			continue;
		bit_set(seen, call);
		bit_set(wall->is_first, place);
		if (start < look->from || start >= look->to)
			continue;
		wall->calls[at + device->call_count++] = place;
		if (start < look->start[call]) {
			device->before_launch++;
			device->early += (uint64_t)look->start[call] - (uint64_t)start > (uint64_t)tolerance;
		}
	}
	for (uint64_t i = at; i < last; i++)
		if (look->links->launch[look->places[i]] != TAV_NONE)
			seen[look->links->launch[look->places[i]] / 64] = 0;
}

tav_status wall_sweep(struct wall *wall)
{
	struct look *look = &wall->look;
	uint64_t *seen = take(wall->self, (uint64_t)look->about->row_count / 64 + 1, sizeof(*seen));

	/* No device has more gaps than events; what is not needed of it is never touched. */
	wall->gaps = take(wall->self, look->links->count + 1, sizeof(*wall->gaps));
	wall->calls = take(wall->self, look->links->count + 1, sizeof(*wall->calls));
	wall->is_first = take(wall->self, look->links->count / 64 + 1, sizeof(*wall->is_first));
	if (!seen || !wall->gaps || !wall->calls || !wall->is_first)
		return TAV_FAILED;
	for (uint32_t i = 0; i < look->device_count; i++) {
		struct wall_device *device = &wall->devices[i];
		uint64_t at = look->first[i], last = look->first[i + 1];
		tav_status status;

		device->floor = INT64_MAX;
		if (!device->is_there)
			continue;
		find_first(wall, device, at, last, seen);
		status = sweep_device(wall, device, at, last);
		if (status)
			return status;
	}
	return TAV_OK;
}
