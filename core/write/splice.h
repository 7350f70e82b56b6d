/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changing members of a JSON object in its text: only the bytes of the values that change are replaced, a member that
 * goes takes its comma along, a new one stands before the '}', a new one of args first in args.
 */
#ifndef WRITE_SPLICE_H
#define WRITE_SPLICE_H

#include <stdbool.h>
#include <stddef.h>

#include <tav/plugin.h>

struct bytes { /* grows; not NUL-terminated */
	char *data;
	size_t size, capacity;
};
bool bytes_add(struct bytes *bytes, const char *data, size_t size); /* false: no memory */
void bytes_fini(struct bytes *bytes);

struct member_edit {
	const char *path;     /* "ts", "args.KEY" */
	const char *keep;     /* "args.KEY": where the old text goes, unless it is there already; NULL: nowhere */
	struct tav_text json; /* size 0: the member goes */
};
struct member { /* of an object: where key and value stand in its text; the quotes belong to both */
	size_t key, key_end, value, value_end;
};

/* The end of the JSON value that begins at data[at], for text that a scanner has passed; `size` where it is cut. */
size_t json_end(const char *data, size_t size, size_t at);
size_t json_blank(const char *data, size_t size, size_t at); /* behind white space */
/* The next member from `at` on (behind '{' or a value); false: no more. `*at` is behind it then. */
bool json_member(const char *data, size_t size, size_t *at, struct member *member);
/* The last member of that key in an object; false: none. `key` is compared with the text between the quotes. */
bool json_find(const char *data, size_t size, const char *key, size_t key_size, struct member *member);

/* Appends `event` to `out` with the edits, in their order. False: no memory. */
bool splice_event(struct bytes *out, const char *event, size_t size, const struct member_edit *edits, uint32_t count);

#endif
