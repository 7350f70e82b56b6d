/* SPDX-License-Identifier: Apache-2.0 */
/* What touches every event of a source: times moved, values mapped, members left out. */
#ifndef WRITE_CHANGE_H
#define WRITE_CHANGE_H

#include <write/edits.h>

struct change;

/* NULL: no memory. `digits`: of the unit of times, see times.h. */
struct change *change_open(const struct edits *edits, unsigned digits);
/* Marks in `splice`, which is open and untouched, what becomes of its event. False: no memory. */
bool change_event(struct change *change, struct splice *splice);
void change_close(struct change *change);

#endif
