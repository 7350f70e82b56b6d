/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals. SIGINT, SIGTERM and SIGHUP ask the run to stop, and end the program when it does not. A plugin that crashes,
 * or writes to the sealed trace, ends the run with its name and status 2.
 */
#ifndef PIPELINE_CRASH_H
#define PIPELINE_CRASH_H

#include <signal.h>
#include <stdbool.h>

#include <base/pages.h>

extern volatile sig_atomic_t crash_cancelled; /* the signal's number, or 0 */

bool crash_install(void); /* false: the system refused */
/* What runs from here on; `kind` and `name` must live until crash_leave(). */
void crash_enter(const char *kind, const char *name);
void crash_leave(void);
void crash_guard(const struct pages *pages); /* sealed: a write there is what the message calls it */
void crash_forget(void);                     /* what was guarded is gone */

#endif
