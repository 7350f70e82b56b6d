/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data of a page, "tav-html/1" (config/html.schema.json): the JSON report as far as max_bytes allow, and what of it
 * is not there.
 */
#ifndef REPORT_PAGE_DATA_H
#define REPORT_PAGE_DATA_H

#include <report/report.h>

/* What is written of each table and finding of a source; without rows no table. */
struct page_limit {
	uint64_t rows, instances;
	bool is_left_out; /* nothing that a stage told of it */
};
struct page_limits {
	struct page_limit whole, other; /* of the run and of sources that matter most, and of the others */
	const bool *is_whole;           /* by source */
	bool is_anonymous;
};
struct page_limit limit_of(const struct page_limits *limits, uint32_t source); /* NULL: no limit */
/* Without data tables, blanks and lines. NULL: all of it, as write_json() does. False: no memory. */
bool write_json_within(const struct report *report, const struct page_limits *limits, FILE *out);

/* `used`: bytes of the page without its data. Safe within a script element. False: no memory. */
bool write_page_data(const struct report *report, const struct report_style *style, size_t used, FILE *out);

#endif
