/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that travel in JSON: varints, folded bins, base64. */
#ifndef PICTURE_ENCODE_H
#define PICTURE_ENCODE_H

#include <kit/arena.h>
#include <report/json_out.h>

struct bytes { /* grows; in an arena */
	unsigned char *data;
	size_t size, capacity;
};
bool bytes_reserve(struct bytes *bytes, struct arena *arena, size_t more); /* false: no memory */
/* Seven bits a byte, the lowest first; the highest bit says that more follow. There must be room for VARINT_SIZE. */
enum { VARINT_SIZE = 10 };
void bytes_varint(struct bytes *bytes, uint64_t value);
static inline size_t base64_size(size_t size)
{
	return (size + 2) / 3 * 4;
}
void emit_base64(struct json_out *json, const char *key, const struct bytes *bytes);
/*
 * The share of each bin that is covered, `all - above` (which may be NULL) of `whole`, in 255ths and rounded up, so
 * that no work looks like none. A byte 0 is followed by the number of zeros behind it. Of bins that are all empty:
 * null. False: no memory.
 */
bool emit_bins(struct json_out *json, const char *key, struct arena *arena, const uint64_t *all, const uint64_t *above,
               uint64_t count, uint64_t whole);

#endif
