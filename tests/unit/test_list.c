/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <run/list.h>

#include "suite.h"

static struct arena arena;

static struct list parsed(const char *text)
{
	struct causes causes = {0};
	struct list list;

	CU_ASSERT_EQUAL_FATAL(list_parse(&list, text, strlen(text), &arena, &causes), TAV_OK);
	return list;
}

static void lines_are_paths_with_or_without_bytes(void)
{
	struct list list = parsed("a.json\n12\tb c.json\r\n\n7 d.json\n\tt\n9\t\nlast");

	CU_ASSERT_EQUAL_FATAL(list.count, 6);
	CU_ASSERT_STRING_EQUAL(list.lines[0].path, "a.json");
	CU_ASSERT_EQUAL(list.lines[0].bytes, 0);
	CU_ASSERT_STRING_EQUAL(list.lines[1].path, "b c.json");
	CU_ASSERT_EQUAL(list.lines[1].bytes, 12);
	CU_ASSERT_STRING_EQUAL(list.lines[2].path, "7 d.json");
	CU_ASSERT_STRING_EQUAL(list.lines[3].path, "\tt");
	CU_ASSERT_STRING_EQUAL(list.lines[4].path, "9\t");
	CU_ASSERT_STRING_EQUAL(list.lines[5].path, "last");
	CU_ASSERT_EQUAL(parsed("").count, 0);
	arena_fini(&arena);
}

static void the_hash_is_of_the_lines(void)
{
	CU_ASSERT_EQUAL(parsed("a\nb\n").hash, parsed("a\r\n\nb").hash);
	CU_ASSERT_NOT_EQUAL(parsed("a\nb\n").hash, parsed("b\na\n").hash);
	CU_ASSERT_NOT_EQUAL(parsed("ab\n").hash, parsed("a\nb\n").hash);
	CU_ASSERT_NOT_EQUAL(parsed("5\ta\n").hash, parsed("6\ta\n").hash);
	arena_fini(&arena);
}

static void parts_are_balanced(void)
{
	struct list list = parsed("100\ta\n1\tb\n1\tc\n98\td\n50\te\n50\tf\n");
	uint32_t parts[6];
	uint64_t sums[4] = {0};

	CU_ASSERT_TRUE_FATAL(list_parts(&list, 3, parts));
	for (uint32_t i = 0; i < 6; i++)
		sums[parts[i]] += list.lines[i].bytes;
	for (uint32_t k = 1; k <= 3; k++)
		CU_ASSERT_EQUAL(sums[k], 100);
	CU_ASSERT_TRUE_FATAL(list_parts(&list, 1, parts));
	for (uint32_t i = 0; i < 6; i++)
		CU_ASSERT_EQUAL(parts[i], 1);
	arena_fini(&arena);
}

static void every_part_has_a_line(void)
{
	struct list list =
	        parsed("a\n9000000000000000000\tb\n9000000000000000000\tc\n9000000000000000000\td\ne\nf\ng\n");
	uint32_t parts[7];

	for (uint32_t n = 1; n <= 7; n++) {
		uint32_t counts[8] = {0};

		CU_ASSERT_TRUE_FATAL(list_parts(&list, n, parts));
		for (uint32_t i = 0; i < 7; i++) {
			CU_ASSERT_FATAL(parts[i] >= 1 && parts[i] <= n);
			counts[parts[i]]++;
		}
		for (uint32_t k = 1; k <= n; k++)
			CU_ASSERT(counts[k] >= 1);
	}
	arena_fini(&arena);
}

SUITE("list", {"list: lines are paths with or without bytes", lines_are_paths_with_or_without_bytes},
      {"list: the hash is of the lines", the_hash_is_of_the_lines}, {"list: parts are balanced", parts_are_balanced},
      {"list: every part has a line", every_part_has_a_line})
