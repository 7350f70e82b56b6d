/* SPDX-License-Identifier: Apache-2.0 */
/* What follows from the traits of all rows: kinds, counts, the time that the source covers. */
#ifndef CLASSIFY_SUMMARY_H
#define CLASSIFY_SUMMARY_H

#include <classify/classify.h>

/* Fills kind, the counts of device events, first_ns and last_ns. */
tav_status summary_make(struct events *events, struct causes *causes);

#endif
