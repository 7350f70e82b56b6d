/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the results of a report's sources from its file, plain or compressed as traces are. */
#ifndef RUN_READ_REPORT_H
#define RUN_READ_REPORT_H

#include <report/report.h>

/* TAV_FAILED: `error` has the place in its text and what is wrong, or `causes` say why it could not be read. */
tav_status report_read(const char *path, struct read_report *out, struct read_error *error, struct causes *causes);

#endif
