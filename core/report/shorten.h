/* SPDX-License-Identifier: Apache-2.0 */
/* Texts made to fit a column of a terminal. They are safe to print already; widths are in cells. */
#ifndef REPORT_SHORTEN_H
#define REPORT_SHORTEN_H

#include <stdbool.h>

#include <kit/arena.h>

/* `text` itself when it fits, else its ends with "..." between them. NULL: no memory. */
const char *text_shorten(struct arena *arena, const char *text, unsigned width);
/* Puts shorter ones in the place of texts that do not fit; what was different stays different. NULLs stay. */
bool shorten_all(struct arena *arena, const char **texts, size_t count, unsigned width); /* false: no memory */

#endif
