/* SPDX-License-Identifier: Apache-2.0 */
/* Section 2 and 6 of the rules: how names are cleaned, compared and shortened. */
#ifndef TRIAGE_TEXT_H
#define TRIAGE_TEXT_H

#include "pool.h"

#define TEXT(literal) ((struct tav_text){(literal), sizeof(literal) - 1})

enum { HEX_ADDRESS_DIGITS = 1 }; /* a hexadecimal number of at least so many digits is an address */

/* Comparing; letter case counts only for A to Z. */
bool text_is(struct tav_text text, const char *word);
bool text_starts(struct tav_text text, const char *prefix);
bool text_starts_lower(struct tav_text text, const char *prefix); /* `prefix` in lower case */
bool text_has(struct tav_text text, const char *part);
bool text_has_lower(struct tav_text text, const char *part); /* `part` in lower case */
size_t text_find(struct tav_text text, const char *part);    /* SIZE_MAX: not there */
size_t text_find_lower(struct tav_text text, const char *part);
bool text_equal(struct tav_text a, struct tav_text b);
/* Is `word` one of the items of this list, which ends with NULL? */
bool text_has_any_lower(struct tav_text text, const char *const *parts);

/* Making: in the pool; data is NULL when there was no memory. */
struct tav_text text_normal(struct pool *pool, struct tav_text text); /* white space: none around, one blank inside */
struct tav_text text_lower(struct pool *pool, struct tav_text text);
struct tav_text text_compact(struct pool *pool, struct tav_text text); /* letters and digits, lower case */
struct tav_text text_short(struct pool *pool, struct tav_text text, size_t characters); /* cut at the end, "..." */
struct tav_text text_addresses(struct pool *pool, struct tav_text text);                /* 0x7f12 becomes 0xADDR */
struct tav_text text_canonical(struct pool *pool, struct tav_text raw); /* the name of a kernel, section 6 */
__attribute__((format(printf, 2, 3))) struct tav_text text_format(struct pool *pool, const char *format, ...);

/* Words end at each character that is no letter or digit, and where a lower-case letter meets an upper-case one. */
struct words {
	struct tav_text text;  /* lower case */
	uint32_t *first, *end; /* bounds of each word in `text` */
	size_t count;
};
bool text_words(struct pool *pool, struct tav_text text, struct words *words);
static inline struct tav_text word_at(const struct words *words, size_t i)
{
	return (struct tav_text){words->text.data + words->first[i], words->end[i] - words->first[i]};
}
bool words_have(const struct words *words, const char *word);

#endif
