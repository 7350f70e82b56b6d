/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that goes all at once. Zeroed, aligned for any type. Not thread-safe. Where `is_paged` is set before the first
 * use it comes in whole pages, which can be made read-only.
 */
#ifndef KIT_ARENA_H
#define KIT_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <tav/plugin.h>

struct arena {
	struct arena_block *newest;
	bool is_paged;
};

void *arena_alloc(struct arena *arena, size_t bytes); /* NULL: no memory; 0 bytes: a valid pointer */
/* `count` items; NULL also when the product overflows. */
void *arena_array(struct arena *arena, size_t count, size_t item_size);
char *arena_copy(struct arena *arena, const char *data, size_t size);  /* adds a NUL */
struct tav_text arena_text(struct arena *arena, struct tav_text text); /* data NULL: no memory */
char *arena_printf(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *arena, const char *format, va_list args);
bool arena_seal(const struct arena *arena);    /* read-only until unsealed; false: the system refused */
void arena_unseal(const struct arena *arena);  /* before anything is added, changed or joined; no refusal is survived */
size_t arena_bytes(const struct arena *arena); /* that are in use */
void arena_fini(struct arena *arena);

#endif
