/* SPDX-License-Identifier: Apache-2.0 */
/* Overlaps by pair of names, since one cause makes many: which two overlap, how often, and by how much. */
#include <stdlib.h>

#include <tav/map.h>
#include <tav/rank.h>
#include <tav/sheet.h>

#include "verify.h"

enum { FIRST_ROWS = 10, MICROSECOND = 1000 };

struct pair {
	struct tav_text earlier, later;
	uint64_t count, longest, median;
};
struct work {
	struct tav_self *self;
	struct tav_map names; /* labels of one name are one */
	struct tav_map keys;  /* pairs of names */
	uint32_t *name_of;    /* by label: number in `names` + 1; 0: not asked yet */
	uint32_t *pair_of;    /* by hit */
};

static uint32_t number_of_label(struct work *work, uint32_t label)
{
	if (!work->name_of[label]) {
		uint32_t number = tav_map_text(&work->names, work->self->host->label(work->self, 0, label, NULL));

		if (number == TAV_NONE)
			return TAV_NONE;
		work->name_of[label] = number + 1;
	}
	return work->name_of[label] - 1;
}

static tav_status number_hits(struct work *work, const struct hits *hits)
{
	for (uint64_t i = 0; i < hits->count; i++) {
		uint32_t earlier = number_of_label(work, hits->items[i].earlier);
		uint32_t later = number_of_label(work, hits->items[i].later);

		if (earlier == TAV_NONE || later == TAV_NONE)
			return TAV_FAILED;
		work->pair_of[i] = tav_map_number(&work->keys, (uint64_t)earlier << 32 | later);
		if (work->pair_of[i] == TAV_NONE)
			return TAV_FAILED;
	}
	return TAV_OK;
}

/* Puts the overlaps of each pair side by side, then looks at one pair after the other. */
static struct pair *measure(struct work *work, const struct hits *hits)
{
	const struct tav_host *host = work->self->host;
	struct pair *pairs = host->alloc(work->self, ((size_t)work->keys.count + 1) * sizeof(*pairs));
	uint64_t *next = host->alloc(work->self, ((size_t)work->keys.count + 1) * sizeof(*next));
	uint64_t *values = host->alloc(work->self, (hits->count + 1) * sizeof(*values)), sum = 0;

	if (!pairs || !next || !values)
		return NULL;
	for (uint64_t i = 0; i < hits->count; i++)
		pairs[work->pair_of[i]].count++;
	for (uint32_t i = 0; i < work->keys.count; i++) {
		next[i] = sum;
		sum += pairs[i].count;
	}
	for (uint64_t i = 0; i < hits->count; i++)
		values[next[work->pair_of[i]]++] = (uint64_t)hits->items[i].overlap_ns;
	for (uint32_t i = 0; i < work->keys.count; i++) {
		uint64_t *own = values + next[i] - pairs[i].count;

		pairs[i].earlier = work->names.texts[work->keys.numbers[i] >> 32];
		pairs[i].later = work->names.texts[(uint32_t)work->keys.numbers[i]];
		for (uint64_t j = 0; j < pairs[i].count; j++)
			pairs[i].longest = own[j] > pairs[i].longest ? own[j] : pairs[i].longest;
		pairs[i].median = tav_nearest_rank(own, pairs[i].count, 50);
	}
	return pairs;
}

/* The most frequent first. */
static int compare_pairs(const void *left, const void *right)
{
	const struct pair *a = left, *b = right;
	int order;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	if (a->longest != b->longest)
		return a->longest > b->longest ? -1 : 1;
	order = tav_text_compare(a->earlier, b->earlier);
	return order ? order : tav_text_compare(a->later, b->later);
}

static tav_status tell_table(struct tav_self *self, const struct pair *pairs, uint64_t count, uint64_t rows)
{
	struct tav_sheet sheet;

	tav_sheet_init(&sheet, self, rows);
	sheet.first_rows = FIRST_ROWS;
	uint32_t earlier = tav_sheet_column(&sheet, "earlier", TAV_TYPE_STRING, TAV_UNIT_NONE, TAV_SHOW_KEY);
	uint32_t later = tav_sheet_column(&sheet, "later", TAV_TYPE_STRING, TAV_UNIT_NONE, TAV_SHOW_KEY);
	uint32_t overlaps = tav_sheet_column(&sheet, "overlaps", TAV_TYPE_INT, TAV_UNIT_COUNT, TAV_SHOW_KEY);
	uint32_t longest = tav_sheet_column(&sheet, "longest_ns", TAV_TYPE_INT, TAV_UNIT_NS, TAV_SHOW_COLUMN);
	uint32_t median = tav_sheet_column(&sheet, "median_ns", TAV_TYPE_INT, TAV_UNIT_NS, TAV_SHOW_COLUMN);

	for (uint64_t i = 0; i < rows; i++) {
		tav_sheet_text(&sheet, earlier, i, pairs[i].earlier);
		tav_sheet_text(&sheet, later, i, pairs[i].later);
		tav_sheet_count(&sheet, overlaps, i, pairs[i].count);
		tav_sheet_count(&sheet, longest, i, pairs[i].longest);
		tav_sheet_count(&sheet, median, i, pairs[i].median);
	}
	return tav_sheet_send(&sheet, 0, "pairs", "Overlaps by pair of names", count - rows);
}

tav_status tell_pairs(struct tav_self *self, const struct judgement *judgement, struct pairs *told)
{
	const struct hits *hits = &judgement->hits;
	uint64_t limit = (uint64_t)self->options[OPT_MAX_INSTANCES]->integer;
	struct work work = {.self = self};
	struct pair *pairs;

	*told = (struct pairs){0};
	if (!hits->count)
		return TAV_OK;
	tav_map_init(&work.names, self);
	tav_map_init(&work.keys, self);
	work.name_of = self->host->alloc(self, ((size_t)self->host->label_count(self, 0) + 1) * sizeof(*work.name_of));
	work.pair_of = self->host->alloc(self, (hits->count + 1) * sizeof(*work.pair_of));
	if (!work.name_of || !work.pair_of || number_hits(&work, hits))
		return TAV_FAILED;
	pairs = measure(&work, hits);
	if (!pairs)
		return TAV_FAILED;
	told->pair_count = work.keys.count;
	/* No length is shared with an event that has none; whether it would pass depends on where it lies. */
	for (uint64_t i = 0; i < hits->count; i++)
		told->within_us += hits->items[i].overlap_ns > 0 && hits->items[i].overlap_ns <= MICROSECOND;
	qsort(pairs, work.keys.count, sizeof(*pairs), compare_pairs);
	return tell_table(self, pairs, work.keys.count, limit < work.keys.count ? limit : work.keys.count);
}
