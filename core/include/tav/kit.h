/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tav/kit.h - helpers that are compiled into whoever includes them: the host and its plugins, and yours. Nothing here
 * crosses the border between host and plugin, so all of it may change with any release.
 */
#ifndef TAV_KIT_H
#define TAV_KIT_H

#include <errno.h>
#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <tav/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The order of two texts by their bytes, a shorter one before those that it begins: negative, 0 or positive. */
static inline int tav_text_compare(struct tav_text a, struct tav_text b)
{
	size_t size = a.size < b.size ? a.size : b.size;
	int order = size ? memcmp(a.data, b.data, size) : 0;

	return order ? order : (a.size > b.size) - (a.size < b.size);
}

static inline int tav_text_is(struct tav_text text, const char *other)
{
	return text.size == strlen(other) && (!text.size || !memcmp(text.data, other, text.size));
}

static inline struct tav_text tav_text_of(const char *chars)
{
	struct tav_text text = {chars, strlen(chars)};

	return text;
}

/* a + b, at most INT64_MAX (of times and counts, which are not negative). */
static inline int64_t tav_sum(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* The first bit from `i` on that is set, bit i % 64 of word i / 64; limit: none is. `bits` NULL: none. */
static inline uint64_t tav_bit_next(const uint64_t *bits, uint64_t i, uint64_t limit)
{
	while (bits && i < limit) {
		uint64_t rest = bits[i / 64] >> i % 64;

		i += rest ? (uint64_t)__builtin_ctzll(rest) : 64 - i % 64;
		if (rest)
			return i < limit ? i : limit;
	}
	return limit;
}
#define TAV_FOR_BITS(i, bits, limit)                                                                                   \
	for (uint64_t i = tav_bit_next(bits, 0, limit); i < (limit); i = tav_bit_next(bits, i + 1, limit))

/* A sentence put together piece by piece in `out`, cut where its room ends. */
struct tav_sentence {
	char *out;
	size_t size, used;
};
__attribute__((format(printf, 2, 3))) static inline void tav_say(struct tav_sentence *say, const char *format, ...)
{
	va_list args;
	int n;

	if (say->used >= say->size)
		return;
	va_start(args, format);
	n = vsnprintf(say->out + say->used, say->size - say->used, format, args);
	va_end(args);
	if (n > 0)
		say->used += (size_t)n;
}

/*
 * Whether `row` is among ascending rows. `*at` (0 at first) becomes its place, or that of the next one; the search
 * begins there, so that asking for one row after the other is quick.
 */
static inline int tav_rows_find(const tav_row *rows, uint64_t count, uint64_t *at, tav_row row)
{
	uint64_t low = *at < count ? *at : count, high = low, step = 1;

	if (low < count && rows[low] < row) { /* ahead: in steps that grow */
		for (low++; low + step < count && rows[low + step] < row; step *= 2)
			low += step;
		high = low + step < count ? low + step : count;
	} else if (low && rows[low - 1] >= row) {
		low = 0;
	}
	while (low < high) { /* the first that is not before it */
		uint64_t middle = low + (high - low) / 2;

		if (rows[middle] < row)
			low = middle + 1;
		else
			high = middle;
	}
	*at = low;
	return low < count && rows[low] == row;
}

enum { TAV_COUNTED_SIZE = 64 };
/* "1 device event", "22,290 device events", as the report writes its own numbers; `noun` "": the number alone. */
static inline const char *tav_counted(char out[TAV_COUNTED_SIZE], uint64_t count, const char *noun)
{
	char digits[24];
	int size = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)count), used = 0;

	for (int i = 0; i < size; i++) {
		if (i && (size - i) % 3 == 0)
			out[used++] = ',';
		out[used++] = digits[i];
	}
	snprintf(out + used, TAV_COUNTED_SIZE - (size_t)used, "%s%s%s", *noun ? " " : "", noun,
	         *noun && count != 1 ? "s" : "");
	return out;
}

/* 1 device event overlaps, 2 device events overlap: "s" where one does it. */
static inline const char *tav_does(uint64_t count)
{
	return count == 1 ? "s" : "";
}

enum { TAV_DURATION_SIZE = 48 };
/* Four digits, as the report writes its own times: "17 ns", "1.235 ms", "12,345 s". */
static inline const char *tav_duration(char out[TAV_DURATION_SIZE], int64_t ns)
{
	static const char *const names[] = {"us", "ms", "s"};
	const char *sign = ns < 0 ? "-" : "";
	uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns, step = 1;

	if (size < 1000) {
		snprintf(out, TAV_DURATION_SIZE, "%s%llu ns", sign, (unsigned long long)size);
		return out;
	}
	for (int unit = 0; unit < 3; unit++, step *= 1000) {
		uint64_t part = step, scale = 1000;

		/* Rounding may carry into a fifth digit: then one decimal less, or the next unit. */
		for (int decimals = 3; decimals > 0; decimals--, part *= 10, scale /= 10) {
			uint64_t parts = size / part + (size % part >= part - part / 2);

			if (parts < 10000) {
				snprintf(out, TAV_DURATION_SIZE, "%s%llu.%0*llu %s", sign,
				         (unsigned long long)(parts / scale), decimals,
				         (unsigned long long)(parts % scale), names[unit]);
				return out;
			}
		}
	}
	char count[TAV_COUNTED_SIZE];

	step = UINT64_C(1000000000);
	snprintf(out, TAV_DURATION_SIZE, "%s%.30s s", sign,
	         tav_counted(count, size / step + (size % step >= step / 2), ""));
	return out;
}

enum { TAV_SHARE_SIZE = 32 };
/* "23.9 %"; what is not 0 is never shown as 0, nor as 100 what is not all. */
static inline const char *tav_share(char out[TAV_SHARE_SIZE], uint64_t part, uint64_t whole)
{
	double share = whole ? 100 * ((double)part / (double)whole) : 0;

	if (part && share < 0.05)
		snprintf(out, TAV_SHARE_SIZE, "below 0.1 %%");
	else if (part < whole && share >= 99.95)
		snprintf(out, TAV_SHARE_SIZE, "above 99.9 %%");
	else
		snprintf(out, TAV_SHARE_SIZE, "%.1f %%", share);
	return out;
}

/* printf for fail() and the like: formatted here, in the plugin, so that no va_list crosses the boundary. */
__attribute__((format(printf, 4, 5))) static inline tav_status tav_fail_at(struct tav_self *self, const char *file,
                                                                           uint32_t line, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return self->host->fail(self, file, line, text);
}
#define tav_fail(self, ...) tav_fail_at(self, __FILE__, __LINE__, __VA_ARGS__)

/* Does the pattern match? Where there is no memory to tell, fail() has been called: the call fails. */
static inline int tav_matches(struct tav_self *self, const regex_t *pattern, const char *text)
{
	errno = 0;
	int error = regexec(pattern, text, 0, NULL, 0);

	/* Some libraries say that nothing matches where they had no memory. */
	if ((error && error != REG_NOMATCH) || errno == ENOMEM)
		tav_fail(self, "out of memory: matching a pattern");
	return !error;
}

/* A check with a formatted reason: `count` violations among `examined` things. */
__attribute__((format(printf, 7, 8))) static inline tav_status tav_tell(struct tav_self *self, uint32_t source,
                                                                        const char *id, uint32_t result, uint64_t count,
                                                                        uint64_t examined, const char *format, ...)
{
	struct tav_check check;
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	memset(&check, 0, sizeof(check));
	check.struct_size = sizeof(check);
	check.source = source;
	check.id = id;
	check.result = result;
	check.why = text;
	check.count = count;
	check.examined = examined;
	return self->host->check(self, &check);
}

/* `flags`: TAV_METRIC_... */
static inline tav_status tav_measure_as(struct tav_self *self, uint32_t source, const char *id, int64_t value,
                                        uint32_t unit, uint32_t better, uint32_t flags)
{
	struct tav_metric metric;

	memset(&metric, 0, sizeof(metric));
	metric.struct_size = sizeof(metric);
	metric.source = source;
	metric.id = id;
	metric.value = value;
	metric.unit = unit;
	metric.better = better;
	metric.flags = flags;
	return self->host->metric(self, &metric);
}

static inline tav_status tav_measure(struct tav_self *self, uint32_t source, const char *id, int64_t value,
                                     uint32_t unit, uint32_t better)
{
	return tav_measure_as(self, source, id, value, unit, better, 0);
}

static inline tav_status tav_ratio(struct tav_self *self, uint32_t source, const char *id, double value, uint32_t unit)
{
	struct tav_metric metric;

	memset(&metric, 0, sizeof(metric));
	metric.struct_size = sizeof(metric);
	metric.source = source;
	metric.id = id;
	metric.type = TAV_TYPE_REAL;
	metric.real = value;
	metric.unit = unit;
	return self->host->metric(self, &metric);
}

__attribute__((format(printf, 3, 4))) static inline tav_status tav_headline(struct tav_self *self, uint32_t source,
                                                                            const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return self->host->headline(self, source, text);
}

#ifdef __cplusplus
}
#endif
#endif
