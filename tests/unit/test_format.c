/* SPDX-License-Identifier: Apache-2.0 */
#include <kit/format.h>
#include <tav/plugin.h>

#include "suite.h"

static void durations_have_four_digits(void)
{
	static const struct {
		int64_t ns;
		const char *text;
	} cases[] = {{0, "0 ns"},
	             {1, "1 ns"},
	             {-1, "-1 ns"},
	             {999, "999 ns"},
	             {1000, "1.000 us"},
	             {9999, "9.999 us"},
	             {12345, "12.35 us"},
	             {99994, "99.99 us"},
	             {99995, "100.0 us"},
	             {999949, "999.9 us"},
	             {999950, "1.000 ms"},
	             {1234567, "1.235 ms"},
	             {999999999, "1.000 s"},
	             {1234567890123, "1,235 s"},
	             {INT64_MAX, "9,223,372,037 s"},
	             {INT64_MIN, "-9,223,372,037 s"}};
	char out[FORMAT_SIZE];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CU_ASSERT_STRING_EQUAL(format_duration(out, cases[i].ns), cases[i].text);
}

static void exact_durations_keep_every_digit(void)
{
	char out[FORMAT_SIZE];

	CU_ASSERT_STRING_EQUAL(format_duration_exact(out, 1), "1 ns");
	CU_ASSERT_STRING_EQUAL(format_duration_exact(out, 5000), "5 us");
	CU_ASSERT_STRING_EQUAL(format_duration_exact(out, 10001), "10.001 us");
	CU_ASSERT_STRING_EQUAL(format_duration_exact(out, 1234500), "1.2345 ms");
	CU_ASSERT_STRING_EQUAL(format_duration_exact(out, UINT64_MAX), "18446744073.709551615 s");
	CU_ASSERT_STRING_EQUAL(format_microseconds(out, 1753999142997011120), "1753999142997011.12 us");
	CU_ASSERT_STRING_EQUAL(format_microseconds(out, -1), "-0.001 us");
	CU_ASSERT_STRING_EQUAL(format_microseconds(out, INT64_MIN), "-9223372036854775.808 us");
}

static void counts_and_bytes_are_grouped(void)
{
	char out[FORMAT_SIZE];

	CU_ASSERT_STRING_EQUAL(format_count(out, 999), "999");
	CU_ASSERT_STRING_EQUAL(format_count(out, -1234), "-1,234");
	CU_ASSERT_STRING_EQUAL(format_size(out, UINT64_MAX), "18,446,744,073,709,551,615");
	CU_ASSERT_STRING_EQUAL(format_bytes(out, 999), "999 bytes");
	CU_ASSERT_STRING_EQUAL(format_bytes(out, 1), "1 byte");
	CU_ASSERT_STRING_EQUAL(format_bytes(out, 1000), "1.0 kB");
	CU_ASSERT_STRING_EQUAL(format_bytes(out, 999949), "999.9 kB");
	CU_ASSERT_STRING_EQUAL(format_bytes(out, 999950), "1.0 MB");
	CU_ASSERT_STRING_EQUAL(format_bytes(out, 385200000), "385.2 MB");
	CU_ASSERT_STRING_EQUAL(format_bytes(out, UINT64_MAX), "18.4 EB");
}

static void reals_are_never_shown_as_zero(void)
{
	char out[FORMAT_SIZE];

	CU_ASSERT_STRING_EQUAL(format_real(out, 0.4, TAV_UNIT_NS), "0.400 ns");
	CU_ASSERT_STRING_EQUAL(format_real(out, 12345.6, TAV_UNIT_NS), "12.35 us");
	CU_ASSERT_STRING_EQUAL(format_real(out, 1e300, TAV_UNIT_NS), "1e+291 s");
	CU_ASSERT_STRING_EQUAL(format_real(out, 0.25, TAV_UNIT_RATIO), "25.00 %");
	CU_ASSERT_STRING_EQUAL(format_real(out, 0.0001, TAV_UNIT_PERCENT), "<0.01 %");
	CU_ASSERT_STRING_EQUAL(format_real(out, -0.0001, TAV_UNIT_PERCENT), ">-0.01 %");
	CU_ASSERT_STRING_EQUAL(format_real(out, 100, TAV_UNIT_PERCENT), "100.00 %");
	CU_ASSERT_STRING_EQUAL(format_real(out, 1e-9, TAV_UNIT_NONE), "1.0e-09");
	CU_ASSERT_STRING_EQUAL(format_real(out, 0, TAV_UNIT_NONE), "0.000");
	CU_ASSERT_STRING_EQUAL(format_double(out, 0.1), "0.1");
	CU_ASSERT_STRING_EQUAL(format_double(out, 3), "3.0");
	CU_ASSERT_STRING_EQUAL(format_double(out, 1.0 / 3), "0.3333333333333333");
	CU_ASSERT_STRING_EQUAL(format_double(out, 1e300), "1e+300");
	CU_ASSERT_STRING_EQUAL(format_integer(out, -5, TAV_UNIT_BYTES), "-5");
	CU_ASSERT_STRING_EQUAL(format_integer(out, 1234, TAV_UNIT_COUNT), "1,234");
	CU_ASSERT_STRING_EQUAL(format_integer(out, 1234, TAV_UNIT_NONE), "1234");
	CU_ASSERT_STRING_EQUAL(format_integer(out, 1234, TAV_UNIT_NS), "1.234 us");
}

SUITE("format", {"format: durations have four digits", durations_have_four_digits},
      {"format: exact durations keep every digit", exact_durations_keep_every_digit},
      {"format: counts and bytes are grouped", counts_and_bytes_are_grouped},
      {"format: reals are never shown as zero", reals_are_never_shown_as_zero})
