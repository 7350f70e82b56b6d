/* SPDX-License-Identifier: Apache-2.0 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <kit/arena.h>
#include <kit/cause.h>
#include <kit/intern.h>
#include <kit/pages.h>
#include <kit/parallel.h>
#include <kit/table.h>
#include <kit/text.h>

#include "suite.h"

static void arena_keeps_zeroed_blocks(void)
{
	struct arena arena = {0};

	for (size_t size = 0; size < 100000; size = size * 3 + 1) {
		unsigned char *bytes = arena_alloc(&arena, size);

		CU_ASSERT_PTR_NOT_NULL_FATAL(bytes);
		for (size_t i = 0; i < size; i++)
			CU_ASSERT_FATAL(bytes[i] == 0);
		memset(bytes, 0xff, size);
	}
	CU_ASSERT_PTR_NULL(arena_array(&arena, SIZE_MAX / 2, 3));
	CU_ASSERT_STRING_EQUAL(arena_printf(&arena, "%d-%s", 7, "x"), "7-x");
	arena_fini(&arena);
}

static void intern_numbers_texts_in_order(void)
{
	struct intern intern;
	char text[32];

	CU_ASSERT_FATAL(intern_init(&intern));
	CU_ASSERT_EQUAL(intern_add(&intern, "", 0), 0);
	for (unsigned round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 50000; i++) {
			int size = snprintf(text, sizeof(text), "name_%u", i);

			CU_ASSERT_FATAL(intern_add(&intern, text, (size_t)size) == i + 1);
		}
	}
	CU_ASSERT_EQUAL(intern_add(&intern, "a\0b", 3), 50001);
	CU_ASSERT_EQUAL(intern_find(&intern, "a\0c", 3), INTERN_FAILED);
	CU_ASSERT_TRUE(text_equals(intern_kept(&intern, 50001), (struct tav_text){"a\0b", 3}));
	intern_fini(&intern);
}

static void tables_find_what_they_hold(void)
{
	struct arena arena = {0};
	struct table table = {0};
	enum { COUNT = 5000 };

	CU_ASSERT_EQUAL(table_first(&table, 7), TABLE_END);
	/* every hash twice, and hashes that fall into the same slot */
	for (uint32_t i = 0; i < COUNT; i++)
		CU_ASSERT_TRUE(table_add(&table, &arena, (uint64_t)(i / 2) << 32 | i / 2 % 3, i));
	for (uint32_t i = 0; i < COUNT; i++) {
		uint64_t hash = (uint64_t)(i / 2) << 32 | i / 2 % 3;
		unsigned found = 0, all = 0;

		for (uint32_t at = table_first(&table, hash); at != TABLE_END; at = table_next(&table, hash, at)) {
			found += table.slots[at].number == i;
			all++;
		}
		CU_ASSERT_EQUAL(found, 1);
		CU_ASSERT_EQUAL(all, 2);
	}
	CU_ASSERT_EQUAL(table_first(&table, UINT64_MAX), TABLE_END);
	CU_ASSERT_EQUAL(table_hash("abc", 3), table_hash("abcd", 3));
	CU_ASSERT_NOT_EQUAL(table_hash("abc", 3), table_hash("abd", 3));
	arena_fini(&arena);
}

static void pages_grow_and_keep(void)
{
	struct pages pages = {0};

	for (size_t i = 0; i < 100000; i++) {
		CU_ASSERT_FATAL(pages_reserve(&pages, (i + 1) * sizeof(size_t)));
		((size_t *)pages.data)[i] = i;
	}
	for (size_t i = 0; i < 100000; i++)
		CU_ASSERT_FATAL(((size_t *)pages.data)[i] == i);
	CU_ASSERT_TRUE(pages_trim(&pages, 10));
	CU_ASSERT_TRUE(pages_seal(&pages));
	CU_ASSERT_FALSE(pages_reserve(&pages, SIZE_MAX));
	pages_free(&pages);
}

static tav_status count_task(void *user, uint32_t i)
{
	atomic_fetch_add((_Atomic uint32_t *)user, i);
	return i == 77 ? TAV_FAILED : TAV_OK;
}

static void parallel_runs_each_task_once(void)
{
	_Atomic uint32_t sum = 0;

	CU_ASSERT_EQUAL(parallel_run(4, 77, count_task, &sum), TAV_OK);
	CU_ASSERT_EQUAL(sum, 76 * 77 / 2);
	CU_ASSERT_EQUAL(parallel_run(4, 78, count_task, &sum), TAV_FAILED);
	CU_ASSERT_EQUAL(parallel_run(1, 78, count_task, &sum), TAV_FAILED);
}

static void text_is_safe_on_a_terminal(void)
{
	char out[64];

	text_escape(out, sizeof(out), (struct tav_text){"a\x1b[31m\n\xff\xe2\x80\xae\xc3\xa9", 13});
	CU_ASSERT_STRING_EQUAL(out, "a\\x1b[31m\\n\\xff\\u202e\xc3\xa9");
	CU_ASSERT_EQUAL(text_escape(out, 4, text_of("ab\n")), 4);
	CU_ASSERT_STRING_EQUAL(out, "ab");
	CU_ASSERT_EQUAL(utf8_count_bad("\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80", 9), 9);
	CU_ASSERT_EQUAL(utf8_count_bad("\xf0\x9f\x98\x80\xc3", 5), 1);
}

static void nearest_finds_slips(void)
{
	const char *const names[] = {"strict", "tolerance_ns", "max_instances", NULL};

	CU_ASSERT_STRING_EQUAL(text_nearest("stirct", names), "strict");
	CU_ASSERT_STRING_EQUAL(text_nearest("max_instance", names), "max_instances");
	CU_ASSERT_PTR_NULL(text_nearest("colour", names));
}

static void causes_print_outermost_first(void)
{
	struct causes causes = {0};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	CU_ASSERT_EQUAL(cause_add(&causes, "no %s", "bread"), TAV_FAILED);
	cause_add_at(&causes, "a.c", 3, "no\nbreakfast");
	causes_print(out, &causes, "tav-run", 1);
	fclose(out);
	CU_ASSERT_STRING_EQUAL(text, "tav-run: error: no\\nbreakfast [a.c:3]\n  because: no bread\n");
	free(text);
	causes_clear(&causes);
}

SUITE("base", {"arena: keeps zeroed blocks", arena_keeps_zeroed_blocks},
      {"intern: numbers texts in their order", intern_numbers_texts_in_order},
      {"table: finds what it holds", tables_find_what_they_hold},
      {"pages: grow and keep their bytes", pages_grow_and_keep},
      {"parallel: runs each task once", parallel_runs_each_task_once},
      {"text: is safe on a terminal", text_is_safe_on_a_terminal}, {"text: finds slips", nearest_finds_slips},
      {"cause: prints the outermost first", causes_print_outermost_first})
