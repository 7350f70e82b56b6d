/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a device is idle. The launch of the event that ends a gap parts it at two instants: when the call began, and when
 * it returned. What lies before the first is asked of the thread that launched: one pass over the events of each
 * thread, beside its waits in the order of time.
 */
#include <regex.h>

#include "wall.h"

const char *const cause_names[CAUSE_COUNT] = {
        [CAUSE_PROFILER] = "profiler",           [CAUSE_SYNC] = "sync",
        [CAUSE_RUNTIME_CALL] = "runtime_call",   [CAUSE_INPUT] = "input",
        [CAUSE_OPERATOR] = "operator",           [CAUSE_PYTHON] = "python",
        [CAUSE_OTHER_HOST] = "other_host",       [CAUSE_LAUNCH_CALL] = "launch_call",
        [CAUSE_START_LATENCY] = "start_latency", [CAUSE_QUEUED] = "queued",
        [CAUSE_IN_GRAPH] = "in_graph",           [CAUSE_UNLINKED] = "unlinked",
};
const char *const group_names[GROUP_COUNT] = {"late", "in time", "unknown"};

enum group group_of(enum cause cause)
{
	return cause <= CAUSE_LAUNCH_CALL ? GROUP_LATE : cause == CAUSE_UNLINKED ? GROUP_UNKNOWN : GROUP_IN_TIME;
}

/* A time in which a thread had not begun to launch what the device waits for. */
struct wait {
	int64_t from, to;
	uint64_t gap;
	uint32_t track, device;
};
struct waits {
	struct wait *items;
	uint64_t count;
};
struct span {
	int64_t from, to;
};
enum { LABEL_UNKNOWN, LABEL_PLAIN, LABEL_SYNC, LABEL_INPUT };
struct causes {
	struct wall *wall;
	const struct tav_order *order;
	struct waits waits;
	struct span *overhead; /* apart, by time */
	uint64_t overhead_count;
	uint8_t *labels; /* LABEL_... */
	regex_t input;
	struct stack stacks[CAUSE_PYTHON + 1]; /* by cause, CAUSE_SYNC to CAUSE_PYTHON */
	uint64_t *open;                        /* waits that last */
	uint64_t open_count;
};

/* ---- What an event of the host means ------------------------------------------------------------------------------
 */
static bool is_blocking(struct tav_text name)
{
	static const char *const calls[] = {"cudaMemcpy", "hipMemcpy", "hipMemcpyWithStream", "cudaMemset",
	                                    "hipMemset"};

	for (unsigned i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (name.size == strlen(calls[i]) && !strncasecmp(name.data, calls[i], name.size))
			return true;
	return text_has_fold(name, "synchronize");
}

/* CAUSE_SYNC to CAUSE_PYTHON, or CAUSE_COUNT: says nothing. */
static enum cause cause_of(struct causes *causes, tav_row row)
{
	const struct look *look = &causes->wall->look;
	uint32_t traits = look->traits[row];
	uint8_t *label = &causes->labels[look->label[row]];

	if (traits & TAV_TRAIT_DEVICE_CLOCK || look->end[row] <= look->start[row])
		return CAUSE_COUNT;
	if (traits & (TAV_TRAIT_RUNTIME | TAV_TRAIT_DRIVER)) {
		if (*label == LABEL_UNKNOWN)
			*label = is_blocking(name_of_row(look, row)) ? LABEL_SYNC : LABEL_PLAIN;
		return *label == LABEL_SYNC ? CAUSE_SYNC : CAUSE_RUNTIME_CALL;
	}
	if (traits & TAV_TRAIT_PYTHON)
		return CAUSE_PYTHON;
	if (!(traits & (TAV_TRAIT_ANNOTATION | TAV_TRAIT_HOST_OP)))
		return CAUSE_COUNT;
	if (*label == LABEL_UNKNOWN)
		*label = tav_matches(look->self, &causes->input, name_of_row(look, row).data) ? LABEL_INPUT
		                                                                              : LABEL_PLAIN;
	if (*label == LABEL_INPUT)
		return CAUSE_INPUT;
	return is_operator(look, row) ? CAUSE_OPERATOR : CAUSE_COUNT;
}

static int by_start(const void *context, uint32_t a, uint32_t b)
{
	const struct look *look = context;

	return (look->start[a] > look->start[b]) - (look->start[a] < look->start[b]);
}

/* The time the profiler took for itself, whatever the thread: traces do not say whose. */
static tav_status find_overhead(struct causes *causes)
{
	const struct look *look = &causes->wall->look;
	uint64_t count = 0;
	uint32_t *rows;

	for (tav_row row = 0; row < look->about->row_count; row++)
		count += look->traits[row] & TAV_TRAIT_OVERHEAD && look->end[row] > look->start[row];
	rows = take(look->self, count + 1, sizeof(*rows));
	causes->overhead = take(look->self, count + 1, sizeof(*causes->overhead));
	if (!rows || !causes->overhead)
		return TAV_FAILED;
	count = 0;
	for (tav_row row = 0; row < look->about->row_count; row++)
		if (look->traits[row] & TAV_TRAIT_OVERHEAD && look->end[row] > look->start[row])
			rows[count++] = row;
	if (sort_places(look->self, rows, count, by_start, look))
		return TAV_FAILED;
	for (uint64_t i = 0; i < count; i++) {
		struct span *last = &causes->overhead[causes->overhead_count - 1];
		int64_t from = look->start[rows[i]], to = look->end[rows[i]];

		if (causes->overhead_count && from <= last->to)
			last->to = to > last->to ? to : last->to;
		else
			causes->overhead[causes->overhead_count++] = (struct span){from, to};
	}
	return TAV_OK;
}

/* ---- One thread ----------------------------------------------------------------------------------------------------
 */
static int by_thread(const void *context, uint32_t a, uint32_t b)
{
	const struct wait *x = (const struct wait *)context + a, *y = (const struct wait *)context + b;

	if (x->track != y->track)
		return x->track < y->track ? -1 : 1;
	return (x->from > y->from) - (x->from < y->from);
}

/* The first piece of overhead that ends behind `at`. */
static uint64_t overhead_at(const struct causes *causes, int64_t at)
{
	uint64_t low = 0, high = causes->overhead_count;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (causes->overhead[middle].to <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* What is the cause at `now`, until when at most (in *next, no later than it says already), and who bears its name. */
static enum cause cause_at(struct causes *causes, int64_t now, uint64_t overhead, int64_t *next, uint32_t *label)
{
	const struct look *look = &causes->wall->look;

	*label = TAV_NONE;
	if (overhead < causes->overhead_count) {
		const struct span *span = &causes->overhead[overhead];
		int64_t border = span->from <= now ? span->to : span->from;

		*next = border < *next ? border : *next;
		if (span->from <= now)
			return CAUSE_PROFILER;
	}
	for (unsigned cause = CAUSE_SYNC; cause <= CAUSE_PYTHON; cause++) {
		tav_row row = stack_top(look, &causes->stacks[cause], now);

		if (row == TAV_NONE)
			continue;
		*next = look->end[row] < *next ? look->end[row] : *next;
		*label = look->label[row];
		return (enum cause)cause;
	}
	return CAUSE_OTHER_HOST;
}

/* One instant after the other: until an event starts, the one on top ends, or a wait begins or ends. */
static tav_status sweep_thread(struct causes *causes, const uint32_t *sorted, uint64_t count)
{
	struct wall *wall = causes->wall;
	const struct look *look = &wall->look;
	uint32_t track = causes->waits.items[sorted[0]].track;
	uint64_t event = causes->order->first[track], last = causes->order->first[track + 1], wait = 0, steps = 0;
	const tav_row *rows = causes->order->rows;
	int64_t now = causes->waits.items[sorted[0]].from;
	uint64_t overhead = overhead_at(causes, now);

	while (wait < count || causes->open_count) {
		int64_t next = INT64_MAX;
		uint64_t left = 0;
		uint32_t label;
		enum cause cause;

		if (!(steps++ & 0xffff) && wall->self->host->cancelled(wall->self))
			return TAV_CANCELLED;
		if (!causes->open_count)
			now = causes->waits.items[sorted[wait]].from;
		for (; wait < count && causes->waits.items[sorted[wait]].from <= now; wait++)
			causes->open[causes->open_count++] = sorted[wait];
		for (; event < last && look->start[rows[event]] <= now; event++) {
			enum cause means = cause_of(causes, rows[event]);

			if (means != CAUSE_COUNT && stack_push(look, &causes->stacks[means], rows[event]))
				return TAV_FAILED;
		}
		while (overhead < causes->overhead_count && causes->overhead[overhead].to <= now)
			overhead++;
		if (wait < count)
			next = causes->waits.items[sorted[wait]].from;
		if (event < last && look->start[rows[event]] < next)
			next = look->start[rows[event]];
		for (uint64_t i = 0; i < causes->open_count; i++) {
			const struct wait *open = &causes->waits.items[causes->open[i]];

			next = open->to < next ? open->to : next;
		}
		cause = cause_at(causes, now, overhead, &next, &label);
		for (uint64_t i = 0; i < causes->open_count; i++) {
			const struct wait *open = &causes->waits.items[causes->open[i]];

			if (wall_add_idle(wall, open->device, &wall->gaps[open->gap], cause, label, now, next))
				return TAV_FAILED;
			if (open->to > next)
				causes->open[left++] = causes->open[i];
		}
		causes->open_count = left;
		now = next;
	}
	return TAV_OK;
}

static tav_status sweep_threads(struct causes *causes)
{
	struct waits *waits = &causes->waits;
	uint32_t *sorted = take(causes->wall->self, waits->count + 1, sizeof(*sorted));
	tav_status status = sorted ? TAV_OK : TAV_FAILED;
	uint64_t from = 0;

	/* A device has one gap at a time, so there are no more open waits than devices. */
	causes->open = take(causes->wall->self, (uint64_t)causes->wall->look.device_count + 1, sizeof(*causes->open));
	if (status || !causes->open)
		return TAV_FAILED;
	for (uint64_t i = 0; i < waits->count; i++)
		sorted[i] = (uint32_t)i;
	status = sort_places(causes->wall->self, sorted, waits->count, by_thread, waits->items);
	while (from < waits->count && !status) {
		uint64_t to = from;

		while (to < waits->count && waits->items[sorted[to]].track == waits->items[sorted[from]].track)
			to++;
		for (unsigned cause = 0; cause <= CAUSE_PYTHON; cause++)
			causes->stacks[cause].count = 0;
		status = sweep_thread(causes, sorted + from, to - from);
		from = to;
	}
	for (unsigned cause = 0; cause <= CAUSE_PYTHON; cause++)
		stack_free(&causes->stacks[cause]);
	return status;
}

/* ---- Gaps -----------------------------------------------------------------------------------------------------------
 */
static int64_t clamp(int64_t at, int64_t low, int64_t high)
{
	return at < low ? low : at > high ? high : at;
}

static tav_status part_gap(struct causes *causes, uint32_t device, uint64_t number)
{
	struct wall *wall = causes->wall;
	const struct look *look = &wall->look;
	struct gap *gap = &wall->gaps[number];
	tav_row row = row_of(look, gap->ending), call = look->links->launch[gap->ending];
	int64_t begins, returns, delay;

	if (gap->how != GAP_LAUNCHED)
		return wall_add_idle(wall, device, gap, gap->how == GAP_IN_GRAPH ? CAUSE_IN_GRAPH : CAUSE_UNLINKED,
		                     TAV_NONE, gap->start, gap->end);
	delay = span_ns(look->start[call], look->start[row]);
	wall->devices[device].floor = delay < wall->devices[device].floor ? delay : wall->devices[device].floor;
	begins = clamp(look->start[call], gap->start, gap->end);
	returns = clamp(look->end[call], gap->start, gap->end);
	if (begins > gap->start && begins > look->from && gap->start < look->to)
		causes->waits.items[causes->waits.count++] =
		        (struct wait){gap->start, begins, number, look->track[call], device};
	if (wall_add_idle(wall, device, gap, CAUSE_LAUNCH_CALL, look->label[call], begins, returns))
		return TAV_FAILED;
	return wall_add_idle(wall, device, gap, look->end[call] <= gap->start ? CAUSE_QUEUED : CAUSE_START_LATENCY,
	                     TAV_NONE, returns, gap->end);
}

tav_status wall_causes(struct wall *wall)
{
	struct causes causes = {.wall = wall};
	struct tav_self *self = wall->self;
	tav_status status;

	if (wall->gap_count > UINT32_MAX)
		return tav_fail(self, "too many gaps");
	if (self->host->order(self, 0, 0, &causes.order))
		return tav_fail(self, "cannot order the events");
	causes.labels = take(self, (uint64_t)wall->look.label_count + 1, sizeof(*causes.labels));
	causes.waits.items = take(self, wall->gap_count + 1, sizeof(*causes.waits.items));
	if (!causes.labels || !causes.waits.items || find_overhead(&causes))
		return TAV_FAILED;
	if (regcomp(&causes.input, self->options[WALL_OPT_INPUT]->text.data, REG_EXTENDED | REG_NOSUB))
		return tav_fail(self, "the pattern of the option input cannot be used");
	status = TAV_OK;
	for (uint32_t device = 0; device < wall->look.device_count && !status; device++)
		for (uint64_t i = 0; i < wall->devices[device].gap_count && !status; i++)
			status = part_gap(&causes, device, wall->devices[device].first_gap + i);
	if (!status)
		status = sweep_threads(&causes);
	regfree(&causes.input);
	return status;
}
