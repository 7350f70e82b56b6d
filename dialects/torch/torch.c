/* SPDX-License-Identifier: Apache-2.0 */
/*
 * torch - traces of torch.profiler (Kineto). Device work is told by its category alone, compared whole: annotations,
 * waits and host calls may carry a stream and a device too, and a substring such as "gpu" would take them all in.
 */
#include <string.h>

#include <tav/plugin.h>

enum { OPT_DEVICE_CATEGORIES };
static const struct tav_option options[] = {
        [OPT_DEVICE_CATEGORIES] = {"device_categories", TAV_TYPE_STRING, TAV_OPT_MANY, "[]", NULL, NULL, NULL,
                                   "Further categories whose events are device work, such as mtia_ccp_events."},
};

#define CATEGORY(text)                                                                                                 \
	{                                                                                                              \
		"cat", TAV_TEST_EQUALS, TAV_COND_IGNORE_CASE, text                                                     \
	}
#define NAME(test, text)                                                                                               \
	{                                                                                                              \
		"name", test, TAV_COND_IGNORE_CASE, text                                                               \
	}
#define DEVICE_WORK (TAV_TRAIT_DEVICE | TAV_TRAIT_DEVICE_CLOCK)

static const struct tav_rule rules[] = {
        {{CATEGORY("kernel")}, DEVICE_WORK | TAV_TRAIT_KERNEL, 0},
        {{CATEGORY("gpu_memcpy")}, DEVICE_WORK | TAV_TRAIT_MEMCPY, 0},
        {{CATEGORY("gpu_memset")}, DEVICE_WORK | TAV_TRAIT_MEMSET, 0},
        /* the names that Kineto used before 2022 */
        {{CATEGORY("memcpy")}, DEVICE_WORK | TAV_TRAIT_MEMCPY, 0},
        {{CATEGORY("memset")}, DEVICE_WORK | TAV_TRAIT_MEMSET, 0},
        /* ROCm reports its own copies and fills as kernels */
        {{CATEGORY("kernel"), NAME(TAV_TEST_PREFIX, "__amd_rocclr_copy")}, TAV_TRAIT_MEMCPY, TAV_TRAIT_KERNEL},
        {{CATEGORY("kernel"), NAME(TAV_TEST_PREFIX, "__amd_rocclr_fill")}, TAV_TRAIT_MEMSET, TAV_TRAIT_KERNEL},
        /* communication between devices: NCCL, RCCL, oneCCL, HCCL */
        {{CATEGORY("kernel"), NAME(TAV_TEST_MATCHES, "(nccl|rccl|oneccl|hccl)")}, TAV_TRAIT_COLLECTIVE, 0},
        {{CATEGORY("cpu_op")}, TAV_TRAIT_HOST_OP, 0},
        {{CATEGORY("operator")}, TAV_TRAIT_HOST_OP, 0},
        /* cuda_runtime, privateuse1_runtime, xpu_runtime, mtia_runtime, hip_runtime and those to come */
        {{{"cat", TAV_TEST_MATCHES, TAV_COND_IGNORE_CASE, "^([a-z0-9]+_)?runtime$"}}, TAV_TRAIT_RUNTIME, 0},
        {{{"cat", TAV_TEST_MATCHES, TAV_COND_IGNORE_CASE, "^([a-z0-9]+_)?driver$"}}, TAV_TRAIT_DRIVER, 0},
        /* what puts several kernels in one call on the device */
        {{{"cat", TAV_TEST_MATCHES, TAV_COND_IGNORE_CASE, "^[a-z0-9]+_(runtime|driver)$"},
          NAME(TAV_TEST_MATCHES, "^aiuLaunch(.*Compute|ControlBlocks$)")},
         TAV_TRAIT_PARENT,
         0},
        {{CATEGORY("user_annotation")}, TAV_TRAIT_ANNOTATION, 0},
        {{CATEGORY("gpu_user_annotation")}, TAV_TRAIT_ANNOTATION | TAV_TRAIT_DEVICE_CLOCK, 0},
        {{CATEGORY("cuda_sync")}, TAV_TRAIT_DEVICE_CLOCK, 0},
        {{CATEGORY("python_function")}, TAV_TRAIT_PYTHON, 0},
        {{CATEGORY("overhead")}, TAV_TRAIT_OVERHEAD, 0},
};

static const struct tav_key track[] = {{"pid", NULL}, {"args.stream", "0"}, {NULL, NULL}};

static int is_text(struct tav_text text, const char *chars)
{
	size_t size = strlen(chars);

	if (text.size != size)
		return 0;
	for (size_t i = 0; i < size; i++) {
		char c = text.data[i];
		if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != chars[i])
			return 0;
	}
	return 1;
}

static int is_one_of(struct tav_text text, const char *const *list)
{
	while (*list && !is_text(text, *list))
		list++;
	return *list != NULL;
}

static int is_device_category(const struct tav_value *option, struct tav_text category)
{
	for (uint64_t i = 0; i < option->count; i++) {
		char lowered[128];
		struct tav_text wanted = option->items[i]->text;

		if (wanted.size != category.size || wanted.size >= sizeof(lowered))
			continue;
		for (size_t c = 0; c <= wanted.size; c++) {
			char letter = c < wanted.size ? wanted.data[c] : '\0';
			lowered[c] = letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
		}
		if (is_text(category, lowered))
			return 1;
	}
	return 0;
}

static tav_status classify(struct tav_self *self, uint32_t count, const struct tav_text *names,
                           const struct tav_text *categories, uint32_t *traits)
{
	const struct tav_value *option = self->options[OPT_DEVICE_CATEGORIES];
	(void)names;

	for (uint32_t i = 0; option->count && i < count; i++) {
		if (!is_device_category(option, categories[i]))
			continue;
		traits[i] |= DEVICE_WORK;
		if (!(traits[i] & (TAV_TRAIT_MEMCPY | TAV_TRAIT_MEMSET)))
			traits[i] |= TAV_TRAIT_KERNEL;
	}
	return TAV_OK;
}

/* Categories that hardly anyone else writes; those that others might; keys that Kineto puts beside the events. */
static const char *const own_categories[] = {
        "kernel",
        "gpu_memcpy",
        "gpu_memset",
        "cpu_op",
        "user_annotation",
        "gpu_user_annotation",
        "python_function",
        "cuda_runtime",
        "privateuse1_runtime",
        "cuda_driver",
        "privateuse1_driver",
        "xpu_runtime",
        "mtia_runtime",
        "hip_runtime",
        "cuda_sync",
        "cpu_instant_event",
        "ac2g",
        "mtia_ccp_events",
        "async_cpu_to_gpu",
        "glow_runtime",
        "xpu_driver",
        NULL,
};
static const char *const old_categories[] = {"operator", "runtime",  "memcpy", "memset",
                                             "trace",    "overhead", "fwdbwd", NULL};
static const char *const own_keys[] = {"deviceproperties", "distributedinfo", "schemaversion",  "tracename",
                                       "record_shapes",    "with_stack",      "profile_memory", NULL};

static int32_t probe(struct tav_self *self, const struct tav_sample *sample, char *why, size_t why_size)
{
	struct tav_text seen[3] = {{NULL, 0}, {NULL, 0}, {NULL, 0}}; /* the first categories met, to be named */
	uint32_t seen_count = 0, own_count = 0, old_count = 0, key_count = 0;
	int has_kernel = 0;
	(void)self;

	for (uint32_t i = 0; i < sample->label_count; i++) {
		struct tav_text category = sample->categories[i];
		int is_own = is_one_of(category, own_categories);

		own_count += is_own;
		old_count += is_one_of(category, old_categories);
		has_kernel |= is_text(category, "kernel");
		for (uint32_t s = 0; is_own && s < seen_count; s++)
			is_own = seen[s].size != category.size ||
			         memcmp(seen[s].data, category.data, category.size) != 0;
		if (is_own && seen_count < 3)
			seen[seen_count++] = category;
	}
	for (uint32_t i = 0; i < sample->key_count; i++)
		key_count += is_one_of(sample->keys[i], own_keys);

	int32_t score = own_count > 1 ? 85 : own_count ? 75 : old_count && key_count ? 60 : 0;
	if (score && key_count)
		score += 10;
	else if (!score && key_count > 1)
		score = 50;
	if (score && has_kernel && score < 95)
		score += 5;
	size_t used = 0;
	for (uint32_t s = 0; s < seen_count && used < why_size; s++) {
		int size = seen[s].size > 40 ? 40 : (int)seen[s].size;
		int n = snprintf(why + used, why_size - used, "%s%.*s", s ? ", " : "categories ", size, seen[s].data);
		used += n > 0 ? (size_t)n : 0;
	}
	if (!seen_count && score)
		snprintf(why, why_size, "%u metadata keys of torch.profiler", key_count);
	return score;
}

static const struct tav_dialect torch = {
        .struct_size = sizeof(torch),
        .name = "torch",
        .summary = "Traces of torch.profiler: CUDA, ROCm, XPU, Torch-Spyre",
        .options = TAV_LIST(options),
        .rules = TAV_LIST(rules),
        .track = track,
        .probe = probe,
        .classify = classify,
};

static const struct tav_dialect *const dialects[] = {&torch, NULL};
TAV_EXPORT const struct tav_plugin tav_plugin = {
        TAV_PLUGIN_HEAD, .name = "torch", .version = "1.0.0", .license = "Apache-2.0", .dialects = dialects,
};
