/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <report/file.h>
#include <report/report.h>

enum { MOST_UNFINISHED = 8 };

/* Fixed storage: a signal handler may look at any moment. A slot is used: 1 claimed, 2 its path is there. */
static struct {
	_Atomic int state;
	char path[PATH_MAX];
} unfinished[MOST_UNFINISHED];

void file_remove_unfinished(void)
{
	int saved = errno;

	for (unsigned i = 0; i < MOST_UNFINISHED; i++) {
		if (atomic_load(&unfinished[i].state) == 2)
			unlink(unfinished[i].path);
	}
	errno = saved;
}

/* Keeps the first error: stdio forgets which one it was. */
struct sink {
	int file;
	int error;
};

static ssize_t sink_write(void *cookie, const char *data, size_t size)
{
	struct sink *sink = cookie;
	size_t done = 0;

	while (!sink->error && done < size) {
		ssize_t written = write(sink->file, data + done, size - done);

		if (written >= 0)
			done += (size_t)written;
		else if (errno != EINTR)
			sink->error = errno;
	}
	return sink->error ? 0 : (ssize_t)done;
}

/* 0, an errno, or FILE_NO_MEMORY, FILE_TOLD. The file stays open. */
static int write_to(const struct file_job *job, int file, struct causes *causes)
{
	struct sink sink = {.file = file};
	FILE *out = fopencookie(&sink, "w", (cookie_io_functions_t){.write = sink_write});

	if (!out)
		return FILE_NO_MEMORY;
	int result = job->write(job->user, out, causes);
	bool is_lost = ferror(out);
	is_lost |= fclose(out) != 0;
	if (result == FILE_TOLD)
		return result;
	if (sink.error)
		return sink.error;
	return result ? result : is_lost ? EIO : 0;
}

static tav_status fail(struct causes *causes, const struct file_job *job, const char *path, int error)
{
	if (error == FILE_TOLD)
		return TAV_FAILED;
	return cause_add(causes, "cannot write the %s to '%s': %s", job->what,
	                 !strcmp(path, "-") ? "standard output" : path,
	                 error == FILE_NO_MEMORY ? "out of memory" : strerror(error));
}

/* A reader that went away has seen enough: no error. */
static tav_status write_direct(const struct file_job *job, const char *path, struct causes *causes)
{
	bool is_standard = !strcmp(path, "-");
	/* Appending, because /dev/stdout may be a file that holds something already. */
	int file = is_standard ? STDOUT_FILENO : open(path, O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC);

	if (file < 0)
		return fail(causes, job, path, errno);
	if (is_standard)
		fflush(stdout);
	int error = write_to(job, file, causes);
	if (!is_standard && close(file) && !error)
		error = errno;
	return error && error != EPIPE ? fail(causes, job, path, error) : TAV_OK;
}

static int claim_slot(void)
{
	for (int i = 0; i < MOST_UNFINISHED; i++) {
		int expected = 0;

		if (atomic_compare_exchange_strong(&unfinished[i].state, &expected, 1))
			return i;
	}
	return -1;
}

/* Makes the temporary file; no signal comes between its birth and its registration. Returns it, or -1 and errno. */
static int create_beside(const char *path, int slot)
{
	char *name = unfinished[slot].path;
	sigset_t all, before;
	int file = -1, error = EEXIST;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	for (unsigned attempt = 0; file < 0 && error == EEXIST && attempt < 100; attempt++) {
		int size = snprintf(name, PATH_MAX, "%s.%ld-%u.tmp", path, (long)getpid(), attempt);

		if (size >= PATH_MAX) {
			error = ENAMETOOLONG;
			break;
		}
		file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		error = errno;
	}
	if (file >= 0)
		atomic_store(&unfinished[slot].state, 2);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = error;
	return file;
}

/* Puts the file in its place (or away, when it is not whole), with no signal in between. */
static int finish(const char *path, int slot, int error)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	if (!error && rename(unfinished[slot].path, path))
		error = errno;
	if (error)
		unlink(unfinished[slot].path);
	atomic_store(&unfinished[slot].state, 0);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

/* Names of what is open already, such as a file that the shell made: putting another in its place would lose it. */
static bool is_descriptor(const char *path)
{
	return !strcmp(path, "-") || !strncmp(path, "/dev/std", 8) || !strncmp(path, "/dev/fd/", 8) ||
	       !strncmp(path, "/proc/", 6);
}

tav_status file_write(const struct file_job *job, const char *path, struct causes *causes)
{
	struct stat old;
	bool is_there = strcmp(path, "-") && !stat(path, &old);

	if (is_descriptor(path) || (is_there && !S_ISREG(old.st_mode) && !S_ISDIR(old.st_mode)))
		return write_direct(job, path, causes);
	if (is_there && S_ISDIR(old.st_mode))
		return fail(causes, job, path, EISDIR);
	if (is_there && access(path, W_OK))
		return fail(causes, job, path, errno);
	/* A link stays a link: what it points to is replaced. */
	char *real = is_there ? realpath(path, NULL) : NULL;
	const char *target = real ? real : path;
	int slot = claim_slot();
	if (slot < 0) {
		free(real);
		return fail(causes, job, path, EBUSY);
	}
	int file = create_beside(target, slot);
	if (file < 0) {
		int error = errno;

		atomic_store(&unfinished[slot].state, 0);
		free(real);
		return fail(causes, job, path, error);
	}
	int error = 0;
	if (is_there && fchmod(file, old.st_mode & 07777))
		error = errno;
	if (!error)
		error = write_to(job, file, causes);
	/* What is in its place must be whole also after a crash of the machine; some file systems cannot say. */
	if (!error && fsync(file) && errno != EINVAL && errno != ENOTSUP)
		error = errno;
	if (close(file) && !error)
		error = errno;
	error = finish(target, slot, error);
	free(real);
	return error ? fail(causes, job, path, error) : TAV_OK;
}

tav_status file_make_folders(const char *path, struct causes *causes)
{
	char *folder = strdup(path);
	tav_status status = folder ? TAV_OK : cause_add(causes, "out of memory");

	for (char *slash = folder ? strchr(folder + 1, '/') : NULL; slash && !status; slash = strchr(slash + 1, '/')) {
		struct stat found;

		*slash = '\0';
		if (mkdir(folder, 0777) && errno != EEXIST)
			status = cause_add(causes, "cannot make the folder '%s': %s", folder, strerror(errno));
		else if (!status && !stat(folder, &found) && !S_ISDIR(found.st_mode))
			status = cause_add(causes, "'%s' is no folder", folder);
		*slash = '/';
	}
	free(folder);
	return status;
}

struct report_job {
	const struct report *report;
	const struct report_format *format;
	const struct report_style *style;
};

static int write_report(void *user, FILE *out, struct causes *causes)
{
	const struct report_job *job = user;

	(void)causes;
	return job->format->write(job->report, job->style, out) ? 0 : FILE_NO_MEMORY;
}

tav_status report_write(const struct report *report, const struct report_format *format, const char *path,
                        const struct report_style *style, struct causes *causes)
{
	struct report_job job = {report, format, style};
	char what[64];

	snprintf(what, sizeof(what), "%s report", format->name);
	return file_write(&(struct file_job){what, write_report, &job}, path, causes);
}
