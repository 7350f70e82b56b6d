/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a fuzz target without libFuzzer: over the files of a folder as they are, then over mutations of them.
 *   fuzz_X_corpus FOLDER [MUTATIONS [SEED]]
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { MAX_FILES = 1024, MAX_BYTES = 1 << 16, MAX_TRIED = 1 << 14 };

struct text {
	uint8_t *bytes;
	size_t size;
};

static uint64_t state;

static size_t below(size_t limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return limit ? (size_t)(state >> 11) % limit : 0;
}

static int load(const char *path, struct text *text)
{
	FILE *file = fopen(path, "rb");

	text->bytes = file ? malloc(MAX_BYTES) : NULL;
	text->size = text->bytes ? fread(text->bytes, 1, MAX_BYTES, file) : 0;
	return file ? fclose(file) || !text->bytes : 1;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Puts `piece` in the place of `removed` bytes. */
static size_t splice(uint8_t *text, size_t size, size_t at, size_t removed, const void *piece, size_t piece_size)
{
	if (removed > size - at)
		removed = size - at;
	if (size - removed + piece_size > MAX_TRIED)
		return size;
	memmove(text + at + piece_size, text + at + removed, size - at - removed);
	memcpy(text + at, piece, piece_size);
	return size - removed + piece_size;
}

static size_t mutate(uint8_t *text, size_t size, const struct text *texts, size_t count)
{
	static const char *const tokens[] = {"{",
	                                     "}",
	                                     "[",
	                                     "]",
	                                     ",",
	                                     ":",
	                                     "\"",
	                                     "\\",
	                                     "\n",
	                                     " ",
	                                     "\t",
	                                     "\v",
	                                     "\f",
	                                     "\r",
	                                     "-",
	                                     "+",
	                                     ".",
	                                     "e",
	                                     "E",
	                                     "0",
	                                     "1",
	                                     "9",
	                                     "true",
	                                     "false",
	                                     "null",
	                                     "NaN",
	                                     "Infinity",
	                                     "-inf",
	                                     "\"\"",
	                                     "{}",
	                                     "[]",
	                                     "\\u0000",
	                                     "\\ud834",
	                                     "\\udd1e",
	                                     "\\u00e9",
	                                     "\\n",
	                                     "\\x",
	                                     "\xff",
	                                     "\xc3\xa9",
	                                     "\xed\xa0\x80",
	                                     "\x01",
	                                     "\x7f",
	                                     "1e400",
	                                     "-0",
	                                     "1e-999999999",
	                                     "0.0005",
	                                     "123456789012345678901",
	                                     "\"ph\":",
	                                     "\"ts\":",
	                                     "\"dur\":",
	                                     "\"args\":",
	                                     "\"attr\":",
	                                     "\"a\":",
	                                     "\"stream\":",
	                                     "\"name\":",
	                                     "\"traceEvents\":",
	                                     "\"X\"",
	                                     "\"B\"",
	                                     "\"E\"",
	                                     "},{",
	                                     "}\n{",
	                                     "\"args\":{\"a\":",
	                                     "/*",
	                                     "//",
	                                     "'"};
	uint8_t piece[64];

	for (size_t step = below(4) + 1; step; step--) {
		size_t at = below(size + 1), length;

		switch (below(6)) {
		case 0:
		case 1: {
			const char *token = tokens[below(sizeof(tokens) / sizeof(tokens[0]))];

			size = splice(text, size, at, below(2) ? strlen(token) : 0, token, strlen(token));
			break;
		}
		case 2:
			size = splice(text, size, at, below(8) + 1, "", 0);
			break;
		case 3:
			piece[0] = (uint8_t)below(256);
			size = splice(text, size, at, 1, piece, 1);
			break;
		case 4: /* the same again */
			length = below(size - at < sizeof(piece) ? size - at + 1 : sizeof(piece));
			memcpy(piece, text + at, length);
			size = splice(text, size, at, 0, piece, length);
			break;
		default: {
			const struct text *other = &texts[below(count)];
			size_t from = below(other->size + 1);

			length = below(other->size - from < sizeof(piece) ? other->size - from + 1 : sizeof(piece));
			size = splice(text, size, at, below(length + 1), other->bytes + from, length);
		}
		}
	}
	return size;
}

int main(int argc, char **argv)
{
	static struct text texts[MAX_FILES];
	static uint8_t tried[MAX_TRIED];
	char *names[MAX_FILES], path[4096];
	size_t count = 0;
	DIR *folder = argc > 1 ? opendir(argv[1]) : NULL;
	const char *mutations = argc > 2 ? argv[2] : "0", *seed = argc > 3 ? argv[3] : "1";

	if (!folder) {
		fprintf(stderr, "usage: %s FOLDER [MUTATIONS [SEED]]\n", argv[0]);
		return 2;
	}
	for (struct dirent *entry; count < MAX_FILES && (entry = readdir(folder));) {
		if (entry->d_name[0] != '.' && (names[count] = strdup(entry->d_name)))
			count++;
	}
	closedir(folder);
	qsort(names, count, sizeof(names[0]), by_name);
	for (size_t i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s", argv[1], names[i]);
		if (load(path, &texts[i])) {
			fprintf(stderr, "cannot read %s\n", path);
			return 2;
		}
		free(names[i]);
		LLVMFuzzerTestOneInput(texts[i].bytes, texts[i].size);
	}
	state = strtoull(seed, NULL, 10) * 2 + 1;
	unsigned long left = count ? strtoul(mutations, NULL, 10) : 0;
	for (unsigned long i = 0; i < left; i++) {
		const struct text *text = &texts[below(count)];
		size_t size = text->size < MAX_TRIED ? text->size : MAX_TRIED;

		memcpy(tried, text->bytes, size);
		LLVMFuzzerTestOneInput(tried, mutate(tried, size, texts, count));
	}
	for (size_t i = 0; i < count; i++)
		free(texts[i].bytes);
	printf("%zu files and %lu mutations\n", count, left);
	return count ? 0 : 1;
}
