/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kit/pages.h>

static size_t round_to_pages(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return bytes > SIZE_MAX - page ? 0 : (bytes + page - 1) / page * page;
}

/* ThreadSanitizer does not follow a mapping that moves: under it the bytes are copied. */
#if defined(__SANITIZE_THREAD__)
#define IS_MOVED_BY_COPY 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define IS_MOVED_BY_COPY 1
#endif
#endif

static void *map_pages(size_t size)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void *move_pages_to(const struct pages *pages, size_t size)
{
#ifdef IS_MOVED_BY_COPY
	void *data = map_pages(size);

	if (data != MAP_FAILED) {
		memcpy(data, pages->data, pages->bytes);
		munmap(pages->data, pages->bytes);
	}
	return data;
#else
	return mremap(pages->data, pages->bytes, size, MREMAP_MAYMOVE);
#endif
}

bool pages_reserve(struct pages *pages, size_t bytes)
{
	if (bytes <= pages->bytes)
		return true;
	/* Only what is touched counts as memory, so half as much again costs address space and no more. */
	size_t size = round_to_pages(bytes > SIZE_MAX / 4 ? bytes : bytes + pages->bytes / 2);
	if (!size)
		return false;
	void *data = pages->data ? move_pages_to(pages, size) : map_pages(size);
	if (data == MAP_FAILED)
		return false;
	pages->data = data;
	pages->bytes = size;
	return true;
}

bool pages_trim(struct pages *pages, size_t bytes)
{
	size_t size = round_to_pages(bytes);

	if (!size) {
		pages_free(pages);
		return true;
	}
	if (size >= pages->bytes)
		return true;
	if (munmap((char *)pages->data + size, pages->bytes - size))
		return false;
	pages->bytes = size;
	return true;
}

bool pages_seal(struct pages *pages)
{
	return !pages->data || !mprotect(pages->data, pages->bytes, PROT_READ);
}

bool pages_unseal(struct pages *pages)
{
	return !pages->data || !mprotect(pages->data, pages->bytes, PROT_READ | PROT_WRITE);
}

void pages_free(struct pages *pages)
{
	if (pages->data)
		munmap(pages->data, pages->bytes);
	pages->data = NULL;
	pages->bytes = 0;
}
