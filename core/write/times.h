/* SPDX-License-Identifier: Apache-2.0 */
/* Times as they stand in a trace: decimal numbers of a unit that is 10^digits ns; 3 digits: microseconds. */
#ifndef WRITE_TIMES_H
#define WRITE_TIMES_H

#include <write/splice.h>

enum { TIME_SIZE = 448 };
unsigned time_digits(uint64_t unit_ns); /* 1: 0, 1000: 3; 0, not known: 3 */
/*
 * A time moved by `ns`: `text` is a JSON number, or a string that holds one, and keeps its spelling where digits allow:
 * the digits behind the point, quotes. Returns the size of what it wrote to `out`; 0: it is no number.
 */
size_t time_move(char out[TIME_SIZE], const char *text, size_t size, int64_t ns, unsigned digits);

#endif
