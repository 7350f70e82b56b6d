/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <kit/glob.h>
#include <kit/text.h>
#include <report/waive.h>
#include <report/writers.h>

static bool matches_any(const char *const *patterns, struct tav_text text)
{
	for (; *patterns; patterns++) {
		if (glob_match(*patterns, text))
			return true;
	}
	return false;
}

/* What an event does not have matches no pattern; without patterns it need not have it. */
static bool is_or_any(const char *const *patterns, struct tav_text text)
{
	return !*patterns || (text.size && matches_any(patterns, text));
}

/* A pattern without '/' is one of the name of the file. */
static bool is_of_trace(const struct waiver *waiver, const char *path)
{
	const char *slash = strrchr(path, '/');

	for (const char *const *pattern = waiver->traces; *pattern; pattern++) {
		if (glob_match(*pattern, text_of(slash && !strchr(*pattern, '/') ? slash + 1 : path)))
			return true;
	}
	return !*waiver->traces;
}

/* Does it go by what events are? */
static bool needs_events(const struct waiver *waiver, uint32_t source)
{
	return *waiver->names || *waiver->streams || (*waiver->traces && source == TAV_RUN);
}

static bool takes_event(const struct report *report, const struct waiver *waiver, uint32_t source,
                        const struct tav_event *event)
{
	if (!is_or_any(waiver->names, event->name) || !is_or_any(waiver->streams, event->stream))
		return false;
	return source != TAV_RUN || !*waiver->traces || is_of_trace(waiver, report->sources[event->source].path);
}

static bool takes_instance(const struct report *report, const struct waiver *waiver,
                           const struct tav_finding_result *finding, uint64_t instance)
{
	for (uint32_t i = 0; i < finding->events_each; i++) {
		if (!takes_event(report, waiver, finding->source,
		                 &finding->events[instance * finding->events_each + i]))
			return false;
	}
	return finding->events_each > 0;
}

/* Those that may take something of a stage. */
struct chosen {
	uint32_t *numbers; /* from 1 */
	uint32_t count;
};

static bool is_about(const struct report *report, const struct waiver *waiver, struct tav_text id, uint32_t source)
{
	return matches_any(waiver->ids, id) && (source == TAV_RUN || is_of_trace(waiver, report->sources[source].path));
}

static bool waive_instances(struct results *results, const struct report *report, struct result_finding *finding,
                            uint32_t number)
{
	const struct tav_finding_result *shown = &finding->shown;
	struct waived *waived = &finding->waived;

	for (uint64_t i = 0; i < shown->instance_count; i++) {
		if ((waived->instances && waived->instances[i]) ||
		    !takes_instance(report, &report->waivers[number - 1], shown, i))
			continue;
		if (!waived->instances)
			waived->instances =
			        arena_array(&results->arena, shown->instance_count, sizeof(*waived->instances));
		if (!waived->instances)
			return false;
		waived->instances[i] = number;
		waived->count++;
	}
	return true;
}

static bool counts_as_finding(const struct tav_finding_result *finding)
{
	return finding->severity != TAV_SEV_NOTE;
}

static bool waive_finding(struct results *results, struct report *report, const struct chosen *chosen,
                          struct result_finding *finding)
{
	for (uint32_t i = 0; i < chosen->count && counts_as_finding(&finding->shown); i++) {
		struct waiver *waiver = &report->waivers[chosen->numbers[i] - 1];

		if (!is_about(report, waiver, finding->shown.id, results->source))
			continue;
		waiver->met = finding_is_waived(&finding->shown) ? MET_WAIVED : MET_OTHERS;
		if (waiver->met == MET_WAIVED)
			continue;
		if (needs_events(waiver, results->source)) {
			if (!waive_instances(results, report, finding, chosen->numbers[i]))
				return false;
		} else {
			finding->waived.rest = chosen->numbers[i];
			finding->waived.count = finding->shown.count;
		}
	}
	return true;
}

/* A finding of the same id that counts, and says what the check counts. */
static const struct tav_finding_result *said_by(const struct results *results, uint32_t stage,
                                                const struct tav_check_result *check)
{
	const struct result_finding *finding = results_find_finding(results, stage, check->id.data);

	return finding && counts_as_finding(&finding->shown) ? &finding->shown : NULL;
}

uint64_t check_count_beyond(const struct results *results, uint32_t stage, const struct tav_check_result *check)
{
	const struct tav_finding_result *finding = said_by(results, stage, check);
	uint64_t said = finding ? finding->count : 0, found = check->count ? check->count : 1;

	return found > said ? found - said : 0;
}

static void waive_check(const struct results *results, struct report *report, uint32_t stage,
                        const struct chosen *chosen, const struct tav_check_result *check)
{
	const struct tav_finding_result *finding = said_by(results, stage, check);
	struct waived *waived = check_waived(check);

	if (check->result != TAV_RESULT_WARN && check->result != TAV_RESULT_FAIL)
		return;
	waived->count = check_count_beyond(results, stage, check);
	if (finding && finding_is_waived(finding) && !waived->count)
		waived->rest = finding_waiver(finding);
	for (uint32_t i = 0; i < chosen->count && !waived->rest; i++) {
		struct waiver *waiver = &report->waivers[chosen->numbers[i] - 1];

		if (!is_about(report, waiver, check->id, results->source))
			continue;
		if (!waiver->met)
			waiver->met = MET_OTHERS;
		if (!needs_events(waiver, results->source))
			waived->rest = chosen->numbers[i];
	}
	if (!waived->rest)
		waived->count = 0;
}

static bool waive_stage(struct report *report, struct results *results, uint32_t stage, const struct chosen *chosen)
{
	struct stage_results *told = &results->stages[stage];
	bool is_done = true;

	for (uint32_t i = 0; i < told->finding_count && is_done; i++)
		is_done = waive_finding(results, report, chosen, told->findings[i]);
	for (uint32_t i = 0; i < told->check_count && is_done; i++)
		waive_check(results, report, stage, chosen, told->checks[i]);
	return is_done;
}

static void choose(const struct report *report, uint32_t stage, struct chosen *chosen)
{
	chosen->count = 0;
	for (uint32_t i = 0; i < report->waiver_count; i++) {
		const struct waiver *waiver = &report->waivers[i];

		if (waiver->state != WAIVER_EXPIRED &&
		    (matches_any(waiver->stages, text_of(report->stages[stage].id)) ||
		     matches_any(waiver->stages, text_of(report->stages[stage].name))))
			chosen->numbers[chosen->count++] = i + 1;
	}
}

bool report_waive(struct report *report, uint32_t today)
{
	struct chosen chosen = {arena_array(&report->arena, report->waiver_count, sizeof(uint32_t)), 0};
	uint64_t *counts = arena_array(&report->arena, report->waiver_count, sizeof(*counts));
	bool is_done = chosen.numbers && counts;

	for (uint32_t i = 0; i < report->waiver_count; i++)
		report->waivers[i].state = report->waivers[i].until_day < today ? WAIVER_EXPIRED : WAIVER_UNUSED;
	for (uint32_t stage = 0; stage < report->stage_count && is_done; stage++) {
		choose(report, stage, &chosen);
		for (uint32_t i = 0; i < report->source_count && chosen.count && is_done; i++)
			is_done = waive_stage(report, &report->sources[i].results, stage, &chosen);
		is_done = is_done && waive_stage(report, &report->run, stage, &chosen);
	}
	if (!is_done)
		return false;
	report_count_waived(report, counts);
	for (uint32_t i = 0; i < report->waiver_count; i++) {
		report->waivers[i].count = counts[i];
		if (counts[i])
			report->waivers[i].state = WAIVER_USED;
	}
	return true;
}

/* ---- Counting --------------------------------------------------------------------------------------------------- */
static void add(uint64_t *sum, uint64_t count)
{
	if (__builtin_add_overflow(*sum, count, sum))
		*sum = UINT64_MAX;
}

void finding_count_waived(const struct tav_finding_result *finding, uint64_t *counts)
{
	const struct waived *waived = finding_waived(finding);
	uint64_t taken = 0;

	for (uint64_t i = 0; waived->instances && i < finding->instance_count; i++) {
		if (waived->instances[i]) {
			add(&counts[waived->instances[i] - 1], 1);
			taken++;
		}
	}
	if (waived->rest)
		add(&counts[waived->rest - 1], finding->count - taken);
}

void report_count_waived(const struct report *report, uint64_t *counts)
{
	memset(counts, 0, report->waiver_count * sizeof(*counts));
	for (uint32_t place = 0; place <= report->source_count; place++) {
		for (uint32_t stage = 0; stage < report->stage_count; stage++) {
			const struct stage_results *told =
			        told_of(report, place < report->source_count ? place : TAV_RUN, stage);

			for (uint32_t i = 0; i < told->finding_count; i++)
				finding_count_waived(&told->findings[i]->shown, counts);
			for (uint32_t i = 0; i < told->check_count; i++) {
				const struct waived *waived = check_waived(told->checks[i]);

				if (waived->rest)
					add(&counts[waived->rest - 1], waived->count);
			}
		}
	}
}

uint64_t stage_waived(const struct report *report, uint32_t stage, uint32_t source)
{
	const struct stage_results *told = told_of(report, source, stage);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < told->finding_count; i++)
		add(&sum, told->findings[i]->waived.count);
	for (uint32_t i = 0; i < told->check_count; i++)
		add(&sum, check_waived(told->checks[i])->count);
	return sum;
}

uint64_t stage_waived_of_all(const struct report *report, uint32_t stage)
{
	uint64_t sum = stage_waived(report, stage, TAV_RUN);

	for (uint32_t i = 0; i < report->source_count; i++)
		add(&sum, stage_waived(report, stage, i));
	return sum;
}

uint64_t source_waived(const struct report *report, uint32_t source)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < report->stage_count; i++)
		add(&sum, stage_waived(report, i, source));
	return sum;
}

uint64_t report_waived(const struct report *report)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < report->waiver_count; i++)
		add(&sum, report->waivers[i].count);
	return sum;
}

uint32_t check_waiver(const struct tav_check_result *check)
{
	return check_waived(check)->rest;
}

uint32_t finding_waiver(const struct tav_finding_result *finding)
{
	const struct waived *waived = finding_waived(finding);

	return waived->rest ? waived->rest : waived->instances && finding->instance_count ? waived->instances[0] : 0;
}
