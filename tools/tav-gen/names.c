/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "gen.h"

static const char *const types[] = {"float", "c10::Half", "c10::BFloat16", "double", "long", "int", "bool"};
static const char *const functors[] = {
        "FillFunctor",        "CUDAFunctor_add",       "CUDAFunctorOnSelf_add", "MulFunctor",
        "DivFunctor",         "sigmoid_kernel_cuda",   "tanh_kernel_cuda",      "silu_kernel",
        "GeluCUDAKernel",     "threshold_kernel_impl", "pow_tensor_scalar",     "rsqrt_kernel_cuda",
        "exp_kernel_cuda",    "log_kernel_cuda",       "clamp_min_scalar",      "direct_copy_kernel",
        "bitwise_and_kernel", "compare_scalar_kernel", "where_kernel_impl",     "lerp_scalar_kernel",
};
static const char *const words[] = {
        "add",
        "mul",
        "mm",
        "bmm",
        "addmm",
        "linear",
        "conv2d",
        "convolution",
        "batch_norm",
        "relu_",
        "gelu",
        "silu",
        "softmax",
        "view",
        "reshape",
        "permute",
        "transpose",
        "contiguous",
        "copy_",
        "empty",
        "empty_like",
        "zeros",
        "fill_",
        "cat",
        "split",
        "narrow",
        "slice",
        "select",
        "expand",
        "index",
        "index_put_",
        "gather",
        "scatter_",
        "sum",
        "mean",
        "max_pool2d",
        "dropout",
        "to",
        "_to_copy",
        "clone",
        "detach",
        "native_layer_norm",
        "embedding",
        "arange",
        "as_strided",
        "mse_loss",
        "cross_entropy_loss",
        "nll_loss",
        "sqrt",
        "pow",
        "sigmoid",
        "threshold_backward",
        "div_",
        "add_",
        "addcdiv_",
        "addcmul_",
        "_foreach_add_",
        "lerp_",
        "zero_",
        "resize_",
        "item",
};
static const char *const modules[] = {"Linear",  "Conv2d",    "BatchNorm2d", "ReLU",         "LayerNorm", "Embedding",
                                      "Dropout", "Attention", "MLP",         "DecoderLayer", "RMSNorm",   "Sequential"};
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Like those of real traces: short library names, long template instances, generated ones, and a few that need escapes.
 */
static int print_kernel(char *out, size_t size, unsigned i)
{
	unsigned a = i / 10;
	const char *type = types[a % COUNT(types)], *functor = functors[a / COUNT(types) % COUNT(functors)];

	switch (i % 10) {
	case 0:
		return snprintf(out, size,
		                "void at::native::vectorized_elementwise_kernel<%u, at::native::%s<%s>, "
		                "at::detail::Array<char*, "
		                "%u> >(int, at::native::%s<%s>, at::detail::Array<char*, %u>)",
		                4u - a % 3, functor, type, 1 + a % 3, functor, type, 1 + a % 3);
	case 1:
		return snprintf(out, size, "ampere_%s_%ux%u_%s_stages_%ux%u_tn_v%u",
		                a % 2 ? "sgemm" : "fp16_s16816gemm_fp16", 32u << a % 4, 32u << a / 4 % 4,
		                a / 16 % 2 ? "ldg8_f2f" : "sliced1x2_ldg8", 32u << a / 32 % 2, 3 + a / 64 % 3, a / 192);
	case 2:
		return snprintf(out, size, "triton_%s_fused_%s_%s_%u", a % 3 ? "poi" : "red", words[a % COUNT(words)],
		                words[a / 3 % COUNT(words)], a);
	case 3:
		return snprintf(
		        out, size,
		        "void at::native::reduce_kernel<512, %u, at::native::ReduceOp<%s, "
		        "at::native::func_wrapper_t<%s, "
		        "at::native::sum_functor<%s, float, %s>::operator()(at::TensorIterator&)::{lambda(%s, %s)#1}>, "
		        "unsigned int, %s, %u> >",
		        1 + a % 4, type, type, type, type, type, type, type, 4 + a);
	case 4:
		return snprintf(
		        out, size,
		        "void cudnn::%s_1C11_kernel_NCHW<%s, float, %u, true, %u>(cudnnTensorStruct, %s const*)",
		        a % 2 ? "bn_fw_tr" : "bn_bw", type, 512u >> a % 2, 1 + a, type);
	case 5:
		return snprintf(out, size, "ncclDevKernel_%s_Sum_%s_RING_LL(ncclDevKernelArgsStorage<%uul>)",
		                a % 3 == 0 ? "AllReduce" : (a % 3 == 1 ? "ReduceScatter" : "AllGather"),
		                a % 2 ? "f32" : "bf16", 4096 + a);
	case 6:
		return snprintf(
		        out, size,
		        "void flash_fwd_kernel<Flash_fwd_kernel_traits<%u, %u, %u, 4, false, false, cutlass::%s, "
		        "Flash_kernel_traits<%u> >, false, %s, false>(Flash_fwd_params)",
		        64u << a % 2, 64u << a / 2 % 2, 32u << a / 4 % 3, a % 2 ? "half_t" : "bfloat16_t", 64 + a,
		        a % 2 ? "true" : "false");
	case 7:
		return snprintf(out, size, "cutlass_80_wmma_tensorop_%s_s161616gemm_%s_%ux%u_%ux2_nn_align%u",
		                a % 2 ? "f16" : "bf16", a % 2 ? "f16" : "bf16", 16u << a % 4, 16u << a / 4 % 4,
		                32u << a / 16 % 3, a);
	case 8:
		return snprintf(out, size,
		                "void (anonymous namespace)::softmax_warp_forward<%s, %s, float, %u, false, "
		                "false>(%s*, %s const*, "
		                "int, int, int)",
		                type, type, a, type, type);
	default:
		return snprintf(out, size, "kernel_\\\"%s\\\"\\u00b5_%s_\xc3\xa9tape_%u", words[a % COUNT(words)], type,
		                a);
	}
}

static int print_operator(char *out, size_t size, unsigned i)
{
	unsigned a = i / 4;
	const char *word = words[a % COUNT(words)];

	switch (a < COUNT(words) ? i % 4 : 3) {
	case 0:
	case 1:
		return snprintf(out, size, i % 4 ? "aten::_%s_cuda" : "aten::%s", word);
	case 2:
		return snprintf(out, size, "autograd::engine::evaluate_function: %sBackward0", word);
	default:
		return snprintf(out, size, "nn.Module: %s_%u", modules[a % COUNT(modules)], a);
	}
}

static int print_frame(char *out, size_t size, unsigned i)
{
	if (i % 5 == 0)
		return snprintf(out, size, "<built-in method %s of type object at 0x7f%06x40>", words[i % COUNT(words)],
		                i * 7919);
	if (i % 5 == 1)
		return snprintf(out, size, "torch/nn/modules/module.py(%u): _call_impl", 1500 + i);
	return snprintf(out, size, "/opt/model/%s.py(%u): %s", modules[i % COUNT(modules)], 10 + i,
	                i % 2 ? "forward" : "step");
}

static bool print_all(struct name **out, uint32_t count, int (*print)(char *, size_t, unsigned))
{
	*out = calloc(count, sizeof(**out));
	if (!*out)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		struct name *name = &(*out)[i];

		name->size = (uint16_t)print(name->text, sizeof(name->text), i);
	}
	return true;
}

bool names_init(struct names *names, uint32_t kernel_count)
{
	*names = (struct names){.kernel_count = kernel_count, .operator_count = 800, .frame_count = 1500};
	return print_all(&names->kernels, names->kernel_count, print_kernel) &&
	       print_all(&names->operators, names->operator_count, print_operator) &&
	       print_all(&names->frames, names->frame_count, print_frame);
}

void names_free(struct names *names)
{
	free(names->kernels);
	free(names->operators);
	free(names->frames);
}
