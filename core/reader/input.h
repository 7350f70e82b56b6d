/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of a trace as a row of blocks, read (and inflated) ahead in a thread of its own. A block has room before
 * its bytes, for what was left over of the block before it, and zeros behind them, where the scanner stops.
 */
#ifndef READER_INPUT_H
#define READER_INPUT_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { INPUT_HEADROOM = 64 << 10, INPUT_PADDING = 128 };

struct block {
	char *data; /* INPUT_HEADROOM bytes before it may be overwritten */
	size_t size;
	uint64_t newline_count;
};

struct input;

enum input_result { INPUT_OK = 0, INPUT_FAILED, INPUT_NO_MEMORY, INPUT_CANCELLED };

/*
 * Opens a file, or standard input when path is "-". `bytes_done` counts what was read of the file. Whatever the result,
 * input_close() is due, also of NULL.
 */
enum input_result input_open(struct input **input, const char *path, const volatile sig_atomic_t *cancelled,
                             _Atomic uint64_t *bytes_done);
/* The same over bytes in memory, in blocks of at most `block_size`; for tests. */
enum input_result input_open_memory(struct input **input, const char *data, size_t size, size_t block_size);
/* The next block, valid until the next call; size 0 at the end. FAILED: input_message(). */
enum input_result input_next(struct input *input, struct block *block);
bool input_is_gzip(const struct input *input);
bool input_is_truncated(const struct input *input); /* FAILED because gzip data ended too early */
uint64_t input_size(const struct input *input);     /* of the file; 0: unknown */
const char *input_message(const struct input *input);
void input_close(struct input *input); /* also when there are blocks left */

#endif
