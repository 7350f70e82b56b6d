/* SPDX-License-Identifier: Apache-2.0 */
/* How long each kind of work runs in each bin of a track: unions, not sums, in one pass over its events. */
#include <picture/picture_of.h>
#include <string.h>

bool cover_init(struct cover *cover, struct arena *arena, uint64_t bins)
{
	for (unsigned i = 0; i < STRIPS; i++) {
		cover->ns[i] = arena_array(arena, bins, sizeof(*cover->ns[i]));
		if (!cover->ns[i])
			return false;
	}
	return true;
}

/* What has been covered so far; stretches come by their starts, so that the bin of the next one is never far. */
struct strip {
	uint64_t *ns;
	uint64_t total, width;
	uint64_t bin;
	int64_t bin_end;
	int64_t reached; /* all before it is covered, or has no work */
};

static inline void add(struct strip *strip, int64_t from, int64_t to)
{
	if (from < strip->reached)
		from = strip->reached;
	if (from >= to)
		return;
	strip->reached = to;
	strip->total += (uint64_t)(to - from);
	if (from >= strip->bin_end) {
		uint64_t bins = (uint64_t)(from - strip->bin_end) / strip->width + 1;

		strip->bin += bins;
		strip->bin_end += (int64_t)(bins * strip->width);
	}
	while (to > strip->bin_end) { /* the last bin ends behind the last event */
		strip->ns[strip->bin++] += (uint64_t)(strip->bin_end - from);
		from = strip->bin_end;
		strip->bin_end += (int64_t)strip->width;
	}
	strip->ns[strip->bin] += (uint64_t)(to - from);
}

void cover_track(const struct picture *picture, const struct picture_track *track, struct cover *cover)
{
	struct strip strips[STRIPS];

	for (unsigned i = 0; i < STRIPS; i++) {
		memset(cover->ns[i], 0, picture->bins * sizeof(*cover->ns[i]));
		strips[i] = (struct strip){
		        .ns = cover->ns[i], .width = picture->bin_ns, .bin_end = (int64_t)picture->bin_ns};
	}
	for (uint64_t i = track->first; i < track->end; i++) {
		int64_t start = start_of(picture, i), end = end_of(picture, i), before = strips[0].reached;
		uint8_t kind = picture->kind[picture->order->rows[i]];

		add(&strips[3], start, end < before ? end : before);
		add(&strips[0], start, end);
		if (kind >= TAV_KIND_COMMUNICATION)
			add(&strips[1], start, end);
		if (kind >= TAV_KIND_COMPUTE)
			add(&strips[2], start, end);
	}
	for (unsigned i = 0; i < STRIPS; i++)
		cover->total[i] = strips[i].total;
}
