/* SPDX-License-Identifier: Apache-2.0 */
#include "timing.h"

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	const int64_t *bytes = trust->host->column(trust->self, 0, TAV_COL_FIELDS + FIELD_BYTES);
	const uint64_t *has_bytes = trust->host->present(trust->self, 0, TAV_COL_FIELDS + FIELD_BYTES);
	double limit = trust->self->options[OPT_MAX_BANDWIDTH]->real, fastest = 0;
	uint64_t examined = 0;
	tav_row worst = TAV_NONE;

	if (!bytes)
		return tav_fail(trust->self, "the trace lacks a column");
	for (uint64_t i = 0; i < trust->device_count; i++) {
		tav_row row = trust->devices[i];
		double seconds, rate;

		if (!(trust->traits[row] & (TAV_TRAIT_MEMCPY | TAV_TRAIT_MEMSET)) ||
		    (has_bytes && !bit_is(has_bytes, row)) || !is_believable(trust, row))
			continue;
		examined++;
		seconds = ((double)length_of(trust, row) + (double)trust->res) / 1e9;
		rate = (double)bytes[row] / seconds;
		if (rate <= limit)
			continue;
		found(verdict, row);
		if (rate > fastest) {
			fastest = rate;
			worst = row;
		}
	}
	if (!examined)
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "%s",
		             lacks_times(trust) ? lacks_times(trust) : "no copy or fill states its bytes");
	if (!verdict->count)
		return judge(verdict, TRUST_PASS, examined, "%s of copies and fills, at rates that can be",
		             COUNTED(examined, "record"));
	return judge(verdict, TRUST_WARN, examined,
	             "%s of %s copies and fills moved more than %.4g TB/s; worst: %s with %s TB/s",
	             COUNTED(verdict->count, ""), COUNTED(examined, ""), limit / 1e12, NAME(trust, worst),
	             COUNTED((uint64_t)(fastest / 1e12 < 1e18 ? fastest / 1e12 + 0.5 : 1e18), ""));
}

const struct trust_check check_bandwidth = {
        .id = "bandwidth",
        .question = "Could so many bytes move in so little time?",
        .worst = TRUST_WARN,
        .text = "Bytes divided by the length (and one tick of the clock) is more than max_bandwidth (20 TB/s), which "
                "no memory reaches. Either the bytes or the length is wrong, or the event is no copy at all: some "
                "recorders write allocations as fills.\n\nDo not sum up the bytes of such events.",
        .remedy = "do not compute rates from these events",
        .run = run,
};
