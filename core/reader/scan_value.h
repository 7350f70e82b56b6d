/* SPDX-License-Identifier: Apache-2.0 */
/* Strings, numbers and whole values. Each function takes a place and returns the one behind, or NULL (scan->result). */
#ifndef READER_SCAN_VALUE_H
#define READER_SCAN_VALUE_H

#include <reader/scan.h>
#include <reader/simd.h>

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

static inline const char *skip_blank(const char *p)
{
	while (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r')
		p++;
	return p;
}

static inline bool is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

static bool is_hex(char c)
{
	return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

/* The bytes of the escape at p, 2 or 6; 0: it is none. */
static unsigned escape_length(const char *p)
{
	switch (p[1]) {
	case '"':
	case '\\':
	case '/':
	case 'b':
	case 'f':
	case 'n':
	case 'r':
	case 't':
		return 2;
	case 'u':
		return is_hex(p[2]) && is_hex(p[3]) && is_hex(p[4]) && is_hex(p[5]) ? 6 : 0;
	default:
		return 0;
	}
}

/* A string with escapes, other than ASCII, or faults: `p` behind its quote, `q` at the first special byte. */
__attribute__((noinline)) static const char *string_slow(struct scan *scan, const char *p, const char *q, uint32_t high,
                                                         bool *is_escaped)
{
	while (*q != '"') {
		if (*q == '\\') {
			unsigned length = escape_length(q);

			if (!length) {
				if (!scan->is_lenient)
					return scan_bad_escape(scan, q);
				if (q + 6 > scan->view.end && !scan->view.is_last) { /* its digits may still come */
					scan->result = SCAN_MORE;
					return NULL;
				}
				scan_pend(scan, PENDING_ESCAPE, q);
				length = 1;
			}
			*is_escaped = true;
			q += length;
		} else {
			if (q >= scan->view.end || !scan->is_lenient)
				return scan_control(scan, q);
			scan_pend(scan, PENDING_CONTROL, q);
			q++;
		}
		q = find_special(q, &high);
	}
	if (high)
		scan_check_utf8(scan, p, (size_t)(q - p));
	return q;
}

/* From behind the opening quote to the closing one. */
static inline const char *string_end(struct scan *scan, const char *p, bool *is_escaped)
{
	uint32_t high = 0;
	const char *q = find_special(p, &high);

	*is_escaped = false;
	if (LIKELY(*q == '"' && !high))
		return q;
	return string_slow(scan, p, q, high, is_escaped);
}

__attribute__((noinline)) static const char *number_slow(struct scan *scan, const char *p)
{
	const char *q = p + (*p == '-');
	unsigned count = count_digits(q);

	if (UNLIKELY(!count))
		return scan_stop(scan, q, "a digit of a number");
	if (UNLIKELY(*q == '0' && count > 1))
		return scan_fail(scan, p, "a number cannot start with a zero and a digit in JSON");
	q += count;
	if (*q == '.') {
		count = count_digits(++q);
		if (UNLIKELY(!count))
			return scan_stop(scan, q, "a digit behind the point of a number");
		q += count;
	}
	if (UNLIKELY((*q | 0x20) == 'e')) {
		q++;
		q += *q == '+' || *q == '-';
		count = count_digits(q);
		if (!count)
			return scan_stop(scan, q, "a digit of an exponent");
		q += count;
	}
	if (q >= scan->view.end && !scan->view.is_last) { /* more of it may come */
		scan->result = SCAN_MORE;
		return NULL;
	}
	return q;
}

/* Whether `count` digits at p are a whole number of JSON, with what mostly follows one behind them. */
static inline bool ends_number(const char *p, unsigned count)
{
	/* One look, since which of them it is cannot be foreseen. */
	static const bool is_end[256] = {
	        [','] = true, ['\n'] = true, ['}'] = true, [']'] = true, [' '] = true, ['\r'] = true};

	return is_end[(unsigned char)p[count]] & ((*p != '0') | (count == 1)) & (count > 0);
}

/* From a digit or a minus to behind the number. */
static inline const char *number_end(struct scan *scan, const char *p)
{
	unsigned count = count_digits(p);

	return LIKELY(ends_number(p, count)) ? p + count : number_slow(scan, p);
}

/* A value that starts with neither a quote, a digit nor a bracket. */
static const char *word_end(struct scan *scan, const char *p, enum value_kind *kind)
{
	if (!strncmp(p, "true", 4)) {
		*kind = VALUE_TRUE;
		return p + 4;
	}
	if (!strncmp(p, "false", 5)) {
		*kind = VALUE_FALSE;
		return p + 5;
	}
	if (!strncmp(p, "null", 4)) {
		*kind = VALUE_NULL;
		return p + 4;
	}
	const char *end = scan->is_lenient ? scan_not_a_number(p) : NULL;
	if (!end)
		return scan_value_expected(scan, p);
	if (scan->view.end - p <= (ptrdiff_t)sizeof("-infinity") && !scan->view.is_last) { /* "inf" may become that */
		scan->result = SCAN_MORE;
		return NULL;
	}
	scan_pend(scan, PENDING_NOT_A_NUMBER, p);
	*kind = VALUE_ABSENT;
	return end;
}

static const char *scalar_end(struct scan *scan, const char *p, enum value_kind *kind)
{
	bool is_escaped;

	if (*p == '"') {
		*kind = VALUE_STRING;
		p = string_end(scan, p + 1, &is_escaped);
		return p ? p + 1 : NULL;
	}
	if (is_digit(*p) || (*p == '-' && !(scan->is_lenient && scan_not_a_number(p)))) {
		*kind = VALUE_NUMBER;
		if (*p == '-' && !is_digit(p[1]) && p + 1 < scan->view.end)
			return scan_value_expected(scan, p);
		return number_end(scan, p);
	}
	return word_end(scan, p, kind);
}

/* Objects and arrays that nobody reads: their syntax is checked, nothing more. `p` at the bracket. */
static const char *container_end(struct scan *scan, const char *p)
{
	uint64_t is_object[(SCAN_MAX_DEPTH + 63) / 64];
	unsigned base, depth = 0;
	enum value_kind kind;
	bool in_object, is_escaped;

	scan_settle(scan);
	base = scan->level + (scan->has_top ? 2 : 1);
open:
	if (base + depth >= SCAN_MAX_DEPTH)
		return scan_fail(scan, p, "more than %d levels of brackets within each other: refused", SCAN_MAX_DEPTH);
	in_object = *p == '{';
	if (in_object)
		is_object[depth / 64] |= UINT64_C(1) << depth % 64;
	else
		is_object[depth / 64] &= ~(UINT64_C(1) << depth % 64);
	depth++;
	p = skip_blank(p + 1);
	if (*p == (in_object ? '}' : ']'))
		goto close;
	if (!in_object)
		goto value;
key:
	if (*p != '"')
		return scan_stop(scan, p, "a key in double quotes");
	p = string_end(scan, p + 1, &is_escaped);
	if (!p)
		return NULL;
	p = skip_blank(p + 1);
	if (*p != ':')
		return scan_stop(scan, p, "':' behind a key");
	p = skip_blank(p + 1);
value:
	if (*p == '{' || *p == '[')
		goto open;
	if (LIKELY(*p == '"')) {
		p = string_end(scan, p + 1, &is_escaped);
		if (p)
			p++;
	} else {
		p = is_digit(*p) ? number_end(scan, p) : scalar_end(scan, p, &kind);
	}
	if (!p)
		return NULL;
after:
	if (*p != ',')
		p = skip_blank(p);
	if (*p == ',') {
		const char *comma = p;

		p++;
		if (*p == ' ')
			p++;
		if (*p <= ' ')
			p = skip_blank(p);
		if (*p == (in_object ? '}' : ']')) {
			if (!scan->is_lenient)
				return scan_fail(scan, comma, "trailing comma before '%c'", *p);
			scan_pend(scan, PENDING_TRAILING_COMMA, comma);
			goto close;
		}
		if (in_object)
			goto key;
		goto value;
	}
	if (*p != (in_object ? '}' : ']'))
		return scan_stop(scan, p, in_object ? "',' or '}' behind a value" : "',' or ']' behind a value");
close:
	p++;
	depth--;
	if (!depth)
		return p;
	in_object = is_object[(depth - 1) / 64] >> (depth - 1) % 64 & 1;
	goto after;
}

/* Reads any value; strings are decoded. */
__attribute__((noinline)) static const char *read_value(struct scan *scan, const char *p, struct value *value)
{
	const char *end;
	bool is_escaped;

	value->raw = p;
	value->text = p;
	if (*p == '"') {
		value->kind = VALUE_STRING;
		end = string_end(scan, p + 1, &is_escaped);
		if (!end)
			return NULL;
		value->raw_size = (size_t)(end + 1 - p);
		value->text = p + 1;
		value->text_size = (size_t)(end - p - 1);
		if (is_escaped && !scan_decode(scan, value->text, value->text_size, &value->text, &value->text_size))
			return scan_no_memory(scan);
		return end + 1;
	}
	if (*p == '{' || *p == '[') {
		value->kind = *p == '{' ? VALUE_OBJECT : VALUE_ARRAY;
		end = container_end(scan, p);
	} else {
		end = scalar_end(scan, p, &value->kind);
	}
	if (end)
		value->raw_size = value->text_size = (size_t)(end - p);
	return end;
}

/* A key and its colon, up to the value. */
static const char *read_key(struct scan *scan, const char *p, const char **text, size_t *size)
{
	bool is_escaped;

	if (*p != '"')
		return scan_stop(scan, p, "a key in double quotes");
	scan->key = p + 1;
	scan->key_size = 0;
	const char *end = string_end(scan, p + 1, &is_escaped);
	if (!end)
		return NULL;
	scan->key_size = *size = (size_t)(end - p - 1);
	*text = p + 1;
	if (is_escaped && !scan_decode(scan, p + 1, *size, text, size))
		return scan_no_memory(scan);
	p = skip_blank(end + 1);
	if (*p != ':')
		return scan_stop(scan, p, "':' behind a key");
	return skip_blank(p + 1);
}

/* One to three digits behind the point, as thousandths. */
static inline unsigned parse_fraction(const char *p, unsigned count)
{
	unsigned value = (unsigned)(p[0] - '0') * 100;

	if (count > 1)
		value += (unsigned)(p[1] - '0') * 10;
	return count > 2 ? value + (unsigned)(p[2] - '0') : value;
}

/* A ts or dur that is a plain number: nanoseconds at once where they are whole and small, else its text. */
static inline const char *read_time(struct scan *scan, const char *p, struct time_value *time)
{
	const char *q = p + (*p == '-');
	unsigned count = count_digits(q), fraction = 0;

	if (LIKELY(count && count <= 16 && (*q != '0' || count == 1))) {
		uint64_t ns;
		if (__builtin_mul_overflow(parse_digits(q, count), scan->time_unit, &ns))
			ns = UINT64_MAX;
		const char *end = q + count;

		if (*end == '.') {
			fraction = count_digits(++end);
			if (fraction && fraction <= 3 && scan->time_unit == 1000 && ns <= INT64_MAX)
				ns += parse_fraction(end, fraction);
			else
				ns = UINT64_MAX;
			end += fraction;
		}
		if (LIKELY((*end | 0x20) != 'e' && ns <= INT64_MAX)) {
			time->ns = *p == '-' ? -(int64_t)ns : (int64_t)ns;
			time->state = TIME_SIMPLE;
			return end;
		}
	}
	const char *end = number_end(scan, p);
	if (end) {
		time->state = TIME_TEXT;
		time->text = p;
		time->size = (size_t)(end - p);
	}
	return end;
}

#endif
