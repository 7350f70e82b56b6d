/* SPDX-License-Identifier: Apache-2.0 */
#include "timing.h"

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	uint32_t flavour = trust->about->flavour;
	/* There the times come from counters of cycles: a kernel without length is a broken record, not a short one. */
	bool is_counted = flavour == TAV_FLAVOUR_SPYRE || flavour == TAV_FLAVOUR_XPU;
	uint64_t examined = 0;

	for (uint64_t i = 0; i < trust->device_count; i++) {
		tav_row row = trust->devices[i];

		if (!(trust->traits[row] & TAV_TRAIT_KERNEL) || !is_believable(trust, row))
			continue;
		examined++;
		if (!length_of(trust, row))
			found(verdict, row);
	}
	if (!examined)
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "%s",
		             lacks_times(trust) ? lacks_times(trust) : "no kernels");
	if (!verdict->count)
		return judge(verdict, TRUST_PASS, examined, "%s %s a length", COUNTED(examined, "kernel"),
		             examined == 1 ? "has" : "have");
	if (trust->res > 1)
		return judge(verdict, TRUST_NOTE, examined,
		             "%s of %s ha%s length 0: the clock counts in steps of %s, so shorter ones show none",
		             COUNTED(verdict->count, ""), COUNTED(examined, "kernel"), verdict->count == 1 ? "s" : "ve",
		             DURATION(trust->res));
	return judge(verdict, is_counted ? TRUST_FAIL : TRUST_WARN, examined, "%s of %s ha%s length 0; first: %s",
	             COUNTED(verdict->count, ""), COUNTED(examined, "kernel"), verdict->count == 1 ? "s" : "ve",
	             NAME(trust, verdict->rows[0]));
}

const struct trust_check check_zero_length = {
        .id = "zero_length",
        .question = "Has every kernel a length?",
        .worst = TRUST_FAIL,
        .text = "A kernel always takes time, so a length of 0 is a record without an end, or a clock that is too "
                "coarse. Copies and fills may be empty.\n\nWhere the clock counts in whole microseconds it is a note; "
                "where device times are made from cycle counters it is a fail, else a warning.",
        .remedy = "do not average over these kernels: their true lengths are unknown",
        .run = run,
};
