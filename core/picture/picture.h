/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an HTML page draws of a source, taken while its events are there: "tav-picture/2" of report.schema.json. Exact
 * coverage in bins of all its device tracks; charts of each device; steps; and events, either all of them or all that
 * lie around findings. Never a sample: a sample of a timeline is a wrong timeline. What is left out is said.
 */
#ifndef PICTURE_PICTURE_H
#define PICTURE_PICTURE_H

#include <report/report.h>
#include <trace/store.h>

struct picture_options {
	uint64_t max_events; /* listed in all pictures of a run together */
	uint64_t max_bytes;  /* of the page; its pictures may have half of it */
	uint32_t source_count;
	bool is_anonymous;
};

/*
 * Makes `shown->picture`; none where no device work has a length. To be called behind the last each(). False: no
 * memory.
 */
bool picture_make(struct events *events, struct report_source *shown, const struct picture_options *options);

#endif
