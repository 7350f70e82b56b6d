/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sections 11, 16 and 17: what is worth a change, by the wall time that it takes alone: the most that a change can win.
 * Communication stands alone where no compute runs beside it, all other work where nothing does; an idle device is a
 * row of its own.
 */
#include <stdlib.h>

#include "triage.h"

/* ---- Shares and lists that both rule sets have --------------------------------------------------------- */

int candidate_compare(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	if (x->tie != y->tie)
		return x->tie > y->tie ? -1 : 1;
	return x->aggregate < y->aggregate ? -1 : x->aggregate > y->aggregate;
}

double share_of(const struct triage *triage, const struct device *device, const struct aggregate *aggregate)
{
	int64_t base = device->totals.kernel_time;

	if (triage->is_reference)
		base = device->phases[aggregate->phase].busy;
	return 100 * ratio(aggregate->total, base);
}

/* What nothing covers, or (so that a GEMM under an all-reduce is not hidden) no compute. */
int64_t exposed_time(const struct triage *triage, const struct aggregate *aggregate)
{
	return aggregate->total - (triage->is_reference ? aggregate->hidden : aggregate->by_compute);
}

/* Cheap kinds of work that are hidden already. */
tav_status list_hidden(struct analysis *analysis, const struct device *device, int32_t phase, struct candidate **list,
                       size_t *list_count)
{
	const struct triage *triage = analysis->triage;
	struct candidate *all = POOL_NEW(&analysis->pool, struct candidate, device->aggregate_count);
	size_t count = 0;

	if (!all)
		return no_memory(analysis->triage);
	for (size_t i = 0; i < device->aggregate_count; i++) {
		const struct aggregate *aggregate = &device->aggregates[i];
		enum kind kind = category_at(triage, aggregate)->kind;
		int64_t hidden = aggregate->total - exposed_time(triage, aggregate);

		if ((phase >= 0 && aggregate->phase != phase) || (kind != KIND_ELEMENTWISE && kind != KIND_MEMORY) ||
		    aggregate->total < triage->min_total || ratio(hidden, aggregate->total) < triage->min_hidden)
			continue;
		all[count++] = (struct candidate){
		        (uint32_t)i,
		        (double)hidden * (1 + (double)aggregate->by_compute / (double)(hidden > 1 ? hidden : 1)),
		        ratio(hidden, aggregate->total)};
	}
	if (count)
		qsort(all, count, sizeof(*all), candidate_compare);
	*list = all;
	*list_count = triage->candidates && count > triage->candidates ? triage->candidates : count;
	return TAV_OK;
}

/* ---- What can be won ----------------------------------------------------------------------------------- */

enum { FIRST_PERCENT = 5, SECOND_PERCENT = 1 }; /* of the window: what is worth P1, P2 */

static int64_t gain_of(const struct device *device, const struct aggregate *aggregate)
{
	int64_t gain = aggregate->exclusive;

	if (aggregate->work != TAV_KIND_COMMUNICATION)
		return gain;
	gain = aggregate->total - aggregate->by_compute;
	/* Collectives side by side count once. */
	return gain < device->totals.exposed_communication ? gain : device->totals.exposed_communication;
}

static const char *priority_of(int64_t gain, int64_t window)
{
	double percent = 100 * ratio(gain, window);

	return percent >= FIRST_PERCENT ? "P1" : percent >= SECOND_PERCENT ? "P2" : "P3";
}

const char *advice(enum kind kind)
{
	static const char *const words[KIND_COUNT] = {
	        [KIND_OTHER] = "inspect",       [KIND_ELEMENTWISE] = "try fusion",
	        [KIND_MEMORY] = "try fusion",   [KIND_COMMUNICATION] = "try overlap",
	        [KIND_COMPUTE] = "tune kernel",
	};

	return words[kind];
}

/* Idle time says something where nothing was left out and the times are to be believed. */
bool is_idle_known(const struct analysis *analysis)
{
	const struct triage *triage = analysis->triage;

	return triage->only_phase < 0 && !triage->only_step.size && !analysis->info->zero_time_count;
}

static tav_status list_gains(struct analysis *analysis, const struct device *device, struct candidate **list,
                             size_t *count, uint64_t *omitted)
{
	const struct triage *triage = analysis->triage;

	*count = 0;
	*list = POOL_NEW(&analysis->pool, struct candidate, device->aggregate_count);
	if (!*list)
		return no_memory(analysis->triage);
	for (size_t i = 0; i < device->aggregate_count; i++) {
		const struct aggregate *aggregate = &device->aggregates[i];
		int64_t gain = gain_of(device, aggregate);

		if (gain >= triage->min_total && 100 * ratio(gain, device->totals.busy) >= triage->min_share)
			(*list)[(*count)++] =
			        (struct candidate){(uint32_t)i, (double)gain, category_at(triage, aggregate)->weight};
	}
	if (*count)
		qsort(*list, *count, sizeof(**list), candidate_compare);
	if (triage->candidates && *count > triage->candidates) {
		*omitted += *count - triage->candidates;
		*count = triage->candidates;
	}
	return TAV_OK;
}

/* ---- The reason in words ------------------------------------------------------------------------------- */

/* " (120 of 305)", or nothing where it is all of them. */
static struct tav_text out_of(struct tav_self *self, uint64_t count, uint64_t all, const char *what)
{
	char some[TAV_COUNTED_SIZE], whole[TAV_COUNTED_SIZE];

	if (count >= all)
		return TEXT("");
	return text_format(self, " (%s of %s%s)", tav_counted(some, count, ""), tav_counted(whole, all, ""), what);
}

/* The operator and the line of Python that launched the kernel, as far as they are known. */
static struct tav_text origin(struct analysis *analysis, const struct located *located)
{
	const struct tav_text *scope = &located->scope, *op = &located->op;
	struct tav_self *self = analysis->triage->self;
	struct tav_text ops = out_of(self, located->op_count, located->kernels, "");
	struct tav_text scopes = out_of(self, located->scope_count, located->total, " looked at");

	if (!ops.data || !scopes.data)
		return (struct tav_text){NULL, 0};
	if (located->is_replayed)
		return TEXT(" Replayed from a graph; give `mapping=`.");
	if (scope->size && op->size)
		return text_format(self, " Launched by %.*s%s in %.*s%s.", (int)op->size, op->data, ops.data,
		                   (int)scope->size, scope->data, scopes.data);
	if (op->size)
		return text_format(self, " Launched by %.*s%s.", (int)op->size, op->data, ops.data);
	return TEXT("");
}

/*
 * What the stream shows of dependencies, where running beside other work is the advice. It never shows that there are
 * none: those of a collective cross streams.
 */
static struct tav_text obstacle(struct analysis *analysis, const struct aggregate *aggregate,
                                const struct neighbours *neighbours)
{
	static const char before[] = "follow closely on work that they may need";
	static const char after[] = "are closely followed by work that may need them";
	struct tav_self *self = analysis->triage->self;
	char all[TAV_COUNTED_SIZE], first[TAV_COUNTED_SIZE], second[TAV_COUNTED_SIZE];

	if (neighbours->risk != RISK_HIGH ||
	    (aggregate->work != TAV_KIND_COMMUNICATION && aggregate->work != TAV_KIND_COPY))
		return TEXT("");
	tav_counted(all, neighbours->looked, "");
	tav_counted(first, neighbours->before_count, "");
	tav_counted(second, neighbours->after_count, "");
	if (neighbours->before_count && neighbours->after_count)
		return text_format(self, " Of %s, %s %s, and %s %s.", all, first, before, second, after);
	return neighbours->before_count ? text_format(self, " Of %s, %s %s.", all, first, before)
	                                : text_format(self, " Of %s, %s %s.", all, second, after);
}

static struct tav_text suggest(struct analysis *analysis, const struct opportunity *row)
{
	static const char *const tries[KIND_COUNT] = {
	        [KIND_OTHER] = "See what it does and which stream it runs on",
	        [KIND_ELEMENTWISE] = "Fuse it with its neighbours",
	        [KIND_MEMORY] = "Avoid the copy, fuse it, or run it beside compute",
	        [KIND_COMMUNICATION] = "Start it earlier or run compute beside it",
	        [KIND_COMPUTE] = "A faster kernel or a better shape helps",
	};
	const struct aggregate *aggregate = row->aggregate;
	struct tav_text from = origin(analysis, &row->located),
	                before = obstacle(analysis, aggregate, &row->neighbours);
	const char *try = tries[category_at(analysis->triage, aggregate)->kind];
	double alone = 100 * ratio(row->gain, aggregate->total);

	if (!from.data || !before.data)
		return (struct tav_text){NULL, 0};
	if (row->device->stream_count < 2) /* all of it stands alone, which is told once */
		return text_format(analysis->triage->self, "%s.%s%s", try, before.data, from.data);
	return text_format(analysis->triage->self, "%.1f %% of its time is %s. %s.%s%s", alone,
	                   aggregate->work == TAV_KIND_COMMUNICATION ? "without compute beside it"
	                                                             : "with nothing beside it",
	                   try, before.data, from.data);
}

/* ---- The rows ------------------------------------------------------------------------------------------ */

static void add_idle(const struct analysis *analysis, const struct device *device, struct ranking *ranking)
{
	int64_t idle = device->totals.window - device->totals.busy;
	size_t place = ranking->count;

	if (!is_idle_known(analysis) || idle < analysis->triage->min_total ||
	    100 * ratio(idle, device->totals.window) < analysis->triage->min_share)
		return;
	for (; place && ranking->items[place - 1].gain < idle; place--)
		ranking->items[place] = ranking->items[place - 1];
	ranking->items[place] = (struct opportunity){
	        .device = device,
	        .verdict = "idle",
	        .recommendation = "find the cause",
	        .gain = idle,
	        .suggestion = idle_cause(analysis, device),
	};
	ranking->count++;
}

static tav_status improved_rank(struct analysis *analysis, struct analysis *mapping, struct device *device,
                                struct ranking *ranking)
{
	const struct triage *triage = analysis->triage;
	struct candidate *list;
	size_t count;

	if (list_hidden(analysis, device, -1, &list, &count))
		return TAV_FAILED;
	for (size_t i = 0; i < count; i++)
		ranking->hidden_rank[list[i].aggregate] = (uint32_t)i + 1;
	if (list_gains(analysis, device, &list, &count, &ranking->omitted))
		return TAV_FAILED;
	for (size_t i = 0; i < count; i++) {
		const struct aggregate *aggregate = &device->aggregates[list[i].aggregate];

		ranking->headroom_rank[list[i].aggregate] = (uint32_t)i + 1;
		ranking->items[ranking->count++] =
		        (struct opportunity){.device = device,
		                             .aggregate = aggregate,
		                             .verdict = "headroom",
		                             .recommendation = advice(category_at(triage, aggregate)->kind),
		                             .share = share_of(triage, device, aggregate),
		                             .gain = gain_of(device, aggregate)};
		if (locate(mapping, aggregate->phase, aggregate->name, &ranking->items[i].located))
			return TAV_FAILED;
	}
	if (count_neighbours(analysis, mapping, device, ranking->items, ranking->count))
		return TAV_FAILED;
	for (size_t i = 0; i < ranking->count; i++) {
		ranking->items[i].suggestion = suggest(analysis, &ranking->items[i]);
		if (!ranking->items[i].suggestion.data)
			return no_memory(analysis->triage);
	}
	add_idle(analysis, device, ranking);
	for (size_t i = 0; i < ranking->count; i++)
		ranking->items[i].priority = priority_of(ranking->items[i].gain, device->totals.window);
	if (triage->limit && ranking->count > triage->limit) {
		ranking->omitted += ranking->count - triage->limit;
		ranking->count = triage->limit;
	}
	return TAV_OK;
}

tav_status rank_device(struct analysis *analysis, struct analysis *mapping, struct device *device,
                       struct ranking *ranking)
{
	*ranking = (struct ranking){0};
	/* A name may stand in both lists, once in each; and one row is that of idle time. */
	ranking->items = POOL_NEW(&analysis->pool, struct opportunity, device->aggregate_count * 2 + 1);
	ranking->headroom_rank = POOL_NEW(&analysis->pool, uint32_t, device->aggregate_count);
	ranking->hidden_rank = POOL_NEW(&analysis->pool, uint32_t, device->aggregate_count);
	if (!ranking->items || !ranking->headroom_rank || !ranking->hidden_rank)
		return no_memory(analysis->triage);
	return analysis->triage->is_reference ? reference_rank(analysis, mapping, device, ranking)
	                                      : improved_rank(analysis, mapping, device, ranking);
}
