/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dftracer - traces of DFTracer (DLIO Profiler): what a program and its input and output did on the host. Nothing in
 * them is device work: stages that need it say that there was none to look at.
 */
#include <tav/kit.h>

enum { FIELD_PARENT };
/* The place of the parent event, -1 without one: every event of DFTracer has it, of any category. */
static const struct tav_field fields[] = {[FIELD_PARENT] = {"args.p_idx", TAV_TYPE_PRESENT, 0}};
static const struct tav_rule rules[] = {
        {{{"args.p_idx", TAV_TEST_EXISTS, 0, NULL}}, TAV_TRAIT_HOST_OP, 0, 0, 0},
};

static int32_t probe(struct tav_self *self, const struct tav_sample *sample, char *why, size_t why_size)
{
	uint64_t own = sample->field_counts[FIELD_PARENT];
	uint32_t is_named = 0, io_count = 0;
	(void)self;

	for (uint32_t i = 0; i < sample->label_count; i++) {
		is_named |= tav_text_is(sample->categories[i], "dftracer");
		io_count += tav_text_is(sample->categories[i], "POSIX") || tav_text_is(sample->categories[i], "STDIO");
	}
	if (!own && !is_named)
		return 0;
	snprintf(why, why_size, "%llu host events with p_idx, %u kinds of input and output, no device work",
	         (unsigned long long)own, io_count);
	return is_named ? 90 : own * 2 >= sample->event_count ? 80 : 20;
}

static const struct tav_dialect dftracer = {
        .struct_size = sizeof(dftracer),
        .name = "dftracer",
        .summary = "Traces of DFTracer: input, output and functions of the host; knows no device work",
        .fields = TAV_LIST(fields),
        .rules = TAV_LIST(rules),
        .probe = probe,
};

static const struct tav_dialect *const dialects[] = {&dftracer, NULL};
TAV_EXPORT const struct tav_plugin tav_plugin = {
        TAV_PLUGIN_HEAD, .name = "dftracer", .version = "1.0.0", .license = "Apache-2.0", .dialects = dialects,
};
