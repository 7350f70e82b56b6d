/* SPDX-License-Identifier: Apache-2.0 */
#include "ranks.h"

/* The first step that is not the same; the number of steps where all are. */
static uint64_t differs(const struct rank *a, const struct rank *b)
{
	uint64_t at = 0;

	while (at < a->step_count && at < b->step_count && !tav_text_compare(a->steps[at], b->steps[at]))
		at++;
	return at;
}

static bool has_same_steps(const struct rank *a, const struct rank *b)
{
	return a->step_count == b->step_count && differs(a, b) == a->step_count;
}

/* Its name; where there is none, how many there are. */
static const char *step_at(const struct rank *rank, uint64_t at, char out[NAME_SIZE])
{
	if (at < rank->step_count)
		return short_text(rank->steps[at], out);
	snprintf(out, NAME_SIZE, "nothing behind step %llu", (unsigned long long)rank->step_count);
	return out;
}

static tav_status judge_steps(const struct ranks *ranks, struct verdict *verdict)
{
	const struct rank *first = &ranks->items[0], *other = NULL;
	bool has_steps = false;

	for (uint32_t i = 0; i < ranks->count; i++) {
		has_steps |= ranks->items[i].step_count > 0;
		if (!ranks->items[i].has_all_steps)
			return judge(verdict, TRUST_INCONCLUSIVE, ranks->count,
			             "a trace has more steps than max_steps lets it keep");
	}
	if (!has_steps)
		return judge(verdict, TRUST_INCONCLUSIVE, ranks->count, "no steps");
	for (uint32_t i = 1; i < ranks->count; i++) {
		if (has_same_steps(first, &ranks->items[i]))
			continue;
		other = other ? other : &ranks->items[i];
		verdict->count++;
	}
	if (!other)
		return judge(verdict, TRUST_PASS, ranks->count, "all show the same %s",
		             COUNTED(first->step_count, "step"));
	return judge(verdict, TRUST_WARN, ranks->count,
	             "%s of %u traces show%s other steps than the first one: %s, %s in place of %s",
	             COUNTED(verdict->count, ""), ranks->count, tav_does(verdict->count),
	             SHORT(ranks->self->host->source(ranks->self, other->source)->path),
	             step_at(other, differs(first, other), (char[NAME_SIZE]){0}),
	             step_at(first, differs(first, other), (char[NAME_SIZE]){0}));
}

const struct rank_check check_same_steps = {
        {
                .id = "same_steps",
                .question = "Do the ranks show the same steps?",
                .worst = TRUST_WARN,
                .text = "Ranks that work together take the same steps. Where the names of steps differ, the traces "
                        "were "
                        "taken at different times, or one was cut: compare steps by name only.",
                .remedy = "record the same steps on every rank",
        },
        judge_steps,
};
