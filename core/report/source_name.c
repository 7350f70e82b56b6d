/* SPDX-License-Identifier: Apache-2.0 */
/* Short names of sources: a person who gave eight ranks of one run wants to tell them apart, not read the folder. */
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

static bool is_shared(const struct report *report, uint32_t number, unsigned count)
{
	const char *path = report->sources[number].path;

	for (uint32_t other = 0; other < report->source_count; other++) {
		const char *others = report->sources[other].path;

		/* the same file twice has only its number to tell it apart */
		if (strcmp(path, others) && !strcmp(tail(path, count), tail(others, count)))
			return true;
	}
	return false;
}

const char *source_name(struct text_out *text, uint32_t number)
{
	const char *path = text->report->sources[number].path;
	unsigned count = 1;

	if (text->style->verbosity > 0)
		return safe_chars(text, path);
	while (tail(path, count) > path && is_shared(text->report, number, count))
		count++;
	return safe_chars(text, tail(path, count));
}
