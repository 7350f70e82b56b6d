/* SPDX-License-Identifier: Apache-2.0 */
/* Of each device: how many of its tracks are busy at once, and how long it stands idle between. */
#include <picture/picture_of.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_AT_ONCE = 64, GAP_CLASSES = 38 }; /* 1, 3, 10, .. 3 * 10^18 ns */

struct run { /* the busy stretch of a track that comes next or is under way */
	uint64_t position, end;
	struct stretch busy;
	bool is_on;
};
struct device {
	const struct picture *picture;
	struct run *runs; /* a heap by what comes next */
	uint32_t count;
	uint64_t at_once[MOST_AT_ONCE + 1];
	uint64_t gaps[GAP_CLASSES], gap_ns[GAP_CLASSES];
	int64_t from, to;
};

/* The next stretch in which the track is busy without a break. False: there is none. */
static bool next_busy(const struct picture *picture, struct run *run)
{
	run->is_on = false;
	while (run->position < run->end && start_of(picture, run->position) == end_of(picture, run->position))
		run->position++;
	if (run->position == run->end)
		return false;
	run->busy = (struct stretch){start_of(picture, run->position), end_of(picture, run->position)};
	while (++run->position < run->end && start_of(picture, run->position) <= run->busy.to) {
		int64_t end = end_of(picture, run->position);

		run->busy.to = end > run->busy.to ? end : run->busy.to;
	}
	return true;
}

static int64_t next_change(const struct run *run)
{
	return run->is_on ? run->busy.to : run->busy.from;
}

static void sift_down(struct run *runs, uint32_t count, uint32_t at)
{
	struct run moved = runs[at];

	for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
		if (child + 1 < count && next_change(&runs[child + 1]) < next_change(&runs[child]))
			child++;
		if (next_change(&moved) <= next_change(&runs[child]))
			break;
		runs[at] = runs[child];
	}
	runs[at] = moved;
}

static uint64_t class_from(unsigned class)
{
	uint64_t from = class % 2 ? 3 : 1;

	for (; class > 1; class -= 2)
		from *= 10;
	return from;
}

static void add_gap(struct device *device, uint64_t ns)
{
	uint64_t from = 1;
	unsigned class = 0;

	for (; class + 2 < GAP_CLASSES && ns >= from * 10; class += 2)
		from *= 10;
	class += ns >= from * 3;
	device->gaps[class]++;
	device->gap_ns[class] += ns;
}

static void sweep(struct device *device)
{
	struct run *runs = device->runs;
	uint32_t busy = 0;
	int64_t before;

	for (uint32_t i = device->count; i-- > 0;)
		sift_down(runs, device->count, i);
	before = device->from = next_change(&runs[0]);
	while (device->count) {
		int64_t now = next_change(&runs[0]);

		if (now > before) {
			device->at_once[busy < MOST_AT_ONCE ? busy : MOST_AT_ONCE] += (uint64_t)(now - before);
			if (!busy)
				add_gap(device, (uint64_t)(now - before));
		}
		before = now;
		if (!runs[0].is_on) {
			runs[0].is_on = true;
			busy++;
		} else {
			busy--;
			if (!next_busy(device->picture, &runs[0]))
				runs[0] = runs[--device->count];
		}
		if (device->count)
			sift_down(runs, device->count, 0);
	}
	device->to = before;
}

static void put_device(struct json_out *json, struct device *device, uint32_t number)
{
	unsigned most = MOST_AT_ONCE;

	sweep(device);
	while (most && !device->at_once[most])
		most--;
	emit_open_flat(json, NULL, '{');
	if (number == TAV_NONE)
		emit_null(json, "device");
	else
		emit_size(json, "device", number);
	emit_integer(json, "from", device->from);
	emit_integer(json, "to", device->to);
	emit_open(json, "at_once", '[');
	for (unsigned i = 0; i <= most; i++)
		emit_size(json, NULL, device->at_once[i]);
	emit_close(json, ']');
	emit_open(json, "gaps", '[');
	for (unsigned i = 0; i < GAP_CLASSES; i++) {
		if (!device->gaps[i])
			continue;
		emit_open(json, NULL, '{');
		emit_size(json, "from_ns", class_from(i));
		emit_size(json, "count", device->gaps[i]);
		emit_size(json, "ns", device->gap_ns[i]);
		emit_close(json, '}');
	}
	emit_close(json, ']');
	emit_close(json, '}');
}

static uint32_t device_of(const struct picture *picture, uint32_t track)
{
	return picture->events->tracks[picture->tracks[track].number]->device;
}

struct by_device {
	uint32_t device, track;
};

static int compare(const void *left, const void *right)
{
	const struct by_device *a = left, *b = right;

	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	return a->track < b->track ? -1 : a->track > b->track;
}

bool put_devices(struct json_out *json, const struct picture *picture)
{
	uint32_t count = picture->track_count;
	struct by_device *order = calloc(count, sizeof(*order));
	struct run *runs = calloc(count, sizeof(*runs));

	for (uint32_t i = 0; order && i < count; i++)
		order[i] = (struct by_device){device_of(picture, i), i};
	if (order)
		qsort(order, count, sizeof(*order), compare);
	emit_open(json, "devices", '[');
	for (uint32_t i = 0, next; order && runs && i < count; i = next) {
		struct device device = {.picture = picture, .runs = runs};

		for (next = i; next < count && order[next].device == order[i].device; next++) {
			const struct picture_track *track = &picture->tracks[order[next].track];
			struct run run = {.position = track->first, .end = track->end};

			if (next_busy(picture, &run))
				runs[device.count++] = run;
		}
		if (device.count)
			put_device(json, &device, order[i].device);
	}
	emit_close(json, ']');
	free(order);
	free(runs);
	return order && runs;
}
