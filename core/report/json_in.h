/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads JSON whose order is known, member by member, from a text in memory. The first thing that is wrong stops it:
 * what comes after is skipped by all of these, and `message` and `wrong_at` tell.
 */
#ifndef REPORT_JSON_IN_H
#define REPORT_JSON_IN_H

#include <stdbool.h>

#include <kit/arena.h>

struct json_in {
	const char *text;
	size_t size, at;
	struct arena *arena; /* where texts go */
	bool is_behind;      /* a value of the innermost array or object: a comma is due */
	unsigned depth;
	const char *message;   /* NULL: nothing is wrong */
	bool is_out_of_memory; /* that is what is wrong, and not the text */
	size_t wrong_at;
};

/* Remembers what is wrong, if it is the first. Returns false. */
bool in_fail(struct json_in *in, size_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool in_lack_memory(struct json_in *in, size_t at);
size_t in_place(struct json_in *in); /* where the next token begins */
bool in_open(struct json_in *in, char bracket);
bool in_close(struct json_in *in, char bracket);
bool in_more(struct json_in *in, char bracket);            /* false: the end of the array or object, which is read */
bool in_key(struct json_in *in, const char *key);          /* the next member must be this one */
bool in_optional_key(struct json_in *in, const char *key); /* is it this one? Then it is read */
struct tav_text in_any_key(struct json_in *in);
bool in_null(struct json_in *in);                    /* is it null? Then it is read */
bool in_is(struct json_in *in, char first);          /* does the next token begin so? */
struct tav_text in_text(struct json_in *in);         /* valid UTF-8 */
struct tav_text in_text_or_null(struct json_in *in); /* null: empty */
const char *in_chars(struct json_in *in);            /* without NULs */
const char *in_chars_or_null(struct json_in *in);    /* null: NULL */
bool in_bool(struct json_in *in);
int64_t in_integer(struct json_in *in);
uint64_t in_size(struct json_in *in, uint64_t most);
uint64_t in_hash(struct json_in *in);
bool in_is_real(struct json_in *in); /* a number with a fraction or an exponent */
double in_real(struct json_in *in);
struct tav_text in_raw(struct json_in *in); /* a whole value as it stands */
void in_end(struct json_in *in);            /* nothing may follow */

#endif
