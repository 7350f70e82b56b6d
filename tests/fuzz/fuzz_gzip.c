/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes compressed input: whatever it is, it is read to the same end in blocks of any size, or refused with a reason,
 * and nothing is read beyond memory. How much libisal gives before it finds a fault depends on the size of the blocks,
 * so of what is refused only the refusal is compared.
 */
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
	return 0;
}
