/* SPDX-License-Identifier: Apache-2.0 */
#include <base/text.h>
#include <report/event.h>

static struct tav_text value_of(const struct store *store, uint32_t value)
{
	return value < store->values.count ? intern_text(&store->values, value) : text_of(NULL);
}

/* A column that nobody asked for is not kept: what it would say is then missing. */
struct event_view event_view(const struct report *report, struct tav_ref ref)
{
	const struct store *store = report->store;
	const struct events *events = store->sources[ref.source];
	struct event_view view = {.ref = ref, .stream = text_of(NULL), .lane = text_of(NULL)};
	tav_row row = ref.row;
	uint32_t traits = events->traits.data ? COLUMN(events, traits, uint32_t)[row] : 0;
	uint32_t label = events->label.data ? COLUMN(events, label, uint32_t)[row] : UINT32_MAX;

	view.name = view.category = text_of(NULL);
	if (label < store->label_count) {
		struct label pair = ((const struct label *)store->labels.data)[label];

		view.name = value_of(store, pair.name);
		view.category = value_of(store, pair.category);
	}
	view.pid = value_of(store, events->pid.data ? COLUMN(events, pid, uint32_t)[row] : 0);
	view.tid = value_of(store, events->tid.data ? COLUMN(events, tid, uint32_t)[row] : 0);
	view.offset = events->offset.data ? COLUMN(events, offset, uint64_t)[row] : 0;
	uint32_t track = events->track.data ? COLUMN(events, track, uint32_t)[row] : TAV_NONE;
	if (track < events->track_count && events->tracks[track]->flags & TAV_TRACK_DEVICE) {
		view.stream = value_of(store, events->tracks[track]->stream);
		view.lane = events->tracks[track]->lane;
	}
	if (events->start_ns.data && events->end_ns.data && !(traits & TAV_TRAIT_UNUSABLE)) {
		view.has_time = true;
		view.start_ns = COLUMN(events, start_ns, int64_t)[row];
		view.end_ns = COLUMN(events, end_ns, int64_t)[row];
		view.duration_ns = (uint64_t)view.end_ns - (uint64_t)view.start_ns;
	}
	return view;
}
