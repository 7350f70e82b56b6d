/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waivers: after all was told and the user's `severity` was applied, what the report's waivers name is marked. Nothing
 * is taken away: verdicts leave it out, reports show it as waived. This is the one place that decides it, for sources
 * that were looked at and for those that came from a report alike.
 *
 * A waiver without patterns of events takes a check or finding whole. One with patterns takes the instances all of
 * whose events match; what a finding counts but does not list was not looked at, and goes on counting.
 */
#ifndef REPORT_WAIVE_H
#define REPORT_WAIVE_H

#include <report/report.h>

/* Marks what is waived on the day `today`, and sets state and count of each waiver. False: no memory. */
bool report_waive(struct report *report, uint32_t today);
/* counts[i]: what is marked as waived by waiver i; the states stay. */
void report_count_waived(const struct report *report, uint64_t *counts);
/* How much of what a stage told of a source (or, by TAV_RUN, of the run) is waived. */
uint64_t stage_waived(const struct report *report, uint32_t stage, uint32_t source);
uint64_t stage_waived_of_all(const struct report *report, uint32_t stage);
uint64_t source_waived(const struct report *report, uint32_t source);
uint64_t report_waived(const struct report *report); /* in all */
/* Of a finding, whose waivers are the report's: counts[i] is what waiver i takes of it. */
void finding_count_waived(const struct tav_finding_result *finding, uint64_t *counts);
/* What a check counts and no finding of its id that counts too. */
uint64_t check_count_beyond(const struct results *results, uint32_t stage, const struct tav_check_result *check);
/* The waiver of a check, or the first of a finding that is waived whole, from 1. */
uint32_t check_waiver(const struct tav_check_result *check);
uint32_t finding_waiver(const struct tav_finding_result *finding);

#endif
