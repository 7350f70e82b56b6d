/* SPDX-License-Identifier: Apache-2.0 */
#include "rules.h"

/* One line for each decision; what the words mean stands in rules.h. */
const struct rules rule_sets[2] = {
        [RULES_REFERENCE] =
                {
                        .name = "reference",
                        .kernels = KERNELS_BY_WORDS,
                        .devices = DEVICES_HEAVIEST,
                        .streams = STREAMS_IF_TRUE,
                        .numbers = NUMBERS_BY_FILE,
                        .categories = CATEGORIES_BY_SUBSTRING,
                        .phase_words = PHASES_BY_SUBSTRING,
                        .phases = PHASES_BY_NEARNESS,
                        .sweep = SWEEP_EACH_PHASE,
                        .partner_ties = PARTNERS_BY_KERNEL,
                        .cover = COVER_BY_ANYTHING,
                        .share = SHARE_OF_BUSY,
                        .pick = PICK_CUT_FIRST,
                        .advice = ADVICE_TWO,
                        .scopes = SCOPES_CLOSED,
                        .stacks = STACKS_AT_OP_OR_DEVICE_TIME,
                        .bare_op = BARE_OP_LOST,
                        .roots = ROOTS_KNOWN,
                        .lookup = LOOKUP_ANY_PREFIX,
                        .family = FAMILY_BY_PATH_OR_FUNCTION,
                },
        [RULES_IMPROVED] =
                {
                        .name = "improved",
                        .kernels = KERNELS_BY_DIALECT,
                        .devices = DEVICES_EACH,
                        .streams = STREAMS_BY_TRACK,
                        .numbers = NUMBERS_BY_START,
                        .categories = CATEGORIES_BY_TABLE,
                        .phase_words = PHASES_BY_WORD,
                        .phases = PHASES_BY_LAUNCH,
                        .sweep = SWEEP_DEVICE,
                        .partner_ties = PARTNERS_BY_NAME,
                        .cover = COVER_BY_COMPUTE,
                        .share = SHARE_OF_KERNEL_TIME,
                        .pick = PICK_FILTER_FIRST,
                        .advice = ADVICE_BY_KIND,
                        .scopes = SCOPES_HALF_OPEN,
                        .stacks = STACKS_AT_LAUNCH,
                        .bare_op = BARE_OP_COUNTS,
                        .roots = ROOTS_BY_OPTION,
                        .lookup = LOOKUP_SOUND,
                        .family = FAMILY_BY_LOCATION,
                },
};
