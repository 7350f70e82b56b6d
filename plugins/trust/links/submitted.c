/* SPDX-License-Identifier: Apache-2.0 */
#include "links.h"

/* The base time that submissions count from; false: the trace does not state it. */
static bool read_base(const struct trust *trust, int64_t *base)
{
	struct tav_text text = trust->host->metadata(trust->self, 0, "baseTimeNanoseconds");
	char digits[32];
	char *end;

	if (text.size >= 2 && *text.data == '"') {
		text.data++;
		text.size -= 2;
	}
	if (!text.size || text.size >= sizeof(digits))
		return false;
	memcpy(digits, text.data, text.size);
	digits[text.size] = '\0';
	*base = strtoll(digits, &end, 10);
	return !*end;
}

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	const int64_t *submitted = trust->host->column(trust->self, 0, TAV_COL_FIELDS + FIELD_SUBMITTED);
	const uint64_t *is_there = trust->host->present(trust->self, 0, TAV_COL_FIELDS + FIELD_SUBMITTED);
	int64_t tolerance = trust->self->options[OPT_CLOCK_TOLERANCE]->integer, base = 0;
	bool has_base = read_base(trust, &base);
	uint64_t examined = 0;

	if (!submitted)
		return tav_fail(trust->self, "the trace lacks a column");
	for (uint64_t i = 0; i < trust->device_count; i++) {
		tav_row row = trust->devices[i], launch = launch_of(trust, i);
		int64_t at, too_late, too_early;

		if ((is_there && !bit_is(is_there, row)) || !is_believable(trust, row) || bit_is(trust->early, row))
			continue;
		examined++;
		if (!has_base || __builtin_sub_overflow(submitted[row], base, &at))
			continue;
		too_late = at - trust->start[row];
		too_early = launch == TAV_NONE ? INT64_MIN : trust->start[launch] - at;
		if (too_late > tolerance || too_early > tolerance)
			found_by(verdict, row, too_late > too_early ? too_late : too_early);
	}
	if (!examined && trust->about->flavour != TAV_FLAVOUR_SPYRE)
		return does_not_apply(verdict);
	if (!examined)
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "%s",
		             lacks_times(trust) ? lacks_times(trust) : "no device event says when it was submitted");
	if (!has_base)
		return judge(verdict, TRUST_INCONCLUSIVE, examined, "no baseTimeNanoseconds to count submissions from");
	if (!verdict->count)
		return judge(verdict, TRUST_PASS, examined, "%s w%s submitted between launch and start",
		             COUNTED(examined, "device event"), examined == 1 ? "as" : "ere");
	return judge(verdict, TRUST_FAIL, examined,
	             "%s of %s w%s not submitted between launch and start; worst: %s is off by %s",
	             COUNTED(verdict->count, ""), COUNTED(examined, "device event"), verdict->count == 1 ? "as" : "ere",
	             NAME(trust, verdict->worst), DURATION(verdict->worst_ns));
}

const struct trust_check check_submitted = {
        .id = "submitted",
        .question = "Do launch, submission and start follow each other?",
        .worst = TRUST_FAIL,
        .text = "Some device events say when they were handed to the device (args.submitted, absolute; "
                "baseTimeNanoseconds is taken off). That lies between the launch and the start, within "
                "clock_tolerance.\n\nEvents that launch_first has told are left out.",
        .remedy = "do not split delays into before and after the submission",
        .applies = needs_links,
        .run = run,
};
