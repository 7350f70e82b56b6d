/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inputs that are one: a file that is an argument and a baseline too is read once, and looked at as both; two sources
 * that hold the same bytes are an error, under whatever names.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <run/session.h>

struct inode {
	dev_t device;
	ino_t file;
	uint32_t number;
};

static int compare_inodes(const void *left, const void *right)
{
	const struct inode *a = left, *b = right;

	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

bool twins_join(struct session *session)
{
	const struct report *report = &session->run.report;
	uint32_t all = report->source_count + report->baseline_count, count = 0;
	struct inode *inodes = report->baseline_count ? calloc(all, sizeof(*inodes)) : NULL;
	struct stat status;

	if (!report->baseline_count)
		return true; /* two arguments that are one file were refused before */
	for (uint32_t i = 0; inodes && i < all; i++) {
		const struct item *item = &session->items[i];

		if (item->is_trace && strcmp(item->path, "-") && !stat(item->path, &status) && S_ISREG(status.st_mode))
			inodes[count++] = (struct inode){status.st_dev, status.st_ino, i};
	}
	if (inodes)
		qsort(inodes, count, sizeof(*inodes), compare_inodes);
	for (uint32_t i = 1; i < count; i++) {
		if (inodes[i].device != inodes[i - 1].device || inodes[i].file != inodes[i - 1].file)
			continue;
		session->items[inodes[i - 1].number].again = inodes[i].number;
		session->items[inodes[i].number].is_again = true;
	}
	bool is_ok = inodes;
	free(inodes);
	return is_ok;
}

struct twin {
	uint64_t content, bytes;
	uint32_t number;
};

static int compare_twins(const void *left, const void *right)
{
	const struct twin *a = left, *b = right;

	if (a->content != b->content)
		return a->content < b->content ? -1 : 1;
	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

bool twins_find(struct session *session)
{
	struct report *report = &session->run.report;
	struct twin *twins = calloc(report->source_count + 1, sizeof(*twins));
	uint32_t count = 0;

	for (uint32_t i = 0; twins && i < report->source_count; i++) {
		const struct report_source *source = &report->sources[i];

		if (source->is_read && !source->error)
			twins[count++] = (struct twin){source->facts.content, source->facts.bytes, i};
	}
	if (!twins)
		return false;
	qsort(twins, count, sizeof(*twins), compare_twins);
	bool is_ok = true;
	for (uint32_t i = 1; is_ok && i < count; i++) {
		if (twins[i].content != twins[i - 1].content || twins[i].bytes != twins[i - 1].bytes)
			continue;
		struct report_source *later = &report->sources[twins[i].number];
		later->error = arena_printf(&report->arena, "holds the same bytes as %s: the same trace twice",
		                            report->sources[twins[i - 1].number].path);
		is_ok = later->error;
	}
	free(twins);
	return is_ok;
}
