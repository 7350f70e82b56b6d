/* SPDX-License-Identifier: Apache-2.0 */
/* The picture of a source put together, within the bytes that are its share. */
#include <picture/picture_of.h>
#include <stdlib.h>
#include <string.h>

#include <kit/format.h>
#include <kit/memory_file.h>

enum {
	MOST_BINS = 1024,
	MANY_TRACKS = 64, /* from here on a quarter of the bins will do */
	LEAST_BINS = 64,
	TRACK_BYTES = 400, /* of a track besides its bins, about */
	LEAST_SHARE = 4096,
	TEMPLATE_BYTES = 65536, /* of a page without its data */
	MOST_PICTURES = 32,     /* that a page shows of many sources */
	MOST_MEMORY = 64000000  /* for all pictures of a run, also of those that no page will show */
};

/* ---- What there is ------------------------------------------------------------------------------------------------
 */
/* Tracks with device events that have a time; events from before all others were never stamped. */
static bool take_tracks(struct picture *picture)
{
	const struct tav_order *order = picture->order;

	picture->tracks = arena_array(&picture->arena, order->track_count, sizeof(*picture->tracks));
	if (!picture->tracks)
		return false;
	for (uint32_t i = 0; i < order->track_count; i++) {
		struct picture_track track = {.number = i, .first = order->first[i], .end = order->first[i + 1]};

		while (track.first < track.end &&
		       picture->start_ns[order->rows[track.first]] < picture->events->first_ns)
			track.first++;
		picture->unstamped_count += track.first - order->first[i];
		if (track.first == track.end)
			continue;
		picture->event_count += track.end - track.first;
		picture->tracks[picture->track_count++] = track;
	}
	return true;
}

static bool take_reach(struct picture *picture)
{
	uint64_t blocks = 0;

	for (uint32_t i = 0; i < picture->track_count; i++) {
		picture->tracks[i].reach = blocks;
		blocks += (picture->tracks[i].end - picture->tracks[i].first - 1) / REACH_BLOCK + 1;
	}
	picture->latest = arena_array(&picture->arena, blocks, sizeof(*picture->latest));
	picture->reached = arena_array(&picture->arena, blocks, sizeof(*picture->reached));
	return picture->latest && picture->reached;
}

/* The latest ends of a track; in times of the file, for the first one is not known yet. */
static int64_t find_reach(struct picture *picture, const struct picture_track *track)
{
	const tav_row *rows = picture->order->rows;
	int64_t reached = INT64_MIN;

	for (uint64_t i = track->first, block = track->reach; i < track->end; block++) {
		int64_t latest = INT64_MIN;
		uint64_t end = track->end - i < REACH_BLOCK ? track->end : i + REACH_BLOCK;

		for (; i < end; i++)
			latest = picture->end_ns[rows[i]] > latest ? picture->end_ns[rows[i]] : latest;
		reached = latest > reached ? latest : reached;
		picture->latest[block] = latest;
		picture->reached[block] = reached;
	}
	return reached;
}

/* The window of all device work. False: it has no length, or none that can be told. */
static bool find_window(struct picture *picture)
{
	int64_t first = INT64_MAX, last = INT64_MIN;

	for (uint32_t i = 0; i < picture->track_count; i++) {
		struct picture_track *track = &picture->tracks[i];
		int64_t start = picture->start_ns[picture->order->rows[track->first]];
		int64_t reached = find_reach(picture, track);

		first = start < first ? start : first;
		last = reached > last ? reached : last;
	}
	if (!picture->track_count || __builtin_sub_overflow(last, first, &picture->span) || picture->span <= 0 ||
	    picture->span > INT64_MAX / 4)
		return false;
	picture->first_ns = first;
	for (uint32_t i = 0; i < picture->track_count; i++) {
		const struct picture_track *track = &picture->tracks[i];
		uint64_t blocks = (track->end - track->first - 1) / REACH_BLOCK + 1;

		for (uint64_t k = track->reach; k < track->reach + blocks; k++) {
			picture->latest[k] -= first;
			picture->reached[k] -= first;
		}
	}
	return true;
}

/* ---- What is drawn ------------------------------------------------------------------------------------------------
 */
static int compare_worth(const void *left, const void *right)
{
	const struct picture_track *a = left, *b = right;

	if (a->is_found != b->is_found)
		return a->is_found ? -1 : 1;
	if (a->end - a->first != b->end - b->first)
		return a->end - a->first > b->end - b->first ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static int compare_numbers(const void *left, const void *right)
{
	const struct picture_track *a = left, *b = right;

	return a->number < b->number ? -1 : a->number > b->number;
}

/* Half of the share is for bins, at worst two bytes in each of two strips, as base64. */
static uint64_t tracks_within(const struct picture *picture, uint64_t bins)
{
	return picture->share / 2 / (base64_size(4 * bins) + TRACK_BYTES);
}

static uint64_t bin_width(int64_t span, uint64_t most)
{
	return ((uint64_t)span - 1) / most + 1;
}

static uint64_t bins_of(int64_t span, uint64_t most)
{
	return ((uint64_t)span - 1) / bin_width(span, most) + 1;
}

/* How fine the bins are, and of too many tracks those with findings, then those with most events. */
static void choose_tracks(struct picture *picture)
{
	uint64_t bins = picture->track_count < MANY_TRACKS ? MOST_BINS : MOST_BINS / 4, most;

	while (bins > LEAST_BINS && tracks_within(picture, bins) < picture->track_count)
		bins /= 4;
	most = tracks_within(picture, bins);
	most = most ? most : 1;
	picture->drawn_count = most < picture->track_count ? (uint32_t)most : picture->track_count;
	if (picture->drawn_count < picture->track_count) {
		mark_found_tracks(picture);
		qsort(picture->tracks, picture->track_count, sizeof(*picture->tracks), compare_worth);
		qsort(picture->tracks, picture->drawn_count, sizeof(*picture->tracks), compare_numbers);
	}
	picture->bin_ns = bin_width(picture->span, bins);
	picture->bins = bins_of(picture->span, bins);
}

static uint64_t events_on_drawn(const struct picture *picture)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < picture->drawn_count; i++)
		count += picture->tracks[i].end - picture->tracks[i].first;
	return count;
}

/* The finest list of events that fits what is left of the share. */
static bool choose_events(const struct picture *picture, struct listed *listed, size_t used, bool *has_lanes)
{
	static const struct {
		uint64_t most_each;
		bool has_lanes;
	} levels[] = {{UINT64_MAX, true}, {100, true}, {100, false}, {40, false}, {10, false}, {0, false}};
	uint64_t most = picture->options->max_events / picture->options->source_count;

	for (size_t i = events_on_drawn(picture) > most; i < sizeof(levels) / sizeof(levels[0]); i++) {
		if (!list_events(picture, listed, levels[i].most_each, levels[i].has_lanes))
			return false;
		*has_lanes = levels[i].has_lanes;
		if (i + 1 == sizeof(levels) / sizeof(levels[0]) || listed->bytes + used <= picture->share)
			break;
		listed_fini(listed);
	}
	return true;
}

/* ---- Written ------------------------------------------------------------------------------------------------------
 */
static void put_known(struct json_out *json, const char *key, struct tav_text text)
{
	if (text.size)
		emit_text(json, key, text);
	else
		emit_null(json, key);
}

static bool put_track(struct json_out *json, const struct picture *picture, uint32_t number, struct cover *cover)
{
	const struct picture_track *drawn = &picture->tracks[number];
	const struct tav_track *track = picture->events->tracks[drawn->number];
	struct arena arena = {0};
	bool is_ok = true;
	static const char *const strips[STRIPS] = {"copy", "communication", "compute", "twice"};
	static const unsigned order[STRIPS] = {2, 1, 0, 3};

	cover_track(picture, drawn, cover);
	emit_open_flat(json, NULL, '{');
	emit_size(json, "track", drawn->number);
	emit_text(json, "name", track->name);
	put_known(json, "pid", intern_kept(&picture->events->values, track->pid));
	put_known(json, "stream", intern_kept(&picture->events->values, track->stream));
	put_known(json, "lane", track->lane);
	if (track->device == TAV_NONE)
		emit_null(json, "device");
	else
		emit_size(json, "device", track->device);
	emit_bool(json, "serial", track->flags & TAV_TRACK_SERIAL);
	emit_size(json, "events", drawn->end - drawn->first);
	emit_size(json, "compute_ns", cover->total[2]);
	emit_size(json, "communication_ns", cover->total[1] - cover->total[2]);
	emit_size(json, "copy_ns", cover->total[0] - cover->total[1]);
	emit_size(json, "twice_ns", cover->total[3]);
	for (unsigned i = 0; is_ok && i < STRIPS; i++) {
		unsigned strip = order[i];
		const uint64_t *above = strip < 2 ? cover->ns[strip + 1] : NULL;

		is_ok = emit_bins(json, strips[strip], &arena, cover->ns[strip], above, picture->bins, picture->bin_ns);
	}
	emit_close(json, '}');
	arena_fini(&arena);
	return is_ok;
}

static bool put_tracks(struct json_out *json, struct picture *picture)
{
	struct cover cover;
	bool is_ok = cover_init(&cover, &picture->arena, picture->bins);

	emit_open(json, "tracks", '[');
	for (uint32_t i = 0; is_ok && i < picture->drawn_count; i++)
		is_ok = put_track(json, picture, i, &cover);
	emit_close(json, ']');
	return is_ok;
}

static void put_cut(struct json_out *json, const char *what, uint64_t kept, uint64_t of, const char *why)
{
	if (kept == of)
		return;
	emit_open_flat(json, NULL, '{');
	emit_chars(json, "what", what);
	emit_size(json, "kept", kept);
	emit_size(json, "of", of);
	emit_chars(json, "why", why);
	emit_close(json, '}');
}

static void put_cuts(struct json_out *json, const struct picture *picture, const struct listed *listed, bool has_lanes,
                     struct step_count steps)
{
	uint64_t most = picture->options->max_events / picture->options->source_count;
	uint64_t on_drawn = events_on_drawn(picture);
	char events[FORMAT_SIZE], bin[FORMAT_SIZE], why[256];

	emit_open(json, "cut", '[');
	put_cut(json, "unstamped", 0, picture->unstamped_count,
	        "device events without a time (they say 0) have no place on the timeline");
	put_cut(json, "tracks", picture->drawn_count, picture->track_count,
	        "more tracks than this page has room for (max_bytes): those with findings and those with most events "
	        "are drawn");
	put_cut(json, "bins", picture->bins, bins_of(picture->span, MOST_BINS),
	        "with so many tracks or sources the bins are coarser");
	snprintf(why, sizeof(why),
	         "single events are listed near findings only, for all of them are more than %s%s allows; elsewhere "
	         "stands the exact share of each %s",
	         on_drawn > most ? "max_events, here " : "max_bytes", on_drawn > most ? format_size(events, most) : "",
	         format_duration(bin, (int64_t)picture->bin_ns));
	put_cut(json, "events", listed->event_count, picture->event_count, why);
	if (!has_lanes)
		put_cut(json, "lanes", 0, 1, "annotations and launches would not keep to max_bytes");
	if (!listed->is_whole)
		put_cut(json, "findings", listed->near.told, listed->near.found,
		        "the events around the others would not keep to max_bytes");
	put_cut(json, "steps", steps.kept, steps.all, "more steps than this page has room for (max_bytes)");
	emit_close(json, ']');
}

static bool put_picture(struct json_out *json, struct picture *picture)
{
	struct listed listed = {0};
	struct step_count steps;
	int64_t first_rel_ns;
	bool has_lanes = false, is_ok;

	emit_open(json, NULL, '{');
	emit_chars(json, "schema", "tav-picture/2");
	if (__builtin_sub_overflow(picture->first_ns, picture->events->first_ns, &first_rel_ns))
		emit_null(json, "first_rel_ns");
	else
		emit_integer(json, "first_rel_ns", first_rel_ns);
	emit_integer(json, "span_ns", picture->span);
	emit_size(json, "bin_ns", picture->bin_ns);
	emit_size(json, "bins", picture->bins);
	is_ok = put_devices(json, picture) && put_tracks(json, picture);
	steps = put_steps(json, picture);
	long used = ftell(json->out);
	if (is_ok && used >= 0 && choose_events(picture, &listed, (size_t)used, &has_lanes) &&
	    put_listed(json, picture, &listed))
		put_cuts(json, picture, &listed, has_lanes, steps);
	else
		is_ok = false;
	listed_fini(&listed);
	emit_close(json, '}');
	return is_ok;
}

static bool write_picture(struct picture *picture, struct report_source *shown)
{
	struct memory_file memory;
	bool is_ok = false;

	if (memory_file_open(&memory)) {
		struct json_out json = {
		        .out = memory.out, .is_compact = true, .is_anonymous = picture->options->is_anonymous};

		is_ok = put_picture(&json, picture) && !json.failed;
		is_ok &= memory_file_close(&memory);
	}
	while (is_ok && memory.size && memory.text[memory.size - 1] == '\n')
		memory.size--;
	shown->picture = is_ok ? arena_copy(&shown->results.arena, memory.text, memory.size) : NULL;
	shown->picture_size = shown->picture ? memory.size : 0;
	free(memory.text);
	return shown->picture;
}

static uint64_t share_of(const struct picture_options *options)
{
	uint64_t count = options->source_count, shown = count < MOST_PICTURES ? count : MOST_PICTURES;
	uint64_t data = options->max_bytes > TEMPLATE_BYTES ? options->max_bytes - TEMPLATE_BYTES : 0;
	uint64_t share = data / 2 / shown, most = MOST_MEMORY / count;

	share = share < most ? share : most;
	return share > LEAST_SHARE ? share : LEAST_SHARE;
}

bool picture_make(struct events *events, struct report_source *shown, const struct picture_options *options)
{
	struct picture picture = {.events = events,
	                          .options = options,
	                          .shown = shown,
	                          .start_ns = COLUMN(events, start_ns, const int64_t),
	                          .end_ns = COLUMN(events, end_ns, const int64_t),
	                          .kind = COLUMN(events, kind, const uint8_t),
	                          .share = share_of(options)};
	struct causes causes = {0};
	bool is_ok = !events_order(events, TAV_TRAIT_DEVICE, &picture.order, &causes);

	causes_clear(&causes);
	is_ok = is_ok && take_tracks(&picture) && take_reach(&picture);
	if (is_ok && find_window(&picture)) {
		choose_tracks(&picture);
		is_ok = write_picture(&picture, shown);
	}
	arena_fini(&picture.arena);
	return is_ok;
}
