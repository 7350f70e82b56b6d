/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A look into JSON text that the reader has found well-formed: members of objects, items of arrays, no copies. What is
 * not as it should be reads as the end.
 */
#ifndef TRUST_JSON_H
#define TRUST_JSON_H

#include <stdbool.h>

#include <tav/plugin.h>

struct json { /* a value at `at`; what follows it up to `end` belongs to the one around it */
	const char *at, *end;
};
struct json json_of(struct tav_text text);
bool json_is(const struct json *value, char first); /* '{', '[', '"', ... */
/* The first item of an array or key of an object, and the one behind a value. False: no more. */
bool json_first(const struct json *list, struct json *item);
bool json_next(struct json *item);
bool json_value(const struct json *key, struct json *value); /* of a key */
bool json_member(const struct json *object, const char *wanted, struct json *value);
/* The text of the value alone; that of a string without its quotes, escapes as they stand. */
struct tav_text json_plain(const struct json *value);

#endif
