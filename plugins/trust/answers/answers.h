/* SPDX-License-Identifier: Apache-2.0 */
/* What checks found, and which questions that lets one ask. */
#ifndef TRUST_ANSWERS_H
#define TRUST_ANSWERS_H

#include <trust.h>

enum answer { ANSWER_YES, ANSWER_CARE, ANSWER_UNKNOWN, ANSWER_NO };
enum { NEEDS = 20 };
struct question {
	const char *id, *text;
	const char *needs[NEEDS], *looks[NEEDS]; /* ids of checks; "STAGE:" all checks of a stage; NULL ends them */
	const char *shown, *noun;                /* the check whose denominator says what was looked at */
};
extern const struct question questions[];
extern const unsigned question_count; /* the last one is of the whole run */

struct seen { /* a check of the pipeline */
	struct tav_text stage, id, why;
	enum trust_result result;
	bool is_fact; /* comes to a note at most */
	bool is_ours;
	uint64_t count, examined;
	bool has_worst;
	int64_t worst_ns;
};
struct report {
	struct seen *items;
	uint64_t count;
};
/* All checks of the stages before this one, of a source or TAV_RUN. */
tav_status report_read(struct tav_self *self, uint32_t source, struct report *report);
/* Of the stages of trust; NULL: not there. */
/* What to do about an alarm of this plugin's; NULL: nothing is known. */
const char *report_remedy(const struct seen *seen);
const struct seen *report_find(const struct report *report, const char *id);

struct given { /* an answer */
	enum answer answer;
	char because[600], brief[400]; /* brief: the checks alone */
	const struct seen *decisive;   /* the check that says most of it; NULL: none */
};
void answer_question(const struct report *report, const struct question *question, struct given *given);
const char *answer_name(enum answer answer);

#endif
