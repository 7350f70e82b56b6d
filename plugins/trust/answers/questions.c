/* SPDX-License-Identifier: Apache-2.0 */
/* The questions, what each needs, and how results make an answer. */
#include "answers.h"

const struct question questions[] = {
        {"overlap",
         "what ran at the same time",
         {"overlap-verify:", "device_present", "same_clock"},
         {"resolution", "same_start"},
         "device_present",
         "device event"},
        {"busy",
         "how busy each device was",
         {"device_present", "same_clock", "too_long", "impossible_end"},
         {"window", "outlier", "dominant", "lost", "graph_replays", "constant", "unknown_kinds"},
         "device_present",
         "device event"},
        {"idle",
         "when and why it idled",
         {"device_present", "same_clock", "too_long", "impossible_end", "host_present", "launch_first"},
         {"window", "sync_waits", "lag", "lost", "graph_replays", "busy", "overhead", "outlier"},
         "device_present",
         "device event"},
        {"delay",
         "how long launches wait",
         {"linked", "launch_first", "in_order"},
         {"sync_waits", "lag", "unique_link", "orphans"},
         "launch_first",
         "linked device event"},
        {"operators",
         "which operator ran which kernel",
         {"linked", "op_known", "op_first"},
         {"orphans", "unique_link", "thinned"},
         "op_first",
         "device event"},
        {"steps", "what each step did", {"steps"}, {"lost", "graph_replays", "linked"}, "steps", "step"},
        {"short",
         "how long short kernels take",
         {"kernel_present", "zero_length"},
         {"resolution", "constant", "stamps"},
         "zero_length",
         "kernel"},
        {"host",
         "what the host did",
         {"nesting"},
         {"python_stack", "begin_end", "repeated", "thinned"},
         "nesting",
         "host event"},
        {"memory",
         "memory over time",
         {"memory_sums"},
         {"memory_present", "memory_floor"},
         "memory_sums",
         "memory total"},
        {"ranks",
         "who waits for whom",
         {"rank_once", "rank_clock", "collectives", "meet"},
         {"rank_all", "same_steps"},
         "rank_once",
         "trace"},
};
const unsigned question_count = sizeof(questions) / sizeof(questions[0]);

const char *answer_name(enum answer answer)
{
	static const char *const names[] = {
	        [ANSWER_YES] = "yes", [ANSWER_CARE] = "with care", [ANSWER_UNKNOWN] = "unknown", [ANSWER_NO] = "no"};

	return names[answer];
}

/* Checks that led to the answer, and what the one that weighs most says. */
struct reasons {
	char others[300];
	struct tav_sentence say;
	const struct seen *first;
	const char *missing; /* a check that is not in the pipeline */
	enum answer first_answer;
};

static void reason(struct reasons *reasons, const struct seen *seen, enum answer answer)
{
	if (reasons->first && answer <= reasons->first_answer) {
		tav_say(&reasons->say, "%s%.*s", reasons->say.used ? ", " : "", (int)seen->id.size, seen->id.data);
		return;
	}
	if (reasons->first)
		tav_say(&reasons->say, "%s%.*s", reasons->say.used ? ", " : "", (int)reasons->first->id.size,
		        reasons->first->id.data);
	reasons->first = seen;
	reasons->first_answer = answer;
}

static void weigh(const struct seen *seen, bool is_need, struct reasons *reasons, enum answer *answer)
{
	enum answer says = ANSWER_YES;

	switch (seen->result) {
	case TRUST_FAIL:
		says = is_need ? ANSWER_NO : ANSWER_CARE;
		break;
	case TRUST_WARN:
		says = ANSWER_CARE;
		break;
	case TRUST_NOTE:
		says = seen->is_fact && !is_need ? ANSWER_CARE : ANSWER_YES;
		break;
	case TRUST_INCONCLUSIVE:
	case TRUST_NOT_APPLICABLE:
		says = is_need ? ANSWER_UNKNOWN : ANSWER_YES;
		break;
	default:
		break;
	}
	if (says == ANSWER_YES)
		return;
	reason(reasons, seen, says);
	*answer = says > *answer ? says : *answer;
}

/* All checks of a stage, as one need: at least one of them must have looked. */
static void weigh_stage(const struct report *report, const char *name, struct reasons *reasons, enum answer *answer)
{
	struct tav_text stage = {name, strlen(name) - 1};
	const struct seen *skipped = NULL;
	bool has_looked = false;

	for (uint64_t i = 0; i < report->count; i++) {
		const struct seen *seen = &report->items[i];

		if (tav_text_compare(seen->stage, stage))
			continue;
		if (seen->result == TRUST_INCONCLUSIVE || seen->result == TRUST_NOT_APPLICABLE) {
			skipped = skipped ? skipped : seen;
			continue;
		}
		has_looked = true;
		weigh(seen, true, reasons, answer);
	}
	if (has_looked)
		return;
	if (skipped)
		weigh(skipped, true, reasons, answer);
	else
		reasons->missing = name;
}

static void weigh_all(const struct report *report, const char *const *ids, bool is_need, struct reasons *reasons,
                      enum answer *answer)
{
	for (unsigned i = 0; i < NEEDS && ids[i]; i++) {
		const struct seen *seen;

		if (ids[i][strlen(ids[i]) - 1] == ':') {
			weigh_stage(report, ids[i], reasons, answer);
			continue;
		}
		seen = report_find(report, ids[i]);
		if (seen && seen->result != TRUST_LEFT_OUT)
			weigh(seen, is_need, reasons, answer);
		else if (is_need && !reasons->missing)
			reasons->missing = ids[i];
	}
}

static bool has_passed(const struct report *report, const char *id)
{
	const struct seen *seen = report_find(report, id);

	return seen && (seen->result == TRUST_PASS || seen->result == TRUST_NOTE);
}

/* Where operators have no numbers, the nesting of the launches tells them. */
static bool goes_by_nesting(const struct report *report, const struct question *question, enum answer answer)
{
	return !strcmp(question->id, "operators") && answer == ANSWER_UNKNOWN && has_passed(report, "linked") &&
	       has_passed(report, "launch_first") && has_passed(report, "host_present") &&
	       has_passed(report, "nesting");
}

void answer_question(const struct report *report, const struct question *question, struct given *given)
{
	struct reasons reasons = {.first = NULL};
	struct tav_sentence say = {given->because, sizeof(given->because), 0},
	                    brief = {given->brief, sizeof(given->brief), 0};

	reasons.say = (struct tav_sentence){reasons.others, sizeof(reasons.others), 0};
	given->answer = ANSWER_YES;
	given->because[0] = given->brief[0] = '\0';
	given->decisive = NULL;
	weigh_all(report, question->needs, true, &reasons, &given->answer);
	weigh_all(report, question->looks, false, &reasons, &given->answer);
	if (reasons.missing && given->answer < ANSWER_UNKNOWN) {
		size_t size = strlen(reasons.missing);
		bool is_stage = reasons.missing[size - 1] == ':';

		given->answer = ANSWER_UNKNOWN;
		tav_say(&say, "%.*s did not run", (int)(size - is_stage), reasons.missing);
		tav_say(&brief, "%s", given->because);
		return;
	}
	if (goes_by_nesting(report, question, given->answer)) {
		given->answer = ANSWER_CARE;
		tav_say(&say, "by nesting of the launch; ");
		tav_say(&brief, "by nesting of the launch; ");
	}
	given->decisive = reasons.first;
	if (reasons.first) {
		tav_say(&say, "%.*s: %.*s", (int)reasons.first->id.size, reasons.first->id.data,
		        (int)reasons.first->why.size, reasons.first->why.data);
		tav_say(&brief, "%.*s", (int)reasons.first->id.size, reasons.first->id.data);
	}
	if (reasons.say.used) {
		tav_say(&say, " (also: %s)", reasons.others);
		tav_say(&brief, " (also: %s)", reasons.others);
	}
}
