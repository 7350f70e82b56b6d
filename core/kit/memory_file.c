/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <kit/memory_file.h>

static ssize_t put(void *cookie, const char *data, size_t size)
{
	struct memory_file *file = cookie;

	if (file->capacity - file->size < size) {
		size_t capacity = file->capacity ? file->capacity * 2 : 4096;

		while (capacity - file->size < size)
			capacity *= 2;
		char *text = capacity > file->capacity ? realloc(file->text, capacity) : NULL;
		if (!text) {
			file->is_lost = true;
			errno = ENOMEM;
			return 0;
		}
		file->text = text;
		file->capacity = capacity;
	}
	memcpy(file->text + file->size, data, size);
	file->size += size;
	return (ssize_t)size;
}

/* For ftell() alone. */
static int seek(void *cookie, off64_t *to, int whence)
{
	const struct memory_file *file = cookie;

	if (*to || whence == SEEK_SET)
		return -1;
	*to = (off64_t)file->size;
	return 0;
}

bool memory_file_open(struct memory_file *file)
{
	*file = (struct memory_file){0};
	file->out = fopencookie(file, "w", (cookie_io_functions_t){.write = put, .seek = seek});
	return file->out;
}

bool memory_file_flush(struct memory_file *file)
{
	return fflush(file->out) == 0 && !ferror(file->out) && !file->is_lost;
}

bool memory_file_close(struct memory_file *file)
{
	bool is_whole = memory_file_flush(file);

	is_whole &= fclose(file->out) == 0;
	file->out = NULL;
	if (!is_whole) {
		free(file->text);
		file->text = NULL;
		file->size = 0;
	}
	return is_whole;
}
