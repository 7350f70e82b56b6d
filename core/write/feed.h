/* SPDX-License-Identifier: Apache-2.0 */
/* The inflated bytes of an input once more, from front to back; what is passed over costs nothing in a plain file. */
#ifndef WRITE_FEED_H
#define WRITE_FEED_H

#include <signal.h>
#include <write/splice.h>

#include <kit/cause.h>

struct feed;

/* TAV_FAILED: `causes`. The file must be as it was when it was read first. */
tav_status feed_open(struct feed **feed, const char *path, uint64_t mtime_ns, uint64_t file_bytes,
                     const volatile sig_atomic_t *cancelled, struct causes *causes);
uint64_t feed_offset(const struct feed *feed);
/* Some bytes from here on, not yet taken; *size 0 at the end. */
tav_status feed_peek(struct feed *feed, const char **data, size_t *size, struct causes *causes);
void feed_take(struct feed *feed, size_t size); /* at most what was shown */
tav_status feed_skip_to(struct feed *feed, uint64_t offset, struct causes *causes);
/* The whole JSON value that begins here, into `value`, and taken. */
tav_status feed_value(struct feed *feed, struct bytes *value, struct causes *causes);
void feed_close(struct feed *feed);

#endif
