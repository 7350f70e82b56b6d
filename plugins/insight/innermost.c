/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The innermost event around moments of a thread. Events come by start, the longer first, so that the newest one on the
 * stack is the innermost; events that only partly overlap are right too, since an ended one goes when it comes up.
 */
#include <stdlib.h>

#include "insight.h"

bool is_operator(const struct look *look, tav_row row)
{
	uint32_t traits = look->traits[row];

	return traits & TAV_TRAIT_HOST_OP && !(traits & (TAV_TRAIT_STEP | TAV_TRAIT_DEVICE_CLOCK));
}

tav_status stack_push(struct look const *look, struct stack *stack, tav_row row)
{
	/* What ended before this one started will never be on top again. */
	stack_top(look, stack, look->start[row]);
	if (stack->count == stack->size) {
		uint64_t size = stack->size ? 2 * stack->size : 256;
		tav_row *rows = size > SIZE_MAX / sizeof(*rows) ? NULL : realloc(stack->rows, size * sizeof(*rows));

		if (!rows)
			return tav_fail(look->self, "out of memory: a stack of %llu events", (unsigned long long)size);
		stack->rows = rows;
		stack->size = size;
	}
	stack->rows[stack->count++] = row;
	return TAV_OK;
}

tav_row stack_top(const struct look *look, struct stack *stack, int64_t now)
{
	while (stack->count && look->end[stack->rows[stack->count - 1]] <= now)
		stack->count--;
	return stack->count ? stack->rows[stack->count - 1] : TAV_NONE;
}

void stack_free(struct stack *stack)
{
	free(stack->rows);
	*stack = (struct stack){0};
}

tav_status find_innermost(const struct look *look, const struct probes *probes)
{
	struct tav_self *self = look->self;
	const struct tav_order *order;
	struct stack stack = {0};
	tav_status status = TAV_OK;
	uint64_t next = 0;
	uint32_t last_track = TAV_NONE;

	if (self->host->order(self, 0, 0, &order))
		return TAV_FAILED;
	for (uint64_t i = 0; i < probes->count && !status; i++) {
		uint32_t track;
		int64_t at = probes->moment(probes->user, i, &track);
		uint64_t last = order->first[track + 1];

		if (!(i & 0xffff) && self->host->cancelled(self))
			status = TAV_CANCELLED;
		if (track != last_track) {
			next = order->first[track];
			stack.count = 0;
			last_track = track;
		}
		for (; next < last && look->start[order->rows[next]] <= at && !status; next++)
			if (probes->is_wanted(probes->user, order->rows[next]))
				status = stack_push(look, &stack, order->rows[next]);
		if (!status)
			status = probes->found(probes->user, i, stack_top(look, &stack, at));
	}
	stack_free(&stack);
	return status;
}
