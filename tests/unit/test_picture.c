/* SPDX-License-Identifier: Apache-2.0 */
/* How bytes travel in a page, and what of paths is hidden; the picture itself is tried by tests/report/picture.py. */
#include <picture/encode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kit/text.h>
#include <report/anonymous.h>

#include "suite.h"

static struct json_out open_json(char *text, size_t size)
{
	return (struct json_out){.out = fmemopen(text, size, "w"), .is_compact = true};
}

static void numbers_take_few_bytes(void)
{
	struct arena arena = {0};
	struct bytes bytes = {0};
	static const unsigned char wanted[] = {0,    127,  0x80, 1,    0xff, 0x7f, 0xff, 0xff,
	                                       0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1};

	CU_ASSERT_TRUE_FATAL(bytes_reserve(&bytes, &arena, 5 * (size_t)VARINT_SIZE));
	bytes_varint(&bytes, 0);
	bytes_varint(&bytes, 127);
	bytes_varint(&bytes, 128);
	bytes_varint(&bytes, 16383);
	bytes_varint(&bytes, UINT64_MAX);
	CU_ASSERT_EQUAL(bytes.size, sizeof(wanted));
	CU_ASSERT_EQUAL(memcmp(bytes.data, wanted, sizeof(wanted)), 0);
	CU_ASSERT_FALSE(bytes_reserve(&bytes, &arena, SIZE_MAX - 16));
	arena_fini(&arena);
}

static void base64_ends_as_it_should(void)
{
	static const char *const cases[][2] = {{"", "\"\""},
	                                       {"f", "\"Zg==\""},
	                                       {"fo", "\"Zm8=\""},
	                                       {"foo", "\"Zm9v\""},
	                                       {"\xff\xfe\xfd\xfc", "\"//79/A==\""}};
	unsigned char much[3000] = {0};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned char data[8] = {0};
		char text[64] = "";
		struct bytes bytes = {data, strlen(cases[i][0]), sizeof(data)};
		struct json_out json = open_json(text, sizeof(text));

		memcpy(data, cases[i][0], bytes.size);
		CU_ASSERT_PTR_NOT_NULL_FATAL(json.out);
		emit_base64(&json, NULL, &bytes);
		fclose(json.out);
		CU_ASSERT_STRING_EQUAL(text, cases[i][1]);
	}
	char text[5000] = "";
	struct json_out json = open_json(text, sizeof(text));
	struct bytes bytes = {much, sizeof(much), sizeof(much)};
	CU_ASSERT_PTR_NOT_NULL_FATAL(json.out);
	emit_base64(&json, NULL, &bytes);
	fclose(json.out);
	CU_ASSERT_EQUAL(strlen(text), base64_size(sizeof(much)) + 2);
	CU_ASSERT_EQUAL(strspn(text + 1, "A"), 4000);
}

static void emit(char *text, size_t size, const uint64_t *all, const uint64_t *above, uint64_t count, uint64_t whole)
{
	struct arena arena = {0};
	struct json_out json = open_json(text, size);

	CU_ASSERT_PTR_NOT_NULL_FATAL(json.out);
	CU_ASSERT_TRUE(emit_bins(&json, NULL, &arena, all, above, count, whole));
	fclose(json.out);
	arena_fini(&arena);
}

static void no_work_looks_like_none(void)
{
	static const uint64_t all[] = {0, 1, 1000000, 0, 0, 500000, 10}, above[] = {0, 0, 999999, 0, 0, 500000, 0};
	static uint64_t many[600];
	char text[64];

	emit(text, sizeof(text), all, NULL, 7, 1000000); /* 0 0, 1, 255, 0 1, 128, 1 */
	CU_ASSERT_STRING_EQUAL(text, "\"AAAB/wABgAE=\"");
	emit(text, sizeof(text), all, above, 7, 1000000); /* 0 0, 1, 1, 0 2, 1 */
	CU_ASSERT_STRING_EQUAL(text, "\"AAABAQACAQ==\"");
	emit(text, sizeof(text), many, NULL, 600, 1);
	CU_ASSERT_STRING_EQUAL(text, "null");
	many[599] = INT64_MAX; /* 0 255, 0 255, 0 86, 255 */
	emit(text, sizeof(text), many, NULL, 600, INT64_MAX);
	CU_ASSERT_STRING_EQUAL(text, "\"AP8A/wBW/w==\"");
}

static void paths_show_their_last_two_parts(void)
{
	static const char *const cases[][2] = {
	        {"", ""},
	        {"no path", "no path"},
	        {"/", "/"},
	        {"/tmp/x.json", "/tmp/x.json"},
	        {"/home/jo/x.json", ".../jo/x.json"},
	        {"cannot read '/home/jo/a/x.json': gone", "cannot read '.../a/x.json': gone"},
	        {"/a/b/c and /d/e/f", ".../b/c and .../e/f"},
	        {"/home/jo doe/a/b", ".../a/b"},
	        {"/a/b/c/", ".../b/c/"},
	        {"~/deep/er/x", ".../er/x"},
	        {"C:\\Users\\jo\\x.json", "...\\jo\\x.json"},
	        {"https://host.example/a/b", "https:.../a/b"},
	        {"layer/0/attention/q", "layer/0/attention/q"},
	        {"1 / 2 / 3", "1 / 2 / 3"},
	        {"k<a/b/c>(/x/y/z.py:3)", "k<a/b/c>(.../y/z.py:3)"},
	        {"//", "//"},
	        {"/a//b///c", ".../b///c"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tav_text rest = text_of(cases[i][0]);
		char shown[128] = "";

		for (struct tav_text path; (path = path_to_hide(rest)).size;) {
			snprintf(shown + strlen(shown), sizeof(shown) - strlen(shown), "%.*s...",
			         (int)(path.data - rest.data), rest.data);
			rest.size -= (size_t)(path.data + path.size - rest.data);
			rest.data = path.data + path.size;
		}
		snprintf(shown + strlen(shown), sizeof(shown) - strlen(shown), "%.*s", TEXT_ARGS(rest));
		CU_ASSERT_STRING_EQUAL(shown, cases[i][1]);
		if (strcmp(shown, cases[i][1]) != 0)
			printf("\n%s: %s", cases[i][0], shown);
	}
	CU_ASSERT_STRING_EQUAL(path_base("a/b/c.json"), "c.json");
	CU_ASSERT_STRING_EQUAL(path_base("c.json"), "c.json");
	CU_ASSERT_STRING_EQUAL(path_base("a/b/"), "b/");
	CU_ASSERT_STRING_EQUAL(path_base("-"), "-");
}

SUITE("picture", {"picture: numbers take few bytes", numbers_take_few_bytes},
      {"picture: base64 ends as it should", base64_ends_as_it_should},
      {"picture: no work looks like none", no_work_looks_like_none},
      {"picture: paths show their last two parts", paths_show_their_last_two_parts})
