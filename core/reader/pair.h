/* SPDX-License-Identifier: Apache-2.0 */
/* Which E event closes which B event: in file order, within one (pid, tid), each in constant time. */
#ifndef READER_PAIR_H
#define READER_PAIR_H

#include <stdbool.h>

#include <kit/pages.h>
#include <tav/plugin.h>

struct pairs {
	struct pages open; /* struct open_begin, from 1 */
	uint32_t open_count, free_open;
	struct pages stacks; /* struct open_stack: of a thread, and of a name in a thread */
	uint32_t stack_count;
	struct pages slots; /* hash table of stack + 1 */
	uint32_t slot_mask;
	uint64_t seed; /* of their hashes */
};

bool pairs_begin(struct pairs *pairs, uint32_t pid, uint32_t tid, uint32_t name, tav_row row);
/* The row of the B event that this E event closes; TAV_NONE: none. name 0: any. */
tav_row pairs_end(struct pairs *pairs, uint32_t pid, uint32_t tid, uint32_t name);
/* Calls `each` for the rows that are still open, in no certain order. */
void pairs_each_open(const struct pairs *pairs, void (*each)(void *user, tav_row row), void *user);
void pairs_fini(struct pairs *pairs);

#endif
