/* SPDX-License-Identifier: Apache-2.0 */
/* merge: what its look at one source and its end of the run share. */
#ifndef EDIT_MERGE_H
#define EDIT_MERGE_H

#include "edit.h"

enum { OPT_CLOCK, OPT_OFFSETS, OPT_LINK_FIELDS };
enum { CLOCK_BASE_TIME, CLOCK_AS_IS, CLOCK_OFFSETS };
enum { FIELD_ID, FIELD_BIND_ID, FIELD_ID2, FIELD_NAME, FIELD_SORT_INDEX };
#define LARGEST (INT64_C(1) << 53) /* viewers keep numbers as doubles */
/* A whole number in decimal, maybe negative, or as 0x..; 0: it is none, or too large for a double to hold. */
int merge_number(struct tav_text text, int64_t *number);
/* What combine() needs of a source: the largest ids, pids, names of processes. */
tav_status merge_look(struct tav_self *self);

#endif
