/* SPDX-License-Identifier: Apache-2.0 */
/* Property: any bytes are either refused with at least one message whose place lies in the text, or give a tree. */
#include <option/yaml.h>

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = {0};
	struct diags diags = {0};
	struct diag_text text = {"t", (const char *)data, size, false};
	unsigned lines = 2;

	for (size_t i = 0; i < size; i++) /* YAML knows more kinds of line ends than one */
		lines += data[i] == '\n' || data[i] == '\r' || data[i] >= 0x80;
	const struct node *root = yaml_parse(&text, &arena, &diags);
	if (!root && !diags_failed(&diags))
		__builtin_trap();
	if (root && walk(root, lines) > 20000) /* bombs are refused before they grow */
		__builtin_trap();
	FILE *out = fopen("/dev/null", "w");
	if (out) {
		diags_print(out, &diags, true);
		fclose(out);
	}
	diags_fini(&diags);
	arena_fini(&arena);
	return 0;
}
