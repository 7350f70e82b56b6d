/* SPDX-License-Identifier: Apache-2.0 */
#include <strings.h>

#include <reader/decimal.h>

/* Far more than any text has digits, and far from overflow when a few are added. */
#define EXPONENT_LIMIT (INT64_C(1) << 61)
enum { MAX_WHOLE_DIGITS = 19 }; /* 10^19 fits in 64 bits */

__extension__ typedef __int128 wide;

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Reads "[+-]digits" up to `end`; too large ones stop at the limit. False: no digits, or more behind them. */
static bool parse_exponent(const char *p, const char *end, int64_t *exponent)
{
	bool is_negative = p < end && *p == '-';

	if (p < end && (*p == '-' || *p == '+'))
		p++;
	if (p == end)
		return false;
	int64_t value = 0;
	for (; p < end && is_digit(*p); p++) {
		if (value < EXPONENT_LIMIT / 10)
			value = value * 10 + (*p - '0');
		else
			value = EXPONENT_LIMIT;
	}
	*exponent = is_negative ? -value : value;
	return p == end;
}

static bool is_infinity(const char *text, size_t size)
{
	if (size && (*text == '-' || *text == '+')) {
		text++;
		size--;
	}
	return (size == 3 && !strncasecmp(text, "inf", 3)) || (size == 8 && !strncasecmp(text, "infinity", 8));
}

enum decimal_result decimal_parse(struct decimal *decimal, const char *text, size_t size)
{
	return decimal_parse_in(decimal, text, size, 3);
}

enum decimal_result decimal_parse_in(struct decimal *decimal, const char *text, size_t size, unsigned unit_exponent)
{
	const char *p = text, *end = text + size;
	bool is_negative = p < end && *p == '-';

	*decimal = (struct decimal){0};
	p += is_negative;
	const char *first = p, *point = NULL;
	while (p < end && is_digit(*p))
		p++;
	if (p == first || (*first == '0' && p - first > 1))
		return is_infinity(text, size) ? DECIMAL_INFINITE : DECIMAL_NOT_NUMBER;
	int64_t scale = unit_exponent; /* the digits, read as a whole number, times 10^scale are nanoseconds */
	if (p < end && *p == '.') {
		point = p++;
		while (p < end && is_digit(*p))
			p++;
		if (p == point + 1)
			return DECIMAL_NOT_NUMBER;
		scale -= p - point - 1;
	}
	const char *last = p;
	if (p < end) {
		int64_t exponent;

		if ((*p != 'e' && *p != 'E') || !parse_exponent(p + 1, end, &exponent))
			return DECIMAL_NOT_NUMBER;
		scale += exponent;
	}
	while (first < last && (*first == '0' || *first == '.'))
		first++;
	if (first == last)
		return DECIMAL_OK; /* zero, whatever its exponent */
	decimal->is_negative = is_negative;
	int64_t count = (int64_t)(last - first) - (point && point > first);
	if (count + scale > MAX_WHOLE_DIGITS)
		return DECIMAL_RANGE;
	int64_t whole_count = count + scale;
	for (int64_t i = 0; i < whole_count; i++) {
		if (first < last && *first == '.')
			first++;
		decimal->whole_ns = decimal->whole_ns * 10 + (first < last ? (uint64_t)(*first++ - '0') : 0);
	}
	if (first < last && *first == '.')
		first++;
	decimal->digits = first;
	decimal->digit_count = (size_t)(count - (whole_count < 0 ? 0 : whole_count < count ? whole_count : count));
	decimal->zero_count = whole_count < 0 ? (uint64_t)-whole_count : 0;
	return DECIMAL_OK;
}

/* Walks the digits of a fraction, the most significant first. */
struct walk {
	int sign;
	const char *digits;
	size_t digit_count;
	uint64_t zero_count;
};

static struct walk walk_of(const struct decimal *decimal)
{
	return (struct walk){decimal->is_negative ? -1 : 1, decimal->digits, decimal->digit_count,
	                     decimal->digit_count ? decimal->zero_count : 0};
}

static int next_digit(struct walk *walk)
{
	if (!walk->digit_count)
		return 0;
	if (walk->zero_count) {
		walk->zero_count--;
		return 0;
	}
	if (*walk->digits == '.')
		walk->digits++;
	walk->digit_count--;
	return walk->sign * (*walk->digits++ - '0');
}

/* Whether a + b, both fractions below 1 in size, reaches half_count halves (odd, from -3 to 3). */
static bool reaches(struct walk a, struct walk b, int half_count)
{
	/* The difference to the threshold so far, in units of the last digit taken; what follows is less than 2 of
	 * them. */
	int difference = -(half_count / 2);
	int threshold_digit = half_count % 2 * 5;

	while (a.digit_count || b.digit_count || threshold_digit) {
		if (!difference && !threshold_digit && (a.zero_count || !a.digit_count) &&
		    (b.zero_count || !b.digit_count)) { /* a run of zeros on both sides decides nothing: skip it */
			uint64_t skip = !a.digit_count                ? b.zero_count
			                : !b.digit_count              ? a.zero_count
			                : a.zero_count < b.zero_count ? a.zero_count
			                                              : b.zero_count;
			a.zero_count -= a.digit_count ? skip : 0;
			b.zero_count -= b.digit_count ? skip : 0;
		}
		difference = difference * 10 + next_digit(&a) + next_digit(&b) - threshold_digit;
		threshold_digit = 0;
		if (difference >= 2 || difference <= -2)
			break;
	}
	return difference >= 0;
}

static bool sum_rounded(wide whole, struct walk a, struct walk b, int64_t *ns)
{
	int carry = -2;

	for (int half_count = -3; half_count <= 3; half_count += 2)
		carry += reaches(a, b, half_count);
	wide sum = whole + carry;
	*ns = (int64_t)sum;
	return sum >= INT64_MIN && sum <= INT64_MAX;
}

static wide whole_of(const struct decimal *decimal)
{
	return decimal->is_negative ? -(wide)decimal->whole_ns : (wide)decimal->whole_ns;
}

bool decimal_add(const struct decimal *a, const struct decimal *b, int64_t *ns)
{
	return sum_rounded(whole_of(a) + whole_of(b), walk_of(a), walk_of(b), ns);
}

bool decimal_round(const struct decimal *a, int64_t *ns)
{
	struct decimal zero = {0};

	return decimal_add(a, &zero, ns);
}
