/* SPDX-License-Identifier: Apache-2.0 */
/*
 * To be preloaded into a run: counts the calls that can fail for lack of something (memory, maps, threads, files), and
 * fails one of them. sweep.py asks for the count first, then for a failure at each of them.
 *
 *   TAV_SWEEP_LOG=FILE   a line for each process: how many calls, and which one failed
 *   TAV_SWEEP_FAIL=K     the K-th call, from 0, fails
 *   TAV_SWEEP_STOP=1     and stops there, for a debugger
 *   TAV_SWEEP_PATHS=FILE a number for each call, the same for those that were reached on the same path
 *
 * The children of a process go on counting where it stood, so that each call has one number.
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SHOWN __attribute__((visibility("default")))

enum { MOST_PATHS = 1 << 18, DEPTH = 24 };

static struct shared {
	atomic_long calls;
	const char *_Atomic failed;
	uint64_t paths[MOST_PATHS];
} * shared;

static long fail_at = -1;
static int log_file = -1, path_file = -1;
static pid_t first;

/* The function that this one stands before. */
#define REAL(name)                                                                                                     \
	static __typeof__(&name) real;                                                                                 \
	if (!real)                                                                                                     \
	real = (__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name)

/* Where the program is; a call within this one is not looked at. */
static uint64_t path(void)
{
	static _Thread_local int is_looking;
	void *frames[DEPTH];
	uint64_t sum = 14695981039346656037u;

	if (is_looking)
		return 0;
	is_looking = 1;
	int depth = backtrace(frames, DEPTH);
	is_looking = 0;
	for (int i = 0; i < depth; i++)
		sum = (sum ^ (uintptr_t)frames[i]) * 1099511628211u;
	return sum;
}

static int fails(const char *name, int error)
{
	if (!shared)
		return 0;
	long call = atomic_fetch_add(&shared->calls, 1);
	if (path_file >= 0 && call < MOST_PATHS)
		shared->paths[call] = path();
	if (call != fail_at)
		return 0;
	shared->failed = name;
	if (getenv("TAV_SWEEP_STOP"))
		raise(SIGTRAP);
	errno = error;
	return 1;
}

static int open_log(const char *name)
{
	const char *path = getenv(name);

	return path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
}

__attribute__((constructor)) static void begin(void)
{
	const char *at = getenv("TAV_SWEEP_FAIL");
	void *frame;

	if (at)
		fail_at = strtol(at, NULL, 10);
	first = getpid();
	log_file = open_log("TAV_SWEEP_LOG");
	path_file = open_log("TAV_SWEEP_PATHS");
	if (path_file >= 0)
		backtrace(&frame, 1); /* loads what it needs */
	void *page = (void *)syscall(SYS_mmap, NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
	                             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (page != MAP_FAILED)
		shared = page;
}

__attribute__((destructor)) static void end(void)
{
	char line[96];
	const char *failed = shared ? shared->failed : NULL;
	long calls = shared ? shared->calls : 0;
	int size = snprintf(line, sizeof(line), "%ld %s\n", calls, failed ? failed : "-");

	if (log_file >= 0)
		syscall(SYS_write, log_file, line, (size_t)size);
	if (path_file >= 0 && shared && getpid() == first)
		syscall(SYS_write, path_file, shared->paths,
		        sizeof(shared->paths[0]) * (size_t)(calls < MOST_PATHS ? calls : MOST_PATHS));
}

/* What dlsym needs before calloc is found. */
static void *early(size_t size)
{
	static _Alignas(16) char room[4096];
	static size_t used;
	void *got = room + used;

	used += (size + 15) & ~(size_t)15;
	return used <= sizeof(room) ? got : NULL;
}

SHOWN void *malloc(size_t size)
{
	REAL(malloc);
	return fails("malloc", ENOMEM) ? NULL : real(size);
}

SHOWN void *calloc(size_t count, size_t size)
{
	static int looking;

	if (looking)
		return early(count * size);
	looking = 1;
	REAL(calloc);
	looking = 0;
	return fails("calloc", ENOMEM) ? NULL : real(count, size);
}

SHOWN void *realloc(void *old, size_t size)
{
	REAL(realloc);
	return fails("realloc", ENOMEM) ? NULL : real(old, size);
}

SHOWN int posix_memalign(void **out, size_t alignment, size_t size)
{
	REAL(posix_memalign);
	return fails("posix_memalign", ENOMEM) ? ENOMEM : real(out, alignment, size);
}

SHOWN void *aligned_alloc(size_t alignment, size_t size)
{
	REAL(aligned_alloc);
	return fails("aligned_alloc", ENOMEM) ? NULL : real(alignment, size);
}

SHOWN void *mmap(void *at, size_t size, int protection, int flags, int file, off_t from)
{
	REAL(mmap);
	return fails("mmap", ENOMEM) ? MAP_FAILED : real(at, size, protection, flags, file, from);
}

SHOWN void *mremap(void *old, size_t old_size, size_t size, int flags, ...)
{
	REAL(mremap);
	return fails("mremap", ENOMEM) ? MAP_FAILED : real(old, old_size, size, flags);
}

SHOWN int mprotect(void *at, size_t size, int protection)
{
	REAL(mprotect);
	return fails("mprotect", ENOMEM) ? -1 : real(at, size, protection);
}

SHOWN int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *user)
{
	REAL(pthread_create);
	return fails("pthread_create", EAGAIN) ? EAGAIN : real(thread, how, run, user);
}

SHOWN pid_t fork(void)
{
	REAL(fork);
	return fails("fork", EAGAIN) ? -1 : real();
}

SHOWN int pipe2(int ends[2], int flags)
{
	REAL(pipe2);
	return fails("pipe2", EMFILE) ? -1 : real(ends, flags);
}

SHOWN int open(const char *path, int flags, ...)
{
	va_list more;

	va_start(more, flags);
	mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
	va_end(more);
	REAL(open);
	return fails("open", EMFILE) ? -1 : real(path, flags, mode);
}

SHOWN FILE *fopen(const char *path, const char *mode)
{
	REAL(fopen);
	return fails("fopen", EMFILE) ? NULL : real(path, mode);
}

SHOWN int fstat(int file, struct stat *about)
{
	REAL(fstat);
	return fails("fstat", EIO) ? -1 : real(file, about);
}

SHOWN off_t lseek(int file, off_t to, int whence)
{
	REAL(lseek);
	return fails("lseek", EIO) ? -1 : real(file, to, whence);
}

SHOWN ssize_t read(int file, void *to, size_t size)
{
	REAL(read);
	return fails("read", EIO) ? -1 : real(file, to, size);
}

SHOWN ssize_t pread(int file, void *to, size_t size, off_t from)
{
	REAL(pread);
	return fails("pread", EIO) ? -1 : real(file, to, size, from);
}

SHOWN ssize_t write(int file, const void *from, size_t size)
{
	REAL(write);
	return fails("write", ENOSPC) ? -1 : real(file, from, size);
}

SHOWN int fsync(int file)
{
	REAL(fsync);
	return fails("fsync", EIO) ? -1 : real(file);
}

SHOWN int fchmod(int file, mode_t mode)
{
	REAL(fchmod);
	return fails("fchmod", EPERM) ? -1 : real(file, mode);
}

/* The file is closed all the same, as the kernel does. */
SHOWN int close(int file)
{
	REAL(close);
	int failed = fails("close", EIO);

	return real(file) || failed ? -1 : 0;
}

SHOWN int rename(const char *from, const char *to)
{
	REAL(rename);
	return fails("rename", EIO) ? -1 : real(from, to);
}
