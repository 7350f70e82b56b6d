/* SPDX-License-Identifier: Apache-2.0 */
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <kit/arena.h>
#include <kit/crash.h>

enum {
	BLOCK_BYTES = 32 << 10,
	ALIGNMENT = 16,
	FIRST_PAGED_BYTES = 16 << 10, /* blocks of pages double from here on, so that they are few */
	LAST_PAGED_BYTES = 64 << 20
};

struct arena_block {
	struct arena_block *older;
	size_t used, size;
	size_t mapped; /* bytes of the mapping; 0: of malloc() */
	alignas(ALIGNMENT) unsigned char bytes[];
};

static struct arena_block *make_block(size_t size)
{
	/* Large ones come from the system with zeros: what of them is never used costs nothing. */
	struct arena_block *block = calloc(1, sizeof(*block) + size);

	if (block)
		block->size = size;
	return block;
}

/* What the last block cannot hold gets one at least twice as large. */
static struct arena_block *map_block(const struct arena_block *last, size_t needed)
{
	size_t mapped = last ? last->mapped * 2 : FIRST_PAGED_BYTES;

	if (mapped > LAST_PAGED_BYTES)
		mapped = LAST_PAGED_BYTES;
	if (mapped < needed + sizeof(*last))
		mapped = (needed + sizeof(*last) + FIRST_PAGED_BYTES - 1) / FIRST_PAGED_BYTES * FIRST_PAGED_BYTES;
	struct arena_block *block = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (block == MAP_FAILED)
		return NULL;
	*block = (struct arena_block){.size = mapped - sizeof(*block), .mapped = mapped};
	return block;
}

void *arena_alloc(struct arena *arena, size_t bytes)
{
	struct arena_block *block = arena->newest;

	if (bytes > SIZE_MAX / 2)
		return NULL;
	size_t needed = bytes ? (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT;
	if (!block || block->size - block->used < needed) {
		size_t size = needed > BLOCK_BYTES ? needed : BLOCK_BYTES;

		block = arena->is_paged ? map_block(block, needed) : make_block(size);
		if (!block)
			return NULL;
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
	return data;
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
		if (block->mapped)
			munmap(block, block->mapped);
		else
			free(block);
	}
}

size_t arena_bytes(const struct arena *arena)
{
	size_t bytes = 0;

	for (const struct arena_block *block = arena->newest; block; block = block->older)
		bytes += block->used;
	return bytes;
}

static bool protect(const struct arena *arena, int protection)
{
	bool is_done = true;

	for (struct arena_block *block = arena->newest; block; block = block->older) {
		if (block->mapped)
			is_done = !mprotect(block, block->mapped, protection) && is_done;
	}
	return is_done;
}

bool arena_seal(const struct arena *arena)
{
	return protect(arena, PROT_READ);
}

void arena_unseal(const struct arena *arena)
{
	if (!protect(arena, PROT_READ | PROT_WRITE))
		crash_no_memory("what was read-only cannot be made writable again");
}
