/* SPDX-License-Identifier: Apache-2.0 */
/* Compressions that a trace may come in. A new one is a file with a struct codec, and its line in input.c. */
#ifndef READER_CODEC_H
#define READER_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fills `buffer` with compressed bytes; 0 at the end, negative when it cannot be read. */
typedef int64_t (*codec_source)(void *user, uint8_t *buffer, size_t capacity);

struct codec {
	const char *magic; /* the first bytes of such a file */
	size_t magic_size;
	void *(*open)(codec_source source, void *user); /* NULL: no memory */
	/* Up to `capacity` bytes as they were before; 0 at the end, negative: message() says why (NULL: the source
	 * failed). */
	int64_t (*read)(void *state, char *buffer, size_t capacity);
	const char *(*message)(const void *state);
	bool (*is_truncated)(const void *state); /* the data ended too early */
	void (*close)(void *state);
};

extern const struct codec codec_gzip; /* any number of members, each with its checksum and length checked */

#endif
