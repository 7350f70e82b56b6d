/* SPDX-License-Identifier: Apache-2.0 */
/* One event as every writer shows it. */
#ifndef REPORT_EVENT_H
#define REPORT_EVENT_H

#include <report/report.h>

struct event_view {
	struct tav_ref ref;
	struct tav_text name, category, pid, tid; /* size 0: missing */
	struct tav_text stream, lane;             /* of its device track; size 0: on none */
	bool has_time;                            /* else it could not be placed in time, and these three are 0 */
	int64_t start_ns, end_ns;
	uint64_t duration_ns; /* the whole range of int64 fits */
	uint64_t offset;      /* byte of its '{' in the (inflated) input */
};

struct event_view event_view(const struct report *report, struct tav_ref ref);

#endif
