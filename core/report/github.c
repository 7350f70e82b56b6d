/* SPDX-License-Identifier: Apache-2.0 */
/* Annotations for GitHub: a workflow command a line, to be printed by a step. What belongs to one check is one line. */
#include <inttypes.h>
#include <string.h>

#include <kit/text.h>
#include <report/facts_of.h>
#include <report/show.h>
#include <report/writers.h>

struct github {
	const struct report *report;
	FILE *out;
	struct arena scratch;
	bool failed;
};

/* What would end the command, or a property of it, is written as %XX. */
static void put(struct github *github, const char *text, bool is_property)
{
	github->failed |= !text;
	for (; text && *text; text++) {
		if (*text == '%' || *text == '\r' || *text == '\n' || (is_property && (*text == ':' || *text == ',')))
			fprintf(github->out, "%%%02X", (unsigned char)*text);
		else
			putc(*text, github->out);
	}
}

static bool put_fact(void *user, const struct fact *fact)
{
	static const char *const levels[] = {"", "error", "warning"};
	struct github *github = user;
	const struct report *report = github->report;
	/* Servers show a few of each level: notes would hide what matters. What is waived stands with its waiver. */
	if (fact->level == FACT_NOTE || fact->waiver)
		return true;

	const char *stage = fact->stage == TAV_NONE ? "tav" : report->stages[fact->stage].id;

	fprintf(github->out, "::%s ", levels[fact->level]);
	if (fact->source != TAV_RUN) {
		fputs("file=", github->out);
		put(github, show_chars(&github->scratch, report->sources[fact->source].path), true);
		putc(',', github->out);
		if (fact->place)
			fprintf(github->out, "line=%" PRIu64 ",col=%" PRIu64 ",", fact->place->line,
			        fact->place->column);
	}
	fputs("title=", github->out);
	put(github, stage, true);
	fputs(" ", github->out);
	put(github, show_text(&github->scratch, fact->id), true);
	fputs("::", github->out);
	if (fact->message)
		put(github, show_chars(&github->scratch, fact->message), false);
	else if (fact->check && fact->check->why.size)
		put(github, show_text(&github->scratch, fact->check->why), false);
	else if (fact->finding)
		put(github, show_message(&github->scratch, fact->finding), false);
	if (fact->finding && fact->finding->instance_count) {
		fputs("%0A", github->out);
		put(github, show_measures(&github->scratch, fact->finding, 0), false);
		for (uint32_t i = 0; i < fact->finding->events_each; i++) {
			fputs("%0A", github->out);
			put(github, show_event(&github->scratch, report, &fact->finding->events[i]), false);
		}
	}
	if (fact->finding && finding_waived(fact->finding)->count) {
		fputs("%0A", github->out);
		put(github, show_waived(&github->scratch, report, fact->finding), false);
	}
	if (fact->finding && fact->finding->remedy.size) {
		fputs("%0A", github->out);
		put(github, show_text(&github->scratch, fact->finding->remedy), false);
	}
	putc('\n', github->out);
	arena_fini(&github->scratch);
	return !github->failed;
}

/* An annotation at the waiver itself: how much it takes, or that it can go. */
static void put_waiver(struct github *github, uint32_t number)
{
	const struct waiver *waiver = &github->report->waivers[number];

	fprintf(github->out, "::%s file=", waiver->state == WAIVER_USED ? "notice" : "warning");
	put(github, show_chars(&github->scratch, waiver->file), true);
	fprintf(github->out, ",line=%" PRIu32 ",col=%" PRIu32 ",title=tav waiver::", waiver->line, waiver->column);
	if (waiver->state == WAIVER_USED)
		fprintf(github->out, "%" PRIu64 " waived ", waiver->count);
	else
		fprintf(github->out, "%s, ", name_of(&waiver_names, waiver->state));
	put(github, show_until(&github->scratch, waiver), false);
	putc('\n', github->out);
	arena_fini(&github->scratch);
}

bool write_github(const struct report *report, const struct report_style *style, FILE *out)
{
	struct github github = {.report = report, .out = out};

	(void)style;
	report_each_fact(report, put_fact, &github);
	for (uint32_t i = 0; i < report->waiver_count; i++)
		put_waiver(&github, i);
	arena_fini(&github.scratch);
	return !github.failed;
}
