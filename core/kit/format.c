/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kit/format.h>
#include <tav/kit.h>

static const struct {
	uint64_t ns;
	const char *name;
} time_units[] = {{1, "ns"}, {1000, "us"}, {1000000, "ms"}, {1000000000, "s"}};
enum { LARGEST_UNIT = 3 };

static uint64_t magnitude(int64_t value)
{
	return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

static char *group(char out[FORMAT_SIZE], bool is_negative, uint64_t count)
{
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, count);
	char *end = out;

	if (is_negative)
		*end++ = '-';
	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			*end++ = ',';
		*end++ = digits[i];
	}
	*end = '\0';
	return out;
}

char *format_count(char out[FORMAT_SIZE], int64_t count)
{
	return group(out, count < 0, magnitude(count));
}

char *format_size(char out[FORMAT_SIZE], uint64_t count)
{
	return group(out, false, count);
}

char *format_duration(char out[FORMAT_SIZE], int64_t ns)
{
	_Static_assert((int)FORMAT_SIZE >= (int)TAV_DURATION_SIZE, "room for a duration");
	tav_duration(out, ns);
	return out;
}

/* `size` in units of `unit` = 10^decimals, without the zeros at the end of the fraction. */
static char *exact(char out[FORMAT_SIZE], bool is_negative, uint64_t size, uint64_t unit, int decimals,
                   const char *name)
{
	uint64_t fraction = size % unit;
	const char *sign = is_negative ? "-" : "";

	for (; decimals && fraction % 10 == 0; decimals--)
		fraction /= 10;
	if (decimals)
		snprintf(out, FORMAT_SIZE, "%s%" PRIu64 ".%0*" PRIu64 " %s", sign, size / unit, decimals, fraction,
		         name);
	else
		snprintf(out, FORMAT_SIZE, "%s%" PRIu64 " %s", sign, size / unit, name);
	return out;
}

char *format_duration_exact(char out[FORMAT_SIZE], uint64_t ns)
{
	unsigned unit = 0;

	while (unit < LARGEST_UNIT && ns >= time_units[unit + 1].ns)
		unit++;
	return exact(out, false, ns, time_units[unit].ns, (int)unit * 3, time_units[unit].name);
}

char *format_microseconds(char out[FORMAT_SIZE], int64_t ns)
{
	return exact(out, ns < 0, magnitude(ns), 1000, 3, "us");
}

char *format_bytes(char out[FORMAT_SIZE], uint64_t bytes)
{
	static const char *const names[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
	uint64_t unit = 1000;
	unsigned i = 0;

	if (bytes < 1000) {
		snprintf(out, FORMAT_SIZE, "%" PRIu64 " byte%s", bytes, bytes == 1 ? "" : "s");
		return out;
	}
	while (i + 1 < sizeof(names) / sizeof(names[0]) && bytes / unit >= 1000) {
		unit *= 1000;
		i++;
	}
	uint64_t tenth = unit / 10;
	uint64_t tenths = bytes / tenth + (bytes % tenth >= tenth / 2);
	if (tenths >= 10000 && i + 1 < sizeof(names) / sizeof(names[0])) {
		tenths /= 1000;
		i++;
	}
	snprintf(out, FORMAT_SIZE, "%" PRIu64 ".%" PRIu64 " %s", tenths / 10, tenths % 10, names[i]);
	return out;
}

char *format_double(char out[FORMAT_SIZE], double value)
{
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(out, FORMAT_SIZE, "%.*g", digits, value);
		if (strtod(out, NULL) == value)
			break;
	}
	if (!strpbrk(out, ".e")) /* stays a real for those who read it back */
		strcat(out, ".0");
	return out;
}

static char *decimal(char out[FORMAT_SIZE], double value, const char *suffix)
{
	double size = fabs(value);

	if (size != 0 && size < 0.001)
		snprintf(out, FORMAT_SIZE, "%.1e%s", value, suffix);
	else if (size < 1e15)
		snprintf(out, FORMAT_SIZE, "%.*f%s", size < 10 ? 3 : size < 100 ? 2 : 1, value, suffix);
	else
		snprintf(out, FORMAT_SIZE, "%.4g%s", value, suffix);
	return out;
}

char *format_real(char out[FORMAT_SIZE], double value, uint32_t unit)
{
	switch (unit) {
	case TAV_UNIT_NS:
		if (fabs(value) < 1000)
			return decimal(out, value, " ns");
		if (fabs(value) < 9.2e18)
			return format_duration(out, (int64_t)(value < 0 ? value - 0.5 : value + 0.5));
		return decimal(out, value / 1e9, " s");
	case TAV_UNIT_BYTES:
		if (value >= 0 && value < 1.8e19)
			return format_bytes(out, (uint64_t)value);
		return decimal(out, value, " bytes");
	case TAV_UNIT_RATIO:
		return format_real(out, value * 100, TAV_UNIT_PERCENT);
	case TAV_UNIT_PERCENT: {
		double size = fabs(value);

		if (size != 0 && size < 0.005) /* little is not nothing, and no more is worth a word */
			snprintf(out, FORMAT_SIZE, value < 0 ? ">-0.01 %%" : "<0.01 %%");
		else
			snprintf(out, FORMAT_SIZE, size < 1e15 ? "%.2f %%" : "%.4g %%", value);
		return out;
	}
	default:
		return decimal(out, value, "");
	}
}

char *format_integer(char out[FORMAT_SIZE], int64_t value, uint32_t unit)
{
	switch (unit) {
	case TAV_UNIT_NS:
		return format_duration(out, value);
	case TAV_UNIT_BYTES:
		if (value >= 0)
			return format_bytes(out, (uint64_t)value);
		return format_count(out, value);
	case TAV_UNIT_PERCENT:
		snprintf(out, FORMAT_SIZE, "%" PRId64 " %%", value);
		return out;
	case TAV_UNIT_COUNT:
		return format_count(out, value);
	default: /* an id, a place in a file: as it is written there */
		snprintf(out, FORMAT_SIZE, "%" PRId64, value);
		return out;
	}
}
