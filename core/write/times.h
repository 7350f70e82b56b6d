/* SPDX-License-Identifier: Apache-2.0 */
/* Times as they stand in a trace: decimal microseconds. */
#ifndef WRITE_TIMES_H
#define WRITE_TIMES_H

#include <write/splice.h>

/*
 * A time moved by `ns`: `text` is a JSON number, or a string that holds one, and keeps its spelling where digits allow:
 * the digits behind the point, quotes. False: no memory; *is_time false: it is no number, nothing was appended.
 */
bool time_move(struct bytes *out, const char *text, size_t size, int64_t ns, bool *is_time);

#endif
