/* SPDX-License-Identifier: Apache-2.0 */
/* Categories that the dialect knows nothing of, for who wonders why nothing was verified. */
#include <stdlib.h>
#include <string.h>

#include "verify.h"

enum { TOLD = 3, TEXT_MOST = 40 };

struct category {
	struct tav_text text;
	uint64_t count;
};

static int compare_categories(const void *a, const void *b)
{
	return tav_text_compare(((const struct category *)a)->text, ((const struct category *)b)->text);
}

static int goes_first(const struct category *a, const struct category *b)
{
	return a->count != b->count ? a->count > b->count : compare_categories(a, b) < 0;
}

/* By label: events with a length of which the dialect says nothing. */
static uint64_t count_strange(struct tav_self *self, uint64_t *counts)
{
	const uint32_t *traits = self->host->column(self, 0, TAV_COL_TRAITS);
	const uint32_t *label = self->host->column(self, 0, TAV_COL_LABEL);
	const uint32_t of_the_host = TAV_TRAIT_INTERVAL | TAV_TRAIT_DEFAULT_TRACK | TAV_TRAIT_UNUSABLE;
	tav_row row_count = self->host->source(self, 0)->row_count;
	uint64_t strange = 0;

	for (tav_row row = 0; traits && label && row < row_count; row++) {
		if (traits[row] & TAV_TRAIT_INTERVAL && !(traits[row] & ~of_the_host)) {
			counts[label[row]]++;
			strange++;
		}
	}
	return strange;
}

/* The profiler's own span over everything that it recorded is no work that anybody forgot. */
static int is_span_of_profiler(struct tav_text category)
{
	return tav_text_is(category, "Trace");
}

static uint32_t sum_by_category(struct category *items, uint32_t count)
{
	uint32_t kept = 0;

	qsort(items, count, sizeof(*items), compare_categories);
	for (uint32_t i = 0; i < count; i++) {
		if (kept && !compare_categories(&items[kept - 1], &items[i]))
			items[kept - 1].count += items[i].count;
		else
			items[kept++] = items[i];
	}
	return kept;
}

static uint32_t list_categories(struct tav_self *self, const uint64_t *counts, struct category *items)
{
	uint32_t label_count = self->host->label_count(self, 0), count = 0;

	for (uint32_t label = 0; label < label_count; label++) {
		struct tav_text category;

		if (!counts[label])
			continue;
		self->host->label(self, 0, label, &category);
		if (!is_span_of_profiler(category))
			items[count++] = (struct category){category, counts[label]};
	}
	return sum_by_category(items, count);
}

void strange_categories(struct tav_self *self, struct strange *strange)
{
	size_t labels = (size_t)self->host->label_count(self, 0) + 1;
	uint64_t *counts = self->host->alloc(self, labels * sizeof(*counts));
	struct category *items = self->host->alloc(self, labels * sizeof(*items));
	struct tav_sentence say = {strange->told, sizeof(strange->told), 0};
	uint32_t count;

	*strange = (struct strange){.told = ""};
	/* Only a hint: without memory there is none. */
	if (!counts || !items || !count_strange(self, counts))
		return;
	count = list_categories(self, counts, items);
	for (uint32_t told = 0; told < TOLD && told < count; told++) {
		struct category *first = &items[told], chosen;

		for (uint32_t i = told + 1; i < count; i++) {
			if (goes_first(&items[i], first))
				first = &items[i];
		}
		chosen = *first;
		*first = items[told];
		items[told] = chosen;
		if (!strange->category.size)
			strange->category = chosen.text;
		if (!chosen.text.size)
			chosen.text = tav_text_of("no category");
		tav_say(&say, "%s%.*s (%s)", told ? ", " : "",
		        chosen.text.size > TEXT_MOST ? TEXT_MOST : (int)chosen.text.size, chosen.text.data,
		        COUNTED(chosen.count, ""));
	}
}
