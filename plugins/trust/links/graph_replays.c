/* SPDX-License-Identifier: Apache-2.0 */
#include "links.h"

/* The i-th call of the host. */
static bool is_graph_launch(const struct trust *trust, uint64_t i)
{
	tav_row row = facts_of(trust)->calls[i];

	return call_of(trust, row) == TAV_CALL_GRAPH_LAUNCH && link_of(trust, row);
}

static bool applies(const struct trust *trust)
{
	if (!trust->is_linked || !trust->has_call[TAV_CALL_GRAPH_LAUNCH])
		return false;
	for (uint64_t i = 0; i < facts_of(trust)->call_count; i++) {
		if (is_graph_launch(trust, i))
			return true;
	}
	return false;
}

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	const struct link_facts *facts = facts_of(trust);
	double share = trust->self->options[OPT_GRAPH]->real;
	uint64_t examined = 0, least = UINT64_MAX, most = 0, *counts;
	struct tav_map graphs;

	tav_map_init(&graphs, trust->self);
	for (uint64_t i = 0; i < facts->call_count; i++) {
		if (is_graph_launch(trust, i) && tav_map_number(&graphs, link_of(trust, facts->calls[i])) == TAV_NONE)
			return TAV_FAILED;
	}
	counts = trust->host->alloc(trust->self, graphs.count * sizeof(*counts));
	if (!counts)
		return TAV_FAILED;
	for (uint64_t i = 0; i < trust->device_count; i++) {
		uint32_t graph = tav_map_find_number(&graphs, link_of(trust, trust->devices[i]));

		if (graph != TAV_NONE)
			counts[graph]++;
	}
	for (uint64_t i = 0; i < facts->call_count; i++) {
		tav_row row = facts->calls[i];
		uint64_t count;

		if (!is_graph_launch(trust, i))
			continue;
		examined++;
		count = counts[tav_map_find_number(&graphs, link_of(trust, row))];
		least = count < least ? count : least;
		most = count > most ? count : most;
		if (!count)
			found(verdict, row);
	}
	if (!verdict->count)
		return judge(verdict, TRUST_PASS, examined, "each of %s graph launches has its work: %s to %s",
		             COUNTED(examined, ""), COUNTED(least, ""), COUNTED(most, "device event"));
	return judge(verdict, (double)(examined - verdict->count) < share * (double)examined ? TRUST_FAIL : TRUST_WARN,
	             examined, "%s of %s graph launches ha%s no device work, others up to %s",
	             COUNTED(verdict->count, ""), COUNTED(examined, ""), verdict->count == 1 ? "s" : "ve",
	             COUNTED(most, "event"));
}

const struct trust_check check_graph_replays = {
        .id = "graph_replays",
        .question = "Has every graph launch its kernels?",
        .worst = TRUST_FAIL,
        .text = "One call replays a captured graph of many kernels; all of them carry its number. A replay without a "
                "single device event was not recorded, and the device looks idle there. More than 10 % (option graph) "
                "is a fail.\n\nProfilers of some versions record only the first replay of a graph.",
        .remedy = "record again without graphs, or with a profiler that records the kernels of replays",
        .applies = applies,
        .run = run,
};
