/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spyre-native - the native traces of IBM Spyre/AIU. They have no categories: what has the device's cycle stamps TS1 to
 * TS5 ran on the device, but for the preparation on the host, which carries copies of them. The end of a name says
 * which engine it was.
 */
#include <string.h>

#include <tav/kit.h>

enum { LANES_ENGINE, LANES_PROCESS };
static const char *const lane_choices[] = {"engine", "process", NULL};
enum { OPT_LANES };
static const struct tav_option options[] = {
        [OPT_LANES] =
                {"lanes", TAV_TYPE_CHOICE, 0, "engine", NULL, NULL, lane_choices,
                 "engine: a track for each engine of a process, of which compute is judged; process: all engines of a "
                 "process on one judged track."},
};

enum { FIELD_TS1, FIELD_TS5 };
static const struct tav_field fields[] = {
        [FIELD_TS1] = {"args.TS1", TAV_TYPE_STRING, 0},
        [FIELD_TS5] = {"args.TS5", TAV_TYPE_STRING, 0},
};

#define HAS_TS1                                                                                                        \
	{                                                                                                              \
		"args.TS1", TAV_TEST_EXISTS, 0, NULL                                                                   \
	}
#define NAME_ENDS(text)                                                                                                \
	{                                                                                                              \
		"name", TAV_TEST_SUFFIX, 0, text                                                                       \
	}
#define DEVICE_WORK (TAV_TRAIT_DEVICE | TAV_TRAIT_DEVICE_CLOCK)
static const char compute_suffix[] = " Cmpt Exec", prepare_suffix[] = " Cmpt Prep";
static const char in_suffix[] = " DmaI", out_suffix[] = " DmaO";

static const struct tav_rule rules[] = {
        {{HAS_TS1}, DEVICE_WORK | TAV_TRAIT_REFINE, 0, 0, 0},
        {{HAS_TS1, NAME_ENDS(compute_suffix)}, TAV_TRAIT_KERNEL, 0, 0, 0},
        {{HAS_TS1, NAME_ENDS(in_suffix)}, TAV_TRAIT_MEMCPY, 0, 0, 0},
        {{HAS_TS1, NAME_ENDS(out_suffix)}, TAV_TRAIT_MEMCPY, 0, 0, 0},
        {{HAS_TS1, {"args.CollGroup", TAV_TEST_EXISTS, 0, NULL}}, TAV_TRAIT_COLLECTIVE, 0, 0, 0},
        {{NAME_ENDS(prepare_suffix)}, TAV_TRAIT_PREP, DEVICE_WORK | TAV_TRAIT_COLLECTIVE | TAV_TRAIT_REFINE, 0, 0},
};

static const char *const pid_fields[] = {"pid", NULL};
static const struct tav_key track[] = {{pid_fields, NULL, NULL}, {NULL, NULL, NULL}};

enum { LANE_COMPUTE, LANE_IN, LANE_OUT, LANE_OTHER, LANE_ALL };
static const struct tav_lane lanes[] = {
        [LANE_COMPUTE] = {"compute", TAV_TRACK_SERIAL, 0},
        [LANE_IN] = {"DmaI", 0, 0},
        [LANE_OUT] = {"DmaO", 0, 0},
        [LANE_OTHER] = {"other", 0, 0},
        [LANE_ALL] = {"all engines", TAV_TRACK_SERIAL, 0},
};

static int ends_with(struct tav_text text, const char *suffix)
{
	size_t size = strlen(suffix);

	return text.size >= size && !memcmp(text.data + text.size - size, suffix, size);
}

/* A calibration error of the capture: no time passed on the clock, though the device counted cycles. */
static tav_status refine(struct tav_self *self, uint32_t source, uint32_t count, const tav_row *rows, uint32_t *traits)
{
	const int64_t *start = self->host->column(self, source, TAV_COL_START_NS);
	const int64_t *end = self->host->column(self, source, TAV_COL_END_NS);
	const uint32_t *ts1 = self->host->column(self, source, TAV_COL_FIELDS + FIELD_TS1);
	const uint32_t *ts5 = self->host->column(self, source, TAV_COL_FIELDS + FIELD_TS5);

	if (!start || !end || !ts1 || !ts5)
		return tav_fail(self, "no times or cycle stamps for source %u", source);
	for (uint32_t i = 0; i < count; i++) {
		tav_row row = rows[i];
		if (traits[i] & TAV_TRAIT_INTERVAL && start[row] == end[row] && ts5[row] && ts1[row] != ts5[row])
			traits[i] |= TAV_TRAIT_SUSPECT_TIME;
	}
	return TAV_OK;
}

static uint32_t lane_of(struct tav_text name)
{
	if (ends_with(name, compute_suffix))
		return LANE_COMPUTE;
	if (ends_with(name, in_suffix))
		return LANE_IN;
	return ends_with(name, out_suffix) ? LANE_OUT : LANE_OTHER;
}

static tav_status assign(struct tav_self *self, uint32_t source, uint32_t count, const tav_row *rows,
                         uint32_t *lane_of_row)
{
	const uint32_t *label = self->host->column(self, source, TAV_COL_LABEL);

	for (uint32_t i = 0; i < count; i++) {
		if (self->options[OPT_LANES]->integer == LANES_PROCESS)
			lane_of_row[i] = LANE_ALL;
		else
			lane_of_row[i] = lane_of(self->host->label(self, source, label[rows[i]], NULL));
	}
	return TAV_OK;
}

static uint32_t flavour(struct tav_self *self, uint32_t source)
{
	(void)self;
	(void)source;
	return TAV_FLAVOUR_SPYRE;
}

static int32_t probe(struct tav_self *self, const struct tav_sample *sample, char *why, size_t why_size)
{
	uint64_t stamped = sample->field_counts[FIELD_TS1];
	uint32_t engine_count = 0;
	(void)self;

	for (uint32_t i = 0; i < sample->label_count; i++)
		engine_count += lane_of(sample->names[i]) != LANE_OTHER || ends_with(sample->names[i], prepare_suffix);
	if (stamped)
		snprintf(why, why_size, "%llu events with TS1", (unsigned long long)stamped);
	else if (engine_count)
		snprintf(why, why_size, "names of engines, but no TS1");
	return stamped && engine_count ? 90 : stamped ? 60 : engine_count ? 30 : 0;
}

static const struct tav_dialect spyre_native = {
        .struct_size = sizeof(spyre_native),
        .name = "spyre-native",
        .summary = "Native traces of IBM Spyre/AIU (FLEX)",
        .options = TAV_LIST(options),
        .fields = TAV_LIST(fields),
        .rules = TAV_LIST(rules),
        .track = track,
        .lanes = TAV_LIST(lanes),
        .probe = probe,
        .refine = refine,
        .assign = assign,
        .track_word = "engine",
        .flavour = flavour,
};

static const struct tav_dialect *const dialects[] = {&spyre_native, NULL};
TAV_EXPORT const struct tav_plugin tav_plugin = {
        TAV_PLUGIN_HEAD, .name = "spyre-native", .version = "2.0.0", .license = "Apache-2.0", .dialects = dialects,
};
