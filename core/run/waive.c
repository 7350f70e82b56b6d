/* SPDX-License-Identifier: Apache-2.0 */
/* The waivers of the config, applied to what a run found; those that have ended or waive nothing are warned of. */
#include <string.h>

#include <kit/glob.h>
#include <kit/text.h>
#include <report/waive.h>
#include <run/session.h>

static bool has_stage(const struct report *report, const struct waiver *waiver)
{
	for (const char *const *pattern = waiver->stages; *pattern; pattern++) {
		for (uint32_t i = 0; i < report->stage_count; i++) {
			if (glob_match(*pattern, text_of(report->stages[i].id)) ||
			    glob_match(*pattern, text_of(report->stages[i].name)))
				return true;
		}
	}
	return false;
}

static const char *suggestion(const struct report *report, const struct waiver *waiver, struct diags *diags)
{
	const char **ids = arena_array(&diags->arena, (size_t)report->stage_count + 1, sizeof(*ids));

	for (uint32_t i = 0; ids && i < report->stage_count; i++)
		ids[i] = report->stages[i].id;
	return ids ? diag_suggestion(diags, waiver->stages[0], ids) : "";
}

static void warn(const struct report *report, const struct waiver *waiver, struct place place, struct diags *diags)
{
	if (waiver->state == WAIVER_EXPIRED)
		diag_warning(diags, place, "this waiver ended with %s, and waives nothing any more: %s", waiver->until,
		             waiver->reason);
	else if (!has_stage(report, waiver))
		diag_warning(diags, place, "this waiver waives nothing: no stage of this run is called '%s'%s",
		             waiver->stages[0], suggestion(report, waiver, diags));
	else if (waiver->met == MET_WAIVED)
		diag_warning(diags, place, "this waiver waives nothing: one before it takes what it names");
	else if (waiver->met)
		diag_warning(diags, place,
		             "this waiver waives nothing: what it names was found, but lists no event that matches");
	else
		diag_warning(diags, place, "this waiver waives nothing: what it names was not found");
}

bool session_waive(struct session *session)
{
	const struct config *config = session->config;
	struct report *report = &session->run.report;
	struct diags diags = {0};

	/* What a part found is for the run that combines the parts to judge. */
	if (!config->waiver_count || session->options->part_n)
		return true;
	report->waivers = arena_array(&report->arena, config->waiver_count, sizeof(*report->waivers));
	if (!report->waivers)
		return false;
	memcpy(report->waivers, config->waivers, config->waiver_count * sizeof(*report->waivers));
	report->waiver_count = config->waiver_count;
	if (!report_waive(report, config->today))
		return false;
	for (uint32_t i = 0; i < report->waiver_count; i++) {
		if (report->waivers[i].state != WAIVER_USED)
			warn(report, &report->waivers[i], config->waiver_places[i], &diags);
	}
	if (diags.first && !session->is_trial && session->options->err)
		diags_print(session->options->err, &diags, session->options->is_err_coloured);
	diags_fini(&diags);
	return true;
}
