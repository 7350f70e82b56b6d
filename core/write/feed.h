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
/* TAV_FAILED: the file has changed while it was read. */
tav_status feed_check(const struct feed *feed, struct causes *causes);
uint64_t feed_offset(const struct feed *feed);
size_t feed_at_hand(const struct feed *feed); /* bytes that the next feed_peek() shows without reading */
/* Some bytes from here on, not yet taken; *size 0 at the end. */
tav_status feed_peek(struct feed *feed, const char **data, size_t *size, struct causes *causes);
void feed_take(struct feed *feed, size_t size); /* at most what was shown */
tav_status feed_skip_to(struct feed *feed, uint64_t offset, struct causes *causes);
/* The size of the object or array that begins here, if all of it is at hand (where feed_peek() showed it); else 0. */
size_t feed_whole(const struct feed *feed);
/* The whole of it, into `value`, and taken. */
tav_status feed_value(struct feed *feed, struct bytes *value, struct causes *causes);
void feed_close(struct feed *feed);

#endif
