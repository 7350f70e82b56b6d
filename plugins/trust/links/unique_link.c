/* SPDX-License-Identifier: Apache-2.0 */
#include "links.h"

enum { IS_LAUNCH = 1, IS_AMBIGUOUS = 2 };
struct use { /* of a link */
	uint8_t calls, kernels, flags;
};

static bool is_launching(const struct trust *trust, tav_row row)
{
	uint32_t call = is_interval(trust, row) && link_of(trust, row) ? call_of(trust, row) : TAV_CALL_NONE;

	return call == TAV_CALL_LAUNCH || call == TAV_CALL_COPY || call == TAV_CALL_FILL ||
	       call == TAV_CALL_GRAPH_LAUNCH;
}

static bool is_kernel(const struct trust *trust, tav_row row)
{
	return trust->traits[row] & TAV_TRAIT_DEVICE && trust->traits[row] & TAV_TRAIT_KERNEL &&
	       is_interval(trust, row);
}

static void count_uses(const struct trust *trust, struct use *uses)
{
	const struct tav_link_list *links = facts_of(trust)->links;

	for (tav_row row = 0; row < trust->row_count; row++) {
		struct use *use = &uses[link_of(trust, row)];

		if (is_launching(trust, row)) {
			use->calls += use->calls < 2;
			use->flags |= call_of(trust, row) == TAV_CALL_LAUNCH ? IS_LAUNCH : 0;
		} else if (is_kernel(trust, row)) {
			use->kernels += use->kernels < 2;
		}
	}
	for (uint64_t i = 0; i < trust->device_count; i++) {
		if (links->why[i] == TAV_LINK_AMBIGUOUS)
			uses[link_of(trust, trust->devices[i])].flags |= IS_AMBIGUOUS;
	}
	uses[0] = (struct use){0, 0, 0};
}

static bool is_shared(const struct use *use)
{
	return use->flags & IS_AMBIGUOUS || use->calls > 1 ||
	       (use->calls == 1 && use->flags & IS_LAUNCH && use->kernels > 1);
}

/* The event that shows it: the second call of a link, else its second kernel. */
static void find_rows(const struct trust *trust, struct use *uses, struct verdict *verdict)
{
	for (tav_row row = 0; row < trust->row_count; row++) {
		struct use *use = &uses[link_of(trust, row)];
		bool is_launch = is_launching(trust, row);

		if (!is_shared(use) || !(use->calls > 1 ? is_launch : is_kernel(trust, row)))
			continue;
		if (use->flags & IS_LAUNCH << 4 || (use->calls < 2 && use->kernels < 2)) {
			found(verdict, row);
			*use = (struct use){0, 0, 0};
		}
		use->flags |= IS_LAUNCH << 4; /* the first one is behind us */
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
