/* SPDX-License-Identifier: Apache-2.0 */
/* What of the figures can be believed, and the sentence that says them. */
#include "wall.h"

/* ---- Is the trace a sample of the events? ---------------------------------------------------------------------------
 * Then numbers of events have holes, and calls either all have device work (no other call was kept) or lack it often.
 */
struct calls_seen {
	uint64_t calls, bare, launches, lost;
};

static bool is_launch_name(struct tav_text name)
{
	return text_has_fold(name, "launch") ||
	       (text_has_fold(name, "async") && (text_has_fold(name, "memcpy") || text_has_fold(name, "memset")));
}

static tav_status see_calls(const struct wall *wall, struct calls_seen *seen)
{
	const struct look *look = &wall->look;
	const uint32_t *link = wall->self->host->column(wall->self, 0, TAV_COL_LINK);
	uint8_t *names = take(wall->self, (uint64_t)look->label_count + 1, sizeof(*names)); /* 1: a launch, 2: not */
	uint32_t most = 0;
	uint64_t *has_work;

	*seen = (struct calls_seen){0};
	if (!link || !names)
		return TAV_FAILED;
	for (tav_row row = 0; row < look->about->row_count; row++)
		most = link[row] > most ? link[row] : most;
	has_work = take(wall->self, (uint64_t)most / 64 + 1, sizeof(*has_work));
	if (!has_work)
		return TAV_FAILED;
	for (uint64_t i = 0; i < look->links->count; i++)
		if (look->links->launch[i] != TAV_NONE)
			bit_set(has_work, link[look->links->launch[i]]);
	for (tav_row row = 0; row < look->about->row_count; row++) {
		uint8_t *name = &names[look->label[row]];
		bool is_bare;

		if (!(look->traits[row] & (TAV_TRAIT_RUNTIME | TAV_TRAIT_DRIVER)) ||
		    !(look->traits[row] & TAV_TRAIT_INTERVAL) || !link[row])
			continue;
		if (!*name)
			*name = is_launch_name(name_of_row(look, row)) ? 1 : 2;
		is_bare = !bit_is_set(has_work, link[row]);
		seen->calls++;
		seen->bare += is_bare;
		seen->launches += *name == 1;
		seen->lost += *name == 1 && is_bare;
	}
	return TAV_OK;
}

/* The numbers of events, in the order of the file; `numbers` NULL: only how many there are. */
static tav_status list_numbers(const struct wall *wall, int64_t *numbers, uint64_t *count)
{
	const struct tav_host *host = wall->self->host;
	tav_row rows = wall->look.about->row_count;
	const uint64_t *is_new = host->present(wall->self, 0, TAV_COL_FIELDS + WALL_FIELD_NUMBER);
	const uint64_t *is_old = host->present(wall->self, 0, TAV_COL_FIELDS + WALL_FIELD_OLD_NUMBER);
	const int64_t *column = NULL;

	*count = 0;
	if (numbers && !(column = host->column(wall->self, 0, TAV_COL_FIELDS + WALL_FIELD_NUMBER)))
		return tav_fail(wall->self, "the numbers of events were not read");
	TAV_FOR_BITS(row, is_new, rows)
	{
		if (numbers)
			numbers[*count] = column[row];
		++*count;
	}
	if (tav_bit_next(is_old, 0, rows) == rows)
		return TAV_OK;
	if (numbers && !(column = host->column(wall->self, 0, TAV_COL_FIELDS + WALL_FIELD_OLD_NUMBER)))
		return tav_fail(wall->self, "the numbers of events were not read");
	TAV_FOR_BITS(row, is_old, rows)
	{
		if (is_new && bit_is_set(is_new, row))
			continue;
		if (numbers)
			numbers[*count] = column[row];
		++*count;
	}
	return TAV_OK;
}

/* The different ones, and how many of them follow another one. */
static tav_status see_numbers(const struct wall *wall, uint64_t *distinct, uint64_t *neighbours)
{
	uint64_t count;
	int64_t *numbers, *spare;

	*distinct = *neighbours = 0;
	if (list_numbers(wall, NULL, &count))
		return TAV_FAILED;
	if (count < 100)
		return TAV_OK;
	numbers = take(wall->self, count, sizeof(*numbers));
	spare = take(wall->self, count, sizeof(*spare));
	if (!numbers || !spare || list_numbers(wall, numbers, &count))
		return TAV_FAILED;
	sort_numbers(numbers, spare, count);
	*distinct = 1;
	for (uint64_t i = 1; i < count; i++) {
		*distinct += numbers[i] != numbers[i - 1];
		*neighbours += numbers[i] != numbers[i - 1] && numbers[i] - 1 == numbers[i - 1];
	}
	return TAV_OK;
}

static const char *keep_text(const struct wall *wall, const char *text)
{
	char *kept = take(wall->self, strlen(text) + 1, 1);

	return kept ? memcpy(kept, text, strlen(text) + 1) : NULL;
}

static tav_status find_sample(struct wall *wall)
{
	struct calls_seen seen;
	char text[1000] = "";
	struct tav_sentence phrase = {text, sizeof(text), 0};
	uint64_t distinct, neighbours;
	char a[TAV_COUNTED_SIZE], b[TAV_COUNTED_SIZE], c[TAV_COUNTED_SIZE], d[TAV_COUNTED_SIZE];

	if (see_numbers(wall, &distinct, &neighbours))
		return TAV_FAILED;
	if (distinct < 100 || neighbours * 10 >= 9 * (distinct - 1))
		return TAV_OK;
	if (see_calls(wall, &seen))
		return TAV_FAILED;
	if (!seen.calls || (seen.bare && seen.lost * 10 <= seen.launches))
		return TAV_OK;
	tav_say(&phrase, "the trace is a sample: of %s %s follow the one before, and ",
	        tav_counted(b, distinct, "event number"), tav_counted(a, neighbours, ""));
	if (seen.bare)
		tav_say(&phrase, "%s of %s have no device work", tav_counted(c, seen.bare, ""),
		        tav_counted(d, seen.calls, "call"));
	else
		tav_say(&phrase, "all of %s have device work", tav_counted(d, seen.calls, "call"));
	wall->sampled = keep_text(wall, text);
	return wall->sampled ? TAV_OK : TAV_FAILED;
}

/* ---- Doubts
 * ----------------------------------------------------------------------------------------------------------
 */
static void doubt_clocks(const struct wall_device *device, struct tav_sentence *phrase)
{
	int64_t in_time = device->cause_ns[CAUSE_QUEUED] + device->cause_ns[CAUSE_START_LATENCY];
	char a[TAV_COUNTED_SIZE], b[TAV_COUNTED_SIZE], time[TAV_DURATION_SIZE];

	if (device->early && device->early * 100 > device->call_count)
		tav_say(phrase, "the clocks disagree: %s of %s %s before the call that launched it",
		        tav_counted(a, device->early, ""), tav_counted(b, device->call_count, "launched event"),
		        device->early == 1 ? "starts" : "start");
	else if (device->floor != INT64_MAX && device->floor > 1000000 &&
	         (wide)in_time * 10 > device->to - device->from)
		tav_say(phrase,
		        "the clocks disagree: no event starts sooner than %s after its call, though the "
		        "device is idle",
		        tav_duration(time, device->floor));
}

tav_status wall_doubts(struct wall *wall)
{
	if (find_sample(wall))
		return TAV_FAILED;
	for (uint32_t i = 0; i < wall->look.device_count; i++) {
		struct wall_device *device = &wall->devices[i];
		char text[1000] = "";
		struct tav_sentence phrase = {text, sizeof(text), 0};
		char a[TAV_COUNTED_SIZE], share[TAV_SHARE_SIZE];

		if (!device->is_there)
			continue;
		if (device->zero_count && wall->look.about->zero_time_count) {
			device->no_window = true;
			tav_say(&phrase, "%s never stamped: %s at time 0 while the others lie beyond 1 s",
			        tav_counted(a, device->zero_count, "device event"),
			        device->zero_count == 1 ? "it stands" : "they stand");
		} else if (wall->sampled) {
			device->no_idle = true;
			device->doubt = wall->sampled;
		} else {
			doubt_clocks(device, &phrase);
		}
		if (!device->doubt && !phrase.used && (wide)device->parts.unlinked * 10 > device->parts.idle)
			tav_say(&phrase, "%s of the idle time ends with an event whose launch is not recorded",
			        tav_share(share, device->parts.unlinked, device->parts.idle));
		if (phrase.used && !(device->doubt = keep_text(wall, text)))
			return TAV_FAILED;
	}
	return TAV_OK;
}

/* ---- The headline ---------------------------------------------------------------------------------------------------
 */
struct chance {
	const char *name;
	int64_t ns;
	enum group group; /* of causes; GROUP_COUNT: none of them */
};
static const char *const next_steps[CAUSE_COUNT] = {
        [CAUSE_PROFILER] = "profile with less detail",
        [CAUSE_SYNC] = "do not wait for the device before there is more work for it",
        [CAUSE_RUNTIME_CALL] = "keep such calls out of the loop",
        [CAUSE_INPUT] = "load input ahead, with more workers",
        [CAUSE_OPERATOR] = "launch less often: larger or fused kernels, a compiled graph",
        [CAUSE_PYTHON] = "launch less often, or do less between launches",
        [CAUSE_OTHER_HOST] = "record this thread with with_stack or annotations to see what it does",
        [CAUSE_LAUNCH_CALL] = "launch less often: larger or fused kernels, a compiled graph",
        [CAUSE_START_LATENCY] = "fewer, larger kernels, or a graph",
        [CAUSE_QUEUED] = "look at other streams, host callbacks, and work that the trace does not show",
        [CAUSE_IN_GRAPH] = "fewer, larger kernels in the graph",
};

/* The largest cause of a group, and by what name. */
static enum cause largest_cause(const struct wall_device *device, enum group group)
{
	enum cause best = CAUSE_COUNT;

	for (unsigned c = 0; c < CAUSE_COUNT; c++)
		if (group_of((enum cause)c) == group &&
		    (best == CAUSE_COUNT || device->cause_ns[c] > device->cause_ns[best]))
			best = (enum cause)c;
	return best;
}

/* Gives the label of the name; TAV_NONE: there is none. */
static uint32_t say_name(const struct wall *wall, uint32_t device, enum cause cause, struct tav_sentence *phrase)
{
	const struct sum *best = NULL;
	char name[NAME_SIZE], time[TAV_DURATION_SIZE];

	for (uint32_t i = 0; i < wall->names.map.count; i++) {
		const struct sum *sum = &wall->names.items[i];

		if (sum->key >> 32 != name_key(device, cause, 0) >> 32)
			continue;
		if (!best || sum->total > best->total || (sum->total == best->total && sum->key < best->key))
			best = sum;
	}
	if (!best)
		return TAV_NONE;
	/* A name that stands for little of it would mislead. */
	tav_say(phrase,
	        best->total >= wall->devices[device].cause_ns[cause] / 5 ? ", above all in %s (%s)"
	                                                                 : ", spread over many, %s (%s) first",
	        name_phrase(name, label_text(&wall->look, (uint32_t)best->key)), tav_duration(time, best->total));
	return (uint32_t)best->key;
}

static void say_cause(const struct wall *wall, uint32_t number, enum group group, struct tav_sentence *phrase)
{
	static const char *const words[CAUSE_COUNT] = {
	        [CAUSE_PROFILER] = "while the profiler worked",
	        [CAUSE_SYNC] = "while the host waited for the device",
	        [CAUSE_RUNTIME_CALL] = "in other calls of the runtime",
	        [CAUSE_INPUT] = "while input was loaded",
	        [CAUSE_OPERATOR] = "in operators on the host",
	        [CAUSE_PYTHON] = "in Python",
	        [CAUSE_OTHER_HOST] = "where nothing is recorded on the thread that launches",
	        [CAUSE_LAUNCH_CALL] = "in the launch calls themselves",
	        [CAUSE_START_LATENCY] = "between the return of the call and the start",
	        [CAUSE_QUEUED] = "while work was queued",
	        [CAUSE_IN_GRAPH] = "between the kernels of graphs",
	};
	const struct wall_device *device = &wall->devices[number];
	enum cause cause = largest_cause(device, group);
	char time[TAV_DURATION_SIZE];
	uint32_t label;
	bool is_graph;

	tav_say(phrase, ", most of it %s (%s)", words[cause], tav_duration(time, device->cause_ns[cause]));
	label = say_name(wall, number, cause, phrase);
	is_graph = cause == CAUSE_LAUNCH_CALL && label != TAV_NONE &&
	           wall->self->host->label_call(wall->self, 0, label) == TAV_CALL_GRAPH_LAUNCH;
	tav_say(phrase, ". Next: %s", is_graph ? "fewer graphs, with more work in each" : next_steps[cause]);
}

static void say_most(const struct wall *wall, uint32_t number, struct tav_sentence *phrase)
{
	const struct wall_device *device = &wall->devices[number];
	int64_t late = device->parts.late, unknown = device->parts.unlinked, window = device->to - device->from;
	const struct chance chances[] = {
	        {"exposed communication", parts_exposed_communication(&device->parts), GROUP_COUNT},
	        {"exposed copies", parts_exposed_copies(&device->parts), GROUP_COUNT},
	        {"work launched too late", late, GROUP_LATE},
	        {"the device idle though work was launched in time", device->parts.idle - late - unknown,
	         GROUP_IN_TIME},
	        {"idle time of unknown cause", unknown, GROUP_UNKNOWN},
	};
	const struct chance *best = &chances[0], *exposed = &chances[chances[1].ns > chances[0].ns];
	char time[TAV_DURATION_SIZE], share[TAV_SHARE_SIZE];
	bool is_idle;

	for (unsigned i = 1; i < sizeof(chances) / sizeof(chances[0]); i++)
		best = chances[i].ns > best->ns ? &chances[i] : best;
	if (!best->ns) {
		tav_say(phrase, ". Nothing is exposed or idle: only faster kernels would help");
		return;
	}
	is_idle = best->group != GROUP_COUNT;
	if (is_idle && (device->doubt || best->group == GROUP_UNKNOWN)) {
		tav_say(phrase, ". Why it is idle cannot be told: %s",
		        device->doubt ? device->doubt : "most of that ends with events whose launch is not recorded");
		if (exposed->ns >= window / 20)
			tav_say(phrase, ". What can be told: %s, at most %s (%s)", exposed->name,
			        tav_duration(time, exposed->ns), tav_share(share, exposed->ns, window));
		tav_say(phrase, ". Next: record all events, those of the host too, from before the first launch");
		return;
	}
	if (parts_busy(&device->parts) < window / 100)
		tav_say(phrase, " (hardly any work: is it the right part of the run?).");
	else if (best->ns < window / 20)
		tav_say(phrase, ". Little to win but by faster kernels, see stage operators; beside them");
	else
		tav_say(phrase, ".");
	tav_say(phrase, "%s%s, at most %s (%s)", best->ns < window / 20 ? " " : " Most to win: ", best->name,
	        tav_duration(time, best->ns), tav_share(share, best->ns, window));
	if (is_idle)
		say_cause(wall, number, best->group, phrase);
	else if (best == &chances[0])
		tav_say(phrase, ". Next: overlap it with compute; stage collectives says which ones");
	else
		tav_say(phrase, ". Next: overlap them with compute (copies of the host: from pinned memory)");
}

static tav_status say_device(const struct wall *wall, uint32_t number)
{
	const struct wall_device *device = &wall->devices[number];
	const struct parts *parts = &device->parts;
	int64_t window = device->to - device->from;
	char text[1000] = "";
	struct tav_sentence phrase = {text, sizeof(text), 0};
	char name[NAME_SIZE], time[TAV_DURATION_SIZE], a[TAV_SHARE_SIZE], b[TAV_SHARE_SIZE];
	char c[TAV_SHARE_SIZE], d[TAV_SHARE_SIZE];

	tav_say(&phrase, "device %s: ", name_phrase(name, wall->look.devices[number]));
	if (device->no_window) {
		tav_say(&phrase, "where its time goes cannot be told: %s", device->doubt);
	} else {
		tav_say(&phrase, "of %s, compute %s, exposed communication %s, exposed copies %s, idle %s",
		        tav_duration(time, window), tav_share(a, parts_compute(parts), window),
		        tav_share(b, parts_exposed_communication(parts), window),
		        tav_share(c, parts_exposed_copies(parts), window), tav_share(d, parts->idle, window));
		say_most(wall, number, &phrase);
	}
	return wall->self->host->headline(wall->self, 0, text);
}

/* ---- Checks and metrics ---------------------------------------------------------------------------------------------
 */
static tav_status tell_window(const struct wall *wall, uint64_t devices)
{
	uint64_t bad = 0;
	const struct wall_device *first = NULL;
	char text[TAV_COUNTED_SIZE];

	for (uint32_t i = 0; i < wall->look.device_count; i++) {
		const struct wall_device *device = &wall->devices[i];

		if (device->is_there && device->no_window && !bad++)
			first = device;
	}
	if (bad || wall->is_too_wide)
		return tav_tell(wall->self, 0, "wall_time", TAV_RESULT_SKIP, bad, devices, "cannot tell: %s",
		                bad ? first->doubt : "the events of a device span more than 292 years");
	return tav_tell(wall->self, 0, "wall_time", TAV_RESULT_PASS, 0, devices,
	                "%s: window = compute + exposed communication + exposed copies + idle",
	                tav_counted(text, devices, "device"));
}

static tav_status tell_causes(const struct wall *wall)
{
	uint64_t gaps = 0, bad = 0, bad_devices = 0;
	uint32_t first = 0;
	char text[TAV_COUNTED_SIZE], name[NAME_SIZE];

	for (uint32_t i = 0; i < wall->look.device_count; i++) {
		const struct wall_device *device = &wall->devices[i];

		if (!device->is_there)
			continue;
		gaps += device->gap_count;
		if (!device->doubt)
			continue;
		bad += device->gap_count;
		first = bad_devices++ ? first : i;
	}
	if (bad_devices)
		return tav_tell(wall->self, 0, "idle_causes", TAV_RESULT_SKIP, bad, gaps,
		                "cannot tell why device %s is idle: %s", name_phrase(name, wall->look.devices[first]),
		                wall->devices[first].doubt);
	return tav_tell(wall->self, 0, "idle_causes", TAV_RESULT_PASS, 0, gaps, "each instant of %s has its cause",
	                tav_counted(text, gaps, "gap"));
}

static tav_status tell_steps(const struct wall *wall)
{
	uint64_t closed = 0, outliers = 0, *bits;
	bool can_tell = false;
	char a[TAV_COUNTED_SIZE], b[TAV_COUNTED_SIZE];
	const char *how = wall->steps->by_launch ? "" : "; cut at host times, since few events have a launch";

	if (!wall->steps->count)
		return tav_tell(
		        wall->self, 0, "step_spread", TAV_RESULT_SKIP, 0, 0,
		        "cannot tell: no event marks a step (profiler.step(), or the option steps of the dialect)");
	bits = take(wall->self, ((uint64_t)wall->steps->count + 2) / 64 + 1, sizeof(*bits));
	if (!bits)
		return TAV_FAILED;
	for (uint32_t i = 0; i < wall->look.device_count; i++) {
		struct spread spread;

		if (!wall->devices[i].is_there || wall->devices[i].no_window)
			continue;
		if (wall_spread(wall, &wall->devices[i], &spread, bits))
			return TAV_FAILED;
		can_tell |= spread.can_tell;
		closed += spread.count;
		outliers += spread.outliers;
	}
	if (!can_tell)
		return tav_tell(
		        wall->self, 0, "step_spread", TAV_RESULT_SKIP, 0, closed,
		        "cannot tell: %s end within the trace, and it takes 4 to say which is unlike the others%s",
		        tav_counted(a, closed, "step"), how);
	return tav_tell(wall->self, 0, "step_spread", outliers ? TAV_RESULT_WARN : TAV_RESULT_PASS, outliers, closed,
	                outliers ? "%s of %s takes a time on the device unlike the others%s"
	                         : "%s of %s take a time on the device unlike the others%s",
	                tav_counted(a, outliers, ""), tav_counted(b, closed, "closed step"), how);
}

static tav_status tell_metrics(const struct wall *wall, uint64_t devices)
{
	struct parts sum = {0};
	int64_t window = 0;
	uint64_t gaps = 0, linked = 0, events = 0;

	for (uint32_t i = 0; i < wall->look.device_count; i++) {
		const struct wall_device *device = &wall->devices[i];

		if (!device->is_there || device->no_window)
			continue;
		for (unsigned set = 0; set < RUNS_SETS; set++)
			sum.running[set] += device->parts.running[set];
		sum.idle += device->parts.idle;
		sum.late += device->parts.late;
		window += device->to - device->from;
		gaps += device->gap_count;
		linked += device->linked;
		events += device->events;
	}

	const struct {
		const char *id;
		int64_t value;
		uint32_t unit, better, is_headline;
	} metrics[] = {
	        {"window_ns", window, TAV_UNIT_NS, TAV_BETTER_LOWER, 1},
	        {"busy_ns", parts_busy(&sum), TAV_UNIT_NS, TAV_BETTER_UNKNOWN, 0},
	        {"compute_ns", parts_compute(&sum), TAV_UNIT_NS, TAV_BETTER_UNKNOWN, 0},
	        {"exposed_communication_ns", parts_exposed_communication(&sum), TAV_UNIT_NS, TAV_BETTER_LOWER, 1},
	        {"exposed_copies_ns", parts_exposed_copies(&sum), TAV_UNIT_NS, TAV_BETTER_LOWER, 0},
	        {"idle_ns", sum.idle, TAV_UNIT_NS, TAV_BETTER_LOWER, 1},
	        {"host_late_ns", sum.late, TAV_UNIT_NS, TAV_BETTER_LOWER, 0},
	        {"gaps", (int64_t)gaps, TAV_UNIT_COUNT, TAV_BETTER_LOWER, 0},
	        {"device_events", (int64_t)events, TAV_UNIT_COUNT, TAV_BETTER_UNKNOWN, 0},
	        {"linked", (int64_t)linked, TAV_UNIT_COUNT, TAV_BETTER_UNKNOWN, 0},
	};

	for (unsigned i = 0; i < sizeof(metrics) / sizeof(metrics[0]) && devices; i++) {
		if (tav_measure_as(wall->self, 0, metrics[i].id, metrics[i].value, metrics[i].unit, metrics[i].better,
		                   metrics[i].is_headline ? TAV_METRIC_HEADLINE : 0))
			return TAV_FAILED;
	}
	return TAV_OK;
}

tav_status wall_say(struct wall *wall)
{
	uint64_t devices = 0;

	for (uint32_t i = 0; i < wall->look.device_count; i++)
		devices += wall->devices[i].is_there;
	if (!devices)
		return tav_tell(wall->self, 0, "wall_time", TAV_RESULT_SKIP, 0, 0, "cannot tell: %s",
		                wall->is_too_wide         ? "the device events span more than 292 years"
		                : wall->look.links->count ? "no device event with a length in the window"
		                                          : "no device event");
	if (tell_window(wall, devices) || tell_causes(wall) || tell_steps(wall) || tell_metrics(wall, devices))
		return TAV_FAILED;
	for (uint32_t i = 0; i < wall->look.device_count; i++)
		if (wall->devices[i].is_there && say_device(wall, i))
			return TAV_FAILED;
	return TAV_OK;
}
