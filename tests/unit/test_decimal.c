/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <reader/decimal.h>

#include "suite.h"

static bool rounds_to(const char *text, int64_t wanted)
{
	struct decimal decimal;
	int64_t ns;
	bool is_right = decimal_parse(&decimal, text, strlen(text)) == DECIMAL_OK && decimal_round(&decimal, &ns) &&
	                ns == wanted;

	if (!is_right)
		printf("  %s is not %" PRId64 "\n", text, wanted);
	return is_right;
}

static bool adds_to(const char *a, const char *b, int64_t wanted)
{
	struct decimal left, right;
	int64_t ns;
	bool is_right = decimal_parse(&left, a, strlen(a)) == DECIMAL_OK &&
	                decimal_parse(&right, b, strlen(b)) == DECIMAL_OK && decimal_add(&left, &right, &ns) &&
	                ns == wanted;

	if (!is_right)
		printf("  %s + %s is not %" PRId64 "\n", a, b, wanted);
	return is_right;
}

static enum decimal_result parse(const char *text)
{
	struct decimal decimal;

	return decimal_parse(&decimal, text, strlen(text));
}

static void reads_numbers(void)
{
	CU_ASSERT(rounds_to("0", 0));
	CU_ASSERT(rounds_to("-0.000", 0));
	CU_ASSERT(rounds_to("1", 1000));
	CU_ASSERT(rounds_to("1753999142997000.700", 1753999142997000700));
	CU_ASSERT(rounds_to("9223372036854775.807", INT64_MAX));
	CU_ASSERT(rounds_to("-9223372036854775.808", INT64_MIN));
	CU_ASSERT(rounds_to("1.5e3", 1500000));
	CU_ASSERT(rounds_to("15.1E+2", 1510000));
	CU_ASSERT(rounds_to("1514999e-3", 1514999));
	CU_ASSERT(rounds_to("-20.5", -20500));
	CU_ASSERT(rounds_to("0.00000000000000000000000000001e30", 10000));
	CU_ASSERT(rounds_to("123456789012345678901234567890e-20", 1234567890123));
	CU_ASSERT(rounds_to("0e99999999999999999999999999", 0));
	CU_ASSERT(rounds_to("1e-99999999999999999999999999", 0));
	CU_ASSERT(rounds_to("-1e-99999999999999999999999999", 0));
}

static void rounds_half_up(void)
{
	CU_ASSERT(rounds_to("0.0004999999999999999999999", 0));
	CU_ASSERT(rounds_to("0.0005", 1));
	CU_ASSERT(rounds_to("0.0014999", 1));
	CU_ASSERT(rounds_to("0.0015", 2));
	CU_ASSERT(rounds_to("-0.0005", 0));
	CU_ASSERT(rounds_to("-0.00050000000000000000000001", -1));
	CU_ASSERT(rounds_to("-0.0015", -1));
	CU_ASSERT(rounds_to("5e-4", 1));
	CU_ASSERT(rounds_to("4e-4", 0));
	CU_ASSERT(rounds_to("99e-5", 1));
}

static void adds_before_it_rounds(void)
{
	CU_ASSERT(adds_to("0.0004", "0.0004", 1));
	CU_ASSERT(adds_to("0.0002", "0.0002", 0));
	CU_ASSERT(adds_to("0.0009", "0.0009", 2));
	CU_ASSERT(adds_to("1753999142997000.700", "10.400", 1753999142997011100));
	CU_ASSERT(adds_to("-0.0004", "0.0009", 1));
	CU_ASSERT(adds_to("-0.0009", "0.0003", -1));
	CU_ASSERT(adds_to("-0.0008", "0.0003", 0));
	CU_ASSERT(adds_to("0.000333333333333333333333333", "0.000166666666666666666666667", 1));
	CU_ASSERT(adds_to("0.000333333333333333333333333", "0.000166666666666666666666666", 0));
	CU_ASSERT(adds_to("0.0005", "1e-500000", 1));
	CU_ASSERT(adds_to("0.0005", "-1e-500000", 0));
	CU_ASSERT(adds_to("1e-500000", "-1e-500001", 0));
	CU_ASSERT(adds_to("0.0015", "-1e-99999999999999999", 1));
}

static void refuses_what_is_no_time(void)
{
	static const char *const no_numbers[] = {"",    "-",    "+1",  "01",    "1.", ".5",     "1e",
	                                         "1e+", "1.e3", "0x7", " 1",    "1 ", "1,5",    "nan",
	                                         "NaN", "true", "--1", "1e5.5", "1-", "infinit"};

	for (size_t i = 0; i < sizeof(no_numbers) / sizeof(no_numbers[0]); i++)
		CU_ASSERT_EQUAL(parse(no_numbers[i]), DECIMAL_NOT_NUMBER);
	CU_ASSERT_EQUAL(parse("Infinity"), DECIMAL_INFINITE);
	CU_ASSERT_EQUAL(parse("-inf"), DECIMAL_INFINITE);
	CU_ASSERT_EQUAL(parse("1e400"), DECIMAL_RANGE);
	CU_ASSERT_EQUAL(parse("-1e99999999999999999999"), DECIMAL_RANGE);
	CU_ASSERT_EQUAL(parse("100000000000000000000"), DECIMAL_RANGE);
	struct decimal most, one;
	int64_t ns;
	CU_ASSERT_EQUAL(decimal_parse(&most, "9223372036854775.807", 20), DECIMAL_OK);
	CU_ASSERT_EQUAL(decimal_parse(&one, "0.0004", 6), DECIMAL_OK);
	CU_ASSERT_TRUE(decimal_add(&most, &one, &ns) && ns == INT64_MAX);
	CU_ASSERT_EQUAL(decimal_parse(&one, "0.0005", 6), DECIMAL_OK);
	CU_ASSERT_FALSE(decimal_add(&most, &one, &ns));
}

/* Against plain integers: numbers of thousandths of a nanosecond, written in several ways. */
static void agrees_with_integers(void)
{
	uint64_t state = 12345;

	for (unsigned round = 0; round < 200000; round++) {
		int64_t parts[2], sum = 0;
		char text[2][64];
		struct decimal decimal[2];

		for (unsigned i = 0; i < 2; i++) {
			state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
			parts[i] = (int64_t)(state >> 33) % (round % 2 ? 100000 : 5000) * (state >> 20 & 1 ? 1 : -1);
			sum += parts[i];
			if (state >> 21 & 1)
				snprintf(text[i], sizeof(text[i]), "%" PRId64 "e-6", parts[i]);
			else
				snprintf(text[i], sizeof(text[i]), "%s%lld.%06lld", parts[i] < 0 ? "-" : "",
				         llabs(parts[i]) / 1000000, llabs(parts[i]) % 1000000);
			CU_ASSERT_EQUAL_FATAL(decimal_parse(&decimal[i], text[i], strlen(text[i])), DECIMAL_OK);
		}
		int64_t ns, shifted = sum + 500, wanted = shifted / 1000 - (shifted % 1000 < 0);
		CU_ASSERT_TRUE_FATAL(decimal_add(&decimal[0], &decimal[1], &ns));
		if (ns != wanted)
			printf("  %s + %s: %" PRId64 " is not %" PRId64 "\n", text[0], text[1], ns, wanted);
		CU_ASSERT_EQUAL_FATAL(ns, wanted);
	}
}

SUITE("decimal", {"decimal: reads numbers of any form and size", reads_numbers},
      {"decimal: rounds half up", rounds_half_up}, {"decimal: adds before it rounds", adds_before_it_rounds},
      {"decimal: refuses what is no time", refuses_what_is_no_time},
      {"decimal: agrees with integers", agrees_with_integers})
