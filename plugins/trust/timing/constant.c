/* SPDX-License-Identifier: Apache-2.0 */
#include "timing.h"

enum { AT_LEAST = 20 };

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	uint64_t examined = 0, votes = 0, same = 0;
	uint32_t first_label = TAV_NONE;
	int64_t mode = 0, shortest = trust->res > 1 ? 2 * trust->res : 0;
	bool has_names = false;

	/* A majority of nine tenths is what is left when different ones cancel each other. */
	for (uint64_t i = 0; i < trust->device_count; i++) {
		tav_row row = trust->devices[i];

		if (!(trust->traits[row] & TAV_TRAIT_KERNEL) || !is_believable(trust, row))
			continue;
		examined++;
		has_names |= first_label != TAV_NONE && first_label != trust->label[row];
		first_label = trust->label[row];
		if (!votes)
			mode = length_of(trust, row);
		if (mode == length_of(trust, row))
			votes++;
		else
			votes--;
	}
	if (examined < AT_LEAST || !has_names)
		return judge(verdict, TRUST_INCONCLUSIVE, examined, "%s",
		             lacks_times(trust)    ? lacks_times(trust)
		             : examined < AT_LEAST ? "fewer than 20 kernels"
		                                   : "all kernels have one name");
	for (uint64_t i = 0; i < trust->device_count; i++) {
		tav_row row = trust->devices[i];

		same += trust->traits[row] & TAV_TRAIT_KERNEL && is_believable(trust, row) &&
		        length_of(trust, row) == mode;
	}
	if (same * 10 < examined * 9 || mode <= shortest)
		return judge(verdict, TRUST_PASS, examined, "%s differ in length", COUNTED(examined, "kernel"));
	for (uint64_t i = 0; i < trust->device_count; i++) {
		tav_row row = trust->devices[i];

		if (trust->traits[row] & TAV_TRAIT_KERNEL && is_believable(trust, row) && length_of(trust, row) == mode)
			found(verdict, row);
	}
	return judge(verdict, TRUST_WARN, examined, "%s of %s of different names last exactly %s",
	             COUNTED(verdict->count, ""), COUNTED(examined, "kernel"), DURATION(mode));
}

const struct trust_check check_constant = {
        .id = "constant",
        .question = "Are the durations measured, or made up?",
        .worst = TRUST_WARN,
        .text = "Nine of ten kernels with one and the same length, though their names differ: the lengths are "
                "placeholders of a simulator or of a broken recorder, not measurements.\n\nIt needs 20 kernels with "
                "two names or more.",
        .remedy = "do not compare these lengths: they were not measured",
        .run = run,
};
