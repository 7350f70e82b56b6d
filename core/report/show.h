/* SPDX-License-Identifier: Apache-2.0 */
/* Values and events as words for a person, safe on a terminal. Each returns NULL when there is no memory. */
#ifndef REPORT_SHOW_H
#define REPORT_SHOW_H

#include <report/event.h>

const char *show_text(struct arena *arena, struct tav_text raw); /* escaped */
/* The unit stands beside the value, so "overlap_ns" is headed "overlap". */
const char *show_head(struct arena *arena, const struct report_series *series);
/* `is_exact`: every digit of a time, so that a finding can be found again. Absent: "-". */
const char *show_value(struct arena *arena, const struct report_series *series, uint64_t row, bool is_exact);
/* "overlap 5 us, kind partial"; "" when nothing was measured. */
const char *show_measures(struct arena *arena, const struct report_finding *finding, uint64_t instance);
const char *show_event_name(struct arena *arena, const struct report *report, struct tav_ref ref);
/* "kernel, pid 0, tid 7, stream 7, start 10 us, lasts 2 us, byte 1234" */
const char *show_event_facts(struct arena *arena, const struct report *report, struct tav_ref ref);
/* Both in one line, with ": " between. */
const char *show_event(struct arena *arena, const struct report *report, struct tav_ref ref);

#endif
