/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes compressed input: whatever it is, it is read to the same end in blocks of any size, or refused with a reason,
 * and nothing is read beyond memory. How much libisal gives before it finds a fault depends on the size of the blocks,
 * so of what is refused only the refusal is compared. What is compressed here, in one member or several, reads as the
 * plain text does.
 */
#include <isa-l/igzip_lib.h>
#include <stdio.h>
#include <stdlib.h>

#include "../unit/trace_text.h"
#include "fuzz.h"

static char *read_whole(const char *data, size_t size, size_t block_size, bool is_lenient)
{
	struct wanted wanted = {0};
	struct read_job job;
	tav_status status = read_bytes(&job, &wanted, data, size, is_lenient, block_size, NULL);
	char *dump = dump_job(&job, &wanted, status);

	if (!dump || (status && !job.error.message))
		abort();
	read_job_fini(&job);
	return dump;
}

/* Adds a member with `size` bytes of text; returns the end. */
static uint8_t *add_member(uint8_t *out, size_t room, const uint8_t *text, size_t size)
{
	struct isal_zstream stream;

	isal_deflate_stateless_init(&stream);
	stream.gzip_flag = IGZIP_GZIP;
	stream.end_of_stream = 1;
	stream.next_in = (uint8_t *)text;
	stream.avail_in = (uint32_t)size;
	stream.next_out = out;
	stream.avail_out = (uint32_t)room;
	if (isal_deflate_stateless(&stream) != COMP_OK)
		abort();
	return stream.next_out;
}

/* Where the text is cut into members, and the size of the blocks, are up to the text. */
static void try_compressed(const uint8_t *text, size_t size)
{
	size_t room = size * 2 + 1000, first = size ? text[size / 2] * size / 255 : 0, block_size = size % 300 + 1;
	uint8_t *packed = malloc(room), *end = packed;

	if (!packed)
		abort();
	end = add_member(end, room, text, first);
	end = add_member(end, room - (size_t)(end - packed), text + first, size - first);
	char *plain = read_whole((const char *)text, size, 1 << 16, true);
	char *unpacked = read_whole((const char *)packed, (size_t)(end - packed), block_size, true);
	/*
	 * The messages of other formats say whether they were compressed, and bytes that could be two of them are
	 * called one or the other.
	 */
	if (strcmp(plain, unpacked) != 0 && !strstr(plain, "the file is ") && !strstr(unpacked, "the file is ") &&
	    !strstr(unpacked, "gzip within gzip")) {
		fprintf(stderr, "compressed, it is read as\n%snot\n%s", unpacked, plain);
		abort();
	}
	free(plain);
	free(unpacked);
	free(packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const size_t block_sizes[] = {1 << 16, 1000, 13};
	char *data = malloc(size + 2);

	if (!data)
		abort();
	/* All inputs are tried as gzip: the fuzzer need not find its first two bytes. */
	memcpy(data, "\x1f\x8b", 2);
	if (size)
		memcpy(data + 2, bytes, size);
	for (int is_lenient = 0; is_lenient < 2; is_lenient++) {
		char *first = read_whole(data, size + 2, block_sizes[0], is_lenient);

		for (size_t i = 1; i < sizeof(block_sizes) / sizeof(block_sizes[0]); i++) {
			char *other = read_whole(data, size + 2, block_sizes[i], is_lenient);

			bool are_errors = !strncmp(first, "error", 5) && !strncmp(other, "error", 5);
			if (!are_errors && strcmp(first, other) != 0) {
				fprintf(stderr, "in blocks of %zu read as\n%snot\n%s", block_sizes[i], other, first);
				abort();
			}
			free(other);
		}
		free(first);
	}
	free(data);
	if (size && (size < 2 || memcmp(bytes, "\x1f\x8b", 2) != 0))
		try_compressed(bytes, size);
	return 0;
}
