/* SPDX-License-Identifier: Apache-2.0 */
/* The rest of a plugin with one stage, for those that are wrong in another way. */
#ifndef TESTS_STAGE_H
#define TESTS_STAGE_H

#include <tav/kit.h>

#ifndef NEEDS_MAJOR
#define NEEDS_MAJOR TAV_ABI_MAJOR
#endif
#ifndef NEEDS_MINOR
#define NEEDS_MINOR TAV_ABI_MINOR
#endif

#define PLUGIN(stage)                                                                                                  \
	static const struct tav_stage *const stages[] = {&stage, NULL};                                                \
	const struct tav_plugin tav_plugin = {.abi_major = NEEDS_MAJOR,                                                \
	                                      .abi_minor = NEEDS_MINOR,                                                \
	                                      .struct_size = sizeof(struct tav_plugin),                                \
	                                      .name = "bad",                                                           \
	                                      .version = "1.0.0",                                                      \
	                                      .license = "Apache-2.0",                                                 \
	                                      .stages = stages}

/* each() of a stage that finds nothing wrong. */
static inline tav_status each_well(struct tav_self *self)
{
	return tav_tell(self, 0, "bad", TAV_RESULT_PASS, 0, 1, "it ran");
}

#endif
