/* SPDX-License-Identifier: Apache-2.0 */
/* The writers behind report_formats[], and the names of numbers that more than one of them shows. */
#ifndef REPORT_WRITERS_H
#define REPORT_WRITERS_H

#include <report/report.h>

bool write_text(const struct report *report, const struct report_style *style, FILE *out);
bool write_json(const struct report *report, const struct report_style *style, FILE *out);
bool write_csv(const struct report *report, const struct report_style *style, FILE *out);
bool write_junit(const struct report *report, const struct report_style *style, FILE *out);

const char *form_name(uint32_t form);         /* "object", "array", "lines", "empty" */
const char *unit_name(uint32_t unit);         /* NULL: none */
const char *result_name(uint32_t result);     /* "pass", "warn", "fail", "skip" */
const char *severity_name(uint32_t severity); /* "note", "warning", "error" */
const char *type_name(uint32_t type);         /* of a series: "integer", "real", "string" */

#endif
