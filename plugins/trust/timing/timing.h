/* SPDX-License-Identifier: Apache-2.0 */
/* The stage timing: its options, fields and checks. */
#ifndef TRUST_TIMING_H
#define TRUST_TIMING_H

#include <trust.h>

enum {
	OPT_MAX_DURATION,
	OPT_OUTLIER_RATIO,
	OPT_OUTLIER_SHARE,
	OPT_WAIT_RATIO,
	OPT_IMPOSSIBLE_RATIO,
	OPT_MAX_BANDWIDTH,
	OPT_SAME_CLOCK_GAP
};
enum { FIELD_EV_IDX, FIELD_PYTHON_ID, FIELD_BYTES, FIELD_STAMP_1, FIELD_STAMP_5 = FIELD_STAMP_1 + 4 };

/* Sets a device event aside for all later checks. */
void reject(struct trust *trust, tav_row row);

extern const struct trust_check check_same_clock, check_too_long, check_impossible_end, check_window, check_zero_length,
        check_outlier, check_same_start, check_repeated, check_constant, check_stamps, check_bandwidth, check_dominant,
        check_resolution;

#endif
