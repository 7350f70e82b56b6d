/* SPDX-License-Identifier: Apache-2.0 */
/* Texts with a length: comparing, printing, and escaping for a terminal. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include <tav/plugin.h>

/* For printf("%.*s"). */
#define TEXT_ARGS(text) (int)(text).size, (text).data

struct tav_text text_of(const char *chars); /* NULL: the empty text */
bool text_equals(struct tav_text a, struct tav_text b);
bool text_is(struct tav_text text, const char *chars);

/* Bytes of the valid UTF-8 sequence at `data`, 1 to 4; 0: not valid (also overlong forms, surrogates, a cut sequence).
 */
size_t utf8_length(const char *data, size_t size);
size_t utf8_count_bad(const char *data, size_t size); /* bytes that belong to no valid sequence */

/*
 * Writes `text` so that it cannot disturb a terminal or forge a line: control characters, C1 controls, bidirectional
 * overrides and bad UTF-8 become \n, \x1b, \u202e and the like; a backslash that starts such a look-alike stays as it
 * is.
 */
void text_print_escaped(FILE *out, struct tav_text text);
/* The same into memory; at most `capacity - 1` bytes and a NUL; returns the size it would need. */
size_t text_escape(char *out, size_t capacity, struct tav_text text);

/* The candidate nearest to `word` by edit distance, if near enough to be meant; else NULL. List ends with NULL. */
const char *text_nearest(const char *word, const char *const *candidates);

#endif
