/* SPDX-License-Identifier: Apache-2.0 */
#include "json.h"

#include <string.h>

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
		at++;
	return at;
}

static const char *skip_string(const char *at, const char *end)
{
	for (at++; at < end && *at != '"'; at++)
		at += *at == '\\';
	return at < end ? at + 1 : end;
}

/* Behind the value at `at`. */
static const char *skip_value(const char *at, const char *end)
{
	unsigned depth = 0;

	while (at < end) {
		if (*at == '"') {
			at = skip_string(at, end);
		} else {
			bool is_end = *at == '}' || *at == ']';

			if (!depth && (is_end || *at == ',' || *at == ':'))
				return at;
			depth += *at == '{' || *at == '[';
			depth -= is_end;
			at++;
			if (depth || !is_end)
				continue;
			return at;
		}
		if (!depth)
			return at;
	}
	return end;
}

struct json json_of(struct tav_text text)
{
	struct json value = {text.data, text.data ? text.data + text.size : text.data};

	if (value.at)
		value.at = skip_blanks(value.at, value.end);
	return value;
}

bool json_is(const struct json *value, char first)
{
	return value->at && value->at < value->end && *value->at == first;
}

bool json_first(const struct json *list, struct json *item)
{
	bool is_list = json_is(list, '[') || json_is(list, '{');

	*item = *list;
	if (!is_list)
		return false;
	item->at = skip_blanks(list->at + 1, list->end);
	return item->at < item->end && *item->at != ']' && *item->at != '}';
}

bool json_next(struct json *item)
{
	item->at = skip_blanks(skip_value(item->at, item->end), item->end);
	if (!json_is(item, ','))
		return false;
	item->at = skip_blanks(item->at + 1, item->end);
	return item->at < item->end && *item->at != ']' && *item->at != '}';
}

bool json_value(const struct json *key, struct json *value)
{
	*value = *key;
	value->at = skip_blanks(skip_value(key->at, key->end), key->end);
	if (!json_is(value, ':'))
		return false;
	value->at = skip_blanks(value->at + 1, value->end);
	return true;
}

bool json_member(const struct json *object, const char *wanted, struct json *value)
{
	struct json key;
	size_t size = strlen(wanted);

	if (!json_is(object, '{'))
		return false;
	for (bool more = json_first(object, &key); more && json_value(&key, value); more = json_next(&key)) {
		struct tav_text name = json_plain(&key);

		if (name.size == size && !memcmp(name.data, wanted, size))
			return true;
		key = *value;
	}
	return false;
}

struct tav_text json_plain(const struct json *value)
{
	struct tav_text text = {"", 0};
	const char *end;

	if (!value->at || value->at >= value->end)
		return text;
	end = skip_value(value->at, value->end);
	text.data = value->at;
	text.size = (size_t)(end - value->at);
	if (*value->at == '"' && text.size >= 2) {
		text.data++;
		text.size -= 2;
	} else {
		while (text.size && strchr(" \t\r\n", text.data[text.size - 1]))
			text.size--;
	}
	return text;
}
