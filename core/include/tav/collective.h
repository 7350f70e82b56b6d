/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tav/collective.h - does the name of a kernel say that devices talk to each other? Names of libraries count anywhere;
 * what others call it counts in the head of the name, before its template and call arguments, for a reduction by keys
 * may have "dispatch" or "reduce" in its arguments. Case does not matter. Compiled into who includes it.
 */
#ifndef TAV_COLLECTIVE_H
#define TAV_COLLECTIVE_H

#include <string.h>

#include <tav/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline char tav_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Is `word`, in lower case, what stands at `at`? A '_' in it may be left out. */
static inline int tav_word_at(struct tav_text text, size_t at, const char *word)
{
	for (; *word; word++) {
		if (at < text.size && tav_lower(text.data[at]) == *word)
			at++;
		else if (*word != '_')
			return 0;
	}
	return 1;
}

/* Bytes before the first '<' or '('; an anonymous namespace is no call. */
static inline size_t tav_name_head(struct tav_text name)
{
	static const char anonymous[] = "(anonymous namespace)";

	for (size_t at = 0; at < name.size; at++) {
		if (name.data[at] == '<')
			return at;
		if (name.data[at] != '(')
			continue;
		if (name.size - at < sizeof(anonymous) - 1 || memcmp(name.data + at, anonymous, sizeof(anonymous) - 1))
			return at;
		at += sizeof(anonymous) - 2;
	}
	return name.size;
}

/* Is there "ccl" around `at`, with the rest of a library's name before it? */
static inline int tav_library_around(struct tav_text name, size_t at)
{
	static const char *const libraries[] = {"nccl", "rccl", "hccl", "oneccl"};

	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		size_t before = strlen(libraries[i]) - 3; /* of them, before the first c; `at` may be the second */
		if ((at >= before && tav_word_at(name, at - before, libraries[i])) ||
		    (at >= before + 1 && tav_word_at(name, at - before - 1, libraries[i])))
			return 1;
	}
	return 0;
}

static inline int tav_collective_word_at(struct tav_text head, size_t at)
{
	switch (tav_lower(head.data[at])) {
	case 'a':
		return tav_word_at(head, at, "all_reduce") || tav_word_at(head, at, "all_gather") ||
		       tav_word_at(head, at, "all_to_all");
	case 'c':
		return tav_word_at(head, at, "cross_device_reduce");
	case 'r':
		return tav_word_at(head, at, "reduce_scatter");
	default:
		return 0;
	}
}

/* A program may have a name of its own for each of a million kernels: every second byte finds each "cc". */
static inline int tav_is_collective(struct tav_text name)
{
	struct tav_text head = {name.data, tav_name_head(name)};

	for (size_t at = 1; at < name.size; at += 2) {
		if (tav_lower(name.data[at]) == 'c' && tav_library_around(name, at))
			return 1;
	}
	for (size_t at = 0; at < head.size; at++) {
		if (tav_collective_word_at(head, at))
			return 1;
	}
	return 0;
}

#ifdef __cplusplus
}
#endif
#endif
