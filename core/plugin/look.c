/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dlopen() runs code of the file. So all files of a folder are first opened in a forked process, which sends back what
 * they declare. If that process dies, each file gets one of its own, and the one that dies is the one to blame.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kit/crash.h>
#include <kit/memory_file.h>
#include <plugin/adopt.h>
#include <plugin/look.h>

enum {
	PATIENCE_MS = 10000,   /* for one file */
	MOST_RECORD = 16 << 20 /* bytes that a file's names can take */
};
#define NO_TEXT UINT32_MAX

struct record { /* what the process sends of one file: numbers, and texts with their size before them */
	char *data;
	size_t size, at;
	bool is_bad;
};

static bool adopt_object(struct registry *registry, struct plugin_file *file)
{
	/* A path without a slash would be searched for in the system's directories. */
	const char *path = strchr(file->path, '/') ? file->path : path_resolve(".", file->path, &registry->arena);
	if (!path)
		return false;
	void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!object) {
		const char *why = dlerror();

		file->refused = arena_printf(&registry->arena, "cannot be loaded: %s", why ? why : "no reason given");
		return file->refused != NULL;
	}
	const struct tav_plugin *plugin = dlsym(object, "tav_plugin");
	if (!plugin) {
		file->refused = "not a tav plugin (it has no symbol 'tav_plugin')";
		return true;
	}
	return plugin_adopt(registry, file, plugin);
}

/* ---- in the forked process ---- */

static void put_number(FILE *out, uint32_t number)
{
	fwrite(&number, sizeof(number), 1, out);
}

static void put_text(FILE *out, const char *text)
{
	put_number(out, text ? (uint32_t)strlen(text) : (uint32_t)NO_TEXT);
	fwrite(text ? text : "", 1, text ? strlen(text) : 0, out);
}

static void put_file(FILE *out, const struct registry *registry, const struct plugin_file *file)
{
	uint32_t count = 0;

	put_text(out, file->refused);
	put_text(out, file->name);
	put_text(out, file->version);
	put_text(out, file->license);
	put_number(out, file->abi_major);
	put_number(out, file->abi_minor);
	for (const struct part *part = registry->parts; part; part = part->next)
		count += part->file == file;
	put_number(out, count);
	for (const struct part *part = registry->parts; part; part = part->next) {
		if (part->file != file)
			continue;
		put_number(out, part->is_dialect);
		put_text(out, part->name);
		put_text(out, part->summary);
	}
}

static bool send_all(int fd, const char *data, size_t size)
{
	while (size) {
		ssize_t done = write(fd, data, size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		data += done;
		size -= (size_t)done;
	}
	return true;
}

static bool send_file(int fd, struct plugin_file *file)
{
	struct registry registry = {0}; /* never freed: the process ends */
	struct memory_file record;
	uint32_t length;

	if (!memory_file_open(&record) || !adopt_object(&registry, file))
		return false;
	put_file(record.out, &registry, file);
	if (!memory_file_close(&record) || record.size > MOST_RECORD)
		return false;
	length = (uint32_t)record.size;
	return send_all(fd, (const char *)&length, sizeof(length)) && send_all(fd, record.text, record.size);
}

static _Noreturn void look_in_child(int fd, struct plugin_file *const *files, uint32_t count)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	crash_forget();
	for (int i = 0; null >= 0 && i <= STDERR_FILENO; i++)
		dup2(null,
		     i); /* what a file prints when it is opened is not for this program's readers, and not twice */
	for (uint32_t i = 0; i < count; i++) {
		if (!files[i]->refused && !send_file(fd, files[i]))
			_exit(1);
	}
	_exit(0);
}

/* ---- in this process ---- */

static bool receive(int fd, void *data, size_t size)
{
	char *at = data;

	while (size) {
		struct pollfd wait = {.fd = fd, .events = POLLIN};
		int ready = poll(&wait, 1, PATIENCE_MS);
		ssize_t got = ready > 0 ? read(fd, at, size) : -1;

		if ((ready < 0 || (ready > 0 && got < 0)) && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += got;
		size -= (size_t)got;
	}
	return true;
}

static bool receive_record(struct registry *registry, int fd, struct record *record)
{
	uint32_t length;

	*record = (struct record){0};
	if (!receive(fd, &length, sizeof(length)) || length > MOST_RECORD)
		return false;
	record->data = arena_alloc(&registry->arena, length);
	record->size = length;
	return record->data && receive(fd, record->data, length);
}

static uint32_t get_number(struct record *record)
{
	uint32_t number = 0;

	if (record->size - record->at < sizeof(number)) {
		record->is_bad = true;
		return 0;
	}
	memcpy(&number, record->data + record->at, sizeof(number));
	record->at += sizeof(number);
	return number;
}

static const char *get_text(struct registry *registry, struct record *record)
{
	uint32_t size = get_number(record);

	if (size == NO_TEXT)
		return NULL;
	if (record->is_bad || size > record->size - record->at) {
		record->is_bad = true;
		return NULL;
	}
	record->at += size;
	const char *text = arena_copy(&registry->arena, record->data + record->at - size, size);
	record->is_bad |= !text;
	return text;
}

/* False: no memory, or not what the process sends. */
static bool take_record(struct registry *registry, struct plugin_file *file, struct record *record)
{
	struct part **end = &registry->parts;

	file->refused = get_text(registry, record);
	file->name = get_text(registry, record);
	file->version = get_text(registry, record);
	file->license = get_text(registry, record);
	file->abi_major = get_number(record);
	file->abi_minor = get_number(record);
	uint32_t count = get_number(record);
	while (*end)
		end = &(*end)->next;
	for (uint32_t i = 0; i < count && !record->is_bad; i++, end = &(*end)->next) {
		bool is_dialect = get_number(record);
		const char *name = get_text(registry, record), *summary = get_text(registry, record);

		*end = arena_alloc(&registry->arena, sizeof(**end));
		if (!*end || !name)
			return false;
		**end = (struct part){.file = file,
		                      .is_dialect = is_dialect,
		                      .name = name,
		                      .summary = summary ? summary : "",
		                      .version = file->version};
	}
	return !record->is_bad;
}

/* How a process ended that did not come to the end of its list; in the arena. */
static const char *ending(struct registry *registry, int status, bool is_late)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) != 1)
		return arena_printf(&registry->arena, "it ends the program when it is loaded (status %d)",
		                    WEXITSTATUS(status));
	if (is_late)
		return arena_printf(&registry->arena, "loading it did not end within %d s", PATIENCE_MS / 1000);
	if (WIFSIGNALED(status))
		return arena_printf(&registry->arena, "it crashes when it is loaded: %s", strsignal(WTERMSIG(status)));
	return "what it declares cannot be told, or it ends the program when it is loaded (status 1)";
}

/* NULL: all of them were told; else how the process ended. `records` has as many as `count`. */
static const char *look_apart(struct registry *registry, struct plugin_file *const *files, uint32_t count,
                              struct record *records)
{
	int ends[2], status = 0;
	bool is_complete = true;

	if (pipe2(ends, O_CLOEXEC)) {
		registry->trouble = strerror(errno);
		return registry->trouble;
	}
	fflush(NULL); /* what is still in buffers must not be written twice */
	pid_t child = fork();
	if (!child) {
		close(ends[0]);
		look_in_child(ends[1], files, count);
	}
	close(ends[1]);
	if (child < 0) {
		registry->trouble = strerror(errno);
		close(ends[0]);
		return registry->trouble;
	}
	for (uint32_t i = 0; i < count && is_complete; i++)
		is_complete = files[i]->refused || receive_record(registry, ends[0], &records[i]);
	/* It may be dead, about to end, or hang: the end of the pipe tells which. */
	char more;
	bool is_ended = !receive(ends[0], &more, 1);
	struct pollfd wait = {.fd = ends[0]};
	bool is_late = is_ended && poll(&wait, 1, 0) == 0;
	if (is_late)
		kill(child, SIGKILL);
	close(ends[0]);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return is_complete && !status ? NULL : ending(registry, status, is_late);
}

/* The first that a record has is the reason why the file is refused. */
static bool is_refused(const struct record *record)
{
	uint32_t size = NO_TEXT;

	if (record->size >= sizeof(size))
		memcpy(&size, record->data, sizeof(size));
	return size != NO_TEXT;
}

bool look_at_plugins(struct registry *registry, struct plugin_file *const *files, uint32_t count)
{
	struct record *records = arena_array(&registry->arena, count, sizeof(*records));

	if (!records)
		return false;
	const char *why = look_apart(registry, files, count, records);
	for (uint32_t i = 0; i < count; i++) {
		if (files[i]->refused)
			continue;
		/* Once more, alone: another one may have ended the process, or there was no memory for a moment. */
		const char *reason =
		        why || is_refused(&records[i]) ? look_apart(registry, &files[i], 1, &records[i]) : NULL;
		if (registry->trouble)
			return false;
		if (reason)
			files[i]->refused = reason;
		else if (!take_record(registry, files[i], &records[i]))
			return false;
	}
	return true;
}

static struct part *find_placeholder(struct registry *registry, const struct part *part, const struct plugin_file *file)
{
	for (struct part *known = registry->parts; known; known = known->next) {
		if (known->file == file && known->is_dialect == part->is_dialect && !strcmp(known->name, part->name))
			return known;
	}
	return NULL;
}

bool plugin_open(struct registry *registry, struct plugin_file *file)
{
	struct registry fresh = {.arena = registry->arena};
	struct plugin_file copy = *file;
	struct crash_place before = crash_enter("the plugin file", file->path);
	bool is_ok = adopt_object(&fresh, &copy);

	crash_leave(before);
	registry->arena = fresh.arena;
	file->is_open = true;
	file->refused = copy.refused;
	for (const struct part *part = fresh.parts; part && is_ok && !file->refused; part = part->next) {
		struct part *known = find_placeholder(registry, part, file);
		struct part *next = known ? known->next : NULL;

		if (!known) {
			file->refused = "it offers something else each time it is opened";
			break;
		}
		const char *shadowed_by = known->shadowed_by;
		*known = *part;
		known->next = next;
		known->file = file;
		known->shadowed_by = shadowed_by;
	}
	return is_ok;
}
