/* SPDX-License-Identifier: Apache-2.0 */
#include "links.h"

static const char *launch_count(char out[TAV_COUNTED_SIZE + 4], uint64_t count)
{
	tav_counted(out, count, "launch");
	if (count != 1)
		memcpy(out + strlen(out) - 1, "es", 3);
	return out;
}
#define LAUNCHES(count) launch_count((char[TAV_COUNTED_SIZE + 4]){0}, (count))

/* Launches while a graph is captured do no work: the time from begin to end of a capture on one thread. */
struct capture {
	uint64_t thread;
	int64_t from, to;
};
struct captures {
	struct capture *items, *ends; /* both sorted by (thread, from); of `ends` `from` is the start of the call */
	uint64_t count, end_count;
};

static uint64_t thread_of(const struct trust *trust, tav_row row)
{
	return (uint64_t)trust->pid[row] << 32 | trust->tid[row];
}

static int compare(const void *a, const void *b)
{
	const struct capture *left = a, *right = b;

	if (left->thread != right->thread)
		return left->thread < right->thread ? -1 : 1;
	return left->from < right->from ? -1 : left->from > right->from;
}

/* How many entries come before (thread, from). */
static uint64_t lower(const struct capture *items, uint64_t count, uint64_t thread, int64_t from)
{
	struct capture wanted = {thread, from, 0};
	uint64_t low = 0, high = count;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (compare(&items[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static tav_status find_captures(struct trust *trust, struct captures *captures)
{
	uint64_t begins = 0, ends = 0;

	if (!trust->has_call[TAV_CALL_CAPTURE_BEGIN])
		return TAV_OK;
	for (int pass = 0; pass < 2; pass++) {
		begins = ends = 0;
		for (uint64_t i = 0; i < facts_of(trust)->call_count; i++) {
			tav_row row = facts_of(trust)->calls[i];
			uint32_t call = call_of(trust, row);
			struct capture capture = {thread_of(trust, row), trust->start[row], INT64_MAX};

			if (call == TAV_CALL_CAPTURE_BEGIN) {
				if (pass)
					captures->items[begins] = capture;
				begins++;
			} else if (call == TAV_CALL_CAPTURE_END) {
				capture.to = trust->end[row];
				if (pass)
					captures->ends[ends] = capture;
				ends++;
			}
		}
		if (pass)
			break;
		captures->items = trust->host->alloc(trust->self, begins * sizeof(*captures->items));
		captures->ends = trust->host->alloc(trust->self, ends * sizeof(*captures->ends));
		if (!captures->items || !captures->ends)
			return TAV_FAILED;
	}
	captures->count = begins;
	captures->end_count = ends;
	qsort(captures->items, begins, sizeof(*captures->items), compare);
	qsort(captures->ends, ends, sizeof(*captures->ends), compare);
	for (uint64_t i = 0; i < begins; i++) {
		struct capture *capture = &captures->items[i];
		uint64_t end = lower(captures->ends, ends, capture->thread, capture->from);

		if (end < ends && captures->ends[end].thread == capture->thread)
			capture->to = captures->ends[end].to;
		/* One within another ends with the outer one. */
		if (i && capture[-1].thread == capture->thread && capture[-1].to > capture->to)
			capture->to = capture[-1].to;
	}
	return TAV_OK;
}

static bool is_captured(const struct trust *trust, const struct captures *captures, tav_row row)
{
	uint64_t thread = thread_of(trust, row), at;
	int64_t start = trust->start[row];

	if (!captures->count)
		return false;
	at = lower(captures->items, captures->count, thread, start == INT64_MAX ? start : start + 1);
	return at && captures->items[at - 1].thread == thread && start <= captures->items[at - 1].to;
}

struct launches {
	const uint64_t *device_links;
	struct captures captures;
	bool has_copies; /* some copy is linked, so that launches of copies can be judged */
	uint64_t captured, without_link;
	int64_t first, last;         /* start of a launch */
	int64_t first_hit, last_hit; /* of one with device work */
	int64_t first_miss, last_miss;
};

/* Of a call of the host. */
static bool is_judged(const struct trust *trust, struct launches *launches, tav_row row)
{
	uint32_t call = call_of(trust, row);

	if (call != TAV_CALL_LAUNCH && !(call == TAV_CALL_COPY && launches->has_copies))
		return false;
	if (is_captured(trust, &launches->captures, row)) {
		launches->captured += call == TAV_CALL_LAUNCH;
		return false;
	}
	launches->without_link += call == TAV_CALL_LAUNCH && !link_of(trust, row);
	return link_of(trust, row) != 0;
}

static void stretch(int64_t *first, int64_t *last, int64_t time)
{
	*first = time < *first ? time : *first;
	*last = time > *last ? time : *last;
}

/* Where they are missing: at the end, at the beginning, or in which tenths of the launches' time. */
static void say_where(const struct trust *trust, struct launches *launches, struct tav_sentence *say)
{
	unsigned tenths = 0;
	uint64_t span = (uint64_t)launches->last - (uint64_t)launches->first + 1, captured = launches->captured;

	if (launches->first_hit <= launches->last_hit && launches->first_miss > launches->last_hit) {
		tav_say(say, "all at the end");
		return;
	}
	if (launches->first_hit <= launches->last_hit && launches->last_miss < launches->first_hit) {
		tav_say(say, "all at the beginning");
		return;
	}
	for (uint64_t i = 0; i < facts_of(trust)->call_count; i++) {
		tav_row row = facts_of(trust)->calls[i];
		double at;

		if (!is_judged(trust, launches, row) || bit_is(launches->device_links, link_of(trust, row)))
			continue;
		at = (double)((uint64_t)trust->start[row] - (uint64_t)launches->first) * 10 / (double)span;
		tenths |= 1u << (at < 9 ? (unsigned)at : 9);
	}
	launches->captured = captured;
	tav_say(say, "in tenth");
	for (unsigned i = 0, before = 0; i < 10; i++) {
		if (tenths >> i & 1)
			tav_say(say, "%s%u", before++ ? ", " : " ", i + 1);
	}
	tav_say(say, " of the time");
}

static tav_status nothing(const struct trust *trust, const struct launches *launches, struct verdict *verdict)
{
	if (launches->without_link)
		return judge(verdict, TRUST_INCONCLUSIVE, launches->without_link, "no launch has a link");
	return judge(verdict, TRUST_INCONCLUSIVE, 0, "%s",
	             launches->captures.count ? "no launches outside of the capture of a graph"
	             : trust->call_count      ? "no launches among the calls of the host"
	                                      : "no calls of the host (runtime or driver events)");
}

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	struct launches launches = {.first = INT64_MAX,
	                            .last = INT64_MIN,
	                            .first_hit = INT64_MAX,
	                            .last_hit = INT64_MIN,
	                            .first_miss = INT64_MAX,
	                            .last_miss = INT64_MIN};
	uint64_t examined = 0, unlinked = 0;
	double coverage = trust->self->options[OPT_COVERAGE]->real;
	char where[128] = "";
	struct tav_sentence say = {where, sizeof(where), 0};

	if (lacks_devices(trust))
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "%s: see device_present", lacks_devices(trust));
	launches.device_links = links_of_devices(trust);
	if (!launches.device_links || find_captures(trust, &launches.captures))
		return TAV_FAILED;
	for (uint64_t i = 0; i < trust->device_count; i++) {
		tav_row row = trust->devices[i];

		launches.has_copies |= trust->traits[row] & TAV_TRAIT_MEMCPY && link_of(trust, row);
		unlinked += trust->traits[row] & (TAV_TRAIT_KERNEL | TAV_TRAIT_MEMCPY) && !link_of(trust, row);
	}
	for (uint64_t i = 0; i < facts_of(trust)->call_count; i++) {
		tav_row row = facts_of(trust)->calls[i];
		int64_t start = trust->start[row];

		if (!is_judged(trust, &launches, row))
			continue;
		examined++;
		stretch(&launches.first, &launches.last, start);
		if (bit_is(launches.device_links, link_of(trust, row))) {
			stretch(&launches.first_hit, &launches.last_hit, start);
			continue;
		}
		stretch(&launches.first_miss, &launches.last_miss, start);
		found(verdict, row);
	}
	if (!examined)
		return nothing(trust, &launches, verdict);
	if (!verdict->count)
		return judge(verdict, TRUST_PASS, examined, "%s ha%s device work%s%s%s", LAUNCHES(examined),
		             examined == 1 ? "s" : "ve", launches.captured ? " (set aside: " : "",
		             launches.captured ? COUNTED(launches.captured, "") : "",
		             launches.captured ? " under the capture of a graph)" : "");
	if (unlinked >= verdict->count)
		return judge(verdict, TRUST_INCONCLUSIVE, examined,
		             "%s without device work, but %s device events without a link may be theirs",
		             LAUNCHES(verdict->count), COUNTED(unlinked, ""));
	say_where(trust, &launches, &say);
	return judge(verdict,
	             (double)(examined - verdict->count) < coverage * (double)examined ? TRUST_FAIL : TRUST_WARN,
	             examined, "the device work of %s of %s is not there, %s; first: %s", COUNTED(verdict->count, ""),
	             LAUNCHES(examined), where, NAME(trust, verdict->rows[0]));
}

const struct trust_check check_lost = {
        .id = "lost",
        .question = "Has every launch its device work?",
        .worst = TRUST_FAIL,
        .absent = "the dialect knows no links to launches",
        .text = "A launch of a kernel (or of a copy, where copies are linked) without any device event of its number: "
                "the record was lost, mostly since a buffer of the profiler was full or not flushed. More than 5 % "
                "(option coverage) is a fail; the message says where in the recording.\n\nLaunches under the capture "
                "of a graph do no work and are set aside. Fills are not judged: an empty one leaves no record.",
        .remedy = "record again with larger buffers, and wait for the device before the profiler stops; idle time is "
                  "too large here",
        .applies = needs_links,
        .run = run,
};
