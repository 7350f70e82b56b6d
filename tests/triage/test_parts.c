/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of overlap-triage, each on a source made for it. Times are in microseconds. */
#include "made.h"

/* ---- Texts and categories ------------------------------------------------------------------------------ */

static void test_names(void)
{
	static const struct {
		const char *raw, *wanted;
	} names[] = {{"void foo<int>(float, (anonymous)) ", "void foo<int>"},
	             {"void foo::{lambda(int)#1}::operator()(int) const",
	              "void foo::{lambda(int)#1}::operator()(int) const"},
	             {" a \t b", "a b"},
	             {"at 0x7f12ab and 0x1", "at 0xADDR and 0xADDR"},
	             {"gemm(int)", "gemm(int)"},
	             {"void ", "void"},
	             {"plain", "plain"}};

	made_init();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct tav_text raw = {names[i].raw, strlen(names[i].raw)};

		ASSERT_TEXT(text_canonical(&made.self, raw), names[i].wanted);
	}
	ASSERT_TEXT(text_short(&made.self, TEXT("abcdefghij"), 8), "abcde...");
	ASSERT_TEXT(text_short(&made.self, TEXT("abcdefgh"), 8), "abcdefgh");
	ASSERT_TEXT(text_clip(TEXT("a\xc3\xa9"), 2), "a");
	ASSERT_TEXT(text_compact(&made.self, TEXT("A_b<C> 1")), "abc1");
}

static void test_words(void)
{
	struct tav_text text = TEXT("ncclDevKernel_All2"), word;
	static const char *const wanted[] = {"nccl", "Dev", "Kernel", "All2"};
	size_t at = 0;

	for (int i = 0; i < 4; i++) {
		CU_ASSERT_TRUE_FATAL(next_word(text, &at, &word));
		ASSERT_TEXT(word, wanted[i]);
	}
	CU_ASSERT_FALSE(next_word(text, &at, &word));
}

static const char *category_name(const char *event, const char *name, uint32_t work)
{
	uint8_t category = category_of(&made.triage.categories, (struct tav_text){event, strlen(event)},
	                               (struct tav_text){name, strlen(name)}, work);

	return made.triage.categories.items[category].name;
}

static void test_categories(void)
{
	static const struct {
		const char *name, *wanted;
	} names[] = {
	        {"void cub::DeviceReduceByKeyKernel<cub::DispatchReduceByKey<long*>::Policy, long*>(long*)",
	         "elementwise"},
	        {"void at::native::reduce_kernel<512, 1, float>(float)", "elementwise"},
	        {"void vllm::reshape_and_cache_flash_kernel<bf16>(int)", "memory"},
	        {"BatchPrefillWithPagedKVCacheKernel", "compute"},
	        {"void vllm::scaled_fp8_quant_kernel_strided<bf16>(int)", "elementwise"},
	        {"void multi_tensor_apply_kernel<gemm>(int)", "elementwise"},
	        {"batched_transpose_32x32_half", "memory"},
	        {"void fft2d_r2c_32x32<float>(int)", "compute"},
	        {"split_embedding_codegen_forward_unweighted_kernel<int>", "elementwise"},
	        {"permute_pooled_embs_kernel", "memory"},
	        {"max_pool_forward_nchw", "elementwise"},
	        {"void (anonymous namespace)::softmax_warp_forward<float>(int)", "elementwise"},
	        {"std::enable_if<!(false), void>::type internal::gemvx::kernel<int>(int)", "compute"},
	        {"Default/network-MatMul/dropout-Dropout/Cast-op3", "elementwise"},
	        {"/tmp/bench_bmm/bundle.mlir", "other"},
	        {"operator->gemm", "compute"},
	        {"fbgemm_gpu_lookup", "other"},
	        {"nobody_knows_this", "other"},
	        {"all_reduce_of_a_row", "elementwise"}, /* no communication: the dialect does not say so */
	};

	made_init();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *got = category_name("kernel", names[i].name, TAV_KIND_COMPUTE);

		if (strcmp(got, names[i].wanted))
			printf("\n%s: %s, not %s", names[i].name, got, names[i].wanted);
		CU_ASSERT_STRING_EQUAL(got, names[i].wanted);
	}
	CU_ASSERT_STRING_EQUAL(category_name("kernel", "gemm", TAV_KIND_COMMUNICATION), "communication");
	CU_ASSERT_STRING_EQUAL(category_name("kernel", "anything", TAV_KIND_COPY), "memory");
	CU_ASSERT_STRING_EQUAL(category_name("Gpu_Memcpy", "gemm", TAV_KIND_COPY), "memory");
}

static void test_phase_words(void)
{
	CU_ASSERT_EQUAL(phase_by_word(TEXT("prefill")), PHASE_EXTEND);
	CU_ASSERT_EQUAL(phase_by_word(TEXT("DecodeStep")), PHASE_DECODE);
	CU_ASSERT_EQUAL(phase_by_word(TEXT("decoder")), PHASE_ALL);
	CU_ASSERT_EQUAL(phase_by_word(TEXT("execute_context_2(9)_generation_0(0)")), PHASE_EXTEND);
	CU_ASSERT_EQUAL(phase_by_word(TEXT("execute_context_2(9)_generation_3(3)")), PHASE_MIXED);
	CU_ASSERT_EQUAL(phase_by_word(TEXT("execute_context_0(0)_generation_37(37)")), PHASE_DECODE);
	CU_ASSERT_EQUAL(phase_by_word(TEXT("context_x_generation_3")), PHASE_ALL);
	CU_ASSERT_EQUAL(phase_by_word(TEXT("mixed step")), PHASE_MIXED);
}

/* ---- Sweeps and windows -------------------------------------------------------------------------------- */

static void test_sweep(void)
{
	const struct device *device;

	made_init();
	made_kernel("gemm", 0, 100, 0);
	made_kernel("relu", 20, 20, 1);
	made_kernel("ncclDevKernel", 50, 100, 2);
	device = made_sweep();
	CU_ASSERT_EQUAL(device->totals.busy, 150 * US);
	CU_ASSERT_EQUAL(device->totals.overlap, 70 * US);
	CU_ASSERT_EQUAL(device->totals.communication, 100 * US);
	CU_ASSERT_EQUAL(device->totals.exposed_communication, 50 * US);
	CU_ASSERT_EQUAL(device->totals.compute, 100 * US);
	CU_ASSERT_EQUAL(device->totals.window, 150 * US);
	CU_ASSERT_EQUAL(device->totals.max_streams, 2);
	CU_ASSERT_EQUAL(made_aggregate("gemm")->exclusive, 30 * US);
	CU_ASSERT_EQUAL(made_aggregate("gemm")->by_compute, 20 * US);
	CU_ASSERT_EQUAL(made_aggregate("relu")->by_compute, 20 * US);
	CU_ASSERT_EQUAL(made_aggregate("ncclDevKernel")->by_compute, 50 * US);
	CU_ASSERT_EQUAL(made_aggregate("gemm")->best[0].time, 50 * US);
	ASSERT_TEXT(text_at(&made.triage, made_aggregate("gemm")->best[0].name), "ncclDevKernel");
	ASSERT_TEXT(text_at(&made.triage, made_aggregate("gemm")->best[1].name), "relu");
}

/* Runs of a group count once where they meet, and gaps between them not at all. */
static void test_windows(void)
{
	uint32_t order[] = {0, 1, 2, 3, 4}, groups[] = {0, 1, 0, UINT32_MAX, 0};
	struct kernel kernels[] = {{.start = 0, .end = 30},
	                           {.start = 5, .end = 8},
	                           {.start = 10, .end = 20},
	                           {.start = 25, .end = 26},
	                           {.start = 28, .end = 40}};
	struct device device = {.kernels = kernels, .count = 5};
	struct totals totals[2] = {{0}, {0}};

	made_init();
	made_open();
	CU_ASSERT_EQUAL(measure_windows(&made.analysis, &device, order, groups, 2, totals), TAV_OK);
	CU_ASSERT_EQUAL(totals[0].window, 40);
	CU_ASSERT_EQUAL(totals[0].runs, 3);
	CU_ASSERT_EQUAL(totals[1].window, 3);
	kernels[2] = (struct kernel){.start = 50, .end = 60};
	kernels[3] = (struct kernel){.start = 61, .end = 62};
	kernels[4] = (struct kernel){.start = 70, .end = 75};
	memset(totals, 0, sizeof(totals));
	CU_ASSERT_EQUAL(measure_windows(&made.analysis, &device, order, groups, 2, totals), TAV_OK);
	CU_ASSERT_EQUAL(totals[0].window, 45);
}

static void test_phases(void)
{
	const struct device *device;
	tav_row call;

	made_init();
	made_host("prefill", 0, 20, TAV_TRAIT_ANNOTATION);
	made_host("inner decode", 5, 5, TAV_TRAIT_ANNOTATION);
	call = made_host("launch", 2, 1, TAV_TRAIT_RUNTIME);
	made_launched(made_kernel("gemm", 100, 10, 0), call);
	call = made_host("launch", 6, 1, TAV_TRAIT_RUNTIME);
	made_launched(made_kernel("relu", 110, 10, 0), call);
	call = made_host("launch", 10, 1, TAV_TRAIT_RUNTIME); /* the inner one has just ended */
	made_launched(made_kernel("tanh", 120, 10, 0), call);
	made_kernel("foo", 10, 5, 0); /* its own time says nothing on the host's clock */
	made_event("decode", 12, 2, 0, TAV_TRAIT_ANNOTATION | TAV_TRAIT_DEVICE_CLOCK);
	made_kernel("bar", 13, 5, 1);
	device = made_sweep();
	CU_ASSERT_EQUAL(made_aggregate("gemm")->phase, PHASE_EXTEND);
	CU_ASSERT_EQUAL(made_aggregate("relu")->phase, PHASE_DECODE);
	CU_ASSERT_EQUAL(made_aggregate("tanh")->phase, PHASE_EXTEND);
	CU_ASSERT_EQUAL(made_aggregate("foo")->phase, PHASE_ALL);
	CU_ASSERT_EQUAL(made_aggregate("bar")->phase, PHASE_DECODE);
	CU_ASSERT_EQUAL(device->phases[PHASE_EXTEND].busy, 20 * US);
	CU_ASSERT_EQUAL(device->phases[PHASE_DECODE].kernels, 2);
}

static void test_phase_by_id(void)
{
	tav_row decode, kernel;

	made_init();
	decode = made_host("decode", 0, 1, TAV_TRAIT_ANNOTATION);
	kernel = made_kernel("gemm", 100, 10, 0);
	made.operators[decode] = made.operators[kernel] = 7;
	made_open();
	CU_ASSERT_EQUAL(made_aggregate("gemm")->phase, PHASE_DECODE);
	made.links.operator_repeats_link = 1; /* then the number names no operator */
	made_open();
	CU_ASSERT_EQUAL(made_aggregate("gemm")->phase, PHASE_ALL);
}

static void test_steps(void)
{
	const struct device *device;

	made_init();
	made.step_of[made_kernel("gemm", 0, 10, 0)] = 0;
	made.step_of[made_kernel("relu", 15, 10, 0)] = 0;
	made.step_of[made_kernel("gemm", 30, 10, 0)] = 1;
	made_kernel("foo", 50, 10, 0);
	made.steps.count = 2;
	device = made_sweep();
	CU_ASSERT_EQUAL(device->steps[0].busy, 20 * US);
	CU_ASSERT_EQUAL(device->steps[0].window, 25 * US);
	CU_ASSERT_EQUAL(device->steps[1].kernels, 1);
	CU_ASSERT_EQUAL(step_of(&made.analysis, &device->kernels[3]), UINT32_MAX);
}

static void test_shown(void)
{
	const struct device *device;

	made_init();
	made.triage.kernel_limit = 2;
	made_kernel("a", 0, 10, 0);
	made_kernel("b", 10, 30, 0);
	made_kernel("c", 40, 10, 0);
	made_kernel("d", 50, 5, 0);
	device = made_sweep();
	CU_ASSERT_EQUAL(device->shown_count, 2);
	ASSERT_TEXT(text_at(&made.triage, device->aggregates[device->shown[0]].name), "b");
	ASSERT_TEXT(text_at(&made.triage, device->aggregates[device->shown[1]].name), "a"); /* the first of equals */
	CU_ASSERT_TRUE(made_aggregate("a")->is_shown && !made_aggregate("c")->is_shown);
}

/* ---- Where kernels come from --------------------------------------------------------------------------- */

static void test_sample_places(void)
{
	CU_ASSERT_EQUAL(sample_place(3, 16, 10), 3);
	CU_ASSERT_EQUAL(sample_place(0, 16, 100), 0);
	CU_ASSERT_EQUAL(sample_place(15, 16, 100), 99);
	CU_ASSERT_EQUAL(sample_place(1, 16, 100), 7); /* 6.6 */
	CU_ASSERT_EQUAL(sample_place(2, 16, 100), 13);
	CU_ASSERT_EQUAL(sample_place(0, 1, 100), 0);
}

/* Two launches of a kernel within aten::mm, one within aten::bmm; a frame has just ended at the first launch. */
static void test_sources(void)
{
	const struct aggregate *gemm;
	struct located at;
	tav_row call;

	made_init();
	made_host("a/net.py(1): run", 0, 100, TAV_TRAIT_PYTHON);
	made_host("a/net.py(9): before", 1, 9, TAV_TRAIT_PYTHON);
	made_host("aten::mm", 10, 20, TAV_TRAIT_HOST_OP);
	call = made_host("cudaLaunchKernel", 10, 2, TAV_TRAIT_RUNTIME);
	made_launched(made_kernel("gemm", 200, 5, 0), call);
	call = made_host("cudaLaunchKernel", 20, 2, TAV_TRAIT_RUNTIME);
	made_launched(made_kernel("gemm", 210, 5, 0), call);
	made_host("aten::bmm", 40, 20, TAV_TRAIT_HOST_OP);
	call = made_host("cudaLaunchKernel", 41, 2, TAV_TRAIT_RUNTIME);
	made_launched(made_kernel("gemm", 220, 5, 0), call);
	call = made_host("cudaMemcpyAsync", 90, 2, TAV_TRAIT_RUNTIME); /* no operator: the call */
	made_launched(made_kernel("Memcpy HtoD", 230, 5, 0), call);
	made_kernel("relu", 240, 5, 0); /* nothing is known of it */
	made_sweep();
	gemm = made_aggregate("gemm");
	CU_ASSERT_EQUAL(locate(&made.analysis, gemm->phase, gemm->name, &at), TAV_OK);
	ASSERT_TEXT(at.scope, "a/net.py(1): run");
	ASSERT_TEXT(at.op, "aten::mm");
	CU_ASSERT_EQUAL(at.op_count, 2);
	CU_ASSERT_EQUAL(at.kernels, 3);
	CU_ASSERT_EQUAL(at.scope_count, 3); /* the frame that has just ended counts nowhere */
	CU_ASSERT_EQUAL(at.ratio, 1);
	CU_ASSERT_EQUAL(locate(&made.analysis, PHASE_ALL, made_aggregate("Memcpy HtoD")->name, &at), TAV_OK);
	ASSERT_TEXT(at.op, "cudaMemcpyAsync");
	CU_ASSERT_EQUAL(locate(&made.analysis, PHASE_ALL, made_aggregate("relu")->name, &at), TAV_OK);
	CU_ASSERT_EQUAL(at.op.size + at.scope.size, 0);
	CU_ASSERT_EQUAL(made.analysis.missing.launches, 4);
}

/* Without a launch the shortest operator of the number counts; of two processes it would be a guess. */
static void test_operators_by_id(void)
{
	struct located at;
	tav_row kernel, op, other;

	made_init();
	op = made_host("aten::linear", 0, 20, TAV_TRAIT_HOST_OP);
	other = made_host("aten::addmm", 1, 10, TAV_TRAIT_HOST_OP);
	kernel = made_kernel("gemm", 200, 5, 0);
	made.operators[op] = made.operators[other] = made.operators[kernel] = 3;
	made_sweep();
	CU_ASSERT_EQUAL(locate(&made.analysis, PHASE_ALL, made_aggregate("gemm")->name, &at), TAV_OK);
	ASSERT_TEXT(at.op, "aten::addmm");
	made.pid[other] = 5;
	made_sweep();
	CU_ASSERT_EQUAL(locate(&made.analysis, PHASE_ALL, made_aggregate("gemm")->name, &at), TAV_OK);
	CU_ASSERT_EQUAL(at.op.size, 0);
}

static void test_replays(void)
{
	struct located at;
	tav_row call;

	made_init();
	made_host("a/run.py(1): step", 0, 100, TAV_TRAIT_PYTHON);
	call = made_host("cudaGraphLaunch", 10, 2, TAV_TRAIT_RUNTIME);
	made.calls[made.label[call]] = TAV_CALL_GRAPH_LAUNCH;
	made_launched(made_kernel("gemm", 200, 50, 0), call);
	made_sweep();
	CU_ASSERT_EQUAL(locate(&made.analysis, PHASE_ALL, made_aggregate("gemm")->name, &at), TAV_OK);
	CU_ASSERT_TRUE(at.is_replayed);
	CU_ASSERT_EQUAL(at.ratio, 0);
	CU_ASSERT_EQUAL(report_source(&made.analysis, &made.analysis), TAV_OK);
	CU_ASSERT_TRUE(
	        was_told("skip sources: no Python source: of 1 kernel looked at, 1 come from the replay of a graph"));
}

static void map_name(const char *name, const char *scope)
{
	struct source_map *map = &made.analysis.maps[PHASE_ALL];
	struct counter *counter = made_alloc(&made.self, sizeof(*counter));
	uint32_t id = text_id(&made.triage.texts, (struct tav_text){name, strlen(name)});

	if (!map->is_there) {
		map->items = made_alloc(&made.self, 16 * sizeof(*map->items));
		tav_map_init(&map->index, &made.self);
		tav_map_init(&map->relaxed, &made.self);
	}
	map->is_there = true;
	*counter = (struct counter){text_id(&made.triage.texts, (struct tav_text){scope, strlen(scope)}), 1};
	map->items[tav_map_number(&map->index, id)] =
	        (struct mapped_name){.name = id, .total = 1, .mapped = 1, .scopes = {counter, 1, 1}};
	map->count++;
}

static struct tav_text source_of(const char *name)
{
	struct located at;
	uint32_t id = text_id(&made.triage.texts, (struct tav_text){name, strlen(name)});

	CU_ASSERT_EQUAL_FATAL(locate(&made.analysis, PHASE_DECODE, id, &at), TAV_OK);
	return at.scope;
}

static void test_lookup(void)
{
	char a[121], b[121], c[121];

	made_init();
	made_open();
	memset(a, 'k', 120), memset(b, 'k', 120), memset(c, 'k', 120);
	a[120] = b[120] = c[120] = '\0';
	a[70] = 'x', b[70] = 'y', c[60] = 'z'; /* 70 common characters, and only 60 */
	map_name("a_kernel_of_some_length", "whole");
	map_name("short", "short");
	map_name("flash_attn_fwd_sm90", "flash");
	ASSERT_TEXT(source_of("a_kernel_of_some_length"), "whole");
	ASSERT_TEXT(source_of("A_Kernel_of_some_length_v2"), "whole"); /* begins with it */
	ASSERT_TEXT(source_of("my_a_kernel_of_some_length"), "whole"); /* holds it */
	CU_ASSERT_EQUAL(source_of("a_kernel_of_some_length_with_much_more_behind_it").size, 0);
	CU_ASSERT_EQUAL(source_of("shorter").size, 0);
	ASSERT_TEXT(source_of("flash_attn_fwd_combine"), "flash"); /* an alias */
	map_name(a, "long");
	ASSERT_TEXT(source_of(b), "long");
	CU_ASSERT_EQUAL(source_of(c).size, 0);
	ASSERT_TEXT(source_of("A_Kernel_of_some_length_v2"), "whole"); /* remembered */
}

/* ---- Neighbours ---------------------------------------------------------------------------------------- */

static void test_neighbours(void)
{
	const struct device *device;
	struct neighbours of;

	made_init();
	made_kernel("gemm", 0, 100, 0);
	made_kernel("relu", 115, 100, 0); /* 15 us: as tight as 15 % of its time allows */
	made_kernel("gemm", 231, 100, 0); /* 16 us */
	made_kernel("foo", 331, 1, 1);    /* on another stream */
	device = made_sweep();
	CU_ASSERT_EQUAL(
	        find_neighbours(&made.analysis, &made.analysis, &made.analysis.devices[0], made_aggregate("relu"), &of),
	        TAV_OK);
	CU_ASSERT_STRING_EQUAL(of.signal, "prev-side serial risk");
	ASSERT_TEXT(of.previous, "gemm @ unmapped (gap 15.0 us)");
	ASSERT_TEXT(of.next, "gemm @ unmapped (gap 16.0 us)");
	CU_ASSERT_EQUAL(
	        find_neighbours(&made.analysis, &made.analysis, &made.analysis.devices[0], made_aggregate("foo"), &of),
	        TAV_OK);
	ASSERT_TEXT(of.previous, "none");
	ASSERT_TEXT(of.next, "none");
	(void)device;
}

/* The longest copy stands apart, the others follow closely: all of them are judged. */
static void test_neighbours_of_all(void)
{
	struct opportunity row = {0};

	made_init();
	for (int i = 0; i < 4; i++) {
		made_kernel("gemm", 100 * i, 20, 0);
		made_kernel("Memcpy DtoH", 100 * i + 21, 10, 0);
	}
	made_kernel("Memcpy DtoH", 500, 50, 0);
	made_sweep();
	row.aggregate = made_aggregate("Memcpy DtoH");
	CU_ASSERT_EQUAL(count_neighbours(&made.analysis, &made.analysis, &made.analysis.devices[0], &row, 1), TAV_OK);
	CU_ASSERT_EQUAL(row.neighbours.looked, 5);
	CU_ASSERT_EQUAL(row.neighbours.before_count, 4);
	CU_ASSERT_EQUAL(row.neighbours.after_count, 0);
	CU_ASSERT_EQUAL(row.neighbours.risk, RISK_HIGH);
	CU_ASSERT_STRING_EQUAL(row.neighbours.signal, "prev-side serial risk");
}

/* ---- Ranking ------------------------------------------------------------------------------------------- */

static struct ranking rank(void)
{
	struct ranking ranking;

	CU_ASSERT_EQUAL_FATAL(rank_device(&made.analysis, &made.analysis, &made.analysis.devices[0], &ranking), TAV_OK);
	return ranking;
}

static void assert_row(const struct ranking *ranking, size_t i, const char *priority, const char *kernel, int64_t gain)
{
	const struct opportunity *row = &ranking->items[i];

	CU_ASSERT_TRUE_FATAL(i < ranking->count);
	CU_ASSERT_STRING_EQUAL(row->priority, priority);
	ASSERT_TEXT(row->aggregate ? text_at(&made.triage, row->aggregate->name) : TEXT("(idle)"), kernel);
	CU_ASSERT_EQUAL(row->gain, gain * US);
}

/* A GEMM wholly under an all-reduce wins nothing; what the all-reduce is exposed does, though less than half of it. */
static void test_gain_under(void)
{
	struct ranking ranking;

	made_init();
	made_kernel("ncclDevKernel_AllReduce", 0, 100, 1);
	made_kernel("sgemm", 1, 60, 0);
	made_sweep();
	ranking = rank();
	CU_ASSERT_EQUAL(ranking.count, 1);
	assert_row(&ranking, 0, "P1", "ncclDevKernel_AllReduce", 40);
	CU_ASSERT_STRING_EQUAL(ranking.items[0].recommendation, "try overlap");
}

/* Collectives side by side are exposed once; what is idle stands where its time belongs; small things do not. */
static void test_gain_order(void)
{
	struct ranking ranking;

	made_init();
	made.triage.candidates = 3;
	made_kernel("ncclA", 0, 100, 1);
	made_kernel("ncclA", 0, 100, 4);
	made_kernel("ncclB", 0, 100, 2);
	made_kernel("sgemm", 400, 290, 0);
	made_kernel("relu", 690, 8, 0);
	made_kernel("tanh", 998, 2, 0); /* too little */
	made_kernel("fill", 690, 6, 3); /* beside relu: none of it stands alone */
	made_sweep();
	ranking = rank();
	CU_ASSERT_EQUAL(ranking.count, 4);
	assert_row(&ranking, 0, "P1", "(idle)", 600);
	assert_row(&ranking, 1, "P1", "sgemm", 290);
	assert_row(&ranking, 2, "P1", "ncclA", 100);
	assert_row(&ranking, 3, "P1", "ncclB", 100);
	CU_ASSERT_EQUAL(ranking.omitted, 0);
	made.triage.candidates = 1;
	made.triage.limit = 1;
	ranking = rank();
	CU_ASSERT_EQUAL(ranking.count, 1);
	CU_ASSERT_EQUAL(ranking.omitted, 3); /* two kernels, and the one behind the idle time */
}

static void test_priorities(void)
{
	struct ranking ranking;

	made_init();
	made_kernel("sgemm", 0, 900, 0);
	made_kernel("relu", 900, 49, 0);
	made_kernel("Memcpy DtoD", 949, 51, 0);
	made_sweep();
	ranking = rank();
	assert_row(&ranking, 0, "P1", "sgemm", 900);
	assert_row(&ranking, 1, "P1", "Memcpy DtoD", 51);
	assert_row(&ranking, 2, "P2", "relu", 49);
	CU_ASSERT_STRING_EQUAL(ranking.items[2].recommendation, "try fusion");
}

/* ---- Telling ------------------------------------------------------------------------------------------- */

static void test_report(void)
{
	made_init();
	made_kernel("sgemm", 0, 40, 0);
	made_kernel("relu", 90, 10, 0);
	made_kernel("never", 95, 0, 0);
	made_sweep();
	CU_ASSERT_EQUAL(report_source(&made.analysis, &made.analysis), TAV_OK);
	CU_ASSERT_FALSE(was_told("mostly_idle")); /* exactly half of the window */
	CU_ASSERT_TRUE(was_told("finding one_stream: device 0 runs all of its work on one stream"));
	CU_ASSERT_TRUE(
	        was_told("headline : device 0: busy for 50.0 % of 0.100 ms; most to win: idle time, at most 50.0 %"));
	CU_ASSERT_TRUE(was_told("pass device_work: 2 kernels; 1 more without a usable duration are left out"));
	CU_ASSERT_TRUE(was_told("skip sources: no Python source: the kernels carry neither a link"));
	CU_ASSERT_TRUE(was_told("skip phases: no annotation"));
	CU_ASSERT_TRUE(was_told("metric busy_ns: 50000"));
	CU_ASSERT_TRUE(was_told("metric idle_ns: 50000"));
	CU_ASSERT_TRUE(was_told("table opportunities: 3 rows, 0 more"));
	CU_ASSERT_TRUE(was_told("table kernels: 2 rows, 0 more"));
}

static void test_report_idle(void)
{
	made_init();
	made_kernel("sgemm", 0, 40, 0);
	made_kernel("relu", 91, 9, 1);
	made_sweep();
	CU_ASSERT_EQUAL(report_source(&made.analysis, &made.analysis), TAV_OK);
	CU_ASSERT_TRUE(was_told("finding mostly_idle: device 0 is idle for 51.00 % of its window"));
	CU_ASSERT_FALSE(was_told("one_stream"));
	/* Times of 0 make no window. */
	made.told[0] = '\0';
	made.info.zero_time_count = 1;
	CU_ASSERT_EQUAL(report_source(&made.analysis, &made.analysis), TAV_OK);
	CU_ASSERT_FALSE(was_told("mostly_idle") || was_told("idle_ns"));
	CU_ASSERT_TRUE(was_told("times of 0 among them"));
}

SUITE("triage", {"names", test_names}, {"words", test_words}, {"categories", test_categories},
      {"phase words", test_phase_words}, {"sweep", test_sweep}, {"windows", test_windows}, {"phases", test_phases},
      {"phase by id", test_phase_by_id}, {"steps", test_steps}, {"shown", test_shown},
      {"sample places", test_sample_places}, {"sources", test_sources}, {"operators by id", test_operators_by_id},
      {"replays", test_replays}, {"lookup", test_lookup}, {"neighbours", test_neighbours},
      {"neighbours of all", test_neighbours_of_all}, {"gain under", test_gain_under}, {"gain order", test_gain_order},
      {"priorities", test_priorities}, {"report", test_report}, {"report idle", test_report_idle})
