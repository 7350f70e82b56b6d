/* SPDX-License-Identifier: Apache-2.0 */
/* Independent tasks over a few threads. */
#ifndef KIT_PARALLEL_H
#define KIT_PARALLEL_H

#include <tav/plugin.h>

/*
 * Calls task(user, 0 .. n-1) from at most `jobs` threads, the caller's among them; none starts after a failure.
 * Returns the status of the lowest task that failed. Where no thread can be made the caller does all.
 */
tav_status parallel_run(unsigned jobs, uint32_t n, tav_status (*task)(void *user, uint32_t i), void *user);

#endif
