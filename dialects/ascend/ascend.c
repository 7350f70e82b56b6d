/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ascend - traces of Huawei's Ascend NPUs: msprof, torch_npu and MindSpore. A file is of one device. Its hardware rows
 * carry "Task Type" and "Stream Id"; its HCCL rows ("task type", "stream id") tell the parts of a collective once more,
 * as the communication sees them, so they have a lane of their own and no verdict rests on it. MindSpore's timeline has
 * the stream in tid.
 */
#include <tav/collective.h>
#include <tav/kit.h>

enum { FIELD_HARDWARE, FIELD_HCCL, FIELD_MINDSPORE };
static const struct tav_field fields[] = {
        [FIELD_HARDWARE] = {"args.Task Type", TAV_TYPE_STRING, 0},
        [FIELD_HCCL] = {"args.task type", TAV_TYPE_STRING, 0},
        [FIELD_MINDSPORE] = {"args.fullname", TAV_TYPE_STRING, 0},
};

#define HAS(field)                                                                                                     \
	{                                                                                                              \
		field, TAV_TEST_EXISTS, 0, NULL                                                                        \
	}
#define TASK(pattern)                                                                                                  \
	{                                                                                                              \
		"args.Task Type", TAV_TEST_MATCHES, TAV_COND_IGNORE_CASE, pattern                                      \
	}
#define CATEGORY(text)                                                                                                 \
	{                                                                                                              \
		"cat", TAV_TEST_EQUALS, TAV_COND_IGNORE_CASE, text                                                     \
	}
#define STARTS(text)                                                                                                   \
	{                                                                                                              \
		"name", TAV_TEST_PREFIX, 0, text                                                                       \
	}
#define DEVICE_WORK (TAV_TRAIT_DEVICE | TAV_TRAIT_DEVICE_CLOCK)
#define ALL_WORK (TAV_TRAIT_DEVICE | TAV_TRAIT_KERNEL | TAV_TRAIT_MEMCPY | TAV_TRAIT_COLLECTIVE)

static const struct tav_rule rules[] = {
        {{HAS("args.fullname"), HAS("args.type")}, DEVICE_WORK | TAV_TRAIT_KERNEL, 0, 0, 0},
        {{HAS("args.Task Type")}, DEVICE_WORK | TAV_TRAIT_KERNEL, 0, 0, 0},
        {{TASK("memcpy|sdma|dma_")}, TAV_TRAIT_MEMCPY, TAV_TRAIT_KERNEL, 0, 0},
        {{TASK("hccl|communication|reduce_async")}, TAV_TRAIT_COLLECTIVE, 0, 0, 0},
        /* A stream that waits, or tells others that it is there, does no work. */
        {{TASK("wait|record|reset|place_holder|profiler")}, TAV_TRAIT_DEVICE_CLOCK, ALL_WORK, 0, 0},
        {{HAS("args.task type"), HAS("args.stream id")}, DEVICE_WORK | TAV_TRAIT_COLLECTIVE, 0, 0, 0},

        {{CATEGORY("cpu_op")}, TAV_TRAIT_HOST_OP, 0, 0, 0},
        {{CATEGORY("user_annotation")}, TAV_TRAIT_ANNOTATION, 0, 0, 0},
        {{CATEGORY("python_function")}, TAV_TRAIT_PYTHON, 0, 0, 0},
        {{STARTS("AscendCL@")}, TAV_TRAIT_RUNTIME, 0, 0, 0},
        {{STARTS("Runtime@")}, TAV_TRAIT_DRIVER, 0, 0, 0},
        {{STARTS("Node@launch")}, TAV_TRAIT_RUNTIME, 0, TAV_CALL_LAUNCH, 0},
};

static const char *const process_fields[] = {"pid", NULL};
static const char *const stream_fields[] = {"args.Stream Id", "args.stream id", "tid", NULL};
static const char *const device_fields[] = {"args.Device Id", "args.device id", NULL};
#define DEVICE_KEY                                                                                                     \
	{                                                                                                              \
		device_fields, "0", NULL                                                                               \
	}
#define NO_MORE_KEYS                                                                                                   \
	{                                                                                                              \
		NULL, NULL, NULL                                                                                       \
	}
static const struct tav_key track[] = {
        {process_fields, NULL, NULL}, {stream_fields, NULL, NULL}, DEVICE_KEY, NO_MORE_KEYS};
static const struct tav_key device[] = {DEVICE_KEY, NO_MORE_KEYS};

enum { LANE_HARDWARE, LANE_HCCL };
static const struct tav_lane lanes[] = {
        [LANE_HARDWARE] = {"hardware", TAV_TRACK_SERIAL, 0},
        [LANE_HCCL] = {"HCCL", 0, 0},
};

static tav_status classify(struct tav_self *self, uint32_t count, const struct tav_text *names,
                           const struct tav_text *categories, uint32_t *traits)
{
	(void)self;
	(void)categories;
	/* Names alone say it; whether the row is device work is known only when refine() sees it. */
	for (uint32_t i = 0; i < count; i++) {
		if (tav_is_collective(names[i]) || tav_word_at(names[i], 0, "hcom_"))
			traits[i] |= TAV_TRAIT_REFINE;
	}
	return TAV_OK;
}

static tav_status refine(struct tav_self *self, uint32_t source, uint32_t count, const tav_row *rows, uint32_t *traits)
{
	(void)self;
	(void)source;
	(void)rows;
	for (uint32_t i = 0; i < count; i++) {
		if (traits[i] & TAV_TRAIT_KERNEL)
			traits[i] |= TAV_TRAIT_COLLECTIVE;
	}
	return TAV_OK;
}

static tav_status assign(struct tav_self *self, uint32_t source, uint32_t count, const tav_row *rows,
                         uint32_t *lane_of_row)
{
	const uint32_t *hccl = self->host->column(self, source, TAV_COL_FIELDS + FIELD_HCCL);

	if (!hccl)
		return tav_fail(self, "no column of args.task type");
	for (uint32_t i = 0; i < count; i++)
		lane_of_row[i] = hccl[rows[i]] ? LANE_HCCL : LANE_HARDWARE;
	return TAV_OK;
}

static uint32_t flavour(struct tav_self *self, uint32_t source)
{
	(void)self;
	(void)source;
	return TAV_FLAVOUR_ASCEND;
}

static int32_t probe(struct tav_self *self, const struct tav_sample *sample, char *why, size_t why_size)
{
	const uint64_t *counts = sample->field_counts;
	(void)self;

	if (counts[FIELD_HARDWARE] || counts[FIELD_HCCL])
		snprintf(why, why_size, "%llu events with Task Type",
		         (unsigned long long)(counts[FIELD_HARDWARE] + counts[FIELD_HCCL]));
	else if (counts[FIELD_MINDSPORE] * 2 >= sample->event_count && counts[FIELD_MINDSPORE])
		snprintf(why, why_size, "%llu operators with fullname", (unsigned long long)counts[FIELD_MINDSPORE]);
	else
		return 0;
	return 70; /* torch_npu writes the host's side as torch.profiler does: then it is for the user to say */
}

static const struct tav_dialect ascend = {
        .struct_size = sizeof(ascend),
        .name = "ascend",
        .summary = "Traces of Ascend NPUs: msprof, torch_npu, MindSpore",
        .fields = TAV_LIST(fields),
        .rules = TAV_LIST(rules),
        .track = track,
        .lanes = TAV_LIST(lanes),
        .probe = probe,
        .classify = classify,
        .refine = refine,
        .assign = assign,
        .device = device,
        .track_word = "stream",
        .flavour = flavour,
};

static const struct tav_dialect *const dialects[] = {&ascend, NULL};
TAV_EXPORT const struct tav_plugin tav_plugin = {
        TAV_PLUGIN_HEAD, .name = "ascend", .version = "1.0.0", .license = "Apache-2.0", .dialects = dialects,
};
