/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <reader/gzip.h>
#include <reader/input.h>

enum { BLOCK_COUNT = 4, BLOCK_BYTES = 512 << 10, HEAD_BYTES = 8 };
enum { PATIENCE_MS = 50 }; /* between two looks at whether the run was cancelled, where a pipe keeps silent */

struct slot {
	char *memory; /* headroom, bytes, padding */
	struct block block;
};

struct input {
	int file; /* -1: memory */
	const char *memory;
	size_t memory_left, block_size;
	bool may_block; /* a pipe, a terminal: nothing may come for a long time */
	const volatile sig_atomic_t *cancelled;
	_Atomic uint64_t *bytes_done;
	uint64_t size;
	char head[HEAD_BYTES]; /* read to see what kind of file it is */
	size_t head_size, head_used;
	struct gzip *gzip;
	char message[512];

	/* The ring. The thread fills slots[made % BLOCK_COUNT] while made - taken < BLOCK_COUNT. */
	struct slot slots[BLOCK_COUNT];
	pthread_t thread;
	bool has_thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	uint64_t made, taken;   /* blocks; a block counts as taken when the next one is asked for */
	bool is_holding;        /* the consumer works on slots[taken % BLOCK_COUNT] */
	atomic_bool is_stopped; /* the consumer wants no more */
	bool is_done;           /* the thread makes no more */
	enum input_result result;
};

bool input_is_gzip(const struct input *input)
{
	return input->gzip;
}

bool input_is_truncated(const struct input *input)
{
	return input->gzip && gzip_is_truncated(input->gzip);
}

uint64_t input_size(const struct input *input)
{
	return input->size;
}

const char *input_message(const struct input *input)
{
	return input->message;
}

static bool is_given_up(const struct input *input)
{
	return atomic_load(&input->is_stopped) || (input->cancelled && *input->cancelled);
}

/* False: nobody waits for them any more. */
static bool wait_for_bytes(struct input *input)
{
	struct pollfd wait = {.fd = input->file, .events = POLLIN};

	for (;;) {
		if (is_given_up(input))
			return false;
		if (poll(&wait, 1, PATIENCE_MS) > 0)
			return true;
	}
}

/* Reads from the file or the memory; 0 at the end, -1 with the message set. */
static int64_t read_some(struct input *input, char *buffer, size_t capacity)
{
	if (input->head_used < input->head_size) {
		size_t size = input->head_size - input->head_used;

		if (size > capacity)
			size = capacity;
		memcpy(buffer, input->head + input->head_used, size);
		input->head_used += size;
		return (int64_t)size;
	}
	if (input->file < 0) {
		size_t size = input->memory_left < capacity ? input->memory_left : capacity;

		if (size)
			memcpy(buffer, input->memory, size);
		input->memory += size;
		input->memory_left -= size;
		return (int64_t)size;
	}
	ssize_t got;
	if (input->may_block && !wait_for_bytes(input))
		return 0;
	do
		got = read(input->file, buffer, capacity);
	while (got < 0 && errno == EINTR);
	if (got < 0) {
		snprintf(input->message, sizeof(input->message), "cannot read on: %s", strerror(errno));
		return -1;
	}
	if (input->bytes_done)
		atomic_fetch_add_explicit(input->bytes_done, (uint64_t)got, memory_order_relaxed);
	return got;
}

static int64_t read_compressed(void *user, uint8_t *buffer, size_t capacity)
{
	return read_some(user, (char *)buffer, capacity);
}

static uint64_t count_newlines(const char *data, size_t size)
{
	uint64_t count = 0;

	/* Sums of bytes do not overflow within 255 of them: so the compiler can use its widest registers. */
	while (size) {
		size_t step = size < 255 * 32 ? size : 255 * 32;
		unsigned char sums[32] = {0};
		size_t i = 0;

		for (; i + 32 <= step; i += 32) {
			for (unsigned lane = 0; lane < 32; lane++)
				sums[lane] = (unsigned char)(sums[lane] + (data[i + lane] == '\n'));
		}
		for (unsigned lane = 0; lane < 32; lane++)
			count += sums[lane];
		for (; i < step; i++)
			count += data[i] == '\n';
		data += step;
		size -= step;
	}
	return count;
}

/* Fills a block as far as it goes. */
static enum input_result fill_block(struct input *input, struct block *block)
{
	int64_t got = 0;

	block->size = 0;
	while (block->size < input->block_size) {
		char *to = block->data + block->size;
		size_t room = input->block_size - block->size;

		got = input->gzip ? gzip_read(input->gzip, to, room) : read_some(input, to, room);
		if (got <= 0)
			break;
		block->size += (size_t)got;
	}
	if (got < 0 && input->gzip && gzip_message(input->gzip))
		snprintf(input->message, sizeof(input->message), "%s", gzip_message(input->gzip));
	memset(block->data + block->size, 0, INPUT_PADDING);
	block->newline_count = count_newlines(block->data, block->size);
	return got < 0 ? INPUT_FAILED : INPUT_OK;
}

/* One turn of the producer: false when there is nothing more to make. */
static bool make_block(struct input *input)
{
	struct block *block = &input->slots[input->made % BLOCK_COUNT].block;
	enum input_result result = fill_block(input, block);

	/* What came before a failure is still handed over: an error of the text comes first. */
	pthread_mutex_lock(&input->mutex);
	input->result = result;
	input->is_done = result || !block->size;
	input->made += block->size > 0;
	bool goes_on = !input->is_done && !input->is_stopped;
	pthread_cond_signal(&input->changed);
	pthread_mutex_unlock(&input->mutex);
	return goes_on;
}

static void *produce(void *argument)
{
	struct input *input = argument;

	do {
		pthread_mutex_lock(&input->mutex);
		while (!input->is_stopped && input->made - input->taken == BLOCK_COUNT)
			pthread_cond_wait(&input->changed, &input->mutex);
		bool is_stopped = input->is_stopped;
		pthread_mutex_unlock(&input->mutex);
		if (is_stopped)
			break;
	} while (make_block(input));
	return NULL;
}

enum input_result input_next(struct input *input, struct block *block)
{
	pthread_mutex_lock(&input->mutex);
	input->taken += input->is_holding;
	input->is_holding = false;
	if (input->has_thread) {
		pthread_cond_signal(&input->changed);
		while (input->made == input->taken && !input->is_done && !is_given_up(input)) {
			struct timespec until;

			clock_gettime(CLOCK_REALTIME, &until);
			until.tv_nsec += PATIENCE_MS * 1000000L;
			until.tv_sec += until.tv_nsec / 1000000000L;
			until.tv_nsec %= 1000000000L;
			pthread_cond_timedwait(&input->changed, &input->mutex, &until);
		}
	}
	bool must_make = !input->has_thread && !input->is_done;
	pthread_mutex_unlock(&input->mutex);
	if (must_make)
		make_block(input);
	if (is_given_up(input))
		return INPUT_CANCELLED;
	pthread_mutex_lock(&input->mutex);
	bool is_over = input->made == input->taken;
	enum input_result result = input->result;
	pthread_mutex_unlock(&input->mutex);
	if (is_over) {
		*block = (struct block){0};
		return result;
	}
	*block = input->slots[input->taken % BLOCK_COUNT].block;
	input->is_holding = true;
	return INPUT_OK;
}

void input_close(struct input *input)
{
	if (!input)
		return;
	if (input->has_thread) {
		pthread_mutex_lock(&input->mutex);
		input->is_stopped = true;
		pthread_cond_signal(&input->changed);
		pthread_mutex_unlock(&input->mutex);
		pthread_join(input->thread, NULL);
	}
	if (input->file > 0)
		close(input->file);
	for (unsigned i = 0; i < BLOCK_COUNT; i++)
		free(input->slots[i].memory);
	if (input->gzip)
		gzip_close(input->gzip);
	pthread_cond_destroy(&input->changed);
	pthread_mutex_destroy(&input->mutex);
	free(input);
}

/* The formats a trace may come in by mistake, by their first bytes. */
static bool refuse_other_formats(struct input *input)
{
	static const struct {
		const char *magic;
		size_t size;
		const char *name;
	} formats[] = {
	        {"PK\3\4", 4, "a zip archive: unpack it first (unzip)"},
	        {"\x28\xb5\x2f\xfd", 4, "compressed with zstd: unpack it first (zstd -d)"},
	        {"\xfd"
	         "7zXZ",
	         5, "compressed with xz: unpack it first (xz -d)"},
	        {"BZh", 3, "compressed with bzip2: unpack it first (bzip2 -d)"},
	        {"\x04\x22\x4d\x18", 4, "compressed with lz4: unpack it first (lz4 -d)"},
	        {"SQLite f", 8, "an SQLite database (a profiler's own format?): export it as Chrome trace JSON"},
	};

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (input->head_size >= formats[i].size && !memcmp(input->head, formats[i].magic, formats[i].size)) {
			snprintf(input->message, sizeof(input->message), "the file is %s", formats[i].name);
			return false;
		}
	}
	return true;
}

/* Looks at the first bytes, then starts the thread. */
static enum input_result start(struct input *input)
{
	size_t size = 0;

	while (size < HEAD_BYTES) {
		int64_t got = read_some(input, input->head + size, HEAD_BYTES - size);

		if (got < 0)
			return INPUT_FAILED;
		if (!got)
			break;
		size += (size_t)got;
	}
	if (is_given_up(input))
		return INPUT_CANCELLED;
	input->head_size = size;
	if (!refuse_other_formats(input))
		return INPUT_FAILED;
	if (size >= 2 && !memcmp(input->head, "\x1f\x8b", 2)) {
		input->gzip = gzip_open(read_compressed, input);
		if (!input->gzip)
			return INPUT_NO_MEMORY;
	}
	for (unsigned i = 0; i < BLOCK_COUNT; i++) {
		input->slots[i].memory = malloc(INPUT_HEADROOM + input->block_size + INPUT_PADDING);
		if (!input->slots[i].memory)
			return INPUT_NO_MEMORY;
		input->slots[i].block.data = input->slots[i].memory + INPUT_HEADROOM;
	}
	/* Without a thread the blocks are made when they are asked for: memory needs none. */
	input->has_thread = input->file >= 0 && !pthread_create(&input->thread, NULL, produce, input);
	return INPUT_OK;
}

static struct input *make_input(size_t block_size)
{
	struct input *input = calloc(1, sizeof(*input));

	if (!input)
		return NULL;
	input->file = -1;
	input->block_size = block_size;
	pthread_mutex_init(&input->mutex, NULL);
	pthread_cond_init(&input->changed, NULL);
	return input;
}

enum input_result input_open(struct input **out, const char *path, const volatile sig_atomic_t *cancelled,
                             _Atomic uint64_t *bytes_done)
{
	struct input *input = make_input(BLOCK_BYTES);
	struct stat status;

	*out = input;
	if (!input)
		return INPUT_NO_MEMORY;
	input->bytes_done = bytes_done;
	input->cancelled = cancelled;
	input->file = strcmp(path, "-") != 0 ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (input->file < 0) {
		snprintf(input->message, sizeof(input->message), "cannot open it: %s", strerror(errno));
		return INPUT_FAILED;
	}
	if (fstat(input->file, &status)) {
		snprintf(input->message, sizeof(input->message), "cannot look at it: %s", strerror(errno));
		return INPUT_FAILED;
	}
	if (S_ISDIR(status.st_mode)) {
		snprintf(input->message, sizeof(input->message), "it is a directory, not a trace file");
		return INPUT_FAILED;
	}
	if (S_ISREG(status.st_mode)) {
		input->size = (uint64_t)status.st_size;
		(void)posix_fadvise(input->file, 0, 0, POSIX_FADV_SEQUENTIAL);
	} else {
		input->may_block = true;
	}
	return start(input);
}

enum input_result input_open_memory(struct input **out, const char *data, size_t size, size_t block_size)
{
	struct input *input = make_input(block_size);

	*out = input;
	if (!input)
		return INPUT_NO_MEMORY;
	input->memory = data;
	input->memory_left = size;
	return start(input);
}
