/* SPDX-License-Identifier: Apache-2.0 */
/* Memory in whole pages that goes all at once and can be made read-only. Zeroed, aligned for any type. */
#ifndef KIT_VAULT_H
#define KIT_VAULT_H

#include <stdbool.h>
#include <stddef.h>

struct vault {
	struct vault_block *newest;
	bool is_sealed; /* nothing can be taken from it any more */
};

void *vault_alloc(struct vault *vault, size_t bytes); /* NULL: no memory, or sealed; 0 bytes: a valid pointer */
bool vault_seal(struct vault *vault);
void vault_free(struct vault *vault);

#endif
