/* SPDX-License-Identifier: Apache-2.0 */
/* What an HTML page draws of a source, taken while its events are there. */
#ifndef RUN_PICTURE_H
#define RUN_PICTURE_H

#include <report/report.h>
#include <trace/store.h>

/*
 * Makes `shown->picture`: for each device track the time that each of some bins is covered, exactly, by kind of work.
 * `source_count`: of the run; many sources get coarser pictures. False: no memory.
 */
bool picture_make(struct events *events, struct report_source *shown, uint32_t source_count);

#endif
