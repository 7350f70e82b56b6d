/* SPDX-License-Identifier: Apache-2.0 */
#include "links.h"

struct wait {
	tav_row row;
	tav_row last; /* of the work launched before it and not before an earlier wait, what ends last */
};

static int compare(const void *a, const void *b, void *user)
{
	const struct trust *trust = user;
	tav_row left = ((const struct wait *)a)->row, right = ((const struct wait *)b)->row;

	if (trust->start[left] != trust->start[right])
		return trust->start[left] < trust->start[right] ? -1 : 1;
	return left < right ? -1 : left > right;
}

/* The first wait that starts after `time`; `count`: none. */
static uint64_t first_behind(const struct trust *trust, const struct wait *waits, uint64_t count, int64_t time)
{
	uint64_t low = 0, high = count;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (trust->start[waits[middle].row] > time)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static uint64_t find_waits(const struct trust *trust, struct wait *waits)
{
	const struct link_facts *facts = facts_of(trust);
	uint64_t count = 0;

	for (uint64_t i = 0; i < facts->call_count && trust->has_call[TAV_CALL_DEVICE_WAIT]; i++) {
		if (call_of(trust, facts->calls[i]) != TAV_CALL_DEVICE_WAIT)
			continue;
		if (waits)
			waits[count] = (struct wait){facts->calls[i], TAV_NONE};
		count++;
	}
	return count;
}

static void take_last(const struct trust *trust, tav_row *last, tav_row row)
{
	if (row != TAV_NONE && (*last == TAV_NONE || trust->end[row] > trust->end[*last]))
		*last = row;
}

static bool has_several_devices(const struct trust *trust)
{
	for (uint64_t i = 1; i < trust->device_count; i++) {
		if (device_of(trust, trust->devices[i]) != device_of(trust, trust->devices[0]))
			return true;
	}
	return false;
}

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	struct link_facts *facts = facts_of(trust);
	int64_t tolerance = trust->self->options[OPT_CLOCK_TOLERANCE]->integer;
	uint64_t count = find_waits(trust, NULL), examined = 0;
	struct wait *waits;
	tav_row last = TAV_NONE, worst_wait = TAV_NONE;

	if (lacks_links(trust, true))
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "%s", lacks_links(trust, true));
	if (has_several_devices(trust))
		return judge(verdict, TRUST_INCONCLUSIVE, 0,
		             "several devices: which of them a synchronisation waits for is not recorded");
	waits = trust->host->alloc(trust->self, count * sizeof(*waits));
	if (!waits)
		return TAV_FAILED;
	find_waits(trust, waits);
	qsort_r(waits, count, sizeof(*waits), compare, trust);
	for (uint64_t i = 0; i < trust->device_count; i++) {
		tav_row row = trust->devices[i], launch = launch_of(trust, i);
		uint64_t at;

		if (launch == TAV_NONE || bit_is(trust->outside, row))
			continue;
		at = first_behind(trust, waits, count, trust->start[launch]);
		if (at < count)
			take_last(trust, &waits[at].last, row);
	}
	tolerance = tolerance > trust->res ? tolerance : trust->res;
	for (uint64_t i = 0; i < count; i++) {
		int64_t over;

		take_last(trust, &last, waits[i].last);
		if (last == TAV_NONE)
			continue;
		examined++;
		over = trust->end[last] - trust->end[waits[i].row];
		facts->least_slack = -over < facts->least_slack ? -over : facts->least_slack;
		if (over <= tolerance)
			continue;
		found_by(verdict, last, over);
		if (verdict->worst_ns == over && verdict->worst == last)
			worst_wait = waits[i].row;
	}
	if (!examined)
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "no synchronisation with the device behind a launch");
	if (!verdict->count)
		return judge(verdict, TRUST_PASS, examined,
		             "all work had ended when %s returned: the clocks of host and device agree within %s%s to "
		             "%s%s",
		             examined == 1 ? "the only device synchronisation"
		                           : COUNTED(examined, "device synchronisation"),
		             facts->least_delay < 0 ? "+" : "", DURATION(-facts->least_delay),
		             facts->least_slack < 0 ? "" : "+", DURATION(facts->least_slack));
	return judge(
	        verdict, clock_result(trust, verdict->worst_ns), examined,
	        "work ran on when %s of %s had returned; worst: %s ends %s after %s: the clocks of host and device "
	        "disagree by at least that",
	        COUNTED(verdict->count, ""), COUNTED(examined, "device synchronisation"), NAME(trust, verdict->worst),
	        DURATION(verdict->worst_ns), NAME(trust, worst_wait));
}

const struct trust_check check_sync_waits = {
        .id = "sync_waits",
        .question = "Has all work ended when a device synchronisation returns?",
        .worst = TRUST_FAIL,
        .absent = "the dialect knows no links to launches",
        .text = "A call that waits for the device returns when all work launched before it has ended. Work that ends "
                "later, by more than clock_tolerance, proves that the device's clock is late, by at least that much; "
                "up to clock_bound (50 us) it is a warning.\n\nWhere all is well, this and launch_first bound the "
                "error of the clocks from both sides: \"the clocks of host and device agree within -5.5 us to +3.0 "
                "us\".",
        .remedy = "do not read delays or idle time finer than this bound",
        .applies = needs_links,
        .run = run,
};
