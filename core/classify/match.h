/* SPDX-License-Identifier: Apache-2.0 */
/* One condition of a rule: a test of a text, or of a field of an event. */
#ifndef CLASSIFY_MATCH_H
#define CLASSIFY_MATCH_H

#include <regex.h>

#include <trace/store.h>

enum match_subject { MATCH_NAME, MATCH_CATEGORY, MATCH_PHASE, MATCH_FIELD };

struct matcher {
	struct matcher *next;
	const struct tav_condition *condition;
	enum match_subject subject;
	uint32_t test, flags;
	struct tav_text text;
	regex_t regex;
	bool has_regex;
	signed char phases[256]; /* MATCH_PHASE: the answer for each */
	/* MATCH_FIELD */
	const uint64_t *present; /* EXISTS */
	uint64_t present_limit;  /* rows that it covers */
	struct id_column values; /* the other tests */
	signed char *answers;    /* by value id, once asked */
};

/* Is `path` a field that a condition may name, and of which kind? */
bool match_subject_of(const char *path, enum match_subject *subject);
/* The type under which a condition wants its "args.KEY". */
uint32_t match_field_type(uint32_t test);

tav_status matcher_init(struct matcher *matcher, const struct tav_condition *condition, const struct events *events,
                        struct causes *causes);
bool match_text(const struct matcher *matcher, struct tav_text text);
bool match_row(struct matcher *matcher, const struct events *events, tav_row row);
void matcher_fini(struct matcher *matcher);

#endif
