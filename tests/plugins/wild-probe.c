/* SPDX-License-Identifier: Apache-2.0 */
/* A score that is none: 900 is not "surely mine". */
#include "stage.h"

static int32_t probe(struct tav_self *self, const struct tav_sample *sample, char *why, size_t why_size)
{
	(void)self;
	(void)sample;
	snprintf(why, why_size, "because");
	return 900;
}
static const struct tav_dialect wild = {.struct_size = sizeof(wild), .name = "wild", .summary = "s", .probe = probe};
static const struct tav_dialect *const dialects[] = {&wild, NULL};
const struct tav_plugin tav_plugin = {.abi_major = TAV_ABI_MAJOR,
                                      .abi_minor = TAV_ABI_MINOR,
                                      .struct_size = sizeof(struct tav_plugin),
                                      .name = "wild",
                                      .version = "1.0.0",
                                      .license = "Apache-2.0",
                                      .dialects = dialects};
