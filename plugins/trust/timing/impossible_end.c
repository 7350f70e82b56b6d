/* SPDX-License-Identifier: Apache-2.0 */
#include "timing.h"

enum { AT_LEAST = 5 }; /* events of a track, to know what is usual there */

struct found_end {
	int64_t mended_ns, worst_ns; /* of the worst one: until its successor starts */
	int64_t saved_ns;            /* time that all of them claim too much */
};

/* The believable events of a track in their order, into `rows`. */
static uint64_t take_track(const struct trust *trust, const struct tav_order *order, uint32_t track, tav_row *rows)
{
	uint64_t count = 0;

	for (uint64_t i = order->first[track]; i < order->first[track + 1]; i++) {
		if (is_believable(trust, order->rows[i]))
			rows[count++] = order->rows[i];
	}
	return count;
}

static void judge_track(struct trust *trust, struct verdict *verdict, const tav_row *rows, uint64_t count,
                        int64_t median, struct found_end *what)
{
	int64_t ratio = trust->self->options[OPT_IMPOSSIBLE_RATIO]->integer;

	for (uint64_t i = 0; i + 1 < count; i++) {
		int64_t length = length_of(trust, rows[i]);
		int64_t over = trust->end[rows[i]] - trust->start[rows[i + 1]];
		int64_t mended = trust->start[rows[i + 1]] - trust->start[rows[i]];

		if (length / ratio < median || over <= length / 10)
			continue;
		if (!what->worst_ns || length > what->worst_ns) {
			what->worst_ns = length;
			what->mended_ns = mended;
		}
		what->saved_ns = tav_sum(what->saved_ns, over);
		found_by(verdict, rows[i], length);
		reject(trust, rows[i]);
	}
}

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	const struct tav_order *order;
	struct found_end what = {0, 0, 0};
	uint64_t examined = 0;
	int64_t *lengths, total = 0;
	tav_row *rows;

	if (lacks_times(trust))
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "%s", lacks_times(trust));
	order = trust_tracks(trust);
	rows = trust->host->alloc(trust->self, trust->device_count * sizeof(*rows));
	lengths = trust->host->alloc(trust->self, trust->device_count * sizeof(*lengths));
	if (!order || !rows || !lengths)
		return TAV_FAILED;
	for (uint32_t track = 0; track < order->track_count; track++) {
		uint64_t count = take_track(trust, order, track, rows);
		int64_t median;

		for (uint64_t i = 0; i < count; i++) {
			lengths[i] = length_of(trust, rows[i]);
			total = tav_sum(total, lengths[i]);
		}
		if (count < AT_LEAST || !(trust->host->track(trust->self, 0, track)->flags & TAV_TRACK_SERIAL))
			continue;
		examined += count;
		median = lower_median(lengths, count);
		judge_track(trust, verdict, rows, count, median > trust->res ? median : trust->res, &what);
	}
	if (!examined)
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "no serial %.*s has five device events",
		             (int)trust->about->track_word.size, trust->about->track_word.data);
	if (!verdict->count)
		return judge(verdict, TRUST_PASS, examined,
		             "no far too long event of %s ends behind its successor's start", COUNTED(examined, ""));
	return judge(
	        verdict, TRUST_FAIL, examined,
	        "%s of %s end%s long after the next one began; worst: %s with %s, but the next one starts after %s. "
	        "Cut there, the summed device time is %s in place of %s",
	        COUNTED(verdict->count, ""), COUNTED(examined, "device event"), tav_does(verdict->count),
	        NAME(trust, verdict->worst), DURATION(verdict->worst_ns), DURATION(what.mended_ns),
	        DURATION(total - what.saved_ns), DURATION(total));
}

const struct trust_check check_impossible_end = {
        .id = "impossible_end",
        .question = "Does an event end after its successor began, being far too long?",
        .worst = TRUST_FAIL,
        .text = "On a track that runs one thing at a time, an event of 100 medians or more that reaches far into its "
                "successor has a corrupt end: its true end is at most the successor's start, which the message "
                "states.\n\nThe event is rejected. The message says the summed device time with and without the "
                "impossible ends.",
        .remedy = "take the start of the next event for the end, or leave the event out",
        .run = run,
};
