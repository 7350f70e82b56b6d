/* SPDX-License-Identifier: Apache-2.0 */
#include "timing.h"

static bool is_same_record(const struct trust *trust, tav_row a, tav_row b)
{
	return trust->end[a] == trust->end[b] && trust->label[a] == trust->label[b];
}

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	const struct tav_order *order;
	uint64_t examined = 0;

	if (lacks_times(trust))
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "%s", lacks_times(trust));
	order = trust_tracks(trust);
	if (!order)
		return TAV_FAILED;
	for (uint32_t track = 0; track < order->track_count; track++) {
		tav_row before = TAV_NONE;

		if (!(trust->host->track(trust->self, 0, track)->flags & TAV_TRACK_SERIAL))
			continue;
		for (uint64_t i = order->first[track]; i < order->first[track + 1]; i++) {
			tav_row row = order->rows[i];

			if (!(trust->traits[row] & TAV_TRAIT_KERNEL) || !length_of(trust, row) ||
			    !is_believable(trust, row))
				continue;
			examined++;
			if (before != TAV_NONE && trust->start[before] == trust->start[row] &&
			    !is_same_record(trust, before, row))
				found(verdict, row);
			before = row;
		}
	}
	if (examined < 2)
		return judge(verdict, TRUST_INCONCLUSIVE, examined,
		             "fewer than two kernels that must not run together");
	if (!verdict->count)
		return judge(verdict, TRUST_PASS, examined, "no two of %s on one %.*s start together",
		             COUNTED(examined, "kernel"), (int)trust->about->track_word.size,
		             trust->about->track_word.data);
	return judge(verdict, trust->res == 1 ? TRUST_FAIL : TRUST_NOTE, examined,
	             "%s of %s start%s at the same instant as the one before on the same %.*s; first: %s%s",
	             COUNTED(verdict->count, ""), COUNTED(examined, "kernel"), tav_does(verdict->count),
	             (int)trust->about->track_word.size, trust->about->track_word.data, NAME(trust, verdict->rows[0]),
	             trust->res > 1 ? " (the clock counts in steps of 1 us)" : "");
}

const struct trust_check check_same_start = {
        .id = "same_start",
        .question = "Do two kernels of one stream start at the same instant?",
        .worst = TRUST_FAIL,
        .text = "On a track that runs one thing at a time, the next kernel starts when the one before has ended. Two "
                "with one start share a stamp: one of them has a wrong time. Records that are there twice are told by "
                "overlap-verify, not here.\n\nWith a clock in whole microseconds it is a note.",
        .remedy = "do not trust the order and the lengths of these kernels",
        .run = run,
};
