/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <json-c/json.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <base/format.h>
#include <base/text.h>
#include <report/json_out.h>

/* Bad UTF-8 becomes the text \xNN; returns NULL when there was none, or no memory. */
static char *repair(struct tav_text text, size_t *size)
{
	size_t bad = utf8_count_bad(text.data, text.size);
	char *copy = text.size <= SIZE_MAX / 5 ? malloc(text.size + 3 * bad + 1) : NULL, *end = copy;

	if (!copy)
		return NULL;
	for (size_t i = 0; i < text.size;) {
		size_t length = utf8_length(text.data + i, text.size - i);

		if (length) {
			memcpy(end, text.data + i, length);
			end += length;
			i += length;
		} else {
			end += sprintf(end, "\\x%02x", (unsigned char)text.data[i++]);
		}
	}
	*size = (size_t)(end - copy);
	return copy;
}

static void print_string(struct json_out *json, struct tav_text text)
{
	char *copy = NULL;

	if (text.size && utf8_count_bad(text.data, text.size)) {
		copy = repair(text, &text.size);
		if (!copy) {
			json->failed = true;
			return;
		}
		text.data = copy;
	}
	struct json_object *string =
	        text.size <= INT_MAX ? json_object_new_string_len(text.data, (int)text.size) : NULL;
	const char *escaped = string ? json_object_to_json_string_ext(string, JSON_C_TO_STRING_NOSLASHESCAPE) : NULL;
	if (escaped)
		fputs(escaped, json->out);
	else
		json->failed = true;
	json_object_put(string);
	free(copy);
}

static void begin(struct json_out *json, const char *key)
{
	bool is_flat = json->flat && json->depth >= json->flat;

	if (json->has_items)
		fputs(is_flat ? ", " : ",", json->out);
	if (!is_flat && json->depth) {
		putc('\n', json->out);
		for (unsigned i = 0; i < json->depth; i++)
			fputs("  ", json->out);
	}
	json->has_items = true;
	if (key) {
		print_string(json, text_of(key));
		fputs(": ", json->out);
	}
}

void emit_open(struct json_out *json, const char *key, char bracket)
{
	begin(json, key);
	putc(bracket, json->out);
	json->depth++;
	json->has_items = false;
}

void emit_open_flat(struct json_out *json, const char *key, char bracket)
{
	emit_open(json, key, bracket);
	if (!json->flat)
		json->flat = json->depth;
}

void emit_close(struct json_out *json, char bracket)
{
	bool is_flat = json->flat && json->depth >= json->flat;

	if (json->depth == json->flat)
		json->flat = 0;
	json->depth--;
	if (json->has_items && !is_flat) {
		putc('\n', json->out);
		for (unsigned i = 0; i < json->depth; i++)
			fputs("  ", json->out);
	}
	putc(bracket, json->out);
	json->has_items = true;
	if (!json->depth)
		putc('\n', json->out);
}

void emit_text(struct json_out *json, const char *key, struct tav_text text)
{
	begin(json, key);
	print_string(json, text);
}

void emit_chars(struct json_out *json, const char *key, const char *chars)
{
	if (chars)
		emit_text(json, key, text_of(chars));
	else
		emit_null(json, key);
}

void emit_integer(struct json_out *json, const char *key, int64_t value)
{
	begin(json, key);
	fprintf(json->out, "%" PRId64, value);
}

void emit_size(struct json_out *json, const char *key, uint64_t value)
{
	begin(json, key);
	fprintf(json->out, "%" PRIu64, value);
}

void emit_real(struct json_out *json, const char *key, double value)
{
	char text[FORMAT_SIZE];

	if (!isfinite(value)) { /* cannot come in through the report, and must not go out as no JSON */
		emit_null(json, key);
		return;
	}
	begin(json, key);
	fputs(format_double(text, value), json->out);
}

void emit_bool(struct json_out *json, const char *key, bool value)
{
	begin(json, key);
	fputs(value ? "true" : "false", json->out);
}

void emit_null(struct json_out *json, const char *key)
{
	begin(json, key);
	fputs("null", json->out);
}
