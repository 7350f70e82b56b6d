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

static uint32_t seen_traits, seen_call;
static char seen_track[64];

/* Classifies one event; what it is goes to seen_... Of an option by its place, another value. */
static uint32_t see_with(const struct tav_dialect *descriptor, uint32_t place, const struct tav_value *option,
                         const struct made_event *event)
{
	static struct made_trace trace;

	made_begin(&trace, descriptor);
	if (option)
		trace.options[place] = option;
	for (uint64_t i = 0; option && i < option->count; i++)
		wanted_add(&trace.wanted, option->items[i]->text.data, TAV_TYPE_STRING);
	made_columns(&trace);
	made_add(&trace, event);
	CU_ASSERT_EQUAL_FATAL(made_classify(&trace), TAV_OK);
	seen_traits = made_traits(&trace, 0);
	seen_call = COLUMN(trace.events, label_calls, const uint8_t)[0];
	snprintf(seen_track, sizeof(seen_track), "%s%s", made_track(&trace, 0)->name.data,
	         made_track(&trace, 0)->flags & TAV_TRACK_SERIAL ? "!" : "");
	made_end(&trace);
	return seen_traits & ~(uint32_t)(TAV_TRAIT_INTERVAL | TAV_TRAIT_UNUSABLE | TAV_TRAIT_DEFAULT_TRACK);
}

static uint32_t see(const struct tav_dialect *descriptor, const struct made_event *event)
{
	return see_with(descriptor, 0, NULL, event);
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
	        {"user_annotation", "ProfilerStep#1", TAV_TRAIT_ANNOTATION | TAV_TRAIT_STEP},
	        {"user_annotation", "a ProfilerStep#1", TAV_TRAIT_ANNOTATION},
	        {"Operator", "ProfilerStep#1", TAV_TRAIT_HOST_OP | TAV_TRAIT_STEP},
	        {"python_function", "ProfilerStep#1", TAV_TRAIT_PYTHON},
	        {"user_annotation", "nccl:all_reduce", TAV_TRAIT_ANNOTATION | TAV_TRAIT_ENDS_LATER},
	        {"user_annotation", "my nccl:all_reduce", TAV_TRAIT_ANNOTATION},
	        {"gpumemcpys", "as long as gpu_memcpy", 0},
	        {"gpu_user_annotation", "ProfilerStep#1", TAV_TRAIT_ANNOTATION | TAV_TRAIT_DEVICE_CLOCK},
	        {"cuda_sync", "Stream Sync", TAV_TRAIT_DEVICE_CLOCK},
	        {"python_function", "forward", TAV_TRAIT_PYTHON},
	        {"overhead", "Command Buffer Full", TAV_TRAIT_OVERHEAD},
	        {NULL, "kernel", 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct made_event event = {
		        .name = cases[i].name, .category = cases[i].category, .fields = {{"args.stream", "7"}}};
		if (see(torch(), &event) != cases[i].traits) {
			fprintf(stderr, "%s, %s: %#x\n", cases[i].category, cases[i].name, seen_traits);
			CU_FAIL("traits of a category");
		}
	}
}

static void torch_tracks_are_streams(void)
{
	struct made_event event = {.category = "kernel", .pid = "0", .tid = "400", .fields = {{"args.stream", "7"}}};

	see(torch(), &event);
	CU_ASSERT_STRING_EQUAL(seen_track, "pid 0, stream 7!");
	CU_ASSERT_EQUAL(seen_traits & TAV_TRAIT_DEFAULT_TRACK, 0);
	event.fields[0].value = NULL;
	see(torch(), &event);
	CU_ASSERT_STRING_EQUAL(seen_track, "pid 0, stream 0!");
	CU_ASSERT(seen_traits & TAV_TRAIT_DEFAULT_TRACK);
	event.category = "cuda_sync";
	see(torch(), &event);
	CU_ASSERT_STRING_EQUAL(seen_track, "thread 0/400");
}

static void torch_streams_have_other_names(void)
{
	const struct tav_value tid = {.text = {"tid", 3}};
	const struct tav_value *const items[] = {&tid};
	const struct tav_value option = {.items = items, .count = 1};
	struct made_event event = {
	        .category = "kernel", .pid = "0", .tid = "Stream 20", .fields = {{"args.sycl queue", "64"}}};

	see(torch(), &event);
	CU_ASSERT_STRING_EQUAL(seen_track, "pid 0, sycl queue 64!");
	CU_ASSERT_EQUAL(seen_traits & TAV_TRAIT_DEFAULT_TRACK, 0);
	event.fields[1] = (struct made_field){"args.stream", "7"};
	see(torch(), &event);
	CU_ASSERT_STRING_EQUAL(seen_track, "pid 0, stream 7!");
	see_with(torch(), 1, &option, &event);
	CU_ASSERT_STRING_EQUAL(seen_track, "pid 0, tid Stream 20!");
}

static void torch_knows_collectives(void)
{
	const struct {
		const char *name;
		int is_collective;
	} cases[] = {
	        {"ncclDevKernel_AllReduce_Sum_f32_RING_LL", 1},
	        {"void x::onecclKernel<int>()", 1},
	        {"void sglang::cross_device_reduce_1stage<bf16, 8>(x)", 1},
	        {"void at::native::(anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 4>(unsigned long)",
	         1},
	        {"AllGatherKernel", 1},
	        {"reducescatter", 1},
	        {"all_to_all_v", 1},
	        {"void gemm<AllReduceEpilogue>(float*)", 0},
	        {"f(all_reduce)", 0},
	        {"void cub::DeviceReduceByKeyKernel<cub::DispatchReduceByKey<int>>(int*)", 0},
	        {"void wrap<ncclWork>(x)", 1}, /* names of libraries count anywhere */
	        {"all__reduce", 0},
	        {"reduce_kernel", 0},
	        {"nccx", 0},
	        {"cross_device_reduc", 0},
	        {"", 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct made_event event = {.name = cases[i].name, .category = "kernel", .end_ns = 5};
		if (((see(torch(), &event) & TAV_TRAIT_COLLECTIVE) != 0) != cases[i].is_collective) {
			fprintf(stderr, "%s\n", cases[i].name);
			CU_FAIL("a collective");
		}
		event.category = "cpu_op";
		CU_ASSERT_EQUAL(see(torch(), &event) & TAV_TRAIT_COLLECTIVE, 0);
	}
}

static void torch_knows_calls(void)
{
	const struct {
		const char *category, *name;
		uint32_t call;
	} cases[] = {
	        {"cuda_runtime", "cudaLaunchKernel", TAV_CALL_LAUNCH},
	        {"cuda_runtime", "cudaLaunchKernelExC", TAV_CALL_LAUNCH},
	        {"cuda_driver", "cuLaunchKernelEx", TAV_CALL_LAUNCH},
	        {"Runtime", "cudaLaunchCooperativeKernel", TAV_CALL_LAUNCH},
	        {"cuda_runtime", "hipExtModuleLaunchKernel", TAV_CALL_LAUNCH},
	        {"cuda_runtime", "hipModuleLaunchKernel", TAV_CALL_LAUNCH},
	        {"cuda_runtime", "cudaLaunchHostFunc", TAV_CALL_NONE},
	        {"cuda_runtime", "hipLaunchByPtr", TAV_CALL_NONE},
	        {"cuda_runtime", "cudaMemcpyAsync", TAV_CALL_COPY},
	        {"cuda_runtime", "hipMemcpyWithStream", TAV_CALL_COPY},
	        {"cuda_driver", "cuMemcpyHtoDAsync_v2", TAV_CALL_COPY},
	        {"cuda_runtime", "cudaMemsetAsync", TAV_CALL_FILL},
	        {"cuda_runtime", "cudaMemGetInfo", TAV_CALL_NONE},
	        {"cuda_runtime", "cudaGraphLaunch", TAV_CALL_GRAPH_LAUNCH},
	        {"cuda_runtime", "hipGraphLaunch", TAV_CALL_GRAPH_LAUNCH},
	        {"cuda_runtime", "cudaDeviceSynchronize", TAV_CALL_DEVICE_WAIT},
	        {"cuda_runtime", "hipDeviceSynchronize", TAV_CALL_DEVICE_WAIT},
	        {"cuda_driver", "cuCtxSynchronize", TAV_CALL_DEVICE_WAIT},
	        {"cuda_runtime", "cudaStreamSynchronize", TAV_CALL_NONE},
	        {"cuda_runtime", "cudaStreamBeginCapture_ptsz", TAV_CALL_CAPTURE_BEGIN},
	        {"cuda_runtime", "hipStreamEndCapture", TAV_CALL_CAPTURE_END},
	        {"xpu_runtime", "urEnqueueKernelLaunchWithArgsExp", TAV_CALL_LAUNCH},
	        {"xpu_runtime", "urEnqueueMemBufferCopy", TAV_CALL_COPY},
	        {"xpu_runtime", "urEnqueueEventsWait", TAV_CALL_NONE},
	        {"xpu_runtime", "zeCommandListAppendLaunchCooperativeKernel", TAV_CALL_LAUNCH},
	        {"mtia_runtime", "runFunction - job_prep_and_submit_for_execution", TAV_CALL_LAUNCH},
	        {"privateuse1_runtime", "aiuLaunchControlBlocks", TAV_CALL_LAUNCH},
	        {"privateuse1_runtime", "aiuLaunchScheduleCompute", TAV_CALL_LAUNCH},
	        {"privateuse1_runtime", "aiuLaunchDMIControlBlocks", TAV_CALL_COPY},
	        {"privateuse1_runtime", "aiuLaunchDMOControlBlocks", TAV_CALL_COPY},
	        {"privateuse1_runtime", "aiuLaunchDMXControlBlocks", TAV_CALL_NONE},
	        {"cpu_op", "cudaLaunchKernel", TAV_CALL_NONE},
	        {"kernel", "cudaMemcpyAsync", TAV_CALL_NONE},
	        {"python_function", "hipGraphLaunch", TAV_CALL_NONE},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		see(torch(), &(struct made_event){.name = cases[i].name, .category = cases[i].category, .end_ns = 5});
		if (seen_call != cases[i].call) {
			fprintf(stderr, "%s: %u\n", cases[i].name, seen_call);
			CU_FAIL("a call");
		}
	}
}

static void torch_takes_other_steps(void)
{
	const struct {
		const char *pattern, *name;
		int is_step;
	} cases[] = {
	        {"^ProfilerStep", "ProfilerStep#1", 1},
	        {"^ProfilerStep", "Profiler", 0},
	        {"^(step|iteration) [0-9]+$", "step 12", 1},
	        {"^(step|iteration) [0-9]+$", "step x", 0},
	        {"step", "my step", 1},
	        {"^it.", "it#", 1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tav_value option = {.text = {cases[i].pattern, strlen(cases[i].pattern)}};
		const struct made_event event = {.name = cases[i].name, .category = "user_annotation"};
		CU_ASSERT_EQUAL(!(see_with(torch(), 3, &option, &event) & TAV_TRAIT_STEP), !cases[i].is_step);
	}
}

static uint32_t flavour_of(const char *const *names, const char *category)
{
	static struct made_trace trace;

	made_begin(&trace, torch());
	for (; *names; names++)
		made_add(&trace, &(struct made_event){.name = *names, .category = category, .end_ns = 5});
	CU_ASSERT_EQUAL_FATAL(made_classify(&trace), TAV_OK);
	uint32_t flavour = trace.events->flavour;
	made_end(&trace);
	return flavour;
}

static void torch_knows_whose_software(void)
{
	static const char *const cuda[] = {"cudaMalloc", "cudaLaunchKernel", NULL};
	static const char *const rocm[] = {"cudaMalloc", "cudaFree", "hipLaunchKernel",
	                                   NULL}; /* launches count first */
	static const char *const most[] = {"cudaLaunchKernel", "hipLaunchKernel", "hipLaunchKernel", NULL};
	static const char *const waits[] = {"urEventWait", "cudaFree", "zeEvent", NULL};
	static const char *const spyre[] = {"aiuLaunchControlBlocks", NULL};
	static const char *const mtia[] = {"runFunction - job_prep_and_submit_for_execution", NULL};

	CU_ASSERT_EQUAL(flavour_of(cuda, "cuda_runtime"), TAV_FLAVOUR_CUDA);
	CU_ASSERT_EQUAL(flavour_of(rocm, "cuda_runtime"), TAV_FLAVOUR_ROCM);
	CU_ASSERT_EQUAL(flavour_of(most, "cuda_runtime"), TAV_FLAVOUR_ROCM);
	CU_ASSERT_EQUAL(flavour_of(waits, "xpu_runtime"), TAV_FLAVOUR_XPU);
	CU_ASSERT_EQUAL(flavour_of(spyre, "privateuse1_runtime"), TAV_FLAVOUR_SPYRE);
	CU_ASSERT_EQUAL(flavour_of(mtia, "mtia_runtime"), TAV_FLAVOUR_MTIA);
	CU_ASSERT_EQUAL(flavour_of(cuda, "cpu_op"), TAV_FLAVOUR_NONE);
}

static void ascend_knows_lanes_and_waits(void)
{
	const struct {
		const char *name, *field, *value, *track;
		uint32_t traits;
	} cases[] = {
	        {"MatMulV2", "args.Task Type", "AI_CORE", "pid 3, Stream Id 2, hardware!",
	         ON_DEVICE | TAV_TRAIT_KERNEL},
	        {"hcom_allReduce", "args.Task Type", "HCCL", "pid 3, Stream Id 2, hardware!",
	         ON_DEVICE | TAV_TRAIT_KERNEL | TAV_TRAIT_COLLECTIVE},
	        {"MEMCPY_ASYNC", "args.Task Type", "MEMCPY_ASYNC", "pid 3, Stream Id 2, hardware!",
	         ON_DEVICE | TAV_TRAIT_MEMCPY},
	        {"EVENT_WAIT", "args.Task Type", "EVENT_WAIT", "thread 3/9", TAV_TRAIT_DEVICE_CLOCK},
	        {"NOTIFY_RECORD", "args.Task Type", "NOTIFY_RECORD", "thread 3/9", TAV_TRAIT_DEVICE_CLOCK},
	        {"Computing", "args.other", "1", "thread 3/9", 0},
	        {"aten::hccl", "args.other", "1", "thread 3/9", 0},
	};
	const struct tav_dialect *ascend = load(TEST_PLUGINS "/ascend.so");

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct made_event event = {.name = cases[i].name,
		                           .pid = "3",
		                           .tid = "9",
		                           .end_ns = 5,
		                           .fields = {{"args.Stream Id", "2"}, {cases[i].field, cases[i].value}}};
		if (see(ascend, &event) != cases[i].traits) {
			fprintf(stderr, "%s: %#x\n", cases[i].name, seen_traits);
			CU_FAIL("traits of a task");
		}
		CU_ASSERT_STRING_EQUAL(seen_track, cases[i].track);
	}
	const struct made_event hccl = {.name = "Notify_Wait",
	                                .pid = "1003611",
	                                .tid = "1",
	                                .end_ns = 5,
	                                .fields = {{"args.stream id", "12"}, {"args.task type", "Notify_Wait"}}};
	CU_ASSERT_EQUAL(see(ascend, &hccl), ON_DEVICE | TAV_TRAIT_COLLECTIVE);
	CU_ASSERT_STRING_EQUAL(seen_track, "pid 1003611, stream id 12, HCCL"); /* measured, not judged */
	const struct made_event mindspore = {
	        .name = "Conv2D-op5",
	        .pid = "1",
	        .tid = "519",
	        .end_ns = 5,
	        .fields = {{"args.type", "Conv2D"}, {"args.fullname", "Default/Conv2D-op5"}}};
	CU_ASSERT_EQUAL(see(ascend, &mindspore), ON_DEVICE | TAV_TRAIT_KERNEL);
	CU_ASSERT_STRING_EQUAL(seen_track, "pid 1, tid 519, hardware!");
}

/* Hardware and HCCL rows of one file have pids of their own, and are of one device. */
static void ascend_has_one_device(void)
{
	static struct made_trace trace;

	made_begin(&trace, load(TEST_PLUGINS "/ascend.so"));
	made_add(&trace, &(struct made_event){.name = "a",
	                                      .pid = "3",
	                                      .fields = {{"args.Stream Id", "2"}, {"args.Task Type", "AI_CORE"}}});
	made_add(&trace, &(struct made_event){.name = "b",
	                                      .pid = "1003611",
	                                      .fields = {{"args.stream id", "2"}, {"args.task type", "Memcpy"}}});
	CU_ASSERT_EQUAL_FATAL(made_classify(&trace), TAV_OK);
	CU_ASSERT_EQUAL(trace.events->track_count, 2);
	CU_ASSERT_EQUAL(trace.events->device_count, 1);
	CU_ASSERT_EQUAL(trace.events->flavour, TAV_FLAVOUR_ASCEND);
	made_end(&trace);
}

static void torch_learns_categories(void)
{
	const struct tav_value item = {.text = {"MTIA_ccp_events", 15}};
	const struct tav_value *const items[] = {&item};
	const struct tav_value option = {.items = items, .count = 1};
	struct made_event event = {.category = "mtia_ccp_events"};

	CU_ASSERT_EQUAL(see_with(torch(), 0, &option, &event), ON_DEVICE | TAV_TRAIT_KERNEL);
	event.category = "mtia_ccp_event";
	CU_ASSERT_EQUAL(see_with(torch(), 0, &option, &event), 0);
	event.phase = 'i';
	event.category = "mtia_ccp_events";
	CU_ASSERT_EQUAL(see_with(torch(), 0, &option, &event) & TAV_TRAIT_DEVICE, 0);
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
		CU_ASSERT_EQUAL(see(spyre_native(), &event), cases[i].traits);
		CU_ASSERT_STRING_EQUAL(seen_track, cases[i].track);
		CU_ASSERT_EQUAL(seen_traits & TAV_TRAIT_DEFAULT_TRACK, 0);
	}
	const struct tav_value process = {.integer = 1};
	const struct made_event dma = {.name = "in_0 DmaI", .pid = "3", .fields = {{"args.TS1", "1"}}};
	see_with(spyre_native(), 0, &process, &dma);
	CU_ASSERT_STRING_EQUAL(seen_track, "pid 3, all engines!");
}

static void spyre_doubts_lost_time(void)
{
	struct made_event event = {.name = "mm_0 Cmpt Exec", .fields = {{"args.TS1", "1000"}, {"args.TS5", "1410"}}};

	CU_ASSERT(see(spyre_native(), &event) & TAV_TRAIT_SUSPECT_TIME);
	event.fields[1].value = "1000";
	CU_ASSERT_FALSE(see(spyre_native(), &event) & TAV_TRAIT_SUSPECT_TIME);
	event.fields[1].value = "1410";
	event.end_ns = 1;
	CU_ASSERT_FALSE(see(spyre_native(), &event) & TAV_TRAIT_SUSPECT_TIME);
}

static void probes_know_their_own(void)
{
	const struct tav_dialect *const descriptors[] = {torch(), spyre_native(), load(TEST_PLUGINS "/generic.so"),
	                                                 load(TEST_PLUGINS "/ascend.so"),
	                                                 load(TEST_PLUGINS "/dftracer.so")};
	enum { TORCH, SPYRE, GENERIC, ASCEND, DFTRACER, DIALECTS };
	const struct {
		struct made_event event;
		const char *top_level;
		int chosen;
	} cases[] = {
	        {{.category = "kernel", .name = "gemm"}, "{}", TORCH},
	        {{.category = "Kernel", .name = "gemm"}, "{\"schemaVersion\":1}", TORCH},
	        {{.category = "cpu_op", .name = "aten::mm"}, "{\"deviceProperties\":[]}", TORCH},
	        {{.category = "other", .name = "x"}, "{\"schemaVersion\":1,\"deviceProperties\":[]}", TORCH},
	        {{.category = "other", .name = "x"}, "{\"schema\\u0056ersion\":1, \"deviceProperties\":[]}", TORCH},
	        {{.category = "other", .name = "x"}, "{\"a\":{\"schemaVersion\":1,\"deviceProperties\":[]}}", -1},
	        {{.name = "mm_0 Cmpt Exec", .fields = {{"args.TS1", "1"}}}, "{}", SPYRE},
	        {{.category = "kernel", .name = "mm_0 Cmpt Exec"}, "{}", TORCH},
	        {{.name = "aten::sub"}, "{}", -1},
	        {{.category = "gpu", .name = "draw"}, "{\"displayTimeUnit\":\"ns\"}", -1},
	        {{.category = "POSIX", .name = "read"}, "{}", -1},
	        {{.category = "POSIX", .name = "read", .fields = {{"args.p_idx", "-1"}}}, "{}", DFTRACER},
	        {{.category = "dftracer", .name = "start"}, "{}", DFTRACER},
	        {{.name = "Add", .fields = {{"args.Task Type", "AI_CORE"}}}, "{}", ASCEND},
	        {{.name = "Add", .fields = {{"args.fullname", "Default/Add"}}}, "{}", ASCEND},
	        {{.category = "cpu_op", .name = "Add", .fields = {{"args.Task Type", "AI_CORE"}}}, "{}", TORCH},
	};
	static struct made_trace trace;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dialect dialects[DIALECTS];
		uint32_t fields[DIALECTS][MADE_FIELDS];
		const char *reason = NULL;

		made_begin(&trace, descriptors[0]);
		for (int d = 0; d < DIALECTS; d++) {
			dialects[d] = (struct dialect){descriptors[d], &trace.made_self.self, fields[d], &trace.causes};
			for (uint32_t f = 0; f < descriptors[d]->fields.count; f++)
				fields[d][f] = wanted_add(&trace.wanted, descriptors[d]->fields.items[f].path,
				                          descriptors[d]->fields.items[f].type);
		}
		made_columns(&trace);
		made_add(&trace, &cases[i].event);
		trace.events->top_level = cases[i].top_level;
		trace.events->top_level_size = strlen(cases[i].top_level);
		if (classify_probe(trace.events, dialects, DIALECTS, &reason, &trace.causes) != cases[i].chosen) {
			fprintf(stderr, "case %zu: %s\n", i, reason);
			CU_FAIL("the dialect of a trace");
		}
		CU_ASSERT_PTR_NOT_NULL_FATAL(reason);
		CU_ASSERT_PTR_NOT_NULL(strstr(reason, "torch "));
		CU_ASSERT_PTR_NOT_NULL(strstr(reason, "spyre-native "));
		CU_ASSERT_PTR_NULL(strstr(reason, "generic"));
		made_end(&trace);
	}
}

/* torch_npu writes the host's side as torch.profiler does: who then sees no device work hears of ascend. */
static void a_second_dialect_is_named(void)
{
	const struct tav_dialect *const descriptors[] = {load(TEST_PLUGINS "/ascend.so"), torch()};
	static struct made_trace trace;

	for (int has_kernel = 0; has_kernel < 2; has_kernel++) {
		struct dialect dialects[2];
		const char *reason = NULL;

		made_begin(&trace, descriptors[1]);
		uint32_t fields[MADE_FIELDS];
		for (uint32_t f = 0; f < descriptors[0]->fields.count; f++)
			fields[f] = wanted_add(&trace.wanted, descriptors[0]->fields.items[f].path,
			                       descriptors[0]->fields.items[f].type);
		made_columns(&trace);
		dialects[0] = (struct dialect){descriptors[0], &trace.made_self.self, fields, &trace.causes};
		dialects[1] = trace.dialect;
		made_add(&trace, &(struct made_event){.name = "Add", .fields = {{"args.Task Type", "AI_CORE"}}});
		made_add(&trace, &(struct made_event){.name = "x", .category = has_kernel ? "kernel" : "cpu_op"});
		CU_ASSERT_EQUAL(classify_probe(trace.events, dialects, 2, &reason, &trace.causes), 1);
		CU_ASSERT_EQUAL_FATAL(made_classify(&trace), TAV_OK);
		const struct notice *notice = notice_find(trace.events, "second_dialect");
		CU_ASSERT_EQUAL(notice != NULL, !has_kernel);
		CU_ASSERT_TRUE(!notice || strstr(notice->message, "--dialect ascend"));
		made_end(&trace);
	}
}

SUITE("dialects", {"torch: goes by whole categories", torch_goes_by_whole_categories},
      {"torch: tracks are streams", torch_tracks_are_streams},
      {"torch: streams have other names", torch_streams_have_other_names},
      {"torch: learns categories", torch_learns_categories}, {"torch: knows collectives", torch_knows_collectives},
      {"torch: knows calls", torch_knows_calls}, {"torch: takes other steps", torch_takes_other_steps},
      {"torch: knows whose software", torch_knows_whose_software},
      {"spyre-native: goes by cycle stamps", spyre_goes_by_cycle_stamps},
      {"spyre-native: doubts lost time", spyre_doubts_lost_time},
      {"ascend: knows lanes and waits", ascend_knows_lanes_and_waits},
      {"ascend: has one device", ascend_has_one_device}, {"probe: dialects know their own", probes_know_their_own},
      {"probe: a second dialect is named", a_second_dialect_is_named})
