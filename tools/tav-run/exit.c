/* SPDX-License-Identifier: Apache-2.0 */
/*
 * _exit() ends the program at once: status 0 and no report, if a plugin says so. The dynamic linker binds a plugin's
 * call to this function, which stands in the program and comes first; what a plugin gets by a system call of its own is
 * not seen.
 */
#include <stdlib.h>
#include <unistd.h>

#include <kit/crash.h>

static _Noreturn void end(const char *function, int status)
{
	crash_on_exit(function);
	crash_leave_program(status);
}

__attribute__((visibility("default"))) void _exit(int status)
{
	end("_exit()", status);
}

__attribute__((visibility("default"))) void _Exit(int status)
{
	end("_Exit()", status);
}
