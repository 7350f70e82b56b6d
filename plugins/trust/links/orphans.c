/* SPDX-License-Identifier: Apache-2.0 */
#include "links.h"

/* A link as a number; false: it is none. */
static bool number_of(const struct trust *trust, uint32_t link, uint64_t *out)
{
	struct tav_text text = trust->host->value(trust->self, 0, link);

	*out = 0;
	for (size_t i = 0; i < text.size; i++) {
		uint64_t digit = (uint64_t)(unsigned char)text.data[i] - '0';

		if (digit > 9 || *out > (UINT64_MAX - digit) / 10)
			return false;
		*out = *out * 10 + digit;
	}
	return text.size > 0;
}

struct head {
	uint64_t lowest; /* number of a host call */
	int64_t *first;  /* by track: start of the first linked event; INT64_MAX: none */
};

static tav_status find_head(struct trust *trust, struct head *head)
{
	const struct tav_link_list *links = facts_of(trust)->links;

	head->lowest = 0;
	head->first = trust->host->alloc(trust->self, (size_t)trust->about->track_count * sizeof(*head->first));
	if (!head->first)
		return TAV_FAILED;
	for (uint32_t track = 0; track < trust->about->track_count; track++)
		head->first[track] = INT64_MAX;
	for (uint64_t i = 0; i < trust->device_count; i++) {
		tav_row row = trust->devices[i];
		int64_t *first = &head->first[trust->track[row]];

		if (links->launch[i] != TAV_NONE && trust->start[row] < *first)
			*first = trust->start[row];
	}
	bool is_there = false;
	for (tav_row row = 0; row < trust->row_count; row++) {
		uint64_t number;

		if (!(trust->traits[row] & TRUST_HOST_CALL) || !is_interval(trust, row) || !link_of(trust, row) ||
		    !number_of(trust, link_of(trust, row), &number))
			continue;
		head->lowest = is_there && head->lowest <= number ? head->lowest : number;
		is_there = true;
	}
	return TAV_OK;
}

/* Launched before the recording began: numbered before all calls, and at the beginning of its track. */
static bool is_of_head(const struct trust *trust, const struct head *head, tav_row row)
{
	uint64_t number;

	return number_of(trust, link_of(trust, row), &number) && number < head->lowest &&
	       trust->start[row] <= head->first[trust->track[row]];
}

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	const struct link_facts *facts = facts_of(trust);
	double share = trust->self->options[OPT_ORPHAN_SHARE]->real;
	uint64_t examined = trust->device_count - facts->links->no_link_count, before = 0;
	struct verdict heads = {.worst = TAV_NONE};
	struct head head = {0, NULL};

	if (lacks_links(trust, false))
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "%s", lacks_links(trust, false));
	if (facts->links->no_call_count && find_head(trust, &head))
		return TAV_FAILED;
	for (uint64_t i = 0; i < trust->device_count && facts->links->no_call_count; i++) {
		if (facts->links->why[i] == TAV_LINK_NO_CALL)
			found(is_of_head(trust, &head, trust->devices[i]) ? &heads : verdict, trust->devices[i]);
	}
	before = heads.count;
	if (!verdict->count && !before)
		return judge(verdict, TRUST_PASS, examined, "%s ha%s %s", COUNTED(examined, "device event"),
		             examined == 1 ? "s" : "ve", examined == 1 ? "its launch" : "their launches");
	if (!verdict->count) {
		*verdict = heads;
		return judge(verdict, TRUST_NOTE, examined, "%s w%s launched before the recording began",
		             COUNTED(before, "device event"), before == 1 ? "as" : "ere");
	}
	examined -= before;
	return judge(verdict, (double)verdict->count > share * (double)examined ? TRUST_FAIL : TRUST_WARN, examined,
	             "the launches of %s of %s are not there; first: %s%s%s%s", COUNTED(verdict->count, ""),
	             COUNTED(examined, "device event"), NAME(trust, verdict->rows[0]), before ? " (set aside: " : "",
	             before ? COUNTED(before, "") : "", before ? " launched before the recording began)" : "");
}

const struct trust_check check_orphans = {
        .id = "orphans",
        .question = "Has every device event its launch?",
        .worst = TRUST_FAIL,
        .absent = "the dialect knows no links to launches",
        .text = "A device event carries the number of a call that is not in the trace. At the head of a recording "
                "that is normal, since the queue was not empty when it began: such events are set aside with a note. "
                "Elsewhere calls were lost; more than orphan_share (1 %) of them is a fail.\n\nLinks that name "
                "several calls are told by unique_link.",
        .remedy = "record again with larger buffers; until then delays and operators of these events are unknown",
        .applies = needs_links,
        .run = run,
};
