/* SPDX-License-Identifier: Apache-2.0 */
/* The source as all three stages see it: columns, links, and the events of each device in the order of time. */
#include <stdlib.h>

#include "insight.h"

void *take(struct tav_self *self, uint64_t count, size_t size)
{
	if (count > SIZE_MAX / size) {
		tav_fail(self, "out of memory: %llu things of %zu bytes", (unsigned long long)count, size);
		return NULL;
	}
	return self->host->alloc(self, (size_t)count * size);
}

struct tav_text label_text(const struct look *look, uint32_t label)
{
	return look->self->host->label(look->self, 0, label, NULL);
}

struct tav_text name_of_row(const struct look *look, tav_row row)
{
	return label_text(look, look->label[row]);
}

bool text_has_fold(struct tav_text text, const char *lower)
{
	size_t size = strlen(lower);

	for (size_t at = 0; at + size <= text.size; at++) {
		size_t i = 0;

		while (i < size) {
			char c = text.data[at + i];

			if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != lower[i])
				break;
			i++;
		}
		if (i == size)
			return true;
	}
	return false;
}

const char *name_phrase(char out[NAME_SIZE], struct tav_text name)
{
	size_t limit = NAME_SIZE - 4, size = name.size < limit ? name.size : limit;

	/* not in the middle of a character */
	while (size && size < name.size && ((unsigned char)name.data[size] & 0xc0) == 0x80)
		size--;
	for (size_t i = 0; i < size; i++)
		out[i] = (unsigned char)name.data[i] < ' ' ? ' ' : name.data[i];
	memcpy(out + size, "...", 4);
	if (size == name.size)
		out[size] = '\0';
	return out;
}

static int by_time(const void *context, uint32_t a, uint32_t b)
{
	const struct look *look = context;

	if (look->start[a] != look->start[b])
		return look->start[a] < look->start[b] ? -1 : 1;
	if (look->end[a] != look->end[b])
		return look->end[a] < look->end[b] ? -1 : 1;
	return (a > b) - (a < b);
}

/* The device of each track, and what devices are called. */
static uint32_t *devices_of_tracks(struct look *look)
{
	const struct tav_host *host = look->self->host;
	uint32_t *devices = take(look->self, (uint64_t)look->about->track_count + 1, sizeof(*devices));

	if (!devices)
		return NULL;
	for (uint32_t i = 0; i < look->about->track_count; i++) {
		const struct tav_track *track = host->track(look->self, 0, i);
		bool is_device = track && track->flags & TAV_TRACK_DEVICE && track->device < look->device_count;

		devices[i] = is_device ? track->device : TAV_NONE;
		if (!is_device || look->devices[track->device].size)
			continue;
		look->devices[track->device] = host->value(look->self, 0, track->pid);
		if (!look->devices[track->device].size)
			look->devices[track->device] = (struct tav_text){"(no pid)", 8};
	}
	return devices;
}

/* Events of a device that start together are put in the order of their ends and rows; `places` holds rows yet. */
static tav_status sort_equals(const struct look *look, uint64_t from, uint64_t to)
{
	for (uint64_t next; from < to; from = next) {
		for (next = from + 1; next < to && look->start[look->places[next]] == look->start[look->places[from]];)
			next++;
		if (next - from > 1 && sort_places(look->self, look->places + from, next - from, by_time, look))
			return TAV_FAILED;
	}
	return TAV_OK;
}

/* Tracks are in the order of time already: they want merging. */
static tav_status part_by_device(struct look *look)
{
	struct tav_self *self = look->self;
	const struct tav_order *order;
	uint32_t devices = look->device_count, *of_track = look->device_of = devices_of_tracks(look);
	uint64_t *at = take(self, (uint64_t)devices + 1, sizeof(*at));
	struct tav_walk walk;

	if (!of_track || !at || self->host->order(self, 0, TAV_TRAIT_DEVICE, &order) ||
	    tav_walk_init(&walk, self, order, look->start))
		return TAV_FAILED;
	if (order->first[order->track_count] != look->links->count)
		return tav_fail(self, "device events and their links are not as many");
	for (uint32_t track = 0; track < order->track_count; track++) {
		uint64_t from = order->first[track], to = order->first[track + 1];

		if (from < to && of_track[track] == TAV_NONE)
			return tav_fail(self, "a device event lies on a track without a device");
		for (uint64_t i = from; i < to; i++)
			look->first[of_track[track] + 1] += look->end[order->rows[i]] > look->start[order->rows[i]];
		if (from < to)
			look->event_counts[of_track[track]] += to - from;
	}
	for (uint32_t i = 0; i < devices; i++)
		at[i + 1] = look->first[i + 1] += look->first[i];
	for (tav_row row; (row = tav_walk_next(&walk)) != TAV_NONE;)
		if (look->end[row] > look->start[row])
			look->places[at[of_track[look->track[row]]]++] = row;
	for (uint32_t i = 0; i < devices; i++)
		if (sort_equals(look, look->first[i], look->first[i + 1]))
			return TAV_FAILED;
	/* Rows were sorted, which is one step nearer to their times; they become places now. */
	for (uint64_t i = 0; i < look->first[devices]; i++)
		look->places[i] = look->links->index[look->places[i]];
	return TAV_OK;
}

bool has_too_many_devices(struct tav_self *self, const char *check, tav_status *status)
{
	enum { DEVICES_MANY = 256 };
	const struct tav_source *about = self->host->source(self, 0);
	char devices[TAV_COUNTED_SIZE];

	*status = TAV_OK;
	if (!about || about->device_count <= DEVICES_MANY)
		return false;
	*status = tav_tell(self, 0, check, TAV_RESULT_SKIP, 0, about->device_count,
	                   "cannot tell: %s in one file, and no more than %d are parted",
	                   tav_counted(devices, about->device_count, "device"), DEVICES_MANY);
	return true;
}

/* Times that the user gave since the first event become times as in the file. */
static int64_t moment(const struct look *look, const struct tav_value *window, int64_t ns)
{
	int64_t sum;

	if (window->integer || ns == INT64_MIN || ns == INT64_MAX)
		return ns;
	if (__builtin_add_overflow(look->about->first_ns, ns, &sum))
		return ns < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

tav_status look_at(struct look *look, struct tav_self *self, const struct tav_value *window)
{
	const struct tav_host *host = self->host;
	const struct tav_links *links = host->extension(self, TAV_LINKS_ID);

	*look = (struct look){.self = self, .about = host->source(self, 0), .from = INT64_MIN, .to = INT64_MAX};
	if (!look->about)
		return tav_fail(self, "there is no source");
	look->start = host->column(self, 0, TAV_COL_START_NS);
	look->end = host->column(self, 0, TAV_COL_END_NS);
	look->label = host->column(self, 0, TAV_COL_LABEL);
	look->track = host->column(self, 0, TAV_COL_TRACK);
	look->traits = host->column(self, 0, TAV_COL_TRAITS);
	look->kind = host->column(self, 0, TAV_COL_KIND);
	if (!look->start || !look->end || !look->label || !look->track || !look->traits || !look->kind)
		return tav_fail(self, "the source lacks a column");
	if (!links || links->links(self, 0, &look->links))
		return tav_fail(self, "cannot link device events to their launches");
	look->label_count = host->label_count(self, 0);
	look->device_count = look->about->device_count;
	if (window && window->text.size) {
		look->from = moment(look, window, window->from_ns);
		look->to = moment(look, window, window->to_ns);
	}
	look->devices = take(self, (uint64_t)look->device_count + 1, sizeof(*look->devices));
	look->first = take(self, (uint64_t)look->device_count + 1, sizeof(*look->first));
	look->event_counts = take(self, (uint64_t)look->device_count + 1, sizeof(*look->event_counts));
	look->places = take(self, look->links->count + 1, sizeof(*look->places));
	if (!look->devices || !look->first || !look->event_counts || !look->places)
		return TAV_FAILED;
	return part_by_device(look);
}

/* Threads are in the order of time: calls with device work are met in it, and nothing is sorted. */
static void list_launches(const struct look *look, const struct tav_order *order, uint32_t *head, uint32_t *next,
                          struct launches *launches)
{
	for (uint32_t device = look->device_count; device-- > 0;)
		for (uint64_t i = look->first[device + 1]; i-- > look->first[device];) {
			uint32_t place = look->places[i];
			tav_row call = look->links->launch[place];

			if (call == TAV_NONE)
				continue;
			next[place] = head[call];
			head[call] = place + 1;
		}
	for (uint64_t i = 0; i < order->first[order->track_count]; i++)
		for (uint32_t at = head[order->rows[i]]; at; at = next[at - 1]) {
			uint32_t device = look->device_of[look->track[row_of(look, at - 1)]];

			launches->places[look->first[device] + launches->counts[device]++] = at - 1;
		}
}

tav_status look_launches(const struct look *look, struct launches *launches)
{
	struct tav_self *self = look->self;
	const struct tav_order *order;
	tav_status status = TAV_OK;
	uint32_t *head, *next;

	launches->places = take(self, look->links->count + 1, sizeof(*launches->places));
	launches->counts = take(self, (uint64_t)look->device_count + 1, sizeof(*launches->counts));
	if (!launches->places || !launches->counts || self->host->order(self, 0, 0, &order))
		return TAV_FAILED;
	head = calloc((size_t)look->about->row_count + 1, sizeof(*head)); /* by call: place + 1 of its last event */
	next = calloc((size_t)look->links->count + 1, sizeof(*next));     /* by place: the one before */
	if (head && next)
		list_launches(look, order, head, next, launches);
	else
		status = tav_fail(self, "out of memory: the launches of %u events", look->about->row_count);
	free(head);
	free(next);
	return status;
}
