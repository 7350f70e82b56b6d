/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <reader/input.h>
#include <run/read_report.h>

struct text {
	char *data;
	size_t size, capacity;
};

static bool append(struct text *text, const struct block *block)
{
	if (text->capacity - text->size < block->size) {
		size_t capacity = text->size + block->size + text->size / 2;
		char *data = realloc(text->data, capacity);

		if (!data)
			return false;
		text->data = data;
		text->capacity = capacity;
	}
	memcpy(text->data + text->size, block->data, block->size);
	text->size += block->size;
	return true;
}

tav_status report_read(const char *path, struct read_report *out, struct read_error *error, struct causes *causes)
{
	struct input *input = NULL;
	struct block block = {0};
	struct text text = {0};
	_Atomic uint64_t bytes_done = 0;
	tav_status status = TAV_OK;

	*out = (struct read_report){0};
	*error = (struct read_error){0};
	enum input_result result = input_open(&input, path, NULL, &bytes_done);
	while (result == INPUT_OK && (result = input_next(input, &block)) == INPUT_OK && block.size) {
		if (!append(&text, &block))
			result = INPUT_NO_MEMORY;
	}
	if (result == INPUT_FAILED)
		status = cause_add(causes, "%s", input_message(input));
	else if (result != INPUT_OK)
		status = cause_add(causes, "out of memory");
	else if (!report_read_text(text.data, text.size, false, out, error))
		status = TAV_FAILED;
	input_close(input);
	free(text.data);
	return status;
}
