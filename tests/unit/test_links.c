/* SPDX-License-Identifier: Apache-2.0 */
/* Which call launched each device event, and what else is found of a source once: columns, names, metadata. */
#include "made_trace.h"

static const struct tav_rule rules[] = {
        {{{"cat", TAV_TEST_EQUALS, 0, "kernel"}}, TAV_TRAIT_DEVICE | TAV_TRAIT_KERNEL, 0, 0, 0},
        {{{"cat", TAV_TEST_EQUALS, 0, "runtime"}}, TAV_TRAIT_RUNTIME, 0, 0, 0},
        {{{"cat", TAV_TEST_EQUALS, 0, "driver"}}, TAV_TRAIT_DRIVER, 0, 0, 0},
        {{{"cat", TAV_TEST_EQUALS, 0, "op"}}, TAV_TRAIT_HOST_OP, 0, 0, 0},
        {{{"cat", TAV_TEST_EQUALS, 0, "step"}}, TAV_TRAIT_HOST_OP | TAV_TRAIT_STEP, 0, 0, 0},
        {{{"cat", TAV_TEST_EQUALS, 0, "note"}}, TAV_TRAIT_ANNOTATION, 0, 0, 0},
};
static const char *const link_fields[] = {"args.link", "args.id", NULL}, *const operator_fields[] = {"args.id", NULL};
static const struct tav_dialect dialect = {.struct_size = sizeof(dialect),
                                           .name = "t",
                                           .rules = TAV_LIST(rules),
                                           .link_fields = link_fields,
                                           .operator_fields = operator_fields};

static struct made_trace trace;

static tav_row add(const char *category, const char *pid, int64_t start, int64_t end, const char *field,
                   const char *value)
{
	return made_add(&trace, &(struct made_event){.name = "x",
	                                             .category = category,
	                                             .pid = pid,
	                                             .tid = "1",
	                                             .start_ns = start,
	                                             .end_ns = end,
	                                             .fields = {{field, value}}});
}

static const struct tav_link_list *find(void)
{
	const struct tav_link_list *list = NULL, *again = NULL;

	CU_ASSERT_EQUAL_FATAL(made_classify(&trace), TAV_OK);
	CU_ASSERT_EQUAL_FATAL(facts_links(trace.events, &list, &trace.causes), TAV_OK);
	CU_ASSERT_EQUAL(facts_links(trace.events, &again, &trace.causes), TAV_OK);
	CU_ASSERT_PTR_EQUAL(list, again);
	CU_ASSERT_EQUAL(list->count,
	                list->linked_count + list->ambiguous_count + list->no_call_count + list->no_link_count);
	return list;
}

static tav_row launch_of(const struct tav_link_list *list, tav_row row)
{
	return list->index[row] == TAV_NONE ? TAV_NONE : list->launch[list->index[row]];
}

static int why_of(const struct tav_link_list *list, tav_row row)
{
	return list->why[list->index[row]];
}

static void numbers_link(void)
{
	static const char *const nothing[] = {"0", "-1", "", NULL, "0.0", "-7"};

	made_begin(&trace, &dialect);
	tav_row call = add("runtime", "1", 10, 20, "args.link", "7");
	tav_row kernel = add("kernel", "0", 30, 40, "args.link", "7");
	tav_row alone = add("kernel", "0", 30, 40, "args.link", "8");
	tav_row broken = add("kernel", "0", 30, 20, "args.link", "7");
	tav_row text = add("kernel", "0", 30, 40, "args.link", "07"); /* texts are compared */
	tav_row op = add("op", "1", 0, 5, "args.link", "8");
	tav_row first = trace.events->row_count;
	for (size_t i = 0; i < sizeof(nothing) / sizeof(nothing[0]); i++) {
		add("runtime", "1", 10, 20, "args.link", nothing[i]);
		add("kernel", "0", 50, 60, "args.link", nothing[i]);
	}
	const struct tav_link_list *list = find();
	CU_ASSERT_EQUAL(launch_of(list, kernel), call);
	CU_ASSERT_EQUAL(why_of(list, kernel), TAV_LINK_OK);
	CU_ASSERT_EQUAL(why_of(list, alone), TAV_LINK_NO_CALL);
	CU_ASSERT_EQUAL(why_of(list, text), TAV_LINK_NO_CALL);
	CU_ASSERT_EQUAL(launch_of(list, alone), TAV_NONE);
	CU_ASSERT_EQUAL(list->index[broken], TAV_NONE);
	CU_ASSERT_EQUAL(list->index[call], TAV_NONE);
	CU_ASSERT_EQUAL(list->index[op], TAV_NONE);
	for (tav_row row = first + 1; row < trace.events->row_count; row += 2)
		CU_ASSERT_EQUAL(why_of(list, row), TAV_LINK_NONE);
	CU_ASSERT_EQUAL(list->count, 3 + 6);
	CU_ASSERT_EQUAL(list->linked_count, 1);
	CU_ASSERT_EQUAL(list->no_call_count, 2);
	for (uint64_t i = 1; i < list->count; i++)
		CU_ASSERT(list->rows[i - 1] < list->rows[i]);
	made_end(&trace);
}

/* Of several calls the first one launched: by start, then the longer one, then by place in the file. */
static void the_first_call_launched(void)
{
	made_begin(&trace, &dialect);
	add("driver", "1", 11, 30, "args.link", "1");
	tav_row early = add("runtime", "1", 10, 12, "args.link", "1");
	tav_row by_start = add("kernel", "0", 30, 40, "args.link", "1");
	add("driver", "1", 10, 12, "args.link", "2");
	tav_row longer = add("runtime", "1", 10, 13, "args.link", "2");
	tav_row by_end = add("kernel", "0", 30, 40, "args.link", "2");
	tav_row same = add("runtime", "1", 10, 12, "args.link", "3");
	add("driver", "1", 10, 12, "args.link", "3");
	tav_row by_place = add("kernel", "0", 30, 40, "args.link", "3");
	const struct tav_link_list *list = find();
	CU_ASSERT_EQUAL(launch_of(list, by_start), early);
	CU_ASSERT_EQUAL(launch_of(list, by_end), longer);
	CU_ASSERT_EQUAL(launch_of(list, by_place), same);
	CU_ASSERT_EQUAL(list->linked_count, 3);
	made_end(&trace);
}

static void nobody_is_named_on_a_guess(void)
{
	made_begin(&trace, &dialect);
	add("runtime", "1", 10, 12, "args.link", "1");
	add("runtime", "2", 11, 12, "args.link", "1");
	tav_row processes = add("kernel", "0", 30, 40, "args.link", "1");
	for (int i = 0; i < 3; i++)
		add("runtime", "1", 10, 12, "args.link", "2");
	tav_row many = add("kernel", "0", 30, 40, "args.link", "2");
	add("runtime", "1", 10, 12, "args.link", "3");
	add("driver", "1", 10, 12, "args.link", "3");
	tav_row two = add("kernel", "0", 30, 40, "args.link", "3");
	const struct tav_link_list *list = find();
	CU_ASSERT_EQUAL(why_of(list, processes), TAV_LINK_AMBIGUOUS);
	CU_ASSERT_EQUAL(why_of(list, many), TAV_LINK_AMBIGUOUS);
	CU_ASSERT_EQUAL(launch_of(list, many), TAV_NONE);
	CU_ASSERT_EQUAL(why_of(list, two), TAV_LINK_OK);
	CU_ASSERT_EQUAL(list->ambiguous_count, 2);
	made_end(&trace);
}

/* Both go by the first field that they have, and only the same field links. */
static void fields_are_not_mixed(void)
{
	made_begin(&trace, &dialect);
	tav_row old = add("runtime", "1", 10, 12, "args.id", "5");
	tav_row by_old = add("kernel", "0", 30, 40, "args.id", "5");
	tav_row mixed = add("kernel", "0", 30, 40, "args.link", "5");
	tav_row both = made_add(&trace, &(struct made_event){.name = "x",
	                                                     .category = "kernel",
	                                                     .pid = "0",
	                                                     .end_ns = 1,
	                                                     .fields = {{"args.link", "0"}, {"args.id", "5"}}});
	const struct tav_link_list *list = find();
	CU_ASSERT_EQUAL(launch_of(list, by_old), old);
	CU_ASSERT_EQUAL(why_of(list, mixed), TAV_LINK_NO_CALL);
	CU_ASSERT_EQUAL(why_of(list, both), TAV_LINK_NONE); /* it has the field, which says: none */
	made_end(&trace);
}

static int is_first(const struct tav_link_list *list, tav_row row)
{
	uint32_t i = list->index[row];

	return (int)(list->is_first[i / 64] >> i % 64 & 1);
}

static void one_event_of_a_launch_is_the_first(void)
{
	tav_row kernels[100];

	made_begin(&trace, &dialect);
	add("runtime", "1", 10, 12, "args.link", "1");
	for (int i = 0; i < 100; i++)
		kernels[i] = add("kernel", "0", i == 70 || i == 71 ? 20 : 100 - i, 200, "args.link", "1");
	tav_row lonely = add("kernel", "0", 5, 6, "args.link", "2");
	const struct tav_link_list *list = find();
	for (int i = 0; i < 100; i++)
		CU_ASSERT_EQUAL(is_first(list, kernels[i]), i == 99);
	CU_ASSERT_EQUAL(is_first(list, lonely), 0);
	made_end(&trace);

	made_begin(&trace, &dialect);
	add("runtime", "1", 10, 12, "args.link", "1");
	add("kernel", "0", 21, 200, "args.link", "1");
	tav_row tie = add("kernel", "0", 20, 200, "args.link", "1"),
	        later = add("kernel", "0", 20, 20, "args.link", "1");
	list = find();
	CU_ASSERT_EQUAL(is_first(list, tie), 1);
	CU_ASSERT_EQUAL(is_first(list, later), 0);
	made_end(&trace);
}

static tav_row operator_of(const struct tav_link_list *list, tav_row row)
{
	return list->operators[list->index[row]];
}

static void the_innermost_operator_is_named(void)
{
	made_begin(&trace, &dialect);
	tav_row outer = add("op", "1", 0, 100, NULL, NULL);
	tav_row inner = add("op", "1", 10, 20, NULL, NULL);
	tav_row crossing = add("op", "1", 15, 30, NULL, NULL); /* begins within, ends behind */
	add("step", "1", 0, 1000, NULL, NULL);
	add("op", "2", 0, 1000, NULL, NULL); /* another thread */
	add("op", "1", 12, 12, NULL, NULL);  /* lasts no time */
	static const struct {
		int64_t at;
		int expected;
	} cases[] = {{0, 1}, {9, 1}, {10, 2}, {12, 2}, {15, 3}, {20, 3}, {29, 3}, {30, 1}, {99, 1}, {100, 0}, {500, 0}};
	const tav_row operators[] = {TAV_NONE, outer, inner, crossing};
	tav_row kernels[11];
	for (uint32_t i = 11; i-- > 0;) { /* launches need not be in order */
		char number[16];
		snprintf(number, sizeof(number), "%u", i + 1);
		add("runtime", "1", cases[i].at, cases[i].at + 1, "args.link", number);
		kernels[i] = add("kernel", "0", 1000, 1001, "args.link", number);
	}
	const struct tav_link_list *list = find();
	for (uint32_t i = 0; i < 11; i++)
		CU_ASSERT_EQUAL(operator_of(list, kernels[i]), operators[cases[i].expected]);
	made_end(&trace);
}

/* `equal` of ten device events repeat their link as the number of an operator, which `is_named` says is there. */
static uint32_t repeats(int equal, bool is_named)
{
	made_begin(&trace, &dialect);
	for (int i = 0; i < 10; i++) {
		char link[8], id[8];
		snprintf(link, sizeof(link), "%d", i + 1);
		snprintf(id, sizeof(id), "%d", i < equal ? i + 1 : i + 100);
		made_add(&trace, &(struct made_event){.name = "x",
		                                      .category = "kernel",
		                                      .end_ns = 5,
		                                      .fields = {{"args.link", link}, {"args.id", id}}});
		if (is_named)
			add(i % 2 ? "op" : "note", "1", 0, 5, "args.id", id);
	}
	uint32_t found = find()->operator_repeats_link;
	made_end(&trace);
	return found;
}

static void a_copy_of_the_link_is_no_operator(void)
{
	CU_ASSERT_EQUAL(repeats(10, false), 1);
	CU_ASSERT_EQUAL(repeats(9, false), 1);
	CU_ASSERT_EQUAL(repeats(8, false), 0);
	CU_ASSERT_EQUAL(repeats(10, true), 0);
	CU_ASSERT_EQUAL(repeats(0, false), 0);
}

static void columns_are_made_on_demand(void)
{
	made_begin(&trace, &dialect);
	tav_row linked = add("kernel", "0", 0, 5, "args.link", "7"), other = add("kernel", "0", 0, 5, "args.id", "9");
	tav_row none = add("kernel", "0", 0, 5, "args.link", "0");
	CU_ASSERT_EQUAL_FATAL(made_classify(&trace), TAV_OK);
	CU_ASSERT_PTR_NULL(trace.events->link.data);
	CU_ASSERT_EQUAL_FATAL(facts_column(trace.events, TAV_COL_LINK, &trace.causes), TAV_OK);
	CU_ASSERT_EQUAL_FATAL(facts_column(trace.events, TAV_COL_OPERATOR, &trace.causes), TAV_OK);
	const uint32_t *link = trace.events->link.data, *operators = trace.events->operators.data;
	CU_ASSERT_EQUAL(link[linked], intern_find(&trace.events->values, "7", 1));
	CU_ASSERT_EQUAL(link[other], intern_find(&trace.events->values, "9", 1));
	CU_ASSERT_EQUAL(link[none], 0);
	CU_ASSERT_EQUAL(operators[linked], 0);
	CU_ASSERT_EQUAL(operators[other], link[other]);
	made_end(&trace);
}

/* A stage that does not say that it looks at links hears which word it left out. */
static void what_was_not_read_is_said(void)
{
	const struct tav_link_list *list;

	made_begin(&trace, &dialect);
	trace.wanted.count = 1; /* args.name */
	made_columns(&trace);
	add("kernel", "0", 0, 5, "args.link", "7");
	CU_ASSERT_EQUAL_FATAL(made_classify(&trace), TAV_OK);
	CU_ASSERT_EQUAL(facts_links(trace.events, &list, &trace.causes), TAV_FAILED);
	CU_ASSERT_PTR_NOT_NULL_FATAL(trace.causes.outermost);
	CU_ASSERT_PTR_NOT_NULL(strstr(trace.causes.outermost->text, "TAV_STAGE_LINKS"));
	causes_clear(&trace.causes);
	CU_ASSERT_EQUAL(facts_column(trace.events, TAV_COL_LINK, &trace.causes), TAV_FAILED);
	made_end(&trace);
}

/* ---- Names and metadata ----------------------------------------------------------------------------------------- */
static void name(const char *what, const char *pid, const char *tid, const char *text)
{
	made_add(&trace, &(struct made_event){
	                         .name = what, .pid = pid, .tid = tid, .phase = 'M', .fields = {{"args.name", text}}});
}

static int is_named(const char *pid, const char *tid, const char *expected)
{
	const struct intern *values = &trace.events->values;
	uint32_t tid_id = tid ? intern_find(values, tid, strlen(tid)) : TAV_NONE;

	struct tav_text text;

	return facts_name(trace.events, intern_find(values, pid, strlen(pid)), tid_id, &text) &&
	       text_is(text, expected);
}

static void processes_and_threads_have_names(void)
{
	made_begin(&trace, &dialect);
	add("kernel", "0", 0, 5, NULL, NULL);
	name("process_name", "0", "0", "GPU 0");
	name("thread_name", "0", "7", "stream 7");
	name("thread_name", "1", "7", "first");
	name("thread_name", "1", "7", "last");
	name("process_sort_index", "2", "7", "5");
	made_add(&trace, &(struct made_event){
	                         .name = "process_name", .pid = "7", .end_ns = 5, .fields = {{"args.name", "no"}}});
	CU_ASSERT_EQUAL_FATAL(made_classify(&trace), TAV_OK);
	CU_ASSERT_TRUE(is_named("0", NULL, "GPU 0"));
	CU_ASSERT_TRUE(is_named("0", "7", "stream 7"));
	CU_ASSERT_TRUE(is_named("1", "7", "last"));
	CU_ASSERT_TRUE(is_named("1", NULL, ""));
	CU_ASSERT_TRUE(is_named("2", "7", ""));
	CU_ASSERT_TRUE(is_named("0", "0", ""));
	CU_ASSERT_TRUE(is_named("7", NULL, "")); /* no metadata event */
	made_end(&trace);
}

static int has(const char *key, const char *expected)
{
	struct tav_text text;

	return facts_metadata(trace.events, key, &text) && text_is(text, expected);
}

static void metadata_are_found_by_key(void)
{
	static const char top[] =
	        " { \"a\" : 1 ,\"b\":{\"a\":[1,{\"x\":\"}\\\"] \"}], \"c\": 2} , \"t\\u00e9\\ud83d\\ude00\\n\":"
	        "\"va,l\", \"n\": null,\"\":5,\"a\":\"last\" }";

	made_begin(&trace, &dialect);
	trace.events->top_level = top;
	trace.events->top_level_size = sizeof(top) - 1;
	CU_ASSERT_TRUE(has("b", "{\"a\":[1,{\"x\":\"}\\\"] \"}],\"c\":2}"));
	CU_ASSERT_TRUE(has("a", "\"last\""));
	CU_ASSERT_TRUE(has("t\xc3\xa9\xf0\x9f\x98\x80\n", "\"va,l\""));
	CU_ASSERT_TRUE(has("n", "null"));
	CU_ASSERT_TRUE(has("c", ""));
	CU_ASSERT_TRUE(has("x", ""));
	static const char *const keys[] = {"a", "b", "t\xc3\xa9\xf0\x9f\x98\x80\n", "n", "a", "", ""};
	for (uint32_t i = 0; i < 7; i++) {
		struct tav_text key;

		CU_ASSERT_TRUE(facts_metadata_key(trace.events, i, &key) && text_is(key, keys[i]));
	}
	made_end(&trace);

	static const char *const odd[] = {"", "{", "{}", "[1]", "{\"a\"", "{\"a\":", "{\"a\":\"", "{\"a\\", "x"};
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) { /* the reader lets none of them pass but {} */
		made_begin(&trace, &dialect);
		trace.events->top_level = odd[i];
		trace.events->top_level_size = strlen(odd[i]);
		CU_ASSERT_TRUE(has("b", ""));
		made_end(&trace);
	}
}

/* ---- What a source covers --------------------------------------------------------------------------------------- */
static const int64_t second = 1000000000;

static void times_that_were_never_set(void)
{
	static const struct {
		int64_t starts[5]; /* of kernels; -1: no more */
		int64_t host;
		uint64_t zero;
		int64_t first;
	} cases[] = {
	        {{0, 0, 0, 90, 91}, 95, 3, 90}, /* in seconds */
	        {{0, 90, 91, 92, 93}, 95, 1, 90}, {{0, 0, 0, 0, 0}, 95, 5, 95},
	        {{0, 0, 0, 0, 0}, 0, 0, 0},       {{0, 0, 1, 1, 1}, 1, 0, 0}, /* a recording that counts from 0 */
	        {{0, 1, 2, 3, 4}, 1, 0, 0},       {{5, 6, 7, 8, 9}, 4, 0, 4},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		made_begin(&trace, &dialect);
		for (int k = 0; k < 5; k++)
			add("kernel", "0", cases[i].starts[k] * second, cases[i].starts[k] * second + 7, NULL, NULL);
		add("op", "1", cases[i].host * second, cases[i].host * second + 9, NULL, NULL);
		add("kernel", "0", 7, 5, NULL, NULL);
		CU_ASSERT_EQUAL_FATAL(made_classify(&trace), TAV_OK);
		CU_ASSERT_EQUAL(trace.events->zero_time_count, cases[i].zero);
		CU_ASSERT_EQUAL(trace.events->first_ns, cases[i].first * second);
		CU_ASSERT_EQUAL(trace.events->device_event_count, 5);
		CU_ASSERT_EQUAL(trace.events->unusable_device_count, 1);
		made_end(&trace);
	}
}

static void device_work_has_a_kind(void)
{
	static const struct tav_rule kinds[] = {
	        {{{"name", TAV_TEST_CONTAINS, 0, "d"}}, TAV_TRAIT_DEVICE, 0, 0, 0},
	        {{{"name", TAV_TEST_CONTAINS, 0, "c"}}, TAV_TRAIT_MEMCPY, 0, 0, 0},
	        {{{"name", TAV_TEST_CONTAINS, 0, "s"}}, TAV_TRAIT_MEMSET, 0, 0, 0},
	        {{{"name", TAV_TEST_CONTAINS, 0, "m"}}, TAV_TRAIT_COLLECTIVE, 0, 0, 0},
	};
	static const struct tav_dialect descriptor = {
	        .struct_size = sizeof(descriptor), .name = "t", .rules = TAV_LIST(kinds)};
	static const struct {
		const char *name;
		uint8_t kind;
	} cases[] = {{"d", TAV_KIND_COMPUTE}, {"dc", TAV_KIND_COPY},           {"ds", TAV_KIND_COPY},
	             {"c", TAV_KIND_NONE},    {"dcm", TAV_KIND_COMMUNICATION}, {"dm", TAV_KIND_COMMUNICATION},
	             {"m", TAV_KIND_NONE}};

	made_begin(&trace, &descriptor);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		made_add(&trace, &(struct made_event){.name = cases[i].name, .end_ns = 5});
	CU_ASSERT_EQUAL_FATAL(made_classify(&trace), TAV_OK);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CU_ASSERT_EQUAL(COLUMN(trace.events, kind, const uint8_t)[i], cases[i].kind);
	made_end(&trace);
}

SUITE("links", {"links: numbers link", numbers_link}, {"links: the first call launched", the_first_call_launched},
      {"links: nobody is named on a guess", nobody_is_named_on_a_guess},
      {"links: fields are not mixed", fields_are_not_mixed},
      {"links: one event of a launch is the first", one_event_of_a_launch_is_the_first},
      {"links: the innermost operator is named", the_innermost_operator_is_named},
      {"links: a copy of the link is no operator", a_copy_of_the_link_is_no_operator},
      {"links: columns are made on demand", columns_are_made_on_demand},
      {"links: what was not read is said", what_was_not_read_is_said},
      {"names: of processes and threads", processes_and_threads_have_names},
      {"metadata: are found by key", metadata_are_found_by_key},
      {"times: that were never set", times_that_were_never_set}, {"kinds: of device work", device_work_has_a_kind})
