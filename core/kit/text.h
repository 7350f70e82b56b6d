/* SPDX-License-Identifier: Apache-2.0 */
/* Texts with a length: comparing, printing, and escaping for a terminal. */
#ifndef KIT_TEXT_H
#define KIT_TEXT_H

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

size_t text_plain(struct tav_text text);             /* bytes of printable ASCII at its start */
unsigned text_cells(const char *text, size_t size);  /* columns of a terminal; of text that is safe to print */
size_t text_step(const char *text, unsigned *cells); /* bytes of the first character, and its columns */

/*
 * Writes `text` so that it cannot disturb a terminal or forge a line: control characters, C1 controls, bidirectional
 * overrides, what is invisible or no character, and bad UTF-8 become \n, \x1b, \u202e and the like; a backslash that
 * starts such a look-alike stays as it is.
 */
void text_print_escaped(FILE *out, struct tav_text text);
/* The same into memory; at most `capacity - 1` bytes and a NUL; returns the size it would need. */
size_t text_escape(char *out, size_t capacity, struct tav_text text);

/*
 * Prints escaped text broken at blanks, so that lines end before `width` where words allow it. It begins at `column`;
 * later lines are indented. An empty line parts paragraphs; a line that begins with a blank stays a line of its own.
 */
void text_print_wrapped(FILE *out, const char *text, const char *indent, unsigned column, unsigned width);

/* The candidate nearest to `word` by edit distance, if near enough to be meant; else NULL. List ends with NULL. */
const char *text_nearest(const char *word, const char *const *candidates);

#endif
