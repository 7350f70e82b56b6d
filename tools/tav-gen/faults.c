/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults that make a trace readable and not to be believed, each as a change to single events, so that users can see
 * what the pipeline trust says of it. Few are hit, in the middle of the trace and on one stream.
 */
#include <string.h>

#include "gen.h"

#define US INT64_C(1000)
#define DAY (INT64_C(86400) * 1000000 * US)
enum { FEW = 3, APART = 8 }; /* so many events are hit, so many events of their stream apart */

/* Which of the few in the middle a device event is; -1: none of them. */
static int place_of(const struct plan *plan, const struct event *event)
{
	uint64_t streams = plan->options->streams, first = plan->device_count / streams / 2 * streams;
	uint64_t apart = APART * streams, at = event->number - first;

	if (event->kind != EVENT_DEVICE || event->number < first || at % apart || at / apart >= FEW)
		return -1;
	return (int)(at / apart);
}

static bool is_hit(const struct plan *plan, const struct event *event)
{
	return place_of(plan, event) >= 0;
}

static unsigned zero_start(const struct plan *plan, struct event *event)
{
	if (is_hit(plan, event))
		event->start_ns = 0;
	return 1;
}

static bool is_on_device(const struct event *event)
{
	return event->kind == EVENT_DEVICE || event->kind == EVENT_DEVICE_STEP || event->kind == EVENT_FLOW_END;
}

static unsigned other_clock(const struct plan *plan, struct event *event)
{
	(void)plan;
	if (is_on_device(event))
		event->start_ns -= 40 * DAY;
	return 1;
}

static unsigned early(const struct plan *plan, struct event *event)
{
	if (is_on_device(event))
		event->start_ns -= 2 * plan->cell_ns + 40 * US;
	return 1;
}

static unsigned late(const struct plan *plan, struct event *event)
{
	(void)plan;
	if (is_on_device(event))
		event->start_ns += 3000 * US;
	return 1;
}

static unsigned too_long(const struct plan *plan, struct event *event)
{
	if (place_of(plan, event) == 0)
		event->dur_ns = 5000000 * US;
	return 1;
}

static unsigned impossible_end(const struct plan *plan, struct event *event)
{
	if (place_of(plan, event) == 0)
		event->dur_ns += 50000 * US;
	return 1;
}

static unsigned zero_length(const struct plan *plan, struct event *event)
{
	if (is_hit(plan, event)) {
		event->dur_ns = 0;
		event->device_kind = DEVICE_KERNEL;
	}
	return 1;
}

static unsigned no_link(const struct plan *plan, struct event *event)
{
	if (is_hit(plan, event)) {
		event->correlation = 0;
		event->device_kind = DEVICE_KERNEL;
	}
	return 1;
}

static unsigned lost(const struct plan *plan, struct event *event)
{
	(void)plan;
	return event->kind == EVENT_DEVICE && event->number % 100 == 50 ? 0 : 1;
}

static unsigned lost_tail(const struct plan *plan, struct event *event)
{
	return event->kind == EVENT_DEVICE && event->number >= plan->device_count - plan->device_count / 12 ? 0 : 1;
}

static unsigned orphans(const struct plan *plan, struct event *event)
{
	uint64_t middle = plan->device_count / 2;

	(void)plan;
	return event->kind == EVENT_RUNTIME && event->correlation >= middle && event->correlation < middle + FEW ? 0
	                                                                                                         : 1;
}

/* Two neighbours of one stream exchange their links. */
static unsigned swapped(const struct plan *plan, struct event *event)
{
	uint64_t streams = plan->options->streams, first = plan->device_count / streams / 2 * streams;
	struct event other = *event;

	if (event->kind != EVENT_DEVICE || (event->number != first && event->number != first + streams))
		return 1;
	/* Of the other one the link is wanted; it stands somewhere in this block or in the next one. */
	for (uint64_t unit = plan->meta_count; unit < plan->unit_count; unit++) {
		struct event candidate;

		plan_event(plan, unit, &candidate);
		if (candidate.kind == EVENT_DEVICE && candidate.number == 2 * first + streams - event->number) {
			other = candidate;
			break;
		}
	}
	event->correlation = other.correlation;
	return 1;
}

static unsigned unknown_operator(const struct plan *plan, struct event *event)
{
	if (is_hit(plan, event))
		event->external = 987654321 + event->number;
	return 1;
}

static unsigned wrong_device(const struct plan *plan, struct event *event)
{
	if (is_hit(plan, event))
		event->device = 77;
	return 1;
}

static unsigned no_device(const struct plan *plan, struct event *event)
{
	(void)plan;
	return is_on_device(event) ? 0 : 1;
}

static bool is_middle_operator(const struct plan *plan, const struct event *event)
{
	uint64_t middle = plan->body_count / BLOCK_SLOTS / 2 * plan->operators;

	return event->kind == EVENT_OPERATOR && event->external > middle + 4 && event->external <= middle + 4 + FEW;
}

static unsigned repeated(const struct plan *plan, struct event *event)
{
	return is_middle_operator(plan, event) ? 2 : 1;
}

static unsigned not_nested(const struct plan *plan, struct event *event)
{
	if (is_middle_operator(plan, event))
		event->dur_ns += 5 * US;
	return 1;
}

static unsigned thinned(const struct plan *plan, struct event *event)
{
	(void)plan;
	return event->kind == EVENT_OPERATOR && event->external % 20 == 10 ? 0 : 1;
}

#define AT "\"pid\": 783658, \"tid\": 783658, \"ts\": 1669783687384700.000, "
const struct fault faults[] = {
        {"zero-start", "three device events start at 0", "same_clock", zero_start, NULL, NULL},
        {"other-clock", "device times of forty days ago", "same_clock", other_clock, NULL, NULL},
        {"too-long", "a device event of 5 s", "too_long", too_long, NULL, NULL},
        {"impossible-end", "one ends 50 ms too late", "impossible_end", impossible_end, NULL, NULL},
        {"zero-length", "three kernels without length", "zero_length", zero_length, NULL, NULL},
        {"early", "the device's clock is early", "launch_first", early, NULL, NULL},
        {"late", "the device's clock is 3 ms late", "lag", late, NULL, NULL},
        {"no-link", "three kernels without a link to their launch", "linked", no_link, NULL, NULL},
        {"lost", "one device event in a hundred is lost", "lost", lost, NULL, NULL},
        {"lost-tail", "the last device events are lost", "lost", lost_tail, NULL, NULL},
        {"orphans", "three launches are missing", "orphans", orphans, NULL, NULL},
        {"swapped", "two neighbours exchange their links", "in_order", swapped, NULL, NULL},
        {"unknown-operator", "three name an operator that is not there", "op_known", unknown_operator, NULL, NULL},
        {"wrong-device", "three state a device that is not there", "right_device", wrong_device, NULL, NULL},
        {"no-device", "no device event was recorded", "device_present", no_device, NULL, NULL},
        {"repeated", "three operators are there twice", "repeated", repeated, NULL, NULL},
        {"not-nested", "three operators outlive those around them", "nesting", not_nested, NULL, NULL},
        {"thinned", "one operator in twenty was taken out", "thinned", thinned, NULL, NULL},
        {"bad-counter", "a utilization of 131.5 %", "counters", NULL,
         "{\"ph\": \"C\", \"name\": \"GPU Utilization\", " AT "\"args\": {\"GPU Utilization\": 131.5}}", NULL},
        {"no-end", "a begin without its end", "begin_end", NULL,
         "{\"ph\": \"B\", \"name\": \"open\", " AT "\"args\": {}}", NULL},
        {"says-lost", "the profiler's log speaks of lost records", "reported_loss", NULL, NULL,
         ",\n  \"WARNING\": [\"WARNING: 3 activity buffers dropped\"]"},
        {NULL, NULL, NULL, NULL, NULL, NULL},
};

const struct fault *fault_find(const char *name)
{
	for (const struct fault *fault = faults; fault->name; fault++)
		if (!strcmp(fault->name, name))
			return fault;
	return NULL;
}
