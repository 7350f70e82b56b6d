/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gzip in one member, made by several threads: pieces of 1 MiB, each ended by a full flush so that they stand alone, in
 * their order. The bytes do not depend on the number of threads.
 */
#ifndef WRITE_DEFLATE_H
#define WRITE_DEFLATE_H

#include <stdbool.h>
#include <stdio.h>

#include <tav/plugin.h>

struct deflate;

struct deflate *deflate_open(FILE *out, unsigned threads); /* NULL: no memory */
bool deflate_add(struct deflate *deflate, const char *data,
                 size_t size);             /* false: no memory; I/O errors stay in `out` */
bool deflate_end(struct deflate *deflate); /* what is left, and the trailer */
void deflate_close(struct deflate *deflate);

#endif
