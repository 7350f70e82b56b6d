/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <option/option.h>

#include "suite.h"

static const char *const colours[] = {"red", "green", NULL};
static const struct tav_option bool_option = {.name = "strict", .type = TAV_TYPE_BOOL, .preset = "true"};
static const struct tav_option int_option = {.name = "tolerance_ns", .type = TAV_TYPE_INT, .min = "0", .max = "900"};
static const struct tav_option real_option = {.name = "share", .type = TAV_TYPE_REAL, .min = "0", .max = "1"};
static const struct tav_option choice_option = {.name = "colour", .type = TAV_TYPE_CHOICE, .choices = colours};
static const struct tav_option duration_option = {.name = "wait", .type = TAV_TYPE_DURATION, .max = "1s"};
static const struct tav_option texts_option = {.name = "names", .type = TAV_TYPE_STRING, .flags = TAV_OPT_MANY};
static const struct tav_option pattern_option = {.name = "allow", .type = TAV_TYPE_PATTERN, .flags = TAV_OPT_MANY};
static const struct tav_option file_option = {.name = "rules", .type = TAV_TYPE_FILE};
static const struct tav_option text_option = {.name = "title", .type = TAV_TYPE_STRING};

struct outcome {
	struct arena arena;
	struct diags diags;
	struct diag_text text;
	const struct tav_value *value;
	const char *message; /* of the first error, or "" */
};

/* The value of "x: YAML". */
static struct outcome *convert(const struct tav_option *option, const char *yaml)
{
	struct outcome *outcome = calloc(1, sizeof(*outcome));
	struct option_reader reader = {&outcome->arena, &outcome->diags, "stage 's'", "conf"};

	outcome->text = (struct diag_text){"t", yaml, strlen(yaml), false};
	struct node *root = yaml_parse(&outcome->text, &outcome->arena, &outcome->diags);
	CU_ASSERT_PTR_NOT_NULL_FATAL(root);
	outcome->value = option_value(&reader, option, root->items[0]);
	outcome->message = outcome->diags.first ? outcome->diags.first->message : "";
	CU_ASSERT_EQUAL(!outcome->value, diags_failed(&outcome->diags));
	return outcome;
}

static void outcome_free(struct outcome *outcome)
{
	arena_fini(&outcome->arena);
	diags_fini(&outcome->diags);
	free(outcome);
}

static void gives(const struct tav_option *option, const char *yaml, int64_t integer)
{
	struct outcome *outcome = convert(option, yaml);

	CU_ASSERT_PTR_NOT_NULL_FATAL(outcome->value);
	CU_ASSERT_EQUAL(outcome->value->integer, integer);
	CU_ASSERT_EQUAL(outcome->value->given, 1);
	outcome_free(outcome);
}

static void says(const struct tav_option *option, const char *yaml, const char *message)
{
	struct outcome *outcome = convert(option, yaml);

	CU_ASSERT_PTR_NULL(outcome->value);
	if (strcmp(outcome->message, message))
		fprintf(stderr, "wanted: %s\n   got: %s\n", message, outcome->message);
	CU_ASSERT_STRING_EQUAL(outcome->message, message);
	outcome_free(outcome);
}

static void scalars_become_values(void)
{
	gives(&bool_option, "x: true", 1);
	gives(&bool_option, "x: no", 0);
	gives(&bool_option, "x: \"on\"", 1);
	gives(&int_option, "x: 12", 12);
	gives(&int_option, "x: 0", 0);
	gives(&int_option, "x: 900", 900);
	gives(&choice_option, "x: green", 1);
	gives(&duration_option, "x: 250", 250);
	gives(&duration_option, "x: 5us", 5000);
	gives(&duration_option, "x: 1.5 ms", 1500000);
	gives(&duration_option, "x: 0.000000001s", 1);
	gives(&duration_option, "x: 1s", 1000000000);
	struct outcome *outcome = convert(&real_option, "x: 2.5e-1");
	CU_ASSERT_EQUAL(outcome->value->real, 0.25);
	outcome_free(outcome);
}

static void windows_are_exact(void)
{
	static const struct {
		const char *text;
		int64_t from_ns, to_ns;
		bool is_absolute;
	} good[] = {
	        {"10ms..25ms", 10000000, 25000000, false},
	        {"..25ms", INT64_MIN, 25000000, false},
	        {"10ms..", 10000000, INT64_MAX, false},
	        {"0..1", 0, 1, false},
	        {"1.5 us..2us", 1500, 2000, false},
	        {"@1753999142997011.125..@1753999142997012", 1753999142997011125, 1753999142997012000, true},
	        {"@-5..@7", -5000, 7000, true},
	        {"@5..", 5000, INT64_MAX, true},
	        {"..@7", INT64_MIN, 7000, true},
	};
	static const char *const bad[] = {"",         "..",        "5ms",     "1..2..3",         "1...2",
	                                  "0x10ms..", "1e-3s..",   "5..5",    "25ms..1ms",       "-5ms..1s",
	                                  "@1..2",    "1..@2",     "@..@2",   "@1us..",          "@1..@",
	                                  "a..b",     "10 days..", "0.5ns..", "9999999999999s.."};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct window window;
		const char *why = text_to_window(good[i].text, &window);

		if (why)
			fprintf(stderr, "%s: %s\n", good[i].text, why);
		CU_ASSERT_PTR_NULL_FATAL(why);
		CU_ASSERT_EQUAL(window.from_ns, good[i].from_ns);
		CU_ASSERT_EQUAL(window.to_ns, good[i].to_ns);
		CU_ASSERT_EQUAL(window.is_absolute, good[i].is_absolute);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct window window;

		if (!text_to_window(bad[i], &window))
			fprintf(stderr, "taken for a window: %s\n", bad[i]);
		CU_ASSERT_PTR_NOT_NULL(text_to_window(bad[i], &window));
	}
}

static void what_eats_memory_is_refused(void)
{
	static const struct tav_option pattern = {.name = "allow", .type = TAV_TYPE_PATTERN};

	gives(&pattern, "x: 'a{1,255}b[]x{9}]{3}'", 0);
	gives(&pattern, "x: '^((ab){2,20}|c+)*$'", 0);
	says(&pattern, "x: '((((a{1,255}){1,255}){1,255}){1,255})'",
	     "stage 's', option 'allow': \"((((a{1,255}){1,255}){1,255}){1,255})\" is not a POSIX extended regular "
	     "expression: with its counts written out it has more than 20000 characters");
	says(&pattern, "x: 'a{255}{255}'",
	     "stage 's', option 'allow': \"a{255}{255}\" is not a POSIX extended regular expression: with its counts "
	     "written out it has more than 20000 characters");
}

static void of_many_errors_some_are_kept(void)
{
	struct diags diags = {0};
	unsigned kept = 0;

	for (unsigned i = 0; i < 10000; i++)
		diag_error(&diags, (struct place){.line = 10000 - i}, "wrong");
	for (const struct diag *diag = diags.first; diag; diag = diag->next) {
		CU_ASSERT(!diag->next || diag->place.line <= diag->next->place.line);
		kept++;
	}
	CU_ASSERT_EQUAL(kept, DIAGS_MOST);
	CU_ASSERT_EQUAL(diags.error_count, 10000);
	diags_fini(&diags);
}

static void wrong_scalars_are_explained(void)
{
	says(&int_option, "x: 012",
	     "stage 's', option 'tolerance_ns': \"012\" begins with 0, which some readers of YAML take for octal; "
	     "write 12");
	says(&bool_option, "x: maybe", "stage 's', option 'strict': \"maybe\" is not a boolean (true or false)");
	says(&bool_option, "x: 1", "stage 's', option 'strict': \"1\" is not a boolean (true or false)");
	says(&bool_option, "x: [true]", "stage 's', option 'strict': a list is not a boolean (true or false)");
	says(&bool_option, "x:", "stage 's', option 'strict': no value");
	says(&int_option, "x: 5us",
	     "stage 's', option 'tolerance_ns': \"5us\" is not a whole number (unit ns, 0 to 900)");
	says(&int_option, "x: 901",
	     "stage 's', option 'tolerance_ns': \"901\" is not a whole number (unit ns, 0 to 900)");
	says(&int_option, "x: -1",
	     "stage 's', option 'tolerance_ns': \"-1\" is not a whole number (unit ns, 0 to 900)");
	says(&int_option, "x: 99999999999999999999", "stage 's', option 'tolerance_ns': the number is too large");
	says(&real_option, "x: .nan", "stage 's', option 'share': \".nan\" is not a number (0 to 1)");
	says(&real_option, "x: 1.01", "stage 's', option 'share': \"1.01\" is not a number (0 to 1)");
	says(&choice_option, "x: gren",
	     "stage 's', option 'colour': \"gren\" is none of its choices; did you mean 'green'?");
	says(&choice_option, "x: mauve",
	     "stage 's', option 'colour': \"mauve\" is none of its choices; allowed: red, green");
	says(&duration_option, "x: 0.5ns",
	     "stage 's', option 'wait': \"0.5ns\" is not a duration (such as 250ns, 5us, 1.5ms, 2s; 1s or less)");
	says(&duration_option, "x: 2s",
	     "stage 's', option 'wait': \"2s\" is not a duration (such as 250ns, 5us, 1.5ms, 2s; 1s or less)");
	says(&text_option, "x: ~", "stage 's', option 'title': no value; write \"\" for an empty text");
}

static void lists_and_patterns(void)
{
	struct outcome *outcome = convert(&pattern_option, "x: ['a.*', b]");

	CU_ASSERT_EQUAL_FATAL(outcome->value->count, 2);
	CU_ASSERT_STRING_EQUAL(outcome->value->items[0]->text.data, "a.*");
	outcome_free(outcome);
	says(&pattern_option, "x: a", "stage 's', option 'allow': \"a\" is not a list; write [a]");
	says(&pattern_option, "x: ['a(']",
	     "stage 's', option 'allow': \"a(\" is not a POSIX extended regular expression: Unmatched ( or \\(");
	says(&pattern_option, "x: ['']", "stage 's', option 'allow': an empty pattern matches every name");
}

static void paths_are_relative_to_the_config(void)
{
	struct outcome *outcome = convert(&file_option, "x: rules.yaml");

	CU_ASSERT_STRING_EQUAL(outcome->value->text.data, "conf/rules.yaml");
	outcome_free(outcome);
	outcome = convert(&file_option, "x: /abs");
	CU_ASSERT_STRING_EQUAL(outcome->value->text.data, "/abs");
	outcome_free(outcome);
	says(&file_option, "x: ''", "stage 's', option 'rules': the path is empty");
}

static void durations_are_exact_or_refused(void)
{
	static const struct {
		const char *text;
		int64_t ns;
	} good[] = {{"0", 0},
	            {"9223372036854775807", INT64_MAX},
	            {"-3us", -3000},
	            {"2.5min", 150000000000},
	            {"0.000000000001h", -1},
	            {"1.000000000000000000s", 1000000000},
	            {"9223372036.854775807s", INT64_MAX}};
	static const char *const bad[] = {"",    "-", "1.", ".5s", "1 s s", "5 parsec", "1e3", "9223372036854775808",
	                                  "0x10"};
	int64_t ns;
	bool is_out;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		bool is_ok = text_to_duration(good[i].text, &ns, &is_out);

		CU_ASSERT_TRUE(good[i].ns == -1 ? !is_ok : is_ok && ns == good[i].ns); /* -1: no whole ns */
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CU_ASSERT_FALSE(text_to_duration(bad[i], &ns, &is_out));
}

static void integers_have_limits(void)
{
	int64_t value;
	bool is_out;

	CU_ASSERT_TRUE(text_to_int("-9223372036854775808", &value, &is_out));
	CU_ASSERT_EQUAL(value, INT64_MIN);
	CU_ASSERT_FALSE(text_to_int("9223372036854775808", &value, &is_out));
	CU_ASSERT_TRUE(is_out);
	CU_ASSERT_FALSE(text_to_int("1_000", &value, &is_out));
	CU_ASSERT_FALSE(is_out);
}

static void declarations_are_checked(void)
{
	struct arena arena = {0};
	struct tav_option option = bool_option;

	CU_ASSERT_PTR_NULL(option_declaration_error(&option, 1, &arena));
	option.name = "Strict";
	CU_ASSERT_PTR_NOT_NULL(option_declaration_error(&option, 1, &arena));
	option.name = "stage";
	CU_ASSERT_STRING_EQUAL(option_declaration_error(&option, 1, &arena),
	                       "option 'stage': this key belongs to the host");
	option = bool_option;
	option.type = TAV_TYPE_JSON;
	CU_ASSERT_STRING_EQUAL(option_declaration_error(&option, 1, &arena), "option 'strict' has the unknown type 11");
	option = int_option;
	option.max = "many";
	CU_ASSERT_STRING_EQUAL(option_declaration_error(&option, 1, &arena),
	                       "option 'tolerance_ns' has the bound \"many\"");
	struct tav_option twice[2] = {bool_option, bool_option};
	CU_ASSERT_STRING_EQUAL(option_declaration_error(twice, 2, &arena), "option 'strict' is declared twice");
	arena_fini(&arena);
}

static void values_read_back(void)
{
	struct outcome *outcome = convert(&texts_option, "x: ['a: \"b\" #', 'true', plain/x.y, '', \"tab\\t\"]");
	const char *yaml = option_value_yaml(&texts_option, outcome->value, &outcome->arena);

	CU_ASSERT_STRING_EQUAL(yaml, "[\"a: \\\"b\\\" #\", \"true\", plain/x.y, \"\", \"tab\\x09\"]");
	const char *again = arena_printf(&outcome->arena, "x: %s", yaml);
	struct outcome *second = convert(&texts_option, again);
	CU_ASSERT_EQUAL_FATAL(second->value->count, outcome->value->count);
	for (uint64_t i = 0; i < second->value->count; i++)
		CU_ASSERT_STRING_EQUAL(second->value->items[i]->text.data, outcome->value->items[i]->text.data);
	outcome_free(second);
	outcome_free(outcome);
}

SUITE("option", {"option: scalars become values", scalars_become_values},
      {"option: windows are exact", windows_are_exact},
      {"option: what eats memory is refused", what_eats_memory_is_refused},
      {"option: of many errors some are kept", of_many_errors_some_are_kept},
      {"option: wrong scalars are explained", wrong_scalars_are_explained},
      {"option: lists and patterns", lists_and_patterns},
      {"option: paths are relative to the config", paths_are_relative_to_the_config},
      {"option: durations are exact or refused", durations_are_exact_or_refused},
      {"option: integers have limits", integers_have_limits},
      {"option: declarations are checked", declarations_are_checked}, {"option: values read back", values_read_back})
