/* SPDX-License-Identifier: Apache-2.0 */
/* The places of flows, those of one flow together. */
#include "structure.h"

static int compare(const void *a, const void *b)
{
	const struct flow_end *left = a, *right = b;

	if (left->label != right->label)
		return left->label < right->label ? -1 : 1;
	if (left->id != right->id)
		return left->id < right->id ? -1 : 1;
	if (left->time != right->time)
		return left->time < right->time ? -1 : 1;
	if (left->what != right->what)
		return left->what < right->what ? -1 : 1;
	return left->row < right->row ? -1 : left->row > right->row;
}

tav_status find_flows(struct trust *trust)
{
	struct structure_facts *facts = facts_of(trust);
	uint64_t count = facts->phases['s'] + facts->phases['t'] + facts->phases['f'];
	const uint32_t *ids = count ? field_of(trust, FIELD_ID) : NULL;
	bool is_sorted = true;

	if (!count)
		return TAV_OK;
	facts->flows = trust->host->alloc(trust->self, count * sizeof(*facts->flows));
	if (!ids || !facts->flows)
		return TAV_FAILED;
	for (tav_row row = 0; row < trust->row_count; row++) {
		struct flow_end *flow = &facts->flows[facts->flow_count];
		char phase = trust->phase[row];

		if ((phase != 's' && phase != 't' && phase != 'f') || !has_time(trust, row))
			continue;
		*flow = (struct flow_end){
		        .label = trust->label[row],
		        .id = ids[row],
		        .time = trust->start[row],
		        .row = row,
		        .what = phase == 's'   ? FLOW_START
		                : phase == 't' ? FLOW_STEP
		                               : FLOW_FINISH,
		};
		is_sorted = is_sorted && (!facts->flow_count || compare(flow - 1, flow) < 0);
		facts->flow_count++;
	}
	if (!is_sorted)
		qsort(facts->flows, facts->flow_count, sizeof(*facts->flows), compare);
	return TAV_OK;
}

uint64_t flow_limit(const struct trust *trust, uint64_t from)
{
	const struct structure_facts *facts = facts_of(trust);
	uint64_t to = from + 1;

	while (to < facts->flow_count && facts->flows[to].label == facts->flows[from].label &&
	       facts->flows[to].id == facts->flows[from].id)
		to++;
	return to;
}

bool is_launch_flow(const struct trust *trust, const struct flow_end *flow)
{
	return trust->is_linked && trust->words[flow->label] & WORD_LAUNCH_FLOW;
}
