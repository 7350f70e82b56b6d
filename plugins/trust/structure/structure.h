/* SPDX-License-Identifier: Apache-2.0 */
/* The stage structure: its options, fields and facts. */
#ifndef TRUST_STRUCTURE_H
#define TRUST_STRUCTURE_H

#include <trust.h>

enum { OPT_NESTING_TOLERANCE, OPT_PYTHON_TOLERANCE, OPT_ANNOTATION_TOLERANCE, OPT_CLOCK_TOLERANCE };
enum {
	FIELD_ID,
	FIELD_SCOPE,
	FIELD_BP,
	FIELD_ARGS,
	FIELD_EV_IDX,
	FIELD_PYTHON_ID,
	FIELD_PYTHON_PARENT,
	FIELD_DEVICE_TYPE,
	FIELD_DEVICE_ID,
	FIELD_TOTAL,
	FIELD_BYTES
};

enum { FLOW_START, FLOW_STEP, FLOW_FINISH };
struct flow_end { /* one place of a flow */
	uint32_t label, id;
	int64_t time;
	tav_row row;
	uint32_t what; /* FLOW_... */
};

struct structure_facts {
	uint64_t phases[256];   /* how many rows of each */
	struct flow_end *flows; /* those of one flow together, by time */
	uint64_t flow_count;
	bool has_links; /* device work is linked to launches, so that launch flows are judged there */
	/* Numbers of events: how many events have one, how many distinct ones, of how many. */
	uint64_t numbered, distinct, span;
};
static inline struct structure_facts *facts_of(const struct trust *trust)
{
	return trust->facts;
}

const void *field_of(const struct trust *trust, uint32_t field);
const uint64_t *field_present(const struct trust *trust, uint32_t field);
tav_status find_flows(struct trust *trust);
/* The end of the flow that begins at `from`. */
uint64_t flow_limit(const struct trust *trust, uint64_t from);
bool is_launch_flow(const struct trust *trust, const struct flow_end *flow);
tav_status find_numbers(struct trust *trust);
/* Events were taken out, so much that what is missing elsewhere is no news. */
bool is_excerpt(const struct trust *trust);
static inline bool is_annotation(const struct trust *trust, tav_row row)
{
	return trust->traits[row] & TAV_TRAIT_ANNOTATION && !(trust->traits[row] & TAV_TRAIT_DEVICE_CLOCK);
}

extern const struct trust_check check_begin_end, check_async_pairs, check_flow_forward, check_flow_ends,
        check_flow_anchor, check_nesting, check_counters, check_memory_sums, check_memory_present, check_python_stack,
        check_thinned, check_depth, check_names, check_metadata_share, check_memory_floor;

#endif
