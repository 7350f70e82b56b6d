/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that leave the house: where files lie says who works there, so of a path the last two parts will do. */
#ifndef REPORT_ANONYMOUS_H
#define REPORT_ANONYMOUS_H

#include <tav/plugin.h>

/*
 * The first stretch of the text that "..." is to stand for: all of an absolute path but its last two parts. Size 0:
 * none. A host behind "//" is part of the path.
 */
struct tav_text path_to_hide(struct tav_text text);
const char *path_base(const char *path); /* its last part */

#endif
