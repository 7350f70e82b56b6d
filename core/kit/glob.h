/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns as shells have them, over texts with a length; never slower than the product of both sizes. */
#ifndef KIT_GLOB_H
#define KIT_GLOB_H

#include <stdbool.h>

#include <tav/plugin.h>

/*
 * Does all of the text match? `*` stands for any characters, '/' too, `?` for one, `[a-z]` and `[!a-z]` for one of
 * these or of all others; a backslash takes the meaning from the character behind it.
 */
bool glob_match(const char *pattern, struct tav_text text);
const char *glob_error(const char *pattern); /* NULL: sound; else what is wrong, as the end of a sentence */

#endif
