/* SPDX-License-Identifier: Apache-2.0 */
/* coverage - is everything there that should be? */
#include "coverage.h"

const struct trust_check *const coverage_checks[] = {&check_device_present, &check_kernel_present, &check_host_present,
                                                     &check_steps,          &check_busy,           &check_overhead,
                                                     &check_reported_loss,  &check_unknown_kinds,  NULL};

static const struct tav_option options[] = {
        [OPT_STEP_LOW] = {"step_low", TAV_TYPE_REAL, 0, "0.5", "0", "1", NULL,
                          "A step with less than this part of the median number of device events is doubted."},
        [OPT_STEP_HIGH] = {"step_high", TAV_TYPE_REAL, 0, "1.5", "1", NULL, NULL,
                           "The same of a step with more than this multiple."},
        [OPT_IDLE_SHARE] = {"idle_share", TAV_TYPE_REAL, 0, "0.001", "0", "1", NULL,
                            "A device that was at work for a smaller share of the time did nothing (busy)."},
        [OPT_OVERHEAD] = {"overhead", TAV_TYPE_REAL, 0, "0.1", "0", "1", NULL,
                          "A profiler that takes a larger share of the time is doubted."},
};

tav_status kinds_init(struct kinds *kinds, struct trust *trust)
{
	*kinds = (struct kinds){0};
	tav_map_init(&kinds->names, trust->self);
	kinds->counts = trust->host->alloc(trust->self, ((size_t)trust->host->label_count(trust->self, 0) + 1) *
	                                                        sizeof(*kinds->counts));
	return kinds->counts ? TAV_OK : TAV_FAILED;
}

tav_status kinds_add(struct kinds *kinds, const struct trust *trust, tav_row row)
{
	struct tav_text category;
	uint32_t number;

	trust->host->label(trust->self, 0, trust->label[row], &category);
	number = tav_map_text(&kinds->names, category);
	if (number == TAV_NONE)
		return TAV_FAILED;
	kinds->counts[number]++;
	kinds->total++;
	return TAV_OK;
}

void kinds_say(const struct kinds *kinds, struct tav_sentence *say)
{
	uint32_t said[3];

	for (uint32_t i = 0; i < 3 && i < kinds->names.count; i++) {
		uint32_t most = TAV_NONE;

		for (uint32_t k = 0; k < kinds->names.count; k++) {
			bool is_said = (i > 0 && said[0] == k) || (i > 1 && said[1] == k);

			if (!is_said && (most == TAV_NONE || kinds->counts[k] > kinds->counts[most]))
				most = k;
		}
		said[i] = most;
		tav_say(say, "%s%s (%s)", i ? ", " : "", SHORT(kinds->names.texts[most]),
		        COUNTED(kinds->counts[most], ""));
	}
	if (kinds->names.count > 3)
		tav_say(say, ", ...");
}

uint64_t kernel_launches(const struct trust *trust)
{
	uint64_t count = 0;

	for (tav_row row = 0; row < trust->row_count; row++)
		count += is_interval(trust, row) && call_of(trust, row) == TAV_CALL_LAUNCH;
	return count;
}

static tav_status each(struct tav_self *self)
{
	struct trust trust;
	tav_status status;

	if (trust_init(&trust, self, WORD_RECORDING))
		return TAV_FAILED;
	status = trust_look(&trust);
	if (status)
		return status;
	trust_take_marks(&trust);
	return trust_run(&trust, coverage_checks);
}

TRUST_PAGES(coverage_checks)

const struct tav_stage stage_coverage = {
        .struct_size = sizeof(stage_coverage),
        .flags = TAV_STAGE_NO_DEVICE_WORK | TAV_STAGE_LINKS,
        .name = "coverage",
        .summary = "Is everything there that should be?",
        .help = "Device work, kernels, the host, every step; what the profiler cost, what it says it lost, and kinds "
                "of "
                "events that nobody knows.",
        .options = TAV_LIST(options),
        .pages = TAV_LIST(pages),
        .each = each,
};
