/* SPDX-License-Identifier: Apache-2.0 */
/* Inflates gzip: any number of members, each with its checksum and length checked. */
#ifndef READER_GZIP_H
#define READER_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gzip;

/* Fills `buffer` with compressed bytes; 0 at the end, negative when it cannot be read. */
typedef int64_t (*gzip_source)(void *user, uint8_t *buffer, size_t capacity);

struct gzip *gzip_open(gzip_source source, void *user); /* NULL: no memory */
/* Inflates up to `capacity` bytes; 0 at the end, negative: gzip_message() says why (NULL: the source failed). */
int64_t gzip_read(struct gzip *gzip, char *buffer, size_t capacity);
const char *gzip_message(const struct gzip *gzip);
bool gzip_is_truncated(const struct gzip *gzip);
void gzip_close(struct gzip *gzip);

#endif
