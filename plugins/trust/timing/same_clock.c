/* SPDX-License-Identifier: Apache-2.0 */
#include "timing.h"

static int64_t distance(const struct trust *trust, tav_row row)
{
	if (trust->end[row] < trust->host_start)
		return (int64_t)((uint64_t)trust->host_start - (uint64_t)trust->end[row]);
	if (trust->start[row] > trust->host_end)
		return (int64_t)((uint64_t)trust->start[row] - (uint64_t)trust->host_end);
	return 0;
}

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	int64_t gap = trust->self->options[OPT_SAME_CLOCK_GAP]->integer;
	uint64_t zero_count = 0;

	if (lacks_devices(trust))
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "%s", lacks_devices(trust));
	if (!trust->call_count && !trust->operator_count)
		return judge(verdict, TRUST_INCONCLUSIVE, trust->device_count,
		             "no calls and no operators of the host to compare with");
	for (uint64_t i = 0; i < trust->device_count; i++) {
		tav_row row = trust->devices[i];
		int64_t away = distance(trust, row);

		/* Times may lie so far apart that their difference does not fit: that is far enough. */
		if (away >= 0 && away <= gap)
			continue;
		found_by(verdict, row, away < 0 ? INT64_MAX : away);
		reject(trust, row);
		zero_count += trust->start[row] == 0;
	}
	if (!verdict->count)
		return judge(verdict, TRUST_PASS, trust->device_count,
		             "%s lie%s within %s of the host's calls and operators",
		             COUNTED(trust->device_count, "device event"), tav_does(trust->device_count),
		             DURATION(gap));
	if (zero_count == verdict->count)
		return judge(verdict, TRUST_FAIL, trust->device_count,
		             "%s of %s start%s at 0, so %s never stamped; worst: %s is %s away from all host events",
		             COUNTED(zero_count, ""), COUNTED(trust->device_count, "device event"),
		             tav_does(zero_count), zero_count == 1 ? "it was" : "they were",
		             NAME(trust, verdict->worst), DURATION(verdict->worst_ns));
	return judge(verdict, TRUST_FAIL, trust->device_count,
	             "%s of %s ha%s the time of another clock; worst: %s is %s away from all host events",
	             COUNTED(verdict->count, ""), COUNTED(trust->device_count, "device event"),
	             verdict->count == 1 ? "s" : "ve", NAME(trust, verdict->worst), DURATION(verdict->worst_ns));
}

const struct trust_check check_same_clock = {
        .id = "same_clock",
        .question = "Do the times of host and device come from one clock?",
        .worst = TRUST_FAIL,
        .text = "Device events that end more than same_clock_gap (1 s) before the first call or operator of the host, "
                "or start more than that after the last one, were stamped by another clock, or not at all: a start of "
                "0 is the usual sign.\n\nSuch events are rejected: no later check looks at them, and idle time, busy "
                "time and delays that include them mean nothing. Record again with a profiler that converts device "
                "times (for example one whose device and host clocks were matched when it started).",
        .remedy = "leave these events out, or record again: their times belong to no common clock",
        .run = run,
};
