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
#include <sys/stat.h>

enum { INPUT_HEADROOM = 64 << 10, INPUT_PADDING = 128 };
enum { INPUT_BLOCK_BYTES = 512 << 10, INPUT_BLOCKS = 4 };

struct block {
	char *data; /* INPUT_HEADROOM bytes before it may be overwritten */
	size_t size;
	uint64_t newline_count;
};

struct input;

enum input_result { INPUT_OK = 0, INPUT_FAILED, INPUT_NO_MEMORY, INPUT_CANCELLED };

struct input_ask {
	const char *path;   /* "-": standard input */
	const char *memory; /* not NULL: these bytes are read instead; for tests */
	size_t memory_size;
	size_t block_size;    /* at most; the first ones are smaller, so that the next thread has work soon */
	unsigned block_count; /* blocks there may be at a time */
	bool keeps_blocks;    /* a block is valid until it is given back; else until the next one is asked for */
	const volatile sig_atomic_t *cancelled;
	_Atomic uint64_t *bytes_done; /* counts what was read of the file */
};
/* Whatever the result, input_close() is due, also of NULL. */
enum input_result input_open_as(struct input **input, const struct input_ask *ask);
/* The same, one block after the other. `bytes_done` counts what was read of the file; it and `cancelled` may be NULL.
 */
enum input_result input_open(struct input **input, const char *path, const volatile sig_atomic_t *cancelled,
                             _Atomic uint64_t *bytes_done);
/* The next block; size 0 at the end. FAILED: input_message(). One thread at a time. */
enum input_result input_next(struct input *input, struct block *block);
/* The oldest block is needed no more; nothing when there is none. [any] */
void input_give_back(struct input *input);
bool input_is_gzip(const struct input *input);
bool input_is_truncated(const struct input *input); /* FAILED because gzip data ended too early */
uint64_t input_size(const struct input *input);     /* of the file; 0: unknown */
/* Of the inflated bytes handed out so far. */
uint64_t input_hash(const struct input *input);
/* What fstat() said of it; NULL: it is memory. A regular file can be opened again. */
const struct stat *input_stat(const struct input *input);
const char *input_message(const struct input *input);
void input_stop(struct input *input);  /* who waits for a block is told that there is none. [any] */
void input_close(struct input *input); /* also when there are blocks left */

#endif
