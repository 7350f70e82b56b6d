/* SPDX-License-Identifier: Apache-2.0 */
/* timing - can the times be believed? What cannot be is marked `rejected`, and left out by all that follows. */
#include "timing.h"

/* The first three reject device events, in this order; the others look at the rest. */
const struct trust_check *const timing_checks[] = {&check_same_clock,     &check_too_long,
                                                   &check_impossible_end, &check_window,
                                                   &check_zero_length,    &check_outlier,
                                                   &check_same_start,     &check_repeated,
                                                   &check_constant,       &check_stamps,
                                                   &check_bandwidth,      &check_dominant,
                                                   &check_resolution,     NULL};

static const struct tav_option options[] = {
        [OPT_MAX_DURATION] = {"max_duration", TAV_TYPE_DURATION, 0, "1s", "1ns", NULL, NULL,
                              "A device event that lasts longer is rejected (too_long)."},
        [OPT_OUTLIER_RATIO] = {"outlier_ratio", TAV_TYPE_REAL, 0, "50", "1", NULL, NULL,
                               "A kernel longer than so many medians of its name is an outlier."},
        [OPT_OUTLIER_SHARE] = {"outlier_share", TAV_TYPE_REAL, 0, "0.01", "0", "1", NULL,
                               "It is one only where it takes this share of the device time."},
        [OPT_WAIT_RATIO] = {"wait_ratio", TAV_TYPE_REAL, 0, "1000", "1", NULL, NULL,
                            "The same of collectives, which wait for other ranks: so many medians."},
        [OPT_IMPOSSIBLE_RATIO] = {"impossible_ratio", TAV_TYPE_INT, 0, "100", "1", "1000000000", NULL,
                                  "An event of so many medians of its track that ends behind the start of its "
                                  "successor has an impossible end."},
        [OPT_MAX_BANDWIDTH] = {"max_bandwidth", TAV_TYPE_REAL, 0, "20e12", "1", NULL, NULL,
                               "Copies and fills that move more bytes a second are doubted (bandwidth)."},
        [OPT_SAME_CLOCK_GAP] = {"same_clock_gap", TAV_TYPE_DURATION, 0, "1s", "0", NULL, NULL,
                                "Device events farther than this from all host events come from another clock."},
};
static const struct tav_field fields[] = {
        [FIELD_EV_IDX] = {"args.Ev Idx", TAV_TYPE_INT, 0},
        [FIELD_PYTHON_ID] = {"args.Python id", TAV_TYPE_INT, 0},
        [FIELD_BYTES] = {"args.bytes", TAV_TYPE_INT, 0},
        [FIELD_STAMP_1] = {"args.TS1", TAV_TYPE_STRING, 0},
        {"args.TS2", TAV_TYPE_STRING, 0},
        {"args.TS3", TAV_TYPE_STRING, 0},
        {"args.TS4", TAV_TYPE_STRING, 0},
        [FIELD_STAMP_5] = {"args.TS5", TAV_TYPE_STRING, 0},
};

void reject(struct trust *trust, tav_row row)
{
	trust->rejected_count += !bit_is(trust->rejected, row);
	bit_set(trust->rejected, row);
}

static tav_status each(struct tav_self *self)
{
	struct trust trust;
	tav_status status;

	if (trust_init(&trust, self, WORD_RECORDING | WORD_WINDOW_MARK) || trust_take_links(&trust))
		return TAV_FAILED;
	status = trust_look(&trust);
	if (status)
		return status;
	trust.rejected = trust_bits(&trust);
	trust.outside = trust_bits(&trust);
	if (!trust.rejected || !trust.outside)
		return TAV_FAILED;
	status = trust_run(&trust, timing_checks);
	if (status || !trust.marks)
		return status;
	return trust.marks->put(self, "rejected", trust.rejected) || trust.marks->put(self, "outside", trust.outside)
	               ? TAV_FAILED
	               : TAV_OK;
}

TRUST_PAGES(timing_checks)

const struct tav_stage stage_timing = {
        .struct_size = sizeof(stage_timing),
        .flags = TAV_STAGE_NO_DEVICE_WORK | TAV_STAGE_LINKS,
        .name = "timing",
        .summary = "Can the times be believed?",
        .help = "Device events whose times cannot be (same_clock, too_long, impossible_end) are rejected: told once, "
                "and left out by all later checks of trust.",
        .options = TAV_LIST(options),
        .fields = TAV_LIST(fields),
        .pages = TAV_LIST(pages),
        .each = each,
};
