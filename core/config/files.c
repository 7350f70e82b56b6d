/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No file of a run is lost to it: all that is read and all that is written is compared by device and inode before
 * anything is read. A file that does not exist yet is known by its folder and its name.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <config/template.h>

enum use { USE_WRITTEN, USE_SOURCE, USE_READ };
struct used_file {
	dev_t device;
	ino_t inode;      /* of the file; of its folder where it does not exist */
	const char *name; /* in that folder; NULL: it exists */
	enum use use;
	const char *what; /* "the trace" */
	const char *path;
	const char *source; /* that it is written for; NULL: for all */
	struct place place; /* text NULL: an argument */
	uint32_t number;    /* in the order in which they were added */
	bool is_folder;
};
struct used_files {
	struct arena arena;
	struct used_file *items;
	uint32_t count, capacity;
	bool is_out_of_memory;
};

static void add(struct used_files *files, struct used_file file, const struct stat *status)
{
	if (S_ISCHR(status->st_mode))
		return; /* a terminal, /dev/null */
	if (files->count == files->capacity) {
		uint32_t capacity = files->capacity ? files->capacity * 2 : 64;
		struct used_file *items = realloc(files->items, capacity * sizeof(*items));

		if (!items) {
			files->is_out_of_memory = true;
			return;
		}
		files->items = items;
		files->capacity = capacity;
	}
	file.device = status->st_dev;
	file.inode = status->st_ino;
	file.number = files->count;
	file.is_folder = S_ISDIR(status->st_mode);
	files->items[files->count++] = file;
}

static void add_stream(struct used_files *files, int fd, enum use use, const char *what)
{
	struct stat status;

	if (!fstat(fd, &status) && S_ISREG(status.st_mode))
		add(files, (struct used_file){.use = use, .what = what, .path = ""}, &status);
}

static void add_file(struct used_files *files, struct used_file file)
{
	const char *path = file.path;
	enum use use = file.use;
	struct stat status;

	if (!strcmp(path, "-")) {
		if (use != USE_WRITTEN)
			add_stream(files, STDIN_FILENO, use, "the file on standard input");
		return;
	}
	if (!stat(path, &status)) {
		add(files, file, &status);
		return;
	}
	if (use != USE_WRITTEN)
		return; /* that it cannot be read is told when it is opened */
	const char *slash = strrchr(path, '/');
	const char *folder = slash ? arena_copy(&files->arena, path, (size_t)(slash - path) + (slash == path)) : ".";
	file.name = slash ? slash + 1 : path;
	files->is_out_of_memory |= !folder;
	if (folder && !stat(folder, &status)) {
		add(files, file, &status);
	} else if (folder) { /* it will be made: by the path, with what no file has */
		file.name = path;
		add(files, file, &(struct stat){0});
	}
}

static void add_path(struct used_files *files, enum use use, const char *what, const char *path, struct place place)
{
	add_file(files, (struct used_file){.use = use, .what = what, .path = path, .place = place});
}

/* A file for all sources, or one for each of those that are known. */
static void add_report(struct used_files *files, const struct report_request *request, const struct config_files *read)
{
	if (!request->is_each)
		add_path(files, USE_WRITTEN, "the report", request->path, request->place);
	for (uint32_t i = 0; request->is_each && read->sources && i < read->source_count; i++) {
		const struct config_source *source = &read->sources[i];
		const char *path = template_fill(&files->arena, request->path, source->path, source->rank);

		files->is_out_of_memory |= !path;
		if (path && (!request->has_rank || source->rank >= 0 || read->has_ranks))
			add_file(files, (struct used_file){.use = USE_WRITTEN,
			                                   .what = "the report",
			                                   .path = path,
			                                   .source = source->path,
			                                   .place = request->place});
	}
}

static void add_options(struct used_files *files, const struct setup *setup)
{
	for (uint32_t i = 0; i < setup->part->option_count; i++) {
		const struct tav_option *option = &setup->part->options[i];
		const struct tav_value *value = setup->values[i];
		bool is_many = option->flags & TAV_OPT_MANY;
		const char *what =
		        arena_printf(&files->arena, "the %s of the option '%s.%s'",
		                     option->type == TAV_TYPE_INPUT ? "input" : "file", setup->id, option->name);

		files->is_out_of_memory |= !what;
		if (option->type != TAV_TYPE_INPUT && option->type != TAV_TYPE_FILE)
			continue;
		for (uint64_t j = 0; what && j < (is_many ? value->count : value->text.size > 0); j++) {
			const struct tav_value *one = is_many ? value->items[j] : value;

			if (one->text.size)
				add_path(files, USE_READ, what, one->text.data, setup->value_places[i]);
		}
	}
}

static bool has_end(const char *path, const char *end)
{
	size_t size = strlen(path), length = strlen(end);

	return size >= length && !strcmp(path + size - length, end);
}

static void add_all(struct used_files *files, const struct config *config, const struct config_files *read)
{
	static const struct place none = {0};

	for (uint32_t i = 0; i < config->report_count; i++)
		add_report(files, &config->reports[i], read);
	add_stream(files, STDOUT_FILENO, USE_WRITTEN, "standard output");
	add_stream(files, STDERR_FILENO, USE_READ,
	           "standard error"); /* appended to, maybe along with standard output */
	if (config->text && config->directory)
		add_path(files, USE_READ, "the config", config->text->name, none);
	for (uint32_t i = 0; i < read->trace_count; i++)
		add_path(files, USE_SOURCE, "the trace", read->traces[i], none);
	for (uint32_t i = 0; i < read->part_count; i++)
		add_path(files, USE_READ, "the part", read->parts[i], none);
	if (read->list)
		add_path(files, USE_READ, "the list", read->list, none);
	for (uint32_t i = 0; i < config->waiver_file_count; i++)
		add_path(files, USE_READ, "the waivers", config->waiver_files[i], none);
	for (uint32_t i = 0; i < config->stage_count; i++)
		add_options(files, &config->stages[i]);
	for (uint32_t i = 0; i < config->dialect_count; i++)
		add_options(files, &config->dialects[i]);
}

static int compare_keys(const struct used_file *a, const struct used_file *b)
{
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->inode != b->inode)
		return a->inode < b->inode ? -1 : 1;
	return strcmp(a->name ? a->name : "", b->name ? b->name : "");
}

static int compare(const void *a, const void *b)
{
	const struct used_file *first = a, *second = b;
	int order = compare_keys(first, second);

	if (order)
		return order;
	if (first->use != second->use)
		return first->use < second->use ? -1 : 1;
	return first->number < second->number ? -1 : 1;
}

static struct place place_of(const struct used_file *file, struct diags *diags)
{
	static const struct diag_text output = {"standard output", "", 0, true};

	if (file->place.text)
		return file->place;
	return *file->path ? argument_place(&diags->arena, "TRACE", file->path) : (struct place){.text = &output};
}

/* `files` are one and the same: those that are written first, then the sources. */
static void check_group(const struct used_file *files, uint32_t count, struct diags *diags)
{
	bool is_output = !*files[0].path; /* standard error may go the same way */

	for (uint32_t i = 1; i < count; i++) {
		const struct used_file *file = &files[i];

		if (files[0].source && file->source) {
			diag_error(diags, place_of(&files[0], diags), "two traces would be written to '%s': %s and %s",
			           file->path, files[0].source, file->source);
			return;
		}
		if (files[0].use == USE_WRITTEN && !(is_output && !strcmp(file->what, "standard error"))) {
			diag_error(diags, place_of(&files[0], diags), "it would overwrite %s '%s'", file->what,
			           *file->path ? file->path : files[0].path);
			return;
		}
		if (files[0].use == USE_SOURCE && file->use == USE_SOURCE)
			diag_error(diags, place_of(file, diags), "the same file as '%s'; a source counts once",
			           *files[0].path ? files[0].path : "-");
	}
}

/* A report that fills a folder with csv files must not meet one that the run uses. */
static void check_folder(const struct used_files *files, const struct used_file *folder, struct diags *diags)
{
	struct stat status;

	if (!path_is_folder(folder->path) || stat(folder->path, &status))
		return;
	for (uint32_t i = 0; i < files->count; i++) {
		const struct used_file *file = &files->items[i];
		const char *slash = strrchr(file->path, '/');
		const char *where =
		        slash ? arena_copy(&diags->arena, file->path, (size_t)(slash - file->path) + 1) : ".";
		struct stat parent;

		diags->is_out_of_memory |= !where;
		if (where && has_end(file->path, ".csv") && !stat(where, &parent) && parent.st_dev == status.st_dev &&
		    parent.st_ino == status.st_ino)
			diag_error(diags, place_of(folder, diags),
			           "its files could overwrite %s '%s': name another folder", file->what, file->path);
	}
}

static void check_standard_input(const struct config *config, const struct config_files *read, struct diags *diags)
{
	unsigned count = read->list && !strcmp(read->list, "-");

	for (uint32_t i = 0; i < read->trace_count; i++)
		count += !strcmp(read->traces[i], "-");
	for (uint32_t i = 0; i < config->stage_count; i++) {
		const struct setup *setup = &config->stages[i];

		for (uint32_t j = 0; j < setup->part->option_count; j++) {
			const struct tav_value *value = setup->values[j];

			if (setup->part->options[j].type != TAV_TYPE_INPUT)
				continue;
			count += value->text.size == 1 && *value->text.data == '-';
			for (uint64_t k = 0; k < value->count; k++)
				count += value->items[k]->text.size == 1 && *value->items[k]->text.data == '-';
		}
	}
	if (count > 1)
		diag_error(diags, argument_place(&diags->arena, "-", ""), "standard input can be read only once");
}

void config_check_files(const struct config *config, const struct config_files *read, struct diags *diags)
{
	struct used_files files = {0};

	add_all(&files, config, read);
	diags->is_out_of_memory |= files.is_out_of_memory;
	if (files.count)
		qsort(files.items, files.count, sizeof(*files.items), compare);
	for (uint32_t i = 0, end; i < files.count; i = end) {
		end = i + 1;
		while (end < files.count && !compare_keys(&files.items[i], &files.items[end]))
			end++;
		check_group(&files.items[i], end - i, diags);
	}
	for (uint32_t i = 0; i < files.count; i++) {
		const struct used_file *file = &files.items[i];

		if (file->use == USE_WRITTEN && path_is_folder(file->path))
			check_folder(&files, file, diags);
		else if (file->use == USE_WRITTEN && file->is_folder && !file->name)
			diag_error(diags, place_of(file, diags), "'%s' is a folder, and a report is a file",
			           file->path);
	}
	check_standard_input(config, read, diags);
	free(files.items);
	arena_fini(&files.arena);
}
