/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JSON that the verification of IBM's acelyzer writes, for pipelines built on it. Its findings and tests keep their
 * names where a check of ours asks the same; all else is called STAGE/ID. Of what a finding holds the first event of
 * each instance is told; the format has no place for its partner, nor for the input it came from. Several inputs count
 * together, so that one report for each (acelyzer={trace}.json) says more.
 */
#include <inttypes.h>
#include <string.h>

#include <kit/text.h>
#include <report/facts_of.h>
#include <report/json_out.h>
#include <report/writers.h>

static const struct {
	const char *stage, *id, *finding, *test;
} known[] = {
        {"overlap-verify", "overlap", "overlaps", "Compute Overlap Check"},
        {"links", "launch_first", "kernel_outside_parent", "Kernel-Parent Timestamp Check"},
        {"links", "orphans", "orphan_kernels", "Kernel-Parent Timestamp Check"},
        {"links", "lost", "orphan_parents", "Kernel-Parent Timestamp Check"},
};

struct item { /* a finding, of all inputs; `level` 0: looked for and not found */
	uint32_t stage;
	struct tav_text id;
	unsigned level; /* FACT_... */
	uint64_t count;
};
enum rank { RANK_NONE, RANK_PASS, RANK_WARN, RANK_FAIL }; /* RANK_NONE: there was nothing to look at */
struct test {
	const char *name;
	bool is_asked;       /* of the input under way */
	enum rank here, all; /* of that, and of those before it */
};
struct acelyzer {
	const struct report *report;
	struct json_out json;
	struct arena arena;
	struct item *items;
	struct test *tests;
	uint32_t item_count, item_capacity, test_count, test_capacity;
	const struct item *shown;
	bool failed; /* no memory */
};

/* Ids are few, whatever the traces, so lists are searched from the front. Returns room for one more item. */
static void *grow(struct acelyzer *acelyzer, void *items, uint32_t count, uint32_t *capacity, size_t size)
{
	if (count < *capacity)
		return items;
	uint32_t wanted = *capacity ? *capacity * 2 : 64;
	void *larger = arena_array(&acelyzer->arena, wanted, size);

	if (!larger) {
		acelyzer->failed = true;
		return NULL;
	}
	if (count)
		memcpy(larger, items, count * size);
	*capacity = wanted;
	return larger;
}

static const char *name_of_id(struct acelyzer *acelyzer, uint32_t stage, struct tav_text id, bool is_test)
{
	const char *name = stage == TAV_NONE ? "tav" : acelyzer->report->stages[stage].name;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!strcmp(known[i].stage, name) && text_is(id, known[i].id))
			return is_test ? known[i].test : known[i].finding;
	}
	name = arena_printf(&acelyzer->arena, "%s/%.*s", name, TEXT_ARGS(id));
	acelyzer->failed |= !name;
	return name ? name : "";
}

/* ---- What was found -------------------------------------------------------------------------------------------- */
static void add_item(struct acelyzer *acelyzer, uint32_t stage, struct tav_text id, unsigned level, uint64_t count)
{
	for (uint32_t i = 0; i < acelyzer->item_count; i++) {
		struct item *item = &acelyzer->items[i];

		if (item->stage == stage && text_equals(item->id, id) && (item->level == level || !level)) {
			item->count += count;
			return;
		}
	}
	struct item *items =
	        grow(acelyzer, acelyzer->items, acelyzer->item_count, &acelyzer->item_capacity, sizeof(*items));
	if (!items)
		return;
	acelyzer->items = items;
	items[acelyzer->item_count++] = (struct item){stage, id, level, count};
}

/* The format has no place for what is waived: it stands among the warnings, and does not decide. */
static unsigned level_of(const struct fact *fact)
{
	return fact->waiver ? FACT_WARNING : fact->level;
}

static bool note_fact(void *user, const struct fact *fact)
{
	struct acelyzer *acelyzer = user;
	uint64_t count = fact->finding ? fact->finding->count : fact->check ? fact->check->count : 0;

	if (fact->level != FACT_NOTE)
		add_item(acelyzer, fact->stage, fact->id, level_of(fact), count ? count : 1);
	return !acelyzer->failed;
}

/* ---- What was asked -------------------------------------------------------------------------------------------- */
static struct test *find_test(struct acelyzer *acelyzer, const char *name)
{
	for (uint32_t i = 0; i < acelyzer->test_count; i++) {
		if (!strcmp(acelyzer->tests[i].name, name))
			return &acelyzer->tests[i];
	}
	struct test *tests =
	        grow(acelyzer, acelyzer->tests, acelyzer->test_count, &acelyzer->test_capacity, sizeof(*tests));
	if (!tests)
		return NULL;
	acelyzer->tests = tests;
	tests[acelyzer->test_count] = (struct test){name, false, RANK_NONE, RANK_NONE};
	return &tests[acelyzer->test_count++];
}

static bool is_waited_for(const char *name)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!strcmp(known[i].test, name))
			return true;
	}
	return false;
}

/*
 * What stands in for one test is as bad as the worst. Where there was nothing to look at, a test that a pipeline waits
 * for is no pass but a warning; others were not done.
 */
static void note_checks(struct acelyzer *acelyzer, uint32_t source)
{
	static const enum rank ranks[] = {[TAV_RESULT_PASS] = RANK_PASS,
	                                  [TAV_RESULT_WARN] = RANK_WARN,
	                                  [TAV_RESULT_FAIL] = RANK_FAIL,
	                                  [TAV_RESULT_SKIP] = RANK_NONE};

	for (uint32_t stage = 0; stage < acelyzer->report->stage_count; stage++) {
		const struct stage_results *told = told_of(acelyzer->report, source, stage);

		for (uint32_t i = 0; i < told->check_count; i++) {
			const struct tav_check_result *check = told->checks[i];
			const char *name = name_of_id(acelyzer, stage, check->id, true);

			if (check->result == TAV_RESULT_SKIP && !is_waited_for(name))
				continue;
			struct test *test = find_test(acelyzer, name);
			if (!test)
				return;
			test->is_asked = true;
			enum rank rank = check_is_waived(check) ? RANK_WARN : ranks[check->result];
			if (rank > test->here)
				test->here = rank;
			if (check->result == TAV_RESULT_PASS)
				add_item(acelyzer, stage, check->id, 0, 0);
		}
	}
	for (uint32_t i = 0; i < acelyzer->test_count; i++) {
		struct test *test = &acelyzer->tests[i];
		enum rank here = test->here == RANK_NONE ? RANK_WARN : test->here;

		if (test->is_asked && here > test->all)
			test->all = here;
		test->is_asked = false;
		test->here = RANK_NONE;
	}
}

/* ---- Writing --------------------------------------------------------------------------------------------------- */
/* Microseconds, as in a trace, with every digit. */
static void emit_us(struct json_out *json, const char *key, bool is_known, int64_t ns)
{
	char text[32];
	uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;

	if (!is_known) {
		emit_null(json, key);
		return;
	}
	int length = snprintf(text, sizeof(text), "%s%" PRIu64 ".%03u", ns < 0 ? "-" : "", size / 1000,
	                      (unsigned)(size % 1000));
	emit_raw(json, key, text, (size_t)length);
}

/* A number where a trace has one. */
static void emit_number(struct json_out *json, const char *key, struct tav_text text)
{
	size_t sign = text.size && text.data[0] == '-';
	size_t digits = text.size - sign;
	bool is_number = digits && digits < 19 && (text.data[sign] != '0' || text.size == 1);

	for (size_t i = sign; is_number && i < text.size; i++)
		is_number = text.data[i] >= '0' && text.data[i] <= '9';
	if (is_number)
		emit_raw(json, key, text.data, text.size);
	else if (text.size)
		emit_text(json, key, text);
	else
		emit_null(json, key);
}

static void emit_instance(struct json_out *json, const struct tav_event *event)
{
	int64_t duration = (int64_t)((uint64_t)event->end_ns - (uint64_t)event->start_ns);

	emit_open_flat(json, NULL, '{');
	emit_text(json, "name", event->name);
	emit_number(json, "pid", event->pid);
	emit_number(json, "tid", event->tid);
	emit_number(json, "stream", event->stream);
	emit_us(json, "ts", event->has_time, event->start_ns);
	emit_us(json, "dur", event->has_time, duration);
	emit_close(json, '}');
}

static bool emit_instances(void *user, const struct fact *fact)
{
	struct acelyzer *acelyzer = user;
	const struct item *shown = acelyzer->shown;
	const struct tav_finding_result *finding = fact->finding;

	if (fact->stage != shown->stage || level_of(fact) != shown->level || !text_equals(fact->id, shown->id))
		return true;
	for (uint64_t i = 0; finding && finding->events_each && i < finding->instance_count; i++)
		emit_instance(&acelyzer->json, &finding->events[i * finding->events_each]);
	return true;
}

static void emit_items(struct acelyzer *acelyzer, const char *key, unsigned level)
{
	struct json_out *json = &acelyzer->json;

	emit_open(json, key, '[');
	for (uint32_t i = 0; i < acelyzer->item_count; i++) {
		acelyzer->shown = &acelyzer->items[i];
		if (acelyzer->shown->level != level)
			continue;
		emit_open(json, NULL, '{');
		emit_chars(json, "finding", name_of_id(acelyzer, acelyzer->shown->stage, acelyzer->shown->id, false));
		emit_size(json, "count", acelyzer->shown->count);
		emit_open(json, "instances", '[');
		if (level)
			report_each_fact(acelyzer->report, emit_instances, acelyzer);
		emit_close(json, ']');
		emit_close(json, '}');
	}
	emit_close(json, ']');
}

static void emit_settings(struct acelyzer *acelyzer)
{
	const struct report *report = acelyzer->report;
	struct json_out *json = &acelyzer->json;

	emit_open(json, "Settings", '{');
	emit_chars(json, "pipeline", report->pipeline);
	emit_open(json, "inputs", '[');
	for (uint32_t i = 0; i < report->source_count; i++)
		emit_chars(json, NULL, report->sources[i].path);
	emit_close(json, ']');
	emit_open(json, "stages", '{');
	for (uint32_t i = 0; i < report->stage_count; i++) {
		const struct report_stage *stage = &report->stages[i];

		emit_open_flat(json, stage->id ? stage->id : stage->name, '{');
		for (uint32_t k = 0; k < stage->option_count; k++)
			emit_chars(json, stage->options[k].name, stage->options[k].text);
		emit_close(json, '}');
	}
	emit_close(json, '}');
	emit_close(json, '}');
}

static bool says_too(const struct report_source *source, const struct metadata_member *member)
{
	for (uint32_t i = 0; i < source->top_level_count; i++) {
		if (text_equals(source->top_level[i].key, member->key))
			return text_equals(source->top_level[i].value, member->value);
	}
	return false;
}

/* What the inputs say of themselves; of several inputs what all of them say. */
static void emit_top_level(struct acelyzer *acelyzer)
{
	static const char *const ours[] = {"Application", "CmdLine", "Settings"};
	const struct report *report = acelyzer->report;

	for (uint32_t i = 0; report->source_count && i < report->sources[0].top_level_count; i++) {
		const struct metadata_member *member = &report->sources[0].top_level[i];
		bool is_shown = true;

		for (size_t k = 0; k < sizeof(ours) / sizeof(ours[0]); k++)
			is_shown = is_shown && !text_is(member->key, ours[k]);
		for (uint32_t k = 1; is_shown && k < report->source_count; k++)
			is_shown = says_too(&report->sources[k], member);
		if (is_shown)
			emit_raw(&acelyzer->json, member->key.data, member->value.data, member->value.size);
	}
}

static void emit_tests(struct acelyzer *acelyzer)
{
	static const char *const words[] = {"warn", "pass", "warn", "fail"};
	struct json_out *json = &acelyzer->json;

	emit_open(json, "test_results", '[');
	for (uint32_t i = 0; i < acelyzer->test_count; i++) {
		emit_open_flat(json, NULL, '{');
		emit_chars(json, "test", acelyzer->tests[i].name);
		emit_chars(json, "result", words[acelyzer->tests[i].all]);
		emit_close(json, '}');
	}
	emit_close(json, ']');
}

bool write_acelyzer(const struct report *report, const struct report_style *style, FILE *out)
{
	struct acelyzer acelyzer = {.report = report, .json = {.out = out}};
	struct json_out *json = &acelyzer.json;

	(void)style;
	report_each_fact(report, note_fact, &acelyzer);
	for (uint32_t i = 0; i <= report->source_count && !acelyzer.failed; i++)
		note_checks(&acelyzer, i < report->source_count ? i : TAV_RUN);
	emit_open(json, NULL, '{');
	emit_chars(json, "version", "1.0");
	emit_chars(json, "result", report_exit_status(report) ? "FAIL" : "PASS");
	emit_open(json, "metadata", '{');
	emit_chars(json, "Application", "tav");
	emit_chars(json, "CmdLine", report->command_line ? report->command_line : "");
	emit_settings(&acelyzer);
	emit_top_level(&acelyzer);
	emit_close(json, '}');
	emit_tests(&acelyzer);
	emit_items(&acelyzer, "errors", FACT_ERROR);
	emit_items(&acelyzer, "warnings", FACT_WARNING);
	emit_items(&acelyzer, "passed", 0);
	emit_close(json, '}');
	arena_fini(&acelyzer.arena);
	return !acelyzer.failed && !json->failed;
}
