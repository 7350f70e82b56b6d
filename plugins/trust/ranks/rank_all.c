/* SPDX-License-Identifier: Apache-2.0 */
#include "ranks.h"

static int compare_numbers(const void *a, const void *b)
{
	int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

	return left < right ? -1 : left > right;
}

/* "4 to 7, 12": what lies between the ranks that are there. */
static void say_gaps(struct tav_sentence *say, const int64_t *numbers, uint32_t count, int64_t world_size)
{
	int64_t next = 0;
	unsigned said = 0;

	for (uint32_t i = 0; i <= count && said <= 8; i++) {
		int64_t number = i < count ? numbers[i] : world_size;

		if (number > next && said++ == 8)
			tav_say(say, ", ...");
		else if (number > next + 1)
			tav_say(say, "%s%lld to %lld", say->used ? ", " : "", (long long)next, (long long)number - 1);
		else if (number > next)
			tav_say(say, "%s%lld", say->used ? ", " : "", (long long)next);
		next = number + 1;
	}
}

static tav_status judge_all(const struct ranks *ranks, struct verdict *verdict)
{
	int64_t *numbers, distinct = 0;
	char list[200] = "";
	struct tav_sentence say = {list, sizeof(list), 0};

	if (!ranks->self->options[OPT_ALL_RANKS]->integer)
		return does_not_apply(verdict);
	if (ranks->unnumbered || ranks->world_size < 0)
		return judge(verdict, TRUST_INCONCLUSIVE, ranks->count, "%s",
		             ranks->unnumbered ? "not every trace states its rank (distributedInfo.rank)"
		                               : "no trace states how many ranks there are");
	numbers = ranks->self->host->alloc(ranks->self, ranks->count * sizeof(*numbers));
	if (!numbers)
		return TAV_FAILED;
	for (uint32_t i = 0; i < ranks->count; i++)
		numbers[i] = ranks->items[i].number;
	qsort(numbers, ranks->count, sizeof(*numbers), compare_numbers);
	for (uint32_t i = 0; i < ranks->count; i++)
		distinct += (!i || numbers[i] != numbers[i - 1]) && numbers[i] < ranks->world_size;
	if (distinct == ranks->world_size)
		return judge(verdict, TRUST_PASS, (uint64_t)distinct, "all of %lld ranks", (long long)distinct);
	say_gaps(&say, numbers, ranks->count, ranks->world_size);
	verdict->count = (uint64_t)(ranks->world_size - distinct);
	return judge(verdict, TRUST_WARN, (uint64_t)ranks->world_size, "%s of %lld ranks %s not there: %s",
	             COUNTED(verdict->count, ""), (long long)ranks->world_size, verdict->count == 1 ? "is" : "are",
	             list);
}

const struct rank_check check_rank_all = {
        {
                .id = "rank_all",
                .question = "Are all ranks there?",
                .worst = TRUST_WARN,
                .text = "The traces state how many ranks the run had. Where some are missing, the slowest one may be "
                        "among them, and collectives cannot be matched with all who took part.\n\nall_ranks: false "
                        "turns this off where some ranks are all that was recorded.",
                .remedy = "add the missing ranks, or say all_ranks: false",
        },
        judge_all,
};
