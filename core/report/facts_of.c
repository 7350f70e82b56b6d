/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <kit/text.h>
#include <report/facts_of.h>
#include <report/waive.h>
#include <report/writers.h>

struct walk {
	const struct report *report;
	bool (*act)(void *user, const struct fact *fact);
	void *user;
	bool goes_on;
};

static void give(struct walk *walk, const struct fact *fact)
{
	if (walk->goes_on)
		walk->goes_on = walk->act(walk->user, fact);
}

static unsigned level_of_check(const struct tav_check_result *check)
{
	return check->result == TAV_RESULT_FAIL ? FACT_ERROR : check->result == TAV_RESULT_WARN ? FACT_WARNING : 0;
}

static unsigned level_of_finding(const struct tav_finding_result *finding)
{
	return finding->severity == TAV_SEV_ERROR     ? FACT_ERROR
	       : finding->severity == TAV_SEV_WARNING ? FACT_WARNING
	                                              : FACT_NOTE;
}

static bool has_id(struct tav_text a, struct tav_text b)
{
	return a.size == b.size && !memcmp(a.data, b.data, a.size);
}

static bool has_check(const struct stage_results *told, struct tav_text id)
{
	for (uint32_t i = 0; i < told->check_count; i++) {
		if (has_id(told->checks[i]->id, id) && level_of_check(told->checks[i]))
			return true;
	}
	return false;
}

static const struct tav_finding_result *finding_of(const struct stage_results *told, struct tav_text id)
{
	for (uint32_t i = 0; i < told->finding_count; i++) {
		if (has_id(told->findings[i]->shown.id, id))
			return &told->findings[i]->shown;
	}
	return NULL;
}

static void walk_stage(struct walk *walk, uint32_t source, uint32_t stage)
{
	const struct stage_results *told = told_of(walk->report, source, stage);
	struct fact fact = {.source = source, .stage = stage};

	if (told->error || told->skipped) {
		fact.level = FACT_ERROR;
		fact.id = text_of("error");
		fact.message = told->error ? told->error : told->skipped;
		give(walk, &fact);
		fact.message = NULL;
	}
	for (uint32_t i = 0; i < told->check_count; i++) {
		fact.check = told->checks[i];
		fact.level = level_of_check(fact.check);
		fact.id = fact.check->id;
		fact.finding = finding_of(told, fact.id);
		fact.waiver = check_waiver(fact.check);
		if (fact.level)
			give(walk, &fact);
	}
	fact.check = NULL;
	for (uint32_t i = 0; i < told->finding_count; i++) {
		fact.finding = &told->findings[i]->shown;
		fact.level = level_of_finding(fact.finding);
		fact.id = fact.finding->id;
		fact.waiver = finding_is_waived(fact.finding) ? finding_waiver(fact.finding) : 0;
		if (!has_check(told, fact.id))
			give(walk, &fact);
	}
}

static void walk_source(struct walk *walk, uint32_t source)
{
	const struct report_source *about = &walk->report->sources[source];
	const char *error = report_source_error(about);
	struct fact fact = {.source = source, .stage = TAV_NONE};

	if (error) {
		fact.level = FACT_ERROR;
		fact.id = text_of("input");
		fact.message = error;
		fact.place = about->read_error && about->read_error->line ? about->read_error : NULL;
		give(walk, &fact);
		fact.place = NULL;
	}
	for (uint32_t i = 0; i < about->doubt_count; i++) {
		fact.level = FACT_WARNING;
		fact.id = text_of(about->doubts[i].id);
		fact.message = about->doubts[i].message;
		give(walk, &fact);
	}
	for (uint32_t stage = 0; stage < walk->report->stage_count && !error; stage++)
		walk_stage(walk, source, stage);
}

void report_each_fact(const struct report *report, bool (*act)(void *user, const struct fact *fact), void *user)
{
	struct walk walk = {report, act, user, true};

	if (report->error) {
		struct fact fact = {.source = TAV_RUN, .stage = TAV_NONE, .level = FACT_ERROR, .id = text_of("run")};

		fact.message = report->error;
		give(&walk, &fact);
	}
	for (uint32_t source = 0; source < report->source_count && walk.goes_on; source++)
		walk_source(&walk, source);
	for (uint32_t stage = 0; stage < report->stage_count && walk.goes_on; stage++)
		walk_stage(&walk, TAV_RUN, stage);
}
