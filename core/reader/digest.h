/* SPDX-License-Identifier: Apache-2.0 */
/* What is found out about every byte of a text on its way in: a hash of all of them, and how many lines end. */
#ifndef READER_DIGEST_H
#define READER_DIGEST_H

#include <stddef.h>
#include <stdint.h>

struct digest;

struct digest *digest_new(void);                                           /* NULL: no memory */
uint64_t digest_add(struct digest *digest, const char *data, size_t size); /* line feeds among them */
uint64_t digest_hash(const struct digest *digest);                         /* XXH3, 64 bits */
void digest_free(struct digest *digest);                                   /* also NULL */

/* The same work in the instructions of a newer processor; `state` is an XXH3_state_t. */
uint64_t digest_add_avx2(void *state, const char *data, size_t size);

#endif
