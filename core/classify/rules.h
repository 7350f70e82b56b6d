/* SPDX-License-Identifier: Apache-2.0 */
/* A dialect's table of rules, compiled for one source. */
#ifndef CLASSIFY_RULES_H
#define CLASSIFY_RULES_H

#include <classify/match.h>
#include <trace/store.h>

enum { RULE_CONDITIONS = 4 };

struct compiled_rule {
	uint32_t label_count, row_count; /* conditions on the label; on what differs from event to event */
	struct matcher *label[RULE_CONDITIONS], *row[RULE_CONDITIONS];
	uint32_t set, clear;
};
struct rules {
	struct arena arena;
	const struct store *store;
	const struct events *events;
	uint32_t count;
	struct compiled_rule *items;
	struct matcher *matchers; /* all of them */
	/* The rules that are still to be asked for each event of a label, numbered from 1. */
	struct rule_program *programs;
	uint32_t program_count, program_capacity;
	unsigned char *alive; /* scratch: one for each rule */
};

tav_status rules_compile(struct rules *rules, const struct store *store, const struct events *events,
                         const struct tav_dialect *descriptor, struct causes *causes);
/*
 * What the rules that look at the name and category alone say of a label. Where rules that look at more may apply,
 * `program` (else 0) names what rules_event() has to run for each event.
 */
tav_status rules_label(struct rules *rules, uint32_t label, uint32_t *traits, uint32_t *program, struct causes *causes);
uint32_t rules_event(struct rules *rules, uint32_t program, tav_row row);
void rules_fini(struct rules *rules);

#endif
