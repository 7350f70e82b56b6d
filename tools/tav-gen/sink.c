/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <isa-l/igzip_lib.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gen.h"

#define TEXT_SIZE (1u << 20)
#define GZIP_SIZE (2u << 20) /* more than TEXT_SIZE of text can become, so that one flush never needs two rounds */
#define TRAILER_SIZE 8       /* CRC32 and size, at the end of a gzip member */

struct sink_gzip {
	struct isal_zstream stream;
	uint8_t *level_buffer, *out;
};

static bool put(struct sink *sink, const void *data, size_t size)
{
	const char *at = data;

	while (size) {
		ssize_t n = write(sink->fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			sink->error = n < 0 ? strerror(errno) : "nothing was written";
			return false;
		}
		at += n;
		size -= (size_t)n;
	}
	return true;
}

bool sink_open(struct sink *sink, int fd, int gzip_level)
{
	*sink = (struct sink){.fd = fd, .is_gzip = gzip_level >= 0};
	sink->buffer = malloc(TEXT_SIZE);
	if (!sink->buffer)
		return false;
	sink->at = sink->buffer;
	sink->limit = sink->buffer + TEXT_SIZE;
	if (!sink->is_gzip)
		return true;

	static const uint32_t level_sizes[] = {0, ISAL_DEF_LVL1_DEFAULT, ISAL_DEF_LVL2_DEFAULT, ISAL_DEF_LVL3_DEFAULT};
	struct sink_gzip *gzip = calloc(1, sizeof(*gzip));

	sink->gzip = gzip;
	if (!gzip)
		return false;
	isal_deflate_init(&gzip->stream);
	gzip->stream.gzip_flag = IGZIP_GZIP;
	gzip->stream.level = (uint32_t)gzip_level;
	gzip->stream.level_buf_size = level_sizes[gzip_level];
	gzip->level_buffer = malloc(level_sizes[gzip_level] + 1);
	gzip->stream.level_buf = gzip->level_buffer;
	gzip->out = malloc(GZIP_SIZE);
	return gzip->level_buffer && gzip->out;
}

static bool flush(struct sink *sink, bool is_last)
{
	size_t size = (size_t)(sink->at - sink->buffer);

	if (sink->error)
		return false;
	sink->bytes += size;
	sink->at = sink->buffer;
	if (!sink->is_gzip)
		return put(sink, sink->buffer, size);

	struct isal_zstream *stream = &sink->gzip->stream;

	stream->next_in = (uint8_t *)sink->buffer;
	stream->avail_in = (uint32_t)size;
	stream->end_of_stream = is_last;
	stream->next_out = sink->gzip->out;
	stream->avail_out = GZIP_SIZE;
	if (isal_deflate(stream) != COMP_OK || stream->avail_in || !stream->avail_out) {
		sink->error = "the gzip encoder failed";
		return false;
	}
	size = GZIP_SIZE - stream->avail_out;
	if (is_last && sink->damage == DAMAGE_CRC)
		sink->gzip->out[size - TRAILER_SIZE] ^= 0x55;
	if (is_last && sink->damage == DAMAGE_CUT)
		size -= TRAILER_SIZE + 2;
	return put(sink, sink->gzip->out, size);
}

bool sink_flush(struct sink *sink)
{
	return flush(sink, false);
}

bool sink_close(struct sink *sink)
{
	bool is_good = sink->buffer && flush(sink, true);

	if (sink->gzip) {
		free(sink->gzip->level_buffer);
		free(sink->gzip->out);
	}
	free(sink->gzip);
	free(sink->buffer);
	sink->gzip = NULL;
	sink->buffer = NULL;
	return is_good;
}
