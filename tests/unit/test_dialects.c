/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in dialects, as they are loaded: what each event is, on which track it ran, and whose trace it is. */
#include <dlfcn.h>

#include "made_trace.h"

static const struct tav_dialect *load(const char *path)
{
	void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	CU_ASSERT_PTR_NOT_NULL_FATAL(object);
	const struct tav_plugin *plugin = dlsym(object, "tav_plugin");
	CU_ASSERT_PTR_NOT_NULL_FATAL(plugin);
	CU_ASSERT_EQUAL(plugin->abi_major, TAV_ABI_MAJOR);
	return plugin->dialects[0];
}

static const struct tav_dialect *torch(void)
{
	return load(TEST_PLUGINS "/torch.so");
}

static const struct tav_dialect *spyre_native(void)
{
	return load(TEST_PLUGINS "/spyre-native.so");
}

static const struct tav_value no_value;
static uint32_t seen_traits;
static char seen_track[64];

/* Classifies one event; what it is goes to seen_traits and seen_track. */
static uint32_t see(const struct tav_dialect *descriptor, const struct tav_value *option,
                    const struct made_event *event)
{
	static struct made_trace trace;

	made_begin(&trace, descriptor);
	trace.options[0] = option ? option : &no_value;
	made_add(&trace, event);
	CU_ASSERT_EQUAL_FATAL(classify_source(&trace.store, 0, &trace.dialect, &trace.causes), TAV_OK);
	seen_traits = made_traits(&trace, 0);
	snprintf(seen_track, sizeof(seen_track), "%s%s", made_track(&trace, 0)->name.data,
	         made_track(&trace, 0)->flags & TAV_TRACK_SERIAL ? "!" : "");
	made_end(&trace);
	return seen_traits & ~(uint32_t)(TAV_TRAIT_INTERVAL | TAV_TRAIT_UNUSABLE | TAV_TRAIT_DEFAULT_TRACK);
}

#define ON_DEVICE (TAV_TRAIT_DEVICE | TAV_TRAIT_DEVICE_CLOCK)

static void torch_goes_by_whole_categories(void)
{
	const struct {
		const char *category, *name;
		uint32_t traits;
	} cases[] = {
	        {"kernel", "gemm", ON_DEVICE | TAV_TRAIT_KERNEL},
	        {"Kernel", "gemm", ON_DEVICE | TAV_TRAIT_KERNEL},
	        {"gpu_memcpy", "Memcpy HtoD", ON_DEVICE | TAV_TRAIT_MEMCPY},
	        {"Memcpy", "Memcpy HtoD", ON_DEVICE | TAV_TRAIT_MEMCPY},
	        {"gpu_memset", "Memset", ON_DEVICE | TAV_TRAIT_MEMSET},
	        {"Memset", "Memset", ON_DEVICE | TAV_TRAIT_MEMSET},
	        {"kernel", "ncclDevKernel_AllReduce", ON_DEVICE | TAV_TRAIT_KERNEL | TAV_TRAIT_COLLECTIVE},
	        {"kernel", "__amd_rocclr_copyBuffer.kd", ON_DEVICE | TAV_TRAIT_MEMCPY},
	        {"kernel", "__amd_rocclr_fillBufferAligned.kd", ON_DEVICE | TAV_TRAIT_MEMSET},
	        {"kernel,gpu_memcpy", "a list is a category of its own", 0},
	        {"kernels", "x", 0},
	        {"gpu", "x", 0},
	        {"Trace", "PyTorch Profiler (0)", 0},
	        {"mtia_ccp_events", "x", 0},
	        {"cpu_op", "aten::mm", TAV_TRAIT_HOST_OP},
	        {"Operator", "aten::mm", TAV_TRAIT_HOST_OP},
	        {"cuda_runtime", "cudaLaunchKernel", TAV_TRAIT_RUNTIME},
	        {"Runtime", "cudaLaunchKernel", TAV_TRAIT_RUNTIME},
	        {"privateuse1_runtime", "aiuLaunchScheduleCompute", TAV_TRAIT_RUNTIME | TAV_TRAIT_PARENT},
	        {"privateuse1_runtime", "aiuClockCalibration", TAV_TRAIT_RUNTIME},
	        {"privateuse1_driver", "aiuMalloc", TAV_TRAIT_DRIVER},
	        {"cuda_driver", "cuLaunchKernel", TAV_TRAIT_DRIVER},
	        {"user_annotation", "ProfilerStep#1", TAV_TRAIT_ANNOTATION},
	        {"gpu_user_annotation", "ProfilerStep#1", TAV_TRAIT_ANNOTATION | TAV_TRAIT_DEVICE_CLOCK},
	        {"cuda_sync", "Stream Sync", TAV_TRAIT_DEVICE_CLOCK},
	        {"python_function", "forward", TAV_TRAIT_PYTHON},
	        {"overhead", "Command Buffer Full", TAV_TRAIT_OVERHEAD},
	        {NULL, "kernel", 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct made_event event = {
		        .name = cases[i].name, .category = cases[i].category, .fields = {{"args.stream", "7"}}};
		if (see(torch(), NULL, &event) != cases[i].traits) {
			fprintf(stderr, "%s, %s: %#x\n", cases[i].category, cases[i].name, seen_traits);
			CU_FAIL("traits of a category");
		}
	}
}

static void torch_tracks_are_streams(void)
{
	struct made_event event = {.category = "kernel", .pid = "0", .tid = "400", .fields = {{"args.stream", "7"}}};

	see(torch(), NULL, &event);
	CU_ASSERT_STRING_EQUAL(seen_track, "pid 0, stream 7!");
	CU_ASSERT_EQUAL(seen_traits & TAV_TRAIT_DEFAULT_TRACK, 0);
	event.fields[0].value = NULL;
	see(torch(), NULL, &event);
	CU_ASSERT_STRING_EQUAL(seen_track, "pid 0, stream 0!");
	CU_ASSERT(seen_traits & TAV_TRAIT_DEFAULT_TRACK);
	event.category = "cuda_sync";
	see(torch(), NULL, &event);
	CU_ASSERT_STRING_EQUAL(seen_track, "thread 0/400");
}

static void torch_learns_categories(void)
{
	const struct tav_value item = {.text = {"MTIA_ccp_events", 15}};
	const struct tav_value *const items[] = {&item};
	const struct tav_value option = {.items = items, .count = 1};
	struct made_event event = {.category = "mtia_ccp_events"};

	CU_ASSERT_EQUAL(see(torch(), &option, &event), ON_DEVICE | TAV_TRAIT_KERNEL);
	event.category = "mtia_ccp_event";
	CU_ASSERT_EQUAL(see(torch(), &option, &event), 0);
	event.phase = 'i';
	event.category = "mtia_ccp_events";
	CU_ASSERT_EQUAL(see(torch(), &option, &event) & TAV_TRAIT_DEVICE, 0);
}

static void spyre_goes_by_cycle_stamps(void)
{
	const struct {
		const char *name, *ts1, *track;
		uint32_t traits;
	} cases[] = {
	        {"mm_0 Cmpt Exec", "1000", "pid 3, compute!", ON_DEVICE | TAV_TRAIT_KERNEL},
	        {"in_0 DmaI", "0xc06cc211", "pid 3, DmaI", ON_DEVICE | TAV_TRAIT_MEMCPY},
	        {"out_0 DmaO", "99999999999999999999", "pid 3, DmaO", ON_DEVICE | TAV_TRAIT_MEMCPY},
	        {"something", "1", "pid 3, other", ON_DEVICE},
	        {"mm_0 Cmpt Prep", "1000", "thread 3/none", TAV_TRAIT_PREP},
	        {"mm_0 Cmpt Exec", NULL, "thread 3/none", 0},
	        {"AIU Roundtrip", NULL, "thread 3/none", 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct made_event event = {
		        .name = cases[i].name, .pid = "3", .end_ns = 5, .fields = {{"args.TS1", cases[i].ts1}}};
		CU_ASSERT_EQUAL(see(spyre_native(), NULL, &event), cases[i].traits);
		CU_ASSERT_STRING_EQUAL(seen_track, cases[i].track);
		CU_ASSERT_EQUAL(seen_traits & TAV_TRAIT_DEFAULT_TRACK, 0);
	}
	const struct tav_value process = {.integer = 1};
	const struct made_event dma = {.name = "in_0 DmaI", .pid = "3", .fields = {{"args.TS1", "1"}}};
	see(spyre_native(), &process, &dma);
	CU_ASSERT_STRING_EQUAL(seen_track, "pid 3, all engines!");
}

static void spyre_doubts_lost_time(void)
{
	struct made_event event = {.name = "mm_0 Cmpt Exec", .fields = {{"args.TS1", "1000"}, {"args.TS5", "1410"}}};

	CU_ASSERT(see(spyre_native(), NULL, &event) & TAV_TRAIT_SUSPECT_TIME);
	event.fields[1].value = "1000";
	CU_ASSERT_FALSE(see(spyre_native(), NULL, &event) & TAV_TRAIT_SUSPECT_TIME);
	event.fields[1].value = "1410";
	event.end_ns = 1;
	CU_ASSERT_FALSE(see(spyre_native(), NULL, &event) & TAV_TRAIT_SUSPECT_TIME);
}

static void probes_know_their_own(void)
{
	const struct tav_dialect *const descriptors[] = {torch(), spyre_native(), load(TEST_PLUGINS "/generic.so")};
	const struct {
		struct made_event event;
		const char *top_level;
		int chosen;
	} cases[] = {
	        {{.category = "kernel", .name = "gemm"}, "{}", 0},
	        {{.category = "Kernel", .name = "gemm"}, "{\"schemaVersion\":1}", 0},
	        {{.category = "cpu_op", .name = "aten::mm"}, "{\"deviceProperties\":[]}", 0},
	        {{.category = "other", .name = "x"}, "{\"schemaVersion\":1,\"deviceProperties\":[]}", 0},
	        {{.name = "mm_0 Cmpt Exec", .fields = {{"args.TS1", "1"}}}, "{}", 1},
	        {{.category = "kernel", .name = "mm_0 Cmpt Exec"}, "{}", 0},
	        {{.name = "aten::sub"}, "{}", -1},
	        {{.category = "gpu", .name = "draw"}, "{\"displayTimeUnit\":\"ns\"}", -1},
	        {{.category = "POSIX", .name = "read"}, "{}", -1},
	};
	static struct made_trace trace;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *reason = NULL;

		/* spyre-native's own fields, then what torch wants */
		made_begin(&trace, spyre_native());
		CU_ASSERT_FATAL(classify_want(&trace.store.wanted, torch()));
		free(trace.events.fields);
		trace.events.fields = calloc(trace.store.wanted.count, sizeof(*trace.events.fields));
		made_add(&trace, &cases[i].event);
		trace.events.top_level = cases[i].top_level;
		trace.events.top_level_size = strlen(cases[i].top_level);
		struct dialect dialects[3];
		for (int d = 0; d < 3; d++) {
			dialects[d] = trace.dialect;
			dialects[d].descriptor = descriptors[d];
		}
		CU_ASSERT_EQUAL(classify_probe(&trace.store, 0, dialects, 3, &reason, &trace.causes), cases[i].chosen);
		CU_ASSERT_PTR_NOT_NULL_FATAL(reason);
		CU_ASSERT_PTR_NOT_NULL(strstr(reason, "torch "));
		CU_ASSERT_PTR_NOT_NULL(strstr(reason, "spyre-native "));
		CU_ASSERT_PTR_NULL(strstr(reason, "generic"));
		made_end(&trace);
	}
}

SUITE("dialects", {"torch: goes by whole categories", torch_goes_by_whole_categories},
      {"torch: tracks are streams", torch_tracks_are_streams}, {"torch: learns categories", torch_learns_categories},
      {"spyre-native: goes by cycle stamps", spyre_goes_by_cycle_stamps},
      {"spyre-native: doubts lost time", spyre_doubts_lost_time},
      {"probe: dialects know their own", probes_know_their_own})
