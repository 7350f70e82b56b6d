/* SPDX-License-Identifier: Apache-2.0 */
/* The stage coverage: its options and checks. */
#ifndef TRUST_COVERAGE_H
#define TRUST_COVERAGE_H

#include <trust.h>

enum { OPT_STEP_LOW, OPT_STEP_HIGH, OPT_IDLE_SHARE, OPT_OVERHEAD };

/* The largest counts of categories, in words: "ipu_op (12), Foo (3)". */
struct kinds {
	struct tav_map names; /* categories */
	uint64_t *counts;
	uint64_t total;
};
tav_status kinds_init(struct kinds *kinds, struct trust *trust);
/* The category of a row counts once more. */
tav_status kinds_add(struct kinds *kinds, const struct trust *trust, tav_row row);
void kinds_say(const struct kinds *kinds, struct tav_sentence *say);

/* Host launches, of kernels. */
uint64_t kernel_launches(const struct trust *trust);

extern const struct trust_check check_device_present, check_kernel_present, check_host_present, check_steps, check_busy,
        check_overhead, check_reported_loss, check_unknown_kinds;

#endif
