/* SPDX-License-Identifier: Apache-2.0 */
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

/* By label; 0 when the dialect knows nothing at all of the trace, or all of it. */
static uint64_t count_strange(struct tav_self *self, uint32_t source, uint64_t *counts)
{
	const uint32_t *traits = self->host->column(self, source, TAV_COL_TRAITS);
	const uint32_t *label = self->host->column(self, source, TAV_COL_LABEL);
	const uint32_t of_the_host = TAV_TRAIT_INTERVAL | TAV_TRAIT_DEFAULT_TRACK | TAV_TRAIT_UNUSABLE;
	tav_row row_count = self->host->source(self, source)->row_count;
	uint64_t strange = 0, known = 0;

	for (tav_row row = 0; row < row_count; row++) {
		if (!(traits[row] & TAV_TRAIT_INTERVAL))
			continue;
		if (traits[row] & ~of_the_host) {
			known++;
			continue;
		}
		counts[label[row]]++;
		strange++;
	}
	return known ? strange : 0;
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

void strange_categories(struct tav_self *self, uint32_t source, char *out, size_t size)
{
	uint32_t label_count = self->host->label_count(self), count = 0;
	uint64_t *counts = calloc((size_t)label_count + 1, sizeof(*counts));
	struct category *items = calloc((size_t)label_count + 1, sizeof(*items));
	size_t used = 0;

	*out = '\0';
	/* Only a hint: without memory there is none. */
	if (counts && items && count_strange(self, source, counts)) {
		for (uint32_t label = 0; label < label_count; label++) {
			struct tav_text category;
			self->host->label(self, label, &category);
			if (counts[label] && category.size)
				items[count++] = (struct category){category, counts[label]};
		}
		count = sum_by_category(items, count);
	}
	for (uint32_t told = 0; told < TOLD && told < count && used < size; told++) {
		struct category *first = &items[told];
		for (uint32_t i = told + 1; i < count; i++) {
			if (goes_first(&items[i], first))
				first = &items[i];
		}
		struct category chosen = *first;
		*first = items[told];
		items[told] = chosen;
		int n = snprintf(out + used, size - used, "%s%.*s (%s)", told ? ", " : "",
		                 chosen.text.size > TEXT_MOST ? TEXT_MOST : (int)chosen.text.size, chosen.text.data,
		                 COUNTED(chosen.count, ""));
		used += n > 0 ? (size_t)n : 0;
	}
	free(counts);
	free(items);
}
