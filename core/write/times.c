/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <write/times.h>

enum { MOST_DIGITS = 400 };

struct decimal { /* digits with the point behind `whole` of them */
	char digits[MOST_DIGITS];
	int count, whole;
	bool is_negative;
};

/* Digits of a number as JSON writes it; the exponent moves the point. False: not one, or longer than any time. */
static bool parse(struct decimal *decimal, const char *text, size_t size)
{
	size_t at = 0;
	long exponent = 0;

	*decimal = (struct decimal){.count = 0};
	if (at < size && (text[at] == '-' || text[at] == '+'))
		decimal->is_negative = text[at++] == '-';
	size_t first = at;
	for (; at < size && isdigit((unsigned char)text[at]) && decimal->count < MOST_DIGITS - 80; at++)
		decimal->digits[decimal->count++] = (char)(text[at] - '0');
	decimal->whole = decimal->count;
	if (at == first)
		return false;
	if (at < size && text[at] == '.') {
		for (at++; at < size && isdigit((unsigned char)text[at]) && decimal->count < MOST_DIGITS - 80; at++)
			decimal->digits[decimal->count++] = (char)(text[at] - '0');
	}
	if (at < size && (text[at] == 'e' || text[at] == 'E')) {
		char *end;
		char exponent_text[16] = {0};

		if (size - at - 1 >= sizeof(exponent_text))
			return false;
		memcpy(exponent_text, text + at + 1, size - at - 1);
		exponent = strtol(exponent_text, &end, 10);
		if (*end || end == exponent_text || exponent > 30 || exponent < -30)
			return false;
		at = size;
	}
	if (at != size)
		return false;
	for (; exponent > 0; exponent--) {
		if (decimal->whole == decimal->count)
			decimal->digits[decimal->count++] = 0;
		decimal->whole++;
	}
	for (; exponent < 0; exponent++) {
		if (!decimal->whole) {
			memmove(decimal->digits + 1, decimal->digits, (size_t)decimal->count);
			decimal->digits[0] = 0;
			decimal->count++;
		} else {
			decimal->whole--;
		}
	}
	return decimal->count > 0;
}

/* Both with as many digits before and behind the point. */
static void align(struct decimal *a, struct decimal *b)
{
	struct decimal *shorter = a->whole < b->whole ? a : b, *longer = shorter == a ? b : a;
	int more = longer->whole - shorter->whole;

	memmove(shorter->digits + more, shorter->digits, (size_t)shorter->count);
	memset(shorter->digits, 0, (size_t)more);
	shorter->count += more;
	shorter->whole += more;
	while (a->count < b->count)
		a->digits[a->count++] = 0;
	while (b->count < a->count)
		b->digits[b->count++] = 0;
}

static void add(struct decimal *sum, struct decimal *a, struct decimal *b)
{
	align(a, b);
	if (a->is_negative != b->is_negative && memcmp(a->digits, b->digits, (size_t)a->count) < 0) {
		struct decimal *smaller = a;

		a = b;
		b = smaller;
	}
	bool is_sum = a->is_negative == b->is_negative;
	int carry = 0;
	*sum = (struct decimal){.count = a->count + 1, .whole = a->whole + 1, .is_negative = a->is_negative};
	for (int i = a->count; i-- > 0;) {
		int digit = is_sum ? a->digits[i] + b->digits[i] + carry : a->digits[i] - b->digits[i] - carry;

		carry = is_sum ? digit > 9 : digit < 0;
		sum->digits[i + 1] = (char)(is_sum ? digit % 10 : (digit + 10) % 10);
	}
	sum->digits[0] = (char)(is_sum ? carry : 0);
}

unsigned time_digits(uint64_t unit_ns)
{
	unsigned digits = 0;

	for (; unit_ns >= 10; unit_ns /= 10)
		digits++;
	return unit_ns ? digits : 3;
}

static size_t move_any(char *out, const char *text, size_t size, int64_t ns, unsigned digits)
{
	struct decimal old, by, sum;
	char move[32];
	size_t at = 0;

	if (!parse(&old, text, size))
		return 0;
	int behind = old.count - old.whole;
	snprintf(move, sizeof(move), "%llde-%u", (long long)ns, digits);
	parse(&by, move, strlen(move));
	add(&sum, &old, &by);
	/* As many digits behind the point as it had; more only where the move needs them. */
	int end = sum.count;
	while (end - sum.whole > behind && end > sum.whole && !sum.digits[end - 1])
		end--;
	int first = 0;
	while (first < sum.whole - 1 && !sum.digits[first])
		first++;
	bool is_zero = true;
	for (int i = first; i < end; i++)
		is_zero &= !sum.digits[i];
	if (sum.is_negative && !is_zero)
		out[at++] = '-';
	for (int i = first; i < end; i++) {
		if (i == sum.whole)
			out[at++] = '.';
		out[at++] = (char)('0' + sum.digits[i]);
	}
	return at;
}

static size_t put_digits(char *out, uint64_t number, unsigned least)
{
	char digits[20];
	unsigned count = 0;

	for (; number || count < least; number /= 10)
		digits[count++] = (char)('0' + number % 10);
	for (unsigned i = 0; i < count; i++)
		out[i] = digits[count - 1 - i];
	return count;
}

/* The way of nearly all: no sign, no exponent, and the sum is a whole number of ns. 0: not of that kind. */
static size_t move_plain(char *out, const char *text, size_t size, int64_t ns, unsigned digits)
{
	uint64_t whole = 0, scale = 1, sum;
	unsigned fraction = 0;
	size_t at = 0, used;

	for (; at < size && text[at] >= '0' && text[at] <= '9'; at++)
		whole = whole * 10 + (uint64_t)(text[at] - '0');
	if (!at || at + digits > 19 || (at < size && text[at] != '.'))
		return 0;
	size_t point = at, behind = at < size ? size - at - 1 : 0;
	if ((at < size && !behind) || behind > 40)
		return 0;
	for (at++; at < size; at++) {
		if (text[at] < '0' || text[at] > '9')
			return 0;
		if (fraction < digits) {
			whole = whole * 10 + (uint64_t)(text[at] - '0');
			fraction++;
		}
	}
	for (; fraction < digits; fraction++)
		whole *= 10;
	for (unsigned i = 0; i < digits; i++)
		scale *= 10;
	if (__builtin_add_overflow(whole, (uint64_t)ns, &sum) != (ns < 0) || sum > INT64_MAX)
		return 0;
	used = put_digits(out, sum / scale, 1);
	out[used] = '.';
	size_t rest = put_digits(out + used + 1, sum % scale, digits);
	if (behind > digits) { /* what lies beyond the ns stays as it was */
		memcpy(out + used + 1 + rest, text + point + 1 + digits, behind - digits);
		return used + 1 + behind;
	}
	while (rest > behind && out[used + rest] == '0')
		rest--;
	return used + (rest ? rest + 1 : 0);
}

size_t time_move(char out[TIME_SIZE], const char *text, size_t size, int64_t ns, unsigned digits)
{
	bool is_text = size >= 2 && *text == '"';
	char *begin = out + is_text;

	text += is_text;
	size -= 2u * is_text;
	size_t used = move_plain(begin, text, size, ns, digits);
	if (!used)
		used = move_any(begin, text, size, ns, digits);
	if (!used || !is_text)
		return used;
	out[0] = begin[used] = '"';
	return used + 2;
}
