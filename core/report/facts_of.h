/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a report has to say to a CI server, in one order for all writers: for each source and the run, errors, then what
 * each stage found, a check and the finding of its id once.
 */
#ifndef REPORT_FACTS_OF_H
#define REPORT_FACTS_OF_H

#include <report/report.h>

enum { FACT_ERROR = 1, FACT_WARNING, FACT_NOTE };
struct fact {
	uint32_t source; /* TAV_RUN: of the run */
	uint32_t stage;  /* TAV_NONE: of the host */
	unsigned level;  /* FACT_... */
	struct tav_text id;
	const struct tav_check_result *check;     /* NULL: none */
	const struct tav_finding_result *finding; /* NULL: none */
	uint32_t waiver;                          /* by which all of it is waived, from 1; 0: it counts */
	const char *message;                      /* of the host: an error or a doubt; NULL: the check's or finding's */
	const struct read_error *place;           /* of an error in the text of the input; NULL: none */
};
/* Calls `act` for each fact; `act` returns false to stop. */
void report_each_fact(const struct report *report, bool (*act)(void *user, const struct fact *fact), void *user);

#endif
