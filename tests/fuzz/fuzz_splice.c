/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events changed in their text: whatever the text, no byte beyond it is read; a JSON object stays one. Times moved
 * there and back are what they were.
 */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <write/times.h>

#include "fuzz.h"

static const struct member_edit edits[] = {
        {"tid", NULL, {"8", 1}},        {"ts", "args.orig_ts", {"2.5", 3}}, {"dur", NULL, {"", 0}},
        {"args.stream", NULL, {"", 0}}, {"args.new", NULL, {"[1]", 3}},     {"id", NULL, {"\"0x1\"", 5}},
};

/* Is it a JSON object, as a strict parser has it? */
static bool is_object(const char *text, size_t size)
{
	struct json_tokener *parser = json_tokener_new();
	struct json_object *value;

	if (!parser)
		return false;
	json_tokener_set_flags(parser, JSON_TOKENER_STRICT);
	value = json_tokener_parse_ex(parser, text, (int)size);
	bool is_right = json_tokener_get_error(parser) == json_tokener_success &&
	                json_object_is_type(value, json_type_object) && json_tokener_get_parse_end(parser) == size;
	json_object_put(value);
	json_tokener_free(parser);
	return is_right;
}

static void check_event(const char *text, size_t size)
{
	bool was_object = size && *text == '{' && text[size - 1] == '}' && is_object(text, size);

	for (unsigned first = 0; was_object && first < sizeof(edits) / sizeof(edits[0]); first++) {
		struct bytes out = {0};

		for (unsigned count = 1; first + count <= sizeof(edits) / sizeof(edits[0]); count++) {
			out.size = 0;
			if (splice_event(&out, text, size, edits + first, count) && !is_object(out.data, out.size)) {
				fprintf(stderr, "%.*s\nbecame\n%.*s\n", (int)size, text, (int)out.size, out.data);
				abort();
			}
		}
		bytes_fini(&out);
	}
}

static void check_time(const char *text, size_t size)
{
	char there[TIME_SIZE], back[TIME_SIZE], again[TIME_SIZE];

	for (unsigned digits = 0; digits <= 9; digits += 3) {
		size_t there_size = time_move(there, text, size, 1234567, digits);
		size_t back_size = there_size ? time_move(back, there, there_size, -1234567, digits) : 0;

		if (there_size && (!back_size || time_move(again, back, back_size, 1234567, digits) != there_size ||
		                   memcmp(again, there, there_size)))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size ? size : 1); /* of its exact size, so that what reads beyond it is seen */

	if (!text || !size || size > 1 << 16) {
		free(text);
		return 0;
	}
	memcpy(text, data, size);
	check_event(text, size);
	check_time(text, size);
	free(text);
	return 0;
}
