/* SPDX-License-Identifier: Apache-2.0 */
/*
 * torch - traces of torch.profiler (Kineto). Device work is told by its category alone, compared whole: annotations,
 * waits and host calls may carry a stream and a device too, and a substring such as "gpu" would take them all in.
 */
#include <regex.h>
#include <string.h>

#include <tav/collective.h>
#include <tav/kit.h>

enum { OPT_DEVICE_CATEGORIES, OPT_STREAM_FIELDS, OPT_TIME_UNIT, OPT_STEPS };
static const char *const time_units[] = {"us", "ns", "ms", "s", NULL};
static const char default_steps[] = "^ProfilerStep";
static const struct tav_option options[] = {
        [OPT_DEVICE_CATEGORIES] = {"device_categories", TAV_TYPE_STRING, TAV_OPT_MANY, "[]", NULL, NULL, NULL,
                                   "Further categories whose events are device work, such as mtia_ccp_events."},
        [OPT_STREAM_FIELDS] = {"stream_fields", TAV_TYPE_FIELD, TAV_OPT_MANY, "[args.stream, args.sycl queue]", NULL,
                               NULL, NULL,
                               "Where the stream of a device event stands: the first of these fields that it has; "
                               "without any it ran on stream 0."},
        [OPT_TIME_UNIT] = {"time_unit", TAV_TYPE_CHOICE, 0, "us", NULL, NULL, time_units,
                           "The unit of ts and dur in the file."},
        [OPT_STEPS] = {"steps", TAV_TYPE_PATTERN, 0, default_steps, NULL, NULL, NULL,
                       "Names of the host intervals that mark steps."},
};

#define CATEGORY(text)                                                                                                 \
	{                                                                                                              \
		"cat", TAV_TEST_EQUALS, TAV_COND_IGNORE_CASE, text                                                     \
	}
/* cuda_runtime, privateuse1_runtime, xpu_runtime, mtia_runtime, hip_runtime and those to come; the same of drivers */
#define CALL                                                                                                           \
	{                                                                                                              \
		"cat", TAV_TEST_MATCHES, TAV_COND_IGNORE_CASE, "^([a-z0-9]+_)?(runtime|driver)$"                       \
	}
#define STARTS(text)                                                                                                   \
	{                                                                                                              \
		"name", TAV_TEST_PREFIX, 0, text                                                                       \
	}
#define MATCHES(text)                                                                                                  \
	{                                                                                                              \
		"name", TAV_TEST_MATCHES, 0, text                                                                      \
	}
/* What makes the same calls under three names: the runtime and the driver of CUDA, and HIP. A name is compared with a
 * prefix before it meets a pattern. */
#define EACH_VENDOR(rest, call)                                                                                        \
	{{CALL, STARTS("cu"), MATCHES("^cu(da)?" rest)}, 0, 0, call, 0},                                               \
	{                                                                                                              \
		{CALL, STARTS("hip"), MATCHES("^hip" rest)}, 0, 0, call, 0                                             \
	}
#define DEVICE_WORK (TAV_TRAIT_DEVICE | TAV_TRAIT_DEVICE_CLOCK)

static const struct tav_rule rules[] = {
        {{CATEGORY("kernel")}, DEVICE_WORK | TAV_TRAIT_KERNEL, 0, 0, 0},
        {{CATEGORY("gpu_memcpy")}, DEVICE_WORK | TAV_TRAIT_MEMCPY, 0, 0, 0},
        {{CATEGORY("gpu_memset")}, DEVICE_WORK | TAV_TRAIT_MEMSET, 0, 0, 0},
        /* the names that Kineto used before 2022 */
        {{CATEGORY("memcpy")}, DEVICE_WORK | TAV_TRAIT_MEMCPY, 0, 0, 0},
        {{CATEGORY("memset")}, DEVICE_WORK | TAV_TRAIT_MEMSET, 0, 0, 0},
        {{CATEGORY("cpu_op")}, TAV_TRAIT_HOST_OP, 0, 0, 0},
        {{CATEGORY("operator")}, TAV_TRAIT_HOST_OP, 0, 0, 0},
        /* torch_npu: from and to the queue before the device */
        {{CATEGORY("enqueue")}, TAV_TRAIT_HOST_OP, 0, 0, 0},
        {{CATEGORY("dequeue")}, TAV_TRAIT_HOST_OP, 0, 0, 0},
        {{{"cat", TAV_TEST_MATCHES, TAV_COND_IGNORE_CASE, "^([a-z0-9]+_)?runtime$"}}, TAV_TRAIT_RUNTIME, 0, 0, 0},
        {{{"cat", TAV_TEST_MATCHES, TAV_COND_IGNORE_CASE, "^([a-z0-9]+_)?driver$"}}, TAV_TRAIT_DRIVER, 0, 0, 0},
        {{CATEGORY("user_annotation")}, TAV_TRAIT_ANNOTATION, 0, 0, 0},
        {{CATEGORY("gpu_user_annotation")}, TAV_TRAIT_ANNOTATION | TAV_TRAIT_DEVICE_CLOCK, 0, 0, 0},
        {{CATEGORY("cuda_sync")}, TAV_TRAIT_DEVICE_CLOCK, 0, 0, 0},
        {{CATEGORY("python_function")}, TAV_TRAIT_PYTHON, 0, 0, 0},
        {{CATEGORY("overhead")}, TAV_TRAIT_OVERHEAD, 0, 0, 0},

        /* calls of the host */
        EACH_VENDOR("(Ext|Module|ExtModule)?Launch(Cooperative)?(Kernel|Ex)", TAV_CALL_LAUNCH),
        EACH_VENDOR("Memcpy", TAV_CALL_COPY),
        EACH_VENDOR("Memset", TAV_CALL_FILL),
        EACH_VENDOR("GraphLaunch", TAV_CALL_GRAPH_LAUNCH),
        EACH_VENDOR("(Device|Ctx)Synchronize$", TAV_CALL_DEVICE_WAIT),
        EACH_VENDOR("StreamBeginCapture", TAV_CALL_CAPTURE_BEGIN),
        EACH_VENDOR("StreamEndCapture", TAV_CALL_CAPTURE_END),
        {{CALL, STARTS("urEnqueue"), STARTS("urEnqueueKernelLaunch")}, 0, 0, TAV_CALL_LAUNCH, 0},
        {{CALL, STARTS("urEnqueue"), MATCHES("^urEnqueue(Mem.*Copy|USMMemcpy)")}, 0, 0, TAV_CALL_COPY, 0},
        {{CALL, STARTS("urEnqueue"), MATCHES("^urEnqueue(Mem.*Fill|USMFill)")}, 0, 0, TAV_CALL_FILL, 0},
        {{CALL, STARTS("zeCommandListAppendLaunch"), MATCHES("Kernel")}, 0, 0, TAV_CALL_LAUNCH, 0},
        {{CALL, STARTS("runFunction - job_prep")}, 0, 0, TAV_CALL_LAUNCH, 0},
        /* what puts several kernels in one call on a Spyre device */
        {{CALL, STARTS("aiuLaunch"), MATCHES("^aiuLaunch(.*Compute|ControlBlocks$)")},
         TAV_TRAIT_PARENT,
         0,
         TAV_CALL_LAUNCH,
         0},
        {{CALL, STARTS("aiuLaunchDM"), MATCHES("^aiuLaunchDM[IO]ControlBlocks$")}, 0, 0, TAV_CALL_COPY, 0},
};

static const char *const pid_fields[] = {"pid", NULL};
static const char *const stream_fields[] = {"args.stream", "args.sycl queue", NULL};
static const struct tav_key track[] = {
        {pid_fields, NULL, NULL}, {stream_fields, "0", "stream_fields"}, {NULL, NULL, NULL}};
/* Old roctracer knows no correlation: there the number of the operator is that of the call. */
static const char *const link_fields[] = {"args.correlation", "args.External id", "args.external id", NULL};
static const char *const operator_fields[] = {"args.External id", "args.external id", NULL};

static int starts_with(struct tav_text text, const char *lower)
{
	size_t at = 0;

	while (lower[at] && at < text.size && tav_lower(text.data[at]) == lower[at])
		at++;
	return !lower[at];
}

static int is_text(struct tav_text text, const char *lower)
{
	return text.size == strlen(lower) && starts_with(text, lower);
}

static int is_one_of(struct tav_text text, const char *const *list)
{
	while (*list && !is_text(text, *list))
		list++;
	return *list != NULL;
}

static int is_same_but_for_case(struct tav_text a, struct tav_text b)
{
	size_t at = 0;

	while (a.size == b.size && at < a.size && tav_lower(a.data[at]) == tav_lower(b.data[at]))
		at++;
	return a.size == b.size && at == a.size;
}

static int is_device_category(const struct tav_value *option, struct tav_text category)
{
	for (uint64_t i = 0; i < option->count; i++) {
		if (is_same_but_for_case(option->items[i]->text, category))
			return 1;
	}
	return 0;
}

/* ---- What names say beyond categories ------------------------------------------------------------------------- */
struct step_pattern {
	struct tav_text prefix; /* of a pattern that is no more than "^WORD" */
	regex_t regex;
	int has_regex;
};

static tav_status step_pattern_init(struct tav_self *self, struct step_pattern *pattern)
{
	struct tav_text text = self->options[OPT_STEPS]->text;
	char why[128];

	if (text.size && text.data[0] == '^' && strcspn(text.data + 1, "\\^$.[]|()*+?{}") == text.size - 1) {
		pattern->prefix = (struct tav_text){text.data + 1, text.size - 1};
		return TAV_OK;
	}
	int error = regcomp(&pattern->regex, text.data, REG_EXTENDED | REG_NOSUB);
	if (!error) {
		pattern->has_regex = 1;
		return TAV_OK;
	}
	regerror(error, &pattern->regex, why, sizeof(why));
	return tav_fail(self, "the pattern of steps, '%s': %s", text.data, why);
}

static int is_step(struct tav_self *self, const struct step_pattern *pattern, struct tav_text name)
{
	if (pattern->has_regex)
		return tav_matches(self, &pattern->regex, name.data);
	return name.size >= pattern->prefix.size && !memcmp(name.data, pattern->prefix.data, pattern->prefix.size);
}

/* Annotations of a collective end when it does, long after the code that began them has gone on. */
static int ends_later(struct tav_text name)
{
	static const char *const libraries[] = {"nccl:", "hccl:", "gloo:", "xccl:", "mpi:", "ucc:"};

	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		if (starts_with(name, libraries[i]))
			return 1;
	}
	return 0;
}

/* ROCm reports its own copies and fills as kernels. */
static uint32_t kernel_traits(struct tav_text name, uint32_t traits)
{
	const uint32_t kernel = TAV_TRAIT_KERNEL;

	if (starts_with(name, "__amd_rocclr_copy"))
		return (traits | TAV_TRAIT_MEMCPY) & ~kernel;
	if (starts_with(name, "__amd_rocclr_fill"))
		return (traits | TAV_TRAIT_MEMSET) & ~kernel;
	return tav_is_collective(name) ? traits | TAV_TRAIT_COLLECTIVE : traits;
}

static tav_status classify(struct tav_self *self, uint32_t count, const struct tav_text *names,
                           const struct tav_text *categories, uint32_t *traits)
{
	const uint32_t of_a_step = TAV_TRAIT_ANNOTATION | TAV_TRAIT_HOST_OP;
	const struct tav_value *further = self->options[OPT_DEVICE_CATEGORIES];
	struct step_pattern pattern = {{NULL, 0}, {0}, 0};

	if (step_pattern_init(self, &pattern))
		return TAV_FAILED;
	for (uint32_t i = 0; i < count; i++) {
		if (further->count && is_device_category(further, categories[i])) {
			traits[i] |= DEVICE_WORK;
			if (!(traits[i] & (TAV_TRAIT_MEMCPY | TAV_TRAIT_MEMSET)))
				traits[i] |= TAV_TRAIT_KERNEL;
		}
		if (traits[i] & TAV_TRAIT_KERNEL)
			traits[i] = kernel_traits(names[i], traits[i]);
		if (traits[i] & of_a_step && !(traits[i] & TAV_TRAIT_DEVICE_CLOCK) && is_step(self, &pattern, names[i]))
			traits[i] |= TAV_TRAIT_STEP;
		if (traits[i] & TAV_TRAIT_ANNOTATION && ends_later(names[i]))
			traits[i] |= TAV_TRAIT_ENDS_LATER;
	}
	if (pattern.has_regex)
		regfree(&pattern.regex);
	return TAV_OK;
}

/* ---- Whose software ------------------------------------------------------------------------------------------- */
static uint32_t flavour_of(struct tav_text name)
{
	static const struct {
		const char *prefix;
		uint32_t flavour;
	} prefixes[] = {{"cu", TAV_FLAVOUR_CUDA}, {"hip", TAV_FLAVOUR_ROCM},  {"ur", TAV_FLAVOUR_XPU},
	                {"ze", TAV_FLAVOUR_XPU},  {"aiu", TAV_FLAVOUR_SPYRE}, {"runfunction", TAV_FLAVOUR_MTIA}};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		if (starts_with(name, prefixes[i].prefix))
			return prefixes[i].flavour;
	}
	return TAV_FLAVOUR_NONE;
}

/* The vendor of most launches; where nothing was launched, of most calls; where nothing was called, of the profiler. */
static uint32_t flavour(struct tav_self *self, uint32_t source)
{
	const struct tav_host *host = self->host;
	const uint32_t *label = host->column(self, source, TAV_COL_LABEL);
	const uint32_t *traits = host->column(self, source, TAV_COL_TRAITS);
	uint32_t label_count = host->label_count(self, source), row_count = host->source(self, source)->row_count;
	uint64_t votes[TAV_FLAVOUR_ASCEND + 1] = {0}, calls[TAV_FLAVOUR_ASCEND + 1] = {0}, launches = 0;
	uint64_t *events = host->alloc(self, (size_t)label_count * sizeof(*events));
	uint32_t best = TAV_FLAVOUR_NONE, recorder = TAV_FLAVOUR_NONE;

	if (!events || !label || !traits)
		return TAV_FLAVOUR_NONE;
	for (uint32_t row = 0; row < row_count; row++)
		events[label[row]] += traits[row] & (TAV_TRAIT_RUNTIME | TAV_TRAIT_DRIVER) ? 1 : 0;
	for (uint32_t i = 0; i < label_count; i++) {
		struct tav_text name = host->label(self, source, i, NULL);
		if (starts_with(name, "__aiu_profiler__"))
			recorder = TAV_FLAVOUR_SPYRE;
		if (!events[i])
			continue;
		uint32_t of = flavour_of(name);
		int is_launch = host->label_call(self, source, i) == TAV_CALL_LAUNCH;
		calls[of] += events[i];
		votes[of] += is_launch ? events[i] : 0;
		launches += is_launch ? events[i] : 0;
	}
	for (uint32_t i = TAV_FLAVOUR_NONE + 1; i <= TAV_FLAVOUR_ASCEND; i++) {
		const uint64_t *counts = launches ? votes : calls;
		best = counts[i] > (best ? counts[best] : 0) ? i : best;
	}
	return best ? best : recorder;
}

/* ---- Whose trace ---------------------------------------------------------------------------------------------- */
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

struct sighting {                 /* what probe() has seen */
	struct tav_text first[3]; /* of our own categories, to be named */
	uint32_t first_count, own_count, old_count, key_count;
	struct tav_text last; /* neighbours share their category */
	int is_last_own, is_last_old;
	int has_kernel, has_mtia;
};

static void see_category(struct sighting *seen, struct tav_text category)
{
	int is_new = seen->is_last_own;

	seen->has_kernel |= is_text(category, "kernel");
	seen->has_mtia |= is_text(category, "mtia_ccp_events");
	for (uint32_t i = 0; is_new && i < seen->first_count; i++)
		is_new = tav_text_compare(seen->first[i], category) != 0;
	if (is_new && seen->first_count < sizeof(seen->first) / sizeof(seen->first[0]))
		seen->first[seen->first_count++] = category;
}

static void look_at(struct sighting *seen, const struct tav_sample *sample)
{
	for (uint32_t i = 0; i < sample->label_count; i++) {
		struct tav_text category = sample->categories[i];

		if (!i || category.data != seen->last.data) {
			seen->last = category;
			seen->is_last_own = is_one_of(category, own_categories);
			seen->is_last_old = is_one_of(category, old_categories);
			see_category(seen, category);
		}
		seen->own_count += (uint32_t)seen->is_last_own;
		seen->old_count += (uint32_t)seen->is_last_old;
	}
	for (uint32_t i = 0; i < sample->key_count; i++)
		seen->key_count += (uint32_t)is_one_of(sample->keys[i], own_keys);
}

static int32_t probe(struct tav_self *self, const struct tav_sample *sample, char *why, size_t why_size)
{
	struct sighting seen = {0};
	size_t used = 0;
	(void)self;

	look_at(&seen, sample);
	int32_t score = seen.own_count > 1 ? 85 : seen.own_count ? 75 : seen.old_count && seen.key_count ? 60 : 0;
	if (score && seen.key_count)
		score += 10;
	else if (!score && seen.key_count > 1)
		score = 50;
	if (score && seen.has_kernel && score < 95)
		score += 5;
	for (uint32_t i = 0; i < seen.first_count && used < why_size; i++) {
		int size = seen.first[i].size > 40 ? 40 : (int)seen.first[i].size;
		int n = snprintf(why + used, why_size - used, "%s%.*s", i ? ", " : "categories ", size,
		                 seen.first[i].data);
		used += n > 0 ? (size_t)n : 0;
	}
	if (seen.has_mtia && !seen.has_kernel && used < why_size)
		snprintf(why + used, why_size - used,
		         "; its device work is read with --set 'torch.device_categories=[mtia_ccp_events]'");
	if (!seen.first_count && score)
		snprintf(why, why_size, "%u metadata keys of torch.profiler", seen.key_count);
	return score;
}

static const struct tav_dialect torch = {
        .struct_size = sizeof(torch),
        .name = "torch",
        .summary = "Traces of torch.profiler: CUDA, ROCm, XPU, Torch-Spyre, MTIA",
        .options = TAV_LIST(options),
        .rules = TAV_LIST(rules),
        .track = track,
        .probe = probe,
        .classify = classify,
        .track_word = "stream",
        .link_fields = link_fields,
        .operator_fields = operator_fields,
        .flavour = flavour,
};

static const struct tav_dialect *const dialects[] = {&torch, NULL};
TAV_EXPORT const struct tav_plugin tav_plugin = {
        TAV_PLUGIN_HEAD, .name = "torch", .version = "2.0.0", .license = "Apache-2.0", .dialects = dialects,
};
