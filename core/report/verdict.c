/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include <kit/text.h>
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

static enum verdict of_finding(const struct result_finding *finding)
{
	return finding_is_waived(&finding->shown)           ? VERDICT_PASS
	       : finding->shown.severity == TAV_SEV_ERROR   ? VERDICT_FAIL
	       : finding->shown.severity == TAV_SEV_WARNING ? VERDICT_WARN
	                                                    : VERDICT_PASS;
}

/* What one stage told in one place. */
struct judgement {
	enum verdict verdict;
	bool has_check;    /* there is something to judge by */
	bool has_examined; /* not all checks were skipped */
};

static struct judgement judge(const struct stage_results *said)
{
	struct judgement judgement = {.verdict = VERDICT_PASS};

	for (uint32_t i = 0; i < said->check_count; i++) {
		uint32_t result = said->checks[i]->result;

		judgement.has_check = true;
		judgement.has_examined |= result != TAV_RESULT_SKIP;
		if (check_is_waived(said->checks[i]))
			continue;
		judgement.verdict = worse(judgement.verdict, result == TAV_RESULT_FAIL   ? VERDICT_FAIL
		                                             : result == TAV_RESULT_WARN ? VERDICT_WARN
		                                                                         : VERDICT_PASS);
	}
	for (uint32_t i = 0; i < said->finding_count; i++)
		judgement.verdict = worse(judgement.verdict, of_finding(said->findings[i]));
	if (said->error)
		judgement.verdict = VERDICT_ERROR;
	return judgement;
}

/* One pass makes the skips of a stage harmless; with nothing but skips nothing was examined. */
static bool settle(struct judgement judgement, bool is_examined_elsewhere, enum verdict *verdict)
{
	if (judgement.has_check && !judgement.has_examined && !is_examined_elsewhere)
		judgement.verdict = worse(judgement.verdict, VERDICT_WARN);
	*verdict = judgement.verdict;
	return judgement.has_check || judgement.verdict != VERDICT_PASS;
}

static const struct stage_results *said_of(const struct results *results, uint32_t stage)
{
	static const struct stage_results nothing;

	return stage < results->stage_count ? &results->stages[stage] : &nothing;
}

/* Did the stage examine something of any source? What it skips about the run is harmless then. */
static bool has_examined(const struct report *report, uint32_t stage)
{
	for (uint32_t source = 0; source < report->source_count; source++) {
		if (judge(said_of(&report->sources[source].results, stage)).has_examined)
			return true;
	}
	return false;
}

static bool run_verdict(const struct report *report, uint32_t stage, enum verdict *verdict)
{
	struct judgement judgement = judge(said_of(&report->run, stage));
	bool is_skipped = judgement.has_check && !judgement.has_examined;

	return settle(judgement, is_skipped && has_examined(report, stage), verdict);
}

bool report_stage_verdict(const struct report *report, uint32_t stage, uint32_t source, enum verdict *verdict)
{
	return source == TAV_RUN ? run_verdict(report, stage, verdict)
	                         : settle(judge(said_of(&report->sources[source].results, stage)), false, verdict);
}

bool report_stage_verdict_of_all(const struct report *report, uint32_t stage, enum verdict *verdict)
{
	bool has_verdict = run_verdict(report, stage, verdict);

	for (uint32_t i = 0; i < report->source_count; i++) {
		enum verdict of_source;

		has_verdict |= report_stage_verdict(report, stage, i, &of_source);
		*verdict = worse(*verdict, of_source);
	}
	return has_verdict;
}

const char *report_source_error(const struct report_source *source)
{
	if (source->read_error && source->read_error->message)
		return source->read_error->message;
	if (source->error)
		return source->error;
	return source->is_read ? NULL : "was not read";
}

enum verdict report_source_verdict(const struct report *report, uint32_t source)
{
	enum verdict verdict = VERDICT_PASS, of_stage;

	if (source == TAV_RUN) {
		for (uint32_t stage = 0; stage < report->stage_count; stage++) {
			run_verdict(report, stage, &of_stage);
			verdict = worse(verdict, of_stage);
		}
		for (uint32_t i = 0; i < report->baseline_count; i++) {
			if (report_source_error(&report->sources[report->source_count + i]))
				return VERDICT_ERROR; /* what was asked for could not be compared, whatever its stage
				                         made of it */
		}
		return report->error ? VERDICT_ERROR : verdict;
	}
	const struct report_source *about = &report->sources[source];
	if (report_source_error(about))
		return VERDICT_ERROR;
	if (about->doubt_count || about->note_count)
		verdict = VERDICT_WARN;
	for (uint32_t stage = 0; stage < report->stage_count; stage++) {
		report_stage_verdict(report, stage, source, &of_stage);
		verdict = worse(verdict, of_stage);
	}
	return verdict;
}

enum verdict report_verdict(const struct report *report)
{
	enum verdict verdict = report_source_verdict(report, TAV_RUN);

	for (uint32_t source = 0; source < report->source_count && verdict != VERDICT_ERROR; source++)
		verdict = worse(verdict, report_source_verdict(report, source));
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
