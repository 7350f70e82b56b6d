/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "diff.h"
#include "suite.h"

/* Memory that stays until the process ends: a few kilobytes. */
static void *take(struct tav_self *self, size_t bytes)
{
	static char room[1 << 20];
	static size_t used;
	void *at = room + used;

	(void)self;
	used += (bytes + 15) / 16 * 16;
	if (used > sizeof(room))
		abort();
	memset(at, 0, bytes);
	return at;
}
static const struct tav_host host = {.struct_size = sizeof(host), .alloc = take};
static struct tav_self self = {.host = &host};

static int is(struct tav_text text, const char *wanted)
{
	if (tav_text_is(text, wanted))
		return 1;
	printf("\n'%.*s' instead of '%s'\n", (int)text.size, text.data, wanted);
	return 0;
}

static struct name read_name(const char *raw)
{
	struct name name;

	CU_ASSERT_EQUAL_FATAL(name_read(&self, tav_text_of(raw), &name), TAV_OK);
	return name;
}

static void names_lose_what_a_rebuild_changes(void)
{
	CU_ASSERT_TRUE(is(read_name("  a \t b  ").canonical, "a b"));
	CU_ASSERT_TRUE(is(read_name("f(0x7fAB12, 0xg)").canonical, "f(0x, 0xg)"));
	CU_ASSERT_TRUE(is(read_name("gemm_128x64_sm80").digits, "gemm_#x#_sm#"));
	CU_ASSERT_TRUE(is(read_name("void (anonymous namespace)::reduce<int, 3>(int)").head, "reduce"));
	CU_ASSERT_TRUE(is(read_name("void a<1>").head, "a<1>")); /* too short to say anything */
}

static void paths_are_the_folder_of_the_kernel(void)
{
	static const char full[] = "/tmp/x/inductor-cache/inductor-spyre/sdsc_fused_bmm_1_n673lgwk/bundle.mlir";
	static const char cut[] = "/tmp/y/inductor-cache/inductor-spyre/sdsc_fused_bmm_1_vm19";
	struct name name = read_name(cut);

	CU_ASSERT_TRUE(is(read_name(full).canonical, "sdsc_fused_bmm_1"));
	CU_ASSERT_FALSE(read_name(full).is_cut);
	CU_ASSERT_TRUE(is(name.canonical, "sdsc_fused_bmm_1"));
	CU_ASSERT_FALSE(name.is_cut);
	name = read_name("/tmp/y/inductor-cache/inductor-spyre/sdsc_fused_bmm_mul_sigmoid");
	CU_ASSERT_TRUE(is(name.canonical, "sdsc_fused_bmm_mul_sigmoid"));
	CU_ASSERT_TRUE(name.is_cut);
	CU_ASSERT_TRUE(is(read_name("/usr/lib/kernel.so").canonical, "kernel.so"));
	CU_ASSERT_TRUE(is(read_name("/").canonical, ""));
}

/* ---- Matching ---------------------------------------------------------------------------------------------------- */
static struct call_row call(const char *name, const char *op)
{
	return (struct call_row){.kind = COMPUTE, .name = tav_text_of(name), .op = tav_text_of(op), .count = 1};
}

static enum level level_of(struct call_row base, struct call_row cand)
{
	struct device_sum b = {.calls = &base, .call_count = 1}, c = {.calls = &cand, .call_count = 1};
	struct row *rows;
	uint32_t count;

	CU_ASSERT_EQUAL_FATAL(match_rows(&self, &b, &c, &rows, &count), TAV_OK);
	CU_ASSERT_EQUAL(count, rows[0].level == L_GONE ? 2 : 1);
	return rows[0].level;
}

static void rows_meet_at_the_first_level_that_fits(void)
{
	static const char cut[] = "/tmp/inductor-a/sdsc_fused_bmm_mul_si",
	                  whole[] = "/tmp/inductor-b/sdsc_fused_bmm_mul_silu_0/x";
	struct call_row copy = call("gemm", "");

	CU_ASSERT_EQUAL(level_of(call("gemm", ""), call("gemm", "")), L_EXACT);
	CU_ASSERT_EQUAL(level_of(call("f 0x12", ""), call("f  0x99", "")), L_NAME);
	CU_ASSERT_EQUAL(level_of(call(cut, ""), call(whole, "")), L_CUT);
	CU_ASSERT_EQUAL(level_of(call("gemm_128", ""), call("gemm_64", "")), L_DIGITS);
	CU_ASSERT_EQUAL(level_of(call("reduce<3ul>", ""), call("reduce<Array>", "")), L_HEAD);
	CU_ASSERT_EQUAL(level_of(call("ampere", "aten::mm"), call("hopper", "aten::mm")), L_OP);
	CU_ASSERT_EQUAL(level_of(call("ampere", "aten::mm"), call("hopper", "aten::add")), L_GONE);
	copy.kind = COPY;
	CU_ASSERT_EQUAL(level_of(call("gemm", ""), copy), L_GONE);
}

/* ---- Judging ----------------------------------------------------------------------------------------------------- */
static struct summary steps(int64_t n, int64_t low, int64_t median, int64_t high)
{
	return (struct summary){.n = n,
	                        .total = n * median,
	                        .min = low,
	                        .q1 = low,
	                        .median = median,
	                        .q3 = high,
	                        .max = high,
	                        .early = median,
	                        .late = median};
}

static enum result judge_it(struct summary base, struct summary cand, int64_t resolution)
{
	const struct settings settings = {.min_effect = 1000, .few_factor = 2};
	const struct judge judge = {.settings = &settings, .resolution_ns = resolution, .calls = 100};
	struct judged judged;

	judge_measure(&judge, &base, &cand, 3 * PERCENT, &judged);
	return judged.result;
}

static void a_change_must_be_more_than_noise(void)
{
	struct summary base = steps(4, 99000, 100000, 101000), drifting = base;

	CU_ASSERT_EQUAL(judge_it(base, steps(4, 102500, 103000, 104000), 1), R_REGRESSED);
	CU_ASSERT_EQUAL(judge_it(steps(4, 102500, 103000, 104000), base, 1), R_UNCHANGED); /* -2.9 % */
	CU_ASSERT_EQUAL(judge_it(base, steps(4, 96000, 97000, 98000), 1), R_IMPROVED);
	CU_ASSERT_EQUAL(judge_it(base, steps(4, 102500, 102999, 104000), 1), R_UNCHANGED);
	CU_ASSERT_EQUAL(judge_it(base, steps(4, 101000, 103000, 104000), 1), R_UNCHANGED); /* not apart */
	CU_ASSERT_EQUAL(judge_it(base, steps(3, 102500, 105999, 106000), 1), R_UNCHANGED); /* few: 6 % */
	CU_ASSERT_EQUAL(judge_it(base, steps(3, 102500, 106000, 107000), 1), R_REGRESSED);
	CU_ASSERT_EQUAL(judge_it(steps(1, 10000, 10000, 10000), steps(1, 10999, 10999, 10999), 1), R_UNCHANGED);
	CU_ASSERT_EQUAL(judge_it(steps(1, 10000, 10000, 10000), steps(1, 11000, 11000, 11000), 1), R_REGRESSED);
	drifting.late = 105000;
	CU_ASSERT_EQUAL(judge_it(drifting, steps(4, 102500, 104999, 106000), 1), R_UNCHANGED);
	CU_ASSERT_EQUAL(judge_it(drifting, steps(4, 102500, 105000, 106000), 1), R_REGRESSED);
}

static void whole_microseconds_are_coarse(void)
{
	struct summary base = steps(4, 100000, 100000, 100000);

	CU_ASSERT_EQUAL(resolution_floor(1000, 100), 20000);
	CU_ASSERT_EQUAL(resolution_floor(1000, 101), 22000);
	CU_ASSERT_EQUAL(resolution_floor(1000, 0), 2000);
	CU_ASSERT_EQUAL(judge_it(base, steps(4, 120000, 120000, 120000), 1000), R_UNCHANGED);
	CU_ASSERT_EQUAL(judge_it(base, steps(4, 120001, 120001, 120001), 1000), R_REGRESSED);
}

static void eight_steps_are_asked_for_quartiles(void)
{
	struct summary base = steps(8, 99000, 100000, 101000), cand = steps(8, 105000, 106000, 107000);

	base.max = 200000; /* one of them stands out */
	CU_ASSERT_EQUAL(judge_it(base, cand, 1), R_REGRESSED);
	base.n = cand.n = 7;
	CU_ASSERT_EQUAL(judge_it(base, cand, 1), R_UNCHANGED);
}

static void from_nothing_to_something(void)
{
	CU_ASSERT_EQUAL(judge_it(steps(1, 0, 0, 0), steps(1, 0, 0, 0), 1), R_UNCHANGED);
	CU_ASSERT_EQUAL(judge_it(steps(1, 0, 0, 0), steps(1, 999, 999, 999), 1), R_UNCHANGED);
	CU_ASSERT_EQUAL(judge_it(steps(1, 0, 0, 0), steps(1, 1000, 1000, 1000), 1), R_REGRESSED);
}

SUITE("diff", {"name: loses what a rebuild changes", names_lose_what_a_rebuild_changes},
      {"name: of a path the kernel's folder", paths_are_the_folder_of_the_kernel},
      {"match: the first level that fits", rows_meet_at_the_first_level_that_fits},
      {"judge: more than noise", a_change_must_be_more_than_noise},
      {"judge: whole microseconds", whole_microseconds_are_coarse},
      {"judge: quartiles of eight", eight_steps_are_asked_for_quartiles},
      {"judge: from nothing", from_nothing_to_something})
