/* SPDX-License-Identifier: Apache-2.0 */
/* The callbacks of a dialect that add code to its rules. */
#ifndef CLASSIFY_REFINE_H
#define CLASSIFY_REFINE_H

#include <classify/classify.h>

/* classify(): once, over all labels that occur. */
tav_status refine_labels(const struct events *events, const struct dialect *dialect, const uint32_t *labels,
                         uint32_t count, uint32_t *traits, struct causes *causes);
/* refine(): the rows that carry TAV_TRAIT_REFINE, which is then gone. */
tav_status refine_rows(struct events *events, const struct dialect *dialect, struct causes *causes);

/* `traits` as a dialect gave them, with the host's own of the row: they cannot be forged. */
uint32_t classify_keep_host_traits(uint32_t traits, uint32_t host_traits);

#endif
