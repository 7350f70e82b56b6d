/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pipeline/crash.h>
#include <report/report.h>

enum {
	MAX_GUARDED = 16384, /* ranges; behind them a write is still caught, only not named */
	PATIENCE_SECONDS = 2 /* from the request to stop until the program ends all the same */
};

/* The only globals that are written after start: a signal handler can reach nothing else. */
volatile sig_atomic_t crash_cancelled;
static _Atomic(const char *) running_kind, running_name;
static struct range {
	uintptr_t begin, end;
} guarded[MAX_GUARDED];
static atomic_uint guarded_count;

void crash_enter(const char *kind, const char *name)
{
	atomic_store(&running_kind, kind);
	atomic_store(&running_name, name);
}

void crash_leave(void)
{
	atomic_store(&running_name, NULL);
}

void crash_guard(const struct pages *pages)
{
	unsigned index = atomic_load(&guarded_count);

	if (!pages->data || index >= MAX_GUARDED)
		return;
	guarded[index] = (struct range){(uintptr_t)pages->data, (uintptr_t)pages->data + pages->bytes};
	atomic_store(&guarded_count, index + 1);
}

void crash_forget(void)
{
	atomic_store(&guarded_count, 0);
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

static bool is_guarded(const void *address)
{
	unsigned count = atomic_load(&guarded_count);

	for (unsigned i = 0; i < count; i++) {
		if ((uintptr_t)address >= guarded[i].begin && (uintptr_t)address < guarded[i].end)
			return true;
	}
	return false;
}

static void on_crash(int number, siginfo_t *info, void *context)
{
	const char *name = atomic_load(&running_name);

	(void)context;
	if (!name) { /* our own fault: as if there were no handler */
		signal(number, SIG_DFL);
		raise(number);
		return;
	}
	say("tav-run: error: ");
	say(atomic_load(&running_kind));
	say(" '");
	say(name);
	if (number != SIGABRT && is_guarded(info->si_addr))
		say("' wrote to the read-only trace; a plugin may only read it\n");
	else if (number == SIGABRT)
		say("' aborted\n");
	else
		say(number == SIGFPE ? "' crashed: arithmetic error\n" : "' crashed: bad memory access\n");
	report_remove_unfinished();
	_exit(2);
}

static void end_at_once(int number)
{
	report_remove_unfinished();
	_exit(128 + number);
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

bool crash_install(void)
{
	static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
	struct sigaction action = {0};
	bool is_ok = true;
	/* A stack of its own, so that a plugin's endless recursion is told as well. It lives as long as the program. */
	static char bytes[64 << 10];
	stack_t stack = {.ss_sp = bytes, .ss_size = sizeof(bytes)};

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
	action.sa_handler = SIG_IGN; /* a closed pipe is a failed write */
	is_ok &= !sigaction(SIGPIPE, &action, NULL);
	return is_ok;
}
