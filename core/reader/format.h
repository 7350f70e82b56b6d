/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are given as traces by mistake, known by their first bytes. */
#ifndef READER_FORMAT_H
#define READER_FORMAT_H

#include <stddef.h>

enum { FORMAT_HEAD_BYTES = 512 };
/* What the file is and what to do, to follow "the file is"; NULL: it may be a trace. */
const char *format_of(const char *head, size_t size);

#endif
