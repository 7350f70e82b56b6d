/* SPDX-License-Identifier: Apache-2.0 */
/* What a trace that is shared does not say: names by their hash, paths by their last two parts. */
#ifndef WRITE_HIDE_H
#define WRITE_HIDE_H

#include <write/splice.h>

uint64_t hide_hash(const uint64_t key[2], struct tav_text text); /* SipHash-2-4 */
/* The text with each path in it cut to its last two parts, into `out` with room for text.size; returns the size. */
size_t hide_paths(struct tav_text text, char *out);
/* Appends a JSON text with the same done to each string in it. `*is_other`: something changed. False: no memory. */
bool hide_paths_in(struct bytes *out, struct tav_text json, bool *is_other);

#endif
