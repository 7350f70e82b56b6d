/* SPDX-License-Identifier: Apache-2.0 */
#include "links.h"

enum { IS_LAUNCH = 1, IS_AMBIGUOUS = 2, IS_SEEN = 4 };
struct use { /* of a link */
	uint8_t calls, kernels, flags;
};

/* Of a call of the host. */
static bool is_launching(const struct trust *trust, tav_row row)
{
	uint32_t call = link_of(trust, row) ? call_of(trust, row) : TAV_CALL_NONE;

	return call == TAV_CALL_LAUNCH || call == TAV_CALL_COPY || call == TAV_CALL_FILL ||
	       call == TAV_CALL_GRAPH_LAUNCH;
}

static void count_uses(const struct trust *trust, struct use *uses)
{
	const struct link_facts *facts = facts_of(trust);

	for (uint64_t i = 0; i < facts->call_count; i++) {
		struct use *use = &uses[link_of(trust, facts->calls[i])];

		if (!is_launching(trust, facts->calls[i]))
			continue;
		use->calls += use->calls < 2;
		use->flags |= call_of(trust, facts->calls[i]) == TAV_CALL_LAUNCH ? IS_LAUNCH : 0;
	}
	for (uint64_t i = 0; i < trust->device_count; i++) {
		struct use *use = &uses[link_of(trust, trust->devices[i])];

		use->kernels += trust->traits[trust->devices[i]] & TAV_TRAIT_KERNEL && use->kernels < 2;
		use->flags |= facts->links->why[i] == TAV_LINK_AMBIGUOUS ? IS_AMBIGUOUS : 0;
	}
	uses[0] = (struct use){0, 0, 0};
}

static bool is_shared(const struct use *use)
{
	return use->flags & IS_AMBIGUOUS || use->calls > 1 ||
	       (use->calls == 1 && use->flags & IS_LAUNCH && use->kernels > 1);
}

/* The second call of a link shows it, else its second kernel. */
static void see(struct use *use, tav_row row, struct verdict *verdict)
{
	if (use->flags & IS_SEEN || (use->calls < 2 && use->kernels < 2)) {
		found(verdict, row);
		*use = (struct use){0, 0, 0};
	}
	use->flags |= IS_SEEN;
}

static void find_rows(const struct trust *trust, struct use *uses, struct verdict *verdict)
{
	const struct link_facts *facts = facts_of(trust);

	for (uint64_t i = 0; i < facts->call_count; i++) {
		struct use *use = &uses[link_of(trust, facts->calls[i])];

		if (use->calls > 1 && is_shared(use) && is_launching(trust, facts->calls[i]))
			see(use, facts->calls[i], verdict);
	}
	for (uint64_t i = 0; i < trust->device_count; i++) {
		struct use *use = &uses[link_of(trust, trust->devices[i])];

		if (use->calls < 2 && is_shared(use) && trust->traits[trust->devices[i]] & TAV_TRAIT_KERNEL)
			see(use, trust->devices[i], verdict);
	}
}

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	uint32_t limit = facts_of(trust)->link_limit;
	struct use *uses = trust->host->alloc(trust->self, ((size_t)limit + 1) * sizeof(*uses));
	uint64_t examined = 0, shared = 0;

	if (lacks_links(trust, false))
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "%s", lacks_links(trust, false));
	if (!uses)
		return TAV_FAILED;
	count_uses(trust, uses);
	for (uint32_t link = 1; link < limit; link++) {
		examined += uses[link].calls || uses[link].flags & IS_AMBIGUOUS;
		shared += is_shared(&uses[link]);
	}
	if (!examined)
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "no launch has a link");
	if (!shared)
		return judge(verdict, TRUST_PASS, examined, "each of %s names one launch", COUNTED(examined, "link"));
	find_rows(trust, uses, verdict);
	verdict->count = shared;
	return judge(verdict, TRUST_WARN, examined,
	             "%s of %s name%s several launches, or several kernels of a launch that makes one; first: %s",
	             COUNTED(shared, ""), COUNTED(examined, "link"), tav_does(shared),
	             NAME(trust, verdict->row_count ? verdict->rows[0] : TAV_NONE));
}

const struct trust_check check_unique_link = {
        .id = "unique_link",
        .question = "Does a link name one launch, and one kernel of a plain launch?",
        .worst = TRUST_WARN,
        .absent = "the dialect knows no links to launches",
        .text = "Two launching calls with one number, or a plain kernel launch with two kernels: numbers were reused, "
                "or traces of several processes were merged without renumbering. Which kernel belongs to which call "
                "is then a guess.\n\nA number that lies in several processes, or more than twice in one, links "
                "nothing: its device events count here, not as orphans.",
        .remedy = "renumber the links of each process before merging; record one process at a time",
        .applies = needs_links,
        .run = run,
};
