/* SPDX-License-Identifier: Apache-2.0 */
#include "structure.h"

static const char *ends_left(char out[TAV_COUNTED_SIZE + 16], uint64_t count)
{
	tav_counted(out, count, "end");
	return strcat(out, " have no begin");
}
#define ENDS(count) ends_left((char[TAV_COUNTED_SIZE + 16]){0}, (count))

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	uint64_t begins = facts_of(trust)->phases['B'], examined, begin_left = trust->about->unmatched_begin,
	         end_left = trust->about->unmatched_end;
	uint64_t listed = 0;
	const struct tav_unmatched *unmatched = trust->host->unmatched(trust->self, 0, &listed);

	examined = begins + (begins - (begin_left < begins ? begin_left : begins)) + end_left;
	if (!examined)
		return does_not_apply(verdict);
	for (uint64_t i = 0; i < listed; i++)
		found(verdict, unmatched[i].row);
	verdict->count = begin_left + end_left;
	if (!verdict->count)
		return judge(verdict, TRUST_PASS, examined, "%s begins and ends belong together",
		             COUNTED(examined, ""));
	return judge(verdict, TRUST_WARN, examined, "of %s begins and ends %s%s%s%s", COUNTED(examined, ""),
	             begin_left ? COUNTED(begin_left, "begin") : "",
	             !begin_left       ? ""
	             : begin_left == 1 ? " has no end"
	                               : " have no end",
	             begin_left && end_left ? ", " : "",
	             !end_left       ? ""
	             : end_left == 1 ? "1 end has no begin"
	                             : ENDS(end_left));
}

const struct trust_check check_begin_end = {
        .id = "begin_end",
        .question = "Has every begin its end?",
        .worst = TRUST_WARN,
        .text = "An event may be written as a begin (ph B) and an end (ph E). One without the other has no length: "
                "the program ended within it, the recording stopped, or the file was cut.\n\nSuch events take part in "
                "no sum of times.",
        .remedy = "close what is open before the recording stops",
        .run = run,
};
