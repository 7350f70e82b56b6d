/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact times from decimal text. A number of microseconds is kept as whole nanoseconds and the digits behind them, so
 * that two of them add up without loss; any exponent costs no more than the digits that are written.
 */
#ifndef READER_DECIMAL_H
#define READER_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct decimal {          /* sign * (whole_ns + 0.000...digits) */
	bool is_negative; /* false for zero */
	uint64_t whole_ns;
	const char *digits;  /* of the fraction of a nanosecond; may hold the point, which is skipped; not owned */
	size_t digit_count;  /* the point not counted */
	uint64_t zero_count; /* between the nanosecond's point and the first of `digits` */
};

enum decimal_result { DECIMAL_OK = 0, DECIMAL_NOT_NUMBER, DECIMAL_INFINITE, DECIMAL_RANGE };

/* Reads a number in the form of JSON, in microseconds. RANGE: 2^64 ns or more; also then `is_negative` is set. */
enum decimal_result decimal_parse(struct decimal *decimal, const char *text, size_t size);
/* The same in units of 10^exponent ns. */
enum decimal_result decimal_parse_in(struct decimal *decimal, const char *text, size_t size, unsigned exponent);
/* a + b, rounded half up to nanoseconds. False: it leaves int64. */
bool decimal_add(const struct decimal *a, const struct decimal *b, int64_t *ns);
/* The same for one. */
bool decimal_round(const struct decimal *a, int64_t *ns);

#endif
