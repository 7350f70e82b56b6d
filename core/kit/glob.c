/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <kit/glob.h>
#include <kit/text.h>

/* The bytes of one character as a number: larger for a later character, as code points are. A bad byte is one too. */
static uint32_t character_at(const char *at, size_t left, size_t *size)
{
	size_t length = left ? utf8_length(at, left) : 0;
	uint32_t number = 0;

	*size = length ? length : 1;
	for (size_t i = 0; i < *size; i++)
		number = number << 8 | (unsigned char)at[i];
	return number;
}

static uint32_t next_of(const char **pattern)
{
	size_t size;
	uint32_t number = character_at(*pattern, strnlen(*pattern, 4), &size);

	*pattern += size;
	return number;
}

static bool is_in_brackets(const char *pattern, uint32_t wanted, const char **behind)
{
	bool is_negated = pattern[1] == '!' || pattern[1] == '^', is_in = false;
	const char *at = pattern + 1 + is_negated;

	do { /* a ']' that stands first is a character like others */
		uint32_t first = next_of(&at), last = first;

		if (*at == '-' && at[1] && at[1] != ']') {
			at++;
			last = next_of(&at);
		}
		is_in |= first <= wanted && wanted <= last;
	} while (*at && *at != ']');
	*behind = at + (*at == ']');
	return is_in != is_negated;
}

/* The first element of a pattern that goes on, which is no `*`, and one character. */
static bool match_one(const char *pattern, uint32_t wanted, const char **behind)
{
	*behind = pattern + 1;
	if (*pattern == '?')
		return true;
	if (*pattern == '[')
		return is_in_brackets(pattern, wanted, behind);
	*behind = pattern += *pattern == '\\' && pattern[1];
	return next_of(behind) == wanted;
}

bool glob_match(const char *pattern, struct tav_text text)
{
	const char *star = NULL; /* behind the last one, which took the characters before `taken` */
	size_t at = 0, taken = 0, size;

	while (at < text.size) {
		uint32_t wanted = character_at(text.data + at, text.size - at, &size);
		const char *behind;

		if (*pattern == '*') {
			star = ++pattern;
			taken = at;
		} else if (*pattern && match_one(pattern, wanted, &behind)) {
			pattern = behind;
			at += size;
		} else if (star) { /* the last star takes one more; what an earlier one took can stay */
			character_at(text.data + taken, text.size - taken, &size);
			taken += size;
			at = taken;
			pattern = star;
		} else {
			return false;
		}
	}
	return !pattern[strspn(pattern, "*")];
}

const char *glob_error(const char *pattern)
{
	if (!*pattern)
		return "is empty, and matches nothing";
	for (const char *at = pattern; *at; at++) {
		if (*at == '\\') {
			if (!*++at)
				return "ends with a backslash, and nothing stands behind it";
			continue;
		}
		if (*at != '[')
			continue;
		at += at[1] == '!' || at[1] == '^';
		at = at[1] ? strchr(at + 2, ']') : NULL;
		if (!at)
			return "has a '[' without its ']'";
	}
	return NULL;
}
