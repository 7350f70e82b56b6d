/* SPDX-License-Identifier: Apache-2.0 */
#include <stdalign.h>
#include <stdint.h>
#include <sys/mman.h>

#include <kit/vault.h>

enum { BLOCK_BYTES = 64 << 10 };

struct vault_block { /* at the start of its own mapping */
	struct vault_block *older;
	size_t bytes, used;
};

static const size_t head_bytes = (sizeof(struct vault_block) + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);

void *vault_alloc(struct vault *vault, size_t bytes)
{
	if (vault->is_sealed || bytes > SIZE_MAX / 2)
		return NULL;
	bytes = (bytes + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
	struct vault_block *block = vault->newest;
	if (!block || block->bytes - block->used < bytes) {
		size_t size = (head_bytes + bytes + BLOCK_BYTES - 1) & ~(size_t)(BLOCK_BYTES - 1);

		block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (block == MAP_FAILED)
			return NULL;
		*block = (struct vault_block){vault->newest, size, head_bytes};
		vault->newest = block;
	}
	void *memory = (char *)block + block->used;
	block->used += bytes;
	return memory;
}

bool vault_seal(struct vault *vault)
{
	bool is_done = true;

	vault->is_sealed = true;
	for (struct vault_block *block = vault->newest; block; block = block->older)
		is_done = !mprotect(block, block->bytes, PROT_READ) && is_done;
	return is_done;
}

void vault_free(struct vault *vault)
{
	for (struct vault_block *block = vault->newest; block;) {
		struct vault_block *older = block->older;

		munmap(block, block->bytes);
		block = older;
	}
	*vault = (struct vault){0};
}
