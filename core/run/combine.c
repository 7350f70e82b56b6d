/* SPDX-License-Identifier: Apache-2.0 */
/* After all sources: what is true of the run, and the levels that the user gives to what was found. */
#include <string.h>

#include <host/view.h>
#include <kit/crash.h>
#include <run/session.h>

/* Is there any source that the stage looked at? */
static bool has_results(const struct report *report, uint32_t stage)
{
	for (uint32_t i = 0; i < report->source_count; i++) {
		if (!report_source_error(&report->sources[i]) && report->sources[i].results.stages[stage].is_done)
			return true;
	}
	return false;
}

/* While a stage combines, no plugin can write to what was found. */
static void seal_results(struct report *report)
{
	for (uint32_t i = 0; i < report->source_count + report->baseline_count; i++)
		results_seal(&report->sources[i].results);
	results_seal(&report->run);
}

static void unseal_results(struct report *report)
{
	for (uint32_t i = 0; i < report->source_count + report->baseline_count; i++)
		results_unseal(&report->sources[i].results);
	results_unseal(&report->run);
}

static void combine_with(struct session *session, uint32_t stage)
{
	struct report *report = &session->run.report;
	struct host *host = &session->stages[stage];
	struct stage_results *told = &report->run.stages[stage];
	struct call call;

	told->is_done = true;
	if (!host->setup->part->stage.combine || !has_results(report, stage))
		return;
	call_init(&call, host, PHASE_COMBINE, NULL, session->run.jobs);
	call.source_count = report->source_count;
	call.baseline_first = report->source_count;
	while (call.baseline_first < report->source_count + report->baseline_count &&
	       report->sources[call.baseline_first].owner != stage)
		call.baseline_first++;
	while (call.baseline_first + call.baseline_count < report->source_count + report->baseline_count &&
	       report->sources[call.baseline_first + call.baseline_count].owner == stage)
		call.baseline_count++;
	seal_results(report);
	struct crash_place before = crash_enter("stage", host->setup->id);
	tav_status status = host->setup->part->stage.combine(&call.self);
	crash_leave(before);
	unseal_results(report);
	status = call_check_status(&call, "combine()", status);
	told->is_done = status == TAV_OK;
	if (status == TAV_FAILED) {
		told->error = causes_line(&call.causes, &report->arena);
		if (!told->error)
			told->error = "it did not finish, and memory ran out";
		cause_add(&call.causes, "stage '%s' could not combine what was found", host->setup->id);
		session_say(session, &call.causes);
	}
	call_fini(&call);
}

static const struct severity *level_of(const struct setup *setup, struct tav_text id)
{
	for (uint32_t i = setup->severity_count; i-- > 0;) {
		if (strlen(setup->severities[i].id) == id.size && !memcmp(setup->severities[i].id, id.data, id.size))
			return &setup->severities[i];
	}
	return NULL;
}

/* A level says how bad it is when something was found; what passed or was not looked at stays so. */
static void set_levels(const struct setup *setup, struct stage_results *told)
{
	static const uint32_t results[] = {TAV_RESULT_PASS, TAV_RESULT_PASS, TAV_RESULT_WARN, TAV_RESULT_FAIL};
	static const uint32_t severities[] = {TAV_SEV_NOTE, TAV_SEV_NOTE, TAV_SEV_WARNING, TAV_SEV_ERROR};

	for (uint32_t i = 0; i < told->check_count; i++) {
		const struct severity *level = level_of(setup, told->checks[i]->id);

		if (level && (told->checks[i]->result == TAV_RESULT_WARN || told->checks[i]->result == TAV_RESULT_FAIL))
			told->checks[i]->result = results[level->level];
	}
	for (uint32_t i = 0; i < told->finding_count; i++) {
		struct tav_finding_result *finding = &told->findings[i]->shown;
		const struct severity *level = level_of(setup, finding->id);

		if (level)
			finding->severity = severities[level->level];
	}
}

static void set_all_levels(struct session *session)
{
	struct report *report = &session->run.report;

	for (uint32_t stage = 0; stage < session->stage_count; stage++) {
		const struct setup *setup = session->stages[stage].setup;

		if (!setup->severity_count)
			continue;
		for (uint32_t i = 0; i < report->source_count + report->baseline_count; i++)
			set_levels(setup, &report->sources[i].results.stages[stage]);
		set_levels(setup, &report->run.stages[stage]);
	}
}

bool session_combine(struct session *session)
{
	struct report *report = &session->run.report;

	for (uint32_t i = 0; i < report->source_count + report->baseline_count; i++)
		report->sources[i].facts.verdict = report_source_verdict(report, i);
	for (uint32_t i = 0; i < session->stage_count && !session->options->part_n && !report->error; i++) {
		if (crash_cancelled)
			return true;
		combine_with(session, i);
	}
	set_all_levels(session);
	return session_waive(session);
}
