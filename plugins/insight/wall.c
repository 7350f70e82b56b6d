/* SPDX-License-Identifier: Apache-2.0 */
/* The stage wall-time: what it is called, what it offers, and the order in which it works. */
#include "wall.h"

#include "wall_pages.h"

static const struct tav_option options[WALL_OPT_COUNT] = {
        [WALL_OPT_INPUT] = {"input", TAV_TYPE_PATTERN, 0, "^enumerate\\(DataLoader\\)", NULL, NULL, NULL,
                            "Names of annotations and operators of the host that stand for waiting for input data."},
        [WALL_OPT_GAPS] = {"gaps", TAV_TYPE_INT, 0, "10", "0", "100000", NULL,
                           "Rows of the table longest_gaps for each device at most."},
        [WALL_OPT_NAMES] = {"names", TAV_TYPE_INT, 0, "20", "0", "1000000000", NULL,
                            "Rows of idle_by_name and launches for each device at most; 0: all."},
        [WALL_OPT_MIN_GAP] = {"min_gap", TAV_TYPE_DURATION, 0, "0ns", "0ns", NULL, NULL,
                              "Shorter gaps are left out of longest_gaps; they count everywhere else."},
        [WALL_OPT_CLOCK_TOLERANCE] = {"clock_tolerance", TAV_TYPE_DURATION, 0, "1us", "0ns", NULL, NULL,
                                      "A device event may start that much before its launch: clocks are not exact."},
        [WALL_OPT_WINDOW] = {"window", TAV_TYPE_WINDOW, 0, NULL, NULL, NULL, NULL,
                             "Looks at a part of the trace alone, such as 10ms..25ms since its first event."},
};
static const struct tav_field fields[] = {
        [WALL_FIELD_NUMBER] = {"args.Ev Idx", TAV_TYPE_INT, 0},
        [WALL_FIELD_OLD_NUMBER] = {"args.Profiler Event Index", TAV_TYPE_INT, 0},
};

/* The part of each device's window that the user asked for. */
static tav_status find_windows(struct wall *wall)
{
	const struct look *look = &wall->look;
	int64_t span;

	for (uint32_t i = 0; i < look->device_count; i++) {
		struct wall_device *device = &wall->devices[i];
		uint64_t at = look->first[i], last = look->first[i + 1];

		if (at == last)
			continue;
		device->from = look->start[row_of(look, look->places[at])];
		device->to = device->from;
		for (; at < last; at++) {
			int64_t end = look->end[row_of(look, look->places[at])];

			device->to = end > device->to ? end : device->to;
		}
		device->from = device->from > look->from ? device->from : look->from;
		device->to = device->to < look->to ? device->to : look->to;
		device->is_there = device->from < device->to;
		if (device->is_there && __builtin_sub_overflow(device->to, device->from, &span)) {
			device->is_there = false;
			wall->is_too_wide = true;
		}
	}
	return TAV_OK;
}

static tav_status each(struct tav_self *self)
{
	struct wall wall = {.self = self};
	tav_status status;

	if (has_too_many_devices(self, "wall_time", &status))
		return status;
	if (look_at(&wall.look, self, self->options[WALL_OPT_WINDOW]))
		return TAV_FAILED;
	sums_init(&wall.names, self);
	wall.devices = take(self, (uint64_t)wall.look.device_count + 1, sizeof(*wall.devices));
	if (!wall.devices)
		return TAV_FAILED;
	tav_status (*const parts[])(struct wall *) = {find_windows, wall_steps,  wall_sweep,  wall_choose_longest,
	                                              wall_causes,  wall_doubts, wall_tables, wall_say};

	for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		status = parts[i](&wall);
		if (!status && parts[i] == wall_causes)
			status = wall_check_sums(&wall);
		if (status)
			return status;
	}
	return TAV_OK;
}

const struct tav_stage wall_stage = {
        .struct_size = sizeof(wall_stage),
        .flags = TAV_STAGE_LINKS,
        .name = "wall-time",
        .summary = "Where the time of each device goes, why it is idle, and what it would be worth to change that",
        .help = "The window of a device, from its first start to its last end, is parted exactly: compute, exposed "
                "communication, exposed copies, idle. An instant belongs to the highest kind that runs, so "
                "communication under compute is hidden. Idle time is parted by the launch of the event that ends it: "
                "before the call began (what did the thread that launched do?), while it ran, after it returned.",
        .options = TAV_LIST(options),
        .fields = TAV_LIST(fields),
        .pages = TAV_LIST(pages),
        .each = each,
        .combine = wall_combine,
};
