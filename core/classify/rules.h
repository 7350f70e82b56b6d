/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A dialect's table of rules, compiled for one source. A trace may have a name of its own for each event, but it has
 * few categories: which rules a category leaves is found once, and then asked of the names.
 */
#ifndef CLASSIFY_RULES_H
#define CLASSIFY_RULES_H

#include <classify/match.h>
#include <trace/store.h>

enum { RULE_CONDITIONS = 4, RULE_CATEGORIES = 64 };

struct compiled_rule {
	/* conditions on the category, the name, and on what differs from event to event */
	uint32_t category_count, name_count, row_count;
	struct matcher *category[RULE_CONDITIONS], *name[RULE_CONDITIONS], *row[RULE_CONDITIONS];
	uint32_t set, clear, call;
};
struct category_rules {
	uint32_t category_plus_one; /* value id; 0: free */
	uint32_t count;
	uint32_t *rules; /* those that it leaves, in their order */
};
struct rules {
	struct arena arena;
	const struct events *events;
	uint32_t count;
	struct compiled_rule *items;
	struct matcher *matchers; /* all of them */
	struct category_rules categories[RULE_CATEGORIES];
	/* The rules that are still to be asked for each event of a label, numbered from 1. */
	struct rule_program *programs;
	uint32_t program_count, program_capacity;
	uint32_t *alive; /* scratch: the rules that a label leaves */
};
struct label_traits {
	uint32_t traits;  /* by the rules that look at name and category alone */
	uint32_t call;    /* TAV_CALL_... by the same */
	uint32_t program; /* 0, or what rules_event() has to run for each event */
};

tav_status rules_compile(struct rules *rules, const struct events *events, const struct tav_dialect *descriptor,
                         struct causes *causes);
tav_status rules_label(struct rules *rules, uint32_t label, struct label_traits *found, struct causes *causes);
uint32_t rules_event(struct rules *rules, uint32_t program, tav_row row);
void rules_fini(struct rules *rules);

#endif
