/* SPDX-License-Identifier: Apache-2.0 */
#include "timing.h"

/* First start to last end of the spans that stand for the recording, and of the marks at its borders. */
static bool find_window(const struct trust *trust, struct span *window)
{
	struct span marks = {INT64_MAX, INT64_MIN};
	bool is_there = false;

	*window = marks;
	if (!(trust->all_words & WORD_RECORDING))
		return false;
	for (tav_row row = 0; row < trust->row_count; row++) {
		uint8_t word = word_of(trust, row);

		if (word & WORD_RECORDING && is_interval(trust, row)) {
			is_there = true;
			window->from = trust->start[row] < window->from ? trust->start[row] : window->from;
			window->to = trust->end[row] > window->to ? trust->end[row] : window->to;
		}
		if (word & WORD_WINDOW_MARK && trust->phase[row] == 'i' && has_time(trust, row)) {
			marks.from = trust->start[row] < marks.from ? trust->start[row] : marks.from;
			marks.to = trust->start[row] > marks.to ? trust->start[row] : marks.to;
		}
	}
	window->from = marks.from < window->from ? marks.from : window->from;
	window->to = marks.to > window->to ? marks.to : window->to;
	return is_there;
}

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	uint64_t examined = trust->device_count - trust->rejected_count;
	struct span window;

	if (lacks_times(trust))
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "%s", lacks_times(trust));
	if (!find_window(trust, &window))
		return judge(verdict, TRUST_INCONCLUSIVE, examined,
		             "no span of the recording: no event has the category Trace");
	for (uint64_t i = 0; i < trust->device_count; i++) {
		tav_row row = trust->devices[i];
		int64_t before, behind, outside;

		if (!is_believable(trust, row))
			continue;
		before = window.from - trust->start[row];
		behind = trust->end[row] - window.to;
		outside = before > behind ? before : behind;
		if (outside <= trust->res)
			continue;
		found_by(verdict, row, outside);
		bit_set(trust->outside, row);
	}
	if (!verdict->count)
		return judge(verdict, TRUST_PASS, examined, "%s lie%s within the recorded time",
		             COUNTED(examined, "device event"), tav_does(examined));
	return judge(verdict, TRUST_FAIL, examined, "%s of %s lie%s outside of the recorded time; worst: %s by %s",
	             COUNTED(verdict->count, ""), COUNTED(examined, "device event"), tav_does(verdict->count),
	             NAME(trust, verdict->worst), DURATION(verdict->worst_ns));
}

const struct trust_check check_window = {
        .id = "window",
        .question = "Does all device work lie within the time recorded?",
        .worst = TRUST_FAIL,
        .text = "The profiler writes when it recorded: a span of the category Trace, and marks such as Iteration "
                "Start and Record Window End. Device work outside of all of them has a wrong time, or belongs to "
                "another recording.\n\nSuch events are left out where synchronisations are judged.",
        .remedy = "leave these events out, or record again and wait for the device before the profiler stops",
        .run = run,
};
