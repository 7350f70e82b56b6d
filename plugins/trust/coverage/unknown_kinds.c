/* SPDX-License-Identifier: Apache-2.0 */
#include "coverage.h"

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	struct kinds kinds;
	char list[320] = "";
	struct tav_sentence say = {list, sizeof(list), 0};

	if (!trust->interval_count)
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "no events with a length");
	if (kinds_init(&kinds, trust))
		return TAV_FAILED;
	for (tav_row row = 0; row < trust->row_count; row++) {
		if (!is_interval(trust, row) || trust->traits[row] & TRUST_KINDS ||
		    word_of(trust, row) & WORD_RECORDING)
			continue;
		found(verdict, row);
		if (kinds_add(&kinds, trust, row))
			return TAV_FAILED;
	}
	if (!verdict->count)
		return judge(verdict, TRUST_PASS, trust->interval_count, "every kind of event is known");
	kinds_say(&kinds, &say);
	return judge(verdict, verdict->count > trust->interval_count / 50 ? TRUST_WARN : TRUST_NOTE,
	             trust->interval_count, "%s of %s are of a kind that the dialect does not know: %s",
	             COUNTED(verdict->count, ""), COUNTED(trust->interval_count, "event"), list);
}

const struct trust_check check_unknown_kinds = {
        .id = "unknown_kinds",
        .question = "Does the dialect know the kinds that are there?",
        .worst = TRUST_WARN,
        .text = "Events of a category that the dialect does not know take part in nothing: if they are device work, "
                "busy "
                "times lack them. More than 2 % of all is a warning; the three largest categories are named.\n\nIf "
                "they "
                "are device work, name them with the dialect's option device_categories.",
        .remedy = "name the categories that are device work with the dialect's option device_categories",
        .applies = needs_links,
        .run = run,
};
