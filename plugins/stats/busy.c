/* SPDX-License-Identifier: Apache-2.0 */
#include "busy.h"

#include <stdlib.h>

static uint64_t length(int64_t from, int64_t to)
{
	return (uint64_t)to - (uint64_t)from;
}

struct busy busy_of_rows(const int64_t *start, const int64_t *end, const tav_row *rows, uint64_t count)
{
	struct busy busy = {.count = count};

	if (!count)
		return busy;
	busy.from = busy.to = start[rows[0]];
	for (uint64_t i = 0; i < count; i++) {
		int64_t from = start[rows[i]], to = end[rows[i]];

		if (from < busy.to)
			from = busy.to; /* the latest end so far */
		if (to > from)
			busy.busy += length(from, to);
		if (to > busy.to)
			busy.to = to;
	}
	return busy;
}

static uint64_t add_span(struct span *out, uint64_t used, struct span span)
{
	if (used && span.from <= out[used - 1].to) {
		if (span.to > out[used - 1].to)
			out[used - 1].to = span.to;
		return used;
	}
	out[used] = span;
	return used + 1;
}

uint64_t union_of_rows(const int64_t *start, const int64_t *end, const tav_row *rows, uint64_t count, struct span *out)
{
	uint64_t used = 0;

	for (uint64_t i = 0; i < count; i++)
		used = add_span(out, used, (struct span){start[rows[i]], end[rows[i]]});
	return used;
}

uint64_t union_of_spans(const struct span *a, uint64_t a_count, const struct span *b, uint64_t b_count,
                        struct span *out)
{
	uint64_t i = 0, j = 0, used = 0;

	while (i < a_count || j < b_count) {
		if (j == b_count || (i < a_count && a[i].from <= b[j].from))
			used = add_span(out, used, a[i++]);
		else
			used = add_span(out, used, b[j++]);
	}
	return used;
}

/* Of rows sorted by start: those of the device at its front that were never stamped, and would make a window of years.
 */
static uint64_t unstamped(const struct view *view, const tav_row *rows, uint64_t count)
{
	uint64_t i = 0;

	while (view->about->zero_time_count && i < count && view->start[rows[i]] <= 0 &&
	       view->traits[rows[i]] & TAV_TRAIT_DEVICE)
		i++;
	return i;
}

tav_status busy_tracks(const struct view *view, struct busy *out)
{
	const struct tav_order *order = view->all;

	for (uint32_t track = 0; track < order->track_count; track++) {
		const tav_row *rows = order->rows + order->first[track];
		uint64_t count = order->first[track + 1] - order->first[track], skipped;

		if (!(track & 0xff) && view->self->host->cancelled(view->self))
			return TAV_CANCELLED;
		skipped = unstamped(view, rows, count);
		out[track] = busy_of_rows(view->start, view->end, rows + skipped, count - skipped);
	}
	return TAV_OK;
}

/* The tracks of a device, merged two by two until one list is left: O(n log tracks). */
static tav_status busy_device(const struct view *view, const uint32_t *tracks, uint64_t track_count, struct span *spans,
                              struct span *other, uint64_t *ends, struct busy *busy)
{
	const struct tav_order *order = view->work;
	uint64_t used = 0, lists = 0;

	for (uint64_t i = 0; i < track_count; i++) {
		const tav_row *rows = order->rows + order->first[tracks[i]];
		uint64_t count = order->first[tracks[i] + 1] - order->first[tracks[i]], skipped;

		if (!count)
			continue;
		skipped = unstamped(view, rows, count);
		busy->count += count;
		busy->tracks++;
		used += union_of_rows(view->start, view->end, rows + skipped, count - skipped, spans + used);
		ends[lists++] = used;
	}
	while (lists > 1) {
		uint64_t begin = 0, kept = 0;
		struct span *swapped = spans;

		if (view->self->host->cancelled(view->self))
			return TAV_CANCELLED;
		used = 0;
		for (uint64_t i = 0; i < lists; i += 2) {
			uint64_t middle = ends[i], end = i + 1 < lists ? ends[i + 1] : middle;

			used += union_of_spans(spans + begin, middle - begin, spans + middle, end - middle,
			                       other + used);
			begin = end;
			ends[kept++] = used;
		}
		lists = kept;
		spans = other;
		other = swapped;
	}
	for (uint64_t i = 0; i < used; i++)
		busy->busy += length(spans[i].from, spans[i].to);
	if (used) {
		busy->from = spans[0].from;
		busy->to = spans[used - 1].to;
	}
	return TAV_OK;
}

/* The tracks of each device side by side: those of device d end at ends[d]. */
static void sort_tracks(const struct view *view, uint32_t *tracks, uint64_t *ends)
{
	uint32_t devices = view->about->device_count, track_count = view->work->track_count;
	uint64_t sum = 0;

	for (uint32_t track = 0; track < track_count; track++)
		if (view->track_device[track] != TAV_NONE)
			ends[view->track_device[track]]++;
	for (uint32_t device = 0; device < devices; device++) {
		uint64_t count = ends[device];

		ends[device] = sum;
		sum += count;
	}
	for (uint32_t track = 0; track < track_count; track++)
		if (view->track_device[track] != TAV_NONE)
			tracks[ends[view->track_device[track]]++] = track;
}

tav_status busy_devices(const struct view *view, struct busy *out)
{
	uint64_t count = view->device_event_count, track_count = view->work->track_count;
	uint32_t devices = view->about->device_count;
	struct span *spans = malloc((size_t)(count + 1) * 2 * sizeof(*spans));
	uint64_t *list_ends = malloc((track_count + 1) * sizeof(*list_ends));
	uint64_t *device_ends = calloc((size_t)devices + 1, sizeof(*device_ends));
	uint32_t *tracks = malloc((track_count + 1) * sizeof(*tracks));
	tav_status status = TAV_OK;

	if (!spans || !list_ends || !device_ends || !tracks) {
		status = tav_fail(view->self, "out of memory: the busy time of %llu device events",
		                  (unsigned long long)count);
	} else {
		sort_tracks(view, tracks, device_ends);
		for (uint32_t i = 0; i < devices && !status; i++) {
			uint64_t first = i ? device_ends[i - 1] : 0;

			status = busy_device(view, tracks + first, device_ends[i] - first, spans, spans + count,
			                     list_ends, &out[i]);
		}
	}
	free(spans);
	free(list_ends);
	free(device_ends);
	free(tracks);
	return status;
}
