/* SPDX-License-Identifier: Apache-2.0 */
/* Copies rows and instances into the report; of many instances it keeps the most telling. */
#ifndef REPORT_MERGE_H
#define REPORT_MERGE_H

#include <report/report.h>

/* Item `i` of a plugin's list, whose items may be of an older or a newer size than ours. */
struct tav_series series_at(const struct tav_series_list *list, uint32_t i);

static inline bool bit_is_set(const uint64_t *present, uint64_t row) /* NULL: all are */
{
	return !present || (present[row / 64] >> row % 64 & 1);
}

/* False: no memory, and `kept` is as it was. */
bool merge_instances(struct arena *arena, struct report_finding *kept, const struct tav_finding *fresh);
/* Copies all rows into series that have none yet. */
bool merge_rows(struct arena *arena, struct report_series *series, const struct tav_series_list *columns,
                uint64_t count);

#endif
