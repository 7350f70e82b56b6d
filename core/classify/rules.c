/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <classify/rules.h>

enum { TABLE_QUESTIONS = 5 };
struct rule_program {
	uint32_t count;
	uint32_t *rules; /* those that may apply, in their order */
	/* Where they ask few different questions of an event, the traits by the answers. */
	bool has_table;
	uint32_t question_count;
	struct matcher *questions[TABLE_QUESTIONS];
	uint32_t traits[1 << TABLE_QUESTIONS];
};

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* A condition that an earlier rule has too is the same question. */
static struct matcher *find_matcher(const struct rules *rules, const struct tav_condition *condition)
{
	struct matcher *matcher = rules->matchers;

	while (matcher && (matcher->test != condition->test || matcher->flags != condition->flags ||
	                   !is_same_text(matcher->condition->field, condition->field) ||
	                   !is_same_text(matcher->condition->text, condition->text)))
		matcher = matcher->next;
	return matcher;
}

static struct matcher *add_matcher(struct rules *rules, const struct tav_condition *condition, struct causes *causes)
{
	struct matcher *matcher = find_matcher(rules, condition);

	if (matcher)
		return matcher;
	matcher = arena_alloc(&rules->arena, sizeof(*matcher));
	if (!matcher) {
		cause_add(causes, "out of memory: a rule");
		return NULL;
	}
	matcher->next = rules->matchers;
	rules->matchers = matcher;
	return matcher_init(matcher, condition, rules->events, causes) ? NULL : matcher;
}

static void place_matcher(struct compiled_rule *rule, struct matcher *matcher)
{
	if (matcher->subject == MATCH_CATEGORY)
		rule->category[rule->category_count++] = matcher;
	else if (matcher->subject == MATCH_NAME)
		rule->name[rule->name_count++] = matcher;
	else
		rule->row[rule->row_count++] = matcher;
}

tav_status rules_compile(struct rules *rules, const struct events *events, const struct tav_dialect *descriptor,
                         struct causes *causes)
{
	uint32_t count = descriptor->rules.count;

	*rules = (struct rules){.events = events, .count = count};
	rules->items = arena_array(&rules->arena, count, sizeof(*rules->items));
	rules->alive = arena_array(&rules->arena, count, sizeof(*rules->alive));
	if (!rules->items || !rules->alive)
		return cause_add(causes, "out of memory: %u rules", count);
	for (uint32_t i = 0; i < RULE_CATEGORIES; i++) {
		rules->categories[i].rules = arena_array(&rules->arena, count, sizeof(uint32_t));
		if (!rules->categories[i].rules)
			return cause_add(causes, "out of memory: %u rules", count);
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct tav_rule *rule = &descriptor->rules.items[i];
		struct compiled_rule *compiled = &rules->items[i];

		compiled->set = rule->set;
		compiled->clear = rule->clear;
		compiled->call = rule->call;
		for (unsigned c = 0; c < RULE_CONDITIONS && rule->when[c].field; c++) {
			struct matcher *matcher = add_matcher(rules, &rule->when[c], causes);
			if (!matcher)
				return TAV_FAILED;
			place_matcher(compiled, matcher);
		}
	}
	return TAV_OK;
}

/* What the program's rules give when `answers` has a bit for each question that is to be answered with yes. */
static uint32_t run_with_answers(const struct rules *rules, const struct rule_program *program, uint32_t answers)
{
	uint32_t traits = 0;

	for (uint32_t i = 0; i < program->count; i++) {
		const struct compiled_rule *rule = &rules->items[program->rules[i]];
		bool holds = true;

		for (uint32_t c = 0; holds && c < rule->row_count; c++) {
			uint32_t question = 0;
			while (program->questions[question] != rule->row[c])
				question++;
			holds = answers >> question & 1;
		}
		if (holds)
			traits = (traits | rule->set) & ~rule->clear;
	}
	return traits;
}

static void make_table(const struct rules *rules, struct rule_program *program)
{
	for (uint32_t i = 0; i < program->count; i++) {
		const struct compiled_rule *rule = &rules->items[program->rules[i]];

		for (uint32_t c = 0; c < rule->row_count; c++) {
			uint32_t question = 0;
			while (question < program->question_count && program->questions[question] != rule->row[c])
				question++;
			if (question == TABLE_QUESTIONS)
				return;
			if (question == program->question_count)
				program->questions[program->question_count++] = rule->row[c];
		}
	}
	program->has_table = true;
	for (uint32_t answers = 0; answers < 1u << program->question_count; answers++)
		program->traits[answers] = run_with_answers(rules, program, answers);
}

static bool is_program_of(const struct rules *rules, const struct rule_program *program, uint32_t alive_count)
{
	bool is_same = program->count == alive_count;

	for (uint32_t i = 0; is_same && i < alive_count; i++)
		is_same = program->rules[i] == rules->alive[i];
	return is_same;
}

/* The program that runs the rules in `alive`: an old one where there is one. */
static tav_status program_for(struct rules *rules, uint32_t alive_count, uint32_t *program, struct causes *causes)
{
	for (uint32_t p = 0; p < rules->program_count; p++) {
		if (is_program_of(rules, &rules->programs[p], alive_count)) {
			*program = p + 1;
			return TAV_OK;
		}
	}
	if (rules->program_count == rules->program_capacity) {
		uint32_t capacity = rules->program_capacity ? rules->program_capacity * 2 : 8;
		struct rule_program *grown = realloc(rules->programs, capacity * sizeof(*grown));
		if (!grown)
			return cause_add(causes, "out of memory: rules of %u kinds of events", capacity);
		rules->programs = grown;
		rules->program_capacity = capacity;
	}
	struct rule_program made = {.count = alive_count,
	                            .rules = arena_array(&rules->arena, alive_count, sizeof(uint32_t))};
	if (!made.rules)
		return cause_add(causes, "out of memory: rules of a kind of events");
	memcpy(made.rules, rules->alive, alive_count * sizeof(*made.rules));
	make_table(rules, &made);
	rules->programs[rules->program_count++] = made;
	*program = rules->program_count;
	return TAV_OK;
}

static bool all_match(struct matcher *const *matchers, uint32_t count, struct tav_text text)
{
	for (uint32_t i = 0; i < count; i++) {
		if (!match_text(matchers[i], text))
			return false;
	}
	return true;
}

static const struct category_rules *rules_of_category(struct rules *rules, uint32_t category)
{
	struct category_rules *known = &rules->categories[category * 0x9e3779b1u / (UINT32_MAX / RULE_CATEGORIES + 1)];

	if (known->category_plus_one == category + 1)
		return known;
	struct tav_text text = intern_kept(&rules->events->values, category);
	known->category_plus_one = category + 1;
	known->count = 0;
	for (uint32_t i = 0; i < rules->count; i++) {
		if (all_match(rules->items[i].category, rules->items[i].category_count, text))
			known->rules[known->count++] = i;
	}
	return known;
}

tav_status rules_label(struct rules *rules, uint32_t label, struct label_traits *found, struct causes *causes)
{
	const struct label *texts = &COLUMN(rules->events, labels, const struct label)[label];
	const struct category_rules *left = rules_of_category(rules, texts->category);
	struct tav_text name = intern_kept(&rules->events->values, texts->name);
	uint32_t alive_count = 0;
	bool is_undecided = false;

	*found = (struct label_traits){0};
	for (uint32_t i = 0; i < left->count; i++) {
		const struct compiled_rule *rule = &rules->items[left->rules[i]];

		if (!all_match(rule->name, rule->name_count, name))
			continue;
		rules->alive[alive_count++] = left->rules[i];
		if (rule->row_count) {
			is_undecided = true;
			continue;
		}
		found->traits = (found->traits | rule->set) & ~rule->clear;
		found->call = rule->call ? rule->call : found->call;
	}
	return is_undecided ? program_for(rules, alive_count, &found->program, causes) : TAV_OK;
}

uint32_t rules_event(struct rules *rules, uint32_t program, tav_row row)
{
	const struct rule_program *run = &rules->programs[program - 1];
	uint32_t traits = 0;

	if (run->has_table) {
		uint32_t answers = 0;
		for (uint32_t question = 0; question < run->question_count; question++)
			answers |= (uint32_t)match_row(run->questions[question], rules->events, row) << question;
		return run->traits[answers];
	}
	for (uint32_t i = 0; i < run->count; i++) {
		const struct compiled_rule *rule = &rules->items[run->rules[i]];
		bool holds = true;

		for (uint32_t c = 0; holds && c < rule->row_count; c++)
			holds = match_row(rule->row[c], rules->events, row);
		if (holds)
			traits = (traits | rule->set) & ~rule->clear;
	}
	return traits;
}

void rules_fini(struct rules *rules)
{
	for (struct matcher *matcher = rules->matchers; matcher; matcher = matcher->next)
		matcher_fini(matcher);
	free(rules->programs);
	arena_fini(&rules->arena);
}
