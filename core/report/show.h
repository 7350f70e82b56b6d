/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values and events as words for a person, safe on a terminal and in the log of a CI server. Each returns NULL when
 * there is no memory.
 */
#ifndef REPORT_SHOW_H
#define REPORT_SHOW_H

#include <report/report.h>

/*
 * Escaped. No word begins with "::" and none holds "##[": servers obey lines that do. Of a text beyond 400 characters
 * the ends are shown.
 */
const char *show_text(struct arena *arena, struct tav_text raw);
/* The same for files: the ends of what is beyond 65,536 characters, which the JSON report has whole. */
const char *show_whole(struct arena *arena, struct tav_text raw);
const char *show_chars(struct arena *arena, const char *raw); /* NULL: "" */
/* The unit stands beside the value, so "overlap_ns" is headed "overlap". */
const char *show_head(struct arena *arena, const struct tav_column_result *column);
/* `is_exact`: every digit of a time, so that a finding can be found again. Absent: "-". */
const char *show_value(struct arena *arena, const struct tav_column_result *column, uint64_t row, bool is_exact);
const char *show_metric(struct arena *arena, const struct tav_metric_result *metric, bool is_exact);
bool metric_is_zero(const struct tav_metric_result *metric);
/* "overlap 5 us, kind partial"; "" when nothing was measured. */
const char *show_measures(struct arena *arena, const struct tav_finding_result *finding, uint64_t instance);
const char *show_event_name(struct arena *arena, const struct tav_event *event);
/* "kernel, pid 0 (python), tid 7, stream 7, start 10 us (+2 us), lasts 2 us, byte 1234" */
const char *show_event_facts(struct arena *arena, const struct report *report, const struct tav_event *event);
/* Both in one line, with ": " between. */
const char *show_event(struct arena *arena, const struct report *report, const struct tav_event *event);
/* The message of a finding, with its count where it is more than one and the message does not say it. */
const char *show_message(struct arena *arena, const struct tav_finding_result *finding);
/* "until 2027-01-31: why", and with "waived" before it; waivers count from 1. */
const char *show_until(struct arena *arena, const struct waiver *waiver);
const char *show_waiver(struct arena *arena, const struct report *report, uint32_t number);
/* What of a finding is waived: the same, or "2 of 3 waived until 2027-01-31: why"; "" when nothing is. */
const char *show_waived(struct arena *arena, const struct report *report, const struct tav_finding_result *finding);
/* When an event begins, counted from the first of its source. False: that is not known. */
bool event_start_rel(const struct report *report, const struct tav_event *event, int64_t *start_rel_ns);

#endif
