/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One source of a report as a report of its own: what was told of it, by combine() too, but not what is true of the run
 * alone. Events of other sources are left out of what lists them; counts stay what they are.
 */
#ifndef REPORT_ONE_SOURCE_H
#define REPORT_ONE_SOURCE_H

#include <report/report.h>

/* `one` borrows from `whole`; it goes with report_fini(). False: no memory. */
bool report_one_source(const struct report *whole, uint32_t source, struct report *one);

#endif
