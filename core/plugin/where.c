/* SPDX-License-Identifier: Apache-2.0 */
/* Where the files of this program are, wherever its tree was put. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <plugin/load.h>

/* The directory that holds the program; "": not known. NULL: no memory. */
static char *program_directory(struct arena *arena)
{
	/* A bare chroot has no /proc: there, what the program was started as, which execve() hands over. */
	char *path = realpath("/proc/self/exe", NULL);
	const char *started = path ? NULL : (const char *)getauxval(AT_EXECFN);

	if (started)
		path = realpath(started, NULL);
	const char *slash = path ? strrchr(path, '/') : NULL;
	bool is_known = path || errno != ENOMEM;
	char *directory = is_known ? arena_copy(arena, slash ? path : "", slash ? (size_t)(slash - path) : 0) : NULL;
	free(path);
	return directory;
}

/* The installed place, else the one in the build tree. */
static const char *beside(struct arena *arena, const char *installed, const char *built)
{
	const char *bin = program_directory(arena);
	if (!bin || !*bin)
		return bin;
	const char *path = path_resolve(bin, installed, arena);

	if (path && access(path, F_OK))
		path = path_resolve(bin, built, arena);
	char *real = path ? realpath(path, NULL) : NULL;
	if (real)
		path = arena_copy(arena, real, strlen(real));
	free(real);
	return path;
}

const char *installed_plugin_directory(struct arena *arena)
{
	return beside(arena, TAV_BIN_TO_PLUGINS, "../plugins");
}

const char *installed_data_directory(struct arena *arena)
{
	return beside(arena, TAV_BIN_TO_DATA, "../share/tav");
}

/* Other files of that kind are data: a pipeline has stages. */
static bool is_pipeline(const char *directory, const char *name, struct arena *arena)
{
	const char *path = arena_printf(arena, "%s/%s", directory, name);
	FILE *file = path ? fopen(path, "re") : NULL;
	char line[512];
	bool is_found = false;

	while (file && !is_found && fgets(line, sizeof(line), file))
		is_found = !strncmp(line, "stages:", 7);
	if (file)
		fclose(file);
	return is_found;
}

const char *const *ready_pipelines(struct arena *arena)
{
	const char *directory = installed_data_directory(arena);
	struct dirent **entries = NULL;
	int count = directory ? scandir(directory, &entries, NULL, alphasort) : -1;
	const char **names = count >= 0 ? arena_array(arena, (size_t)count + 1, sizeof(*names)) : NULL;
	size_t found = 0;

	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		size_t size = strlen(name);

		if (names && size > 5 && !strcmp(name + size - 5, ".yaml") && is_pipeline(directory, name, arena))
			names[found++] = arena_copy(arena, name, size - 5);
		free(entries[i]);
	}
	free(entries);
	return names;
}

const char *user_plugin_directory(struct arena *arena)
{
	const char *data = secure_getenv("XDG_DATA_HOME"), *home = secure_getenv("HOME");

	if (data && *data == '/') /* the specification has relative ones ignored */
		return arena_printf(arena, "%s/tav/plugins", data);
	return home && *home == '/' ? arena_printf(arena, "%s/.local/share/tav/plugins", home) : "";
}
