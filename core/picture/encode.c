/* SPDX-License-Identifier: Apache-2.0 */
#include <picture/encode.h>
#include <string.h>

bool bytes_reserve(struct bytes *bytes, struct arena *arena, size_t more)
{
	size_t capacity = bytes->capacity ? bytes->capacity : 64;
	unsigned char *data;

	if (bytes->capacity - bytes->size >= more)
		return true;
	while (capacity - bytes->size < more) {
		if (capacity > SIZE_MAX / 2)
			return false;
		capacity *= 2;
	}
	data = arena_alloc(arena, capacity);
	if (!data)
		return false;
	if (bytes->size)
		memcpy(data, bytes->data, bytes->size);
	bytes->data = data;
	bytes->capacity = capacity;
	return true;
}

void bytes_varint(struct bytes *bytes, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		bytes->data[bytes->size++] = (unsigned char)(value | 0x80);
	bytes->data[bytes->size++] = (unsigned char)value;
}

void emit_base64(struct json_out *json, const char *key, const struct bytes *bytes)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char text[4 * 256];

	emit_raw(json, key, "\"", 1);
	for (size_t at = 0; at < bytes->size;) {
		size_t used = 0;

		for (; at < bytes->size && used < sizeof(text); at += 3) {
			size_t left = bytes->size - at;
			unsigned bits = (unsigned)bytes->data[at] << 16;

			bits |= left > 1 ? (unsigned)bytes->data[at + 1] << 8 : 0;
			bits |= left > 2 ? bytes->data[at + 2] : 0;
			text[used++] = letters[bits >> 18];
			text[used++] = letters[bits >> 12 & 63];
			text[used++] = left > 1 ? letters[bits >> 6 & 63] : '=';
			text[used++] = left > 2 ? letters[bits & 63] : '=';
		}
		fwrite(text, 1, used, json->out);
	}
	putc('"', json->out);
}

bool emit_bins(struct json_out *json, const char *key, struct arena *arena, const uint64_t *all, const uint64_t *above,
               uint64_t count, uint64_t whole)
{
	struct bytes bytes = {0};
	bool is_empty = true;

	if (!bytes_reserve(&bytes, arena, count * 2))
		return false;
	for (uint64_t i = 0; i < count;) {
		uint64_t ns = all[i] - (above ? above[i] : 0), zeros = 0;

		if (ns) {
			bytes.data[bytes.size++] = (unsigned char)(((__uint128_t)ns * 255 + whole - 1) / whole);
			is_empty = false;
			i++;
			continue;
		}
		while (i < count && zeros < 256 && all[i] == (above ? above[i] : 0)) {
			zeros++;
			i++;
		}
		bytes.data[bytes.size++] = 0;
		bytes.data[bytes.size++] = (unsigned char)(zeros - 1);
	}
	if (is_empty)
		emit_null(json, key);
	else
		emit_base64(json, key, &bytes);
	return true;
}
