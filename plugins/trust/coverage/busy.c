/* SPDX-License-Identifier: Apache-2.0 */
#include "coverage.h"

/* What the check `lost` of this pipeline came to; false: it has not run, or not passed. */
static bool nothing_is_lost(const struct trust *trust)
{
	const struct tav_results *results = trust->host->extension(trust->self, TAV_RESULTS_ID);
	uint32_t count = results ? results->stage_count(trust->self) : 0;

	for (uint32_t stage = 0; stage < count; stage++) {
		const struct tav_check_result *lost;

		if (!tav_text_is(results->stage_name(trust->self, stage, NULL), "links"))
			continue;
		lost = results->find_check(trust->self, stage, 0, "lost");
		return lost && lost->result == TAV_RESULT_PASS;
	}
	return false;
}

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	struct span whole = {trust->host_start, trust->host_end};
	double limit = trust->self->options[OPT_IDLE_SHARE]->real;
	int64_t busy = 0, reached = INT64_MIN, length;
	struct tav_walk walk;

	if (lacks_devices(trust))
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "%s", lacks_devices(trust));
	if (!trust->call_count && !trust->operator_count)
		return does_not_apply(verdict);
	if (trust->rejected_count > trust->device_count / 100)
		return judge(verdict, TRUST_INCONCLUSIVE, trust->device_count, "%s ha%s no believable time",
		             COUNTED(trust->rejected_count, "device event"), trust->rejected_count == 1 ? "s" : "ve");
	if (trust_walk(trust, &walk))
		return TAV_FAILED;
	for (tav_row row; (row = tav_walk_next(&walk)) != TAV_NONE;) {
		int64_t start = trust->start[row], end = trust->end[row];
		int64_t from = start > reached ? start : reached;

		if (!is_believable(trust, row))
			continue;
		whole.from = start < whole.from ? start : whole.from;
		whole.to = end > whole.to ? end : whole.to;
		if (end <= from)
			continue;
		busy = tav_sum(busy, end - from);
		reached = end;
	}
	length = whole.to - whole.from;
	if ((double)busy >= limit * (double)length)
		return judge(verdict, TRUST_PASS, trust->device_count, "some device was at work in %s of the time",
		             SHARE(busy, length));
	verdict->count = trust->device_count;
	if (nothing_is_lost(trust))
		return judge(
		        verdict, TRUST_NOTE, trust->device_count,
		        "a device was at work for %s of %s, though no record is lost: a capture, a compilation or a "
		        "program that idles",
		        DURATION(busy), DURATION(length));
	return judge(verdict, TRUST_WARN, trust->device_count,
	             "a device was at work for %s of %s only: its records may be lost", DURATION(busy),
	             DURATION(length));
}

/* "No device events" is worth a word even where nobody knows launches. */
static bool applies(const struct trust *trust)
{
	return trust->is_linked || !trust->device_count;
}

const struct trust_check check_busy = {
        .id = "busy",
        .question = "Was the device at work while it was recorded?",
        .worst = TRUST_WARN,
        .absent = "the dialect knows no calls of the host",
        .text = "Device work fills less than idle_share (0.1 %) of the time from the first to the last event. Where "
                "every "
                "launch has its device work (lost passes) it is a note: the recording caught a capture, a compilation, "
                "or an idle program. Else records of the device may be lost.",
        .remedy = "make sure that the recording covers the work that you mean",
        .applies = applies,
        .run = run,
};
