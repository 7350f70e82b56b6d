/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <reader/codec.h>
#include <reader/digest.h>
#include <reader/format.h>
#include <reader/input.h>

static const struct codec *const codecs[] = {&codec_gzip};

enum { FIRST_PART = 16 };  /* the first block is that much smaller, the next twice as large.. */
enum { PATIENCE_MS = 50 }; /* between two looks at whether the run was cancelled, where a pipe keeps silent */

struct slot {
	char *memory; /* headroom, bytes, padding */
	struct block block;
};

struct head { /* the first bytes, read to see what kind of file it is */
	char bytes[FORMAT_HEAD_BYTES];
	size_t size, used;
};

struct input {
	int file; /* -1: memory */
	const char *memory;
	size_t memory_left, block_size, next_size;
	bool may_block; /* a pipe, a terminal: nothing may come for a long time */
	const volatile sig_atomic_t *cancelled;
	_Atomic uint64_t *bytes_done;
	struct stat status;
	struct digest *digest;     /* of the inflated bytes */
	struct head raw, plain;    /* as they stand in the file; inflated */
	const struct codec *codec; /* NULL: none */
	void *codec_state;
	char message[512];

	/* The ring. The thread fills slots[made % slot_count] while made - given_back < slot_count. */
	struct slot *slots;
	unsigned slot_count;
	bool keeps_blocks;
	pthread_t thread;
	bool has_thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	uint64_t made, taken, given_back; /* blocks */
	atomic_bool is_stopped;           /* the consumer wants no more */
	bool is_done;                     /* the thread makes no more */
	enum input_result result;
};

bool input_is_gzip(const struct input *input)
{
	return input->codec == &codec_gzip;
}

bool input_is_truncated(const struct input *input)
{
	return input->codec && input->codec->is_truncated(input->codec_state);
}

uint64_t input_hash(const struct input *input)
{
	return digest_hash(input->digest);
}

const struct stat *input_stat(const struct input *input)
{
	return input->file < 0 ? NULL : &input->status;
}

uint64_t input_size(const struct input *input)
{
	return input->file >= 0 && S_ISREG(input->status.st_mode) ? (uint64_t)input->status.st_size : 0;
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

static int64_t take_head(struct head *head, char *buffer, size_t capacity)
{
	size_t size = head->size - head->used;

	if (size > capacity)
		size = capacity;
	memcpy(buffer, head->bytes + head->used, size);
	head->used += size;
	return (int64_t)size;
}

/* Reads from the file or the memory; 0 at the end, -1 with the message set. */
static int64_t read_some(struct input *input, char *buffer, size_t capacity)
{
	if (input->raw.used < input->raw.size)
		return take_head(&input->raw, buffer, capacity);
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

/* The same without the compression. */
static int64_t read_plain(struct input *input, char *buffer, size_t capacity)
{
	if (!input->codec)
		return read_some(input, buffer, capacity);
	if (input->plain.used < input->plain.size)
		return take_head(&input->plain, buffer, capacity);
	return input->codec->read(input->codec_state, buffer, capacity);
}

/* Fills a block as far as it goes. */
static enum input_result fill_block(struct input *input, struct block *block)
{
	size_t wanted = input->next_size;
	int64_t got = 0;

	input->next_size = wanted < input->block_size / 2 ? wanted * 2 : input->block_size;
	block->size = 0;
	while (block->size < wanted) {
		char *to = block->data + block->size;
		size_t room = wanted - block->size;

		got = read_plain(input, to, room);
		if (got <= 0)
			break;
		block->size += (size_t)got;
	}
	const char *message = got < 0 && input->codec ? input->codec->message(input->codec_state) : NULL;
	if (message)
		snprintf(input->message, sizeof(input->message), "%s", message);
	memset(block->data + block->size, 0, INPUT_PADDING);
	block->newline_count = digest_add(input->digest, block->data, block->size);
	return got < 0 ? INPUT_FAILED : INPUT_OK;
}

/* One turn of the producer: false when there is nothing more to make. */
static bool make_block(struct input *input)
{
	struct block *block = &input->slots[input->made % input->slot_count].block;
	enum input_result result = fill_block(input, block);

	/* What came before a failure is still handed over: an error of the text comes first. */
	pthread_mutex_lock(&input->mutex);
	input->result = result;
	input->is_done = result || !block->size;
	input->made += block->size > 0;
	bool goes_on = !input->is_done && !input->is_stopped;
	pthread_cond_broadcast(&input->changed);
	pthread_mutex_unlock(&input->mutex);
	return goes_on;
}

static void *produce(void *argument)
{
	struct input *input = argument;

	do {
		pthread_mutex_lock(&input->mutex);
		while (!input->is_stopped && input->made - input->given_back == input->slot_count)
			pthread_cond_wait(&input->changed, &input->mutex);
		bool is_stopped = input->is_stopped;
		pthread_mutex_unlock(&input->mutex);
		if (is_stopped)
			break;
	} while (make_block(input));
	return NULL;
}

void input_give_back(struct input *input)
{
	pthread_mutex_lock(&input->mutex);
	input->given_back += input->given_back < input->taken;
	pthread_cond_broadcast(&input->changed);
	pthread_mutex_unlock(&input->mutex);
}

enum input_result input_next(struct input *input, struct block *block)
{
	if (!input->keeps_blocks)
		input_give_back(input);
	pthread_mutex_lock(&input->mutex);
	if (input->has_thread) {
		while (input->made == input->taken && !input->is_done && !is_given_up(input)) {
			struct timespec until;

			clock_gettime(CLOCK_REALTIME, &until);
			until.tv_nsec += PATIENCE_MS * 1000000L;
			until.tv_sec += until.tv_nsec / 1000000000L;
			until.tv_nsec %= 1000000000L;
			pthread_cond_timedwait(&input->changed, &input->mutex, &until);
		}
	}
	bool must_make = !input->has_thread && !input->is_done && input->made == input->taken;
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
	pthread_mutex_lock(&input->mutex);
	*block = input->slots[input->taken++ % input->slot_count].block;
	pthread_mutex_unlock(&input->mutex);
	return INPUT_OK;
}

void input_stop(struct input *input)
{
	pthread_mutex_lock(&input->mutex);
	input->is_stopped = true;
	pthread_cond_broadcast(&input->changed);
	pthread_mutex_unlock(&input->mutex);
}

void input_close(struct input *input)
{
	if (!input)
		return;
	if (input->has_thread) {
		input_stop(input);
		pthread_join(input->thread, NULL);
	}
	if (input->file > 0)
		close(input->file);
	for (unsigned i = 0; input->slots && i < input->slot_count; i++)
		free(input->slots[i].memory);
	free(input->slots);
	if (input->codec_state)
		input->codec->close(input->codec_state);
	pthread_cond_destroy(&input->changed);
	pthread_mutex_destroy(&input->mutex);
	digest_free(input->digest);
	free(input);
}

/* False: it is no trace. */
static bool look_at(struct input *input, const struct head *head)
{
	const char *what = format_of(head->bytes, head->size);

	if (what)
		snprintf(input->message, sizeof(input->message), "the file is %s%s", what,
		         head == &input->plain ? ", within gzip" : "");
	return !what;
}

/* Fills a head as far as there is something. What cannot be inflated is told when it is read again. */
static bool fill_head(struct input *input, struct head *head)
{
	while (head->size < sizeof(head->bytes)) {
		char *to = head->bytes + head->size;
		size_t room = sizeof(head->bytes) - head->size;
		int64_t got = head == &input->raw ? read_some(input, to, room)
		                                  : input->codec->read(input->codec_state, to, room);

		if (got < 0 && head == &input->raw)
			return false;
		if (got <= 0)
			break;
		head->size += (size_t)got;
		head->used = head->size; /* not to be handed out while it is filled */
	}
	head->used = 0;
	return true;
}

/* Looks at the first bytes, then starts the thread. */
static enum input_result start(struct input *input)
{
	if (!fill_head(input, &input->raw))
		return INPUT_FAILED;
	if (is_given_up(input))
		return INPUT_CANCELLED;
	if (!look_at(input, &input->raw))
		return INPUT_FAILED;
	for (unsigned i = 0; i < sizeof(codecs) / sizeof(codecs[0]) && !input->codec; i++) {
		if (input->raw.size >= codecs[i]->magic_size &&
		    !memcmp(input->raw.bytes, codecs[i]->magic, codecs[i]->magic_size))
			input->codec = codecs[i];
	}
	if (input->codec) {
		input->codec_state = input->codec->open(read_compressed, input);
		if (!input->codec_state)
			return INPUT_NO_MEMORY;
		if (fill_head(input, &input->plain) && !look_at(input, &input->plain))
			return INPUT_FAILED;
		if (is_given_up(input))
			return INPUT_CANCELLED;
	}
	input->slots = calloc(input->slot_count, sizeof(*input->slots));
	if (!input->slots)
		return INPUT_NO_MEMORY;
	for (unsigned i = 0; i < input->slot_count; i++) {
		input->slots[i].memory = malloc(INPUT_HEADROOM + input->block_size + INPUT_PADDING);
		if (!input->slots[i].memory)
			return INPUT_NO_MEMORY;
		input->slots[i].block.data = input->slots[i].memory + INPUT_HEADROOM;
	}
	/* Without a thread the blocks are made when they are asked for: memory needs none. */
	input->has_thread = input->file >= 0 && !pthread_create(&input->thread, NULL, produce, input);
	return INPUT_OK;
}

static struct input *make_input(const struct input_ask *ask)
{
	struct input *input = calloc(1, sizeof(*input));

	if (!input)
		return NULL;
	input->digest = digest_new();
	if (!input->digest) {
		free(input);
		return NULL;
	}
	input->file = -1;
	input->memory = ask->memory;
	input->memory_left = ask->memory_size;
	input->block_size = ask->block_size;
	input->next_size = ask->block_size / FIRST_PART ? ask->block_size / FIRST_PART : 1;
	input->slot_count = ask->block_count;
	input->keeps_blocks = ask->keeps_blocks;
	input->bytes_done = ask->bytes_done;
	input->cancelled = ask->cancelled;
	pthread_mutex_init(&input->mutex, NULL);
	pthread_cond_init(&input->changed, NULL);
	return input;
}

enum input_result input_open(struct input **out, const char *path, const volatile sig_atomic_t *cancelled,
                             _Atomic uint64_t *bytes_done)
{
	struct input_ask ask = {.path = path,
	                        .block_size = INPUT_BLOCK_BYTES,
	                        .block_count = INPUT_BLOCKS,
	                        .cancelled = cancelled,
	                        .bytes_done = bytes_done};

	return input_open_as(out, &ask);
}

enum input_result input_open_as(struct input **out, const struct input_ask *ask)
{
	struct input *input = make_input(ask);

	*out = input;
	if (!input)
		return INPUT_NO_MEMORY;
	if (ask->memory)
		return start(input);
	input->file = strcmp(ask->path, "-") != 0 ? open(ask->path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (input->file < 0) {
		snprintf(input->message, sizeof(input->message), "cannot open it: %s", strerror(errno));
		return INPUT_FAILED;
	}
	if (fstat(input->file, &input->status)) {
		snprintf(input->message, sizeof(input->message), "cannot look at it: %s", strerror(errno));
		return INPUT_FAILED;
	}
	if (S_ISDIR(input->status.st_mode)) {
		snprintf(input->message, sizeof(input->message), "it is a directory, not a trace file");
		return INPUT_FAILED;
	}
	if (S_ISREG(input->status.st_mode))
		(void)posix_fadvise(input->file, 0, 0, POSIX_FADV_SEQUENTIAL);
	else
		input->may_block = true;
	return start(input);
}
