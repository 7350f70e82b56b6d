/* SPDX-License-Identifier: Apache-2.0 */
#include "coverage.h"

/* Intervals of a category that the dialect does not know, which carry the links of calls: device work, most likely. */
static tav_status find_unknown(struct trust *trust, struct kinds *kinds)
{
	uint32_t limit = 0;
	uint64_t *called;

	if (kinds_init(kinds, trust) || trust_take_links(trust))
		return TAV_FAILED;
	for (tav_row row = 0; row < trust->row_count; row++)
		limit = trust->link[row] >= limit ? trust->link[row] + 1 : limit;
	called = trust->host->alloc(trust->self, ((size_t)limit / 64 + 1) * sizeof(*called));
	if (!called)
		return TAV_FAILED;
	for (tav_row row = 0; row < trust->row_count; row++) {
		if (is_interval(trust, row) && trust->traits[row] & TRUST_HOST_CALL && trust->link[row])
			bit_set(called, trust->link[row]);
	}
	for (tav_row row = 0; row < trust->row_count; row++) {
		if (is_interval(trust, row) && !(trust->traits[row] & TRUST_KINDS) &&
		    bit_is(called, trust->link[row]) && kinds_add(kinds, trust, row))
			return TAV_FAILED;
	}
	return TAV_OK;
}

static tav_status judge_none(struct trust *trust, struct verdict *verdict)
{
	uint64_t launches = kernel_launches(trust);
	struct kinds kinds;
	char list[320] = "";
	struct tav_sentence say = {list, sizeof(list), 0};

	if (!trust->has_dialect)
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "no dialect knows this trace");
	if (find_unknown(trust, &kinds))
		return TAV_FAILED;
	if (kinds.total) {
		kinds_say(&kinds, &say);
		return judge(
		        verdict, TRUST_INCONCLUSIVE, 0,
		        "device work of a kind that the dialect does not know: %s; name it with the dialect's option "
		        "device_categories",
		        list);
	}
	if (!launches)
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "no device events, and nothing was launched");
	for (tav_row row = 0; row < trust->row_count; row++) {
		if (is_interval(trust, row) && call_of(trust, row) == TAV_CALL_LAUNCH)
			found(verdict, row);
	}
	return judge(verdict, TRUST_FAIL, 0, "%s kernels were launched, but there is no device event",
	             COUNTED(launches, ""));
}

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	int64_t total = 0;

	if (!trust->device_count)
		return judge_none(trust, verdict);
	for (uint64_t i = 0; i < trust->device_count; i++)
		total = tav_sum(total, length_of(trust, trust->devices[i]));
	if (total && trust->device_count > 1)
		return judge(verdict, TRUST_PASS, trust->device_count, "%s",
		             COUNTED(trust->device_count, "device event"));
	for (uint64_t i = 0; i < trust->device_count; i++)
		found(verdict, trust->devices[i]);
	if (!total)
		return judge(verdict, TRUST_WARN, trust->device_count, "%s, none of which takes any time",
		             COUNTED(trust->device_count, "device event"));
	return judge(verdict, TRUST_NOTE, trust->device_count, "a single device event");
}

const struct trust_check check_device_present = {
        .id = "device_present",
        .question = "Is there device work at all?",
        .worst = TRUST_FAIL,
        .text = "Kernels were launched, but no device event was recorded: the profiler could not reach the device "
                "(rights, another profiler, an old driver), or only the host was asked for. Where events of an unknown "
                "category carry the links of launches, the dialect's option device_categories may name "
                "them.\n\nNothing about the device can be told from such a trace.",
        .remedy = "record again with the activity of the device; check the rights and versions that its profiler needs",
        .run = run,
};
