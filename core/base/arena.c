/* SPDX-License-Identifier: Apache-2.0 */
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <base/arena.h>

enum { BLOCK_BYTES = 32 << 10, ALIGNMENT = 16 };

struct arena_block {
	struct arena_block *older;
	size_t used, size;
	alignas(ALIGNMENT) unsigned char bytes[];
};

void *arena_alloc(struct arena *arena, size_t bytes)
{
	struct arena_block *block = arena->newest;

	if (bytes > SIZE_MAX / 2)
		return NULL;
	size_t needed = bytes ? (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT;
	if (!block || block->size - block->used < needed) {
		size_t size = needed > BLOCK_BYTES ? needed : BLOCK_BYTES;

		block = malloc(sizeof(*block) + size);
		if (!block)
			return NULL;
		block->used = 0;
		block->size = size;
		if (arena->newest && needed > BLOCK_BYTES / 2) { /* keep filling the block that has room */
			block->older = arena->newest->older;
			arena->newest->older = block;
		} else {
			block->older = arena->newest;
			arena->newest = block;
		}
	}
	void *data = block->bytes + block->used;
	block->used += needed;
	return memset(data, 0, needed);
}

void *arena_array(struct arena *arena, size_t count, size_t item_size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, item_size, &bytes))
		return NULL;
	return arena_alloc(arena, bytes);
}

char *arena_copy(struct arena *arena, const char *data, size_t size)
{
	char *copy = arena_alloc(arena, size + 1);

	if (copy && size)
		memcpy(copy, data, size);
	return copy;
}

struct tav_text arena_text(struct arena *arena, struct tav_text text)
{
	return (struct tav_text){arena_copy(arena, text.data, text.size), text.size};
}

char *arena_vprintf(struct arena *arena, const char *format, va_list args)
{
	va_list again;

	va_copy(again, args);
	int size = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (size < 0)
		return NULL;
	char *text = arena_alloc(arena, (size_t)size + 1);
	if (text)
		vsnprintf(text, (size_t)size + 1, format, args);
	return text;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	char *text = arena_vprintf(arena, format, args);
	va_end(args);
	return text;
}

void arena_fini(struct arena *arena)
{
	while (arena->newest) {
		struct arena_block *block = arena->newest;

		arena->newest = block->older;
		free(block);
	}
}
