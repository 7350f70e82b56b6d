/* SPDX-License-Identifier: Apache-2.0 */
#include "timing.h"

enum { AT_LEAST = 10 };

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	if (trust->interval_count < AT_LEAST)
		return judge(verdict, TRUST_INCONCLUSIVE, trust->interval_count, "fewer than ten events with a length");
	if (trust->res == 1)
		return judge(verdict, TRUST_PASS, trust->interval_count, "times are finer than 1 us");
	verdict->count = 1;
	return judge(verdict, TRUST_NOTE, trust->interval_count,
	             "all times are multiples of 1 us: kernels below 2 us and gaps below 1 us mean little");
}

const struct trust_check check_resolution = {
        .id = "resolution",
        .question = "How fine is the clock?",
        .worst = TRUST_NOTE,
        .text = "Where every start and end is a multiple of 1 us, lengths and gaps are wrong by up to 1 us each. That "
                "is nothing for an operator of a millisecond, and everything for a kernel of 2 us.\n\nChecks widen "
                "their tolerances by this step.",
        .run = run,
};
