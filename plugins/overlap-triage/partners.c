/* SPDX-License-Identifier: Apache-2.0 */
/* How long each aggregate stood beside each name, and which three names it stood beside longest. */
#include <stdlib.h>
#include <string.h>

#include "triage.h"

enum { FIRST_SLOTS = 1 << 10 };

bool partners_init(struct partners *partners, bool with_first)
{
	*partners = (struct partners){.slot_count = FIRST_SLOTS, .with_first = with_first};
	partners->slots = calloc(FIRST_SLOTS, sizeof(*partners->slots));
	partners->first = with_first ? calloc(FIRST_SLOTS, sizeof(*partners->first)) : NULL;
	return partners->slots && (!with_first || partners->first);
}

void partners_fini(struct partners *partners)
{
	free(partners->slots);
	free(partners->first);
	*partners = (struct partners){0};
}

static size_t slot_of(const struct partners *partners, uint64_t key)
{
	uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);
	size_t slot = (size_t)(hash ^ hash >> 32) & (partners->slot_count - 1);

	while (partners->slots[slot].key && partners->slots[slot].key != key)
		slot = (slot + 1) & (partners->slot_count - 1);
	return slot;
}

/* Old arrays go at once: there may be as many pairs as kernels. */
static bool widen(struct partners *partners)
{
	struct partners larger = *partners;

	larger.slot_count *= 2;
	larger.slots = calloc(larger.slot_count, sizeof(*larger.slots));
	larger.first = partners->with_first ? calloc(larger.slot_count, sizeof(*larger.first)) : NULL;
	if (!larger.slots || (partners->with_first && !larger.first)) {
		partners_fini(&larger);
		return false;
	}
	for (size_t i = 0; i < partners->slot_count; i++) {
		size_t slot;

		if (!partners->slots[i].key)
			continue;
		slot = slot_of(&larger, partners->slots[i].key);
		larger.slots[slot] = partners->slots[i];
		if (partners->with_first)
			larger.first[slot] = partners->first[i];
	}
	partners_fini(partners);
	*partners = larger;
	return true;
}

bool partners_add(struct partners *partners, uint32_t aggregate, uint32_t name, int64_t time, size_t *slot)
{
	uint64_t key = ((uint64_t)aggregate << 32 | name) + 1;

	/* Mostly the one of the slice before again. */
	if (*slot >= partners->slot_count || partners->slots[*slot].key != key) {
		if (partners->count * 4 >= partners->slot_count * 3 && !widen(partners))
			return false;
		*slot = slot_of(partners, key);
		if (!partners->slots[*slot].key) {
			partners->slots[*slot].key = key;
			partners->count++;
			if (partners->with_first)
				partners->first[*slot].kernel = UINT32_MAX;
		}
	}
	partners->slots[*slot].time += time;
	return true;
}

void partners_note_first(struct partners *partners, size_t slot, uint32_t kernel, int64_t now)
{
	if (kernel < partners->first[slot].kernel)
		partners->first[slot] = (struct partner_first){kernel, now};
}

/* ---- The best three ------------------------------------------------------------------------------------ */

static int compare_names(const struct triage *triage, uint32_t a, uint32_t b)
{
	return tav_text_compare(text_of(triage, a), text_of(triage, b));
}

static bool comes_first(const struct triage *triage, const struct partner *a, const struct partner *b)
{
	if (a->time != b->time)
		return a->time > b->time;
	if (triage->rules->partner_ties == PARTNERS_BY_KERNEL) {
		if (a->first.kernel != b->first.kernel)
			return a->first.kernel < b->first.kernel;
		if (a->first.time != b->first.time)
			return a->first.time < b->first.time;
	}
	return compare_names(triage, a->name, b->name) < 0;
}

void partners_choose(const struct triage *triage, const struct partners *partners, struct aggregate *aggregates)
{
	for (size_t i = 0; i < partners->slot_count; i++) {
		uint64_t key = partners->slots[i].key - 1;
		struct aggregate *aggregate;
		struct partner here;

		if (!partners->slots[i].key)
			continue;
		aggregate = &aggregates[key >> 32];
		here = (struct partner){.name = (uint32_t)key, .time = partners->slots[i].time};
		if (partners->with_first)
			here.first = partners->first[i];
		for (size_t k = 0; k < BEST_PARTNERS && here.name; k++) {
			if (!aggregate->best[k].name || comes_first(triage, &here, &aggregate->best[k])) {
				struct partner pushed = aggregate->best[k];

				aggregate->best[k] = here;
				here = pushed;
			}
		}
	}
}
