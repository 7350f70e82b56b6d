/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <kit/text.h>
#include <report/shorten.h>

enum { DOTS = 3, BEFORE_DIFFERENCE = 4 };

static unsigned width_of(const char *text)
{
	return text_cells(text, strlen(text));
}

/* Bytes of the first characters that take no more than `width` cells. */
static size_t first_cells(const char *text, unsigned width)
{
	size_t at = 0;
	unsigned used = 0, cells;

	while (text[at]) {
		size_t step = text_step(text + at, &cells);

		if (used + cells > width)
			break;
		used += cells;
		at += step;
	}
	return at;
}

/* Where the last characters that take no more than `width` cells begin. */
static size_t last_cells(const char *text, unsigned width)
{
	unsigned whole = width_of(text), cells;
	size_t at = 0;

	while (whole > width) {
		at += text_step(text + at, &cells);
		whole -= cells;
	}
	return at;
}

const char *text_shorten(struct arena *arena, const char *text, unsigned width)
{
	if (width_of(text) <= width)
		return text;
	/* The ends tell kernels apart: the head is the template, the tail its arguments. */
	unsigned kept = width > DOTS + 1 ? width - DOTS : 1, head = kept - kept / 3;
	return arena_printf(arena, "%.*s...%s", (int)first_cells(text, head), text,
	                    text + last_cells(text, kept - head));
}

/* The part that begins a little before byte `at`, where texts that look alike begin to differ. */
static const char *shorten_around(struct arena *arena, const char *text, size_t at, unsigned width)
{
	if (width < 4 * DOTS)
		return text_shorten(arena, text, width);
	unsigned head = width / 4, rest = width - head - DOTS, back = 0;
	size_t begin = first_cells(text, head), from = at;
	while (from > begin && back < BEFORE_DIFFERENCE) {
		do
			from--;
		while (from > begin && ((unsigned char)text[from] & 0xc0) == 0x80);
		back++;
	}
	size_t tail = last_cells(text, rest);
	if (tail <= from) /* all that is behind it fits, and maybe more before it */
		return arena_printf(arena, "%.*s...%s", (int)begin, text, text + tail);
	return arena_printf(arena, "%.*s...%.*s...", (int)begin, text, (int)first_cells(text + from, rest - DOTS),
	                    text + from);
}

struct shortened {
	const char *whole, *part;
	size_t number;
};

static int by_part(const void *left, const void *right)
{
	const struct shortened *a = left, *b = right;
	int order = strcmp(a->part, b->part);

	if (!order)
		order = strcmp(a->whole, b->whole);
	return order ? order : a->number < b->number ? -1 : a->number > b->number;
}

static size_t common(const char *a, const char *b)
{
	size_t at = 0;

	while (a[at] && a[at] == b[at])
		at++;
	while (at && ((unsigned char)a[at] & 0xc0) == 0x80)
		at--;
	return at;
}

/* Texts that look alike in part and are not: shown from where they differ. Sorted, so the ends have least in common. */
static bool part_group(struct arena *arena, struct shortened *group, size_t count, unsigned width)
{
	size_t at = common(group[0].whole, group[count - 1].whole);

	for (size_t i = 0; i < count; i++) {
		if (width_of(group[i].whole) > width)
			group[i].part = shorten_around(arena, group[i].whole, at, width);
		if (!group[i].part)
			return false;
	}
	return true;
}

/* The last resort: a number at the end. */
static bool number_group(struct arena *arena, struct shortened *group, size_t count, unsigned width)
{
	size_t number = 1;

	for (size_t i = 1; i < count; i++) {
		number += strcmp(group[i].whole, group[i - 1].whole) != 0;
		if (number == 1)
			continue;
		char mark[24];
		unsigned size = (unsigned)sprintf(mark, "~%zu", number), kept = width > size ? width - size : 1;
		group[i].part =
		        arena_printf(arena, "%.*s%s", (int)first_cells(group[i].part, kept), group[i].part, mark);
		if (!group[i].part)
			return false;
	}
	return true;
}

static bool each_group(struct arena *arena, struct shortened *all, size_t count, unsigned width,
                       bool (*act)(struct arena *, struct shortened *, size_t, unsigned))
{
	bool is_done = true;

	qsort(all, count, sizeof(*all), by_part);
	for (size_t i = 0, end; is_done && i < count; i = end) {
		for (end = i + 1; end < count && !strcmp(all[i].part, all[end].part);)
			end++;
		if (strcmp(all[i].whole, all[end - 1].whole))
			is_done = act(arena, &all[i], end - i, width);
	}
	return is_done;
}

bool shorten_all(struct arena *arena, const char **texts, size_t count, unsigned width)
{
	struct shortened *all = count < SIZE_MAX / sizeof(*all) ? malloc((count + 1) * sizeof(*all)) : NULL;
	size_t used = 0;
	bool is_done = all != NULL, is_shorter = false;

	for (size_t i = 0; is_done && i < count; i++) {
		if (!texts[i])
			continue;
		all[used] = (struct shortened){texts[i], text_shorten(arena, texts[i], width), i};
		is_done = all[used].part != NULL;
		is_shorter |= all[used].part != all[used].whole;
		used++;
	}
	if (is_shorter)
		is_done = is_done && each_group(arena, all, used, width, part_group) &&
		          each_group(arena, all, used, width, part_group) &&
		          each_group(arena, all, used, width, number_group);
	for (size_t i = 0; is_done && i < used; i++)
		texts[all[i].number] = all[i].part;
	free(all);
	return is_done;
}
