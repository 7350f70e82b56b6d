/* SPDX-License-Identifier: Apache-2.0 */
#include "made_trace.h"

#define A TAV_TRAIT_KERNEL
#define B TAV_TRAIT_MEMCPY
#define C TAV_TRAIT_MEMSET

/* The traits that `rules` give to one event, without the host's own. */
static uint32_t traits_of(struct tav_rule_list rules, const struct made_event *event)
{
	const struct tav_dialect descriptor = {.struct_size = sizeof(descriptor), .name = "t", .rules = rules};
	static struct made_trace trace;

	made_begin(&trace, &descriptor);
	made_add(&trace, event);
	CU_ASSERT_EQUAL_FATAL(made_classify(&trace), TAV_OK);
	uint32_t traits = made_traits(&trace, 0);
	made_end(&trace);
	return traits & ~(uint32_t)(TAV_TRAIT_INTERVAL | TAV_TRAIT_UNUSABLE);
}

static int holds(struct tav_condition condition, const struct made_event *event)
{
	const struct tav_rule rules[] = {{{condition}, A, 0, 0, 0}};

	return traits_of((struct tav_rule_list)TAV_LIST(rules), event) == A;
}

static void each_test_of_a_text(void)
{
	const struct made_event event = {.name = "Memcpy HtoD", .category = "gpu_memcpy"};
	const struct {
		struct tav_condition condition;
		int holds;
	} cases[] = {
	        {{"name", TAV_TEST_EQUALS, 0, "Memcpy HtoD"}, 1},
	        {{"name", TAV_TEST_EQUALS, 0, "memcpy htod"}, 0},
	        {{"name", TAV_TEST_EQUALS, TAV_COND_IGNORE_CASE, "memcpy htod"}, 1},
	        {{"name", TAV_TEST_EQUALS, 0, "Memcpy"}, 0},
	        {{"name", TAV_TEST_PREFIX, 0, "Memcpy"}, 1},
	        {{"name", TAV_TEST_PREFIX, 0, "HtoD"}, 0},
	        {{"name", TAV_TEST_PREFIX, 0, "Memcpy HtoD and more"}, 0},
	        {{"name", TAV_TEST_SUFFIX, 0, "HtoD"}, 1},
	        {{"name", TAV_TEST_SUFFIX, TAV_COND_IGNORE_CASE, "htod"}, 1},
	        {{"name", TAV_TEST_SUFFIX, 0, "htod"}, 0},
	        {{"name", TAV_TEST_CONTAINS, 0, "cpy H"}, 1},
	        {{"name", TAV_TEST_CONTAINS, TAV_COND_IGNORE_CASE, "CPY h"}, 1},
	        {{"name", TAV_TEST_CONTAINS, 0, "CPY"}, 0},
	        {{"name", TAV_TEST_MATCHES, 0, "^Mem(cpy|set) [A-Z]"}, 1},
	        {{"name", TAV_TEST_MATCHES, 0, "^mem"}, 0},
	        {{"name", TAV_TEST_MATCHES, TAV_COND_IGNORE_CASE, "^mem"}, 1},
	        {{"name", TAV_TEST_EXISTS, 0, NULL}, 1},
	        {{"cat", TAV_TEST_EQUALS, 0, "gpu_memcpy"}, 1},
	        {{"cat", TAV_TEST_EQUALS, TAV_COND_NOT, "gpu_memcpy"}, 0},
	        {{"cat", TAV_TEST_EQUALS, TAV_COND_NOT, "gpu"}, 1},
	        {{"ph", TAV_TEST_EQUALS, 0, "X"}, 1},
	        {{"ph", TAV_TEST_EQUALS, TAV_COND_IGNORE_CASE, "x"}, 1},
	        {{"ph", TAV_TEST_EQUALS, TAV_COND_NOT, "X"}, 0},
	        {{"ph", TAV_TEST_EXISTS, 0, NULL}, 1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (holds(cases[i].condition, &event) != cases[i].holds) {
			fprintf(stderr, "case %zu: %s\n", i, cases[i].condition.text);
			CU_FAIL("a test of a text");
		}
	}
	const struct made_event nameless = {.category = "kernel"};
	CU_ASSERT_FALSE(holds((struct tav_condition){"name", TAV_TEST_EXISTS, 0, NULL}, &nameless));
	CU_ASSERT_TRUE(holds((struct tav_condition){"name", TAV_TEST_EXISTS, TAV_COND_NOT, NULL}, &nameless));
}

static void each_test_of_a_field(void)
{
	const struct made_event with = {.name = "k", .fields = {{"args.stream", "7"}}};
	const struct made_event without = {.name = "k"};
	const struct {
		struct tav_condition condition;
		int with, without;
	} cases[] = {
	        {{"args.stream", TAV_TEST_EXISTS, 0, NULL}, 1, 0},
	        {{"args.stream", TAV_TEST_EXISTS, TAV_COND_NOT, NULL}, 0, 1},
	        {{"args.stream", TAV_TEST_EQUALS, 0, "7"}, 1, 0},
	        {{"args.stream", TAV_TEST_EQUALS, 0, "77"}, 0, 0},
	        {{"args.stream", TAV_TEST_EQUALS, TAV_COND_NOT, "7"}, 0, 1},
	        {{"args.stream", TAV_TEST_MATCHES, 0, "^[0-9]$"}, 1, 0},
	        {{"args.other", TAV_TEST_EXISTS, 0, NULL}, 0, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CU_ASSERT_EQUAL(holds(cases[i].condition, &with), cases[i].with);
		CU_ASSERT_EQUAL(holds(cases[i].condition, &without), cases[i].without);
	}
}

static void rules_apply_in_their_order(void)
{
	const struct tav_rule rules[] = {
	        {{{"name", TAV_TEST_PREFIX, 0, "k"}}, A | B, 0, 0, 0},
	        {{{"args.x", TAV_TEST_EXISTS, 0, NULL}}, C, A, 0, 0},
	        {{{"name", TAV_TEST_SUFFIX, 0, "z"}, {"cat", TAV_TEST_EQUALS, 0, "c"}}, A, C, 0, 0},
	        {{{"name", TAV_TEST_SUFFIX, 0, "!"}, {"args.x", TAV_TEST_EQUALS, 0, "1"}},
	         B,
	         B,
	         0,
	         0}, /* cleared after set */
	};
	const struct tav_rule_list list = TAV_LIST(rules);

	CU_ASSERT_EQUAL(traits_of(list, &(struct made_event){.name = "k"}), A | B);
	CU_ASSERT_EQUAL(traits_of(list, &(struct made_event){.name = "k", .fields = {{"args.x", "1"}}}), B | C);
	CU_ASSERT_EQUAL(
	        traits_of(list, &(struct made_event){.name = "kz", .category = "c", .fields = {{"args.x", "1"}}}),
	        A | B);
	CU_ASSERT_EQUAL(
	        traits_of(list, &(struct made_event){.name = "kz", .category = "d", .fields = {{"args.x", "1"}}}),
	        B | C);
	CU_ASSERT_EQUAL(traits_of(list, &(struct made_event){.name = "k!", .fields = {{"args.x", "1"}}}), C);
	CU_ASSERT_EQUAL(traits_of(list, &(struct made_event){.name = "k!", .fields = {{"args.x", "2"}}}), B | C);
	CU_ASSERT_EQUAL(traits_of(list, &(struct made_event){.name = "none", .fields = {{"args.y", "2"}}}), 0);
}

/* More questions than fit a table, each asked twice: event by event. */
static void many_questions(void)
{
	struct tav_rule rules[14] = {{{{NULL, 0, 0, NULL}}, 0, 0, 0, 0}};
	static const char *const fields[] = {"args.a", "args.b", "args.c", "args.d", "args.e", "args.f", "args.g"};
	struct tav_rule_list list = TAV_LIST(rules);

	for (uint32_t i = 0; i < 14; i++) {
		rules[i].when[0] =
		        (struct tav_condition){fields[i % 7], TAV_TEST_EQUALS, i < 7 ? 0 : TAV_COND_NOT, "1"};
		if (i < 7)
			rules[i].set = TAV_TRAIT_KERNEL << i;
		else
			rules[i].clear = TAV_TRAIT_KERNEL << (i - 7);
	}
	for (uint32_t count = 1; count <= 7; count++) {
		list.count = 7 + count; /* the first `count` are cleared again, where they are not 1 */
		for (uint32_t chosen = 0; chosen < 7; chosen++) {
			const struct made_event event = {
			        .name = "k", .fields = {{fields[chosen], "1"}, {fields[(chosen + 3) % 7], "1"}}};
			CU_ASSERT_EQUAL(traits_of(list, &event),
			                (uint32_t)TAV_TRAIT_KERNEL << chosen | (uint32_t)TAV_TRAIT_KERNEL
			                                                               << (chosen + 3) % 7);
		}
	}
}

static void only_what_takes_time_is_device_work(void)
{
	const struct tav_rule rules[] = {{{{"cat", TAV_TEST_EQUALS, 0, "kernel"}}, TAV_TRAIT_DEVICE | A, 0, 0, 0}};
	const struct tav_rule_list list = TAV_LIST(rules);
	static const char others[] = "iIsftbneCMNODEP";

	CU_ASSERT_EQUAL(traits_of(list, &(struct made_event){.category = "kernel"}), TAV_TRAIT_DEVICE | A);
	CU_ASSERT_EQUAL(traits_of(list, &(struct made_event){.category = "kernel", .phase = 'B'}),
	                TAV_TRAIT_DEVICE | A);
	/* without a time: still device work, which verifiers must hear of */
	CU_ASSERT_EQUAL(traits_of(list, &(struct made_event){.category = "kernel", .end_ns = -1}),
	                TAV_TRAIT_DEVICE | A);
	for (const char *phase = others; *phase; phase++)
		CU_ASSERT_EQUAL(traits_of(list, &(struct made_event){.category = "kernel", .phase = *phase}), 0);
}

static void labels_say_what_they_call(void)
{
	const struct tav_rule rules[] = {
	        {{{"name", TAV_TEST_PREFIX, 0, "cu"}}, A, 0, TAV_CALL_COPY, 0},
	        {{{"name", TAV_TEST_PREFIX, 0, "cuL"}}, B, 0, TAV_CALL_LAUNCH, 0}, /* the last that says something */
	        {{{"name", TAV_TEST_PREFIX, 0, "cu"}}, C, 0, 0, 0},
	        {{{"cat", TAV_TEST_EQUALS, 0, "c7"}}, TAV_TRAIT_PREP, 0, TAV_CALL_FILL, 0},
	};
	const struct tav_dialect descriptor = {
	        .struct_size = sizeof(descriptor), .name = "t", .rules = TAV_LIST(rules)};
	static struct made_trace trace;
	enum { CATEGORIES = 500 };

	made_begin(&trace, &descriptor);
	made_add(&trace, &(struct made_event){.name = "cuMemcpy", .end_ns = 5});
	made_add(&trace, &(struct made_event){.name = "cuLaunch", .end_ns = 5});
	made_add(&trace, &(struct made_event){.name = "other", .end_ns = 5});
	for (uint32_t i = 0; i < CATEGORIES; i++) {
		char category[8];
		snprintf(category, sizeof(category), "c%u", i);
		made_add(&trace, &(struct made_event){.name = "x", .category = category, .end_ns = 5});
	}
	CU_ASSERT_EQUAL_FATAL(made_classify(&trace), TAV_OK);
	const uint8_t *calls = trace.events->label_calls.data;
	CU_ASSERT_EQUAL(calls[0], TAV_CALL_COPY);
	CU_ASSERT_EQUAL(calls[1], TAV_CALL_LAUNCH);
	CU_ASSERT_EQUAL(calls[2], TAV_CALL_NONE);
	for (uint32_t i = 0; i < CATEGORIES; i++) {
		CU_ASSERT_EQUAL(calls[3 + i], i == 7 ? TAV_CALL_FILL : TAV_CALL_NONE);
		CU_ASSERT_EQUAL(made_traits(&trace, 3 + i) & TAV_TRAIT_PREP, i == 7 ? TAV_TRAIT_PREP : 0);
	}
	made_end(&trace);
}

static tav_status classify_calls(struct tav_self *self, uint32_t count, const struct tav_text *names,
                                 const struct tav_text *categories, uint32_t *traits)
{
	(void)self;
	(void)categories;
	for (uint32_t i = 0; i < count; i++) {
		CU_ASSERT_EQUAL(traits[i], names[i].data[0] == 'k' ? (uint32_t)A : 0);
		traits[i] = names[i].data[0] == 'k' ? (uint32_t)(B | TAV_TRAIT_REFINE | TAV_TRAIT_UNUSABLE) : traits[i];
	}
	return TAV_OK;
}

static tav_status refine_odd(struct tav_self *self, uint32_t source, uint32_t count, const tav_row *rows,
                             uint32_t *traits)
{
	(void)self;
	(void)source;
	for (uint32_t i = 0; i < count; i++) {
		CU_ASSERT_EQUAL(rows[i] % 3, 0);
		if (rows[i] % 2)
			traits[i] = C; /* the host's bits cannot be lost */
	}
	return TAV_OK;
}

static void code_adds_to_the_rules(void)
{
	const struct tav_rule rules[] = {{{{"name", TAV_TEST_PREFIX, 0, "k"}}, A, 0, 0, 0},
	                                 {{{"args.x", TAV_TEST_EXISTS, 0, NULL}}, TAV_TRAIT_PREP | A, 0, 0, 0}};
	const struct tav_dialect descriptor = {.struct_size = sizeof(descriptor),
	                                       .name = "t",
	                                       .rules = TAV_LIST(rules),
	                                       .classify = classify_calls,
	                                       .refine = refine_odd};
	static struct made_trace trace;
	enum { ROWS = 30000 };

	made_begin(&trace, &descriptor);
	for (uint32_t row = 0; row < ROWS; row++) {
		struct made_event event = {.name = row % 3 ? "host" : "k", .end_ns = 5};
		if (row % 5 == 0)
			event.fields[0] = (struct made_field){"args.x", "1"};
		made_add(&trace, &event);
	}
	CU_ASSERT_EQUAL_FATAL(made_classify(&trace), TAV_OK);
	for (uint32_t row = 0; row < ROWS; row++) {
		uint32_t expected = row % 3 == 0 ? B : 0;
		if (row % 5 == 0)
			expected |= row % 3 ? TAV_TRAIT_PREP | A : TAV_TRAIT_PREP; /* classify() took A away */
		if (row % 3 == 0 && row % 2)
			expected = C;
		CU_ASSERT_FATAL(made_traits(&trace, row) == (expected | TAV_TRAIT_INTERVAL));
	}
	made_end(&trace);
}

static tav_status classify_fails(struct tav_self *self, uint32_t count, const struct tav_text *names,
                                 const struct tav_text *categories, uint32_t *traits)
{
	(void)count;
	(void)names;
	(void)categories;
	(void)traits;
	return tav_fail(self, "no idea");
}

static void failures_have_a_cause(void)
{
	const struct tav_rule bad_field[] = {{{{"dur", TAV_TEST_EXISTS, 0, NULL}}, A, 0, 0, 0}};
	const struct tav_rule bad_pattern[] = {{{{"name", TAV_TEST_MATCHES, 0, "("}}, A, 0, 0, 0}};
	const struct tav_dialect descriptors[] = {
	        {.struct_size = sizeof(descriptors[0]), .name = "t", .rules = TAV_LIST(bad_field)},
	        {.struct_size = sizeof(descriptors[0]), .name = "t", .rules = TAV_LIST(bad_pattern)},
	        {.struct_size = sizeof(descriptors[0]), .name = "t", .classify = classify_fails},
	};
	static struct made_trace trace;

	for (size_t i = 0; i < 3; i++) {
		made_begin(&trace, &descriptors[i]);
		made_add(&trace, &(struct made_event){.name = "k"});
		CU_ASSERT_EQUAL(made_classify(&trace), TAV_FAILED);
		CU_ASSERT_PTR_NOT_NULL_FATAL(trace.causes.outermost);
		CU_ASSERT_STRING_EQUAL(trace.causes.outermost->text,
		                       "cannot classify the events of made.json as dialect 't'");
		CU_ASSERT_PTR_NOT_NULL(trace.causes.outermost->deeper);
		made_end(&trace);
	}
}

SUITE("rules", {"rules: each test of a text", each_test_of_a_text},
      {"rules: each test of a field", each_test_of_a_field},
      {"rules: apply in their order", rules_apply_in_their_order},
      {"rules: ask as many questions as they like", many_questions},
      {"rules: only what takes time is device work", only_what_takes_time_is_device_work},
      {"rules: labels say what they call", labels_say_what_they_call},
      {"rules: code adds to them", code_adds_to_the_rules}, {"rules: failures have a cause", failures_have_a_cause})
