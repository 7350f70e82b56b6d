/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole pages for columns: growing moves the mapping and not the bytes (mremap), and what is finished can be made
 * read-only, so that a write to it is caught.
 */
#ifndef KIT_PAGES_H
#define KIT_PAGES_H

#include <stdbool.h>
#include <stddef.h>

struct pages {
	void *data;   /* zeroed where nothing was written; moves when it grows */
	size_t bytes; /* reserved, a multiple of the page size */
};

bool pages_reserve(struct pages *pages, size_t bytes); /* grows to at least `bytes`; false: no memory */
bool pages_trim(struct pages *pages, size_t bytes);    /* gives back what lies behind `bytes` */
bool pages_seal(struct pages *pages);                  /* read-only from now on */
bool pages_unseal(struct pages *pages);
void pages_free(struct pages *pages);

#endif
