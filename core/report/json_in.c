/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kit/text.h>
#include <report/json_in.h>

enum { DEEPEST = 64, LONGEST_NUMBER = 48 };

bool in_fail(struct json_in *in, size_t at, const char *format, ...)
{
	va_list args;

	if (in->message)
		return false;
	va_start(args, format);
	in->message = arena_vprintf(in->arena, format, args);
	va_end(args);
	if (!in->message)
		return in_lack_memory(in, at);
	in->wrong_at = at;
	return false;
}

bool in_lack_memory(struct json_in *in, size_t at)
{
	if (!in->message) {
		in->message = "out of memory";
		in->is_out_of_memory = true;
		in->wrong_at = at;
	}
	return false;
}

static char peek(const struct json_in *in)
{
	return in->at < in->size ? in->text[in->at] : '\0';
}

size_t in_place(struct json_in *in)
{
	while (in->at < in->size && strchr(" \t\r\n", in->text[in->at]) && in->text[in->at])
		in->at++;
	return in->at;
}

/* What stands here, in words. */
static const char *found(const struct json_in *in)
{
	size_t left = in->size - in->at, size = left < 24 ? left : 24;

	if (!left)
		return "the end of the file";
	struct tav_text safe = {in->text + in->at, size};
	char escaped[128];
	text_escape(escaped, sizeof(escaped), safe);
	const char *words = arena_printf(in->arena, "'%s'", escaped);
	return words ? words : "something else";
}

static bool expect(struct json_in *in, char byte)
{
	in_place(in);
	if (in->message)
		return false;
	if (in->at >= in->size || in->text[in->at] != byte)
		return in_fail(in, in->at, "expected '%c', found %s", byte, found(in));
	in->at++;
	return true;
}

/* A value begins here: is there the comma before it? */
static bool begin(struct json_in *in)
{
	if (in->is_behind && !expect(in, ','))
		return false;
	in->is_behind = false;
	in_place(in);
	return !in->message;
}

bool in_open(struct json_in *in, char bracket)
{
	if (!begin(in) || !expect(in, bracket))
		return false;
	if (++in->depth > DEEPEST)
		return in_fail(in, in->at - 1, "it is nested too deeply");
	return true;
}

bool in_close(struct json_in *in, char bracket)
{
	if (!expect(in, bracket))
		return false;
	in->depth--;
	in->is_behind = true;
	return true;
}

bool in_more(struct json_in *in, char bracket)
{
	in_place(in);
	if (in->message)
		return false;
	if (peek(in) == bracket && in->at < in->size) {
		in_close(in, bracket);
		return false;
	}
	return true;
}

bool in_is(struct json_in *in, char first)
{
	size_t was = in->at;
	bool is_behind = in->is_behind;

	bool is_it = begin(in) && peek(in) == first && in->at < in->size;
	in->at = was;
	in->is_behind = is_behind;
	return is_it;
}

static bool literal(struct json_in *in, const char *word)
{
	size_t size = strlen(word);

	if (in->message || in->size - in->at < size || memcmp(in->text + in->at, word, size) != 0)
		return false;
	in->at += size;
	in->is_behind = true;
	return true;
}

bool in_null(struct json_in *in)
{
	if (!in_is(in, 'n'))
		return false;
	return begin(in) && literal(in, "null");
}

bool in_bool(struct json_in *in)
{
	if (!begin(in))
		return false;
	if (literal(in, "true"))
		return true;
	if (!literal(in, "false"))
		in_fail(in, in->at, "expected true or false, found %s", found(in));
	return false;
}

static bool hex4(const struct json_in *in, size_t at, uint32_t *code)
{
	*code = 0;
	for (unsigned i = 0; i < 4; i++) {
		char digit = at + i < in->size ? in->text[at + i] : '\0';
		const char *digits = "0123456789abcdef", *place = digit ? strchr(digits, digit | 0x20) : NULL;

		if (!place || (digit >= 'G' && digit <= 'Z') || digit < '0')
			return false;
		*code = *code << 4 | (uint32_t)(place - digits);
	}
	return true;
}

static char *put_code(char *end, uint32_t code)
{
	if (code < 0x80) {
		*end++ = (char)code;
	} else if (code < 0x800) {
		*end++ = (char)(0xc0 | code >> 6);
		*end++ = (char)(0x80 | (code & 0x3f));
	} else if (code < 0x10000) {
		*end++ = (char)(0xe0 | code >> 12);
		*end++ = (char)(0x80 | (code >> 6 & 0x3f));
		*end++ = (char)(0x80 | (code & 0x3f));
	} else {
		*end++ = (char)(0xf0 | code >> 18);
		*end++ = (char)(0x80 | (code >> 12 & 0x3f));
		*end++ = (char)(0x80 | (code >> 6 & 0x3f));
		*end++ = (char)(0x80 | (code & 0x3f));
	}
	return end;
}

/* The escape at in->at, a backslash. NULL: wrong. */
static char *unescape(struct json_in *in, char *end)
{
	static const char names[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
	size_t at = in->at;
	char name = at + 1 < in->size ? in->text[at + 1] : '\0';
	const char *place = name ? strchr(names, name) : NULL;
	uint32_t code, low;

	if (place) {
		in->at += 2;
		*end++ = bytes[place - names];
		return end;
	}
	if (name != 'u' || !hex4(in, at + 2, &code)) {
		in_fail(in, at, "an escape that JSON does not know");
		return NULL;
	}
	in->at += 6;
	if (code >= 0xd800 && code < 0xdc00 && in->at + 1 < in->size && in->text[in->at] == '\\' &&
	    in->text[in->at + 1] == 'u' && hex4(in, in->at + 2, &low) && low >= 0xdc00 && low < 0xe000) {
		in->at += 6;
		code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
	}
	if (code >= 0xd800 && code < 0xe000) {
		in_fail(in, at, "half of a surrogate pair");
		return NULL;
	}
	return put_code(end, code);
}

/* Bytes up to the closing quote, which must be there. */
static size_t string_size(struct json_in *in)
{
	size_t at = in->at;

	while (at < in->size && in->text[at] != '"')
		at += in->text[at] == '\\' && at + 1 < in->size ? 2 : 1;
	if (at >= in->size)
		in_fail(in, in->size, "the end of the file within a text");
	return at - in->at;
}

static struct tav_text string(struct json_in *in)
{
	const struct tav_text nothing = {"", 0};

	if (in->message)
		return nothing;
	if (peek(in) != '"' || in->at >= in->size) {
		in_fail(in, in->at, "expected a text, found %s", found(in));
		return nothing;
	}
	in->at++;
	size_t size = string_size(in);
	char *text = in->message ? NULL : arena_alloc(in->arena, size + 1), *end = text;
	if (!text) {
		in_lack_memory(in, in->at);
		return nothing;
	}
	const size_t last = in->at + size;
	while (end && in->at < last) {
		size_t from = in->at;

		while (in->at < last && in->text[in->at] != '\\' && (unsigned char)in->text[in->at] >= 0x20)
			in->at++;
		memcpy(end, in->text + from, in->at - from);
		end += in->at - from;
		if (in->at < last && in->text[in->at] == '\\') {
			end = unescape(in, end);
		} else if (in->at < last) {
			in_fail(in, in->at, "a control character within a text");
			end = NULL;
		}
	}
	if (!end)
		return nothing;
	if (utf8_count_bad(text, (size_t)(end - text))) {
		in_fail(in, last - size, "a text that is no valid UTF-8");
		return nothing;
	}
	in->at++;
	in->is_behind = true;
	return (struct tav_text){text, (size_t)(end - text)};
}

struct tav_text in_text(struct json_in *in)
{
	begin(in);
	return string(in);
}

struct tav_text in_text_or_null(struct json_in *in)
{
	return in_null(in) ? (struct tav_text){"", 0} : in_text(in);
}

const char *in_chars(struct json_in *in)
{
	size_t at = in_place(in);
	struct tav_text text = in_text(in);

	if (strlen(text.data) != text.size) {
		in_fail(in, at, "a NUL within a text that has none");
		return "";
	}
	return text.data;
}

const char *in_chars_or_null(struct json_in *in)
{
	return in_null(in) ? NULL : in_chars(in);
}

struct tav_text in_any_key(struct json_in *in)
{
	struct tav_text key = in_text(in);

	if (strlen(key.data) != key.size)
		in_fail(in, in->at, "a NUL within a name");
	expect(in, ':');
	in->is_behind = false;
	return key;
}

/* Does the key stand at `in->at`? Then it is read, and its colon. */
static bool take_key(struct json_in *in, const char *key)
{
	size_t at = in->at, size = strlen(key);

	if (in->size - at <= size + 1 || in->text[at] != '"' || memcmp(in->text + at + 1, key, size) ||
	    in->text[at + 1 + size] != '"')
		return false;
	in->at += size + 2;
	in->is_behind = false;
	expect(in, ':');
	return true;
}

bool in_key(struct json_in *in, const char *key)
{
	if (!begin(in))
		return false;
	if (!take_key(in, key))
		return in_fail(in, in->at, "expected the member \"%s\", found %s", key, found(in));
	return !in->message;
}

bool in_optional_key(struct json_in *in, const char *key)
{
	bool is_behind = in->is_behind;
	size_t was = in_place(in);

	if (in->message || (is_behind && peek(in) != ',') || !begin(in))
		return false;
	if (take_key(in, key))
		return !in->message;
	in->at = was;
	in->is_behind = is_behind;
	return false;
}

/* A number of JSON; its size. */
static size_t number(struct json_in *in, bool *is_real)
{
	size_t at = in->at, digits;

	*is_real = false;
	if (at < in->size && in->text[at] == '-')
		at++;
	for (digits = 0; at < in->size && in->text[at] >= '0' && in->text[at] <= '9'; digits++)
		at++;
	if (!digits || (digits > 1 && in->text[at - digits] == '0'))
		return 0;
	if (at < in->size && in->text[at] == '.') {
		*is_real = true;
		for (at++, digits = 0; at < in->size && in->text[at] >= '0' && in->text[at] <= '9'; digits++)
			at++;
		if (!digits)
			return 0;
	}
	if (at < in->size && (in->text[at] == 'e' || in->text[at] == 'E')) {
		*is_real = true;
		at++;
		if (at < in->size && (in->text[at] == '-' || in->text[at] == '+'))
			at++;
		for (digits = 0; at < in->size && in->text[at] >= '0' && in->text[at] <= '9'; digits++)
			at++;
		if (!digits)
			return 0;
	}
	return at - in->at;
}

bool in_is_real(struct json_in *in)
{
	size_t was = in->at;
	bool is_behind = in->is_behind, is_real = false;

	if (begin(in))
		number(in, &is_real);
	in->at = was;
	in->is_behind = is_behind;
	return is_real;
}

/* The number as a C string in `out`; false: it is none, or not of that kind. */
static bool take_number(struct json_in *in, bool wants_real, char out[LONGEST_NUMBER])
{
	bool is_real;

	if (!begin(in))
		return false;
	size_t size = number(in, &is_real);
	if (!size || is_real != wants_real || size >= LONGEST_NUMBER)
		return in_fail(in, in->at, "expected %s, found %s",
		               wants_real ? "a number with a fraction" : "a whole number", found(in));
	memcpy(out, in->text + in->at, size);
	out[size] = '\0';
	in->at += size;
	in->is_behind = true;
	return true;
}

int64_t in_integer(struct json_in *in)
{
	char text[LONGEST_NUMBER];
	size_t at = in_place(in);

	if (!take_number(in, false, text))
		return 0;
	errno = 0;
	long long value = strtoll(text, NULL, 10);
	if (errno)
		in_fail(in, at, "a number beyond 64 bits");
	return value;
}

uint64_t in_size(struct json_in *in, uint64_t most)
{
	char text[LONGEST_NUMBER];
	size_t at = in_place(in);

	if (!take_number(in, false, text))
		return 0;
	errno = 0;
	unsigned long long value = strtoull(text, NULL, 10);
	if (errno || *text == '-' || value > most) {
		in_fail(in, at, "a number beyond its bounds: 0 to %llu", (unsigned long long)most);
		return 0;
	}
	return value;
}

double in_real(struct json_in *in)
{
	char text[LONGEST_NUMBER];
	size_t at = in_place(in);

	if (!take_number(in, true, text))
		return 0;
	double value = strtod(text, NULL);
	if (!isfinite(value)) {
		in_fail(in, at, "a number beyond what a double holds");
		return 0;
	}
	return value;
}

uint64_t in_hash(struct json_in *in)
{
	size_t at = in_place(in);
	const char *text = in_chars(in);

	if (!in->message && (strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16))
		in_fail(in, at, "expected 16 hex digits");
	return in->message ? 0 : strtoull(text, NULL, 16);
}

/* Skips one value without looking at its meaning; false: it is wrong. */
static bool skip(struct json_in *in)
{
	bool is_real;

	if (!begin(in))
		return false;
	char first = peek(in);
	if (first == '"') {
		string(in);
	} else if (first == '{' || first == '[') {
		char end = first == '{' ? '}' : ']';

		in_open(in, first);
		while (in_more(in, end)) {
			if (first == '{')
				in_any_key(in);
			skip(in);
		}
	} else if (!literal(in, "null") && !literal(in, "true") && !literal(in, "false")) {
		size_t size = number(in, &is_real);

		if (!size)
			return in_fail(in, in->at, "expected a value, found %s", found(in));
		in->at += size;
		in->is_behind = true;
	}
	return !in->message;
}

struct tav_text in_raw(struct json_in *in)
{
	struct tav_text raw = {"", 0};

	if (!begin(in))
		return raw;
	size_t from = in->at;
	if (skip(in)) {
		raw.size = in->at - from;
		raw.data = arena_copy(in->arena, in->text + from, raw.size);
		if (!raw.data)
			in_lack_memory(in, from);
	}
	return raw;
}

void in_end(struct json_in *in)
{
	in_place(in);
	if (in->at < in->size)
		in_fail(in, in->at, "expected the end of the file, found %s", found(in));
}
