/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each device event is attributed once: to the innermost operator around its launch, else to the operator whose number
 * it bears, else to the call that launched it, else to nobody. So direct times sum to the device's summed time.
 */
#include "operators.h"

#include "operator_pages.h"

int64_t length_of(const struct look *look, uint32_t place)
{
	tav_row row = row_of(look, place);
	int64_t from = look->start[row] > look->from ? look->start[row] : look->from;
	int64_t to = look->end[row] < look->to ? look->end[row] : look->to;

	return to > from ? span_ns(from, to) : 0;
}

/* ---- To whom an event belongs ---------------------------------------------------------------------------------------
 */
struct by_id {
	tav_row *shortest; /* by value id */
	uint32_t size;
};

/* Of each operator number the shortest operator that bears it (then the first). */
static tav_status operators_by_id(const struct operators *all, const uint32_t *ids, struct by_id *by)
{
	const struct look *look = &all->look;
	tav_row rows = look->about->row_count;

	*by = (struct by_id){0};
	for (tav_row row = 0; row < rows; row++)
		by->size = ids[row] >= by->size ? ids[row] + 1 : by->size;
	by->shortest = take(all->self, (uint64_t)by->size + 1, sizeof(*by->shortest));
	if (!by->shortest)
		return TAV_FAILED;
	for (uint32_t i = 0; i < by->size; i++)
		by->shortest[i] = TAV_NONE;
	for (tav_row row = 0; row < rows; row++) {
		tav_row *best = &by->shortest[ids[row]];

		if (!ids[row] || !is_operator(look, row) || look->end[row] <= look->start[row])
			continue;
		if (*best == TAV_NONE ||
		    span_ns(look->start[row], look->end[row]) < span_ns(look->start[*best], look->end[*best]))
			*best = row;
	}
	return TAV_OK;
}

static tav_status take_ids(const struct operators *all, const uint32_t **ids, const uint32_t **link)
{
	*ids = all->self->host->column(all->self, 0, TAV_COL_OPERATOR);
	*link = all->self->host->column(all->self, 0, TAV_COL_LINK);
	return *ids && *link ? TAV_OK : tav_fail(all->self, "the numbers of operators were not read");
}

static tav_status attribute(struct operators *all)
{
	const struct look *look = &all->look;
	const struct tav_link_list *links = look->links;
	const uint32_t *ids = NULL, *link = NULL;
	struct by_id by = {0};
	bool is_by_id = false;

	for (uint64_t i = 0; i < links->count; i++) {
		tav_row row = links->rows[i];

		all->op_of[i] = links->operators[i];
		all->how[i] = HOW_CALL;
		if (all->op_of[i] != TAV_NONE)
			continue;
		all->how[i] = links->launch[i] == TAV_NONE ? HOW_NO_LAUNCH : HOW_OUTSIDE;
		/* Most traces need no numbers, and columns of them that nobody asks for are never made. */
		if (!ids && take_ids(all, &ids, &link))
			return TAV_FAILED;
		if (!ids[row] || ids[row] == link[row])
			continue;
		if (!is_by_id && operators_by_id(all, ids, &by))
			return TAV_FAILED;
		is_by_id = true;
		if (by.shortest[ids[row]] == TAV_NONE)
			continue;
		all->op_of[i] = by.shortest[ids[row]];
		all->how[i] = HOW_ID;
	}
	return TAV_OK;
}

/* ---- Rows of `operators`, and of `shapes` ---------------------------------------------------------------------------
 */
struct parting {
	struct operators *all;
	uint32_t *groups; /* by place: find_group() */
	uint64_t *at;     /* by group */
	uint32_t *sorted; /* places of one device, by group */
	int64_t *numbers;
	struct tav_map pairs; /* of dims and types */
	struct sums shapes;   /* by row of `operators`, number of the pair */
};

/* Operators by their name, then calls by theirs, then those without a launch. */
static uint32_t find_group(const struct operators *all, uint32_t place)
{
	const struct look *look = &all->look;

	if (all->op_of[place] != TAV_NONE)
		return look->label[all->op_of[place]];
	if (look->links->launch[place] != TAV_NONE)
		return look->label_count + look->label[look->links->launch[place]];
	return 2 * look->label_count;
}

static int by_operator(const void *context, uint32_t a, uint32_t b)
{
	const struct operators *all = context;

	return (all->op_of[a] > all->op_of[b]) - (all->op_of[a] < all->op_of[b]);
}

static uint32_t dims_of(const struct operators *all, tav_row row)
{
	return all->dims && all->dims[row] ? all->dims[row] : all->old_dims ? all->old_dims[row] : 0;
}

static tav_status add_shape(struct parting *parting, tav_row row, int64_t ns)
{
	const struct operators *all = parting->all;
	uint32_t types = all->types ? all->types[row] : 0;
	uint32_t pair = tav_map_number(&parting->pairs, (uint64_t)dims_of(all, row) << 32 | types);

	return pair == TAV_NONE ? TAV_FAILED : sums_add(&parting->shapes, all->op_count << 32 | pair, ns);
}

static tav_status add_op(struct parting *parting, uint32_t device, uint64_t group, uint32_t *places, uint64_t count)
{
	struct operators *all = parting->all;
	const struct look *look = &all->look;
	struct op op = {.device = device, .label = TAV_NONE, .kernels = count};

	if (group < look->label_count) {
		op.label = (uint32_t)group;
	} else if (group < 2 * (uint64_t)look->label_count) {
		op.label = (uint32_t)(group - look->label_count);
		op.is_call = 1;
	}
	if (sort_places(all->self, places, count, by_operator, all))
		return TAV_FAILED;
	for (uint64_t i = 0; i < count; i++) {
		int64_t ns = length_of(look, places[i]);

		op.device_ns = tav_sum(op.device_ns, ns);
		if (group >= look->label_count)
			continue;
		if (!i || all->op_of[places[i]] != all->op_of[places[i - 1]])
			parting->numbers[op.calls++] = 0;
		parting->numbers[op.calls - 1] = tav_sum(parting->numbers[op.calls - 1], ns);
		if (i + 1 == count || all->op_of[places[i]] != all->op_of[places[i + 1]])
			if (add_shape(parting, all->op_of[places[i]], parting->numbers[op.calls - 1]))
				return TAV_FAILED;
	}
	if (op.calls) {
		static const uint32_t percents[] = {50, 100};
		int64_t lengths[2];

		find_percentiles(parting->numbers, op.calls, percents, 2, lengths);
		op.p50 = lengths[0];
		op.max = lengths[1];
	}
	if (all->op_count == all->op_size) {
		uint64_t size = all->op_size ? 2 * all->op_size : 256;
		struct op *ops = take(all->self, size, sizeof(*ops));

		if (!ops)
			return TAV_FAILED;
		if (all->op_count)
			memcpy(ops, all->ops, all->op_count * sizeof(*ops));
		all->ops = ops;
		all->op_size = size;
	}
	all->ops[all->op_count++] = op;
	return TAV_OK;
}

static tav_status part_device(struct parting *parting, uint32_t device)
{
	struct operators *all = parting->all;
	const struct look *look = &all->look;
	uint64_t from = look->first[device], to = look->first[device + 1], count = 0;

	for (uint64_t i = from; i < to; i++) {
		uint32_t place = look->places[i];

		parting->groups[place] = find_group(all, place);
		parting->at[parting->groups[place]] = 0;
	}
	for (uint64_t i = from; i < to; i++) {
		uint32_t place = look->places[i];
		int64_t ns = length_of(look, place);

		if (!ns)
			continue;
		parting->at[parting->groups[place]]++;
		all->device_ns[device] = tav_sum(all->device_ns[device], ns);
		all->how_ns[all->how[place]] = tav_sum(all->how_ns[all->how[place]], ns);
		if (all->how[place] <= HOW_ID)
			all->attributed_ns[device] = tav_sum(all->attributed_ns[device], ns);
	}
	/* The size of a group becomes its first place; groups follow each other as they were first met. */
	for (uint64_t i = from; i < to; i++) {
		uint64_t *at = &parting->at[parting->groups[look->places[i]]];

		if (!length_of(look, look->places[i]) || *at >> 63)
			continue;
		count += *at;
		*at = (count - *at) | UINT64_C(1) << 63;
	}
	for (uint64_t i = from; i < to; i++)
		if (length_of(look, look->places[i]))
			parting->sorted[parting->at[parting->groups[look->places[i]]]++ & INT64_MAX] = look->places[i];
	for (uint64_t i = 0, next; i < count; i = next) {
		uint64_t group = parting->groups[parting->sorted[i]];

		next = parting->at[group] & INT64_MAX;
		if (add_op(parting, device, group, parting->sorted + i, next - i))
			return TAV_FAILED;
	}
	return TAV_OK;
}

static tav_status list_shapes(struct parting *parting)
{
	struct operators *all = parting->all;

	all->shape_count = parting->shapes.map.count;
	all->shapes = take(all->self, all->shape_count + 1, sizeof(*all->shapes));
	if (!all->shapes)
		return TAV_FAILED;
	for (uint64_t i = 0; i < all->shape_count; i++) {
		const struct sum *sum = &parting->shapes.items[i];
		uint64_t pair = parting->pairs.numbers[(uint32_t)sum->key];

		all->shapes[i] = (struct shape){(uint32_t)(sum->key >> 32), (uint32_t)(pair >> 32), (uint32_t)pair,
		                                sum->count, sum->total};
	}
	return TAV_OK;
}

static tav_status part(struct operators *all)
{
	struct parting parting = {.all = all};
	struct tav_self *self = all->self;
	uint64_t most = 0;

	if (all->look.label_count > UINT32_MAX / 2 - 1)
		return tav_fail(self, "too many labels: %u", all->look.label_count);
	for (uint32_t i = 0; i < all->look.device_count; i++) {
		uint64_t count = all->look.first[i + 1] - all->look.first[i];

		most = count > most ? count : most;
	}
	parting.at = take(self, 2 * (uint64_t)all->look.label_count + 1, sizeof(*parting.at));
	parting.groups = take(self, all->look.links->count + 1, sizeof(*parting.groups));
	parting.sorted = take(self, most + 1, sizeof(*parting.sorted));
	parting.numbers = take(self, most + 1, sizeof(*parting.numbers));
	if (!parting.at || !parting.groups || !parting.sorted || !parting.numbers)
		return TAV_FAILED;
	tav_map_init(&parting.pairs, self);
	sums_init(&parting.shapes, self);
	for (uint32_t i = 0; i < all->look.device_count; i++) {
		if (self->host->cancelled(self))
			return TAV_CANCELLED;
		if (part_device(&parting, i))
			return TAV_FAILED;
	}
	return list_shapes(&parting);
}

/* ---- Inclusive times
 * ------------------------------------------------------------------------------------------------- For a name: the
 * launches within the union of its operators on a thread; so an operator that calls itself counts once, and depth costs
 * nothing.
 */
struct launch {
	const struct operators *all;
	const uint32_t *places; /* of one device, by thread and start of the call */
	int64_t *before;        /* device time of those before */
	int64_t *until;         /* by label: where the union ends so far, of the thread `thread_of` */
	uint32_t *thread_of;
	int64_t *sums; /* by label */
};

static int64_t launched_at(const struct launch *launch, uint64_t i)
{
	const struct look *look = &launch->all->look;

	return look->start[look->links->launch[launch->places[i]]];
}

/* The first launch of [low, high) at `at` or later. */
static uint64_t first_launch(const struct launch *launch, uint64_t low, uint64_t high, int64_t at)
{
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (launched_at(launch, middle) < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void include_thread(struct launch *launch, const struct tav_order *order, uint64_t from, uint64_t to,
                           uint32_t stamp)
{
	const struct look *look = &launch->all->look;
	uint32_t track = look->track[look->links->launch[launch->places[from]]];

	for (uint64_t i = order->first[track]; i < order->first[track + 1] && from < to; i++) {
		tav_row row = order->rows[i];
		uint32_t label = look->label[row];
		int64_t start = look->start[row], end = look->end[row];
		uint64_t low, high;

		while (from < to && launched_at(launch, from) < start)
			from++;
		if (from == to || launched_at(launch, from) >= end || !is_operator(look, row))
			continue;
		if (launch->thread_of[label] == stamp && launch->until[label] > start)
			start = launch->until[label];
		if (end <= start)
			continue;
		launch->thread_of[label] = stamp;
		launch->until[label] = end;
		low = first_launch(launch, from, to, start);
		high = first_launch(launch, low, to, end);
		launch->sums[label] = tav_sum(launch->sums[label], launch->before[high] - launch->before[low]);
	}
}

/* An event whose operator is known by number alone. */
static void include_one(struct launch *launch, uint32_t place)
{
	const struct look *look = &launch->all->look;
	int64_t *sum = &launch->sums[look->label[launch->all->op_of[place]]];

	*sum = tav_sum(*sum, length_of(look, place));
}

static tav_status include(struct operators *all)
{
	const struct look *look = &all->look;
	struct tav_self *self = all->self;
	struct launch launch = {.all = all};
	const struct tav_order *order;
	uint32_t stamp = 0;
	uint64_t op = 0;

	launch.before = take(self, look->links->count + 1, sizeof(*launch.before));
	launch.until = take(self, (uint64_t)look->label_count + 1, sizeof(*launch.until));
	launch.thread_of = take(self, (uint64_t)look->label_count + 1, sizeof(*launch.thread_of));
	launch.sums = take(self, (uint64_t)look->label_count + 1, sizeof(*launch.sums));
	if (!launch.before || !launch.until || !launch.thread_of || !launch.sums ||
	    self->host->order(self, 0, 0, &order))
		return TAV_FAILED;
	for (uint32_t device = 0; device < look->device_count; device++) {
		uint64_t count = all->launches.counts[device];

		launch.places = all->launches.places + look->first[device];
		for (uint64_t i = 0; i < count; i++)
			launch.before[i + 1] = tav_sum(launch.before[i], length_of(look, launch.places[i]));
		for (uint64_t from = 0, to; from < count; from = to) {
			uint32_t track = look->track[look->links->launch[launch.places[from]]];

			for (to = from; to < count && look->track[look->links->launch[launch.places[to]]] == track;)
				to++;
			include_thread(&launch, order, from, to, ++stamp);
			if (self->host->cancelled(self))
				return TAV_CANCELLED;
		}
		for (uint64_t i = look->first[device]; i < look->first[device + 1]; i++)
			if (all->how[look->places[i]] == HOW_ID)
				include_one(&launch, look->places[i]);
		for (; op < all->op_count && all->ops[op].device == device; op++)
			if (all->ops[op].label != TAV_NONE && !all->ops[op].is_call)
				all->ops[op].inclusive_ns = launch.sums[all->ops[op].label];
		if (device + 1 < look->device_count)
			memset(launch.sums, 0, (size_t)look->label_count * sizeof(*launch.sums));
	}
	return TAV_OK;
}

/* ---- Lines of Python
 * ------------------------------------------------------------------------------------------------- */
struct python {
	const struct operators *all;
	uint8_t *labels; /* 1: a line of the user's; 2: not */
	uint32_t device;
	const uint32_t *places; /* of the device, by thread and start of the call */
	struct sums sums;       /* by device and label */
};

static bool text_has(struct tav_text text, const char *part)
{
	return memmem(text.data, text.size, part, strlen(part)) != NULL;
}

/* Under one of the user's roots; where there are none, neither torch nor an installed package. */
static bool is_own_line(const struct tav_value *roots, struct tav_text name)
{
	if (!text_has(name, ".py("))
		return false;
	for (uint64_t i = 0; i < roots->count; i++) {
		struct tav_text root = roots->items[i]->text;
		const char *at = name.data, *end = name.data + name.size;

		while (root.size && (at = memmem(at, (size_t)(end - at), root.data, root.size))) {
			if (at == name.data || at[-1] == '/' || root.data[0] == '/')
				return true;
			at++;
		}
	}
	return !roots->count && strncmp(name.data, "torch/", 6) != 0 && !text_has(name, "/site-packages/");
}

static bool is_line(void *user, tav_row row)
{
	struct python *python = user;
	const struct look *look = &python->all->look;
	uint8_t *label = &python->labels[look->label[row]];

	if (!(look->traits[row] & TAV_TRAIT_PYTHON) || look->end[row] <= look->start[row])
		return false;
	if (!*label)
		*label = is_own_line(python->all->self->options[OPS_OPT_ROOTS], name_of_row(look, row)) ? 1 : 2;
	return *label == 1;
}

static int64_t moment_of_launch(void *user, uint64_t i, uint32_t *track)
{
	const struct python *python = user;
	const struct look *look = &python->all->look;
	tav_row call = look->links->launch[python->places[i]];

	*track = look->track[call];
	return look->start[call];
}

static tav_status add_line(void *user, uint64_t i, tav_row line)
{
	struct python *python = user;
	const struct look *look = &python->all->look;
	int64_t ns = length_of(look, python->places[i]);

	if (line == TAV_NONE || !ns)
		return TAV_OK;
	return sums_add(&python->sums, (uint64_t)python->device << 32 | look->label[line], ns);
}

static tav_status find_lines(struct operators *all)
{
	const struct look *look = &all->look;
	struct tav_self *self = all->self;
	struct python python = {.all = all, .labels = take(self, (uint64_t)look->label_count + 1, 1)};
	const struct sums *sums = &python.sums;

	for (tav_row row = 0; row < look->about->row_count && !all->has_python; row++)
		all->has_python = look->traits[row] & TAV_TRAIT_PYTHON;
	if (!python.labels)
		return TAV_FAILED;
	if (!all->has_python)
		return TAV_OK;
	sums_init(&python.sums, self);
	for (python.device = 0; python.device < look->device_count; python.device++) {
		struct probes probes = {all->launches.counts[python.device], &python, moment_of_launch, is_line,
		                        add_line};

		python.places = all->launches.places + look->first[python.device];
		if (find_innermost(look, &probes))
			return TAV_FAILED;
	}
	all->line_count = sums->map.count;
	all->lines = take(self, all->line_count + 1, sizeof(*all->lines));
	if (!all->lines)
		return TAV_FAILED;
	for (uint64_t i = 0; i < all->line_count; i++)
		all->lines[i] = (struct line){(uint32_t)(sums->items[i].key >> 32), (uint32_t)sums->items[i].key,
		                              sums->items[i].count, sums->items[i].total};
	return TAV_OK;
}

/* ---- The stage
 * ------------------------------------------------------------------------------------------------------- */
/* A field of operators by row; NULL: no operator has it. */
static tav_status take_shapes(const struct look *look, uint32_t field, const uint32_t **out)
{
	const struct tav_host *host = look->self->host;
	const uint64_t *present = host->present(look->self, 0, TAV_COL_FIELDS + field);

	*out = NULL;
	TAV_FOR_BITS(row, present, look->about->row_count)
	{
		if (!is_operator(look, (tav_row)row))
			continue;
		*out = host->column(look->self, 0, TAV_COL_FIELDS + field);
		return *out ? TAV_OK : tav_fail(look->self, "the shapes of operators were not read");
	}
	return TAV_OK;
}

static tav_status each(struct tav_self *self)
{
	struct operators all = {.self = self};
	struct look *look = &all.look;
	tav_status status;

	if (has_too_many_devices(self, "attributed", &status))
		return status;
	if (look_at(look, self, self->options[OPS_OPT_WINDOW]))
		return TAV_FAILED;
	if (take_shapes(look, OPS_FIELD_DIMS, &all.dims) || take_shapes(look, OPS_FIELD_OLD_DIMS, &all.old_dims) ||
	    take_shapes(look, OPS_FIELD_TYPES, &all.types))
		return TAV_FAILED;
	all.has_shapes = all.dims || all.old_dims;
	all.op_of = take(self, look->links->count + 1, sizeof(*all.op_of));
	all.how = take(self, look->links->count + 1, sizeof(*all.how));
	all.device_ns = take(self, (uint64_t)look->device_count + 1, sizeof(*all.device_ns));
	all.attributed_ns = take(self, (uint64_t)look->device_count + 1, sizeof(*all.attributed_ns));
	if (!all.op_of || !all.how || !all.device_ns || !all.attributed_ns || look_launches(look, &all.launches))
		return TAV_FAILED;

	tav_status (*const parts[])(struct operators *) = {attribute,        part,         include, find_lines,
	                                                   operators_tables, operators_say};

	for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		status = parts[i](&all);
		if (status)
			return status;
	}
	return TAV_OK;
}

static const char *const sorts[] = {"device", "inclusive", "calls", NULL};
static const struct tav_option options[OPS_OPT_COUNT] = {
        [OPS_OPT_TOP] = {"top", TAV_TYPE_INT, 0, "20", "0", "1000000000", NULL,
                         "Rows of each table for each device at most; 0: all."},
        [OPS_OPT_SORT] = {"sort", TAV_TYPE_CHOICE, 0, "device", NULL, NULL, sorts,
                          "What puts operators in order: their own device time, that with all they call, or calls."},
        [OPS_OPT_ROOTS] = {"source_roots", TAV_TYPE_STRING, TAV_OPT_MANY, "[]", NULL, NULL, NULL,
                           "Folders whose Python files are yours; none: all but torch/ and installed packages."},
        [OPS_OPT_WINDOW] = {"window", TAV_TYPE_WINDOW, 0, NULL, NULL, NULL, NULL,
                            "Looks at a part of the trace alone, such as 10ms..25ms since its first event."},
};
static const struct tav_field fields[] = {
        [OPS_FIELD_DIMS] = {"args.Input Dims", TAV_TYPE_JSON, 0},
        [OPS_FIELD_OLD_DIMS] = {"args.Input dims", TAV_TYPE_JSON, 0},
        [OPS_FIELD_TYPES] = {"args.Input type", TAV_TYPE_JSON, 0},
};

const struct tav_stage operators_stage = {
        .struct_size = sizeof(operators_stage),
        .flags = TAV_STAGE_LINKS,
        .name = "operators",
        .summary = "Which operator, with which shapes, from which line of Python, costs device time",
        .help = "Each device event belongs to one operator: the innermost on the thread of its launch when that began, "
                "else the one whose number it bears, else to the call that launched it. Device time is a sum, so two "
                "streams at once count twice; for the time on the clock see wall-time. Inclusive times overlap.",
        .options = TAV_LIST(options),
        .fields = TAV_LIST(fields),
        .pages = TAV_LIST(pages),
        .each = each,
};
