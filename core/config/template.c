/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <config/template.h>

enum word { WORD_TRACE, WORD_STEM, WORD_RANK, WORD_COUNT };
static const char *const words[] = {"trace", "stem", "rank"};

bool path_is_folder(const char *path)
{
	size_t size = strlen(path);

	return size && path[size - 1] == '/';
}

/* The word at the '{' there; WORD_COUNT: none of ours. `*size`: from brace to brace; 0: it is never closed. */
static enum word word_at(const char *brace, size_t *size)
{
	const char *end = strchr(brace, '}');
	unsigned word = 0;

	*size = end ? (size_t)(end - brace) + 1 : 0;
	while (word < WORD_COUNT &&
	       (strlen(words[word]) + 2 != *size || memcmp(words[word], brace + 1, *size - 2) != 0))
		word++;
	return (enum word)word;
}

/* The folder of a path, or of one with words the part before them; made when it is written. */
static const char *folder_of(struct config *config, const struct report_request *request)
{
	size_t size = request->is_each ? strcspn(request->path, "{") : strlen(request->path);

	while (size && request->path[size - 1] != '/')
		size--;
	while (size > 1 && request->path[size - 1] == '/')
		size--;
	return size ? arena_copy(&config->arena, request->path, size) : ".";
}

/* Told before a trace of hours is read, not after it. */
static void check_folder(struct config *config, const struct report_request *request, struct diags *diags)
{
	bool is_made = request->is_each || request->format->write_folder;
	const char *folder = folder_of(config, request);
	struct stat status;
	bool is_there;

	while (folder && !(is_there = !stat(folder, &status)) && is_made && strchr(folder, '/')) {
		const char *slash = strrchr(folder, '/'); /* its own folder, up to one that is there */

		folder = slash == folder ? "/" : arena_copy(&config->arena, folder, (size_t)(slash - folder));
	}
	if (!folder)
		diags->is_out_of_memory = true;
	else if (is_there && !S_ISDIR(status.st_mode))
		diag_error(diags, request->place, "'%s' is no folder, and this report wants one", folder);
	else if (!is_there && !is_made)
		diag_error(diags, request->place, "there is no folder '%s' for this report", folder);
	else if (is_made && access(is_there ? folder : ".", W_OK))
		diag_error(diags, request->place, "nothing can be written to the folder '%s'", is_there ? folder : ".");
}

void template_settle(struct config *config, struct report_request *request, struct diags *diags)
{
	const struct report_format *format = request->format;
	size_t size;

	for (const char *at = request->path; (at = strchr(at, '{')); at += size ? size : 1) {
		enum word word = word_at(at, &size);

		if (size && word == WORD_COUNT)
			diag_error(diags, request->place,
			           "there is no %.*s: a path may hold {trace}, {stem} and {rank}", (int)size, at);
		request->is_each |= size > 0;
		request->has_rank |= size && word == WORD_RANK;
	}
	if (path_is_folder(request->path) && format->write && !format->write_folder)
		diag_error(diags, request->place,
		           "'%s' names a folder; a %s report is a file (a file for each trace: %s{stem}.%s)",
		           request->path, format->name, request->path, format->name);
	else
		check_folder(config, request, diags);
}

static const char *stem_of(struct arena *arena, const char *name)
{
	size_t size = strlen(name);

	if (size > 3 && !strcmp(name + size - 3, ".gz"))
		size -= 3;
	for (size_t dot = size; dot-- > 1;) {
		if (name[dot] == '.') {
			size = dot;
			break;
		}
	}
	return arena_copy(arena, name, size);
}

static const char *value_of(struct arena *arena, enum word word, const char *source, int64_t rank)
{
	const char *slash = strrchr(source, '/'), *name = !strcmp(source, "-") ? "stdin" : slash ? slash + 1 : source;

	return word == WORD_TRACE  ? name
	       : word == WORD_STEM ? stem_of(arena, name)
	       : rank < 0          ? "norank"
	                           : arena_printf(arena, "%" PRId64, rank);
}

const char *template_fill(struct arena *arena, const char *path, const char *source, int64_t rank)
{
	const char *filled = "";

	while (filled) {
		size_t plain = strcspn(path, "{"), size = 0;
		enum word word = path[plain] ? word_at(path + plain, &size) : WORD_COUNT;

		if (word == WORD_COUNT) {
			plain += path[plain] != '\0';
			filled = arena_printf(arena, "%s%.*s", filled, (int)plain, path);
			if (!path[plain])
				return filled;
			path += plain;
			continue;
		}
		const char *value = value_of(arena, word, source, rank);
		filled = value ? arena_printf(arena, "%s%.*s%s", filled, (int)plain, path, value) : NULL;
		path += plain + size;
	}
	return NULL;
}
