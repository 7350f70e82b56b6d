/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <string.h>

#include <report/anonymous.h>

static bool is_separator(char byte)
{
	return byte == '/' || byte == '\\';
}

static bool is_blank(char byte)
{
	return byte == ' ';
}

/* What stands within a path; blanks may too, see path_end(). */
static bool is_path(char byte)
{
	return (unsigned char)byte > ' ' && byte != 0x7f && !strchr("\"'`,;:()[]{}<>|=*?", byte);
}

/* Does the word that begins there go on with a part of a path? "/home/Jo Doe/x" is one path. */
static bool is_part(struct tav_text text, size_t at)
{
	if (at < text.size && is_separator(text.data[at]))
		return false;
	while (at < text.size && is_path(text.data[at])) {
		if (is_separator(text.data[at++]))
			return true;
	}
	return false;
}

static size_t path_end(struct tav_text text, size_t at)
{
	while (at < text.size && (is_path(text.data[at]) || (is_blank(text.data[at]) && is_part(text, at + 1))))
		at++;
	return at;
}

/* "/", "~/" and "C:\" where nothing of a path stands before. */
static bool begins(struct tav_text text, size_t at)
{
	if (at && (is_path(text.data[at - 1])))
		return false;
	if (text.data[at] == '/')
		return true;
	if (text.data[at] == '~')
		return at + 1 < text.size && is_separator(text.data[at + 1]);
	return text.size - at > 2 && text.data[at + 1] == ':' && text.data[at + 2] == '\\';
}

struct tav_text path_to_hide(struct tav_text text)
{
	for (size_t at = 0; at < text.size; at++) {
		char byte = text.data[at];

		if (byte != '/' && byte != '~' && !(at + 2 < text.size && text.data[at + 1] == ':'))
			continue;
		if (!begins(text, at))
			continue;
		size_t end = path_end(text, byte == '/' || byte == '~' ? at : at + 2), last = end, parts = 0;
		while (last > at && parts < 2) { /* back to the separator before the last two parts */
			bool is_end = is_separator(text.data[--last]);

			parts += is_end && last + 1 < end && !is_separator(text.data[last + 1]);
		}
		if (parts == 2 && last > at)
			return (struct tav_text){text.data + at, last - at};
		at = end > at ? end - 1 : at;
	}
	return (struct tav_text){NULL, 0};
}

const char *path_base(const char *path)
{
	const char *base = path;

	for (const char *at = path; *at; at++) {
		if (is_separator(*at) && at[1])
			base = at + 1;
	}
	return base;
}
