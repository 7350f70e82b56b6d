/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <report/take.h>

bool take_struct(void *target, size_t target_size, const void *given, size_t oldest, const char **why)
{
	uint32_t size;

	*why = "there is none";
	if (!given)
		return false;
	memcpy(&size, given, sizeof(size));
	*why = "its struct_size is smaller than in any version of the header";
	if (size < oldest)
		return false;
	*why = "its struct_size is no size";
	if (size > UINT16_MAX)
		return false;
	*why = "it says more than this tav knows: it needs a newer tav";
	for (size_t i = target_size; i < size; i++) {
		if (((const char *)given)[i])
			return false;
	}
	memset(target, 0, target_size);
	memcpy(target, given, size < target_size ? size : target_size);
	*why = NULL;
	return true;
}

struct tav_series take_series_at(const struct tav_series_list *list, uint32_t i)
{
	const char *item = (const char *)list->items + (size_t)i * list->item_size;
	struct tav_series series = {0};

	memcpy(&series, item, list->item_size < sizeof(series) ? list->item_size : sizeof(series));
	return series;
}

struct tav_series *take_series(const struct tav_series_list *list, const char **why)
{
	*why = "its list of columns has no items or no item_size";
	if (list->count && (!list->items || list->item_size < offsetof(struct tav_series, present) + sizeof(void *)))
		return NULL;
	struct tav_series *series = calloc(list->count ? list->count : 1, sizeof(*series));
	*why = series ? NULL : "out of memory";
	for (uint32_t i = 0; series && i < list->count; i++)
		series[i] = take_series_at(list, i);
	return series;
}
