/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <plugin/adopt.h>
#include <plugin/look.h>

struct directory_id { /* the same directory under two names is searched once */
	struct directory_id *next;
	dev_t device;
	ino_t inode;
};

static struct plugin_file *add_file(struct registry *registry, const char *path)
{
	struct plugin_file *file = arena_alloc(&registry->arena, sizeof(*file)), **end = &registry->files;
	char *copy = arena_copy(&registry->arena, path, strlen(path));

	if (!file || !copy)
		return NULL;
	file->path = copy;
	file->directory = registry->directory_count;
	while (*end)
		end = &(*end)->next;
	*end = file;
	return file;
}

static const char *folder_of(struct registry *registry, const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? arena_copy(&registry->arena, path, (size_t)(slash - path) + (slash == path)) : ".";
}

static bool open_file(struct registry *registry, struct plugin_file *file)
{
	return file->is_open || file->refused || plugin_open(registry, file);
}

struct plugin_file *registry_load(struct registry *registry, const char *path)
{
	registry->directory_count++;
	struct plugin_file *file = add_file(registry, path);
	const char *folder = file ? folder_of(registry, path) : NULL;

	if (!folder)
		return NULL;
	file->refused = look_at_file(registry, path);
	if (!file->refused)
		file->refused = look_at_folder(registry, folder);
	return !registry->trouble && look_at_plugins(registry, &file, 1) && open_file(registry, file) ? file : NULL;
}

struct plugin_file *registry_add(struct registry *registry, const struct tav_plugin *plugin, const char *path)
{
	registry->directory_count++;
	struct plugin_file *file = add_file(registry, path);
	return file && plugin_adopt(registry, file, plugin) ? file : NULL;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static tav_status fail(const struct registry *registry, const char *directory, struct causes *causes)
{
	return cause_add(causes, "cannot look at the plugins of '%s': %s", directory,
	                 registry->trouble ? registry->trouble : "out of memory");
}

static tav_status look_at_names(struct registry *registry, const char *directory, const char **names, size_t count,
                                struct causes *causes)
{
	const char *refused = look_at_folder(registry, directory);
	struct plugin_file **files = arena_array(&registry->arena, count, sizeof(*files));

	qsort(names, count, sizeof(*names), compare_names);
	for (size_t i = 0; files && i < count; i++) {
		char *path = arena_printf(&registry->arena, "%s/%s", directory, names[i]);

		files[i] = path ? add_file(registry, path) : NULL;
		if (!files[i])
			return fail(registry, directory, causes);
		files[i]->refused = refused ? refused : look_at_file(registry, path);
	}
	if (!files || registry->trouble || !look_at_plugins(registry, files, (uint32_t)count))
		return fail(registry, directory, causes);
	return TAV_OK;
}

/* True: this directory was searched before, under whatever name. */
static bool is_known(const struct registry *registry, const struct stat *status)
{
	for (const struct directory_id *id = registry->directories; id; id = id->next) {
		if (id->device == status->st_dev && id->inode == status->st_ino)
			return true;
	}
	return false;
}

tav_status registry_scan(struct registry *registry, const char *directory, bool is_named, struct causes *causes)
{
	struct stat status;
	size_t count = 0, capacity = 0;
	const char **names = NULL;
	DIR *stream = opendir(*directory ? directory : ".");

	if (!stream || fstat(dirfd(stream), &status)) {
		int error = errno;

		if (stream)
			closedir(stream);
		if (!is_named && !look_is_trouble(error))
			return TAV_OK;
		return cause_add(causes, "cannot search the plugin directory '%s': %s", directory, strerror(error));
	}
	bool is_new = !is_known(registry, &status);
	struct directory_id *id = is_new ? arena_alloc(&registry->arena, sizeof(*id)) : NULL;
	if (!id) {
		closedir(stream);
		return is_new ? fail(registry, directory, causes) : TAV_OK;
	}
	*id = (struct directory_id){registry->directories, status.st_dev, status.st_ino};
	registry->directories = id;
	registry->directory_count++;
	tav_status result = TAV_OK;
	for (struct dirent *entry = readdir(stream); entry && !result; entry = readdir(stream)) {
		size_t size = strlen(entry->d_name);

		if (size < 4 || entry->d_name[0] == '.' || strcmp(entry->d_name + size - 3, ".so"))
			continue;
		if (count == capacity) {
			capacity = capacity ? capacity * 2 : 16;
			const char **larger = realloc(names, capacity * sizeof(*names));
			if (!larger)
				result = fail(registry, directory, causes);
			else
				names = larger;
		}
		char *name = result ? NULL : arena_copy(&registry->arena, entry->d_name, size);
		if (name)
			names[count++] = name;
		else
			result = fail(registry, directory, causes);
	}
	closedir(stream);
	if (!result && count)
		result = look_at_names(registry, directory, names, count, causes);
	free(names);
	return result;
}

static bool refuse_pair(struct registry *registry, struct plugin_file *a, struct plugin_file *b, const char *what,
                        const char *name)
{
	struct plugin_file *pair[2] = {a, b};

	for (int i = 0; i < 2; i++) {
		if (pair[i]->refused)
			continue;
		pair[i]->refused = arena_printf(&registry->arena, "the %s '%s' is also in %s, in the same directory",
		                                what, name, pair[!i]->path);
		if (!pair[i]->refused)
			return false;
	}
	return true;
}

bool registry_settle(struct registry *registry)
{
	for (struct plugin_file *a = registry->files; a; a = a->next) {
		for (struct plugin_file *b = a->next; b && b->directory == a->directory; b = b->next) {
			if (a->name && b->name && !strcmp(a->name, b->name) &&
			    !refuse_pair(registry, a, b, "plugin", a->name))
				return false;
		}
	}
	for (struct part *a = registry->parts; a; a = a->next) {
		for (struct part *b = a->next; b; b = b->next) {
			if (a->is_dialect != b->is_dialect || strcmp(a->name, b->name) || a->file == b->file ||
			    a->file->directory != b->file->directory)
				continue;
			if (!refuse_pair(registry, (struct plugin_file *)(uintptr_t)a->file,
			                 (struct plugin_file *)(uintptr_t)b->file, a->is_dialect ? "dialect" : "stage",
			                 a->name))
				return false;
		}
	}
	for (struct part *a = registry->parts; a; a = a->next) {
		const struct part *first = registry_look(registry, a->is_dialect, a->name);

		a->shadowed_by = !a->file->refused && first && first != a ? first->file->path : NULL;
	}
	return true;
}

const struct part *registry_look(const struct registry *registry, bool is_dialect, const char *name)
{
	for (const struct part *part = registry->parts; part; part = part->next) {
		if (part->is_dialect == is_dialect && !part->file->refused && !strcmp(part->name, name))
			return part; /* the first of the search */
	}
	return NULL;
}

const struct part *registry_find(struct registry *registry, bool is_dialect, const char *name)
{
	const struct part *part = registry_look(registry, is_dialect, name);

	if (part && !open_file(registry, (struct plugin_file *)(uintptr_t)part->file))
		return NULL;
	return part && !part->file->refused ? part : NULL;
}

bool registry_open_all(struct registry *registry)
{
	for (struct plugin_file *file = registry->files; file; file = file->next) {
		if (!open_file(registry, file))
			return false;
	}
	return true;
}

const struct plugin_file *registry_find_refused(const struct registry *registry, const char *name)
{
	for (const struct part *part = registry->parts; part; part = part->next) {
		if (part->file->refused && !strcmp(part->name, name))
			return part->file;
	}
	for (const struct plugin_file *file = registry->files; file; file = file->next) {
		const char *slash = strrchr(file->path, '/'), *base = slash ? slash + 1 : file->path;
		size_t size = strlen(name);

		if (file->refused && !strncmp(base, name, size) && !strcmp(base + size, ".so"))
			return file;
	}
	return NULL;
}

const char *const *registry_names(struct registry *registry, bool is_dialect)
{
	size_t count = 0;

	for (const struct part *part = registry->parts; part; part = part->next)
		count++;
	const char **names = arena_array(&registry->arena, count + 1, sizeof(*names));
	if (!names)
		return NULL;
	count = 0;
	for (const struct part *part = registry->parts; part; part = part->next) {
		if (part->is_dialect == is_dialect && !part->file->refused && !part->shadowed_by)
			names[count++] = part->name;
	}
	return names;
}

void registry_fini(struct registry *registry)
{
	arena_fini(&registry->arena);
	*registry = (struct registry){0};
}
