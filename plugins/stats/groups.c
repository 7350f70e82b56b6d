/* SPDX-License-Identifier: Apache-2.0 */
#include "groups.h"

#include <stdlib.h>
#include <string.h>

#include <tav/map.h>
#include <tav/rank.h>

const char *const kind_names[KIND_COUNT] = {
        [KIND_COMPUTE] = "compute",
        [KIND_COMMUNICATION] = "communication",
        [KIND_COPY] = "copy",
        [KIND_HOST_OP] = "host_op",
        [KIND_RUNTIME] = "runtime",
        [KIND_DRIVER] = "driver",
        [KIND_PREP] = "prep",
        [KIND_PYTHON] = "python",
        [KIND_DEVICE_MARK] = "device_mark",
        [KIND_ANNOTATION] = "annotation",
        [KIND_OVERHEAD] = "overhead",
        [KIND_DEVICE_WAIT] = "device_wait",
        [KIND_OTHER] = "other",
};

enum kind kind_of(uint32_t of_device, uint32_t traits)
{
	static const struct {
		uint32_t all;
		enum kind kind;
	} table[] = {
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

	switch (of_device) {
	case TAV_KIND_COMPUTE:
		return KIND_COMPUTE;
	case TAV_KIND_COMMUNICATION:
		return KIND_COMMUNICATION;
	case TAV_KIND_COPY:
		return KIND_COPY;
	default:
		break;
	}
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

/* ---- Spread ----------------------------------------------------------------------------------------------------- */
static uint64_t root_of(uint64_t square)
{
	uint64_t low = 0, high = UINT64_C(1) << 32;

	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;

		if (middle * middle <= square)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* The deviation by the mean is sqrt(count * squares - total^2) / total: a quotient of whole numbers under the root. */
int64_t cv_permille(uint64_t count, uint64_t total, wide squares)
{
	wide whole = (wide)total * total, part, quotient, rest;

	if (!total || total >> 62 || __builtin_mul_overflow(squares, (wide)count, &part))
		return -1;
	part -= whole; /* never negative, by Cauchy and Schwarz */
	quotient = part / whole;
	rest = part % whole;
	for (int digit = 0; digit < 6; digit++) {
		quotient = quotient * 10 + rest * 10 / whole; /* rest < 2^124 */
		rest = rest * 10 % whole;
	}
	return quotient >> 64 ? -1 : (int64_t)root_of((uint64_t)quotient);
}

/* ---- Categories ------------------------------------------------------------------------------------------------- */
uint32_t *category_labels(const struct view *view)
{
	const struct tav_host *host = view->self->host;
	uint32_t labels = host->label_count(view->self, 0);
	uint32_t *out = host->alloc(view->self, ((size_t)labels + 1) * sizeof(*out));
	uint32_t *first = host->alloc(view->self, ((size_t)labels + 1) * sizeof(*first)); /* by number of category */
	struct tav_map map;

	if (!out || !first)
		return NULL;
	tav_map_init(&map, view->self);
	memset(out, 0xff, ((size_t)labels + 1) * sizeof(*out));
	for (tav_row row = 0; row < view->about->row_count; row++)
		out[view->label[row]] = 0; /* seen */
	for (uint32_t label = 0; label < labels; label++) {
		struct tav_text category;
		uint32_t before = map.count, number;

		if (out[label] == TAV_NONE)
			continue;
		host->label(view->self, 0, label, &category);
		number = tav_map_text(&map, category);
		if (number == TAV_NONE)
			return NULL;
		if (number == before)
			first[number] = label;
		out[label] = first[number];
	}
	return out;
}

/* ---- Groups ----------------------------------------------------------------------------------------------------- */
static uint32_t thing_of(const struct view *view, enum group_by by, const uint32_t *categories, tav_row row)
{
	switch (by) {
	case BY_KIND:
		return kind_of(view->kind[row], view->traits[row]);
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

#define NO_GROUP UINT32_MAX
/* Numbers the rows' groups. */
static tav_status number_rows(const struct view *view, enum group_by by, enum scope scope, const uint32_t *categories,
                              struct tav_map *map, uint32_t *group_of)
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
			last = tav_map_number(map, (uint64_t)owner << 32 | thing);
			if (last == TAV_NONE)
				return TAV_FAILED;
			last_owner = owner;
			last_thing = thing;
		}
		group_of[row] = last;
	}
	return TAV_OK;
}

/* All about one group; `own` are its durations, which are put in another order. */
static void look_at(struct group *group, uint64_t *own, uint32_t *is_saturated)
{
	uint64_t p90 = tav_rank_place(group->count, 90), p99 = tav_rank_place(group->count, 99);
	uint64_t median = tav_rank_place(group->count, 50);
	wide squares = 0;
	int is_wide = 0;

	group->min = UINT64_MAX;
	for (uint64_t j = 0; j < group->count; j++) {
		group->total = sum_of(group->total, own[j], is_saturated);
		group->min = own[j] < group->min ? own[j] : group->min;
		group->max = own[j] > group->max ? own[j] : group->max;
		is_wide |= __builtin_add_overflow(squares, (wide)own[j] * own[j], &squares);
	}
	group->cv_permille = is_wide ? -1 : cv_permille(group->count, group->total, squares);
	/* Each place lies among what was put before the one above it, and is read before those are moved again. */
	tav_select(own, group->count, p99);
	group->p99 = own[p99];
	tav_select(own, p99 + 1, p90);
	group->p90 = own[p90];
	tav_select(own, p90 + 1, median);
	group->median = own[median];
}

/* Puts the durations of each group side by side, then looks at one group after the other. */
static tav_status measure(const struct view *view, struct groups *groups, const uint32_t *group_of)
{
	uint64_t sum = 0, *durations = NULL, *next = malloc(((size_t)groups->count + 1) * sizeof(*next));
	tav_status status = TAV_OK;

	if (!next)
		return tav_fail(view->self, "out of memory: %u groups", groups->count);
	for (uint32_t i = 0; i < groups->count; i++) {
		next[i] = sum;
		sum += groups->items[i].count;
	}
	durations = malloc((sum + 1) * sizeof(*durations));
	if (!durations)
		status = tav_fail(view->self, "out of memory: the durations of %llu events", (unsigned long long)sum);
	for (tav_row row = 0; !status && row < view->about->row_count; row++)
		if (group_of[row] != NO_GROUP)
			durations[next[group_of[row]]++] = view_duration(view, row);
	for (uint32_t i = 0; i < groups->count && !status; i++) {
		look_at(&groups->items[i], durations + next[i] - groups->items[i].count, &groups->is_saturated);
		if (!(i & 0xff) && view->self->host->cancelled(view->self))
			status = TAV_CANCELLED;
	}
	free(durations);
	free(next);
	return status;
}

tav_status groups_make(const struct view *view, enum group_by by, enum scope scope, struct groups *out)
{
	uint32_t *categories = by == BY_CATEGORY ? category_labels(view) : NULL, *group_of;
	struct tav_map map;
	tav_status status;

	*out = (struct groups){0};
	tav_map_init(&map, view->self);
	if (by == BY_CATEGORY && !categories)
		return TAV_FAILED;
	group_of = malloc(((size_t)view->about->row_count + 1) * sizeof(*group_of));
	if (!group_of)
		return tav_fail(view->self, "out of memory: the groups of %u events", view->about->row_count);
	status = number_rows(view, by, scope, categories, &map, group_of);
	if (!status) {
		out->items = view->self->host->alloc(view->self, ((size_t)map.count + 1) * sizeof(*out->items));
		status = out->items ? TAV_OK : TAV_FAILED;
	}
	if (!status) {
		out->count = map.count;
		for (uint32_t i = 0; i < map.count; i++) {
			out->items[i].owner = (uint32_t)(map.numbers[i] >> 32);
			out->items[i].thing = (uint32_t)map.numbers[i];
		}
		for (tav_row row = 0; row < view->about->row_count; row++)
			if (group_of[row] != NO_GROUP)
				out->items[group_of[row]].count++;
		status = measure(view, out, group_of);
	}
	free(group_of);
	return status;
}
