/* SPDX-License-Identifier: Apache-2.0 */
/* Section 7.1 as the reference has it: substrings of the lower-cased raw name, the first hit wins. */
#include "triage.h"

static const char *const memory_strong[] = {"memcpy", "memset", "dma", "prefetch", NULL};
static const char *const communication_strong[] = {
        "allreduce", "all_reduce", "reduce_scatter", "allgather",        "all_gather", "nccl", "cross_device_reduce",
        "deepep",    "a2a",        "alltoall",       "allreduce_fusion", "mooncake",   NULL};
static const char *const compute[] = {"cublas",     "cudnn", "cutlass",   "triton", "gemm",   "gemv",      "matmul",
                                      "grouped_mm", "flash", "attention", "fmha",   "marlin", "fused_moe", "moe_kernel",
                                      "groupgemm",  "mma",   "wgmma",     "conv",   "bmm",    "mm_kernel", NULL};
static const char *const elementwise[] = {"sigmoid",     "silu",       "gelu",   "relu",   "softmax", "layernorm",
                                          "rmsnorm",     "norm",       "rotary", "rope",   "topk",    "gate",
                                          "bias",        "_cast",      "index",  "gather", "scatter", "masked",
                                          "elementwise", "activation", NULL};
static const char *const memory_weak[] = {"fill", "copy", NULL};
static const char *const communication_weak[] = {"broadcast", "dispatch", "combine", NULL};

static const struct {
	const char *const *words;
	uint8_t category;
	bool is_hint; /* also marks an event with a stream as a kernel, section 3 */
} steps[] = {
        {memory_strong, KIND_MEMORY, true}, {communication_strong, KIND_COMMUNICATION, true},
        {compute, KIND_COMPUTE, true},      {elementwise, KIND_ELEMENTWISE, false},
        {memory_weak, KIND_MEMORY, true},   {communication_weak, KIND_COMMUNICATION, true},
};

/* The reference's categories are the kinds themselves. */
void categories_reference(struct categories *categories)
{
	static const struct category items[KIND_COUNT] = {
	        [KIND_OTHER] = {"other", KIND_OTHER, 0, 0.8},
	        [KIND_ELEMENTWISE] = {"elementwise", KIND_ELEMENTWISE, 1, 1.0},
	        [KIND_MEMORY] = {"memory", KIND_MEMORY, 2, 1.15},
	        [KIND_COMMUNICATION] = {"communication", KIND_COMMUNICATION, 3, 1.3},
	        [KIND_COMPUTE] = {"compute", KIND_COMPUTE, 4, 0.35},
	};

	for (uint32_t i = 0; i < KIND_COUNT; i++)
		categories->items[i] = items[i];
	categories->count = KIND_COUNT;
}

uint8_t reference_category(struct tav_text raw)
{
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (text_has_any_lower(raw, steps[i].words))
			return steps[i].category;
	return KIND_OTHER;
}

bool has_kernel_hint(struct tav_text raw)
{
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (steps[i].is_hint && text_has_any_lower(raw, steps[i].words))
			return true;
	return false;
}
