/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "gen.h"

#define EPOCH_NS INT64_C(1669783687384669000)
#define CELL_NS 12000         /* at least; more streams stretch it, so that launches keep their distance */
#define LAUNCH_NS 3000        /* from one launch to the next, at least */
#define DEVICE_DELAY_NS 30000 /* from a launch to its kernel, at least */
#define IDLE_BLOCK_NS 300000  /* a block's length when it has no device events */
#define IDLE_POSITIONS 20
#define HOST_PID 783658
#define STEP_BLOCKS 64

/* ---- A permutation without a table: a Feistel network over the next even power of two, walked until it is in range.
 */
struct permutation permutation_of(uint64_t n, uint64_t key)
{
	struct permutation permutation = {n, key, 1};

	while (permutation.half_bits < 31 && (UINT64_C(1) << 2 * permutation.half_bits) < n)
		permutation.half_bits++;
	return permutation;
}

uint64_t permute(const struct permutation *permutation, uint64_t i)
{
	uint64_t mask = (UINT64_C(1) << permutation->half_bits) - 1;

	do {
		uint64_t left = i >> permutation->half_bits, right = i & mask;

		for (unsigned round = 0; round < 4; round++) {
			uint64_t next = left ^ (mix(permutation->key + round + (right << 8)) & mask);

			left = right;
			right = next;
		}
		i = left << permutation->half_bits | right;
	} while (i >= permutation->n);
	return i;
}

/* ---- Seeded overlaps: groups of four neighbouring cells of one stream, some of which get one of five shapes. ------
 */
#define GROUP_CELLS 4
enum shape { SHAPE_PARTIAL, SHAPE_NESTED, SHAPE_CHAIN, SHAPE_ZERO, SHAPE_DUPLICATE, SHAPES, SHAPE_NONE = SHAPES };
static const unsigned offending[SHAPES] = {1, 1, 2, 1, 1}; /* events that overlap an earlier one */

static void seed_groups(struct plan *plan, uint64_t overlaps)
{
	uint64_t all = 0, rest;

	for (unsigned i = 0; i < SHAPES; i++)
		all += offending[i];
	plan->seeded_count = overlaps / all * SHAPES;
	rest = overlaps % all;
	for (unsigned i = 0; rest; i++) {
		plan->seeded_count++;
		plan->last_is_single = rest < offending[i];
		rest -= plan->last_is_single ? 1 : offending[i];
	}
}

static enum shape shape_of(const struct plan *plan, uint64_t device_event)
{
	uint64_t streams = plan->options->streams;
	uint64_t group = device_event / streams / GROUP_CELLS * streams + device_event % streams;

	if (group >= plan->group_count)
		return SHAPE_NONE;
	group = permute(&plan->groups, group);
	if (group >= plan->seeded_count)
		return SHAPE_NONE;
	if (plan->last_is_single && group == plan->seeded_count - 1)
		return SHAPE_PARTIAL;
	return (enum shape)(group % SHAPES);
}

static uint64_t hash_of(const struct plan *plan, uint64_t salt, uint64_t number)
{
	return mix(mix(plan->options->seed * 0x100 + salt) ^ number);
}

/* When device event `k` runs; `identity`: the event whose record it repeats, else itself. */
static void time_device(const struct plan *plan, uint64_t k, int64_t *start, int64_t *end, uint64_t *identity)
{
	uint64_t streams = plan->options->streams, cell = k / streams, stream = k % streams;
	uint64_t hash = hash_of(plan, 1, k);
	int64_t c = plan->cell_ns, base = (int64_t)cell * c;
	int64_t jitter = hash % 4 ? (int64_t)(hash / 4 % (uint64_t)(c / 6)) : 0;
	int64_t room = c - jitter - 500;
	/* The product of two: many short ones, few long ones. */
	int64_t u = (int64_t)(hash >> 24 & 1023), v = (int64_t)(hash >> 34 & 1023);

	*identity = k;
	*start = base + jitter;
	*end = hash >> 8 & 3 ? *start + 500 + room * u / 1024 * v / 1024
	                     : base + c; /* a quarter ends as the next may begin */

	if (plan->options->nested) {
		int64_t cells = (int64_t)(plan->device_count / streams + (stream < plan->device_count % streams));

		if (plan->options->nested == NESTED_DEEP) {
			*start = (int64_t)cell * 2;
			*end = cells * c - (int64_t)cell * 2;
		} else if (cell == 0) {
			*start = 0;
			*end = cells * c + 1000;
		}
	}
	if (plan->seeded_count) {
		enum shape shape = shape_of(plan, k);
		int64_t place = (int64_t)(cell % GROUP_CELLS), origin = base - place * c; /* of the group */
		int64_t eighth = c / 8, wobble = (int64_t)(hash >> 44) % eighth;

		if (shape == SHAPE_DUPLICATE && place == 1) {
			time_device(plan, k - streams, start, end, identity);
			return;
		} else if (shape == SHAPE_CHAIN && place < 3) {
			if (place > 0)
				*start = base + eighth + wobble;
			if (place == 0)
				*end = origin + 2 * c + 3 * eighth + wobble;
			else if (place == 1)
				*end = origin + 2 * c + 5 * eighth + wobble;
			else
				*end = origin + 2 * c + 7 * eighth;
		} else if (shape < SHAPE_CHAIN || shape == SHAPE_ZERO) {
			if (place == 0)
				*end = origin + c + 5 * eighth + wobble;
			if (place == 1) {
				*start = base + 2 * eighth + wobble;
				*end = shape == SHAPE_PARTIAL ? base + 7 * eighth + wobble
				                              : *start + (shape == SHAPE_NESTED ? eighth + wobble : 0);
			}
		}
	}
	*start += DEVICE_DELAY_NS + 2 * c;
	*end += DEVICE_DELAY_NS + 2 * c;
}

/* ---- The block: a hundred places that repeat, so that shares are exact and any event is found by its number. ------
 */
static uint32_t first_position(const struct plan *plan, uint32_t i, uint32_t count)
{
	return i * plan->positions / count;
}

static void fill_block(struct plan *plan)
{
	const struct gen_options *options = plan->options;
	uint32_t at = 0, device = 0, operators = 0, flows = 0, prep = 0, transfer = 0, host;

	plan->devices = (uint32_t)options->device_share;
	host = BLOCK_SLOTS - plan->devices;
	if (options->is_native) {
		plan->preps = host / 2;
		plan->transfers = host / 4;
		host -= plan->preps + plan->transfers;
	} else {
		if (options->python_depth)
			plan->frames = options->python_depth < host / 4 ? (uint32_t)options->python_depth : host / 4;
		host -= plan->frames;
		plan->launches = host * 2 / 3 < plan->devices ? host * 2 / 3 : plan->devices;
		host -= plan->launches;
		plan->flows = host / 8 < plan->launches ? host / 8 : plan->launches;
		host -= 2 * plan->flows;
	}
	plan->operators = host;
	plan->positions = plan->launches ? plan->launches : IDLE_POSITIONS;

#define PUT(slot_kind, slot_index)                                                                                     \
	plan->slots[at++] = (struct slot)                                                                              \
	{                                                                                                              \
		(uint8_t)(slot_kind), (uint8_t)(slot_index)                                                            \
	}
	for (uint32_t i = 0; i < plan->frames; i++)
		PUT(EVENT_FRAME, i);
	for (uint32_t position = 0; position < plan->positions; position++) {
		uint32_t device_end = (position + 1) * plan->devices / plan->positions;
		bool has_flow = flows < plan->flows && first_position(plan, flows, plan->flows) == position;

		while (operators < plan->operators &&
		       first_position(plan, operators / 2, (plan->operators + 1) / 2) <= position)
			PUT(EVENT_OPERATOR, operators++);
		if (plan->launches)
			PUT(EVENT_RUNTIME, position);
		if (has_flow)
			PUT(EVENT_FLOW_START, position);
		for (; prep < (position + 1) * plan->preps / plan->positions; prep++)
			PUT(EVENT_PREP, prep);
		for (; device < device_end; device++)
			PUT(EVENT_DEVICE, device);
		for (; transfer < (position + 1) * plan->transfers / plan->positions; transfer++)
			PUT(EVENT_DMA, transfer);
		if (has_flow) {
			PUT(EVENT_FLOW_END, position);
			flows++;
		}
	}
#undef PUT
	for (uint32_t i = 0; i < BLOCK_SLOTS; i++) {
		const struct slot *slot = &plan->slots[i];

		plan->device_before[i + 1] = plan->device_before[i] + (slot->kind == EVENT_DEVICE);
		plan->numbered_before[i + 1] =
		        plan->numbered_before[i] + (slot->kind == EVENT_OPERATOR || slot->kind == EVENT_FRAME);
		if (slot->kind == EVENT_OPERATOR && slot->index == 1)
			plan->device_step_slot = i;
	}
}

bool plan_init(struct plan *plan, const struct gen_options *options, const struct names *names, char *why, size_t size)
{
	uint64_t objects = options->events;

	*plan = (struct plan){.options = options, .names = names};
	if (options->is_native) {
		plan->meta_count = objects % 2 ? 1 : (objects ? 2 : 0);
		plan->unit_count = plan->meta_count + (objects - plan->meta_count) / 2;
	} else {
		plan->meta_count = 3 * options->devices + options->streams + 2;
		if (objects < 4 * plan->meta_count)
			plan->meta_count = 0; /* too small to bother */
		plan->unit_count = objects;
	}
	fill_block(plan);

	uint64_t body = plan->unit_count - plan->meta_count, streams = options->streams;

	plan->body_count = body;
	plan->device_count = body / BLOCK_SLOTS * plan->devices + plan->device_before[body % BLOCK_SLOTS];
	plan->cell_ns = (int64_t)streams * LAUNCH_NS > CELL_NS ? (int64_t)streams * LAUNCH_NS : CELL_NS;
	plan->end_ns = plan->devices ? (int64_t)(plan->device_count / streams + 4) * plan->cell_ns + DEVICE_DELAY_NS
	                             : (int64_t)(body / BLOCK_SLOTS + 1) * IDLE_BLOCK_NS;
	plan->units = permutation_of(body, mix(options->seed ^ 0x5ca1ab1e));

	seed_groups(plan, options->overlaps);
	plan->group_count = plan->device_count / streams / GROUP_CELLS * streams;
	plan->groups = permutation_of(plan->group_count, mix(options->seed ^ 0x0ddba11));
	if (plan->seeded_count > plan->group_count) {
		snprintf(why, size,
		         "--overlaps %llu needs %llu groups of 4 device events on one stream; there are %llu (of %llu)",
		         (unsigned long long)options->overlaps, (unsigned long long)plan->seeded_count,
		         (unsigned long long)plan->group_count, (unsigned long long)plan->device_count);
		return false;
	}
	if (options->nested && options->overlaps) {
		snprintf(why, size, "--nested and --overlaps together have no known answer");
		return false;
	}
	return true;
}

/* ---- Events ----------------------------------------------------------------------------------------------------- */
static int64_t block_start(const struct plan *plan, uint64_t block)
{
	if (!plan->devices)
		return (int64_t)block * IDLE_BLOCK_NS;
	return (int64_t)(block * plan->devices * (uint64_t)plan->cell_ns / plan->options->streams);
}

static int64_t position_start(const struct plan *plan, uint64_t block, uint32_t position)
{
	int64_t start = block_start(plan, block);

	return start + (block_start(plan, block + 1) - start) * position / plan->positions;
}

/* Few names are frequent and many are rare, as in life. */
static const struct name *pick(const struct name *names, uint32_t count, uint64_t hash)
{
	uint64_t u = hash & 0xffff, v = hash >> 16 & 0xffff;

	return &names[(u * v >> 16) * count >> 16];
}

static void place_device(const struct plan *plan, uint64_t k, struct event *event)
{
	uint64_t streams = plan->options->streams, devices = plan->options->devices;
	uint64_t stream = k % streams, identity, roll;
	int64_t end;

	time_device(plan, k, &event->start_ns, &end, &identity);
	event->dur_ns = end - event->start_ns;
	event->number = k;
	event->hash = hash_of(plan, 2, identity);
	event->device = stream % devices;
	event->stream = stream / devices ? 16 + 4 * (stream / devices) : 7;
	event->pid = plan->options->is_native ? stream : event->device;
	event->tid = event->stream;
	if (plan->options->is_native)
		event->name = pick(plan->names->operators, plan->names->operator_count, event->hash);
	else
		event->name = pick(plan->names->kernels, plan->names->kernel_count, event->hash);
	roll = (event->hash >> 40) % 100;
	event->device_kind = roll < 6 ? DEVICE_MEMCPY : (roll < 9 ? DEVICE_MEMSET : DEVICE_KERNEL);
	if (plan->options->is_native)
		event->device_kind = DEVICE_KERNEL;
}

static void place_operator(const struct plan *plan, uint64_t block, uint32_t i, struct event *event)
{
	uint32_t pairs = (plan->operators + 1) / 2, pair = i / 2;
	int64_t margin = 60 + (int64_t)(event->hash >> 50) % 40 + (i % 2 ? 100 : 0); /* the second lies in the first */
	int64_t end = pair + 1 < pairs ? position_start(plan, block, first_position(plan, pair + 1, pairs))
	                               : block_start(plan, block + 1);

	event->start_ns = position_start(plan, block, first_position(plan, pair, pairs)) + margin;
	event->dur_ns = end > event->start_ns + margin + 100 ? end - margin - event->start_ns : 100;
	event->external = block * plan->operators + i + 1;
	event->name = pick(plan->names->operators, plan->names->operator_count, event->hash);
	/* Now and then a profiler step takes the place of an operator: on the host, then on the device's rows. */
	if (i >= 2 || plan->options->is_native || block % STEP_BLOCKS || (i == 1 && !plan->devices))
		return;
	event->kind = i ? EVENT_DEVICE_STEP : EVENT_STEP;
	event->number = block / STEP_BLOCKS;
	event->start_ns = block_start(plan, block) + (i ? DEVICE_DELAY_NS + 2 * plan->cell_ns : 0);
	event->dur_ns = block_start(plan, block + STEP_BLOCKS) - block_start(plan, block);
	if (event->start_ns + event->dur_ns > plan->end_ns)
		event->dur_ns = plan->end_ns - event->start_ns;
	if (i) {
		event->pid = 0;
		event->tid = event->stream = 7;
	}
}

/* The number that the profiler gives: without a gap, and none where a device's step stands. */
static uint64_t ev_idx_of(const struct plan *plan, uint64_t block, uint32_t slot)
{
	uint64_t steps =
	        (block + STEP_BLOCKS - 1) / STEP_BLOCKS + (block % STEP_BLOCKS == 0 && slot > plan->device_step_slot);
	bool has_steps = plan->devices && plan->operators > 1;

	return block * plan->numbered_before[BLOCK_SLOTS] + plan->numbered_before[slot] - (has_steps ? steps : 0);
}

/* The device events of a launch in the block: from, and where those of the next one begin. */
static uint32_t first_launched(const struct plan *plan, uint32_t launch)
{
	return (launch * plan->devices + plan->launches - 1) / plan->launches;
}

/* How many device events a call launches, as far as they are in the trace. */
static uint64_t count_launched(const struct plan *plan, uint64_t block, uint32_t launch)
{
	uint32_t first = first_launched(plan, launch), last = first_launched(plan, launch + 1);
	uint64_t rest = plan->body_count - block * BLOCK_SLOTS;
	uint32_t there = rest < BLOCK_SLOTS ? plan->device_before[rest] : plan->devices;

	last = last < there ? last : there;
	return last > first ? last - first : 0;
}

/* The whole stack lives as long as it takes to write its frames down, each frame within the one before. */
static void place_frame(const struct plan *plan, uint64_t block, uint32_t i, struct event *event)
{
	uint64_t depth = plan->options->python_depth, number = block * plan->frames + i;
	uint64_t stack = number / depth, level = number % depth;
	uint64_t first = stack * depth / plan->frames, last = (stack + 1) * depth / plan->frames;
	uint64_t border = (first / STEP_BLOCKS + 1) * STEP_BLOCKS; /* a stack ends with its step */
	int64_t start = block_start(plan, first), end = block_start(plan, last > first ? last : first + 1);

	if (last > border)
		end = block_start(plan, border);
	if (end > plan->end_ns && plan->end_ns > start)
		end = plan->end_ns;
	event->number = number;
	event->start_ns = start + (int64_t)level;
	event->dur_ns = end - start - 2 * (int64_t)level;
	if (event->dur_ns < 1)
		event->dur_ns = 1;
	event->name = &plan->names->frames[hash_of(plan, 5, level + stack % 50 * depth) % plan->names->frame_count];
	event->correlation = level ? number : 0; /* the parent's number + 1 */
}

void plan_event(const struct plan *plan, uint64_t unit, struct event *event)
{
	*event = (struct event){.kind = EVENT_META, .number = unit};
	if (unit < plan->meta_count)
		return;
	unit -= plan->meta_count;
	if (plan->options->order == ORDER_SHUFFLED)
		unit = permute(&plan->units, unit);

	uint64_t block = unit / BLOCK_SLOTS;
	const struct slot *slot = &plan->slots[unit % BLOCK_SLOTS];
	uint32_t launch = slot->index;
	uint64_t launched = block * plan->devices; /* the first device event of a launch */

	event->kind = slot->kind;
	event->number = unit;
	event->hash = hash_of(plan, 3, unit);
	event->pid = event->tid = HOST_PID;
	if (plan->launches)
		launched += first_launched(plan, launch);
	switch (event->kind) {
	case EVENT_DEVICE:
		launch = plan->launches ? slot->index * plan->launches / plan->devices : slot->index;
		place_device(plan, block * plan->devices + slot->index, event);
		break;
	case EVENT_RUNTIME:
	case EVENT_FLOW_START:
		event->hash = hash_of(plan, 4, block * plan->launches + launch);
		event->start_ns = position_start(plan, block, launch) + 300 + (int64_t)(event->hash % 300);
		event->dur_ns = 900 + (int64_t)(event->hash >> 20) % 1200;
		event->kernels = count_launched(plan, block, launch);
		break;
	case EVENT_FLOW_END:
		place_device(plan, launched, event);
		break;
	case EVENT_OPERATOR:
		place_operator(plan, block, slot->index, event);
		event->ev_idx = ev_idx_of(plan, block, (uint32_t)(unit % BLOCK_SLOTS));
		break;
	case EVENT_FRAME:
		place_frame(plan, block, slot->index, event);
		event->ev_idx = ev_idx_of(plan, block, (uint32_t)(unit % BLOCK_SLOTS));
		break;
	default: /* EVENT_PREP, EVENT_DMA: several at once are right */
		event->number = block * (event->kind == EVENT_DMA ? plan->transfers : plan->preps) + slot->index;
		event->pid = event->number % plan->options->streams;
		event->start_ns =
		        position_start(plan, block, slot->index % plan->positions) + (int64_t)(event->hash % 2000);
		event->dur_ns = 500 + (int64_t)(event->hash >> 20) % 9000;
		event->name = pick(plan->names->operators, plan->names->operator_count, event->hash);
	}
	event->start_ns += EPOCH_NS;
	if (event->kind == EVENT_DMA)
		event->correlation = event->number / plan->options->streams % 2; /* the engine */
	if (event->kind > EVENT_FLOW_END || event->kind == EVENT_OPERATOR || event->kind == EVENT_FRAME)
		return;
	event->correlation = plan->launches ? block * plan->launches + launch + 1 : block * BLOCK_SLOTS + launch + 1;
	event->external = event->correlation;
	if (plan->operators && plan->launches) {
		uint32_t pairs = (plan->operators + 1) / 2, inner = ((launch + 1) * pairs - 1) / plan->launches * 2 + 1;

		if (inner >= plan->operators || (inner == 1 && block % STEP_BLOCKS == 0 && plan->devices))
			inner--; /* it is not there, or a device's step stands in its place */
		event->external = block * plan->operators + inner + 1;
	}
}

/* ---- Answers ---------------------------------------------------------------------------------------------------- */
static void tally_group(const struct plan *plan, const struct event *event, enum shape shape, struct answers *answers)
{
	int64_t start, end;
	uint64_t identity;

	time_device(plan, event->number + plan->options->streams, &start, &end, &identity);
	answers->overlaps += offending[shape];
	answers->overlap_pairs += shape == SHAPE_CHAIN ? 3 : 1;
	answers->partial_overlaps += shape == SHAPE_PARTIAL ? 1 : (shape == SHAPE_CHAIN ? 2 : 0);
	answers->duplicate_records += shape == SHAPE_DUPLICATE;
	/* Of a partial pair until the first one ends; of the others all the time of the second one. */
	answers->overlap_ns += (shape == SHAPE_PARTIAL ? event->start_ns - EPOCH_NS + event->dur_ns : end) - start;
}

void plan_tally(const struct plan *plan, const struct event *event, struct answers *answers)
{
	bool is_pair = plan->options->is_native && event->kind != EVENT_META;

	answers->events += is_pair ? 2 : 1;
	answers->kinds[event->kind].count++;
	answers->kinds[event->kind].total_ns +=
	        event->kind == EVENT_FLOW_START || event->kind == EVENT_FLOW_END ? 0 : event->dur_ns;
	answers->measured_events += event->kind == EVENT_DMA;
	if (event->kind != EVENT_DEVICE)
		return;
	answers->device_events++;
	answers->device_kinds[event->device_kind].count++;
	answers->device_kinds[event->device_kind].total_ns += event->dur_ns;
	answers->zero_duration_events += event->dur_ns == 0;

	uint64_t cell = event->number / plan->options->streams;

	if (plan->options->nested && cell) {
		answers->overlaps++;
		answers->overlap_pairs += plan->options->nested == NESTED_DEEP ? cell : 1;
		answers->overlap_ns += plan->options->nested == NESTED_ONE || cell == 1 ? event->dur_ns : 0;
	} else if (plan->seeded_count && cell % GROUP_CELLS == 0) {
		enum shape shape = shape_of(plan, event->number);

		if (shape != SHAPE_NONE)
			tally_group(plan, event, shape, answers);
	}
}

void plan_tally_streams(const struct plan *plan, struct answers *answers)
{
	uint64_t streams = plan->options->streams;

	answers->tracks = plan->device_count < streams ? plan->device_count : streams;
	/* Two DMA engines for each process; transfers take them in turn. */
	answers->measured_tracks = answers->measured_events < 2 * streams ? answers->measured_events : 2 * streams;
}
