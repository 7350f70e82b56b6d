/* SPDX-License-Identifier: Apache-2.0 */
#include "copies.h"

#include <stdlib.h>
#include <string.h>

#include <tav/map.h>

struct work {
	const struct view *view;
	struct tav_map texts; /* directions and memories */
	struct tav_map sorts; /* direction << 32 | memory, of a label on a track */
	struct tav_map seen;  /* label << 32 | track */
	uint32_t *sort_of;    /* by number in `seen` */
	uint32_t sort_capacity;
	struct tav_map classes; /* device << 32 | sort */
	struct copy_class *items;
	uint32_t capacity;
};

static struct tav_text part(struct tav_text text, size_t from, size_t size)
{
	return (struct tav_text){text.data + from, size};
}

/* The first of "HtoD" and its like in a name. */
static struct tav_text direction_in(struct tav_text name)
{
	static const char *const directions[] = {"HtoD", "DtoH", "DtoD", "HtoH", "PtoP"};

	for (size_t at = 0; at + 4 <= name.size; at++)
		for (unsigned i = 0; i < sizeof(directions) / sizeof(directions[0]); i++)
			if (!memcmp(name.data + at, directions[i], 4))
				return part(name, at, 4);
	return (struct tav_text){"", 0};
}

static int is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

static size_t words(struct tav_text text, size_t at)
{
	while (at < text.size && is_word(text.data[at]))
		at++;
	return at;
}

/* "Pageable -> Device" out of "Memcpy HtoD (Pageable -> Device)". */
static struct tav_text memory_in(struct tav_text name)
{
	for (size_t at = 0; at < name.size; at++) {
		size_t from = at + 1, middle, end;

		if (name.data[at] != '(')
			continue;
		middle = words(name, from);
		if (middle == from || name.size - middle < 4 || memcmp(name.data + middle, " -> ", 4))
			continue;
		end = words(name, middle + 4);
		if (end > middle + 4 && end < name.size && name.data[end] == ')')
			return part(name, from, end - from);
	}
	return (struct tav_text){"", 0};
}

/* Number of the pair of direction and memory; TAV_NONE: no memory. */
static uint32_t sort_number(struct work *work, tav_row row)
{
	const struct view *view = work->view;
	struct tav_text name = view->self->host->label(view->self, 0, view->label[row], NULL);
	struct tav_text direction = view->traits[row] & TAV_TRAIT_MEMSET ? tav_text_of("set") : direction_in(name);

	if (!direction.size)
		direction = view->self->host->track(view->self, 0, view->track[row])->lane;
	if (!direction.size)
		direction = tav_text_of("other");

	uint32_t first = tav_map_text(&work->texts, direction), second = tav_map_text(&work->texts, memory_in(name));

	if (first == TAV_NONE || second == TAV_NONE)
		return TAV_NONE;
	return tav_map_number(&work->sorts, (uint64_t)first << 32 | second);
}

/* Room for item `number`, the next one at most. */
static int has_room(struct tav_self *self, void **items, uint32_t number, uint32_t *capacity, size_t size)
{
	if (number < *capacity)
		return 1;

	uint32_t wider = *capacity ? *capacity * 2 : 64;
	void *grown = self->host->alloc(self, wider * size);

	if (!grown)
		return 0;
	if (*capacity)
		memcpy(grown, *items, *capacity * size);
	*items = grown;
	*capacity = wider;
	return 1;
}

static uint32_t sort_of_row(struct work *work, tav_row row)
{
	const struct view *view = work->view;
	uint32_t known = work->seen.count;
	uint32_t number = tav_map_number(&work->seen, (uint64_t)view->label[row] << 32 | view->track[row]);
	void *items = work->sort_of;

	if (number == TAV_NONE || !has_room(view->self, &items, number, &work->sort_capacity, sizeof(*work->sort_of)))
		return TAV_NONE;
	work->sort_of = items;
	if (number == known)
		work->sort_of[number] = sort_number(work, row);
	return work->sort_of[number];
}

static struct copy_class *class_of_row(struct work *work, tav_row row)
{
	const struct view *view = work->view;
	uint32_t device = view_owner(view, row), known = work->classes.count, sort = sort_of_row(work, row), number;
	void *items = work->items;

	if (sort == TAV_NONE)
		return NULL;
	number = tav_map_number(&work->classes, (uint64_t)device << 32 | sort);
	if (number == TAV_NONE || !has_room(view->self, &items, number, &work->capacity, sizeof(*work->items)))
		return NULL;
	work->items = items;
	if (number == known) {
		uint64_t texts = work->sorts.numbers[sort];

		work->items[number] = (struct copy_class){.device = device,
		                                          .direction = work->texts.texts[texts >> 32],
		                                          .memory = work->texts.texts[(uint32_t)texts]};
	}
	return &work->items[number];
}

static int compare_classes(const void *left, const void *right)
{
	const struct copy_class *a = left, *b = right;
	int order = (a->device > b->device) - (a->device < b->device);

	if (!order)
		order = tav_text_compare(a->direction, b->direction);
	return order ? order : tav_text_compare(a->memory, b->memory);
}

struct byte_field {
	const int64_t *values;
	const uint64_t *present;
};

/* 0: not told */
static uint64_t bytes_of(const struct byte_field *fields, tav_row row)
{
	for (int i = 0; i < BYTE_FIELDS; i++)
		if (!fields[i].present || fields[i].present[row / 64] >> row % 64 & 1)
			return fields[i].values[row] > 0 ? (uint64_t)fields[i].values[row] : 0;
	return 0;
}

tav_status copies_measure(const struct view *view, uint32_t first_field, struct copies *out)
{
	const struct tav_host *host = view->self->host;
	struct work work = {.view = view};
	struct byte_field fields[BYTE_FIELDS];

	*out = (struct copies){0};
	tav_map_init(&work.texts, view->self);
	tav_map_init(&work.sorts, view->self);
	tav_map_init(&work.seen, view->self);
	tav_map_init(&work.classes, view->self);
	for (uint32_t i = 0; i < BYTE_FIELDS; i++) {
		fields[i].values = host->column(view->self, 0, TAV_COL_FIELDS + first_field + i);
		fields[i].present = host->present(view->self, 0, TAV_COL_FIELDS + first_field + i);
		if (!fields[i].values)
			return tav_fail(view->self, "the bytes of copies were not read");
	}
	for (tav_row row = 0; row < view->about->row_count; row++) {
		struct copy_class *class;
		uint64_t bytes, duration;

		if (!(row & 0xffff) && host->cancelled(view->self))
			return TAV_CANCELLED;
		if (!view_has(view, SCOPE_DEVICE, row) || view->kind[row] != TAV_KIND_COPY)
			continue;
		class = class_of_row(&work, row);
		if (!class)
			return TAV_FAILED;
		duration = view_duration(view, row);
		bytes = bytes_of(fields, row);
		class->count++;
		class->total = sum_of(class->total, duration, &out->is_saturated);
		if (bytes && duration) {
			class->sized++;
			class->bytes = sum_of(class->bytes, bytes, &out->is_saturated);
			class->sized_total = sum_of(class->sized_total, duration, &out->is_saturated);
		}
	}
	if (work.classes.count)
		qsort(work.items, work.classes.count, sizeof(*work.items), compare_classes);
	out->items = work.items;
	out->count = work.classes.count;
	return TAV_OK;
}
