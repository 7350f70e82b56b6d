/* SPDX-License-Identifier: Apache-2.0 */
#include "structure.h"

enum { MOST_CROSSINGS = 1024 }; /* so many open events are compared with one that outlives them */

struct open {
	int64_t end;
	tav_row row;
};
struct stack {
	struct open *items; /* by end, the earliest on top */
	uint64_t count, capacity;
	uint64_t entries; /* of the profiler itself */
};

static bool is_judged(const struct trust *trust, tav_row row)
{
	uint32_t traits = trust->traits[row];
	uint32_t others = TAV_TRAIT_DEVICE | TAV_TRAIT_DEVICE_CLOCK | TAV_TRAIT_OVERHEAD | TAV_TRAIT_PREP;

	if (trust->phase[row] != 'X' || trust->start[row] == trust->end[row] || traits & others)
		return false;
	if (word_of(trust, row) & WORD_RECORDING || (trust->is_linked && !(traits & TRUST_KINDS)))
		return false;
	return !(traits & TAV_TRAIT_ENDS_LATER);
}

static int64_t tolerance_of(const struct trust *trust, tav_row a, tav_row b)
{
	bool python = (trust->traits[a] | trust->traits[b]) & TAV_TRAIT_PYTHON;
	bool annotation = is_annotation(trust, a) || is_annotation(trust, b);
	uint32_t option = !python      ? OPT_NESTING_TOLERANCE
	                  : annotation ? OPT_ANNOTATION_TOLERANCE
	                               : OPT_PYTHON_TOLERANCE;
	int64_t tolerance = trust->self->options[option]->integer;

	return tolerance > trust->res ? tolerance : trust->res;
}

/* What the profiler itself does: it enters and leaves annotations, and closes one step before it opens the next. */
static bool is_set_aside(const struct trust *trust, const struct stack *stack, tav_row inner, tav_row outer)
{
	uint8_t words = word_of(trust, inner) | word_of(trust, outer);
	bool inner_python = trust->traits[inner] & TAV_TRAIT_PYTHON,
	     outer_python = trust->traits[outer] & TAV_TRAIT_PYTHON;

	if (words & WORD_PROFILER_ENTRY)
		return true;
	if (is_annotation(trust, inner) && outer_python && stack->entries)
		return true;
	if (inner_python && is_annotation(trust, outer))
		return word_of(trust, inner) & WORD_PROFILER_FRAME && trust->traits[outer] & TAV_TRAIT_STEP;
	return is_annotation(trust, inner) && outer_python && word_of(trust, outer) & WORD_PROFILER_FRAME &&
	       trust->traits[inner] & TAV_TRAIT_STEP;
}

static bool is_entry(const struct trust *trust, tav_row row)
{
	return word_of(trust, row) & WORD_PROFILER_ENTRY;
}

static tav_status push(struct trust *trust, struct stack *stack, uint64_t at, struct open open)
{
	if (stack->count == stack->capacity) {
		uint64_t capacity = stack->capacity ? 2 * stack->capacity : 256;
		struct open *items = trust->host->alloc(trust->self, capacity * sizeof(*items));

		if (!items)
			return TAV_FAILED;
		if (stack->count)
			memcpy(items, stack->items, stack->count * sizeof(*items));
		stack->items = items;
		stack->capacity = capacity;
	}
	memmove(stack->items + at + 1, stack->items + at, (stack->count - at) * sizeof(*stack->items));
	stack->items[at] = open;
	stack->count++;
	stack->entries += is_entry(trust, open.row);
	return TAV_OK;
}

struct found_pair {
	tav_row outer; /* of the worst one */
	uint64_t set_aside;
};

static tav_status look_at_event(struct trust *trust, struct stack *stack, tav_row row, struct found_pair *what,
                                struct verdict *verdict)
{
	int64_t start = trust->start[row], end = trust->end[row];
	uint64_t at;
	bool is_found = false;

	while (stack->count && stack->items[stack->count - 1].end <= start)
		stack->entries -= is_entry(trust, stack->items[--stack->count].row);
	for (at = stack->count; at && stack->count - at < MOST_CROSSINGS && stack->items[at - 1].end < end; at--) {
		struct open outer = stack->items[at - 1];
		int64_t behind = end - outer.end, within = outer.end - start, by = behind < within ? behind : within;

		if (is_found || by <= tolerance_of(trust, row, outer.row))
			continue;
		if (is_set_aside(trust, stack, row, outer.row)) {
			what->set_aside++;
			continue;
		}
		is_found = true;
		found_by(verdict, row, by);
		if (verdict->worst == row)
			what->outer = outer.row;
	}
	return push(trust, stack, at, (struct open){end, row});
}

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	const struct tav_order *order = trust_threads(trust);
	struct stack stack = {0};
	struct found_pair what = {TAV_NONE, 0};
	uint64_t examined = 0;

	if (!order)
		return TAV_FAILED;
	for (uint32_t thread = 0; thread < order->track_count; thread++) {
		stack.count = stack.entries = 0;
		for (uint64_t i = order->first[thread]; is_thread(trust, thread) && i < order->first[thread + 1]; i++) {
			if (!is_judged(trust, order->rows[i]))
				continue;
			examined++;
			if (look_at_event(trust, &stack, order->rows[i], &what, verdict))
				return TAV_FAILED;
		}
	}
	if (!examined)
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "no host events with a length");
	if (!verdict->count)
		return judge(verdict, TRUST_PASS, examined, "%s nest%s%s%s%s", COUNTED(examined, "host event"),
		             tav_does(examined), what.set_aside ? " (set aside: " : "",
		             what.set_aside ? COUNTED(what.set_aside, "crossing") : "",
		             what.set_aside ? " of the profiler itself)" : "");
	return judge(verdict, trust->has_dialect ? TRUST_WARN : TRUST_NOTE, examined,
	             "%s of %s start%s within another one and end%s behind it%s; worst: %s leaves %s by %s",
	             COUNTED(verdict->count, ""), COUNTED(examined, "host event"), tav_does(verdict->count),
	             tav_does(verdict->count),
	             trust->has_dialect ? "" : " (no dialect knows this trace: its rows need not be threads)",
	             NAME(trust, verdict->worst), NAME(trust, what.outer), DURATION(verdict->worst_ns));
}

const struct trust_check check_nesting = {
        .id = "nesting",
        .question = "Do the events of a host thread nest?",
        .worst = TRUST_WARN,
        .text = "A thread runs one thing within another: an event that starts within an operator ends before it. One "
                "that ends behind it, by more than the tolerance (1 us; 10 us with a Python frame, 50 us between a "
                "frame "
                "and an annotation), makes call stacks and self times wrong there.\n\nSet aside is what producers do "
                "every day: annotations of collectives, which end later, and the profiler's own entries.",
        .remedy = "do not trust stacks and self times around these events",
        .run = run,
};
