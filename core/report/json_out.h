/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes JSON as it goes: pretty printed, valid UTF-8 whatever the texts hold. Errors stay in the FILE; no memory is
 * remembered in `failed` by those who need some.
 */
#ifndef REPORT_JSON_OUT_H
#define REPORT_JSON_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <tav/plugin.h>

struct json_out {
	FILE *out;
	unsigned depth;
	unsigned flat;  /* depth from which all stands on one line; 0: nowhere */
	bool has_items; /* of the innermost object or array */
	bool failed;
	bool is_compact;   /* no blanks and no lines */
	bool is_anonymous; /* of paths in texts the last two parts alone */
};

/* `key` NULL: an element of an array. */
void emit_open(struct json_out *json, const char *key, char bracket);         /* '{' or '[' */
void emit_open_flat(struct json_out *json, const char *key, char bracket);    /* all of it on one line */
void emit_close(struct json_out *json, char bracket);                         /* '}' or ']' */
void emit_text(struct json_out *json, const char *key, struct tav_text text); /* bad bytes as \xNN */
void emit_chars(struct json_out *json, const char *key, const char *chars);   /* NULL: null */
void emit_integer(struct json_out *json, const char *key, int64_t value);
void emit_size(struct json_out *json, const char *key, uint64_t value);
void emit_real(struct json_out *json, const char *key, double value); /* shortest text that gives the same double */
void emit_bool(struct json_out *json, const char *key, bool value);
void emit_hash(struct json_out *json, const char *key, uint64_t value); /* 16 hex digits: no number of JSON is safe */
void emit_raw(struct json_out *json, const char *key, const char *text, size_t size); /* JSON already */
void emit_null(struct json_out *json, const char *key);

#endif
