/* SPDX-License-Identifier: Apache-2.0 */
/* How long kernels are, and which are too short to be worth a launch. Kernels: device work that is no copy. */
#ifndef STATS_KERNELS_H
#define STATS_KERNELS_H

#include "groups.h"

enum { LENGTHS = 65 }; /* length 0, then [2^(k-1), 2^k) ns */
struct lengths {       /* of a device */
	uint64_t count[LENGTHS], total[LENGTHS];
};
struct short_kernel {
	uint32_t device, label;
	uint64_t count, total;
};
struct kernels {
	struct lengths *lengths; /* by device */
	struct short_kernel *shorts;
	uint32_t short_count;
	uint32_t is_saturated;
};
/* `limit`: a kernel is short when it takes less. */
tav_status kernels_measure(const struct view *view, int64_t limit, struct kernels *out);

#endif
