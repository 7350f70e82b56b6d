/* SPDX-License-Identifier: Apache-2.0 */
#include <kit/table.h>
#include <reader/pair.h>

struct open_begin { /* in two lists: all of its thread, and those of its name in its thread */
	tav_row row;
	uint32_t older, newer;  /* of the thread; 0: none */
	uint32_t same_older;    /* of the same name; the newest is on top, so one direction will do */
	uint32_t thread, named; /* its stacks */
	bool is_open;
};
struct open_stack {
	uint32_t pid, tid, name;
	bool is_thread; /* of all names */
	uint32_t newest;
};

static uint32_t hash_of(uint64_t seed, uint32_t pid, uint32_t tid, uint32_t name, bool is_thread)
{
	uint64_t hash = (seed ^ ((uint64_t)pid << 32 | tid)) * UINT64_C(0x9e3779b97f4a7c15);

	hash = (hash ^ hash >> 29 ^ name ^ (uint64_t)is_thread << 40) * UINT64_C(0xd6e8feb86659fd93);
	return (uint32_t)(hash >> 32);
}

static bool grow_slots(struct pairs *pairs)
{
	uint32_t count = pairs->slots.data ? (pairs->slot_mask + 1) * 2 : 256;
	struct pages grown = {0};

	if (!count || !pages_reserve(&grown, (size_t)count * sizeof(uint32_t)))
		return false;
	pairs->seed = table_seed();
	uint32_t *slots = grown.data;
	const struct open_stack *stacks = pairs->stacks.data;
	for (uint32_t i = 0; i < pairs->stack_count; i++) {
		uint32_t at = hash_of(pairs->seed, stacks[i].pid, stacks[i].tid, stacks[i].name, stacks[i].is_thread) &
		              (count - 1);

		while (slots[at])
			at = (at + 1) & (count - 1);
		slots[at] = i + 1;
	}
	pages_free(&pairs->slots);
	pairs->slots = grown;
	pairs->slot_mask = count - 1;
	return true;
}

/* The stack's index, made when `is_made`; TAV_NONE: not there, or no memory. */
static uint32_t find_stack(struct pairs *pairs, uint32_t pid, uint32_t tid, uint32_t name, bool is_thread, bool is_made)
{
	if (!pairs->slots.data && (!is_made || !grow_slots(pairs)))
		return TAV_NONE;
	uint32_t *slots = pairs->slots.data;
	uint32_t at = hash_of(pairs->seed, pid, tid, name, is_thread) & pairs->slot_mask;
	for (; slots[at]; at = (at + 1) & pairs->slot_mask) {
		const struct open_stack *stack = (const struct open_stack *)pairs->stacks.data + slots[at] - 1;

		if (stack->pid == pid && stack->tid == tid && stack->name == name && stack->is_thread == is_thread)
			return slots[at] - 1;
	}
	if (!is_made || pairs->stack_count >= UINT32_MAX / 4 ||
	    !pages_reserve(&pairs->stacks, ((size_t)pairs->stack_count + 1) * sizeof(struct open_stack)))
		return TAV_NONE;
	((struct open_stack *)pairs->stacks.data)[pairs->stack_count] =
	        (struct open_stack){pid, tid, name, is_thread, 0};
	slots[at] = ++pairs->stack_count;
	if (pairs->stack_count > pairs->slot_mask / 2 && !grow_slots(pairs))
		return TAV_NONE;
	return pairs->stack_count - 1;
}

bool pairs_begin(struct pairs *pairs, uint32_t pid, uint32_t tid, uint32_t name, tav_row row)
{
	uint32_t thread = find_stack(pairs, pid, tid, 0, true, true);
	uint32_t named = find_stack(pairs, pid, tid, name, false, true);
	uint32_t place = pairs->free_open;

	if (thread == TAV_NONE || named == TAV_NONE)
		return false;
	if (!place) {
		place = pairs->open_count + 1;
		if (!pages_reserve(&pairs->open, ((size_t)place + 1) * sizeof(struct open_begin)))
			return false;
		pairs->open_count = place;
	}
	struct open_begin *open = pairs->open.data;
	struct open_stack *stacks = pairs->stacks.data;
	if (pairs->free_open)
		pairs->free_open = open[place].older;
	open[place] = (struct open_begin){row, stacks[thread].newest, 0, stacks[named].newest, thread, named, true};
	if (stacks[thread].newest)
		open[stacks[thread].newest].newer = place;
	stacks[thread].newest = place;
	stacks[named].newest = place;
	return true;
}

tav_row pairs_end(struct pairs *pairs, uint32_t pid, uint32_t tid, uint32_t name)
{
	uint32_t stack = find_stack(pairs, pid, tid, name, !name, false);
	struct open_stack *stacks = pairs->stacks.data;
	struct open_begin *open = pairs->open.data;
	uint32_t place = stack == TAV_NONE ? 0 : stacks[stack].newest;

	if (!place)
		return TAV_NONE;
	/* The newest of a thread is the newest of its name, too: both ways it is on top of its name. */
	stacks[open[place].named].newest = open[place].same_older;
	if (open[place].newer)
		open[open[place].newer].older = open[place].older;
	else
		stacks[open[place].thread].newest = open[place].older;
	if (open[place].older)
		open[open[place].older].newer = open[place].newer;
	tav_row row = open[place].row;
	open[place] = (struct open_begin){.older = pairs->free_open};
	pairs->free_open = place;
	return row;
}

void pairs_each_open(const struct pairs *pairs, void (*each)(void *user, tav_row row), void *user)
{
	const struct open_begin *open = pairs->open.data;

	for (uint32_t place = 1; place <= pairs->open_count; place++) {
		if (open[place].is_open)
			each(user, open[place].row);
	}
}

void pairs_fini(struct pairs *pairs)
{
	pages_free(&pairs->open);
	pages_free(&pairs->stacks);
	pages_free(&pairs->slots);
	*pairs = (struct pairs){0};
}
