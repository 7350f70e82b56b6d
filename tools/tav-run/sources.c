/* SPDX-License-Identifier: Apache-2.0 */
#include "sources.h"

#include <errno.h>
#include <fts.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <kit/text.h>
#include <run/list.h>
#include <run/read_report.h>

struct paths {
	const char **items;
	uint32_t count, capacity;
};

__attribute__((format(printf, 1, 2))) static bool say(const char *format, ...)
{
	va_list args;
	char text[8192];

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fputs("tav-run: error: ", stderr);
	text_print_escaped(stderr, text_of(text));
	putc('\n', stderr);
	return false;
}

static bool add_path(struct arguments *arguments, struct paths *paths, const char *path)
{
	if (paths->count == paths->capacity) {
		uint32_t capacity = paths->capacity ? paths->capacity * 2 : 64;
		const char **items = arena_array(&arguments->arena, capacity, sizeof(*items));

		if (!items)
			return say("out of memory");
		if (paths->count)
			memcpy(items, paths->items, paths->count * sizeof(*items));
		paths->items = items;
		paths->capacity = capacity;
	}
	paths->items[paths->count++] = path;
	return true;
}

static bool ends_with(const char *name, size_t size, const char *end)
{
	size_t length = strlen(end);

	return size > length && !memcmp(name + size - length, end, length);
}

/* Is it called as traces are? */
static bool is_trace_name(const char *name)
{
	static const char *const ends[] = {".json", ".pfw", ".trace", NULL};
	size_t size = strlen(name);

	if (*name == '.')
		return false;
	if (ends_with(name, size, ".gz"))
		size -= 3;
	for (const char *const *end = ends; *end; end++) {
		if (ends_with(name, size, *end))
			return true;
	}
	return false;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

struct search { /* of one directory */
	struct arguments *arguments;
	struct paths *paths;
	uint32_t found, report_count, folder_count;
};

/* False: said. */
static bool visit(struct search *search, FTS *stream, FTSENT *entry)
{
	if (entry->fts_level > 0 && entry->fts_name[0] == '.') {
		fts_set(stream, entry, FTS_SKIP);
		return true;
	}
	switch (entry->fts_info) {
	case FTS_D:
		if (entry->fts_level > 0 && !search->arguments->is_recursive) {
			search->folder_count++;
			fts_set(stream, entry, FTS_SKIP);
		}
		return true;
	case FTS_DNR:
	case FTS_ERR:
		return say("cannot search '%s': %s", entry->fts_path, strerror(entry->fts_errno));
	case FTS_F:
		break;
	default:
		return true;
	}
	if (!is_trace_name(entry->fts_name))
		return true;
	char *path = arena_copy(&search->arguments->arena, entry->fts_path, entry->fts_pathlen);
	if (!path)
		return say("out of memory");
	if (run_is_report(path)) {
		search->report_count++;
		return true;
	}
	search->found++;
	return add_path(search->arguments, search->paths, path);
}

static bool search_directory(struct arguments *arguments, struct paths *paths, const char *directory)
{
	struct search search = {.arguments = arguments, .paths = paths};
	size_t size = strlen(directory);
	bool is_ok = true;

	while (size > 1 && directory[size - 1] == '/')
		size--;
	char *roots[] = {arena_copy(&arguments->arena, directory, size), NULL};
	FTS *stream = roots[0] ? fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, by_name) : NULL;
	if (!stream)
		return say("cannot search '%s': %s", directory, strerror(errno));
	for (;;) {
		errno = 0;
		FTSENT *entry = fts_read(stream);
		if (!entry && errno)
			is_ok = say("cannot search '%s': %s", directory, strerror(errno));
		if (!entry || !is_ok)
			break;
		is_ok = visit(&search, stream, entry);
	}
	fts_close(stream);
	if (is_ok && search.report_count && arguments->run.verbosity >= 0)
		fprintf(stderr, "tav-run: note: %u report%s of tav's own in %s left out\n", search.report_count,
		        search.report_count == 1 ? "" : "s", search.report_count == 1 ? "there is" : "there are");
	if (is_ok && !search.found)
		return say("the directory '%s' has no traces (*.json, *.pfw, *.trace, also with .gz)%s", directory,
		           search.folder_count ? "; its folders were not searched (-r does)" : "");
	return is_ok;
}

static bool expand(struct arguments *arguments, struct paths *paths)
{
	for (uint32_t i = 0; i < arguments->operand_count; i++) {
		const char *operand = arguments->operands[i];
		struct stat status;
		bool is_directory = strcmp(operand, "-") && !stat(operand, &status) && S_ISDIR(status.st_mode);

		if (!(is_directory ? search_directory(arguments, paths, operand) : add_path(arguments, paths, operand)))
			return false;
	}
	return true;
}

static bool read_list(struct arguments *arguments, struct list *list)
{
	struct causes causes = {0};
	tav_status status = list_read(list, arguments->list_path, &arguments->arena, &causes);

	if (status)
		causes_print(stderr, &causes, "tav-run", 0);
	causes_clear(&causes);
	if (status)
		return false;
	if (!list->count)
		return say("the list '%s' is empty", arguments->list_path);
	arguments->run.list_hash = list->hash;
	return true;
}

static uint32_t *parts_of(struct arguments *arguments, const struct list *list, uint32_t n)
{
	uint32_t *parts = arena_array(&arguments->arena, list->count, sizeof(*parts));

	return parts && list_parts(list, n, parts) ? parts : NULL;
}

static bool take_part(struct arguments *arguments, const struct list *list, struct paths *paths)
{
	struct run_options *run = &arguments->run;

	if (run->part_n > list->count)
		return say("--part: the list '%s' has %u line%s, so it cannot be cut into %u parts",
		           arguments->list_path, list->count, list->count == 1 ? "" : "s", run->part_n);
	const uint32_t *parts = parts_of(arguments, list, run->part_n);
	if (!parts)
		return say("out of memory");
	for (uint32_t i = 0; i < list->count; i++) {
		if (parts[i] == run->part_k && !strcmp(list->lines[i].path, "-"))
			return say("--part: standard input (-) cannot be in the list '%s'", arguments->list_path);
		if (parts[i] == run->part_k && !add_path(arguments, paths, list->lines[i].path))
			return false;
	}
	return true;
}

static bool find_reports(struct arguments *arguments, struct paths *reports)
{
	for (uint32_t i = 0; i < arguments->parts_count; i++) {
		glob_t found = {0};
		bool is_ok = true;
		int status = glob(arguments->parts[i], 0, NULL, &found);

		if (status == GLOB_NOMATCH)
			is_ok = say("--parts: there is no file '%s'", arguments->parts[i]);
		else if (status)
			is_ok = say("--parts: cannot search for '%s'", arguments->parts[i]);
		for (size_t j = 0; is_ok && j < found.gl_pathc; j++) {
			char *path = arena_copy(&arguments->arena, found.gl_pathv[j], strlen(found.gl_pathv[j]));

			is_ok = path && add_path(arguments, reports, path);
		}
		globfree(&found);
		if (!is_ok)
			return false;
	}
	return true;
}

static bool combine_parts(struct arguments *arguments, const struct list *list, struct paths *paths)
{
	struct run_options *run = &arguments->run;
	struct paths reports = {0};

	if (!find_reports(arguments, &reports))
		return false;
	run->parts = reports.items;
	run->part_count = reports.count;
	run->list = list;
	for (uint32_t i = 0; i < list->count; i++) {
		if (!add_path(arguments, paths, list->lines[i].path))
			return false;
	}
	return true;
}

bool sources_find(struct arguments *arguments)
{
	struct paths paths = {0};
	struct list *list = &arguments->list;
	bool is_ok = true;

	if (!arguments->list_path)
		is_ok = expand(arguments, &paths);
	else if (!read_list(arguments, list))
		is_ok = false;
	else if (arguments->run.part_n)
		is_ok = take_part(arguments, list, &paths);
	else if (arguments->parts_count)
		is_ok = combine_parts(arguments, list, &paths);
	else {
		for (uint32_t i = 0; is_ok && i < list->count; i++)
			is_ok = add_path(arguments, &paths, list->lines[i].path);
		is_ok = is_ok && expand(arguments, &paths);
	}
	arguments->run.traces = paths.items;
	arguments->run.trace_count = paths.count;
	unsigned stdin_count = arguments->list_path && !strcmp(arguments->list_path, "-");
	for (uint32_t i = 0; i < paths.count; i++)
		stdin_count += !strcmp(paths.items[i], "-");
	return is_ok && (stdin_count < 2 || say("standard input (-) can be read only once"));
}

bool sources_print_list(FILE *out, const struct arguments *arguments)
{
	for (uint32_t i = 0; i < arguments->run.trace_count; i++) {
		const char *path = arguments->run.traces[i];
		struct stat status;
		char *real = strcmp(path, "-") ? realpath(path, NULL) : NULL;

		if (!strcmp(path, "-") || !real || stat(real, &status)) {
			free(real);
			return say("'%s' cannot be in a list: %s", path,
			           strcmp(path, "-") ? strerror(errno) : "it has no path");
		}
		if (strpbrk(real, "\n\r")) {
			free(real);
			return say("'%s' cannot be in a list: its path has a line end", path);
		}
		fprintf(out, "%llu\t%s\n", (unsigned long long)status.st_size, real);
		free(real);
	}
	return true;
}
