/* SPDX-License-Identifier: Apache-2.0 */
/* The table of a plugin of interface 1.0, as a compiler laid it out; there was no release of it. */
#include <stddef.h>
#include <stdint.h>

struct stage_1_0 {
	uint32_t struct_size, reserved;
	const char *name, *summary, *help;
	const void *options, *fields;
	uint32_t counts[4];
	void *create, *run, *destroy;
};
static const struct stage_1_0 stage = {.struct_size = sizeof(stage), .name = "old", .summary = "s"};
static const struct stage_1_0 *const stages[] = {&stage, NULL};

struct plugin_1_0 {
	uint16_t abi_major, abi_minor;
	uint32_t struct_size;
	const char *name, *version, *license;
	const void *dialects;
	const struct stage_1_0 *const *stages;
};
extern const struct plugin_1_0 tav_plugin;
__attribute__((visibility("default")))
const struct plugin_1_0 tav_plugin = {1, 0, sizeof(tav_plugin), "old", "1.0.0", "Apache-2.0", NULL, stages};
