/* SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <kit/crash.h>

enum {
	PATIENCE_SECONDS = 2, /* from the request to stop until the program ends all the same */
	STACK_BYTES = 64 << 10
};
static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

/* The only globals that are written after start: a signal handler can reach nothing else. */
volatile sig_atomic_t crash_cancelled;
static _Thread_local struct crash_place running;
static void (*clean_up)(void);
static volatile sig_atomic_t is_done;
static pid_t program;

struct crash_place crash_enter(const char *kind, const char *name)
{
	struct crash_place before = running;

	running = (struct crash_place){kind, name};
	return before;
}

void crash_leave(struct crash_place before)
{
	running = before;
}

static void say(const char *text)
{
	size_t size = strlen(text);

	while (size) {
		ssize_t done = write(STDERR_FILENO, text, size);

		if (done <= 0)
			return;
		text += done;
		size -= (size_t)done;
	}
}

/* Where coverage is counted: what was reached is written to files, which nobody else does when a program ends like
 * this. */
extern void __gcov_dump(void) __attribute__((weak));

/* Not _exit(), which is caught where tav-run says so: see tools/tav-run/exit.c. */
_Noreturn void crash_leave_program(int status)
{
	if (__gcov_dump)
		__gcov_dump();
	for (;;)
		syscall(SYS_exit_group, status);
}

static void tidy(void)
{
	if (clean_up)
		clean_up();
}

/* Where the program was; NULL: not known on this machine. */
static void *place_of(const void *context)
{
	const ucontext_t *at = context;

#if defined(__x86_64__)
	return (void *)at->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	return (void *)at->uc_mcontext.pc;
#else
	(void)at;
	return NULL;
#endif
}

/* Did it fault where its stack ends? */
static bool is_out_of_stack(const siginfo_t *info, const void *context)
{
	enum { NEAR = 1 << 20 };
	uintptr_t address = (uintptr_t)info->si_addr, stack;

#if defined(__x86_64__)
	stack = (uintptr_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
	stack = (uintptr_t)((const ucontext_t *)context)->uc_mcontext.sp;
#else
	(void)context;
	return false;
#endif
	return info->si_signo == SIGSEGV && address - stack + NEAR < 2 * NEAR;
}

/*
 * The plugin file whose code was running in a thread of its own; NULL: none. Our libraries are called libX.so.N. Not
 * one of the functions that a signal handler may call, but there is nothing left to lose.
 */
static const char *file_of(void *place)
{
	Dl_info info;
	size_t size = place && dladdr(place, &info) && info.dli_fname ? strlen(info.dli_fname) : 0;

	return size > 3 && !strcmp(info.dli_fname + size - 3, ".so") ? info.dli_fname : NULL;
}

/* Has the core file written by a copy of the process, so that this one can end with its own status. */
static void leave_core(int number)
{
#if __GLIBC_PREREQ(2, 34)
	pid_t child = _Fork();
	sigset_t set;

	if (child > 0)
		waitpid(child, NULL, 0);
	if (child)
		return;
	signal(number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(number);
	crash_leave_program(0);
#else
	(void)number;
#endif
}

static void name_culprit(const char *kind, const char *name)
{
	say("tav-run: error: ");
	say(kind);
	say(" '");
	say(name);
}

static void on_crash(int number, siginfo_t *info, void *context)
{
	const char *kind = running.kind, *name = running.name;

	if (!name) {
		kind = "a thread of the plugin";
		name = file_of(place_of(context));
	}
	if (!name) { /* our own fault: as if there were no handler */
		say("tav-run: error: a fault of this program, not of the trace or a plugin; please report it\n");
		tidy();
		signal(number, SIG_DFL);
		raise(number);
		return;
	}
	name_culprit(kind, name);
	if (is_out_of_stack(info, context))
		say("' crashed: it used up its stack, maybe by endless recursion\n");
	else if (number == SIGSEGV &&
	         info->si_code == SEGV_ACCERR) /* a page that is there: sealed, as all that it was shown */
		say("' wrote to the read-only trace, or to other sealed memory; a plugin may only read it\n");
	else if (number == SIGABRT)
		say("' aborted\n");
	else
		say(number == SIGFPE ? "' crashed: arithmetic error\n" : "' crashed: bad memory access\n");
	tidy();
	leave_core(number);
	crash_leave_program(2);
}

void crash_on_exit(const char *function)
{
	if (is_done || getpid() != program)
		return;
	is_done = true;
	name_culprit(running.name ? running.kind : "a plugin, in", running.name ? running.name : "a thread of its own");
	say("' ended the program with ");
	say(function);
	say("; a plugin returns TAV_FAILED instead\n");
	tidy();
	crash_leave_program(2);
}

void crash_end_copy(void)
{
	if (program && getpid() != program)
		crash_leave_program(2);
}

void crash_no_memory(const char *what)
{
	say("tav-run: error: out of memory: ");
	say(what);
	say("\n");
	tidy();
	crash_leave_program(2);
}

static void on_exit_call(void)
{
	crash_on_exit("exit()");
}

void crash_done(void)
{
	is_done = true;
}

void *crash_stack_begin(void)
{
	void *bytes = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	stack_t stack = {.ss_sp = bytes, .ss_size = STACK_BYTES};

	if (bytes == MAP_FAILED)
		return NULL;
	if (sigaltstack(&stack, NULL)) {
		munmap(bytes, STACK_BYTES);
		return NULL;
	}
	return bytes;
}

void crash_stack_end(void *bytes)
{
	stack_t stack = {.ss_flags = SS_DISABLE};

	if (bytes && !sigaltstack(&stack, NULL))
		munmap(bytes, STACK_BYTES);
}

void crash_forget(void)
{
	static const int others[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGPIPE, SIGXFSZ};
	struct rlimit none = {0, 0};

	is_done = true;
	setrlimit(RLIMIT_CORE, &none);
	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
		signal(crashes[i], SIG_DFL);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		signal(others[i], SIG_DFL);
}

static void end_at_once(int number)
{
	tidy();
	crash_leave_program(128 + number);
}

static void on_request(int number)
{
	if (crash_cancelled)
		end_at_once(number);
	crash_cancelled = number;
	alarm(PATIENCE_SECONDS);
}

static void on_alarm(int number)
{
	(void)number;
	end_at_once(crash_cancelled ? crash_cancelled : SIGALRM);
}

bool crash_install(void (*cleaner)(void))
{
	struct sigaction action = {0};
	bool is_ok = true;
	/* A stack of its own, so that a plugin's endless recursion is told as well. It lives as long as the program. */
	static char bytes[STACK_BYTES];
	stack_t stack = {.ss_sp = bytes, .ss_size = sizeof(bytes)};

	clean_up = cleaner;
	program = getpid();
	is_ok &= !atexit(on_exit_call);
	is_ok &= !sigaltstack(&stack, NULL);
	sigemptyset(&action.sa_mask);
	action.sa_sigaction = on_crash;
	action.sa_flags = SA_SIGINFO | SA_ONSTACK;
	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
		is_ok &= !sigaction(crashes[i], &action, NULL);
	action.sa_flags = 0; /* a read() that waits ends with EINTR */
	action.sa_handler = on_request;
	static const int requests[] = {SIGINT, SIGTERM, SIGHUP};
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		struct sigaction old;

		/* `nohup`, and shells with jobs in the background, have some ignored; that is not for us to change */
		if (!sigaction(requests[i], NULL, &old) && old.sa_handler != SIG_IGN)
			is_ok &= !sigaction(requests[i], &action, NULL);
	}
	action.sa_handler = on_alarm;
	is_ok &= !sigaction(SIGALRM, &action, NULL);
	action.sa_handler = SIG_IGN; /* a closed pipe, or a file that grows too large, is a failed write */
	is_ok &= !sigaction(SIGXFSZ, &action, NULL);
	is_ok &= !sigaction(SIGPIPE, &action, NULL);
	return is_ok;
}
