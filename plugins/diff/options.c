/* SPDX-License-Identifier: Apache-2.0 */
/* The options, and what they come to. */
#include <string.h>

#include "diff.h"

const char *const kind_names[KIND_COUNT] = {"compute", "communication", "copy"};
const char *const measure_names[MEASURE_COUNT] = {
        [M_COMPUTE] = "compute",
        [M_COMMUNICATION] = "communication",
        [M_COPIES] = "copies",
        [M_BUSY] = "busy",
        [M_COMPUTE_COVER] = "compute_cover",
        [M_EXPOSED_COMMUNICATION] = "exposed_communication",
        [M_EXPOSED_COPIES] = "exposed_copies",
        [M_IDLE] = "idle",
        [M_OVERLAPPED] = "overlapped",
        [M_STEP] = "step",
};
const char *const origin_names[ORIGIN_COUNT] = {"marked", "stated", "inferred", "whole"};
const char *const level_names[LEVEL_COUNT] = {"exact", "name", "cut", "digits", "head", "op", "new", "gone"};
const char *const result_names[RESULT_COUNT] = {"shown", "unchanged", "improved", "regressed"};

static const char *const on_new_choices[] = {"off", "warn", "fail", NULL};
static const char *const on_inconclusive_choices[] = {"fail", "warn", "pass", NULL};
static const char *const ignore_choices[] = {"device", "rank", "world_size", NULL};

#define LIMIT(name, preset, help)                                                                                      \
	{                                                                                                              \
		name, TAV_TYPE_STRING, TAV_OPT_LATE, preset, NULL, NULL, NULL, help                                    \
	}
const struct tav_option diff_options[OPTION_COUNT] = {
        [OPT_BASELINE] = {"baseline", TAV_TYPE_INPUT, TAV_OPT_MANY | TAV_OPT_BASELINE | TAV_OPT_LATE, "[]", NULL, NULL,
                          NULL, "Traces, or reports of earlier runs, to compare with; none: only the tables are made."},
        [OPT_LIMIT_COMPUTE] =
                LIMIT("limit_compute", "3", "Percent by which compute time per step may grow; off: shown, not judged."),
        [OPT_LIMIT_STEP] = LIMIT("limit_step", "10", "The same of the time of a marked step."),
        [OPT_LIMIT_BUSY] = LIMIT("limit_busy", "off", "The same of the time in which the device does anything."),
        [OPT_LIMIT_COPIES] = LIMIT("limit_copies", "off", "The same of copies and fills."),
        [OPT_LIMIT_COMMUNICATION] = LIMIT("limit_communication", "off", "The same of communication."),
        [OPT_LIMIT_EXPOSED_COMMUNICATION] =
                LIMIT("limit_exposed_communication", "off", "The same of communication with no compute beside it."),
        [OPT_LIMIT_EXPOSED_COPIES] = LIMIT("limit_exposed_copies", "off",
                                           "The same of copies with neither compute nor communication beside them."),
        [OPT_LIMIT_IDLE] = LIMIT("limit_idle", "off", "The same of idle time."),
        [OPT_LIMIT_KERNEL] =
                LIMIT("limit_kernel", "off", "Percent by which a single kernel of at least min_share may grow."),
        [OPT_MIN_SHARE] = LIMIT("min_share", "0.5",
                                "Percent of the baseline's compute time: rows that changed by less never fail."),
        [OPT_MIN_MATCH] = LIMIT("min_match", "80",
                                "Percent of the compute time of each side that must have a partner on the other."),
        [OPT_MIN_EFFECT] = {"min_effect", TAV_TYPE_DURATION, TAV_OPT_LATE, "1us", "0ns", NULL, NULL,
                            "A change of a median by less than this is none."},
        [OPT_FEW_FACTOR] = {"few_factor", TAV_TYPE_INT, TAV_OPT_LATE, "2", "1", "100", NULL,
                            "Limits are so many times as wide where a side has fewer than 4 steps."},
        [OPT_ON_NEW] = {"on_new", TAV_TYPE_CHOICE, TAV_OPT_LATE, "off", NULL, NULL, on_new_choices,
                        "What new kernels of at least min_share are."},
        [OPT_ON_INCONCLUSIVE] = {"on_inconclusive", TAV_TYPE_CHOICE, TAV_OPT_LATE, "fail", NULL, NULL,
                                 on_inconclusive_choices, "What it is when the two cannot be compared."},
        [OPT_IGNORE] = {"ignore", TAV_TYPE_CHOICE, TAV_OPT_MANY | TAV_OPT_LATE, "[]", NULL, NULL, ignore_choices,
                        "Differences that do not keep two sides from being compared."},
        [OPT_TOP] = {"top", TAV_TYPE_INT, TAV_OPT_LATE, "10", "0", "1000000", NULL, "Rows of `changes` shown; 0: all."},
        [OPT_IGNORE_NAMES] = {"ignore_names", TAV_TYPE_PATTERN, TAV_OPT_MANY, "[]", NULL, NULL, NULL,
                              "Device work that is left out when the tables are made; both sides must agree in it."},
        [OPT_UNITS] = {"units", TAV_TYPE_STRING, 0, "auto", NULL, NULL, NULL,
                       "auto, or the number of repetitions in the trace, where no steps are marked."},
        [OPT_DEVICES] = {"devices", TAV_TYPE_STRING, TAV_OPT_MANY, "[]", NULL, NULL, NULL,
                         "Only these devices; none: all."},
        [OPT_MAX_ROWS] = {"max_rows", TAV_TYPE_INT, 0, "5000", "10", "1000000", NULL,
                          "Names kept of each device; of more, the smallest become one row of their kind."},
};

/* "3", "2.5", "off": thousandths of a percent, or NO_LIMIT. */
static int parse_percent(struct tav_text text, int64_t *out)
{
	int64_t value = 0;
	int digits = 0, decimals = -1;

	*out = NO_LIMIT;
	if (tav_text_is(text, "off") || tav_text_is(text, "false"))
		return 1;
	for (size_t i = 0; i < text.size; i++) {
		char c = text.data[i];

		if (c == '.' && decimals < 0 && digits) {
			decimals = 0;
			continue;
		}
		if (c < '0' || c > '9' || ++digits > 9 || decimals == 3)
			return 0;
		decimals += decimals >= 0;
		value = value * 10 + (c - '0');
	}
	for (int i = decimals < 0 ? 0 : decimals; i < 3; i++)
		value *= 10;
	if (!digits || value > 1000 * PERCENT)
		return 0;
	*out = value;
	return 1;
}

static tav_status take_percent(struct tav_self *self, uint32_t option, int may_be_off, int64_t *out)
{
	if (parse_percent(self->options[option]->text, out) && (may_be_off || *out != NO_LIMIT))
		return TAV_OK;
	return self->host->bad_option(self, option,
	                              may_be_off ? "is neither off nor percent from 0 to 1000 with at most 3 decimals"
	                                         : "is not percent from 0 to 1000 with at most 3 decimals");
}

static tav_status take_limits(struct tav_self *self, struct settings *settings)
{
	static const struct {
		enum measure measure;
		enum option option;
	} limits[] = {
	        {M_COMPUTE, OPT_LIMIT_COMPUTE},
	        {M_STEP, OPT_LIMIT_STEP},
	        {M_BUSY, OPT_LIMIT_BUSY},
	        {M_COPIES, OPT_LIMIT_COPIES},
	        {M_COMMUNICATION, OPT_LIMIT_COMMUNICATION},
	        {M_EXPOSED_COMMUNICATION, OPT_LIMIT_EXPOSED_COMMUNICATION},
	        {M_EXPOSED_COPIES, OPT_LIMIT_EXPOSED_COPIES},
	        {M_IDLE, OPT_LIMIT_IDLE},
	};
	tav_status status = TAV_OK;

	for (int i = 0; i < MEASURE_COUNT; i++)
		settings->limits[i] = NO_LIMIT;
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]) && !status; i++)
		status = take_percent(self, limits[i].option, 1, &settings->limits[limits[i].measure]);
	if (!status)
		status = take_percent(self, OPT_LIMIT_KERNEL, 1, &settings->limit_kernel);
	if (!status)
		status = take_percent(self, OPT_MIN_SHARE, 0, &settings->min_share);
	return status ? status : take_percent(self, OPT_MIN_MATCH, 0, &settings->min_match);
}

static tav_status take_units(struct tav_self *self, struct settings *settings)
{
	struct tav_text text = self->options[OPT_UNITS]->text;
	uint64_t value = 0;

	if (tav_text_is(text, "auto"))
		return TAV_OK;
	for (size_t i = 0; i < text.size && value <= 1000000; i++)
		value = text.data[i] >= '0' && text.data[i] <= '9' ? value * 10 + (uint64_t)(text.data[i] - '0')
		                                                   : UINT32_MAX;
	if (!value || value > 1000000)
		return self->host->bad_option(self, OPT_UNITS, "is neither auto nor a number from 1 to 1000000");
	settings->units = (uint32_t)value;
	return TAV_OK;
}

/* regfree() writes, and what create() made is read-only by then. */
static void free_patterns(const struct settings *settings)
{
	for (uint64_t i = 0; i < settings->pattern_count; i++) {
		regex_t copy = settings->patterns[i];

		regfree(&copy);
	}
}

static tav_status take_patterns(struct tav_self *self, struct settings *settings)
{
	const struct tav_value *names = self->options[OPT_IGNORE_NAMES];
	size_t size = 1;
	char *text;

	for (uint64_t i = 0; i < names->count; i++)
		size += names->items[i]->text.size + 2;
	settings->patterns = self->host->keep(self, (names->count + 1) * sizeof(*settings->patterns));
	text = self->host->keep(self, size);
	if (!settings->patterns || !text)
		return TAV_FAILED;
	settings->pattern_text.data = text;
	for (; settings->pattern_count < names->count; settings->pattern_count++) {
		struct tav_text pattern = names->items[settings->pattern_count]->text;

		if (regcomp(&settings->patterns[settings->pattern_count], pattern.data, REG_EXTENDED | REG_NOSUB)) {
			free_patterns(settings);
			return self->host->bad_option(self, OPT_IGNORE_NAMES, "is no regular expression");
		}
		if (settings->pattern_count)
			text[settings->pattern_text.size++] = ' ';
		memcpy(text + settings->pattern_text.size, pattern.data, pattern.size);
		settings->pattern_text.size += pattern.size;
	}
	return TAV_OK;
}

tav_status settings_create(struct tav_self *self)
{
	const struct tav_value *ignore = self->options[OPT_IGNORE];
	struct settings *settings = self->host->keep(self, sizeof(*settings));
	tav_status status;

	if (!settings)
		return TAV_FAILED;
	self->state = settings;
	settings->min_effect = self->options[OPT_MIN_EFFECT]->integer;
	settings->few_factor = self->options[OPT_FEW_FACTOR]->integer;
	settings->on_new = (uint32_t)self->options[OPT_ON_NEW]->integer;
	settings->on_inconclusive = (uint32_t)self->options[OPT_ON_INCONCLUSIVE]->integer;
	settings->top = (uint64_t)self->options[OPT_TOP]->integer;
	settings->max_rows = (uint64_t)self->options[OPT_MAX_ROWS]->integer;
	for (uint64_t i = 0; i < ignore->count; i++)
		settings->ignored[ignore->items[i]->integer] = 1;
	status = take_limits(self, settings);
	if (!status)
		status = take_units(self, settings);
	return status ? status : take_patterns(self, settings);
}

void settings_destroy(struct tav_self *self)
{
	free_patterns(self->state);
}
