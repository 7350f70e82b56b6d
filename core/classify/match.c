/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <classify/match.h>
#include <kit/crash.h>
#include <kit/text.h>

enum { UNASKED = 0, NO, YES };

bool match_subject_of(const char *path, enum match_subject *subject)
{
	if (!strcmp(path, "name"))
		*subject = MATCH_NAME;
	else if (!strcmp(path, "cat"))
		*subject = MATCH_CATEGORY;
	else if (!strcmp(path, "ph"))
		*subject = MATCH_PHASE;
	else if (!strncmp(path, "args.", 5) && path[5])
		*subject = MATCH_FIELD;
	else
		return false;
	return true;
}

uint32_t match_field_type(uint32_t test)
{
	return test == TAV_TEST_EXISTS ? TAV_TYPE_PRESENT : TAV_TYPE_STRING;
}

/* ASCII only: a verdict must not depend on the locale. */
static unsigned char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (unsigned char)(c - 'A' + 'a') : (unsigned char)c;
}

static bool same_bytes(const struct matcher *matcher, const char *at)
{
	size_t size = matcher->text.size;
	const char *text = matcher->text.data;

	if (!(matcher->flags & TAV_COND_IGNORE_CASE))
		return !memcmp(at, text, size);
	for (size_t i = 0; i < size; i++) {
		if (lower(at[i]) != lower(text[i]))
			return false;
	}
	return true;
}

static bool contains(const struct matcher *matcher, struct tav_text text)
{
	if (!(matcher->flags & TAV_COND_IGNORE_CASE))
		return memmem(text.data, text.size, matcher->text.data, matcher->text.size) != NULL;
	for (size_t at = 0; at + matcher->text.size <= text.size; at++) {
		if (same_bytes(matcher, text.data + at))
			return true;
	}
	return false;
}

static bool matches_regex(const struct matcher *matcher, struct tav_text text)
{
	errno = 0;
#ifdef REG_STARTEND /* sees behind a NUL in the text */
	regmatch_t range = {.rm_so = 0, .rm_eo = (regoff_t)text.size};

	int error = text.size <= INT32_MAX ? regexec(&matcher->regex, text.data, 1, &range, REG_STARTEND)
	                                   : regexec(&matcher->regex, text.data, 0, NULL, 0);
#else
	int error = regexec(&matcher->regex, text.data, 0, NULL, 0);
#endif
	/* Some libraries say that nothing matches where they had no memory. */
	if ((error && error != REG_NOMATCH) || errno == ENOMEM)
		crash_no_memory("the pattern of a rule");
	return !error;
}

static bool holds(const struct matcher *matcher, struct tav_text text)
{
	size_t size = matcher->text.size;

	switch (matcher->test) {
	case TAV_TEST_EQUALS:
		return text.size == size && same_bytes(matcher, text.data);
	case TAV_TEST_PREFIX:
		return text.size >= size && same_bytes(matcher, text.data);
	case TAV_TEST_SUFFIX:
		return text.size >= size && same_bytes(matcher, text.data + (text.size - size));
	case TAV_TEST_CONTAINS:
		return contains(matcher, text);
	case TAV_TEST_MATCHES:
		return matches_regex(matcher, text);
	default: /* EXISTS */
		return text.size > 0;
	}
}

bool match_text(const struct matcher *matcher, struct tav_text text)
{
	return holds(matcher, text) != !!(matcher->flags & TAV_COND_NOT);
}

static tav_status find_column(struct matcher *matcher, const char *path, const struct events *events,
                              struct causes *causes)
{
	if (match_field_type(matcher->test) == TAV_TYPE_PRESENT) {
		for (uint32_t i = 0; i < events->field_count; i++) {
			const struct wanted_field *wanted = &events->wanted->items[i];
			if (wanted->type != TAV_TYPE_PRESENT || strcmp(wanted->path, path) != 0)
				continue;
			matcher->present = events->fields[i].present.data;
			matcher->present_limit = (uint64_t)events->fields[i].present.bytes * 8;
			return TAV_OK;
		}
	} else if (events_ids(events, path, &matcher->values)) {
		matcher->answers = calloc(events->values.count, 1);
		return matcher->answers
		               ? TAV_OK
		               : cause_add(causes, "out of memory: answers for %u values", events->values.count);
	}
	return cause_add(causes, "field '%s' of a rule was not read", path);
}

tav_status matcher_init(struct matcher *matcher, const struct tav_condition *condition, const struct events *events,
                        struct causes *causes)
{
	matcher->condition = condition;
	matcher->test = condition->test;
	matcher->flags = condition->flags;
	matcher->text = text_of(condition->text);
	if (!match_subject_of(condition->field, &matcher->subject))
		return cause_add(causes, "a rule cannot test '%s'; it can test name, cat, ph and args.KEY",
		                 condition->field);
	if (condition->test < TAV_TEST_EQUALS || condition->test > TAV_TEST_EXISTS)
		return cause_add(causes, "a rule about '%s' has the unknown test %u", condition->field,
		                 condition->test);
	if (condition->test == TAV_TEST_MATCHES) {
		int flags = REG_EXTENDED | (condition->flags & TAV_COND_IGNORE_CASE ? REG_ICASE : 0);
		int error = regcomp(&matcher->regex, matcher->text.data, flags);
		if (error) {
			char why[128];
			regerror(error, &matcher->regex, why, sizeof(why));
			return cause_add(causes, "the pattern '%s' of a rule: %s", condition->text, why);
		}
		matcher->has_regex = true;
	}
	if (matcher->subject == MATCH_FIELD)
		return find_column(matcher, condition->field, events, causes);
	if (matcher->subject == MATCH_PHASE) {
		for (unsigned phase = 0; phase < 256; phase++) {
			char text[2] = {(char)phase, '\0'};
			matcher->phases[phase] = match_text(matcher, (struct tav_text){text, phase != 0}) ? YES : NO;
		}
	}
	return TAV_OK;
}

bool match_row(struct matcher *matcher, const struct events *events, tav_row row)
{
	bool is_negated = matcher->flags & TAV_COND_NOT;

	if (matcher->subject == MATCH_PHASE)
		return matcher->phases[COLUMN(events, phase, const unsigned char)[row]] == YES;
	if (matcher->test == TAV_TEST_EXISTS) {
		bool is_there = row < matcher->present_limit && (matcher->present[row / 64] >> row % 64 & 1);
		return is_there != is_negated;
	}
	uint32_t value = id_at(&matcher->values, row);
	if (matcher->answers[value] == UNASKED) {
		/* What is not there equals nothing, so only a negated test holds for it. */
		struct intern_room room;
		bool is_match = value ? match_text(matcher, intern_text(&events->values, value, &room)) : is_negated;
		matcher->answers[value] = is_match ? YES : NO;
	}
	return matcher->answers[value] == YES;
}

void matcher_fini(struct matcher *matcher)
{
	if (matcher->has_regex)
		regfree(&matcher->regex);
	free(matcher->answers);
}
