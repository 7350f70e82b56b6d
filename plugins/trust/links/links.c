/* SPDX-License-Identifier: Apache-2.0 */
/*
 * links - do launches and device work belong together, and in the right order? Device events that start before their
 * launch are marked `early`. What is known about the error of the device's clock becomes two metrics.
 */
#include "links.h"

const struct trust_check *const links_checks[] = {&check_linked,       &check_launch_first,
                                                  &check_submitted,    &check_sync_waits,
                                                  &check_lag,          &check_orphans,
                                                  &check_lost,         &check_graph_replays,
                                                  &check_unique_link,  &check_in_order,
                                                  &check_op_known,     &check_op_first,
                                                  &check_right_device, NULL};

static const struct tav_option options[] = {
        [OPT_CLOCK_TOLERANCE] = {"clock_tolerance", TAV_TYPE_DURATION, 0, "1us", "0", NULL, NULL,
                                 "Times of host and device may contradict each other by so much."},
        [OPT_CLOCK_BOUND] = {"clock_bound", TAV_TYPE_DURATION, 0, "50us", "0", NULL, NULL,
                             "Contradictions up to here are a warning, larger ones a fail."},
        [OPT_LAG] = {"lag", TAV_TYPE_DURATION, 0, "1ms", "0", NULL, NULL,
                     "Where even the fastest launch waits longer, the device never catches up (lag)."},
        [OPT_IDLE_LAUNCHES] = {"idle_launches", TAV_TYPE_INT, 0, "5", "1", NULL, NULL,
                               "So many late launches that found the device idle mean shifted clocks (lag)."},
        [OPT_REPEAT_SHARE] = {"repeat_share", TAV_TYPE_REAL, 0, "0.9", "0", "1", NULL,
                              "Where this share of operator numbers equals the link and some name no operator, the "
                              "field is a copy."},
        [OPT_COVERAGE] = {"coverage", TAV_TYPE_REAL, 0, "0.95", "0", "1", NULL,
                          "A smaller share of launches with device work is a fail (lost)."},
        [OPT_ORPHAN_SHARE] = {"orphan_share", TAV_TYPE_REAL, 0, "0.01", "0", "1", NULL,
                              "A larger share of device events without their launch is a fail (orphans)."},
        [OPT_GRAPH] = {"graph", TAV_TYPE_REAL, 0, "0.9", "0", "1", NULL,
                       "A smaller share of graph launches with kernels is a fail (graph_replays)."},
};
static const struct tav_field fields[] = {
        [FIELD_SUBMITTED] = {"args.submitted", TAV_TYPE_INT, 0},
        [FIELD_DEVICE] = {"args.device", TAV_TYPE_STRING, 0},
};

const char *lacks_links(const struct trust *trust, bool timed)
{
	const char *lacks = lacks_devices(trust);

	if (lacks)
		return lacks;
	if (!trust->call_count)
		return "no calls of the host (runtime or driver events)";
	if (!facts_of(trust)->linked_count)
		return "no device event shares its link with a call of the host";
	if (timed && !facts_of(trust)->believable_count)
		return "no linked device event has a believable time";
	return NULL;
}

enum trust_result clock_result(const struct trust *trust, int64_t worst)
{
	return worst > trust->self->options[OPT_CLOCK_BOUND]->integer ? TRUST_FAIL : TRUST_WARN;
}

uint64_t *links_of_devices(struct trust *trust)
{
	uint64_t *bits =
	        trust->host->alloc(trust->self, ((size_t)facts_of(trust)->link_limit / 64 + 1) * sizeof(uint64_t));

	for (uint64_t i = 0; bits && i < trust->device_count; i++)
		bit_set(bits, link_of(trust, trust->devices[i]));
	return bits;
}

bool is_operator(const struct trust *trust, tav_row row)
{
	uint32_t traits = trust->traits[row];

	return is_interval(trust, row) &&
	       (traits & TAV_TRAIT_HOST_OP || (traits & TAV_TRAIT_ANNOTATION && !(traits & TAV_TRAIT_DEVICE_CLOCK)));
}

/* Kineto of 2021 to 2023: nearly all numbers equal the link, and some of them are no operator's. */
static bool find_repeats(const struct trust *trust)
{
	const uint64_t *known = facts_of(trust)->known_operators;
	uint64_t both = 0, equal = 0;
	bool has_stranger = false;

	for (tav_row row = 0; row < trust->row_count; row++) {
		if (!is_interval(trust, row) || !(trust->traits[row] & (TAV_TRAIT_DEVICE | TRUST_HOST_CALL)) ||
		    !operator_of(trust, row) || !link_of(trust, row))
			continue;
		both++;
		equal += operator_of(trust, row) == link_of(trust, row);
		has_stranger |= !bit_is(known, operator_of(trust, row));
	}
	return has_stranger && (double)equal >= trust->self->options[OPT_REPEAT_SHARE]->real * (double)both;
}

/* The largest number of a link and of an operator, and how many calls do something with the device. */
static void measure(const struct trust *trust, struct link_facts *facts)
{
	uint32_t links = 0, operators = 0;
	uint64_t calls = 0;

	for (tav_row row = 0; row < trust->row_count; row++) {
		links = trust->link[row] > links ? trust->link[row] : links;
		operators = trust->operators[row] > operators ? trust->operators[row] : operators;
		calls += is_interval(trust, row) && call_of(trust, row) != TAV_CALL_NONE;
	}
	facts->link_limit = links + 1;
	facts->operator_limit = operators + 1;
	facts->call_count = calls;
}

static tav_status find_facts(struct trust *trust)
{
	const struct tav_host *host = trust->host;
	struct link_facts *facts = host->alloc(trust->self, sizeof(*facts));
	uint64_t calls = 0;

	trust->facts = facts;
	if (!facts)
		return TAV_FAILED;
	facts->links = trust->links;
	facts->least_delay = facts->least_slack = INT64_MAX;
	for (uint64_t i = 0; i < trust->device_count; i++) {
		facts->linked_count += facts->links->launch[i] != TAV_NONE;
		facts->believable_count += launch_of(trust, i) != TAV_NONE;
	}
	measure(trust, facts);
	facts->calls = host->alloc(trust->self, facts->call_count * sizeof(*facts->calls));
	facts->known_operators =
	        host->alloc(trust->self, ((size_t)facts->operator_limit / 64 + 1) * sizeof(*facts->known_operators));
	if (!facts->calls || !facts->known_operators)
		return TAV_FAILED;
	for (tav_row row = 0; row < trust->row_count; row++) {
		if (is_interval(trust, row) && call_of(trust, row) != TAV_CALL_NONE)
			facts->calls[calls++] = row;
		if (trust->operators[row] && is_operator(trust, row))
			bit_set(facts->known_operators, trust->operators[row]);
	}
	facts->repeats = find_repeats(trust);
	return TAV_OK;
}

/* How far the device's clock can be off, as launches and synchronisations bound it. */
static tav_status tell_clock(struct trust *trust)
{
	const struct link_facts *facts = facts_of(trust);

	if (facts->least_delay != INT64_MAX &&
	    tav_measure(trust->self, 0, "clock_early_ns", -facts->least_delay, TAV_UNIT_NS, TAV_BETTER_UNKNOWN))
		return TAV_FAILED;
	return facts->least_slack == INT64_MAX ? TAV_OK
	                                       : tav_measure(trust->self, 0, "clock_late_ns", facts->least_slack,
	                                                     TAV_UNIT_NS, TAV_BETTER_UNKNOWN);
}

static tav_status each(struct tav_self *self)
{
	struct trust trust;
	tav_status status;

	if (trust_init(&trust, self, 0) || trust_take_links(&trust))
		return TAV_FAILED;
	status = trust_look(&trust);
	if (status)
		return status;
	trust_take_marks(&trust);
	trust.early = trust_bits(&trust);
	if (!trust.early)
		return TAV_FAILED;
	status = find_facts(&trust);
	if (!status)
		status = trust_run(&trust, links_checks);
	if (!status)
		status = tell_clock(&trust);
	if (!status && trust.marks)
		status = trust.marks->put(self, "early", trust.early);
	return status;
}

TRUST_PAGES(links_checks)

const struct tav_stage stage_links = {
        .struct_size = sizeof(stage_links),
        .flags = TAV_STAGE_NO_DEVICE_WORK | TAV_STAGE_LINKS,
        .name = "links",
        .summary = "Do launches and device work belong together, and in the right order?",
        .help = "No kernel starts before its launch, and none ends after the synchronisation that waited for it: so "
                "the links bound the error of the device's clock against the host's (metrics clock_early_ns and "
                "clock_late_ns).",
        .options = TAV_LIST(options),
        .fields = TAV_LIST(fields),
        .pages = TAV_LIST(pages),
        .each = each,
};
