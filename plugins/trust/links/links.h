/* SPDX-License-Identifier: Apache-2.0 */
/* The stage links: its options, fields and facts. */
#ifndef TRUST_LINKS_H
#define TRUST_LINKS_H

#include <trust.h>

enum {
	OPT_CLOCK_TOLERANCE,
	OPT_CLOCK_BOUND,
	OPT_LAG,
	OPT_IDLE_LAUNCHES,
	OPT_REPEAT_SHARE,
	OPT_COVERAGE,
	OPT_ORPHAN_SHARE,
	OPT_GRAPH
};
enum { FIELD_SUBMITTED, FIELD_DEVICE };

struct link_facts {
	const struct tav_link_list *links;
	uint64_t linked_count;               /* device events with a launch */
	uint64_t believable_count;           /* and with a believable time */
	uint32_t link_limit, operator_limit; /* largest value id + 1 */
	bool repeats;                        /* operator numbers are a copy of the links, and name no operator */
	uint64_t *known_operators;           /* bit by operator id: an operator or annotation has it */
	tav_row *calls;                      /* that launch, wait or capture (TAV_CALL_...), ascending */
	uint64_t call_count;
	/* The clock of the device, as the links bound it: INT64_MAX where nothing does. */
	int64_t least_delay, least_slack;
};
static inline struct link_facts *facts_of(const struct trust *trust)
{
	return trust->facts;
}

/* The launch of the i-th device event where it has one and its time can be; else TAV_NONE. */
static inline tav_row launch_of(const struct trust *trust, uint64_t i)
{
	return is_believable(trust, trust->devices[i]) ? facts_of(trust)->links->launch[i] : TAV_NONE;
}

static inline uint32_t link_of(const struct trust *trust, tav_row row)
{
	return trust->link[row];
}

/* Why there is nothing to look at; NULL: there is something. `timed`: of events with believable times. */
const char *lacks_links(const struct trust *trust, bool timed);
/* A disagreement of two clocks by `worst`: a fault, or a bound on what they can tell? */
enum trust_result clock_result(const struct trust *trust, int64_t worst);
/* A bit for each link (a value id) that device events carry; NULL: no memory. */
uint64_t *links_of_devices(struct trust *trust);
/* Does the event name an operator, as far as the field is not a copy of the link? */
static inline uint32_t operator_of(const struct trust *trust, tav_row row)
{
	return trust->operators[row];
}
bool is_operator(const struct trust *trust, tav_row row); /* may own an operator number */

extern const struct trust_check check_linked, check_launch_first, check_submitted, check_sync_waits, check_lag,
        check_orphans, check_lost, check_graph_replays, check_unique_link, check_in_order, check_op_known,
        check_op_first, check_right_device;

#endif
