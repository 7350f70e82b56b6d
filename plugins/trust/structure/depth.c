/* SPDX-License-Identifier: Apache-2.0 */
#include "structure.h"

enum { LIMIT = 512 }; /* of viewers */

static bool is_counted(const struct trust *trust, tav_row row)
{
	return !(trust->traits[row] & (TAV_TRAIT_DEVICE | TAV_TRAIT_DEVICE_CLOCK));
}

static tav_status grow(struct trust *trust, int64_t **ends, uint64_t *capacity)
{
	uint64_t grown = *capacity ? 2 * *capacity : 256;
	int64_t *items = trust->host->alloc(trust->self, grown * sizeof(*items));

	if (!items)
		return TAV_FAILED;
	if (*capacity)
		memcpy(items, *ends, *capacity * sizeof(*items));
	*ends = items;
	*capacity = grown;
	return TAV_OK;
}

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	const struct tav_order *order = trust_threads(trust);
	uint64_t examined = 0, deepest = 0, capacity = 0;
	int64_t *ends = NULL;
	tav_row at = TAV_NONE;

	if (!order)
		return TAV_FAILED;
	for (uint32_t thread = 0; thread < order->track_count; thread++) {
		uint64_t depth = 0;

		for (uint64_t i = order->first[thread]; is_thread(trust, thread) && i < order->first[thread + 1]; i++) {
			tav_row row = order->rows[i];

			if (!is_counted(trust, row))
				continue;
			examined++;
			while (depth && ends[depth - 1] <= trust->start[row])
				depth--;
			if (depth == capacity && grow(trust, &ends, &capacity))
				return TAV_FAILED;
			ends[depth++] = trust->end[row];
			if (depth > deepest) {
				deepest = depth;
				at = row;
			}
		}
	}
	if (!examined)
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "no host events with a length");
	if (deepest <= LIMIT)
		return judge(verdict, TRUST_PASS, examined, "at most %s within each other", COUNTED(deepest, "event"));
	found(verdict, at);
	verdict->count = deepest;
	return judge(verdict, TRUST_NOTE, examined,
	             "%s events within each other: viewers show 512 of them at most; deepest: %s", COUNTED(deepest, ""),
	             NAME(trust, at));
}

const struct trust_check check_depth = {
        .id = "depth",
        .question = "Is the nesting too deep for viewers?",
        .worst = TRUST_NOTE,
        .text = "Viewers stop drawing below 512 events within each other, and some drop what lies deeper. The trace "
                "itself is right.",
        .run = run,
};
