/* SPDX-License-Identifier: Apache-2.0 */
/* A YAML text as a tree whose nodes know their place. What a scalar means is decided by who reads it, not by YAML. */
#ifndef OPTION_YAML_H
#define OPTION_YAML_H

#include <option/diag.h>

enum node_kind { NODE_SCALAR = 1, NODE_LIST, NODE_MAP };
struct node {
	enum node_kind kind;
	struct place place;
	const char *text; /* SCALAR; never holds a NUL byte */
	bool is_plain;    /* SCALAR: not quoted, so that an empty one or "null" or "~" means "nothing" */
	uint32_t count;
	struct node **items; /* LIST: the items, MAP: the values */
	struct node **keys;  /* MAP: scalars, all different */
	/* of the tree with every alias written out */
	uint32_t height, weight;
};

/*
 * NULL: not one well-formed document; `diags` says why. Keys that stand twice are in `diags` too, but the tree is
 * there, so that other mistakes can be found. The nodes live in `arena`, the text must live as long.
 */
struct node *yaml_parse(const struct diag_text *text, struct arena *arena, struct diags *diags);
/* The whole file, but no more than a config can have; false: a cause was added. The text lives in `arena`. */
bool yaml_read_file(const char *path, const char *name, struct arena *arena, struct diag_text **text,
                    struct diags *diags);

struct node *node_get(const struct node *map, const char *key); /* NULL: not there */
bool node_is_null(const struct node *node);
const char *node_kind_name(const struct node *node); /* "a list", ... */

#endif
