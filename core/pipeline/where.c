/* SPDX-License-Identifier: Apache-2.0 */
/* Where the files of this program are, wherever its tree was put. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pipeline/load.h>

/* The directory that holds the program; NULL: not known. */
static char *program_directory(struct arena *arena)
{
	char path[4096];
	ssize_t size = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (size <= 0)
		return NULL;
	path[size] = '\0';
	char *slash = strrchr(path, '/');
	return slash ? arena_copy(arena, path, (size_t)(slash - path)) : NULL;
}

/* The installed place, else the one in the build tree. */
static const char *beside(struct arena *arena, const char *installed, const char *built)
{
	const char *bin = program_directory(arena);
	const char *path = bin ? path_resolve(bin, installed, arena) : NULL;

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

const char *user_plugin_directory(struct arena *arena)
{
	const char *data = secure_getenv("XDG_DATA_HOME"), *home = secure_getenv("HOME");

	if (data && *data == '/') /* the specification has relative ones ignored */
		return arena_printf(arena, "%s/tav/plugins", data);
	return home && *home == '/' ? arena_printf(arena, "%s/.local/share/tav/plugins", home) : NULL;
}
