/* SPDX-License-Identifier: Apache-2.0 */
#include "timing.h"

enum { AT_LEAST = 5 }; /* events of a track, to know what is usual there */

struct found_end {
	int64_t mended_ns, worst_ns; /* of the worst one: until its successor starts */
	int64_t saved_ns;            /* time that all of them claim too much */
};

/* The events of a track, in their order. */
struct stretch {
	const tav_row *rows;
	uint64_t count;
};

static uint64_t take_lengths(const struct trust *trust, struct stretch track, int64_t *lengths, int64_t *total)
{
	uint64_t count = 0;

	for (uint64_t i = 0; i < track.count; i++) {
		if (!is_believable(trust, track.rows[i]))
			continue;
		lengths[count] = length_of(trust, track.rows[i]);
		*total = tav_sum(*total, lengths[count++]);
	}
	return count;
}

static void judge_pair(struct trust *trust, struct verdict *verdict, tav_row row, tav_row next, int64_t median,
                       struct found_end *what)
{
	int64_t ratio = trust->self->options[OPT_IMPOSSIBLE_RATIO]->integer, length = length_of(trust, row);
	int64_t over = trust->end[row] - trust->start[next];

	if (length / ratio < median || over <= length / 10)
		return;
	if (!what->worst_ns || length > what->worst_ns) {
		what->worst_ns = length;
		what->mended_ns = trust->start[next] - trust->start[row];
	}
	what->saved_ns = tav_sum(what->saved_ns, over);
	found_by(verdict, row, length);
	reject(trust, row);
}

static void judge_track(struct trust *trust, struct verdict *verdict, struct stretch track, int64_t median,
                        struct found_end *what)
{
	tav_row before = TAV_NONE;

	for (uint64_t i = 0; i < track.count; i++) {
		if (!is_believable(trust, track.rows[i]))
			continue;
		if (before != TAV_NONE)
			judge_pair(trust, verdict, before, track.rows[i], median, what);
		before = track.rows[i];
	}
}

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	const struct tav_order *order;
	struct found_end what = {0, 0, 0};
	uint64_t examined = 0;
	int64_t *lengths, total = 0;

	if (lacks_times(trust))
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "%s", lacks_times(trust));
	order = trust_tracks(trust);
	lengths = trust_numbers(trust);
	if (!order || !lengths)
		return TAV_FAILED;
	for (uint32_t number = 0; number < order->track_count; number++) {
		uint64_t from = order->first[number], to = order->first[number + 1], count;
		struct stretch track = {order->rows + from, to - from};
		int64_t median;

		count = take_lengths(trust, track, lengths, &total);
		if (count < AT_LEAST || !(trust->host->track(trust->self, 0, number)->flags & TAV_TRACK_SERIAL))
			continue;
		examined += count;
		median = lower_median(lengths, count);
		judge_track(trust, verdict, track, median > trust->res ? median : trust->res, &what);
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
