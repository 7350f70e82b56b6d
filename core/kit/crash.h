/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals. SIGINT, SIGTERM and SIGHUP ask the run to stop, and end the program when it does not. A plugin that crashes,
 * writes to the sealed trace, or ends the program itself, ends the run with its name and status 2; a core file, where
 * the system writes one, shows the place.
 */
#ifndef KIT_CRASH_H
#define KIT_CRASH_H

#include <signal.h>
#include <stdbool.h>

extern volatile sig_atomic_t crash_cancelled; /* the signal's number, or 0 */

/* Once. `clean_up` is called from signal handlers before the program ends. False: the system refused. */
bool crash_install(void (*clean_up)(void));
/* Ends with status 2 where there is no memory, and neither a way to say so to the caller nor to go on truly. */
_Noreturn void crash_no_memory(const char *what);
void crash_done(void); /* from here on the program may end: it is not a plugin's doing */
/* A signal stack for a thread that may run a plugin, so that its endless recursion is told too. NULL: none. */
void *crash_stack_begin(void);
void crash_stack_end(void *stack);
/* In a process that was forked to try something: it may crash as it likes, silently. */
void crash_forget(void);
/*
 * What a plugin's exit() or _exit() comes to: tells whose fault it is and ends with status 2. Returns if it is
 * nobody's: the program is done, or this is a process that a plugin forked.
 */
void crash_on_exit(const char *function);
_Noreturn void crash_leave_program(int status); /* at once: no handlers of atexit(), no streams */
/* Ends a process that a plugin forked and let come back: this run has one already. */
void crash_end_copy(void);
/* What runs on this thread from here on; both texts must live until crash_leave(), which takes what was before. */
struct crash_place {
	const char *kind, *name;
};
struct crash_place crash_enter(const char *kind, const char *name);
void crash_leave(struct crash_place before);

#endif
