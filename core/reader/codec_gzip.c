/* SPDX-License-Identifier: Apache-2.0 */
#include <isa-l/igzip_lib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <reader/codec.h>

enum { RAW_BYTES = 128 << 10 };

enum member { BETWEEN_MEMBERS, IN_HEADER, IN_DATA, AFTER_LAST };

struct gzip {
	struct inflate_state state;
	struct isal_gzip_header header;
	codec_source source;
	void *user;
	enum member where;
	uint64_t raw_offset; /* of the first byte in `raw` */
	size_t raw_size;
	bool is_end, is_truncated, has_failed;
	const char *message;
	char text[160];
	uint8_t raw[RAW_BYTES];
};

static void *gzip_open(codec_source source, void *user)
{
	struct gzip *gzip = calloc(1, sizeof(*gzip));

	if (!gzip)
		return NULL;
	gzip->source = source;
	gzip->user = user;
	isal_inflate_init(&gzip->state);
	return gzip;
}

static void gzip_close(void *gzip)
{
	free(gzip);
}

static const char *gzip_message(const void *state)
{
	const struct gzip *gzip = state;

	return gzip->message;
}

static bool gzip_is_truncated(const void *state)
{
	const struct gzip *gzip = state;

	return gzip->is_truncated;
}

/* Makes sure that there is input, if there is any. False: the source failed. */
static bool fill(struct gzip *gzip)
{
	if (gzip->state.avail_in || gzip->is_end)
		return true;
	int64_t got = gzip->source(gzip->user, gzip->raw, sizeof(gzip->raw));
	if (got < 0)
		return false;
	gzip->raw_offset += gzip->raw_size;
	gzip->raw_size = (size_t)got;
	gzip->is_end = got == 0;
	gzip->state.next_in = gzip->raw;
	gzip->state.avail_in = (uint32_t)got;
	return true;
}

static int64_t fail(struct gzip *gzip, const char *what)
{
	uint64_t offset = gzip->raw_offset + gzip->raw_size - gzip->state.avail_in;

	snprintf(gzip->text, sizeof(gzip->text), "%s, at about byte %llu of the compressed file", what,
	         (unsigned long long)offset);
	gzip->message = gzip->text;
	return -1;
}

static int64_t fail_truncated(struct gzip *gzip)
{
	gzip->is_truncated = true;
	return fail(gzip, "the gzip data are truncated: end of file before their end");
}

static int64_t fail_status(struct gzip *gzip, int status)
{
	switch (status) {
	case ISAL_INCORRECT_CHECKSUM:
		return fail(gzip, "the gzip data are corrupt: their CRC or length is not the one written behind them");
	case ISAL_INVALID_WRAPPER:
		return fail(gzip, "the gzip header is corrupt");
	case ISAL_UNSUPPORTED_METHOD:
		return fail(gzip, "the gzip data use an unknown compression method");
	default:
		return fail(gzip, "the gzip data are corrupt");
	}
}

/* libisal reads ahead by up to 8 bytes; what is left of them when a member ends belongs to the next one. */
static void give_back(struct gzip *gzip)
{
	uint32_t bytes = (uint32_t)gzip->state.read_in_length / 8;
	uint32_t taken = (uint32_t)(gzip->raw_size - gzip->state.avail_in);

	if (gzip->state.read_in_length > 0 && bytes <= taken) {
		gzip->state.next_in -= bytes;
		gzip->state.avail_in += bytes;
	}
	gzip->state.read_in = 0;
	gzip->state.read_in_length = 0;
}

/* Between members: 1 when another one starts, 0 at the end, which zeros may fill up (tapes and block devices do). */
static int64_t next_member(struct gzip *gzip, bool is_first)
{
	bool has_zeros = false;

	for (;;) {
		if (!fill(gzip))
			return -1;
		if (!gzip->state.avail_in)
			return 0;
		if (*gzip->state.next_in)
			break;
		if (is_first)
			return fail(gzip, "the gzip header is corrupt");
		has_zeros = true;
		gzip->state.next_in++;
		gzip->state.avail_in--;
	}
	if (has_zeros || *gzip->state.next_in != 0x1f)
		return fail(gzip, "there is something behind the gzip data that is not gzip");
	return 1;
}

static int64_t start_member(struct gzip *gzip)
{
	uint8_t *next = gzip->state.next_in;
	uint32_t avail = gzip->state.avail_in;

	isal_inflate_reset(&gzip->state);
	gzip->state.next_in = next;
	gzip->state.avail_in = avail;
	gzip->state.crc_flag = ISAL_GZIP_NO_HDR_VER;
	isal_gzip_header_init(&gzip->header);
	gzip->where = IN_HEADER;
	return 1;
}

static int64_t read_header(struct gzip *gzip)
{
	for (;;) {
		int status = isal_read_gzip_header(&gzip->state, &gzip->header);

		if (status == ISAL_DECOMP_OK) {
			gzip->where = IN_DATA;
			return 1;
		}
		if (status != ISAL_END_INPUT)
			return fail_status(gzip, status);
		if (!fill(gzip))
			return -1;
		if (!gzip->state.avail_in)
			return fail_truncated(gzip);
	}
}

/* Inflates until the buffer is full. False: the data are at fault, or their source. */
static bool inflate_into(struct gzip *gzip, char *buffer, uint32_t room)
{
	struct inflate_state *state = &gzip->state;
	bool is_first = gzip->raw_offset + gzip->raw_size == 0;

	state->next_out = (uint8_t *)buffer;
	state->avail_out = room;
	while (state->avail_out && gzip->where != AFTER_LAST) {
		if (gzip->where == BETWEEN_MEMBERS) {
			int64_t more = next_member(gzip, is_first);

			if (more < 0)
				return false;
			if (!more) {
				gzip->where = AFTER_LAST;
				break;
			}
			uint32_t left = state->avail_out;
			uint8_t *out = state->next_out;
			start_member(gzip);
			state->next_out = out;
			state->avail_out = left;
			is_first = false;
		}
		if ((gzip->where == IN_HEADER && read_header(gzip) < 0) || !fill(gzip))
			return false;
		uint32_t avail_before = state->avail_in, room_before = state->avail_out;
		int status = isal_inflate(state);
		if (status != ISAL_DECOMP_OK && status != ISAL_END_INPUT && status != ISAL_OUT_OVERFLOW) {
			fail_status(gzip, status);
			return false;
		}
		if (state->block_state == ISAL_BLOCK_FINISH) {
			give_back(gzip);
			gzip->where = BETWEEN_MEMBERS;
		} else if (gzip->is_end && !avail_before && state->avail_out == room_before) {
			/* Success is what libisal calls it, too: only FINISH is the end. */
			fail_truncated(gzip);
			return false;
		}
	}
	return true;
}

static int64_t gzip_read(void *state, char *buffer, size_t capacity)
{
	struct gzip *gzip = state;
	uint32_t room = capacity > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)capacity;

	if (!gzip->has_failed)
		gzip->has_failed = !inflate_into(gzip, buffer, room);
	else
		gzip->state.avail_out = room;
	/* What came before the fault is handed over first. */
	uint32_t size = room - gzip->state.avail_out;
	return gzip->has_failed && !size ? -1 : (int64_t)size;
}

const struct codec codec_gzip = {.magic = "\x1f\x8b",
                                 .magic_size = 2,
                                 .open = gzip_open,
                                 .read = gzip_read,
                                 .message = gzip_message,
                                 .is_truncated = gzip_is_truncated,
                                 .close = gzip_close};
