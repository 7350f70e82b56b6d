/* SPDX-License-Identifier: Apache-2.0 */
#include "ranks.h"

static tav_status judge_once(const struct ranks *ranks, struct verdict *verdict)
{
	verdict->count = ranks->unnumbered;
	if (ranks->unnumbered)
		return judge(verdict, TRUST_INCONCLUSIVE, ranks->count,
		             "%u of %u traces state no rank (distributedInfo.rank)", ranks->unnumbered, ranks->count);
	verdict->count = ranks->world_sizes;
	if (ranks->world_sizes > 1)
		return judge(verdict, TRUST_FAIL, ranks->count,
		             "the traces state %u different world sizes: they are not of one run", ranks->world_sizes);
	verdict->count = ranks->twice;
	if (ranks->twice)
		return judge(verdict, TRUST_FAIL, ranks->count, "rank %lld is there more than once%s",
		             (long long)ranks->twice_number, ranks->twice > 1 ? ", and so are others" : "");
	return judge(verdict, TRUST_PASS, ranks->count, "%u traces of as many ranks", ranks->count);
}

const struct rank_check check_rank_once = {
        {
                .id = "rank_once",
                .question = "Is every rank there once?",
                .worst = TRUST_FAIL,
                .text = "Each trace states its rank and how many there are (distributedInfo). Two traces of one rank, "
                        "or "
                        "different world sizes, were put together from several runs or steps: nothing that compares "
                        "ranks can be believed.\n\nA trace without a rank is not judged.",
                .remedy = "give one trace of each rank, all of one run",
        },
        judge_once,
};
