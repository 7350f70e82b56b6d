/* SPDX-License-Identifier: Apache-2.0 */
/* Instances of a finding and rows of a table, copied into results; of many instances the most telling ones are kept. */
#ifndef REPORT_INSTANCES_H
#define REPORT_INSTANCES_H

#include <report/report.h>

/* The texts of results are valid UTF-8 (bad bytes stand as \xNN), each once. data NULL: no memory. */
struct tav_text results_text(struct results *results, struct tav_text text);
/* False: no memory; the finding shows what it did before, or nothing if it is new. */
bool instances_merge(struct results *results, struct result_finding *kept, const struct tav_finding *fresh);
/* Copies all rows of a column. False: no memory. */
bool instances_copy_column(struct results *results, struct tav_column_result *out, const struct tav_series *from,
                           uint64_t row_count);

#endif
