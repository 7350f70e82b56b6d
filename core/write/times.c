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
	for (; at < size && isdigit((unsigned char)text[at]) && decimal->count < MOST_DIGITS - 40; at++)
		decimal->digits[decimal->count++] = (char)(text[at] - '0');
	decimal->whole = decimal->count;
	if (at == first)
		return false;
	if (at < size && text[at] == '.') {
		for (at++; at < size && isdigit((unsigned char)text[at]) && decimal->count < MOST_DIGITS - 40; at++)
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

bool time_move(struct bytes *out, const char *text, size_t size, int64_t ns, bool *is_time)
{
	struct decimal old, by, sum;
	char move[32], result[MOST_DIGITS + 8];
	bool is_text = size >= 2 && *text == '"';
	size_t at = 0;

	*is_time = parse(&old, text + is_text, size - 2u * is_text);
	if (!*is_time)
		return true;
	int behind = old.count - old.whole;
	snprintf(move, sizeof(move), "%llde-3", (long long)ns);
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
	if (is_text)
		result[at++] = '"';
	if (sum.is_negative && !is_zero)
		result[at++] = '-';
	for (int i = first; i < end; i++) {
		if (i == sum.whole)
			result[at++] = '.';
		result[at++] = (char)('0' + sum.digits[i]);
	}
	if (is_text)
		result[at++] = '"';
	return bytes_add(out, result, at);
}
