/* SPDX-License-Identifier: Apache-2.0 */
/* The writers behind report_formats[], and what more than one of them needs. */
#ifndef REPORT_WRITERS_H
#define REPORT_WRITERS_H

#include <report/report.h>

bool write_text(const struct report *report, const struct report_style *style, FILE *out);
bool write_json(const struct report *report, const struct report_style *style, FILE *out);
bool write_csv(const struct report *report, const struct report_style *style, FILE *out);
tav_status write_csv_folder(const struct report *report, const char *folder, struct causes *causes);
bool write_sarif(const struct report *report, const struct report_style *style, FILE *out);
bool write_github(const struct report *report, const struct report_style *style, FILE *out);
bool write_markdown(const struct report *report, const struct report_style *style, FILE *out);
bool write_acelyzer(const struct report *report, const struct report_style *style, FILE *out);
bool write_html(const struct report *report, const struct report_style *style, FILE *out);
bool write_junit(const struct report *report, const struct report_style *style, FILE *out);

/* The names of numbers, in their order from 0; NULL: no name. Each list ends with a NULL behind the last one. */
struct names {
	uint32_t first; /* the number of the first name */
	const char *const *names;
};
extern const struct names form_names, unit_names, result_names, severity_names, type_names, verdict_names, by_names,
        better_names, show_names, role_names, flavour_names, waiver_names;
const char *name_of(const struct names *names, uint32_t number); /* NULL: none */
const char *type_name(uint32_t type);                            /* of a column */

/* What a stage told of a source or, by TAV_RUN, of the run. */
static inline const struct stage_results *told_of(const struct report *report, uint32_t source, uint32_t stage)
{
	static const struct stage_results nothing;
	const struct results *results = source == TAV_RUN ? &report->run : &report->sources[source].results;

	return stage < results->stage_count ? &results->stages[stage] : &nothing;
}

#endif
