/* SPDX-License-Identifier: Apache-2.0 */
/* Section 2 and 6 of the rules: how names are cleaned, compared and shortened. */
#ifndef TRIAGE_TEXT_H
#define TRIAGE_TEXT_H

#include "pool.h"

#define TEXT(literal) ((struct tav_text){(literal), sizeof(literal) - 1})

enum { HEX_ADDRESS_DIGITS = 1 }; /* a hexadecimal number of at least so many digits is an address */

/* Comparing; letter case counts only for A to Z. */
char text_lower_char(char c);
bool text_is(struct tav_text text, const char *word);
bool text_is_lower(struct tav_text text, const char *word); /* `word` in lower case */
bool text_starts(struct tav_text text, const char *prefix);
bool text_starts_lower(struct tav_text text, const char *prefix); /* `prefix` in lower case */
bool text_has(struct tav_text text, const char *part);
bool text_has_lower(struct tav_text text, const char *part); /* `part` in lower case */
size_t text_find(struct tav_text text, const char *part);    /* SIZE_MAX: not there */
size_t text_find_lower(struct tav_text text, const char *part);
bool text_equal(struct tav_text a, struct tav_text b);
static inline struct tav_text text_after(struct tav_text text, size_t at)
{
	return (struct tav_text){text.data + at, text.size - at};
}
/* Is one of the items of this list in it, which ends with NULL? */
bool text_has_any_lower(struct tav_text text, const char *const *parts);

bool text_same_lower(struct tav_text a, struct tav_text b);           /* whatever the case of their letters */
bool text_contains_lower(struct tav_text text, struct tav_text part); /* likewise */
static inline struct tav_text text_head(struct tav_text text, size_t size)
{
	return (struct tav_text){text.data, size};
}
struct tav_text text_clip(struct tav_text text, size_t bytes); /* its beginning, whole characters of UTF-8 */

/* Making, in memory of the call; data is NULL when there was none. */
struct tav_text text_normal(struct tav_self *self,
                            struct tav_text text); /* white space: none around, one blank inside */
struct tav_text text_keep_lower(struct tav_self *self, struct tav_text text); /* in create() */
struct tav_text text_compact(struct tav_self *self, struct tav_text text);    /* letters and digits, lower case */
struct tav_text text_short(struct tav_self *self, struct tav_text text, size_t characters); /* cut at the end, "..." */
struct tav_text text_addresses(struct tav_self *self, struct tav_text text);                /* 0x7f12 becomes 0xADDR */
/* The name of a kernel, section 6: itself where nothing is to be changed. */
struct tav_text text_canonical(struct tav_self *self, struct tav_text raw);
__attribute__((format(printf, 2, 3))) struct tav_text text_format(struct tav_self *self, const char *format, ...);

/*
 * The next word from *at on, which moves behind it. Words end at each character that is no letter or digit, and where a
 * lower-case letter meets an upper-case one.
 */
bool next_word(struct tav_text text, size_t *at, struct tav_text *word);

#endif
