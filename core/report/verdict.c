/* SPDX-License-Identifier: Apache-2.0 */
#include <report/report.h>

const char *verdict_name(enum verdict verdict)
{
	static const char *const names[] = {"pass", "warn", "fail", "error"};

	return names[verdict];
}

static enum verdict worse(enum verdict a, enum verdict b)
{
	return a > b ? a : b;
}

/* A check that was skipped says why and changes nothing: whether that matters is for the stage to say. */
static enum verdict of_check(const struct report_check *check)
{
	return check->result == TAV_RESULT_FAIL   ? VERDICT_FAIL
	       : check->result == TAV_RESULT_WARN ? VERDICT_WARN
	                                          : VERDICT_PASS;
}

static enum verdict of_finding(const struct report_finding *finding)
{
	return finding->severity == TAV_SEV_ERROR     ? VERDICT_FAIL
	       : finding->severity == TAV_SEV_WARNING ? VERDICT_WARN
	                                              : VERDICT_PASS;
}

enum verdict report_stage_verdict(const struct report *report, uint32_t stage, uint32_t source)
{
	const struct report_stage *said = &report->stages[stage];
	enum verdict verdict = source == TAV_RUN && said->error ? VERDICT_ERROR : VERDICT_PASS;

	for (const struct report_check *check = said->checks; check; check = check->next) {
		if (source == TAV_RUN || check->source == source)
			verdict = worse(verdict, of_check(check));
	}
	for (const struct report_finding *finding = said->findings; finding; finding = finding->next) {
		if (source == TAV_RUN || finding->source == source)
			verdict = worse(verdict, of_finding(finding));
	}
	return verdict;
}

const char *report_source_error(const struct report_source *source)
{
	if (source->read_error && source->read_error->message)
		return source->read_error->message;
	if (source->error)
		return source->error;
	return source->events ? NULL : "was not read";
}

enum verdict report_source_verdict(const struct report *report, uint32_t source)
{
	const struct report_source *about = &report->sources[source];
	enum verdict verdict = VERDICT_PASS;

	if (report_source_error(about))
		return VERDICT_ERROR;
	if (about->events->notices)
		verdict = VERDICT_WARN;
	for (uint32_t stage = 0; stage < report->stage_count; stage++)
		verdict = worse(verdict, report_stage_verdict(report, stage, source));
	return verdict;
}

enum verdict report_verdict(const struct report *report)
{
	enum verdict verdict = VERDICT_PASS;

	for (uint32_t source = 0; source < report->source_count; source++)
		verdict = worse(verdict, report_source_verdict(report, source));
	for (uint32_t stage = 0; stage < report->stage_count; stage++)
		verdict = worse(verdict, report_stage_verdict(report, stage, TAV_RUN));
	return verdict;
}

int report_exit_status(const struct report *report)
{
	switch (report_verdict(report)) {
	case VERDICT_ERROR:
		return 2;
	case VERDICT_FAIL:
		return 1;
	case VERDICT_WARN:
		return report->fail_on_warning ? 1 : 0;
	default:
		return 0;
	}
}
