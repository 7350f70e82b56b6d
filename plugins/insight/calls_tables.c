/* SPDX-License-Identifier: Apache-2.0 */
/* What is told of the collectives of one source. */
#include "collectives.h"

/* The table that combine() reads: one row a collective, as columns, so that 10^5 rows cost 10 MB. */
static tav_status table_of_calls(const struct calls *calls)
{
	const struct look *look = &calls->look;
	const struct tav_host *host = calls->self->host;
	struct tav_sheet sheet;

	tav_sheet_init(&sheet, calls->self, calls->count);
	sheet.show = TAV_SHOW_DATA;

	uint32_t device = tav_sheet_column(&sheet, "device", TAV_TYPE_STRING, 0, 0);
	uint32_t group = tav_sheet_column(&sheet, "group", TAV_TYPE_STRING, 0, 0);
	uint32_t ranks = tav_sheet_column(&sheet, "ranks", TAV_TYPE_STRING, 0, 0);
	uint32_t type = tav_sheet_column(&sheet, "type", TAV_TYPE_STRING, 0, 0);
	uint32_t name = tav_sheet_column(&sheet, "name", TAV_TYPE_STRING, 0, 0);
	uint32_t seq = tav_sheet_column(&sheet, "seq", TAV_TYPE_INT, 0, 0);
	uint32_t bytes = tav_sheet_column(&sheet, "bytes", TAV_TYPE_INT, TAV_UNIT_BYTES, 0);
	uint32_t dtype = tav_sheet_column(&sheet, "dtype", TAV_TYPE_STRING, 0, 0);
	uint32_t size = tav_sheet_column(&sheet, "size", TAV_TYPE_INT, TAV_UNIT_COUNT, 0);
	uint32_t start = tav_sheet_column(&sheet, "start_ns", TAV_TYPE_INT, TAV_UNIT_NS, 0);
	uint32_t end = tav_sheet_column(&sheet, "end_ns", TAV_TYPE_INT, TAV_UNIT_NS, 0);
	uint32_t launch = tav_sheet_column(&sheet, "launch_ns", TAV_TYPE_INT, TAV_UNIT_NS, 0);
	uint32_t exposed = tav_sheet_column(&sheet, "exposed_ns", TAV_TYPE_INT, TAV_UNIT_NS, 0);
	uint32_t metadata = tav_sheet_column(&sheet, "has_metadata", TAV_TYPE_INT, 0, 0);

	for (uint64_t i = 0; i < calls->count; i++) {
		const struct call *call = &calls->items[i];
		tav_row row = row_of(look, call->place), by = look->links->launch[call->place];

		tav_sheet_text(&sheet, device, i, look->devices[call->device]);
		if (call->group)
			tav_sheet_text(&sheet, group, i, host->value(calls->self, 0, call->group));
		if (call->ranks)
			tav_sheet_text(&sheet, ranks, i, host->value(calls->self, 0, call->ranks));
		tav_sheet_chars(&sheet, type, i, type_names[call->type]);
		tav_sheet_text(&sheet, name, i, call->name);
		tav_sheet_int(&sheet, seq, i, call->seq);
		if (call->bytes >= 0)
			tav_sheet_int(&sheet, bytes, i, call->bytes);
		if (call->dtype)
			tav_sheet_text(&sheet, dtype, i, host->value(calls->self, 0, call->dtype));
		if (call->size >= 0)
			tav_sheet_int(&sheet, size, i, call->size);
		tav_sheet_int(&sheet, start, i, look->start[row]);
		tav_sheet_int(&sheet, end, i, look->end[row]);
		if (by != TAV_NONE)
			tav_sheet_int(&sheet, launch, i, look->start[by]);
		tav_sheet_int(&sheet, exposed, i, call->exposed_ns);
		tav_sheet_int(&sheet, metadata, i, call->has_metadata);
	}
	return tav_sheet_send(&sheet, 0, "calls", "Collectives, for the comparison of ranks", 0);
}

/* ---- types
 * ------------------------------------------------------------------------------------------------------------ */
struct kind {
	uint64_t first, count;                              /* in the sorted list */
	int64_t total_ns, exposed_ns, min, p50, max, bytes; /* bytes -1: not of all */
	bool has_rate;
};
struct kinds {
	const struct calls *calls;
	uint32_t *sorted;
	struct kind *items;
	uint64_t count;
};

static int by_kind(const void *context, uint32_t a, uint32_t b)
{
	const struct calls *calls = context;
	const struct call *x = &calls->items[a], *y = &calls->items[b];

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return (x->size > y->size) - (x->size < y->size);
}

static int by_time(const void *context, uint32_t a, uint32_t b)
{
	const struct kinds *kinds = context;
	const struct kind *x = &kinds->items[a], *y = &kinds->items[b];
	uint32_t of_x = kinds->calls->items[kinds->sorted[x->first]].device;
	uint32_t of_y = kinds->calls->items[kinds->sorted[y->first]].device;

	if (of_x != of_y)
		return of_x < of_y ? -1 : 1;
	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

static void fill_kind(const struct calls *calls, const uint32_t *sorted, struct kind *kind, int64_t *numbers)
{
	static const uint32_t percents[] = {0, 50, 100};
	int64_t lengths[3];

	kind->has_rate = true;
	for (uint64_t i = 0; i < kind->count; i++) {
		const struct call *call = &calls->items[sorted[kind->first + i]];

		numbers[i] = call_ns(calls, call);
		kind->total_ns = tav_sum(kind->total_ns, numbers[i]);
		kind->exposed_ns = tav_sum(kind->exposed_ns, call->exposed_ns);
		kind->has_rate &= call->bytes >= 0 && !call->is_split;
		kind->bytes = call->bytes < 0 || kind->bytes < 0 ? -1 : tav_sum(kind->bytes, call->bytes);
	}
	find_percentiles(numbers, kind->count, percents, 3, lengths);
	kind->min = lengths[0];
	kind->p50 = lengths[1];
	kind->max = lengths[2];
}

static tav_status find_kinds(const struct calls *calls, struct kinds *kinds)
{
	int64_t *numbers = take(calls->self, calls->count + 1, sizeof(*numbers));

	*kinds = (struct kinds){.calls = calls};
	kinds->sorted = take(calls->self, calls->count + 1, sizeof(*kinds->sorted));
	kinds->items = take(calls->self, calls->count + 1, sizeof(*kinds->items));
	if (!numbers || !kinds->sorted || !kinds->items)
		return TAV_FAILED;
	for (uint64_t i = 0; i < calls->count; i++)
		kinds->sorted[i] = (uint32_t)i;
	if (sort_places(calls->self, kinds->sorted, calls->count, by_kind, calls))
		return TAV_FAILED;
	for (uint64_t from = 0, to; from < calls->count; from = to) {
		struct kind *kind = &kinds->items[kinds->count++];

		for (to = from; to < calls->count && !by_kind(calls, kinds->sorted[from], kinds->sorted[to]);)
			to++;
		kind->first = from;
		kind->count = to - from;
		fill_kind(calls, kinds->sorted, kind, numbers);
	}
	return TAV_OK;
}

/* How often each byte crosses a link of the ring: what nccl-tests calls bus bandwidth. 0: not known. */
static double bus_factor(enum type type, int64_t size)
{
	if (size < 2)
		return 0;
	switch (type) {
	case TYPE_ALLREDUCE:
		return 2 * (double)(size - 1) / (double)size;
	case TYPE_ALLGATHER:
	case TYPE_REDUCESCATTER:
	case TYPE_ALLTOALL:
		return (double)(size - 1) / (double)size;
	case TYPE_BROADCAST:
	case TYPE_REDUCE:
	case TYPE_SENDRECV:
		return 1;
	default:
		return 0;
	}
}

static tav_status table_of_types(const struct kinds *kinds)
{
	const struct calls *calls = kinds->calls;
	struct tav_self *self = calls->self;
	uint64_t rows = kinds->count;
	uint32_t *order = take(self, kinds->count + 1, sizeof(*order));
	struct tav_sheet sheet;

	if (!order)
		return TAV_FAILED;
	for (uint64_t i = 0; i < kinds->count; i++)
		order[i] = (uint32_t)i;
	if (sort_places(self, order, kinds->count, by_time, kinds))
		return TAV_FAILED;
	tav_sheet_init(&sheet, self, rows);

	uint32_t device = tav_sheet_column(&sheet, "device", TAV_TYPE_STRING, 0,
	                                   calls->look.device_count > 1 ? TAV_SHOW_KEY : TAV_SHOW_DETAIL);
	uint32_t type = tav_sheet_column(&sheet, "type", TAV_TYPE_STRING, 0, TAV_SHOW_KEY);
	uint32_t group = tav_sheet_column(&sheet, "group", TAV_TYPE_STRING, 0, TAV_SHOW_COLUMN);
	uint32_t size = tav_sheet_column(&sheet, "size", TAV_TYPE_INT, TAV_UNIT_COUNT, 0);
	uint32_t count = tav_sheet_column(&sheet, "count", TAV_TYPE_INT, TAV_UNIT_COUNT, 0);
	uint32_t total = tav_sheet_column(&sheet, "total_ns", TAV_TYPE_INT, TAV_UNIT_NS, 0);
	uint32_t exposed = tav_sheet_column(&sheet, "exposed_ns", TAV_TYPE_INT, TAV_UNIT_NS, 0);
	uint32_t min = tav_sheet_column(&sheet, "min_ns", TAV_TYPE_INT, TAV_UNIT_NS, TAV_SHOW_DETAIL);
	uint32_t p50 = tav_sheet_column(&sheet, "p50_ns", TAV_TYPE_INT, TAV_UNIT_NS, 0);
	uint32_t max = tav_sheet_column(&sheet, "max_ns", TAV_TYPE_INT, TAV_UNIT_NS, 0);
	uint32_t bytes = tav_sheet_column(&sheet, "bytes", TAV_TYPE_INT, TAV_UNIT_BYTES, 0);
	uint32_t alg = tav_sheet_column(&sheet, "alg_gb_per_s", TAV_TYPE_REAL, 0, TAV_SHOW_DETAIL);
	uint32_t bus = tav_sheet_column(&sheet, "bus_gb_per_s", TAV_TYPE_REAL, 0, 0);

	for (uint64_t i = 0; i < rows; i++) {
		const struct kind *kind = &kinds->items[order[i]];
		const struct call *call = &calls->items[kinds->sorted[kind->first]];
		double factor = bus_factor(call->type, call->size);

		tav_sheet_text(&sheet, device, i, calls->look.devices[call->device]);
		tav_sheet_chars(&sheet, type, i, type_names[call->type]);
		if (call->group)
			tav_sheet_text(&sheet, group, i, self->host->value(self, 0, call->group));
		if (call->size >= 0)
			tav_sheet_int(&sheet, size, i, call->size);
		tav_sheet_count(&sheet, count, i, kind->count);
		tav_sheet_int(&sheet, total, i, kind->total_ns);
		tav_sheet_int(&sheet, exposed, i, kind->exposed_ns);
		tav_sheet_int(&sheet, min, i, kind->min);
		tav_sheet_int(&sheet, p50, i, kind->p50);
		tav_sheet_int(&sheet, max, i, kind->max);
		if (kind->bytes >= 0)
			tav_sheet_int(&sheet, bytes, i, kind->bytes);
		if (!kind->has_rate)
			continue;
		tav_sheet_real(&sheet, alg, i, (double)kind->bytes / (double)kind->total_ns);
		if (factor > 0)
			tav_sheet_real(&sheet, bus, i, (double)kind->bytes / (double)kind->total_ns * factor);
	}
	return tav_sheet_send(
	        &sheet, 0, "types",
	        "Collectives by type and group (GB/s: at least, since the time includes waiting for others)", 0);
}

tav_status calls_tables(struct calls *calls)
{
	struct kinds kinds;

	if (!calls->count)
		return TAV_OK;
	if (find_kinds(calls, &kinds) || table_of_types(&kinds))
		return TAV_FAILED;
	if (calls->count > (uint64_t)calls->self->options[COLL_OPT_MAX_CALLS]->integer)
		return TAV_OK;
	return table_of_calls(calls);
}

/* ---- What is said
 * ------------------------------------------------------------------------------------------------------ */
static tav_status say_device(const struct calls *calls, uint32_t device)
{
	int64_t total = 0, exposed = 0, of_type[TYPE_COUNT] = {0};
	uint64_t count = 0;
	unsigned most = 0;
	char name[NAME_SIZE], a[TAV_DURATION_SIZE], b[TAV_DURATION_SIZE], c[TAV_DURATION_SIZE], n[TAV_COUNTED_SIZE];

	for (uint64_t i = 0; i < calls->count; i++) {
		const struct call *call = &calls->items[i];

		if (call->device != device)
			continue;
		count++;
		total = tav_sum(total, call_ns(calls, call));
		exposed = tav_sum(exposed, call->exposed_ns);
		of_type[call->type] = tav_sum(of_type[call->type], call_ns(calls, call));
	}
	for (unsigned type = 0; type < TYPE_COUNT; type++)
		most = of_type[type] > of_type[most] ? type : most;
	if (!count)
		return TAV_OK;
	return tav_headline(calls->self, 0,
	                    "device %s: %s of %s in all, %s of it not hidden by compute; most of it %s%s (%s)",
	                    name_phrase(name, calls->look.devices[device]), tav_counted(n, count, "collective"),
	                    tav_duration(a, total), tav_duration(b, exposed), type_names[most],
	                    most == TYPE_UNKNOWN ? " type" : "", tav_duration(c, of_type[most]));
}

/* What the file's times count from, which says whether two files share a clock; all digits or nothing. */
static tav_status say_base(const struct calls *calls)
{
	struct tav_text text = calls->self->host->metadata(calls->self, 0, "baseTimeNanoseconds");
	int64_t base = 0;

	for (size_t i = 0; i < text.size; i++)
		if (text.data[i] < '0' || text.data[i] > '9' || __builtin_mul_overflow(base, 10, &base) ||
		    __builtin_add_overflow(base, text.data[i] - '0', &base))
			return TAV_OK;
	return text.size ? tav_measure(calls->self, 0, "base_time_ns", base, TAV_UNIT_NS, TAV_BETTER_UNKNOWN) : TAV_OK;
}

tav_status calls_say(struct calls *calls)
{
	struct tav_self *self = calls->self;
	uint64_t most = (uint64_t)self->options[COLL_OPT_MAX_CALLS]->integer, bare = 0;
	int64_t total = 0, exposed = 0;
	char a[TAV_COUNTED_SIZE], b[TAV_COUNTED_SIZE];

	if (!calls->count)
		return TAV_OK;
	if (say_base(calls))
		return TAV_FAILED;
	for (uint64_t i = 0; i < calls->count; i++) {
		bare += calls->items[i].bytes < 0;
		total = tav_sum(total, call_ns(calls, &calls->items[i]));
		exposed = tav_sum(exposed, calls->items[i].exposed_ns);
	}
	if (tav_measure(self, 0, "collectives", (int64_t)calls->count, TAV_UNIT_COUNT, TAV_BETTER_UNKNOWN) ||
	    tav_measure(self, 0, "collective_ns", total, TAV_UNIT_NS, TAV_BETTER_LOWER) ||
	    tav_measure(self, 0, "exposed_collective_ns", exposed, TAV_UNIT_NS, TAV_BETTER_LOWER))
		return TAV_FAILED;
	if (calls->count > most) {
		if (tav_tell(self, 0, "calls", TAV_RESULT_SKIP, 0, calls->count,
		             "cannot tell: %s, more than max_calls (%s) allows to be kept for the comparison of ranks",
		             tav_counted(a, calls->count, "collective"), tav_counted(b, most, "")))
			return TAV_FAILED;
	} else if (tav_tell(self, 0, "calls", TAV_RESULT_PASS, bare, calls->count,
	                    bare ? "%s, %s without a recorded size: for these no bandwidth can be told"
	                         : "%s, all with a recorded size",
	                    tav_counted(a, calls->count, "collective"), tav_counted(b, bare, ""))) {
		return TAV_FAILED;
	}
	for (uint32_t device = 0; device < calls->look.device_count; device++)
		if (say_device(calls, device))
			return TAV_FAILED;
	return TAV_OK;
}
