/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include <run/list.h>

enum { MOST_BYTES = 1 << 30 }; /* of a list */

static struct list_line line_of(struct arena *arena, const char *line, size_t size)
{
	struct list_line result = {0};
	size_t digits = 0;

	while (digits < size && line[digits] >= '0' && line[digits] <= '9' && digits < 19)
		digits++;
	if (digits && digits + 1 < size && line[digits] == '\t') {
		for (size_t i = 0; i < digits; i++)
			result.bytes = result.bytes * 10 + (uint64_t)(line[i] - '0');
		line += digits + 1;
		size -= digits + 1;
	}
	result.path = arena_copy(arena, line, size);
	return result;
}

tav_status list_parse(struct list *list, const char *text, size_t size, struct arena *arena, struct causes *causes)
{
	XXH3_state_t *state = XXH3_createState();
	size_t most = 1;

	for (size_t i = 0; i < size; i++)
		most += text[i] == '\n';
	*list = (struct list){.lines = arena_array(arena, most, sizeof(*list->lines))};
	if (!state || XXH3_64bits_reset(state) || !list->lines || most >= UINT32_MAX) {
		XXH3_freeState(state);
		return cause_add(causes, "out of memory for a list of %zu lines", most);
	}
	tav_status status = TAV_OK;
	for (size_t at = 0, next; at < size && !status; at = next) {
		const char *newline = memchr(text + at, '\n', size - at);
		size_t length = newline ? (size_t)(newline - text) - at : size - at;

		next = at + length + 1;
		if (length && text[at + length - 1] == '\r')
			length--;
		if (!length)
			continue;
		if (memchr(text + at, '\0', length)) {
			status = cause_add(causes, "line %u has a NUL character: no list of paths", list->count + 1);
			break;
		}
		struct list_line line = line_of(arena, text + at, length);
		if (!line.path)
			status = cause_add(causes, "out of memory for a list of %zu lines", most);
		else
			list->lines[list->count++] = line;
		XXH3_64bits_update(state, text + at, length);
		XXH3_64bits_update(state, "\n", 1);
	}
	list->hash = XXH3_64bits_digest(state);
	XXH3_freeState(state);
	return status;
}

tav_status list_read(struct list *list, const char *path, struct arena *arena, struct causes *causes)
{
	bool is_stdin = !strcmp(path, "-");
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	size_t size = 0, capacity = 0;
	char *text = NULL;
	tav_status status = fd < 0 ? cause_add(causes, "cannot read the list '%s': %s", path, strerror(errno)) : TAV_OK;

	while (!status) {
		if (size == capacity) {
			capacity = capacity ? capacity * 2 : 65536;
			char *larger = capacity <= MOST_BYTES ? realloc(text, capacity) : NULL;
			if (!larger) {
				status = cause_add(causes, "the list '%s' is too large", path);
				break;
			}
			text = larger;
		}
		ssize_t got = read(fd, text + size, capacity - size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			status = cause_add(causes, "cannot read the list '%s': %s", path, strerror(errno));
		if (got <= 0)
			break;
		size += (size_t)got;
	}
	if (fd >= 0 && !is_stdin)
		close(fd);
	if (!status && list_parse(list, text, size, arena, causes))
		status = cause_add(causes, "cannot use the list '%s'", path);
	free(text);
	return status;
}

struct load { /* of a part */
	uint64_t bytes;
	uint32_t part;
};
struct weight { /* of a line */
	uint64_t bytes;
	uint32_t line;
};

static int heaviest_first(const void *a, const void *b)
{
	const struct weight *first = a, *second = b;

	if (first->bytes != second->bytes)
		return first->bytes < second->bytes ? 1 : -1;
	return first->line < second->line ? -1 : 1;
}

static bool is_lighter(const struct load *a, const struct load *b)
{
	return a->bytes != b->bytes ? a->bytes < b->bytes : a->part < b->part;
}

/* The first of the heap has become heavier. */
static void sift_down(struct load *heap, uint32_t n)
{
	for (uint32_t at = 0;;) {
		uint32_t child = 2 * at + 1;

		if (child >= n)
			return;
		if (child + 1 < n && is_lighter(&heap[child + 1], &heap[child]))
			child++;
		if (!is_lighter(&heap[child], &heap[at]))
			return;
		struct load load = heap[at];
		heap[at] = heap[child];
		heap[child] = load;
		at = child;
	}
}

static uint64_t mean_bytes(const struct list *list)
{
	uint64_t sum = 0, count = 0;

	for (uint32_t i = 0; i < list->count; i++) {
		uint64_t larger;

		if (!list->lines[i].bytes || __builtin_add_overflow(sum, list->lines[i].bytes, &larger))
			continue;
		sum = larger;
		count++;
	}
	return count && sum / count ? sum / count : 1;
}

bool list_parts(const struct list *list, uint32_t n, uint32_t *parts)
{
	struct weight *weights = calloc((size_t)list->count + 1, sizeof(*weights));
	struct load *heap = calloc((size_t)n + 1, sizeof(*heap)); /* the lightest part first */
	uint64_t mean = mean_bytes(list);
	bool is_ok = weights && heap;

	for (uint32_t i = 0; is_ok && i < n; i++)
		heap[i] = (struct load){0, i + 1};
	for (uint32_t i = 0; is_ok && i < list->count; i++)
		weights[i] = (struct weight){list->lines[i].bytes ? list->lines[i].bytes : mean, i};
	if (is_ok)
		qsort(weights, list->count, sizeof(*weights), heaviest_first);
	for (uint32_t i = 0; is_ok && i < list->count; i++) {
		parts[weights[i].line] = heap[0].part;
		if (__builtin_add_overflow(heap[0].bytes, weights[i].bytes, &heap[0].bytes))
			heap[0].bytes = UINT64_MAX;
		sift_down(heap, n);
	}
	free(weights);
	free(heap);
	return is_ok;
}
