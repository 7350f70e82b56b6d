/* SPDX-License-Identifier: Apache-2.0 */
#include "groups.h"

#include <stdlib.h>
#include <string.h>

const char *const kind_names[KIND_COUNT] = {
        [KIND_MEMCPY] = "memcpy",     [KIND_MEMSET] = "memset",           [KIND_COLLECTIVE] = "collective",
        [KIND_KERNEL] = "kernel",     [KIND_DEVICE] = "device",           [KIND_HOST_OP] = "host_op",
        [KIND_RUNTIME] = "runtime",   [KIND_DRIVER] = "driver",           [KIND_PREP] = "prep",
        [KIND_PYTHON] = "python",     [KIND_DEVICE_MARK] = "device_mark", [KIND_ANNOTATION] = "annotation",
        [KIND_OVERHEAD] = "overhead", [KIND_DEVICE_WAIT] = "device_wait", [KIND_OTHER] = "other",
};

enum kind kind_of(uint32_t traits)
{
	static const struct {
		uint32_t all;
		enum kind kind;
	} table[] = {
	        {TAV_TRAIT_DEVICE | TAV_TRAIT_MEMCPY, KIND_MEMCPY},
	        {TAV_TRAIT_DEVICE | TAV_TRAIT_MEMSET, KIND_MEMSET},
	        {TAV_TRAIT_DEVICE | TAV_TRAIT_COLLECTIVE, KIND_COLLECTIVE},
	        {TAV_TRAIT_DEVICE | TAV_TRAIT_KERNEL, KIND_KERNEL},
	        {TAV_TRAIT_DEVICE, KIND_DEVICE},
	        {TAV_TRAIT_HOST_OP, KIND_HOST_OP},
	        {TAV_TRAIT_RUNTIME, KIND_RUNTIME},
	        {TAV_TRAIT_DRIVER, KIND_DRIVER},
	        {TAV_TRAIT_PREP, KIND_PREP},
	        {TAV_TRAIT_PYTHON, KIND_PYTHON},
	        {TAV_TRAIT_ANNOTATION | TAV_TRAIT_DEVICE_CLOCK, KIND_DEVICE_MARK},
	        {TAV_TRAIT_ANNOTATION, KIND_ANNOTATION},
	        {TAV_TRAIT_OVERHEAD, KIND_OVERHEAD},
	        {TAV_TRAIT_DEVICE_CLOCK, KIND_DEVICE_WAIT},
	};

	for (unsigned i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if ((traits & table[i].all) == table[i].all)
			return table[i].kind;
	return KIND_OTHER;
}

uint64_t sum_of(uint64_t a, uint64_t b, uint32_t *flag)
{
	if (a <= SUM_MAX && b <= SUM_MAX - a)
		return a + b;
	*flag = 1;
	return SUM_MAX;
}

uint64_t mean_of(uint64_t total, uint64_t count)
{
	if (!count)
		return 0;
	return total / count + (total % count >= count - total % count);
}

/* ---- Selection -------------------------------------------------------------------------------------------------- */
static void swap(uint64_t *a, uint64_t *b)
{
	uint64_t kept = *a;

	*a = *b;
	*b = kept;
}

/* Quickselect with three parts, so that many equal values cost nothing; the pivot's place looks random, always the
 * same. */
static void select_place(uint64_t *values, uint64_t count, uint64_t place)
{
	uint64_t low = 0, high = count, random = count;

	while (high - low > 1) {
		random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);

		uint64_t pivot = values[low + (random >> 33) % (high - low)];
		uint64_t less = low, at = low, more = high;

		while (at < more) {
			if (values[at] < pivot)
				swap(&values[at++], &values[less++]);
			else if (values[at] > pivot)
				swap(&values[at], &values[--more]);
			else
				at++;
		}
		if (place < less)
			high = less;
		else if (place >= more)
			low = more;
		else
			return;
	}
}

static uint64_t rank_place(uint64_t count, unsigned percent)
{
	return count / 100 * percent + (count % 100 * percent + 99) / 100 - 1;
}

uint64_t nearest_rank(uint64_t *values, uint64_t count, unsigned percent)
{
	uint64_t place = rank_place(count, percent);

	select_place(values, count, place);
	return values[place];
}

/* ---- From keys to dense numbers --------------------------------------------------------------------------------- */
#define NO_GROUP UINT32_MAX
struct keymap {          /* open addressing, at most half full */
	uint32_t *slots; /* number + 1 */
	uint64_t mask;
	struct group *items;
	uint32_t count, capacity;
};

static uint64_t hash_key(uint32_t owner, uint32_t thing)
{
	uint64_t x = ((uint64_t)owner << 32 | thing) * UINT64_C(0x9e3779b97f4a7c15);

	return x ^ x >> 29;
}

static int keymap_grow(struct keymap *map)
{
	uint32_t capacity = map->capacity ? map->capacity * 2 : 256;
	uint64_t mask = (uint64_t)capacity * 2 - 1;
	uint32_t *slots;
	struct group *items;

	if (map->capacity > UINT32_MAX / 4)
		return 0;
	items = realloc(map->items, capacity * sizeof(*items));
	if (!items)
		return 0;
	map->items = items;
	slots = calloc(mask + 1, sizeof(*slots));
	if (!slots)
		return 0;
	for (uint32_t i = 0; i < map->count; i++) {
		uint64_t at = hash_key(items[i].owner, items[i].thing) & mask;

		while (slots[at])
			at = (at + 1) & mask;
		slots[at] = i + 1;
	}
	free(map->slots);
	map->slots = slots;
	map->mask = mask;
	map->capacity = capacity;
	return 1;
}

static uint32_t keymap_add(struct keymap *map, uint32_t owner, uint32_t thing) /* NO_GROUP: no memory */
{
	uint64_t at;

	if (map->count == map->capacity && !keymap_grow(map))
		return NO_GROUP;
	for (at = hash_key(owner, thing) & map->mask; map->slots[at]; at = (at + 1) & map->mask) {
		const struct group *item = &map->items[map->slots[at] - 1];

		if (item->owner == owner && item->thing == thing)
			return map->slots[at] - 1;
	}
	map->items[map->count] = (struct group){.owner = owner, .thing = thing, .min = UINT64_MAX};
	map->slots[at] = ++map->count;
	return map->count - 1;
}

/* ---- Categories ------------------------------------------------------------------------------------------------- */
static uint64_t hash_text(struct tav_text text)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < text.size; i++)
		hash = (hash ^ (unsigned char)text.data[i]) * UINT64_C(1099511628211);
	return hash ^ hash >> 32;
}

uint32_t *category_labels(const struct view *view)
{
	const struct tav_host *host = view->self->host;
	uint32_t labels = host->label_count(view->self);
	uint64_t mask = 63;
	uint32_t *out = malloc(((size_t)labels + 1) * sizeof(*out)), *slots, used = 0;

	slots = calloc(mask + 1, sizeof(*slots)); /* label + 1 */
	if (!out || !slots) {
		free(out);
		free(slots);
		return NULL;
	}
	memset(out, 0xff, ((size_t)labels + 1) * sizeof(*out));
	for (tav_row row = 0; row < view->about->row_count; row++)
		out[view->label[row]] = 0; /* seen */
	for (uint32_t label = 0; label < labels; label++) {
		struct tav_text category, other;
		uint64_t at;

		if (out[label] == TAV_NONE)
			continue;
		host->label(view->self, label, &category);
		for (at = hash_text(category) & mask; slots[at]; at = (at + 1) & mask) {
			host->label(view->self, slots[at] - 1, &other);
			if (other.size == category.size && !memcmp(other.data, category.data, other.size))
				break;
		}
		if (slots[at]) {
			out[label] = slots[at] - 1;
			continue;
		}
		out[label] = label;
		slots[at] = label + 1;
		if (++used * 2 <= mask)
			continue;

		uint32_t *wider = calloc((mask + 1) * 2, sizeof(*wider));

		if (!wider) {
			free(slots);
			free(out);
			return NULL;
		}
		for (uint64_t i = 0; i <= mask; i++) {
			if (!slots[i])
				continue;
			host->label(view->self, slots[i] - 1, &other);
			at = hash_text(other) & (mask * 2 + 1);
			while (wider[at])
				at = (at + 1) & (mask * 2 + 1);
			wider[at] = slots[i];
		}
		free(slots);
		slots = wider;
		mask = mask * 2 + 1;
	}
	free(slots);
	return out;
}

/* ---- Groups ----------------------------------------------------------------------------------------------------- */
static uint32_t thing_of(const struct view *view, enum group_by by, const uint32_t *categories, tav_row row)
{
	switch (by) {
	case BY_KIND:
		return kind_of(view->traits[row]);
	case BY_TRACK:
		return view->track[row];
	case BY_CATEGORY:
		return categories[view->label[row]];
	case BY_FIELD:
		return view->field[row];
	default:
		return view->label[row];
	}
}

/* Numbers the rows' groups and counts them. */
static tav_status number_rows(const struct view *view, enum group_by by, enum scope scope, const uint32_t *categories,
                              struct keymap *map, uint32_t *group_of)
{
	uint32_t last = NO_GROUP, last_owner = 0, last_thing = 0; /* neighbours are often of one group */

	for (tav_row row = 0; row < view->about->row_count; row++) {
		if (!(row & 0xffff) && view->self->host->cancelled(view->self))
			return TAV_CANCELLED;
		if (!view_has(view, scope, row)) {
			group_of[row] = NO_GROUP;
			continue;
		}

		uint32_t owner = view_owner(view, row), thing = thing_of(view, by, categories, row);

		if (last == NO_GROUP || owner != last_owner || thing != last_thing) {
			last = keymap_add(map, owner, thing);
			if (last == NO_GROUP)
				return tav_fail(view->self, "out of memory: more than %u groups", map->count);
			last_owner = owner;
			last_thing = thing;
		}
		group_of[row] = last;
		map->items[last].count++;
	}
	return TAV_OK;
}

/* Puts the durations of each group side by side, then looks at one group after the other. */
static tav_status measure(const struct view *view, const struct keymap *map, const uint32_t *group_of,
                          uint32_t *is_saturated)
{
	uint64_t sum = 0, *durations, *next;
	tav_status status = TAV_OK;

	next = malloc(((size_t)map->count + 1) * sizeof(*next));
	if (!next)
		return tav_fail(view->self, "out of memory: %u groups", map->count);
	for (uint32_t i = 0; i < map->count; i++) {
		next[i] = sum;
		sum += map->items[i].count;
	}
	durations = malloc((sum + 1) * sizeof(*durations));
	if (!durations) {
		free(next);
		return tav_fail(view->self, "out of memory: the durations of %llu events", (unsigned long long)sum);
	}
	for (tav_row row = 0; row < view->about->row_count; row++)
		if (group_of[row] != NO_GROUP)
			durations[next[group_of[row]]++] = view_duration(view, row);
	for (uint32_t i = 0; i < map->count && !status; i++) {
		struct group *group = &map->items[i];
		uint64_t *own = durations + next[i] - group->count;

		for (uint64_t j = 0; j < group->count; j++) {
			group->total = sum_of(group->total, own[j], is_saturated);
			group->min = own[j] < group->min ? own[j] : group->min;
			group->max = own[j] > group->max ? own[j] : group->max;
		}
		group->p99 = nearest_rank(own, group->count, 99);
		/* The median is among those that were put before it. */
		select_place(own, rank_place(group->count, 99) + 1, rank_place(group->count, 50));
		group->median = own[rank_place(group->count, 50)];
		if (view->self->host->cancelled(view->self))
			status = TAV_CANCELLED;
	}
	free(durations);
	free(next);
	return status;
}

tav_status groups_make(const struct view *view, enum group_by by, enum scope scope, struct groups *out)
{
	struct keymap map = {0};
	uint32_t *categories = NULL, *group_of;
	tav_status status;

	*out = (struct groups){0};
	group_of = malloc(((size_t)view->about->row_count + 1) * sizeof(*group_of));
	if (by == BY_CATEGORY)
		categories = category_labels(view);
	if (!group_of || (by == BY_CATEGORY && !categories)) {
		status = tav_fail(view->self, "out of memory: the groups of %u events", view->about->row_count);
	} else {
		status = number_rows(view, by, scope, categories, &map, group_of);
		if (!status)
			status = measure(view, &map, group_of, &out->is_saturated);
	}
	free(categories);
	free(group_of);
	free(map.slots);
	out->items = map.items;
	out->count = map.count;
	return status;
}

void groups_free(struct groups *groups)
{
	free(groups->items);
	*groups = (struct groups){0};
}
