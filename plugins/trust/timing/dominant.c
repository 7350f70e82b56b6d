/* SPDX-License-Identifier: Apache-2.0 */
#include "timing.h"

enum { AT_LEAST = 1000 };
static const double limit = 0.3;

static bool is_counted(const struct trust *trust, tav_row row)
{
	/* Collectives wait for others: a few long ones are common. */
	return is_believable(trust, row) && !(trust->traits[row] & TAV_TRAIT_COLLECTIVE);
}

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	int64_t *lengths = trust_numbers(trust);
	uint64_t count = 0, few, ties = 0;
	int64_t total = 0, sum = 0, least;

	if (!lengths)
		return TAV_FAILED;
	for (uint64_t i = 0; i < trust->device_count; i++) {
		if (!is_counted(trust, trust->devices[i]))
			continue;
		lengths[count] = length_of(trust, trust->devices[i]);
		total = tav_sum(total, lengths[count++]);
	}
	if (count < AT_LEAST)
		return judge(verdict, TRUST_INCONCLUSIVE, count, "%s",
		             lacks_times(trust) ? lacks_times(trust) : "fewer than 1,000 device events");
	few = count / 1000;
	least = select_nth(lengths, count, count - few);
	ties = few;
	for (uint64_t i = 0; i < count; i++) {
		if (lengths[i] <= least)
			continue;
		sum = tav_sum(sum, lengths[i]);
		ties--;
	}
	for (uint64_t i = 0; i < ties; i++)
		sum = tav_sum(sum, least);
	if ((double)sum <= limit * (double)total)
		return judge(verdict, TRUST_PASS, count, "the longest %s make up %s of the device time",
		             COUNTED(few, "event"), SHARE(sum, total));
	for (uint64_t i = 0; i < trust->device_count; i++) {
		tav_row row = trust->devices[i];
		int64_t length = length_of(trust, row);

		if (!is_counted(trust, row) || length < least || (length == least && !ties))
			continue;
		ties -= length == least;
		found_by(verdict, row, length);
	}
	return judge(verdict, TRUST_WARN, count, "%s of %s make up %s of the device time; longest: %s with %s",
	             COUNTED(few, ""), COUNTED(count, "device event"), SHARE(sum, total), NAME(trust, verdict->worst),
	             DURATION(verdict->worst_ns));
}

const struct trust_check check_dominant = {
        .id = "dominant",
        .question = "Do a few events make up most of the time?",
        .worst = TRUST_WARN,
        .text = "Of 1,000 device events or more, collectives left out, the longest 0.1 % hold more than 30 % of the "
                "summed time. Averages and shares then speak of these few only.\n\nIt may be true (one huge kernel) "
                "or a sign of corrupt ends: look at them.",
        .remedy = "look at these events before you trust a sum or a share",
        .run = run,
};
