/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <kit/format.h>
#include <kit/text.h>
#include <report/anonymous.h>
#include <report/json_out.h>

static void print_byte(struct json_out *json, unsigned char byte)
{
	static const char plain[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
	const char *found = byte ? strchr(plain, byte) : NULL;

	if (found)
		fprintf(json->out, "\\%c", letters[found - plain]);
	else
		fprintf(json->out, "\\u%04x", byte);
}

/* Bad UTF-8 becomes the text \xNN. */
static void print_part(struct json_out *json, struct tav_text text)
{
	size_t from = 0, at = 0;

	while (at < text.size) {
		unsigned char byte = (unsigned char)text.data[at];
		size_t length = byte < 0x80 ? 1 : utf8_length(text.data + at, text.size - at);

		if (length && byte >= 0x20 && byte != '"' && byte != '\\') {
			at += length;
			continue;
		}
		fwrite(text.data + from, 1, at - from, json->out);
		if (length)
			print_byte(json, byte);
		else
			fprintf(json->out, "\\\\x%02x", byte);
		from = ++at;
	}
	fwrite(text.data + from, 1, at - from, json->out);
}

static void print_string(struct json_out *json, struct tav_text text)
{
	putc('"', json->out);
	for (struct tav_text path; json->is_anonymous && (path = path_to_hide(text)).size;) {
		print_part(json, (struct tav_text){text.data, (size_t)(path.data - text.data)});
		fputs("...", json->out);
		text.size -= (size_t)(path.data + path.size - text.data);
		text.data = path.data + path.size;
	}
	print_part(json, text);
	putc('"', json->out);
}

static void begin(struct json_out *json, const char *key)
{
	bool is_flat = json->flat && json->depth >= json->flat;

	if (json->has_items)
		fputs(is_flat && !json->is_compact ? ", " : ",", json->out);
	if (!is_flat && !json->is_compact && json->depth) {
		putc('\n', json->out);
		for (unsigned i = 0; i < json->depth; i++)
			fputs("  ", json->out);
	}
	json->has_items = true;
	if (key) {
		print_string(json, text_of(key));
		fputs(json->is_compact ? ":" : ": ", json->out);
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
	if (json->has_items && !is_flat && !json->is_compact) {
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

void emit_hash(struct json_out *json, const char *key, uint64_t value)
{
	begin(json, key);
	fprintf(json->out, "\"%016" PRIx64 "\"", value);
}

void emit_raw(struct json_out *json, const char *key, const char *text, size_t size)
{
	begin(json, key);
	fwrite(text, 1, size, json->out);
}
