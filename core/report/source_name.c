/* SPDX-License-Identifier: Apache-2.0 */
/* Short names of sources: a person who gave eight ranks of one run wants to tell them apart, not read the folder. */
#include <stdlib.h>
#include <string.h>

#include <report/text_out.h>

/* The last `count` parts of a path. */
static const char *tail(const char *path, unsigned count)
{
	const char *at = path + strlen(path);

	while (at > path && count) {
		at--;
		count -= *at == '/' && at[1];
	}
	return *at == '/' && !count ? at + 1 : at;
}

struct named {
	const char *path, *name;
	unsigned parts;
	uint32_t number;
};

static int by_name(const void *left, const void *right)
{
	const struct named *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	return order ? order : strcmp(a->path, b->path);
}

/* One part more for all that share their name with another path. False: there is none to lengthen. */
static bool lengthen(struct named *all, uint32_t count)
{
	bool is_changed = false;

	qsort(all, count, sizeof(*all), by_name);
	for (uint32_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && !strcmp(all[i].name, all[end].name);)
			end++;
		/* the same file twice has only its number to tell it apart */
		if (!strcmp(all[i].path, all[end - 1].path))
			continue;
		for (uint32_t j = i; j < end; j++)
			all[j].parts += all[j].name > all[j].path;
	}
	for (uint32_t i = 0; i < count; i++) {
		const char *name = tail(all[i].path, all[i].parts);

		is_changed |= name != all[i].name;
		all[i].name = name;
	}
	return is_changed;
}

bool name_sources(struct text_out *text)
{
	const struct report *report = text->report;
	uint32_t count = report->source_count + report->baseline_count;
	struct named *all = calloc(count ? count : 1, sizeof(*all));

	text->names = arena_array(&text->kept, count, sizeof(*text->names));
	for (uint32_t i = 0; all && i < count; i++) {
		const char *path = report->sources[i].path;

		all[i] = (struct named){path, text->style->verbosity > 0 ? path : tail(path, 1), 1, i};
	}
	if (all && text->style->verbosity <= 0) {
		while (lengthen(all, count))
			;
	}
	for (uint32_t i = 0; all && text->names && i < count; i++)
		text->names[all[i].number] = all[i].name;
	text->failed |= !all || !text->names;
	free(all);
	return !text->failed;
}

const char *source_name(struct text_out *text, uint32_t number)
{
	return safe_chars(text, text->names[number]);
}
