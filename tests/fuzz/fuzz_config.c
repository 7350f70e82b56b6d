/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Property: any bytes are either refused with at least one message whose place lies in the text, or give a tree.
 * Waivers in it are refused too, or as --print-config prints them they read back as the same.
 */
#include <stdlib.h>
#include <string.h>

#include <config/config.h>

#include "fuzz.h"

static uint32_t walk(const struct node *node, unsigned lines)
{
	uint32_t weight = 1;

	if (!node->place.line || node->place.line > lines || !node->place.column)
		__builtin_trap();
	for (uint32_t i = 0; i < node->count; i++) {
		weight += walk(node->items[i], lines);
		if (node->kind == NODE_MAP && node->keys[i]->kind != NODE_SCALAR)
			__builtin_trap();
	}
	return weight;
}

/* What they are printed as, to be freed; NULL: they are refused. */
static char *print_waivers(struct node *root, struct diags *diags)
{
	static const struct config_arguments none;
	struct config config = {.root = root};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	config_read_waivers(&config, &none, diags);
	config_print_waivers(out, &config);
	fclose(out);
	config_fini(&config);
	if (diags_failed(diags)) {
		free(text);
		return NULL;
	}
	return text;
}

static void try_waivers(struct node *root)
{
	struct arena arena = {0};
	struct diags diags = {0};
	char *printed = print_waivers(root, &diags);

	if (printed && *printed) {
		struct diag_text text = {"p", printed, strlen(printed), false};
		struct node *again = yaml_parse(&text, &arena, &diags);
		char *twice = again ? print_waivers(again, &diags) : NULL;

		if (!twice || strcmp(printed, twice) != 0)
			__builtin_trap();
		free(twice);
	}
	free(printed);
	diags_fini(&diags);
	arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = {0};
	struct diags diags = {0};
	struct diag_text text = {"t", (const char *)data, size, false};
	unsigned lines = 2;

	for (size_t i = 0; i < size; i++) /* YAML knows more kinds of line ends than one */
		lines += data[i] == '\n' || data[i] == '\r' || data[i] >= 0x80;
	struct node *root = yaml_parse(&text, &arena, &diags);
	if (!root && !diags_failed(&diags))
		__builtin_trap();
	if (root && walk(root, lines) > 20000) /* bombs are refused before they grow */
		__builtin_trap();
	const struct node *waivers = root && root->kind == NODE_MAP ? node_get(root, "waivers") : NULL;
	if (waivers && waivers->kind != NODE_SCALAR) /* else it names a file */
		try_waivers(root);
	FILE *out = fopen("/dev/null", "w");
	if (out) {
		diags_print(out, &diags, true);
		fclose(out);
	}
	diags_fini(&diags);
	arena_fini(&arena);
	return 0;
}
