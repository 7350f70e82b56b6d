/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "tav.links/1". Links are value ids, so what is known of each link is an array by value id, one for each of the
 * dialect's link fields: no hash, and no comparison of texts.
 */
#include <stdlib.h>
#include <string.h>

#include <facts/facts_of.h>

enum { CALLS_MANY = 3 }; /* more than two of one process: no telling which of them launched */
static const uint32_t of_a_call = TAV_TRAIT_RUNTIME | TAV_TRAIT_DRIVER;

struct link {           /* what goes by one link */
	tav_row call;   /* the one that starts first; by `calls` > 0 */
	uint32_t first; /* of its device events the one that starts first, + 1 */
	uint8_t calls;  /* up to CALLS_MANY, which also says that they lie in several processes */
};
struct finder {
	struct events *events;
	const int64_t *start_ns, *end_ns;
	const uint32_t *traits;
	struct alternatives fields, operators;
	const unsigned char *is_none;
	struct link *links[8]; /* of each field, by value id */
	struct tav_link_list *list;
	tav_row *rows, *launch, *operator_rows;
	uint8_t *why;
	uint64_t *is_first;
	uint32_t *index;
};

/* What the row goes by; NULL: nothing. */
static struct link *link_of(struct finder *finder, tav_row row)
{
	uint32_t field, value = facts_first_of(&finder->fields, row, &field);

	return value && !finder->is_none[value] ? &finder->links[field][value] : NULL;
}

static bool is_interval(uint32_t traits, uint32_t any_of)
{
	return traits & TAV_TRAIT_INTERVAL && traits & any_of;
}

static bool starts_before(const struct finder *finder, tav_row a, tav_row b)
{
	if (finder->start_ns[a] != finder->start_ns[b])
		return finder->start_ns[a] < finder->start_ns[b];
	return finder->end_ns[a] > finder->end_ns[b]; /* rows ascend: the first one stays */
}

static void see_call(struct finder *finder, tav_row row)
{
	const uint32_t *pid = COLUMN(finder->events, pid, const uint32_t);
	struct link *link = link_of(finder, row);

	if (!link)
		return;
	if (!link->calls) {
		link->call = row;
		link->calls = 1;
		return;
	}
	if (link->calls < CALLS_MANY)
		link->calls = pid[link->call] != pid[row] ? CALLS_MANY : link->calls + 1;
	if (starts_before(finder, row, link->call))
		link->call = row;
}

static void see_device_event(struct finder *finder, tav_row row)
{
	struct tav_link_list *list = finder->list;
	uint64_t i = list->count++;
	struct link *link = link_of(finder, row);

	finder->rows[i] = row;
	finder->index[row] = (uint32_t)i;
	finder->launch[i] = finder->operator_rows[i] = TAV_NONE;
	if (!link) {
		finder->why[i] = TAV_LINK_NONE;
		list->no_link_count++;
	} else if (!link->calls) {
		finder->why[i] = TAV_LINK_NO_CALL;
		list->no_call_count++;
	} else if (link->calls == CALLS_MANY) {
		finder->why[i] = TAV_LINK_AMBIGUOUS;
		list->ambiguous_count++;
	} else {
		finder->why[i] = TAV_LINK_OK;
		finder->launch[i] = link->call;
		list->linked_count++;
		if (!link->first || finder->start_ns[row] < finder->start_ns[finder->rows[link->first - 1]])
			link->first = (uint32_t)i + 1;
	}
}

static void mark_first(struct finder *finder)
{
	for (uint64_t i = 0; i < finder->list->count; i++) {
		const struct link *link = finder->why[i] == TAV_LINK_OK ? link_of(finder, finder->rows[i]) : NULL;
		if (link && link->first == i + 1)
			finder->is_first[i / 64] |= UINT64_C(1) << i % 64;
	}
}

/* ---- The operators around launches ---------------------------------------------------------------------------- */
struct launches {
	const uint32_t *track;
	const int64_t *start_ns;
};

static int compare_launches(const void *a, const void *b, void *user)
{
	const struct launches *launches = user;
	tav_row left = *(const tav_row *)a, right = *(const tav_row *)b;

	if (launches->track[left] != launches->track[right])
		return launches->track[left] < launches->track[right] ? -1 : 1;
	if (launches->start_ns[left] != launches->start_ns[right])
		return launches->start_ns[left] < launches->start_ns[right] ? -1 : 1;
	return left < right ? -1 : left > right;
}

/* The operators of a thread as time goes on; what has ended stays below others until it comes to the top. */
struct stack {
	const struct finder *finder;
	const tav_row *next, *end; /* operators by (start, end descending, row) */
	tav_row *open;
	uint64_t depth;
};

static tav_row innermost_at(struct stack *stack, int64_t at)
{
	const struct finder *finder = stack->finder;

	for (; stack->next < stack->end && finder->start_ns[*stack->next] <= at; stack->next++) {
		while (stack->depth && finder->end_ns[stack->open[stack->depth - 1]] <= finder->start_ns[*stack->next])
			stack->depth--;
		if (!(finder->traits[*stack->next] & TAV_TRAIT_STEP))
			stack->open[stack->depth++] = *stack->next;
	}
	while (stack->depth && finder->end_ns[stack->open[stack->depth - 1]] <= at)
		stack->depth--;
	return stack->depth ? stack->open[stack->depth - 1] : TAV_NONE;
}

/* Fills operator_of, by row of the launch. `sorted`: the launches, `open`: room for all operators of a thread. */
static void sweep_threads(struct finder *finder, const struct tav_order *order, const tav_row *sorted, uint64_t count,
                          tav_row *open, tav_row *operator_of)
{
	const uint32_t *track = COLUMN(finder->events, track, const uint32_t);

	for (uint64_t i = 0; i < count;) {
		uint32_t thread = track[sorted[i]];
		struct stack stack = {finder, order->rows + order->first[thread],
		                      order->rows + order->first[thread + 1], open, 0};
		for (; i < count && track[sorted[i]] == thread; i++)
			operator_of[sorted[i]] = innermost_at(&stack, finder->start_ns[sorted[i]]);
	}
}

static tav_status find_operators(struct finder *finder, struct causes *causes)
{
	struct events *events = finder->events;
	struct launches launches = {COLUMN(events, track, const uint32_t), finder->start_ns};
	const struct tav_order *order;
	uint64_t count = 0;

	if (!finder->list->linked_count)
		return TAV_OK;
	if (events_order(events, TAV_TRAIT_HOST_OP, &order, causes))
		return TAV_FAILED;
	tav_row *sorted = malloc(finder->list->linked_count * sizeof(*sorted));
	tav_row *operator_of = malloc((size_t)events->row_count * sizeof(*operator_of));
	tav_row *open = malloc((order->first[order->track_count] + 1) * sizeof(*open));
	bool is_done = sorted && operator_of && open, is_sorted = true;
	for (uint64_t i = 0; is_done && i < finder->list->count; i++) {
		if (!(finder->is_first[i / 64] >> i % 64 & 1))
			continue;
		sorted[count++] = finder->launch[i];
		is_sorted = is_sorted &&
		            (count < 2 || compare_launches(&sorted[count - 2], &sorted[count - 1], &launches) < 0);
	}
	if (is_done) {
		if (!is_sorted)
			qsort_r(sorted, count, sizeof(*sorted), compare_launches, &launches);
		sweep_threads(finder, order, sorted, count, open, operator_of);
	}
	for (uint64_t i = 0; is_done && i < finder->list->count; i++) {
		if (finder->launch[i] != TAV_NONE)
			finder->operator_rows[i] = operator_of[finder->launch[i]];
	}
	free(sorted);
	free(operator_of);
	free(open);
	return is_done ? TAV_OK : cause_add(causes, "out of memory: the operators around launches");
}

/* ---- Does the operator field repeat the link? --------------------------------------------------------------- */
static tav_status find_repetition(struct finder *finder, struct causes *causes)
{
	const uint32_t of_an_operator = TAV_TRAIT_HOST_OP | TAV_TRAIT_ANNOTATION;
	uint64_t both = 0, equal = 0, unnamed = 0;
	uint32_t which;

	if (!finder->operators.count)
		return TAV_OK;
	unsigned char *is_named = calloc(finder->events->values.count, 1);
	if (!is_named)
		return cause_add(causes, "out of memory: the numbers of operators");
	for (tav_row row = 0; row < finder->events->row_count; row++) {
		if (is_interval(finder->traits[row], of_an_operator))
			is_named[facts_first_of(&finder->operators, row, &which)] = 1;
	}
	for (tav_row row = 0; row < finder->events->row_count; row++) {
		if (!is_interval(finder->traits[row], of_a_call | TAV_TRAIT_DEVICE))
			continue;
		uint32_t link = facts_first_of(&finder->fields, row, &which);
		uint32_t named = facts_first_of(&finder->operators, row, &which);
		if (finder->is_none[link] || finder->is_none[named])
			continue;
		both++;
		equal += link == named;
		unnamed += link == named && !is_named[named];
	}
	finder->list->operator_repeats_link = unnamed && equal >= both - both / 10;
	free(is_named);
	return TAV_OK;
}

/* ---- All of it ------------------------------------------------------------------------------------------------ */
static bool take_arrays(struct finder *finder, struct arena *arena)
{
	tav_row row_count = finder->events->row_count;
	uint64_t count = 0;

	for (tav_row row = 0; row < row_count; row++)
		count += is_interval(finder->traits[row], TAV_TRAIT_DEVICE);
	finder->list = arena_alloc(arena, sizeof(*finder->list));
	finder->rows = arena_array(arena, count, sizeof(*finder->rows));
	finder->launch = arena_array(arena, count, sizeof(*finder->launch));
	finder->operator_rows = arena_array(arena, count, sizeof(*finder->operator_rows));
	finder->why = arena_array(arena, count, sizeof(*finder->why));
	finder->is_first = arena_array(arena, count / 64 + 1, sizeof(*finder->is_first));
	finder->index = arena_array(arena, row_count, sizeof(*finder->index));
	if (!finder->list || !finder->rows || !finder->launch || !finder->operator_rows || !finder->why ||
	    !finder->is_first || !finder->index)
		return false;
	*finder->list = (struct tav_link_list){.struct_size = sizeof(*finder->list),
	                                       .rows = finder->rows,
	                                       .launch = finder->launch,
	                                       .operators = finder->operator_rows,
	                                       .why = finder->why,
	                                       .is_first = finder->is_first,
	                                       .index = finder->index};
	for (uint32_t i = 0; i < finder->fields.count; i++) {
		finder->links[i] = calloc(finder->events->values.count, sizeof(*finder->links[i]));
		if (!finder->links[i])
			return false;
	}
	return true;
}

static tav_status find_links(struct finder *finder, struct arena *arena, struct causes *causes)
{
	if (!finder->is_none || !take_arrays(finder, arena))
		return cause_add(causes, "out of memory: links of %u events", finder->events->row_count);
	for (tav_row row = 0; row < finder->events->row_count; row++) {
		if (is_interval(finder->traits[row], of_a_call) && !(finder->traits[row] & TAV_TRAIT_DEVICE))
			see_call(finder, row);
	}
	for (tav_row row = 0; row < finder->events->row_count; row++) {
		if (is_interval(finder->traits[row], TAV_TRAIT_DEVICE))
			see_device_event(finder, row);
		else
			finder->index[row] = TAV_NONE;
	}
	mark_first(finder);
	if (find_operators(finder, causes) || find_repetition(finder, causes))
		return TAV_FAILED;
	return arena_seal(arena) ? TAV_OK : cause_add(causes, "cannot make links read-only");
}

tav_status facts_links(struct events *events, const struct tav_link_list **out, struct causes *causes)
{
	struct facts *facts = facts_of(events);

	*out = NULL;
	if (!facts)
		return cause_add(causes, "out of memory: links");
	if (!facts->links) {
		if (events->has_unread_links)
			return facts_not_read(causes);
		struct finder finder = {
		        .events = events,
		        .start_ns = COLUMN(events, start_ns, const int64_t),
		        .end_ns = COLUMN(events, end_ns, const int64_t),
		        .traits = COLUMN(events, traits, const uint32_t),
		        .fields = facts_alternatives(events, events->link_fields, events->link_field_count),
		        .operators = facts_alternatives(events, events->operator_fields, events->operator_field_count),
		        .is_none = facts_no_numbers(events),
		};
		tav_status status = find_links(&finder, &facts->links_arena, causes);
		for (uint32_t i = 0; i < finder.fields.count; i++)
			free(finder.links[i]);
		if (status)
			return cause_add(causes, "cannot link the device events of %s to their launches", events->path);
		facts->links = finder.list;
	}
	*out = facts->links;
	return TAV_OK;
}
