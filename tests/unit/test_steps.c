/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a source, and where they begin and end on its devices. */
#include "made_trace.h"

static const struct tav_rule rules[] = {
        {{{"cat", TAV_TEST_EQUALS, 0, "kernel"}}, TAV_TRAIT_DEVICE, 0, 0, 0},
        {{{"cat", TAV_TEST_EQUALS, 0, "runtime"}}, TAV_TRAIT_RUNTIME, 0, 0, 0},
        {{{"cat", TAV_TEST_EQUALS, 0, "step"}}, TAV_TRAIT_ANNOTATION | TAV_TRAIT_STEP, 0, 0, 0},
};
static const char *const link_fields[] = {"args.link", NULL};
static const struct tav_dialect dialect = {
        .struct_size = sizeof(dialect), .name = "t", .rules = TAV_LIST(rules), .link_fields = link_fields};

static struct made_trace trace;
static int last_link;

static void begin(void)
{
	made_begin(&trace, &dialect);
	last_link = 0;
}

static tav_row mark(const char *name, int64_t start, int64_t end)
{
	return made_add(
	        &trace,
	        &(struct made_event){.name = name, .category = "step", .pid = "9", .start_ns = start, .end_ns = end});
}

/* Device work on `pid`, launched at `launch`; negative: by nobody. */
static tav_row work(const char *pid, int64_t launch, int64_t start, int64_t end)
{
	char link[16];

	snprintf(link, sizeof(link), "%d", ++last_link);
	if (launch >= 0)
		made_add(&trace, &(struct made_event){.name = "launch",
		                                      .category = "runtime",
		                                      .pid = "9",
		                                      .start_ns = launch,
		                                      .end_ns = launch + 1,
		                                      .fields = {{"args.link", link}}});
	return made_add(&trace, &(struct made_event){.name = "k",
	                                             .category = "kernel",
	                                             .pid = pid,
	                                             .start_ns = start,
	                                             .end_ns = end,
	                                             .fields = {{"args.link", link}}});
}

static const struct tav_step_list *find(void)
{
	const struct tav_step_list *list = NULL;

	CU_ASSERT_EQUAL_FATAL(made_classify(&trace), TAV_OK);
	CU_ASSERT_EQUAL_FATAL(facts_steps(trace.events, &list, &trace.causes), TAV_OK);
	return list;
}

static int32_t step_of(const struct tav_step_list *list, tav_row row)
{
	const struct tav_link_list *links = NULL;

	CU_ASSERT_EQUAL_FATAL(facts_links(trace.events, &links, &trace.causes), TAV_OK);
	return list->step_of[links->index[row]];
}

static void check(const struct tav_device_step *step, int64_t begin_ns, int64_t end_ns, uint64_t count,
                  uint32_t is_open)
{
	if (step->begin_ns != begin_ns || step->end_ns != end_ns)
		fprintf(stderr, "[%lld, %lld)\n", (long long)step->begin_ns, (long long)step->end_ns);
	CU_ASSERT_EQUAL(step->begin_ns, begin_ns);
	CU_ASSERT_EQUAL(step->end_ns, end_ns);
	CU_ASSERT_EQUAL(step->device_events, count);
	CU_ASSERT_EQUAL(step->is_open, is_open);
}

static void marks_are_in_order_and_of_one_name_each(void)
{
	begin();
	mark("step#12", 200, 300);
	tav_row first = mark("step#3", 0, 100);
	mark("step#3", 150, 180);
	mark("no number", 100, 150);
	mark("step#99999999999999999999", 400, 500);
	mark("empty", 310, 310);
	const struct tav_step_list *list = find();
	CU_ASSERT_EQUAL_FATAL(list->count, 4);
	static const struct {
		const char *name;
		int64_t start_ns, number;
	} expected[] = {
	        {"step#3", 0, 3}, {"no number", 100, -1}, {"step#12", 200, 12}, {"step#99999999999999999999", 400, -1}};
	for (uint32_t i = 0; i < 4; i++) {
		CU_ASSERT_TRUE(text_is(list->steps[i].name, expected[i].name));
		CU_ASSERT_EQUAL(list->steps[i].start_ns, expected[i].start_ns);
		CU_ASSERT_EQUAL(list->steps[i].number, expected[i].number);
	}
	CU_ASSERT_EQUAL(list->steps[0].row, first);
	CU_ASSERT_EQUAL(list->device_count, 0);
	made_end(&trace);
}

/* The host runs ahead: what it launched in a step runs later, and that is the step on the device. */
static void steps_begin_with_what_they_launched(void)
{
	begin();
	mark("s1", 100, 200);
	mark("s2", 210, 300);
	tav_row before = work("0", 50, 60, 1000), at_start = work("0", 100, 1010, 1020);
	work("0", 150, 1000, 1005); /* launched later, begins sooner */
	tav_row last = work("0", 199, 1100, 1200), between = work("0", 200, 1205, 1206);
	work("0", 210, 1210, 1300);
	tav_row after = work("0", 300, 1400, 1500);
	work("0", 310, 1390, 1500);
	tav_row unlinked = work("0", -1, 1600, 1700);
	const struct tav_step_list *list = find();
	CU_ASSERT_EQUAL(list->by_launch, 1);
	CU_ASSERT_EQUAL(step_of(list, before), TAV_STEP_BEFORE);
	CU_ASSERT_EQUAL(step_of(list, at_start), 0);
	CU_ASSERT_EQUAL(step_of(list, last), 0);
	CU_ASSERT_EQUAL(step_of(list, between), TAV_STEP_OUTSIDE);
	CU_ASSERT_EQUAL(step_of(list, after), TAV_STEP_AFTER);
	CU_ASSERT_EQUAL(step_of(list, unlinked), TAV_STEP_OUTSIDE);
	check(&list->devices[0], 1000, 1210, 3, 0);
	check(&list->devices[1], 1210, 1390, 1, 0); /* ends with what was launched after it */
	CU_ASSERT_EQUAL(list->window_begin_ns[0], 60);
	CU_ASSERT_EQUAL(list->window_end_ns[0], 1700);
	made_end(&trace);
}

static void the_last_step_is_open(void)
{
	begin();
	mark("s1", 100, 200);
	mark("s2", 200, 300);
	mark("s3", 300, 400);
	work("0", 110, 1000, 1010);
	work("0", 210, 900, 950); /* overtook: no step begins before the one before it */
	const struct tav_step_list *list = find();
	check(&list->devices[0], 1000, 1000, 1, 0);
	check(&list->devices[1], 1000, 1010, 1, 0); /* a further mark stands behind it */
	check(&list->devices[2], 1010, 1010, 0, 1); /* no device work of its own */
	made_end(&trace);
}

static void what_came_after_may_overtake(void)
{
	begin();
	mark("s1", 100, 200);
	work("0", 110, 1000, 1010);
	work("0", 300, 500, 600); /* launched after the step, and ran before it */
	check(&find()->devices[0], 1000, 1000, 1, 0);
	made_end(&trace);
}

static void each_device_has_its_borders(void)
{
	begin();
	mark("s1", 100, 200);
	mark("s2", 200, 300);
	work("0", 110, 1000, 1010);
	work("1", 120, 2000, 2010);
	work("1", 210, 2100, 2110);
	work("1", 220, 2050, 2050); /* lasts no time: belongs to the step, but is no border */
	work("2", 500, 7, 7);
	const struct tav_step_list *list = find();
	CU_ASSERT_EQUAL_FATAL(list->device_count, 3);
	check(&list->devices[0], 1000, 1010, 1, 0);
	check(&list->devices[1], 1010, 1010, 0, 1);
	check(&list->devices[2], 2000, 2100, 1, 0);
	check(&list->devices[3], 2100, 2110, 2, 1);
	check(&list->devices[4], 0, 0, 0, 0);
	check(&list->devices[5], 0, 0, 0, 1);
	CU_ASSERT_EQUAL(list->steps[0].device_events, 2);
	CU_ASSERT_EQUAL(list->steps[1].device_events, 2);
	made_end(&trace);
}

/* Where fewer than half are linked, host times cut. */
static void without_launches_host_times_cut(void)
{
	begin();
	mark("s1", 100, 200);
	mark("s2", 210, 300);
	work("0", 110, 120, 130);
	tav_row late = work("0", -1, 220, 230), between = work("0", -1, 205, 500);
	const struct tav_step_list *list = find();
	CU_ASSERT_EQUAL(list->by_launch, 0);
	CU_ASSERT_EQUAL(step_of(list, late), 1);
	CU_ASSERT_EQUAL(step_of(list, between), TAV_STEP_OUTSIDE);
	check(&list->devices[0], 120, 210, 1, 0);
	check(&list->devices[1], 210, 300, 1, 0);
	made_end(&trace);

	begin();
	mark("s1", 100, 200);
	work("0", 110, 120, 130);
	work("0", -1, 120, 130); /* half of them are enough */
	CU_ASSERT_EQUAL(find()->by_launch, 1);
	made_end(&trace);

	begin();
	mark("s1", 100, 200);
	mark("s2", 900, 1000);
	work("0", -1, 120, 250);
	list = find();
	check(&list->devices[0], 120, 250, 1, 0);
	check(&list->devices[1], 250, 250, 0, 1); /* at the end of the window */
	made_end(&trace);
}

/* `counts` device events in each step; returns a bit for each short one. */
static unsigned short_steps(const int *counts, int count)
{
	unsigned found = 0;

	begin();
	for (int i = 0; i < count; i++) {
		char name[16];
		snprintf(name, sizeof(name), "s%d", i);
		mark(name, i * 100, i * 100 + 100);
		for (int k = 0; k < counts[i]; k++)
			work("0", i * 100 + k, i * 100 + k + 1000, i * 100 + k + 1001);
	}
	const struct tav_step_list *list = find();
	for (int i = 0; i < count; i++)
		found |= list->steps[i].is_short << i;
	made_end(&trace);
	return found;
}

static void short_steps_have_less_than_half_of_the_median(void)
{
	CU_ASSERT_EQUAL(short_steps((int[]){10, 10, 10, 5}, 4), 0);
	CU_ASSERT_EQUAL(short_steps((int[]){10, 10, 10, 4}, 4), 8);
	CU_ASSERT_EQUAL(short_steps((int[]){5, 2, 5}, 3), 2); /* 2.5 */
	CU_ASSERT_EQUAL(short_steps((int[]){5, 3, 5}, 3), 0);
	CU_ASSERT_EQUAL(short_steps((int[]){2, 9}, 2), 0); /* the lower median is the first's own */
	CU_ASSERT_EQUAL(short_steps((int[]){0}, 1), 0);
}

static void without_marks_there_are_no_steps(void)
{
	begin();
	tav_row row = work("0", 1, 5, 9);
	const struct tav_step_list *list = find();
	CU_ASSERT_EQUAL(list->count, 0);
	CU_ASSERT_EQUAL(list->device_count, 1);
	CU_ASSERT_EQUAL(list->window_begin_ns[0], 5);
	CU_ASSERT_EQUAL(list->window_end_ns[0], 9);
	CU_ASSERT(step_of(list, row) < 0);
	made_end(&trace);
}

SUITE("steps", {"steps: marks are in order and of one name each", marks_are_in_order_and_of_one_name_each},
      {"steps: begin with what they launched", steps_begin_with_what_they_launched},
      {"steps: the last one is open", the_last_step_is_open},
      {"steps: what came after may overtake", what_came_after_may_overtake},
      {"steps: each device has its borders", each_device_has_its_borders},
      {"steps: without launches host times cut", without_launches_host_times_cut},
      {"steps: short ones have less than half of the median", short_steps_have_less_than_half_of_the_median},
      {"steps: without marks there are none", without_marks_there_are_no_steps})
