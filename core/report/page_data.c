/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page keeps to its bytes: of many sources the worst keep their pictures, then rows and instances go, those of the
 * sources that matter less first, and at last more pictures.
 */
#include <stdlib.h>
#include <string.h>

#include <kit/memory_file.h>
#include <report/json_out.h>
#include <report/page_data.h>
#include <report/writers.h>

enum { MOST_PICTURES = 32, HEAD_BYTES = 1000 };

static const struct {
	struct page_limit whole, other;
} levels[] = {{{UINT64_MAX, UINT64_MAX, false}, {UINT64_MAX, UINT64_MAX, false}},
              {{200, 100, false}, {20, 3, false}},
              {{100, 40, false}, {5, 1, false}},
              {{50, 20, false}, {0, 0, false}},
              {{20, 10, false}, {0, 0, true}},
              {{5, 3, false}, {0, 0, true}}};
enum { LEVELS = sizeof(levels) / sizeof(levels[0]) };

struct page {
	struct report report; /* with the pictures that stay; sources are copies, their results are not */
	uint32_t count;       /* of sources and baselines */
	uint32_t *order;      /* the worst first */
	bool *is_whole;
	struct page_limits limits;
	unsigned level;
	uint64_t picture_count, pictures_kept;
	char *json;
	size_t size, escapes;
};

static int compare_words(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/* The order in which sources matter: by verdict, then as they were given. */
static bool find_order(struct page *page)
{
	uint64_t *keys = calloc(page->count + 1u, sizeof(*keys));

	page->order = calloc(page->count + 1u, sizeof(*page->order));
	for (uint32_t i = 0; keys && page->order && i < page->count; i++)
		keys[i] = (uint64_t)(VERDICT_ERROR - report_source_verdict(&page->report, i)) << 32 | i;
	if (keys && page->order)
		qsort(keys, page->count, sizeof(*keys), compare_words);
	for (uint32_t i = 0; keys && page->order && i < page->count; i++)
		page->order[i] = (uint32_t)keys[i];
	free(keys);
	return page->order;
}

static void drop_picture(struct page *page, struct report_source *source)
{
	page->pictures_kept -= source->picture != NULL;
	source->picture = NULL;
	source->picture_size = 0;
}

static bool open_page(struct page *page, const struct report *report, bool is_anonymous)
{
	page->report = *report;
	page->count = report->source_count + report->baseline_count;
	page->report.sources = calloc(page->count + 1u, sizeof(*page->report.sources));
	page->is_whole = calloc(page->count + 1u, sizeof(*page->is_whole));
	page->limits = (struct page_limits){.is_whole = page->is_whole, .is_anonymous = is_anonymous};
	if (!page->report.sources || !page->is_whole)
		return false;
	if (page->count)
		memcpy(page->report.sources, report->sources, page->count * sizeof(*page->report.sources));
	if (!find_order(page))
		return false;
	for (uint32_t i = 0; i < page->count; i++) {
		struct report_source *source = &page->report.sources[page->order[i]];
		bool is_shown = page->pictures_kept < MOST_PICTURES;

		page->is_whole[page->order[i]] = i < MOST_PICTURES;
		page->picture_count += source->picture != NULL;
		page->pictures_kept += source->picture != NULL;
		if (!is_shown)
			drop_picture(page, source);
	}
	return true;
}

static void close_page(struct page *page)
{
	free(page->report.sources);
	free(page->order);
	free(page->is_whole);
	free(page->json);
}

/* The report as it goes into the page, and its size there. */
static bool write_level(struct page *page)
{
	struct memory_file memory;
	bool is_ok;

	free(page->json);
	page->json = NULL;
	if (!memory_file_open(&memory))
		return false;
	page->limits.whole = levels[page->level].whole;
	page->limits.other = levels[page->level].other;
	is_ok = write_json_within(&page->report, &page->limits, memory.out);
	is_ok &= memory_file_close(&memory);
	page->json = memory.text;
	page->size = memory.size;
	page->escapes = 0;
	for (const char *at = page->json; is_ok && (at = memchr(at, '<', (size_t)(page->json + page->size - at))); at++)
		page->escapes++;
	return is_ok;
}

static size_t page_size(const struct page *page)
{
	return page->size + page->escapes * 5; /* \u003c */
}

/* Goes through the levels, then takes away pictures, those of the best sources first. */
static bool fit(struct page *page, size_t room)
{
	size_t left;

	do {
		if (!write_level(page))
			return false;
	} while (page_size(page) > room && ++page->level < LEVELS);
	if (page->level < LEVELS)
		return true;
	page->level = LEVELS - 1;
	left = page_size(page);
	for (uint32_t i = page->count; i-- > 0 && left > room;) {
		struct report_source *source = &page->report.sources[page->order[i]];

		left -= source->picture_size < left ? source->picture_size : left;
		drop_picture(page, source);
	}
	return write_level(page);
}

struct kept {
	uint64_t kept, all;
};

static void add_kept(struct kept *kept, uint64_t count, uint64_t most)
{
	kept->kept += count < most ? count : most;
	kept->all += count;
}

static void count_kept(const struct results *results, struct page_limit limit, struct kept *rows,
                       struct kept *instances)
{
	for (uint32_t i = 0; i < results->stage_count; i++) {
		const struct stage_results *told = &results->stages[i];

		for (uint32_t k = 0; k < told->finding_count; k++)
			add_kept(instances, told->findings[k]->shown.instance_count, limit.instances);
		for (uint32_t k = 0; k < told->table_count; k++) {
			if (told->tables[k]->show != TAV_SHOW_DATA)
				add_kept(rows, told->tables[k]->shown.row_count, limit.rows);
		}
	}
}

static void put_cut(struct json_out *json, const char *what, struct kept kept, const char *why)
{
	if (kept.kept == kept.all)
		return;
	emit_open(json, NULL, '{');
	emit_chars(json, "what", what);
	emit_size(json, "kept", kept.kept);
	emit_size(json, "of", kept.all);
	emit_chars(json, "why", why);
	emit_close(json, '}');
}

static void put_head(const struct page *page, uint64_t max_bytes, size_t over, FILE *out)
{
	struct json_out json = {.out = out, .is_compact = true};
	struct kept rows = {0}, instances = {0}, told = {0};

	for (uint32_t i = 0; i < page->count; i++) {
		struct page_limit limit = limit_of(&page->limits, i);

		add_kept(&told, 1, !limit.is_left_out);
		count_kept(&page->report.sources[i].results, limit, &rows, &instances);
	}
	count_kept(&page->report.run, page->limits.whole, &rows, &instances);
	emit_open(&json, NULL, '{');
	emit_chars(&json, "schema", "tav-html/1");
	emit_bool(&json, "anonymous", page->limits.is_anonymous);
	emit_size(&json, "max_bytes", max_bytes);
	emit_open(&json, "cut", '[');
	put_cut(&json, "pictures", (struct kept){page->pictures_kept, page->picture_count},
	        page->picture_count > MOST_PICTURES ? "of many traces the 32 worst at most have a picture"
	                                            : "the others would not keep to max_bytes");
	put_cut(&json, "sources", told, "of the other traces only the verdict and what the file is");
	put_cut(&json, "instances", instances, "more instances of findings would not keep to max_bytes");
	put_cut(&json, "rows", rows, "more rows of tables would not keep to max_bytes");
	put_cut(&json, "bytes", (struct kept){max_bytes, max_bytes + over},
	        "verdicts, checks and metrics alone are more than max_bytes, and none of them is left out");
	emit_close(&json, ']');
	fputs(",\"report\":", out);
}

/* What could end the element is escaped; it stands in texts alone. */
static void print_escaped(FILE *out, const char *json, size_t size)
{
	const char *end = json + size;

	for (const char *found; (found = memchr(json, '<', (size_t)(end - json))); json = found + 1) {
		fwrite(json, 1, (size_t)(found - json), out);
		fputs("\\u003c", out);
	}
	fwrite(json, 1, (size_t)(end - json), out);
}

bool write_page_data(const struct report *report, const struct report_style *style, size_t used, FILE *out)
{
	uint64_t max_bytes = style->max_bytes ? style->max_bytes : PAGE_MAX_BYTES;
	size_t room = max_bytes > used + HEAD_BYTES ? (size_t)max_bytes - used - HEAD_BYTES : 0;
	struct page page = {0};
	bool is_ok = open_page(&page, report, style->is_anonymous) && fit(&page, room);

	if (is_ok) {
		put_head(&page, max_bytes, page_size(&page) > room ? page_size(&page) - room : 0, out);
		print_escaped(out, page.json, page.size);
		fputs("}\n", out);
	}
	close_page(&page);
	return is_ok;
}
