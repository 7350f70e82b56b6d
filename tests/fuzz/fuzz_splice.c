/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events changed in their text: whatever the text, no byte beyond it is read; a JSON object stays one. Times moved
 * there and back are what they were.
 */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <write/change.h>
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

/* What is redacted and moved stays an object, and done again it is the same. */
static void check_change(const char *text, size_t size)
{
	static const uint64_t key[2] = {1, 2};
	static const struct tav_text keep[] = {{"ph", 2}, {"name", 4}, {"args", 4}, {"tid", 3}}, values[] = {{"7", 1}},
	                             json[] = {{"\"7\"", 3}};
	struct edits changed = {.is_shortened = true};
	struct splice splice = {0};
	struct bytes once = {0}, twice = {0};

	if (!size || *text != '{' || text[size - 1] != '}' || !is_object(text, size))
		return;
	bool is_ok = edits_only(&changed, "", 4, keep) && edits_only(&changed, "args", 2, keep) &&
	             edits_map(&changed, 0, NULL, "tid", 1, values, json) && edits_hide(&changed, key, 4, keep);
	struct change *change = is_ok ? change_open(&changed, 3) : NULL;
	is_ok = change && splice_open(&splice, text, size, false) && change_event(change, &splice) &&
	        splice_close(&splice) && splice_put(&splice, &once);
	if (is_ok && !is_object(once.data, once.size)) {
		fprintf(stderr, "%.*s\nbecame\n%.*s\n", (int)size, text, (int)once.size, once.data);
		abort();
	}
	changed.is_hidden = false; /* a hash of a hash is another */
	is_ok = is_ok && splice_open(&splice, once.data, once.size, false) && change_event(change, &splice) &&
	        splice_close(&splice) && splice_put(&splice, &twice);
	if (is_ok && (once.size != twice.size || memcmp(once.data, twice.data, once.size))) {
		fprintf(stderr, "%.*s\nbecame\n%.*s\nand then\n%.*s\n", (int)size, text, (int)once.size, once.data,
		        (int)twice.size, twice.data);
		abort();
	}
	change_close(change);
	splice_fini(&splice);
	bytes_fini(&once);
	bytes_fini(&twice);
	edits_fini(&changed);
}

static void check_time(const char *text, size_t size)
{
	char there[TIME_SIZE], back[TIME_SIZE], again[TIME_SIZE];

	if (size > 200) /* near the longest that is read, what is moved may be longer than that */
		return;

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
	check_change(text, size);
	check_time(text, size);
	free(text);
	return 0;
}
