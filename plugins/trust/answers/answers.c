/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answers - what can be asked of this trace? It reads what the stages before it found, and sums it up by question.
 * combine() adds the question of the ranks, and judges what the user requires.
 */
#include "answers.h"

enum { OPT_REQUIRE };
static const char *const choices[] = {"overlap", "busy", "idle",   "delay", "operators", "steps",
                                      "short",   "host", "memory", "ranks", NULL}; /* as `questions` */
static const struct tav_option options[] = {
        [OPT_REQUIRE] = {"require", TAV_TYPE_CHOICE, TAV_OPT_MANY | TAV_OPT_LATE, "[]", NULL, NULL, choices,
                         "Questions that each trace must be able to answer, yes or with care: else the check require "
                         "fails."},
};

/* ---- Tables ----------------------------------------------------------------------------------------------------- */

/* Both are shown with -v only: headlines and check lines say it to people. */
static tav_status tell_checks(struct tav_self *self, uint32_t source, const struct report *report)
{
	struct tav_sheet sheet;
	uint32_t stage, id, result, count, examined, worst, why;

	tav_sheet_init(&sheet, self, report->count);
	stage = tav_sheet_column(&sheet, "stage", TAV_TYPE_STRING, TAV_UNIT_NONE, TAV_SHOW_DETAIL);
	id = tav_sheet_column(&sheet, "id", TAV_TYPE_STRING, TAV_UNIT_NONE, TAV_SHOW_DETAIL);
	result = tav_sheet_column(&sheet, "result", TAV_TYPE_STRING, TAV_UNIT_NONE, TAV_SHOW_DETAIL);
	count = tav_sheet_column(&sheet, "count", TAV_TYPE_INT, TAV_UNIT_COUNT, TAV_SHOW_DETAIL);
	examined = tav_sheet_column(&sheet, "examined", TAV_TYPE_INT, TAV_UNIT_COUNT, TAV_SHOW_DETAIL);
	worst = tav_sheet_column(&sheet, "worst_ns", TAV_TYPE_INT, TAV_UNIT_NS, TAV_SHOW_DETAIL);
	why = tav_sheet_column(&sheet, "why", TAV_TYPE_STRING, TAV_UNIT_NONE, TAV_SHOW_DETAIL);
	for (uint64_t i = 0; i < report->count; i++) {
		const struct seen *seen = &report->items[i];

		tav_sheet_text(&sheet, stage, i, seen->stage);
		tav_sheet_text(&sheet, id, i, seen->id);
		tav_sheet_chars(&sheet, result, i, trust_result_name(seen->result));
		tav_sheet_count(&sheet, count, i, seen->count);
		tav_sheet_count(&sheet, examined, i, seen->examined);
		if (seen->has_worst)
			tav_sheet_int(&sheet, worst, i, seen->worst_ns);
		tav_sheet_text(&sheet, why, i, seen->why);
	}
	return tav_sheet_send(&sheet, source, "checks", "Results of all checks", 0);
}

static tav_status tell_answers(struct tav_self *self, uint32_t source, const struct question *asked, unsigned count,
                               const struct given *given)
{
	struct tav_sheet sheet;
	uint32_t question, text, answer, because;

	tav_sheet_init(&sheet, self, count);
	question = tav_sheet_column(&sheet, "question", TAV_TYPE_STRING, TAV_UNIT_NONE, TAV_SHOW_DETAIL);
	answer = tav_sheet_column(&sheet, "answer", TAV_TYPE_STRING, TAV_UNIT_NONE, TAV_SHOW_DETAIL);
	because = tav_sheet_column(&sheet, "because", TAV_TYPE_STRING, TAV_UNIT_NONE, TAV_SHOW_DETAIL);
	text = tav_sheet_column(&sheet, "text", TAV_TYPE_STRING, TAV_UNIT_NONE, TAV_SHOW_DETAIL);
	for (unsigned i = 0; i < count; i++) {
		tav_sheet_chars(&sheet, question, i, asked[i].id);
		tav_sheet_chars(&sheet, text, i, asked[i].text);
		tav_sheet_chars(&sheet, answer, i, answer_name(given[i].answer));
		tav_sheet_chars(&sheet, because, i, given[i].because);
	}
	return tav_sheet_send(&sheet, source, "answers", "What can be asked of this trace", 0);
}

/* Failures before warnings; of these our own, since what a broken time brings about elsewhere is told by it. */
static unsigned badness(const struct seen *seen)
{
	unsigned alarm = seen->result == TRUST_FAIL ? 4 : seen->result == TRUST_WARN ? 2 : 0;

	return alarm ? alarm + seen->is_ours : 0;
}

/* The first of the worst; NULL: nothing is wrong. */
static const struct seen *worst_alarm(const struct report *report)
{
	const struct seen *worst = NULL;

	for (uint64_t i = 0; i < report->count; i++) {
		unsigned here = badness(&report->items[i]);

		if (here > (worst ? badness(worst) : 0))
			worst = &report->items[i];
	}
	return worst;
}

/* What this means, and what to do next. */
static tav_status tell_outcome(struct tav_self *self, const struct report *report)
{
	const struct seen *worst = worst_alarm(report), *device = report_find(report, "device_present");
	const char *remedy = worst ? report_remedy(worst) : NULL;

	if (worst)
		return tav_headline(
		        self, 0, "%s: %.*s %s. Next: %s",
		        worst->result == TRUST_FAIL ? "not to be believed as it is" : "to be believed with care",
		        (int)worst->id.size, worst->id.data, worst->result == TRUST_FAIL ? "failed" : "warns",
		        remedy ? remedy : "look at the events that it names, and ask only what has a yes here");
	if (device && device->result == TRUST_INCONCLUSIVE)
		return tav_headline(self, 0, "nothing can be said of a device: %.*s", (int)device->why.size,
		                    device->why.data);
	return tav_headline(self, 0, "no check speaks against this trace. Next: ask it what has a yes here");
}

/* "44 checks: 24 passed, 1 failed, 2 notes, 12 inconclusive, 10 do not apply" */
static tav_status tell_counts(struct tav_self *self, uint32_t source, const struct report *report)
{
	static const struct {
		enum trust_result result;
		const char *one, *many;
	} words[] = {{TRUST_PASS, "passed", "passed"},
	             {TRUST_FAIL, "failed", "failed"},
	             {TRUST_WARN, "warned", "warned"},
	             {TRUST_NOTE, "note", "notes"},
	             {TRUST_INCONCLUSIVE, "inconclusive", "inconclusive"},
	             {TRUST_NOT_APPLICABLE, "does not apply", "do not apply"},
	             {TRUST_LEFT_OUT, "left out", "left out"}};
	uint64_t counts[TRUST_RESULTS + 1] = {0}, all = 0;
	char text[256];
	struct tav_sentence say = {text, sizeof(text), 0};

	for (uint64_t i = 0; i < report->count; i++) {
		/* What overlap-verify finds is told there, and counts in its own question. */
		if (!report->items[i].is_ours)
			continue;
		counts[report->items[i].result]++;
		all++;
	}
	tav_say(&say, "%s", COUNTED(all, "check"));
	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (counts[words[i].result])
			tav_say(&say, "%s%s %s", i && say.used > 12 ? ", " : ": ", COUNTED(counts[words[i].result], ""),
			        counts[words[i].result] == 1 ? words[i].one : words[i].many);
	}
	return tav_headline(self, source, "%s", text);
}

static tav_status tell_headline(struct tav_self *self, uint32_t source, const struct report *report,
                                const struct question *question, const struct given *given, bool is_brief)
{
	const char *because = is_brief ? given->brief : given->because;
	const struct seen *shown = report_find(report, question->shown);
	char looked[TAV_COUNTED_SIZE] = "";

	if (shown && shown->examined)
		tav_counted(looked, shown->examined, question->noun);
	/* As a table reads, where the report keeps lines as they are. */
	return tav_headline(self, source, "%-32s %-9s  %s%s%s", question->text, answer_name(given->answer), looked,
	                    *looked && *because ? "; " : "", because);
}

/* Has an earlier answer given the same reason in full? */
static bool is_told(const struct given *given, unsigned i)
{
	for (unsigned before = 0; before < i; before++) {
		if (given[i].decisive && given[before].decisive == given[i].decisive)
			return true;
	}
	return false;
}

static tav_status each(struct tav_self *self)
{
	unsigned count = question_count - 1; /* that of the ranks is combine()'s */
	struct given *given = self->host->alloc(self, count * sizeof(*given));
	struct report report;

	if (!given || report_read(self, 0, &report) || tell_outcome(self, &report) || tell_counts(self, 0, &report))
		return TAV_FAILED;
	for (unsigned i = 0; i < count; i++) {
		answer_question(&report, &questions[i], &given[i]);
		if (tell_headline(self, 0, &report, &questions[i], &given[i], is_told(given, i)))
			return TAV_FAILED;
	}
	return tell_answers(self, 0, questions, count, given) ? TAV_FAILED : tell_checks(self, 0, &report);
}

/* ---- The run ---------------------------------------------------------------------------------------------------- */

static tav_status answer_ranks(struct tav_self *self, struct given *given)
{
	const struct question *question = &questions[question_count - 1];
	struct report report;

	*given = (struct given){.answer = ANSWER_UNKNOWN, .because = "a single trace"};
	if (self->host->source_count(self) < 2)
		return TAV_OK;
	if (report_read(self, TAV_RUN, &report))
		return TAV_FAILED;
	answer_question(&report, question, given);
	if (tell_headline(self, TAV_RUN, &report, question, given, false) ||
	    tell_answers(self, TAV_RUN, question, 1, given))
		return TAV_FAILED;
	return report.count ? tell_checks(self, TAV_RUN, &report) : TAV_OK;
}

/* What each() answered of a source; the cell of a question that is not there is empty. */
struct told {
	struct tav_text answer, because;
};

static struct told find_answer(struct tav_self *self, const struct tav_results *results, uint32_t source,
                               const char *id)
{
	const struct tav_table_result *table =
	        results->find_table(self, results->find_stage(self, "answers"), source, "answers");
	const struct tav_column_result *question = table ? results->column(self, table, "question") : NULL,
	                               *answer = table ? results->column(self, table, "answer") : NULL,
	                               *because = table ? results->column(self, table, "because") : NULL;
	struct told none = {tav_text_of("unknown"), tav_text_of("it was not looked at")};

	for (uint64_t row = 0; question && answer && because && row < table->row_count; row++) {
		if (tav_text_is(((const struct tav_text *)question->data)[row], id))
			return (struct told){((const struct tav_text *)answer->data)[row],
			                     ((const struct tav_text *)because->data)[row]};
	}
	return none;
}

static bool is_enough(struct tav_text answer)
{
	return tav_text_is(answer, answer_name(ANSWER_YES)) || tav_text_is(answer, answer_name(ANSWER_CARE));
}

static tav_status judge_source(struct tav_self *self, const struct tav_results *results, uint32_t source)
{
	const struct tav_value *required = self->options[OPT_REQUIRE];
	uint64_t missing = 0, asked = 0;
	char text[900] = "";
	struct tav_sentence say = {text, sizeof(text), 0};

	for (uint64_t i = 0; i < required->count; i++) {
		const struct question *question = &questions[required->items[i]->integer];
		struct told told;

		if (question == &questions[question_count - 1])
			continue;
		asked++;
		told = find_answer(self, results, source, question->id);
		if (is_enough(told.answer))
			continue;
		missing++;
		tav_say(&say, "%s%s: %.*s (%.*s)", say.used ? "; " : "", question->id, (int)told.answer.size,
		        told.answer.data, (int)told.because.size, told.because.data);
	}
	if (!asked)
		return TAV_OK;
	return tav_tell(self, source, "require", missing ? TAV_RESULT_FAIL : TAV_RESULT_PASS, missing, asked, "%s",
	                missing ? text : "what is required can be answered");
}

static tav_status combine(struct tav_self *self)
{
	const struct tav_results *results = self->host->extension(self, TAV_RESULTS_ID);
	const struct tav_value *required = self->options[OPT_REQUIRE];
	struct given ranks;

	if (!results)
		return tav_fail(self, "the host does not offer %s", TAV_RESULTS_ID);
	if (answer_ranks(self, &ranks))
		return TAV_FAILED;
	for (uint32_t source = 0; source < self->host->source_count(self) && required->count; source++) {
		uint32_t stage = results->find_stage(self, "answers");

		if (results->is_done(self, stage, source) && judge_source(self, results, source))
			return TAV_FAILED;
	}
	for (uint64_t i = 0; i < required->count; i++) {
		bool is_there = ranks.answer == ANSWER_YES || ranks.answer == ANSWER_CARE;

		if (required->items[i]->integer != (int64_t)question_count - 1)
			continue;
		return tav_tell(self, TAV_RUN, "require", is_there ? TAV_RESULT_PASS : TAV_RESULT_FAIL, !is_there, 1,
		                "ranks: %s%s%s%s", answer_name(ranks.answer), *ranks.because ? " (" : "", ranks.because,
		                *ranks.because ? ")" : "");
	}
	return TAV_OK;
}

static const struct tav_page pages[] = {
        {"require", TAV_TELLS_CHECK, TAV_SEV_ERROR, "Can the trace answer what is required?",
         "The option require names questions, such as [busy, idle]. Each trace must be able to answer them, with yes "
         "or "
         "with care; where the answer is no or unknown, this check fails and says which checks are to blame.\n\nUse it "
         "as a gate: traces that cannot answer the question are kept out of the numbers."},
        {"answers", TAV_TELLS_TABLE, 0, "What can be asked of this trace?",
         "One row for each question. no: a check that it needs failed; unknown: such a check could not look; with "
         "care: "
         "a check warned, or one that it should look at failed; else yes."},
        {"checks", TAV_TELLS_TABLE, 0, "What did each check of the pipeline come to?",
         "One row for each check of the stages before this one, also for those that do not apply, which have no line "
         "elsewhere. The result is one of pass, note, warn, fail, inconclusive, not_applicable."},
};

const struct tav_stage stage_answers = {
        .struct_size = sizeof(stage_answers),
        .flags = TAV_STAGE_NO_DEVICE_WORK | TAV_STAGE_SUMS_UP,
        .name = "answers",
        .summary = "What can be asked of this trace?",
        .help = "Reads what the stages before it found, and sums it up as questions: yes, with care, unknown or no, "
                "and "
                "why. Put it last.",
        .options = TAV_LIST(options),
        .pages = TAV_LIST(pages),
        .each = each,
        .combine = combine,
};
