/* SPDX-License-Identifier: Apache-2.0 */
/* The overlap engine: see <tav/overlap.h> for its rules. It knows columns, and nothing of stages or stores. */
#ifndef OVERLAP_SWEEP_H
#define OVERLAP_SWEEP_H

#include <tav/overlap.h>

/* One track: `count` rows sorted by (start, end descending, row); start and end are whole columns. */
tav_status overlap_sweep(const int64_t *start_ns, const int64_t *end_ns, const tav_row *rows, uint64_t count,
                         uint32_t track, const struct tav_overlap_rules *rules,
                         tav_status (*hit)(void *user, const struct tav_overlap_hit *), void *user,
                         struct tav_overlap_totals *totals);

/* The extension's table; the pipeline hands it out. Its sweep() asks self->host for the columns. */
extern const struct tav_overlap overlap_extension;

#endif
