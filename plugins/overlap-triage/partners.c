/* SPDX-License-Identifier: Apache-2.0 */
/* How long each aggregate stood beside each name, and which three names it stood beside longest. */
#include "triage.h"

void partners_init(struct partners *partners, struct tav_self *self, bool with_first)
{
	*partners = (struct partners){.with_first = with_first};
	tav_map_init(&partners->pairs, self);
}

/* The times are parallel to the numbers of pairs. */
static bool widen(struct partners *partners, uint32_t number)
{
	size_t capacity = partners->capacity;

	if (!pool_grow(&partners->pool, (void **)&partners->times, &capacity, number, sizeof(*partners->times)))
		return false;
	if (partners->with_first && !pool_grow(&partners->pool, (void **)&partners->first, &partners->capacity, number,
	                                       sizeof(*partners->first)))
		return false;
	partners->capacity = capacity;
	partners->times[number] = 0;
	if (partners->with_first)
		partners->first[number] = (struct partner_first){UINT32_MAX, 0};
	return true;
}

bool partners_add(struct partners *partners, uint32_t aggregate, uint32_t name, int64_t time, uint32_t *pair)
{
	uint64_t key = (uint64_t)aggregate << 32 | name;

	/* Mostly the one of the slice before again. */
	if (*pair >= partners->pairs.count || partners->pairs.numbers[*pair] != key) {
		uint32_t count = partners->pairs.count;

		*pair = tav_map_number(&partners->pairs, key);
		if (*pair == TAV_NONE || (*pair == count && !widen(partners, count)))
			return false;
	}
	partners->times[*pair] += time;
	return true;
}

void partners_note_first(struct partners *partners, uint32_t pair, uint32_t kernel, int64_t now)
{
	if (kernel < partners->first[pair].kernel)
		partners->first[pair] = (struct partner_first){kernel, now};
}

/* ---- The best three ------------------------------------------------------------------------------------ */

static bool comes_first(const struct triage *triage, const struct partner *a, const struct partner *b)
{
	if (a->time != b->time)
		return a->time > b->time;
	if (triage->is_reference) {
		if (a->first.kernel != b->first.kernel)
			return a->first.kernel < b->first.kernel;
		if (a->first.time != b->first.time)
			return a->first.time < b->first.time;
	}
	return tav_text_compare(text_at(triage, a->name), text_at(triage, b->name)) < 0;
}

void partners_choose(const struct triage *triage, const struct partners *partners, struct aggregate *aggregates)
{
	for (uint32_t i = 0; i < partners->pairs.count; i++) {
		uint64_t key = partners->pairs.numbers[i];
		struct aggregate *aggregate = &aggregates[key >> 32];
		struct partner here = {.name = (uint32_t)key, .time = partners->times[i]};

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
