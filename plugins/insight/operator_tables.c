/* SPDX-License-Identifier: Apache-2.0 */
/* The tables, checks and sentences of operators. */
#include <tav/rank.h>

#include "operators.h"

struct tav_text op_name(const struct operators *all, const struct op *op, char out[NAME_SIZE])
{
	char name[NAME_SIZE];

	if (op->label == TAV_NONE)
		return (struct tav_text){"(no launch recorded)", 20};
	if (!op->is_call)
		return label_text(&all->look, op->label);
	snprintf(out, NAME_SIZE, "(%.*s)", NAME_SIZE - 3, name_phrase(name, label_text(&all->look, op->label)));
	return (struct tav_text){out, strlen(out)};
}

/* The same as text that outlives the caller. */
static struct tav_text kept_name(const struct operators *all, const struct op *op)
{
	char *out = op->is_call ? take(all->self, NAME_SIZE, 1) : NULL;

	if (op->is_call && !out)
		return (struct tav_text){"", 0};
	return op_name(all, op, out);
}

static int64_t sort_value(const struct operators *all, const struct op *op)
{
	switch (all->self->options[OPS_OPT_SORT]->integer) {
	case SORT_INCLUSIVE:
		return op->inclusive_ns;
	case SORT_CALLS:
		return (int64_t)op->calls;
	default:
		return op->device_ns;
	}
}

static int compare_names(const struct operators *all, const struct op *a, const struct op *b)
{
	char x[NAME_SIZE], y[NAME_SIZE];
	int order = tav_text_compare(op_name(all, a, x), op_name(all, b, y));

	return order ? order : (a->label > b->label) - (a->label < b->label);
}

static int by_value(const void *context, uint32_t a, uint32_t b)
{
	const struct operators *all = context;
	const struct op *x = &all->ops[a], *y = &all->ops[b];

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if (sort_value(all, x) != sort_value(all, y))
		return sort_value(all, x) > sort_value(all, y) ? -1 : 1;
	if (x->device_ns != y->device_ns)
		return x->device_ns > y->device_ns ? -1 : 1;
	return compare_names(all, x, y);
}

static int by_shape_time(const void *context, uint32_t a, uint32_t b)
{
	const struct operators *all = context;
	const struct shape *x = &all->shapes[a], *y = &all->shapes[b];
	int order;

	if (all->ops[x->op].device != all->ops[y->op].device)
		return all->ops[x->op].device < all->ops[y->op].device ? -1 : 1;
	if (x->device_ns != y->device_ns)
		return x->device_ns > y->device_ns ? -1 : 1;
	order = compare_names(all, &all->ops[x->op], &all->ops[y->op]);
	if (!order)
		order = (x->dims > y->dims) - (x->dims < y->dims);
	return order ? order : (x->types > y->types) - (x->types < y->types);
}

static int by_line_time(const void *context, uint32_t a, uint32_t b)
{
	const struct operators *all = context;
	const struct line *x = &all->lines[a], *y = &all->lines[b];

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if (x->device_ns != y->device_ns)
		return x->device_ns > y->device_ns ? -1 : 1;
	return tav_text_compare(label_text(&all->look, x->label), label_text(&all->look, y->label));
}

/* ---- The top rows of each device ------------------------------------------------------------------------------------
 */
struct chosen {
	uint32_t *items; /* in their order */
	uint64_t count, left_out;
};

static tav_status choose(const struct operators *all, uint64_t count, place_order order,
                         uint32_t (*device_of)(const struct operators *, uint32_t item), struct chosen *chosen)
{
	uint64_t top = (uint64_t)all->self->options[OPS_OPT_TOP]->integer, of_device = 0;
	uint32_t last = 0;

	*chosen = (struct chosen){.items = take(all->self, count + 1, sizeof(*chosen->items))};
	if (!chosen->items || count > UINT32_MAX)
		return TAV_FAILED;
	for (uint64_t i = 0; i < count; i++)
		chosen->items[i] = (uint32_t)i;
	if (sort_places(all->self, chosen->items, count, order, all))
		return TAV_FAILED;
	for (uint64_t i = 0; i < count; i++) {
		uint32_t device = device_of(all, chosen->items[i]);

		of_device = i && device == last ? of_device + 1 : 1;
		last = device;
		if (!top || of_device <= top)
			chosen->items[chosen->count++] = chosen->items[i];
	}
	chosen->left_out = count - chosen->count;
	return TAV_OK;
}

static uint32_t device_of_op(const struct operators *all, uint32_t item)
{
	return all->ops[item].device;
}

static uint32_t device_of_shape(const struct operators *all, uint32_t item)
{
	return all->ops[all->shapes[item].op].device;
}

static uint32_t device_of_line(const struct operators *all, uint32_t item)
{
	return all->lines[item].device;
}

static uint32_t add_device(struct tav_sheet *sheet, const struct operators *all)
{
	return tav_sheet_column(sheet, "device", TAV_TYPE_STRING, TAV_UNIT_NONE,
	                        all->look.device_count > 1 ? TAV_SHOW_KEY : TAV_SHOW_DETAIL);
}

static uint32_t add_int(struct tav_sheet *sheet, const char *name, uint32_t unit, uint32_t show)
{
	return tav_sheet_column(sheet, name, TAV_TYPE_INT, unit, show);
}

static tav_status table_of_operators(const struct operators *all)
{
	struct chosen chosen;
	struct tav_sheet sheet;

	if (choose(all, all->op_count, by_value, device_of_op, &chosen))
		return TAV_FAILED;
	tav_sheet_init(&sheet, all->self, chosen.count);

	uint32_t device = add_device(&sheet, all);
	uint32_t name = tav_sheet_column(&sheet, "operator", TAV_TYPE_STRING, 0, TAV_SHOW_KEY);
	uint32_t time = add_int(&sheet, "device_ns", TAV_UNIT_NS, 0);
	uint32_t share = tav_sheet_column(&sheet, "share", TAV_TYPE_REAL, TAV_UNIT_PERCENT, 0);
	uint32_t kernels = add_int(&sheet, "kernels", TAV_UNIT_COUNT, 0);
	uint32_t calls = add_int(&sheet, "calls", TAV_UNIT_COUNT, 0);
	uint32_t inclusive = add_int(&sheet, "inclusive_ns", TAV_UNIT_NS, 0);
	uint32_t p50 = add_int(&sheet, "p50_call_ns", TAV_UNIT_NS, TAV_SHOW_DETAIL);
	uint32_t max = add_int(&sheet, "max_call_ns", TAV_UNIT_NS, TAV_SHOW_DETAIL);

	for (uint64_t row = 0; row < chosen.count; row++) {
		const struct op *op = &all->ops[chosen.items[row]];

		tav_sheet_text(&sheet, device, row, all->look.devices[op->device]);
		tav_sheet_text(&sheet, name, row, kept_name(all, op));
		tav_sheet_int(&sheet, time, row, op->device_ns);
		tav_sheet_percent(&sheet, share, row, (uint64_t)op->device_ns, (uint64_t)all->device_ns[op->device]);
		tav_sheet_count(&sheet, kernels, row, op->kernels);
		tav_sheet_count(&sheet, calls, row, op->calls);
		if (!op->calls)
			continue;
		tav_sheet_int(&sheet, inclusive, row, op->inclusive_ns);
		tav_sheet_int(&sheet, p50, row, op->p50);
		tav_sheet_int(&sheet, max, row, op->max);
	}
	sheet.first_rows = 10;
	return tav_sheet_send(&sheet, 0, "operators",
	                      "Operators (device time: of what they launched themselves; share: of the device's summed "
	                      "time)",
	                      chosen.left_out);
}

/* JSON as it stands in the file, in one line: "[[1], []]", however the file lays it out. False: no memory. */
static bool in_one_line(struct tav_self *self, struct tav_text *json)
{
	char *line = take(self, 2 * json->size + 1, 1);
	size_t size = 0;
	bool is_string = false;

	for (size_t i = 0; line && i < json->size; i++) {
		char c = json->data[i];

		if (!is_string && strchr(" \t\r\n", c))
			continue;
		line[size++] = c;
		if (is_string && c == '\\' && i + 1 < json->size)
			line[size++] = json->data[++i];
		else if (c == '"')
			is_string = !is_string;
		else if (!is_string && c == ',')
			line[size++] = ' ';
	}
	*json = (struct tav_text){line, size};
	return line;
}

static tav_status table_of_shapes(const struct operators *all)
{
	const struct tav_host *host = all->self->host;
	struct chosen chosen;
	struct tav_sheet sheet;

	if (choose(all, all->shape_count, by_shape_time, device_of_shape, &chosen))
		return TAV_FAILED;
	tav_sheet_init(&sheet, all->self, chosen.count);

	uint32_t device = add_device(&sheet, all);
	uint32_t name = tav_sheet_column(&sheet, "operator", TAV_TYPE_STRING, 0, TAV_SHOW_KEY);
	uint32_t time = add_int(&sheet, "device_ns", TAV_UNIT_NS, 0),
	         calls = add_int(&sheet, "calls", TAV_UNIT_COUNT, 0);
	uint32_t mean = add_int(&sheet, "mean_call_ns", TAV_UNIT_NS, 0);
	uint32_t dims = tav_sheet_column(&sheet, "input_dims", TAV_TYPE_STRING, 0, TAV_SHOW_NOTE);
	uint32_t types = tav_sheet_column(&sheet, "input_type", TAV_TYPE_STRING, 0, TAV_SHOW_DETAIL);

	for (uint64_t row = 0; row < chosen.count; row++) {
		const struct shape *shape = &all->shapes[chosen.items[row]];
		const struct op *op = &all->ops[shape->op];
		uint64_t ns = (uint64_t)shape->device_ns;

		tav_sheet_text(&sheet, device, row, all->look.devices[op->device]);
		tav_sheet_text(&sheet, name, row, kept_name(all, op));
		tav_sheet_int(&sheet, time, row, shape->device_ns);
		tav_sheet_count(&sheet, calls, row, shape->calls);
		tav_sheet_count(&sheet, mean, row, tav_mean(ns, shape->calls));
		struct tav_text said[] = {host->value(all->self, 0, shape->dims),
		                          host->value(all->self, 0, shape->types)};
		if (!in_one_line(all->self, &said[0]) || !in_one_line(all->self, &said[1]))
			return TAV_FAILED;
		if (shape->dims)
			tav_sheet_text(&sheet, dims, row, said[0]);
		if (shape->types)
			tav_sheet_text(&sheet, types, row, said[1]);
	}
	sheet.first_rows = 5;
	return tav_sheet_send(&sheet, 0, "shapes", "Operators by the shapes of their inputs", chosen.left_out);
}

static tav_status table_of_lines(const struct operators *all)
{
	struct chosen chosen;
	struct tav_sheet sheet;

	if (choose(all, all->line_count, by_line_time, device_of_line, &chosen))
		return TAV_FAILED;
	tav_sheet_init(&sheet, all->self, chosen.count);

	uint32_t device = add_device(&sheet, all);
	uint32_t name = tav_sheet_column(&sheet, "line", TAV_TYPE_STRING, 0, TAV_SHOW_KEY);
	uint32_t time = add_int(&sheet, "device_ns", TAV_UNIT_NS, 0);
	uint32_t share = tav_sheet_column(&sheet, "share", TAV_TYPE_REAL, TAV_UNIT_PERCENT, 0);
	uint32_t kernels = add_int(&sheet, "kernels", TAV_UNIT_COUNT, 0);

	for (uint64_t row = 0; row < chosen.count; row++) {
		const struct line *line = &all->lines[chosen.items[row]];

		tav_sheet_text(&sheet, device, row, all->look.devices[line->device]);
		tav_sheet_text(&sheet, name, row, label_text(&all->look, line->label));
		tav_sheet_int(&sheet, time, row, line->device_ns);
		tav_sheet_percent(&sheet, share, row, (uint64_t)line->device_ns,
		                  (uint64_t)all->device_ns[line->device]);
		tav_sheet_count(&sheet, kernels, row, line->kernels);
	}
	sheet.first_rows = 5;
	return tav_sheet_send(
	        &sheet, 0, "lines",
	        "Python functions, the innermost one around the launch (share: of the device's summed time)",
	        chosen.left_out);
}

tav_status operators_tables(struct operators *all)
{
	if (!all->op_count)
		return TAV_OK;
	if (table_of_operators(all) || (all->has_shapes && table_of_shapes(all)) ||
	    (all->line_count && table_of_lines(all)))
		return TAV_FAILED;
	return TAV_OK;
}

/* ---- What is said
 * ---------------------------------------------------------------------------------------------------- */
/* Of a device: the operator, or (is_call) the call outside any, that costs most. */
static const struct op *most_of(const struct operators *all, uint32_t device, bool is_call)
{
	const struct op *best = NULL;

	for (uint64_t i = 0; i < all->op_count; i++) {
		const struct op *op = &all->ops[i];
		bool is_other = op->is_call || op->label == TAV_NONE;

		if (op->device == device && is_other == is_call &&
		    (!best || op->device_ns > best->device_ns ||
		     (op->device_ns == best->device_ns && compare_names(all, op, best) < 0)))
			best = op;
	}
	return best;
}

static bool is_attributed(const struct operators *all, uint32_t device)
{
	return (wide)all->attributed_ns[device] * 2 >= all->device_ns[device];
}

static void why_not(const struct operators *all, uint32_t device, struct tav_sentence *phrase)
{
	const struct op *op = most_of(all, device, true);
	char share[TAV_SHARE_SIZE], name[NAME_SIZE], out[NAME_SIZE];

	tav_say(phrase, "%s of its time",
	        tav_share(share, all->device_ns[device] - all->attributed_ns[device], all->device_ns[device]));
	if (!op || op->label == TAV_NONE)
		tav_say(phrase, " has no launch recorded");
	else
		tav_say(phrase, " was launched outside any operator, most by %s",
		        name_phrase(name, op_name(all, op, out)));
	if (op && op->label != TAV_NONE &&
	    all->self->host->label_call(all->self, 0, op->label) == TAV_CALL_GRAPH_LAUNCH)
		tav_say(phrase, "; a graph's kernels come from operators at its capture: see the option mapping of "
		                "overlap-triage");
}

static tav_status say_device(const struct operators *all, uint32_t device)
{
	const struct op *op = most_of(all, device, false);
	char text[1000] = "";
	struct tav_sentence phrase = {text, sizeof(text), 0};
	char share[TAV_SHARE_SIZE], time[TAV_DURATION_SIZE], whole[TAV_DURATION_SIZE], name[NAME_SIZE];
	char calls[TAV_COUNTED_SIZE], kernels[TAV_COUNTED_SIZE];

	tav_say(&phrase, "device %s: ", name_phrase(name, all->look.devices[device]));
	if (!is_attributed(all, device) || !op) {
		tav_say(&phrase, "which operator costs device time cannot be told: ");
		why_not(all, device, &phrase);
	} else {
		tav_say(&phrase, "%s takes %s of the device time (%s of %s, %s, %s)",
		        name_phrase(name, label_text(&all->look, op->label)),
		        tav_share(share, op->device_ns, all->device_ns[device]), tav_duration(time, op->device_ns),
		        tav_duration(whole, all->device_ns[device]), tav_counted(calls, op->calls, "call"),
		        tav_counted(kernels, op->kernels, "kernel"));
	}
	return all->self->host->headline(all->self, 0, text);
}

static tav_status tell(const struct operators *all)
{
	uint64_t bad = 0, events = 0, other = 0;
	char text[1000] = "";
	struct tav_sentence phrase = {text, sizeof(text), 0};
	char a[TAV_COUNTED_SIZE], b[TAV_COUNTED_SIZE];

	for (uint64_t i = 0; i < all->op_count; i++) {
		events += all->ops[i].kernels;
		other += all->ops[i].calls ? 0 : all->ops[i].kernels;
	}
	for (uint32_t i = 0; i < all->look.device_count; i++)
		if (all->device_ns[i] && !is_attributed(all, i) && !bad++)
			why_not(all, i, &phrase);
	if (bad)
		return tav_tell(all->self, 0, "attributed", TAV_RESULT_SKIP, other, events,
		                "cannot tell which operator costs device time: %s", text);
	return tav_tell(all->self, 0, "attributed", TAV_RESULT_PASS, other, events, "%s of %s belong to an operator",
	                tav_counted(a, events - other, ""), tav_counted(b, events, "device event"));
}

tav_status operators_say(struct operators *all)
{
	static const char *const ids[HOW_COUNT] = {"by_call_ns", "by_id_ns", "outside_ns", "no_launch_ns"};
	struct tav_self *self = all->self;
	uint64_t devices = 0;
	int64_t sum = 0, of_ops = 0;

	for (uint32_t i = 0; i < all->look.device_count; i++)
		devices += all->device_ns[i] > 0;
	if (!devices)
		return tav_tell(self, 0, "attributed", TAV_RESULT_SKIP, 0, 0,
		                "cannot tell: no device event with a length");
	if (tell(all))
		return TAV_FAILED;
	if (!all->has_shapes && tav_tell(self, 0, "shapes", TAV_RESULT_SKIP, 0, 0,
	                                 "cannot tell: no operator says the shapes of its inputs; profile with "
	                                 "record_shapes=True"))
		return TAV_FAILED;
	if (!all->has_python && tav_tell(self, 0, "lines", TAV_RESULT_SKIP, 0, 0,
	                                 "cannot tell: no Python function is recorded; profile with with_stack=True"))
		return TAV_FAILED;
	for (unsigned how = 0; how < HOW_COUNT; how++) {
		sum = tav_sum(sum, all->how_ns[how]);
		if (tav_measure(self, 0, ids[how], all->how_ns[how], TAV_UNIT_NS, TAV_BETTER_UNKNOWN))
			return TAV_FAILED;
	}
	for (uint64_t i = 0; i < all->op_count; i++)
		of_ops = tav_sum(of_ops, all->ops[i].device_ns);
	if (sum != of_ops)
		return tav_fail(self, "a fault of this stage: operators do not add up to the device time");
	for (uint32_t i = 0; i < all->look.device_count; i++)
		if (all->device_ns[i] && say_device(all, i))
			return TAV_FAILED;
	return TAV_OK;
}
