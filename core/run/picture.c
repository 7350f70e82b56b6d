/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The picture of a source: bins of its device tracks. Never samples: of each bin it is known exactly how long work ran.
 * An instant belongs to the highest kind that runs: compute, then communication, then copies.
 */
#include <stdlib.h>
#include <string.h>

#include <report/json_out.h>
#include <run/picture.h>
#include <tav/plugin.h>

enum { MOST_BINS = 1024, LEAST_BINS = 64, MOST_TRACKS = 64, FEW_TRACKS = 16, LEAST_TRACKS = 8 };

struct picture {
	const struct events *events;
	const struct tav_order *order;
	int64_t first_ns, last_ns;
	uint64_t bin_ns;
	uint32_t bins, tracks, omitted;
	uint64_t *covered; /* by kinds at least communication, ..: MOST_BINS each */
};

static bool has_rows(const struct picture *picture, uint32_t track)
{
	return picture->order->first[track] < picture->order->first[track + 1];
}

/* The window of all device work. False: there is none, or it has no length that can be told. */
static bool find_window(struct picture *picture)
{
	const int64_t *start = COLUMN(picture->events, start_ns, int64_t);
	const int64_t *end = COLUMN(picture->events, end_ns, int64_t);
	const struct tav_order *order = picture->order;
	int64_t span;
	uint64_t count = order->track_count ? order->first[order->track_count] : 0;

	if (!count)
		return false;
	picture->first_ns = INT64_MAX;
	picture->last_ns = INT64_MIN;
	for (uint64_t i = 0; i < count; i++) {
		tav_row row = order->rows[i];

		if (start[row] < picture->first_ns)
			picture->first_ns = start[row];
		if (end[row] > picture->last_ns)
			picture->last_ns = end[row];
	}
	if (__builtin_sub_overflow(picture->last_ns, picture->first_ns, &span) || span <= 0)
		return false;
	picture->bin_ns = ((uint64_t)span - 1) / picture->bins + 1;
	return true;
}

/* Adds a stretch, which no earlier one of its kind touches, to the bins that it lies in. */
static void cover(const struct picture *picture, uint64_t *bins, int64_t start, int64_t end)
{
	uint64_t from = (uint64_t)(start - picture->first_ns), to = (uint64_t)(end - picture->first_ns);

	while (from < to) {
		uint64_t bin = from / picture->bin_ns, left = (bin + 1) * picture->bin_ns - from;
		uint64_t part = to - from < left ? to - from : left;

		bins[bin] += part;
		from += part;
	}
}

/* The union of all work of at least that kind. Rows of a track come by their starts. */
static void cover_track(const struct picture *picture, uint32_t track, uint8_t least_kind, uint64_t *bins)
{
	const int64_t *start = COLUMN(picture->events, start_ns, int64_t);
	const int64_t *end = COLUMN(picture->events, end_ns, int64_t);
	const uint8_t *kind = COLUMN(picture->events, kind, uint8_t);
	int64_t reached = INT64_MIN;

	memset(bins, 0, MOST_BINS * sizeof(*bins));
	for (uint64_t i = picture->order->first[track]; i < picture->order->first[track + 1]; i++) {
		tav_row row = picture->order->rows[i];

		if (kind[row] < least_kind || end[row] <= reached)
			continue;
		cover(picture, bins, start[row] > reached ? start[row] : reached, end[row]);
		reached = end[row];
	}
}

static void put_bins(struct json_out *json, const char *key, const struct picture *picture, const uint64_t *all,
                     const uint64_t *above)
{
	emit_open_flat(json, key, '[');
	for (uint32_t i = 0; i < picture->bins; i++)
		emit_size(json, NULL, all[i] - (above ? above[i] : 0));
	emit_close(json, ']');
}

static void put_track(struct json_out *json, const struct picture *picture, uint32_t number)
{
	const struct tav_track *track = picture->events->tracks[number];
	uint64_t *compute = picture->covered, *communication = compute + MOST_BINS, *copy = communication + MOST_BINS;
	struct tav_text stream =
	        track->stream ? intern_text(&picture->events->values, track->stream) : (struct tav_text){"", 0};

	cover_track(picture, number, TAV_KIND_COMPUTE, compute);
	cover_track(picture, number, TAV_KIND_COMMUNICATION, communication);
	cover_track(picture, number, TAV_KIND_COPY, copy);
	emit_open_flat(json, NULL, '{');
	emit_size(json, "track", number);
	emit_text(json, "name", track->name);
	emit_text(json, "stream", stream);
	if (track->device == TAV_NONE)
		emit_null(json, "device");
	else
		emit_size(json, "device", track->device);
	put_bins(json, "compute", picture, compute, NULL);
	put_bins(json, "communication", picture, communication, compute);
	put_bins(json, "copy", picture, copy, communication);
	emit_close(json, '}');
}

static void put_picture(struct json_out *json, struct picture *picture, int64_t source_first_ns)
{
	int64_t first_rel_ns;
	uint32_t shown = 0;

	emit_open(json, NULL, '{');
	emit_chars(json, "schema", "tav-picture/1");
	if (__builtin_sub_overflow(picture->first_ns, source_first_ns, &first_rel_ns))
		emit_null(json, "first_rel_ns");
	else
		emit_integer(json, "first_rel_ns", first_rel_ns);
	emit_size(json, "span_ns", (uint64_t)picture->last_ns - (uint64_t)picture->first_ns);
	emit_size(json, "bin_ns", picture->bin_ns);
	emit_size(json, "bins", picture->bins);
	emit_open(json, "tracks", '[');
	for (uint32_t i = 0; i < picture->order->track_count; i++) {
		if (!has_rows(picture, i))
			continue;
		if (shown++ < picture->tracks)
			put_track(json, picture, i);
		else
			picture->omitted++;
	}
	emit_close(json, ']');
	emit_size(json, "omitted_tracks", picture->omitted);
	emit_close(json, '}');
}

bool picture_make(struct events *events, struct report_source *shown, uint32_t source_count)
{
	struct picture picture = {.events = events,
	                          .bins = source_count <= 8    ? MOST_BINS
	                                  : source_count <= 64 ? MOST_BINS / 4
	                                                       : LEAST_BINS,
	                          .tracks = source_count <= 8    ? MOST_TRACKS
	                                    : source_count <= 64 ? FEW_TRACKS
	                                                         : LEAST_TRACKS};
	struct causes causes = {0};
	char *text = NULL;
	size_t size = 0;
	bool is_ok = false;

	if (events_order(events, TAV_TRAIT_DEVICE, &picture.order, &causes)) {
		causes_clear(&causes);
		return false;
	}
	if (!find_window(&picture))
		return true;
	picture.covered = calloc(3 * MOST_BINS, sizeof(*picture.covered));
	FILE *memory = picture.covered ? open_memstream(&text, &size) : NULL;
	if (memory) {
		struct json_out json = {.out = memory};

		put_picture(&json, &picture, shown->facts.first_ns);
		is_ok = !ferror(memory) && !json.failed;
		is_ok &= fclose(memory) == 0;
	}
	while (is_ok && size && text[size - 1] == '\n')
		size--;
	shown->picture = is_ok ? arena_copy(&shown->results.arena, text, size) : NULL;
	shown->picture_size = shown->picture ? size : 0;
	free(text);
	free(picture.covered);
	return shown->picture;
}
