/* SPDX-License-Identifier: Apache-2.0 */
#include "timing.h"

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	int64_t limit = trust->self->options[OPT_MAX_DURATION]->integer;
	uint64_t examined = trust->device_count - trust->rejected_count;

	if (lacks_times(trust))
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "%s", lacks_times(trust));
	for (uint64_t i = 0; i < trust->device_count; i++) {
		tav_row row = trust->devices[i];

		if (!is_believable(trust, row) || length_of(trust, row) <= limit)
			continue;
		found_by(verdict, row, length_of(trust, row));
		reject(trust, row);
	}
	if (!verdict->count)
		return judge(verdict, TRUST_PASS, examined, "none of %s lasts more than %s",
		             COUNTED(examined, "device event"), DURATION(limit));
	return judge(verdict, TRUST_FAIL, examined, "%s of %s last%s more than %s; worst: %s with %s",
	             COUNTED(verdict->count, ""), COUNTED(examined, "device event"), tav_does(verdict->count),
	             DURATION(limit), NAME(trust, verdict->worst), DURATION(verdict->worst_ns));
}

const struct trust_check check_too_long = {
        .id = "too_long",
        .question = "Is any device event longer than device events can be?",
        .worst = TRUST_FAIL,
        .text = "A kernel or copy that lasts more than max_duration (1 s) nearly always has a corrupt end: the record "
                "was closed late, or its end belongs to another record. One such event hides all idle time behind "
                "it.\n\nThe event is rejected. If your kernels really run that long, raise max_duration.",
        .remedy = "look at these events; raise max_duration if they really run that long, else record again",
        .run = run,
};
