/* SPDX-License-Identifier: Apache-2.0 */
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <write/deflate.h>

#include <kit/parallel.h>

enum { PIECE_BYTES = 1 << 20, OUT_BYTES = PIECE_BYTES + PIECE_BYTES / 8 + 4096, MOST_PIECES = 64, AHEAD_BYTES = 512 };

struct piece {
	unsigned char *in, *out, *level;
	size_t in_size, out_size;
};
struct deflate {
	FILE *file;
	unsigned threads, count; /* count: pieces at hand, filled one after the other */
	struct piece *pieces;
	uint32_t crc;
	uint64_t size;
	bool has_head;
};

struct deflate *deflate_open(FILE *out, unsigned threads)
{
	struct deflate *deflate = calloc(1, sizeof(*deflate));

	if (!deflate)
		return NULL;
	deflate->file = out;
	deflate->threads = threads ? threads > MOST_PIECES ? MOST_PIECES : threads : 1;
	deflate->pieces = calloc(deflate->threads, sizeof(*deflate->pieces));
	for (unsigned i = 0; deflate->pieces && i < deflate->threads; i++) {
		struct piece *piece = &deflate->pieces[i];

		piece->in = malloc(PIECE_BYTES + AHEAD_BYTES);
		piece->out = malloc(OUT_BYTES);
		piece->level = malloc(ISAL_DEF_LVL1_DEFAULT);
		if (!piece->in || !piece->out || !piece->level) {
			deflate_close(deflate);
			return NULL;
		}
	}
	if (!deflate->pieces) {
		free(deflate);
		return NULL;
	}
	return deflate;
}

static tav_status press(void *user, uint32_t i)
{
	struct piece *piece = &((struct deflate *)user)->pieces[i];
	struct isal_zstream stream = {0};

	/* What is found must not depend on what lay in the buffers: zeroed, and not by the stateless call. */
	memset(piece->level, 0, ISAL_DEF_LVL1_DEFAULT);
	memset(piece->in + piece->in_size, 0, AHEAD_BYTES);
	isal_deflate_init(&stream);
	stream.level = 1;
	stream.level_buf = piece->level;
	stream.level_buf_size = ISAL_DEF_LVL1_DEFAULT;
	stream.flush = FULL_FLUSH;
	stream.end_of_stream = 0;
	stream.gzip_flag = IGZIP_DEFLATE;
	stream.next_in = piece->in;
	stream.avail_in = (uint32_t)piece->in_size;
	stream.next_out = piece->out;
	stream.avail_out = OUT_BYTES;
	int result = isal_deflate(&stream);
	piece->out_size = OUT_BYTES - stream.avail_out;
	return result == COMP_OK && !stream.avail_in ? TAV_OK : TAV_FAILED;
}

static bool press_all(struct deflate *deflate)
{
	static const unsigned char head[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255}; /* no name, no time, fastest */

	if (!deflate->has_head)
		fwrite(head, 1, sizeof(head), deflate->file);
	deflate->has_head = true;
	if (!deflate->count)
		return true;
	if (parallel_run(deflate->threads, deflate->count, press, deflate))
		return false;
	for (unsigned i = 0; i < deflate->count; i++) {
		struct piece *piece = &deflate->pieces[i];

		fwrite(piece->out, 1, piece->out_size, deflate->file);
		deflate->crc = crc32_gzip_refl(deflate->crc, piece->in, piece->in_size);
		deflate->size += piece->in_size;
		piece->in_size = 0;
	}
	deflate->count = 0;
	return true;
}

bool deflate_add(struct deflate *deflate, const char *data, size_t size)
{
	while (size) {
		struct piece *piece = deflate->count ? &deflate->pieces[deflate->count - 1] : NULL;

		if (!piece || piece->in_size == PIECE_BYTES) {
			if (deflate->count == deflate->threads && !press_all(deflate))
				return false;
			piece = &deflate->pieces[deflate->count++];
		}
		size_t room = PIECE_BYTES - piece->in_size, part = size < room ? size : room;
		memcpy(piece->in + piece->in_size, data, part);
		piece->in_size += part;
		data += part;
		size -= part;
	}
	return true;
}

static void put_number(unsigned char *out, uint32_t number)
{
	for (unsigned i = 0; i < 4; i++)
		out[i] = (unsigned char)(number >> 8 * i);
}

bool deflate_end(struct deflate *deflate)
{
	unsigned char tail[10] = {3, 0}; /* a last, empty block */

	if (!press_all(deflate))
		return false;
	put_number(tail + 2, deflate->crc);
	put_number(tail + 6, (uint32_t)deflate->size);
	fwrite(tail, 1, sizeof(tail), deflate->file);
	return true;
}

void deflate_close(struct deflate *deflate)
{
	if (!deflate)
		return;
	for (unsigned i = 0; deflate->pieces && i < deflate->threads; i++) {
		free(deflate->pieces[i].in);
		free(deflate->pieces[i].out);
		free(deflate->pieces[i].level);
	}
	free(deflate->pieces);
	free(deflate);
}
