/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changing members of a JSON object in its text: only the bytes of the values that change are replaced, a member that
 * goes takes its comma along, a new one stands before the '}', a new one of args first in args.
 */
#ifndef WRITE_SPLICE_H
#define WRITE_SPLICE_H

#include <stdbool.h>
#include <stddef.h>

#include <tav/json.h>
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

/* ---- An object taken apart ------------------------------------------------------------------------------------ */
struct field {
	struct tav_member at;
	size_t from, to;  /* what is replaced: the value, or what its quotes hold */
	const char *json; /* by this; NULL: by `json_size` bytes at `place` of the texts */
	size_t json_size, place;
	bool is_changed, is_gone;
};
struct fields {
	struct field *items;
	uint32_t count, capacity;
	size_t begin; /* of its '{' in the text */
	size_t end;   /* behind its '}'; 0: the text ends before */
	bool is_tail; /* no '{': the members behind the list of events, each with its comma before it */
};
struct cut { /* from `begin` to `end` stands this instead */
	size_t begin, end;
	const char *json; /* NULL: in the texts */
	size_t size, place;
};
struct splice { /* kept from event to event, so that its memory is */
	const char *text;
	size_t size;
	struct fields event, args;
	uint32_t args_field; /* in event, whose members are those of args; UINT32_MAX: none, or no object */
	bool has_args;       /* there is one, of any kind */
	struct bytes texts;
	struct bytes front; /* new members of args, "KEY": JSON, parted by ", " */
	struct bytes tail;  /* new members of the event */
	struct cut *cuts;   /* in the order of their places */
	uint32_t cut_count, cut_capacity;
};

/* All of them false: no memory. */
bool splice_open(struct splice *splice, const char *text, size_t size, bool is_tail);
bool splice_open_args(struct splice *splice); /* once, after splice_open() */
/* The last member of that key; NULL: none. `key` is what it says, whatever escapes it is written with. */
struct field *fields_find(const struct splice *splice, const struct fields *fields, const char *key, size_t size);
bool splice_edit(struct splice *splice, const struct member_edit *edit);
/* Instead of the value as it is by now: `json` is copied. */
bool splice_set(struct splice *splice, struct field *field, const char *json, size_t size);
/* The value as it is by now. */
struct tav_text splice_value(const struct splice *splice, const struct field *field);
bool splice_close(struct splice *splice); /* all of that as cuts */
struct tav_text splice_cut_text(const struct splice *splice, const struct cut *cut);
bool splice_put(const struct splice *splice, struct bytes *out); /* the text with its cuts */
void splice_fini(struct splice *splice);

/* Appends `event` to `out` with the edits, in their order. False: no memory. */
bool splice_event(struct bytes *out, const char *event, size_t size, const struct member_edit *edits, uint32_t count);

#endif
