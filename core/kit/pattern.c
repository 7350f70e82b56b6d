/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kit/pattern.h>

/*
 * glibc writes counts out: ((a{1,255}){1,255}){1,255} becomes 16 million characters, each of some hundred bytes. So a
 * pattern is measured before it is compiled: characters to match, each as often as the counts around it say.
 */
enum { MOST_CHARACTERS = 20000, MOST_DEPTH = 64 };

/* Behind a bracket expression that begins at `at`. */
static const char *behind_brackets(const char *at)
{
	at++;
	at += *at == '^';
	at += *at == ']';
	while (*at && *at != ']') {
		if (*at == '[' && (at[1] == ':' || at[1] == '.' || at[1] == '=')) {
			const char end[] = {at[1], ']', '\0'}, *close = strstr(at + 2, end);

			at = close ? close + 1 : at;
		}
		at++;
	}
	return *at ? at + 1 : at;
}

/* The larger number of a count {m,n} at `at`, and where it ends; 1: no count. */
static uint64_t count_at(const char **at)
{
	const char *text = *at;
	uint64_t most = 0;

	if (*text != '{' || !(text[1] >= '0' && text[1] <= '9'))
		return 1;
	while (*text && *text != '}') {
		char *end;
		unsigned long long number;

		text++;
		if (*text < '0' || *text > '9')
			continue;
		number = strtoull(text, &end, 10);
		most = number > most ? number : most;
		text = end;
	}
	*at = *text ? text + 1 : text;
	return most ? most : 1;
}

static uint64_t times(uint64_t size, uint64_t count)
{
	uint64_t product;

	return __builtin_mul_overflow(size, count, &product) ? UINT64_MAX : product;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

/* Characters of a pattern with its counts written out; UINT64_MAX also where it is nested too deeply. */
static uint64_t written_out(const char *at)
{
	uint64_t sizes[MOST_DEPTH] = {0}; /* of the groups that are open, without what was last */
	uint64_t last = 0;                /* of what a count that follows is about */
	unsigned depth = 0;

	while (*at) {
		uint64_t count = count_at(&at);

		if (count > 1) {
			last = times(last, count);
			continue;
		}
		if (!*at)
			break;
		sizes[depth] = plus(sizes[depth], last);
		last = 1;
		if (*at == '(') {
			if (++depth == MOST_DEPTH)
				return UINT64_MAX;
			sizes[depth] = 0;
			last = 0;
			at++;
		} else if (*at == ')' && depth) {
			last = sizes[depth--] + 1;
			at++;
		} else if (*at == '[') {
			at = behind_brackets(at);
		} else {
			at += *at == '\\' && at[1] ? 2 : 1;
		}
	}
	for (unsigned i = 0; i <= depth; i++)
		last = plus(last, sizes[i]);
	return last;
}

bool pattern_compile(regex_t *pattern, const char *text, int flags, char *why, size_t why_size)
{
	if (written_out(text) > MOST_CHARACTERS) {
		snprintf(why, why_size, "with its counts written out it has more than %d characters", MOST_CHARACTERS);
		return false;
	}
	int status = regcomp(pattern, text, REG_EXTENDED | flags);

	if (status)
		regerror(status, pattern, why, why_size);
	return !status;
}

bool pattern_is_sound(const char *text, char *why, size_t why_size)
{
	regex_t pattern;

	if (!pattern_compile(&pattern, text, REG_NOSUB, why, why_size))
		return false;
	regfree(&pattern);
	return true;
}
