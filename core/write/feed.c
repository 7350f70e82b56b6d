/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <write/feed.h>
#include <write/skip.h>

#include <reader/input.h>

enum { PLAIN_BYTES = 1 << 20 };

struct feed {
	const char *path;
	const volatile sig_atomic_t *cancelled;
	uint64_t offset;  /* of the next byte */
	const char *data; /* bytes at hand from there on */
	size_t size;
	uint64_t mtime_ns, file_bytes; /* when it was looked at */
	int file;                      /* plain: read where it is wanted; -1: gzip */
	char *buffer;
	struct input *input; /* gzip */
	_Atomic uint64_t bytes_done;
};

static tav_status no_file(const struct feed *feed, const char *what, struct causes *causes)
{
	return cause_add(causes, "cannot %s %s to write it once more: %s", what, feed->path, strerror(errno));
}

static bool is_changed(const struct feed *feed, const struct stat *status)
{
	return (uint64_t)status->st_size != feed->file_bytes ||
	       (uint64_t)status->st_mtim.tv_sec * 1000000000u + (uint64_t)status->st_mtim.tv_nsec != feed->mtime_ns;
}

static tav_status tell_change(const struct feed *feed, struct causes *causes)
{
	return cause_add(causes, "%s has changed since it was looked at: nothing is written", feed->path);
}

tav_status feed_check(const struct feed *feed, struct causes *causes)
{
	struct stat status;

	if (stat(feed->path, &status))
		return no_file(feed, "look at", causes);
	return is_changed(feed, &status) ? tell_change(feed, causes) : TAV_OK;
}

static tav_status open_plain(struct feed *feed, struct causes *causes)
{
	struct stat status;
	unsigned char magic[2];

	feed->file = open(feed->path, O_RDONLY | O_CLOEXEC);
	if (feed->file < 0 || fstat(feed->file, &status))
		return no_file(feed, "open", causes);
	if (is_changed(feed, &status))
		return tell_change(feed, causes);
	ssize_t got = pread(feed->file, magic, 2, 0);
	if (got < 0)
		return no_file(feed, "read", causes);
	if (got == 2 && magic[0] == 0x1f && magic[1] == 0x8b) {
		close(feed->file);
		feed->file = -1;
		return TAV_OK;
	}
	feed->buffer = malloc(PLAIN_BYTES);
	return feed->buffer ? TAV_OK : cause_add(causes, "out of memory to write %s", feed->path);
}

tav_status feed_open(struct feed **out, const char *path, uint64_t mtime_ns, uint64_t file_bytes,
                     const volatile sig_atomic_t *cancelled, struct causes *causes)
{
	struct feed *feed = calloc(1, sizeof(*feed));

	*out = feed;
	if (!feed)
		return cause_add(causes, "out of memory to write %s", path);
	feed->path = path;
	feed->cancelled = cancelled;
	feed->file = -1;
	feed->mtime_ns = mtime_ns;
	feed->file_bytes = file_bytes;
	if (open_plain(feed, causes))
		return TAV_FAILED;
	if (feed->file >= 0)
		return TAV_OK;
	if (input_open(&feed->input, path, cancelled, &feed->bytes_done))
		return cause_add(causes, "cannot open %s to write it once more: %s", path,
		                 feed->input ? input_message(feed->input) : "out of memory");
	return TAV_OK;
}

uint64_t feed_offset(const struct feed *feed)
{
	return feed->offset;
}

size_t feed_at_hand(const struct feed *feed)
{
	return feed->size;
}

static tav_status read_plain(struct feed *feed, struct causes *causes)
{
	ssize_t got;

	do
		got = pread(feed->file, feed->buffer, PLAIN_BYTES, (off_t)feed->offset);
	while (got < 0 && errno == EINTR && !(feed->cancelled && *feed->cancelled));
	if (got < 0)
		return no_file(feed, "read", causes);
	feed->data = feed->buffer;
	feed->size = (size_t)got;
	return TAV_OK;
}

tav_status feed_peek(struct feed *feed, const char **data, size_t *size, struct causes *causes)
{
	if (feed->cancelled && *feed->cancelled)
		return TAV_CANCELLED;
	if (!feed->size && feed->file >= 0 && read_plain(feed, causes))
		return TAV_FAILED;
	if (!feed->size && feed->input) {
		struct block block;
		enum input_result result = input_next(feed->input, &block);

		if (result == INPUT_CANCELLED)
			return TAV_CANCELLED;
		if (result)
			return cause_add(causes, "cannot read %s to write it once more: %s", feed->path,
			                 result == INPUT_NO_MEMORY ? "out of memory" : input_message(feed->input));
		feed->data = block.data;
		feed->size = block.size;
	}
	*data = feed->data;
	*size = feed->size;
	return TAV_OK;
}

void feed_take(struct feed *feed, size_t size)
{
	feed->offset += size;
	feed->data += size;
	feed->size -= size;
}

tav_status feed_skip_to(struct feed *feed, uint64_t offset, struct causes *causes)
{
	while (feed->offset < offset) {
		uint64_t left = offset - feed->offset;
		const char *data;
		size_t size;

		if (feed->file >= 0 && left > feed->size) {
			feed->size = 0;
			feed->offset = offset;
			return TAV_OK;
		}
		tav_status status = feed_peek(feed, &data, &size, causes);
		if (status)
			return status;
		if (!size)
			return cause_add(causes, "%s is shorter than when it was looked at", feed->path);
		feed_take(feed, size < left ? size : (size_t)left);
	}
	return TAV_OK;
}

size_t feed_whole(const struct feed *feed)
{
	return feed->size ? skip_whole(feed->data, feed->size, 0) : 0;
}

struct value_state { /* of json_end(), over several pieces */
	unsigned depth;
	bool is_in_string, is_escaped, is_done;
};

/* Bytes of the piece that belong to the value. */
static size_t walk_value(struct value_state *state, const char *data, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		char c = data[i];

		if (state->is_in_string) {
			if (state->is_escaped)
				state->is_escaped = false;
			else if (c == '\\')
				state->is_escaped = true;
			else if (c == '"')
				state->is_in_string = false;
		} else if (c == '"') {
			state->is_in_string = true;
		} else if (c == '{' || c == '[') {
			state->depth++;
		} else if (c == '}' || c == ']') {
			if (state->depth && --state->depth)
				continue;
			state->is_done = true;
			return i + 1;
		}
	}
	return size;
}

tav_status feed_value(struct feed *feed, struct bytes *value, struct causes *causes)
{
	struct value_state state = {0};

	value->size = 0;
	while (!state.is_done) {
		const char *data;
		size_t size;
		tav_status status = feed_peek(feed, &data, &size, causes);

		if (status)
			return status;
		if (!size)
			return cause_add(causes, "%s is shorter than when it was looked at", feed->path);
		size = walk_value(&state, data, size);
		if (!bytes_add(value, data, size))
			return cause_add(causes, "out of memory to write %s", feed->path);
		feed_take(feed, size);
	}
	return TAV_OK;
}

void feed_close(struct feed *feed)
{
	if (!feed)
		return;
	if (feed->file >= 0)
		close(feed->file);
	input_close(feed->input);
	free(feed->buffer);
	free(feed);
}
