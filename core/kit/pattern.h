/* SPDX-License-Identifier: Apache-2.0 */
/* POSIX extended regular expressions, but for those that would take all memory before they match anything. */
#ifndef KIT_PATTERN_H
#define KIT_PATTERN_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

/* As regcomp() with REG_EXTENDED. False: `why` says what is wrong, and there is nothing to free. */
bool pattern_compile(regex_t *pattern, const char *text, int flags, char *why, size_t why_size);
/* The same, tried only. */
bool pattern_is_sound(const char *text, char *why, size_t why_size);

#endif
