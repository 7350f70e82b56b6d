/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <option/yaml.h>

#include "suite.h"

struct parsed {
	struct arena arena;
	struct diags diags;
	struct diag_text text;
	struct node *root;
};

static struct parsed *parse(const char *yaml)
{
	struct parsed *parsed = calloc(1, sizeof(*parsed));

	parsed->text = (struct diag_text){"t.yaml", yaml, strlen(yaml), false};
	parsed->root = yaml_parse(&parsed->text, &parsed->arena, &parsed->diags);
	return parsed;
}

static void parsed_free(struct parsed *parsed)
{
	arena_fini(&parsed->arena);
	diags_fini(&parsed->diags);
	free(parsed);
}

/* The whole output for a text that is to be refused. */
static char *complaint(const char *yaml)
{
	struct parsed *parsed = parse(yaml);
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	CU_ASSERT_TRUE(diags_failed(&parsed->diags));
	diags_print(out, &parsed->diags, false);
	fclose(out);
	parsed_free(parsed);
	return text;
}

static void refused(const char *yaml, const char *start)
{
	char *text = complaint(yaml);

	if (strncmp(text, start, strlen(start)))
		fprintf(stderr, "wanted: %s\n   got: %s\n", start, text);
	CU_ASSERT_NSTRING_EQUAL(text, start, strlen(start));
	free(text);
}

static void nodes_know_their_place(void)
{
	struct parsed *parsed = parse("version: 1\nlist:\n  - \"a b\"\n  - {k: [v, w]}\n");
	const struct node *list = node_get(parsed->root, "list");

	CU_ASSERT_PTR_NOT_NULL_FATAL(list);
	CU_ASSERT_EQUAL(list->count, 2);
	CU_ASSERT_EQUAL(list->items[0]->place.line, 3);
	CU_ASSERT_EQUAL(list->items[0]->place.column, 5);
	CU_ASSERT_EQUAL(list->items[0]->place.width, 5);
	CU_ASSERT_STRING_EQUAL(list->items[0]->text, "a b");
	CU_ASSERT_FALSE(list->items[0]->is_plain);
	const struct node *flow = node_get(list->items[1], "k");
	CU_ASSERT_EQUAL_FATAL(flow->count, 2);
	CU_ASSERT_STRING_EQUAL(flow->items[1]->text, "w");
	CU_ASSERT_EQUAL(flow->items[1]->place.column, 13);
	CU_ASSERT_PTR_NULL(node_get(parsed->root, "lost"));
	parsed_free(parsed);
}

static void aliases_work(void)
{
	struct parsed *parsed = parse("a: &x [1, 2]\nb: *x\nc: *x\n");

	CU_ASSERT_PTR_NOT_NULL_FATAL(parsed->root);
	CU_ASSERT_PTR_EQUAL(node_get(parsed->root, "b"), node_get(parsed->root, "c"));
	CU_ASSERT_EQUAL(node_get(parsed->root, "c")->count, 2);
	parsed_free(parsed);
	refused("a: *x\n", "t.yaml:1:4: error: the alias '*x' has no anchor '&x' before it\n    1 | a: *x\n"
	                   "      |    ^~\ntav-run: 1 error in t.yaml; nothing was read\n");
	refused("a: &x [*x]\n", "t.yaml:1:8: error: the alias '*x' stands inside its own anchor\n");
}

static void bombs_are_refused(void)
{
	char yaml[4096] = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";

	for (int i = 1; i < 9; i++) {
		char line[128];

		snprintf(line, sizeof(line), "a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n", i, i,
		         i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
		strcat(yaml, line);
	}
	char *text = complaint(yaml);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "more than 20000 values, with every alias written out"));
	free(text);

	char deep[400] = "";
	memset(deep, '[', 70);
	memset(deep + 70, ']', 70);
	refused(deep, "t.yaml:1:65: error: nested deeper than 64 levels\n");
	memset(deep, '[', 64);
	strcpy(deep + 64, "x]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]");
	struct parsed *parsed = parse(deep);
	CU_ASSERT_TRUE(diags_failed(&parsed->diags)); /* 64 lists and the value: 65 levels */
	parsed_free(parsed);
}

static void depth_counts_aliases(void)
{
	char yaml[8192] = "a0: &a0 [x]\n";

	for (int i = 1; i < 70; i++) {
		char line[64];

		snprintf(line, sizeof(line), "a%d: &a%d [*a%d]\n", i, i, i - 1);
		strcat(yaml, line);
	}
	char *text = complaint(yaml);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "nested deeper than 64 levels"));
	free(text);
}

static void mistakes_are_named(void)
{
	refused("a: 1\nb: 2\na: 3\n",
	        "t.yaml:3:1: error: the key 'a' stands here for the second time; the first is in line 1\n");
	refused("a: !!str 1\n", "t.yaml:1:4: error: the tag 'tag:yaml.org,2002:str' is not supported");
	refused("a: &x {b: 1}\nc:\n  <<: *x\n",
	        "t.yaml:3:3: error: the merge key '<<' is not supported; write the keys out\n");
	refused("a: 1\n\tb: 2\n",
	        "t.yaml:2:1: error: a tab in the indentation; YAML allows only blanks there\n    2 | \\tb: 2\n");
	refused("a: 1\n---\nb: 2\n", "t.yaml:2:1: error: a second document; a config is one document\n");
	refused("# only this\n", "t.yaml: error: nothing but blanks and comments\n");
	refused("", "t.yaml: error: nothing but blanks and comments\n");
	refused("? [a]\n: 1\n", "t.yaml:1:3: error: a list cannot be a key\n");
	refused("a: [1, 2\n", "t.yaml:2:1: error: ");
	refused("ok: 1\nb: \xff\n",
	        "t.yaml:2:4: error: invalid leading UTF-8 octet (byte 0xff); a config is UTF-8 text\n");
	refused("\xff\xfe"
	        "a",
	        "t.yaml: error: UTF-16 text; a config is UTF-8\n");
	refused("a: \"\\0\"\n", "t.yaml:1:4: error: a NUL character cannot be part of a value\n");
}

static void columns_are_characters(void)
{
	/* two letters of two bytes before the value: the caret stands under it all the same */
	char *text = complaint("\xc3\xa9\xc3\xa9: *x\n");

	CU_ASSERT_STRING_EQUAL(text, "t.yaml:1:5: error: the alias '*x' has no anchor '&x' before it\n"
	                             "    1 | \xc3\xa9\xc3\xa9: *x\n      |     ^~\n"
	                             "tav-run: 1 error in t.yaml; nothing was read\n");
	free(text);
}

static void diags_stand_in_order(void)
{
	struct diags diags = {0};
	struct diag_text text = {"f", "abc\ndef\n", 8, false}, argument = {"--set a.b=c", "", 0, true};
	char *printed = NULL;
	size_t size = 0;

	diag_error(&diags, (struct place){&text, 2, 2, 2}, "second");
	diag_error(&diags, (struct place){&argument, 0, 0, 0}, "third");
	diag_error(&diags, (struct place){&text, 1, 1, 1}, "first");
	diag_warning(&diags, (struct place){&text, 2, 1, 1}, "between");
	CU_ASSERT_EQUAL(diags.error_count, 3);
	FILE *out = open_memstream(&printed, &size);
	diags_print(out, &diags, false);
	fclose(out);
	CU_ASSERT_STRING_EQUAL(printed, "f:1:1: error: first\n    1 | abc\n      | ^\n"
	                                "f:2:1: warning: between\n    2 | def\n      | ^\n"
	                                "f:2:2: error: second\n    2 | def\n      |  ^~\n"
	                                "--set a.b=c: error: third\ntav-run: 3 errors; nothing was read\n");
	free(printed);
	diags_fini(&diags);
}

SUITE("yaml", {"yaml: nodes know their place", nodes_know_their_place}, {"yaml: aliases work", aliases_work},
      {"yaml: bombs are refused", bombs_are_refused}, {"yaml: depth counts aliases", depth_counts_aliases},
      {"yaml: mistakes are named", mistakes_are_named}, {"yaml: columns are characters", columns_are_characters},
      {"diag: all stand in order", diags_stand_in_order})
