/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of wall-time. */
#include "wall.h"

enum { COUNT = TAV_UNIT_COUNT, NS = TAV_UNIT_NS };

static uint32_t add_key(struct tav_sheet *sheet, const char *name)
{
	return tav_sheet_column(sheet, name, TAV_TYPE_STRING, TAV_UNIT_NONE, TAV_SHOW_KEY);
}

static uint32_t add_device(struct tav_sheet *sheet, const struct wall *wall)
{
	return tav_sheet_column(sheet, "device", TAV_TYPE_STRING, TAV_UNIT_NONE,
	                        wall->look.device_count > 1 ? TAV_SHOW_KEY : TAV_SHOW_DETAIL);
}

static uint32_t add_int(struct tav_sheet *sheet, const char *name, uint32_t unit, uint32_t show)
{
	return tav_sheet_column(sheet, name, TAV_TYPE_INT, unit, show);
}

static uint32_t add_share(struct tav_sheet *sheet, const char *name)
{
	return tav_sheet_column(sheet, name, TAV_TYPE_REAL, TAV_UNIT_PERCENT, TAV_SHOW_COLUMN);
}

static uint64_t count_devices(const struct wall *wall)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < wall->look.device_count; i++)
		count += wall->devices[i].is_there && !wall->devices[i].no_window;
	return count;
}

static bool is_shown(const struct wall *wall, uint32_t device)
{
	return wall->devices[device].is_there && !wall->devices[device].no_window;
}

/* ---- devices --------------------------------------------------------------------------------------------------------
 */
static tav_status table_of_devices(const struct wall *wall)
{
	const struct look *look = &wall->look;
	struct tav_sheet sheet;
	uint64_t row = 0;

	tav_sheet_init(&sheet, wall->self, count_devices(wall));

	uint32_t device = add_key(&sheet, "device"), window = add_int(&sheet, "window_ns", NS, 0);
	uint32_t compute = add_int(&sheet, "compute_ns", NS, 0);
	uint32_t communication = add_int(&sheet, "exposed_communication_ns", NS, 0);
	uint32_t copies = add_int(&sheet, "exposed_copies_ns", NS, 0), idle = add_int(&sheet, "idle_ns", NS, 0);
	uint32_t idle_share = add_share(&sheet, "idle_share"), busy = add_int(&sheet, "busy_ns", NS, TAV_SHOW_DETAIL);
	uint32_t all_communication = add_int(&sheet, "communication_ns", NS, TAV_SHOW_DETAIL);
	uint32_t all_copies = add_int(&sheet, "copies_ns", NS, TAV_SHOW_DETAIL);
	uint32_t gaps = add_int(&sheet, "gaps", COUNT, 0), events = add_int(&sheet, "events", COUNT, 0);
	uint32_t linked = add_int(&sheet, "linked", COUNT, TAV_SHOW_DETAIL);
	uint32_t begin = add_int(&sheet, "window_start_ns", NS, TAV_SHOW_DETAIL);
	uint32_t floor = add_int(&sheet, "delay_floor_ns", NS, TAV_SHOW_DETAIL);

	for (uint32_t i = 0; i < look->device_count; i++) {
		const struct wall_device *of = &wall->devices[i];
		const int64_t *running = of->parts.running;

		if (!is_shown(wall, i))
			continue;
		tav_sheet_text(&sheet, device, row, look->devices[i]);
		tav_sheet_int(&sheet, window, row, of->to - of->from);
		tav_sheet_int(&sheet, compute, row, parts_compute(&of->parts));
		tav_sheet_int(&sheet, communication, row, parts_exposed_communication(&of->parts));
		tav_sheet_int(&sheet, copies, row, parts_exposed_copies(&of->parts));
		tav_sheet_int(&sheet, idle, row, of->parts.idle);
		tav_sheet_percent(&sheet, idle_share, row, (uint64_t)of->parts.idle, (uint64_t)(of->to - of->from));
		tav_sheet_int(&sheet, busy, row, parts_busy(&of->parts));
		tav_sheet_int(&sheet, all_communication, row, running[2] + running[3] + running[6] + running[7]);
		tav_sheet_int(&sheet, all_copies, row, running[1] + running[3] + running[5] + running[7]);
		tav_sheet_count(&sheet, gaps, row, of->gap_count);
		tav_sheet_count(&sheet, events, row,
		                look->from == INT64_MIN && look->to == INT64_MAX ? look->event_counts[i] : of->events);
		tav_sheet_count(&sheet, linked, row, of->linked);
		tav_sheet_int(&sheet, begin, row, span_ns(look->about->first_ns, of->from));
		if (of->floor != INT64_MAX)
			tav_sheet_int(&sheet, floor, row, of->floor);
		row++;
	}
	return tav_sheet_send(&sheet, 0, "devices",
	                      "Devices: window = compute + exposed communication + exposed copies + idle", 0);
}

/* ---- idle -----------------------------------------------------------------------------------------------------------
 */
static tav_status table_of_causes(const struct wall *wall)
{
	struct tav_sheet sheet;
	uint64_t rows = 0, row = 0;

	for (uint32_t i = 0; i < wall->look.device_count; i++)
		for (unsigned c = 0; c < CAUSE_COUNT && is_shown(wall, i); c++)
			rows += wall->devices[i].cause_ns[c] > 0;
	tav_sheet_init(&sheet, wall->self, rows);

	uint32_t device = add_device(&sheet, wall), cause = add_key(&sheet, "cause");
	uint32_t group = tav_sheet_column(&sheet, "group", TAV_TYPE_STRING, TAV_UNIT_NONE, TAV_SHOW_COLUMN);
	uint32_t idle = add_int(&sheet, "idle_ns", NS, 0), share = add_share(&sheet, "share");
	uint32_t gaps = add_int(&sheet, "gaps", COUNT, 0);

	for (uint32_t i = 0; i < wall->look.device_count; i++) {
		const struct wall_device *of = &wall->devices[i];

		for (unsigned c = 0; c < CAUSE_COUNT && is_shown(wall, i); c++) {
			if (!of->cause_ns[c])
				continue;
			tav_sheet_text(&sheet, device, row, wall->look.devices[i]);
			tav_sheet_chars(&sheet, cause, row, cause_names[c]);
			tav_sheet_chars(&sheet, group, row, group_names[group_of((enum cause)c)]);
			tav_sheet_int(&sheet, idle, row, of->cause_ns[c]);
			tav_sheet_percent(&sheet, share, row, (uint64_t)of->cause_ns[c], (uint64_t)of->parts.idle);
			tav_sheet_count(&sheet, gaps, row++, of->cause_gaps[c]);
		}
	}
	return tav_sheet_send(&sheet, 0, "idle", "Why the devices are idle (share: of the idle time)", 0);
}

/* ---- idle_by_name ---------------------------------------------------------------------------------------------------
 */
struct named {
	const struct wall *wall;
	const struct sum *items;
};

static uint32_t device_of_key(uint64_t key)
{
	return (uint32_t)(key >> 36);
}

static int by_device_and_time(const void *context, uint32_t a, uint32_t b)
{
	const struct named *named = context;
	const struct sum *x = &named->items[a], *y = &named->items[b];
	uint32_t cause_x = (uint32_t)(x->key >> 32 & 15), cause_y = (uint32_t)(y->key >> 32 & 15);
	int order;

	if (device_of_key(x->key) != device_of_key(y->key))
		return device_of_key(x->key) < device_of_key(y->key) ? -1 : 1;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	if (cause_x != cause_y)
		return cause_x < cause_y ? -1 : 1;
	order = tav_text_compare(label_text(&named->wall->look, (uint32_t)x->key),
	                         label_text(&named->wall->look, (uint32_t)y->key));
	return order ? order : (x->key > y->key) - (x->key < y->key);
}

static tav_status table_of_names(const struct wall *wall)
{
	struct named named = {wall, wall->names.items};
	uint64_t top = (uint64_t)wall->self->options[WALL_OPT_NAMES]->integer, count = 0, rows = 0, row = 0;
	uint32_t *sorted = take(wall->self, (uint64_t)wall->names.map.count + 1, sizeof(*sorted));
	uint64_t of_device = 0;
	struct tav_sheet sheet;

	if (!sorted)
		return TAV_FAILED;
	for (uint32_t i = 0; i < wall->names.map.count; i++)
		if (is_shown(wall, device_of_key(named.items[i].key)))
			sorted[count++] = i;
	if (sort_places(wall->self, sorted, count, by_device_and_time, &named))
		return TAV_FAILED;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t key = named.items[sorted[i]].key;

		of_device =
		        i && device_of_key(key) == device_of_key(named.items[sorted[i - 1]].key) ? of_device + 1 : 1;
		rows += !top || of_device <= top;
	}
	tav_sheet_init(&sheet, wall->self, rows);

	uint32_t device = add_device(&sheet, wall), cause = add_key(&sheet, "cause"), name = add_key(&sheet, "name");
	uint32_t idle = add_int(&sheet, "idle_ns", NS, 0), share = add_share(&sheet, "share");

	for (uint64_t i = 0; i < count; i++) {
		const struct sum *sum = &named.items[sorted[i]];
		uint32_t of = device_of_key(sum->key);

		of_device = i && of == device_of_key(named.items[sorted[i - 1]].key) ? of_device + 1 : 1;
		if (top && of_device > top)
			continue;
		tav_sheet_text(&sheet, device, row, wall->look.devices[of]);
		tav_sheet_chars(&sheet, cause, row, cause_names[sum->key >> 32 & 15]);
		tav_sheet_text(&sheet, name, row, label_text(&wall->look, (uint32_t)sum->key));
		tav_sheet_int(&sheet, idle, row, sum->total);
		tav_sheet_percent(&sheet, share, row++, (uint64_t)sum->total, (uint64_t)wall->devices[of].parts.idle);
	}
	sheet.first_rows = 10;
	return tav_sheet_send(&sheet, 0, "idle_by_name",
	                      "What the launching thread was in while the device was idle (share: of the idle time)",
	                      count - rows);
}

/* ---- longest_gaps, gap_lengths --------------------------------------------------------------------------------------
 */
struct gaps_of {
	const struct look *look;
	const struct gap *gaps;
};

static int by_length(const void *context, uint32_t a, uint32_t b)
{
	const struct gaps_of *of = context;
	int64_t x = gap_length(of->look, &of->gaps[a]), y = gap_length(of->look, &of->gaps[b]);

	if (x != y)
		return x > y ? -1 : 1;
	return (a > b) - (a < b); /* they are by start */
}

/* The `top` longest of a device: those longer than the top-th, and the first of its length. */
static tav_status choose(struct wall *wall, struct wall_device *device, int64_t *numbers, uint64_t top)
{
	struct gaps_of of = {&wall->look, wall->gaps + device->first_gap};
	int64_t least, min = wall->self->options[WALL_OPT_MIN_GAP]->integer;
	uint64_t equal, used = 0;
	uint32_t *chosen;

	top = top < device->gap_count ? top : device->gap_count;
	if (!top)
		return TAV_OK;
	least = nth_number(numbers, device->gap_count, device->gap_count - top);
	equal = top;
	for (uint64_t i = 0; i < device->gap_count; i++)
		equal -= numbers[i] > least;
	chosen = take(wall->self, top, sizeof(*chosen));
	device->longest = take(wall->self, top, sizeof(*device->longest));
	if (!chosen || !device->longest)
		return TAV_FAILED;
	for (uint64_t i = 0; i < device->gap_count; i++) {
		int64_t length = gap_length(of.look, &of.gaps[i]);

		if (length > least || (length == least && equal && equal--))
			chosen[used++] = (uint32_t)i;
	}
	if (sort_places(wall->self, chosen, used, by_length, &of))
		return TAV_FAILED;
	for (uint64_t i = 0; i < used && gap_length(of.look, &of.gaps[chosen[i]]) >= min; i++) {
		device->longest[i].gap = device->first_gap + chosen[i];
		device->longest_count++;
		wall->gaps[device->first_gap + chosen[i]].slot = (uint32_t)i + 1;
	}
	return TAV_OK;
}

/* The longest gaps whose ending event was launched, by thread and start of that call. */
struct looked_up {
	const struct wall *wall;
	struct long_gap **gaps;
	uint32_t *sorted;
};

static tav_row call_of(const struct wall *wall, const struct long_gap *longest)
{
	return wall->look.links->launch[wall->gaps[longest->gap].ending];
}

static int by_call_time(const void *context, uint32_t a, uint32_t b)
{
	const struct looked_up *up = context;
	const struct look *look = &up->wall->look;
	tav_row x = call_of(up->wall, up->gaps[a]), y = call_of(up->wall, up->gaps[b]);

	if (look->track[x] != look->track[y])
		return look->track[x] < look->track[y] ? -1 : 1;
	return (look->start[x] > look->start[y]) - (look->start[x] < look->start[y]);
}

static int64_t moment_of_call(void *user, uint64_t i, uint32_t *track)
{
	const struct looked_up *up = user;
	tav_row call = call_of(up->wall, up->gaps[up->sorted[i]]);

	*track = up->wall->look.track[call];
	return up->wall->look.start[call];
}

static bool is_python(void *user, tav_row row)
{
	const struct look *look = &((const struct looked_up *)user)->wall->look;

	return look->traits[row] & TAV_TRAIT_PYTHON && look->end[row] > look->start[row];
}

static tav_status keep_python(void *user, uint64_t i, tav_row row)
{
	const struct looked_up *up = user;

	up->gaps[up->sorted[i]]->python_row = row;
	return TAV_OK;
}

/* Which operator and which Python function were innermost when the event behind each chosen gap was launched. */
static tav_status find_python(struct wall *wall, uint64_t total)
{
	struct looked_up up = {wall, take(wall->self, total + 1, sizeof(*up.gaps)),
	                       take(wall->self, total + 1, sizeof(*up.sorted))};
	struct probes probes = {0, &up, moment_of_call, is_python, keep_python};

	if (!up.gaps || !up.sorted)
		return TAV_FAILED;
	for (uint32_t i = 0; i < wall->look.device_count; i++)
		for (uint64_t g = 0; g < wall->devices[i].longest_count; g++) {
			struct long_gap *longest = &wall->devices[i].longest[g];

			longest->operator_row = wall->look.links->operators[wall->gaps[longest->gap].ending];
			longest->python_row = TAV_NONE;
			if (call_of(wall, longest) == TAV_NONE)
				continue;
			up.sorted[probes.count] = (uint32_t)probes.count;
			up.gaps[probes.count++] = longest;
		}
	if (sort_places(wall->self, up.sorted, probes.count, by_call_time, &up))
		return TAV_FAILED;
	return find_innermost(&wall->look, &probes);
}

tav_status wall_choose_longest(struct wall *wall)
{
	uint64_t top = (uint64_t)wall->self->options[WALL_OPT_GAPS]->integer, total = 0;
	int64_t *numbers = take(wall->self, wall->gap_count + 1, sizeof(*numbers));

	if (!numbers)
		return TAV_FAILED;
	for (uint32_t i = 0; i < wall->look.device_count; i++) {
		struct wall_device *device = &wall->devices[i];

		if (!device->gap_count)
			continue;
		for (uint64_t gap = 0; gap < device->gap_count; gap++)
			numbers[gap] = gap_length(&wall->look, &wall->gaps[device->first_gap + gap]);
		find_percentiles(numbers, device->gap_count, length_percents, LENGTH_COUNT, device->lengths);
		if (choose(wall, device, numbers, top))
			return TAV_FAILED;
		total += device->longest_count;
	}
	return find_python(wall, total);
}

static tav_status table_of_gaps(const struct wall *wall)
{
	const struct look *look = &wall->look;
	uint64_t rows = 0, row = 0, left_out = 0;
	struct tav_sheet sheet;

	for (uint32_t i = 0; i < look->device_count; i++) {
		if (!is_shown(wall, i))
			continue;
		rows += wall->devices[i].longest_count;
		left_out += wall->devices[i].gap_count - wall->devices[i].longest_count;
	}
	tav_sheet_init(&sheet, wall->self, rows);

	uint32_t device = add_device(&sheet, wall), start = add_int(&sheet, "start_ns", NS, TAV_SHOW_KEY);
	uint32_t length = add_int(&sheet, "gap_ns", NS, 0), cause = add_key(&sheet, "cause");
	uint32_t cause_ns = add_int(&sheet, "cause_ns", NS, TAV_SHOW_DETAIL), share = add_share(&sheet, "cause_share");
	uint32_t before = tav_sheet_column(&sheet, "before_event", TAV_TYPE_STRING, 0, TAV_SHOW_DETAIL);
	uint32_t after = tav_sheet_column(&sheet, "after_event", TAV_TYPE_STRING, 0, TAV_SHOW_COLUMN);
	uint32_t event = tav_sheet_column(&sheet, "event", TAV_TYPE_REF, 0, TAV_SHOW_DETAIL);
	uint32_t launch = tav_sheet_column(&sheet, "launch", TAV_TYPE_STRING, 0, TAV_SHOW_DETAIL);
	uint32_t delay = add_int(&sheet, "launch_delay_ns", NS, TAV_SHOW_DETAIL);
	uint32_t operator= tav_sheet_column(&sheet, "operator", TAV_TYPE_STRING, 0, TAV_SHOW_NOTE);
	uint32_t python = tav_sheet_column(&sheet, "python", TAV_TYPE_STRING, 0, TAV_SHOW_NOTE);

	for (uint32_t i = 0; i < look->device_count; i++) {
		for (uint64_t g = 0; g < wall->devices[i].longest_count && is_shown(wall, i); g++, row++) {
			const struct long_gap *longest = &wall->devices[i].longest[g];
			const struct gap *gap = &wall->gaps[longest->gap];
			tav_row ending = row_of(look, gap->ending), call = look->links->launch[gap->ending];
			int64_t from = gap->start > look->from ? gap->start : look->from, most = gap_length(look, gap);
			unsigned c = 0;

			for (unsigned other = 1; other < CAUSE_COUNT; other++)
				c = longest->cause_ns[other] > longest->cause_ns[c] ? other : c;
			tav_sheet_text(&sheet, device, row, look->devices[i]);
			tav_sheet_int(&sheet, start, row, span_ns(look->about->first_ns, from));
			tav_sheet_int(&sheet, length, row, most);
			tav_sheet_chars(&sheet, cause, row, cause_names[c]);
			tav_sheet_int(&sheet, cause_ns, row, longest->cause_ns[c]);
			tav_sheet_percent(&sheet, share, row, (uint64_t)longest->cause_ns[c], (uint64_t)most);
			tav_sheet_text(&sheet, before, row, name_of_row(look, row_of(look, gap->before)));
			tav_sheet_text(&sheet, after, row, name_of_row(look, ending));
			tav_sheet_ref(&sheet, event, row, (struct tav_ref){0, ending});
			if (call != TAV_NONE) {
				tav_sheet_text(&sheet, launch, row, name_of_row(look, call));
				tav_sheet_int(&sheet, delay, row, span_ns(look->start[call], look->start[ending]));
			}
			if (longest->operator_row != TAV_NONE)
				tav_sheet_text(&sheet, operator, row, name_of_row(look, longest->operator_row));
			if (longest->python_row != TAV_NONE)
				tav_sheet_text(&sheet, python, row, name_of_row(look, longest->python_row));
		}
	}
	sheet.first_rows = 5;
	return tav_sheet_send(&sheet, 0, "longest_gaps",
	                      "Longest gaps (start: since the first event; cause: the one with most of the gap)",
	                      left_out);
}

const uint32_t length_percents[LENGTH_COUNT] = {0, 50, 90, 99, 100};
static const char *const length_names[LENGTH_COUNT] = {"min_ns", "p50_ns", "p90_ns", "p99_ns", "max_ns"};

static tav_status table_of_lengths(const struct wall *wall)
{
	uint32_t device, n, of[LENGTH_COUNT];
	struct tav_sheet sheet;
	uint64_t rows = 0, row = 0;

	for (uint32_t i = 0; i < wall->look.device_count; i++)
		rows += is_shown(wall, i) && wall->devices[i].gap_count;
	tav_sheet_init(&sheet, wall->self, rows);
	device = add_key(&sheet, "device");
	n = add_int(&sheet, "n", COUNT, 0);
	for (unsigned p = 0; p < LENGTH_COUNT; p++)
		of[p] = add_int(&sheet, length_names[p], NS, 0);
	for (uint32_t i = 0; i < wall->look.device_count; i++) {
		if (!is_shown(wall, i) || !wall->devices[i].gap_count)
			continue;
		tav_sheet_text(&sheet, device, row, wall->look.devices[i]);
		tav_sheet_count(&sheet, n, row, wall->devices[i].gap_count);
		for (unsigned p = 0; p < LENGTH_COUNT; p++)
			tav_sheet_int(&sheet, of[p], row, wall->devices[i].lengths[p]);
		row++;
	}
	return tav_sheet_send(&sheet, 0, "gap_lengths", "Lengths of the gaps", 0);
}

/* ---- launches -------------------------------------------------------------------------------------------------------
 */
enum { OF_DELAY, OF_QUEUE, OF_CALL, OF_COUNT };
static const char *const launch_columns[OF_COUNT][LENGTH_COUNT] = {
        {"delay_min_ns", "delay_p50_ns", "delay_p90_ns", "delay_p99_ns", "delay_max_ns"},
        {"queue_min_ns", "queue_p50_ns", "queue_p90_ns", "queue_p99_ns", "queue_max_ns"},
        {"call_min_ns", "call_p50_ns", "call_p90_ns", "call_p99_ns", "call_max_ns"},
};
struct launch_rows {
	const struct wall *wall;
	struct tav_sheet *sheet;
	int64_t *numbers;
	uint32_t device, call, n, before, columns[OF_COUNT][LENGTH_COUNT];
};

static int64_t launch_number(const struct look *look, uint32_t place, unsigned of)
{
	tav_row row = row_of(look, place), call = look->links->launch[place];
	int64_t queue = span_ns(look->end[call], look->start[row]);

	switch (of) {
	case OF_DELAY:
		return span_ns(look->start[call], look->start[row]);
	case OF_QUEUE:
		return queue > 0 ? queue : 0;
	default:
		return span_ns(look->start[call], look->end[call]);
	}
}

static void fill_launches(struct launch_rows *launches, uint64_t row, uint32_t device, struct tav_text call,
                          const uint32_t *places, uint64_t count)
{
	const struct look *look = &launches->wall->look;
	int64_t lengths[LENGTH_COUNT];
	uint64_t before = 0;

	tav_sheet_text(launches->sheet, launches->device, row, look->devices[device]);
	tav_sheet_text(launches->sheet, launches->call, row, call);
	tav_sheet_count(launches->sheet, launches->n, row, count);
	for (unsigned of = 0; of < OF_COUNT; of++) {
		for (uint64_t i = 0; i < count; i++) {
			launches->numbers[i] = launch_number(look, places[i], of);
			before += of == OF_DELAY && launches->numbers[i] < 0;
		}
		find_percentiles(launches->numbers, count, length_percents, LENGTH_COUNT, lengths);
		for (unsigned p = 0; p < LENGTH_COUNT; p++)
			tav_sheet_int(launches->sheet, launches->columns[of][p], row, lengths[p]);
	}
	tav_sheet_count(launches->sheet, launches->before, row, before);
}

static uint32_t call_label(const struct look *look, uint32_t place)
{
	return look->label[look->links->launch[place]];
}

struct by_call {
	const struct look *look;
	const uint64_t *counts; /* by label */
};

static int by_call(const void *context, uint32_t a, uint32_t b)
{
	const struct by_call *by = context;
	uint32_t x = call_label(by->look, a), y = call_label(by->look, b);

	if (by->counts[x] != by->counts[y])
		return by->counts[x] > by->counts[y] ? -1 : 1;
	return (x > y) - (x < y);
}

/* The calls of a device, most used first; gives how many different ones there are. */
static tav_status part_calls(const struct wall *wall, const struct wall_device *device, uint64_t *counts,
                             uint64_t *kinds)
{
	const struct look *look = &wall->look;
	uint32_t *places = wall->calls + device->first_call;
	struct by_call by = {look, counts};

	*kinds = 0;
	for (uint64_t i = 0; i < device->call_count; i++)
		counts[call_label(look, places[i])] = 0;
	for (uint64_t i = 0; i < device->call_count; i++)
		*kinds += !counts[call_label(look, places[i])]++;
	return *kinds > 1 ? sort_places(wall->self, places, device->call_count, by_call, &by) : TAV_OK;
}

static tav_status table_of_launches(const struct wall *wall)
{
	uint64_t top = (uint64_t)wall->self->options[WALL_OPT_NAMES]->integer, rows = 0, row = 0, left_out = 0;
	uint32_t devices = wall->look.device_count;
	uint64_t *counts = take(wall->self, (uint64_t)wall->look.label_count + 1, sizeof(*counts));
	uint64_t *kinds = take(wall->self, (uint64_t)devices + 1, sizeof(*kinds)), most = 0;
	struct tav_sheet sheet;
	struct launch_rows launches = {.wall = wall, .sheet = &sheet};

	if (!counts || !kinds)
		return TAV_FAILED;
	for (uint32_t i = 0; i < devices; i++) {
		if (!is_shown(wall, i) || !wall->devices[i].call_count)
			continue;
		if (part_calls(wall, &wall->devices[i], counts, &kinds[i]))
			return TAV_FAILED;
		rows += 1 + (top && kinds[i] > top ? top : kinds[i]);
		left_out += top && kinds[i] > top ? kinds[i] - top : 0;
		most = wall->devices[i].call_count > most ? wall->devices[i].call_count : most;
	}
	launches.numbers = take(wall->self, most + 1, sizeof(*launches.numbers));
	if (!launches.numbers)
		return TAV_FAILED;
	tav_sheet_init(&sheet, wall->self, rows);
	launches.device = add_device(&sheet, wall);
	launches.call = add_key(&sheet, "call");
	launches.n = add_int(&sheet, "n", COUNT, 0);
	for (unsigned of = 0; of < OF_COUNT; of++)
		for (unsigned p = 0; p < LENGTH_COUNT; p++)
			launches.columns[of][p] = add_int(&sheet, launch_columns[of][p], NS,
			                                  p == 1 || (p == 3 && of == OF_DELAY) ? 0 : TAV_SHOW_DETAIL);
	launches.before = add_int(&sheet, "before_launch", COUNT, TAV_SHOW_DETAIL);
	for (uint32_t i = 0; i < devices; i++) {
		const uint32_t *places = wall->calls + wall->devices[i].first_call;
		uint64_t from = 0, count = wall->devices[i].call_count;

		if (!kinds[i])
			continue;
		fill_launches(&launches, row++, i, (struct tav_text){"(all)", 5}, places, count);
		for (uint64_t kind = 0; kind < kinds[i] && (!top || kind < top); kind++) {
			uint64_t to = from + 1;

			while (to < count &&
			       call_label(&wall->look, places[to]) == call_label(&wall->look, places[from]))
				to++;
			fill_launches(&launches, row++, i,
			              name_of_row(&wall->look, wall->look.links->launch[places[from]]), places + from,
			              to - from);
			from = to;
		}
	}
	sheet.first_rows = 6;
	return tav_sheet_send(
	        &sheet, 0, "launches",
	        "Launches (delay: from the start of the call to that of its first device event; queue: from "
	        "the end of the call)",
	        left_out);
}

/* ---- steps ----------------------------------------------------------------------------------------------------------
 */
static tav_status table_of_steps(const struct wall *wall)
{
	const struct look *look = &wall->look;
	uint64_t steps = wall->steps->count, rows = (steps + 2) * count_devices(wall), row = 0;
	uint64_t *is_outlier = take(wall->self, (steps + 2) / 64 + 1, sizeof(*is_outlier));
	struct tav_sheet sheet;

	if (!is_outlier)
		return TAV_FAILED;
	tav_sheet_init(&sheet, wall->self, rows);

	uint32_t device = add_device(&sheet, wall), name = add_key(&sheet, "step");
	uint32_t time = add_int(&sheet, "device_ns", NS, 0), compute = add_int(&sheet, "compute_ns", NS, 0);
	uint32_t communication = add_int(&sheet, "exposed_communication_ns", NS, 0);
	uint32_t copies = add_int(&sheet, "exposed_copies_ns", NS, 0), idle = add_int(&sheet, "idle_ns", NS, 0);
	uint32_t late = add_int(&sheet, "host_late_ns", NS, 0);
	uint32_t unlinked = add_int(&sheet, "unlinked_ns", NS, TAV_SHOW_DETAIL);
	uint32_t events = add_int(&sheet, "events", COUNT, 0), host = add_int(&sheet, "host_ns", NS, TAV_SHOW_DETAIL);
	uint32_t lag = add_int(&sheet, "lag_ns", NS, TAV_SHOW_DETAIL);
	uint32_t note = tav_sheet_column(&sheet, "note", TAV_TYPE_STRING, 0, TAV_SHOW_COLUMN);

	for (uint32_t i = 0; i < look->device_count; i++) {
		struct spread spread;

		if (!is_shown(wall, i))
			continue;
		memset(is_outlier, 0, ((steps + 2) / 64 + 1) * sizeof(*is_outlier));
		if (wall_spread(wall, &wall->devices[i], &spread, is_outlier))
			return TAV_FAILED;
		for (uint64_t s = 0; s < steps + 2; s++, row++) {
			const struct wall_step *step = &wall->devices[i].steps[s];

			tav_sheet_text(&sheet, device, row, look->devices[i]);
			if (step->mark)
				tav_sheet_text(&sheet, name, row, step->mark->name);
			else
				tav_sheet_chars(&sheet, name, row, s ? "(after)" : "(before)");
			if (step->mark) {
				tav_sheet_int(&sheet, host, row, span_ns(step->mark->start_ns, step->mark->end_ns));
				tav_sheet_count(&sheet, events, row, step->events);
			}
			if (step->mark && !step->has_device_time) {
				tav_sheet_chars(&sheet, note, row,
				                step->is_open ? "open, no device work" : "no device work");
				continue;
			}
			if (step->mark)
				tav_sheet_int(&sheet, lag, row, span_ns(step->mark->start_ns, step->begin_ns));
			tav_sheet_int(&sheet, time, row, parts_window(&step->parts));
			tav_sheet_int(&sheet, compute, row, parts_compute(&step->parts));
			tav_sheet_int(&sheet, communication, row, parts_exposed_communication(&step->parts));
			tav_sheet_int(&sheet, copies, row, parts_exposed_copies(&step->parts));
			tav_sheet_int(&sheet, idle, row, step->parts.idle);
			tav_sheet_int(&sheet, late, row, step->parts.late);
			tav_sheet_int(&sheet, unlinked, row, step->parts.unlinked);
			if (step->mark && step->is_open)
				tav_sheet_chars(&sheet, note, row, "open");
			else if (step->mark && bit_is_set(is_outlier, s))
				tav_sheet_chars(&sheet, note, row, "outlier");
		}
	}
	sheet.first_rows = 12;
	return tav_sheet_send(&sheet, 0, "steps",
	                      wall->steps->by_launch
	                              ? "Steps on the device, cut where the work launched within them begins"
	                              : "Steps on the device, cut at host times, since few events have a launch",
	                      0);
}

static tav_status table_of_spread(const struct wall *wall)
{
	uint64_t row = 0, *bits = take(wall->self, ((uint64_t)wall->steps->count + 2) / 64 + 1, sizeof(*bits));
	struct tav_sheet sheet;

	if (!bits)
		return TAV_FAILED;
	tav_sheet_init(&sheet, wall->self, count_devices(wall));

	uint32_t device = add_key(&sheet, "device"), closed = add_int(&sheet, "closed_steps", COUNT, 0);
	uint32_t min = add_int(&sheet, "min_ns", NS, 0), median = add_int(&sheet, "median_ns", NS, 0);
	uint32_t max = add_int(&sheet, "max_ns", NS, 0);
	uint32_t deviation = add_int(&sheet, "median_deviation_ns", NS, TAV_SHOW_DETAIL);
	uint32_t outliers = add_int(&sheet, "outliers", COUNT, 0);

	for (uint32_t i = 0; i < wall->look.device_count; i++) {
		struct spread spread;

		if (!is_shown(wall, i))
			continue;
		if (wall_spread(wall, &wall->devices[i], &spread, bits))
			return TAV_FAILED;
		tav_sheet_text(&sheet, device, row, wall->look.devices[i]);
		tav_sheet_count(&sheet, closed, row, spread.count);
		if (spread.count) {
			tav_sheet_int(&sheet, min, row, spread.min);
			tav_sheet_int(&sheet, median, row, spread.median);
			tav_sheet_int(&sheet, max, row, spread.max);
			tav_sheet_int(&sheet, deviation, row, spread.deviation);
		}
		if (spread.can_tell)
			tav_sheet_count(&sheet, outliers, row, spread.outliers);
		row++;
	}
	return tav_sheet_send(&sheet, 0, "step_spread", "How far closed steps differ in their time on the device", 0);
}

tav_status wall_tables(struct wall *wall)
{
	if (!count_devices(wall))
		return TAV_OK;
	if (table_of_devices(wall) || table_of_causes(wall) || table_of_names(wall) || table_of_gaps(wall) ||
	    table_of_lengths(wall) || table_of_launches(wall))
		return TAV_FAILED;
	if (!wall->steps->count)
		return TAV_OK;
	return table_of_steps(wall) || table_of_spread(wall) ? TAV_FAILED : TAV_OK;
}
