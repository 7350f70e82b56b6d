/* SPDX-License-Identifier: Apache-2.0 */
/* A picture in the making, shared by the files of this folder. Times are ns since its first device event. */
#ifndef PICTURE_PICTURE_OF_H
#define PICTURE_PICTURE_OF_H

#include <picture/encode.h>
#include <picture/picture.h>

enum { REACH_BLOCK = 256 };

struct stretch {
	int64_t from, to; /* [from, to) */
};
struct picture_track {
	uint32_t number;
	uint64_t first, end; /* its rows in the order, without those that were never stamped */
	uint64_t reach;      /* where its blocks begin in `latest` and `reached` of the picture */
	bool is_found;       /* an event of a finding lies on it */
};
struct picture {
	struct arena arena;
	struct events *events;
	const struct picture_options *options;
	const struct report_source *shown;
	const struct tav_order *order;
	const int64_t *start_ns, *end_ns;
	const uint8_t *kind;
	int64_t first_ns, span;
	uint64_t bins, bin_ns;
	struct picture_track *tracks; /* with device work; those that are drawn come first, in their order */
	uint32_t track_count, drawn_count;
	uint64_t event_count, unstamped_count; /* on all of them */
	/* Latest end among the rows of each block of REACH_BLOCK, and up to its end: who runs at a time is found fast.
	 */
	int64_t *latest, *reached;
	uint64_t share; /* bytes that the picture may have */
};

static inline int64_t start_of(const struct picture *picture, uint64_t position)
{
	return picture->start_ns[picture->order->rows[position]] - picture->first_ns;
}
static inline int64_t end_of(const struct picture *picture, uint64_t position)
{
	return picture->end_ns[picture->order->rows[position]] - picture->first_ns;
}

/* ---- cover.c: the time of a track, in bins ----------------------------------------------------------------------- */
enum { STRIPS = 4 }; /* all work, at least communication, compute; work of more than one event */
struct cover {
	uint64_t *ns[STRIPS]; /* of each bin */
	uint64_t total[STRIPS];
};
bool cover_init(struct cover *cover, struct arena *arena, uint64_t bins); /* false: no memory */
void cover_track(const struct picture *picture, const struct picture_track *track, struct cover *cover);

/* ---- charts.c: devices over all their tracks ----------------------------------------------------------------------
 */
bool put_devices(struct json_out *json, const struct picture *picture); /* false: no memory */

/* ---- near.c: where findings are -----------------------------------------------------------------------------------
 */
struct positions {
	uint64_t *items;
	size_t count, capacity;
};
bool positions_add(struct positions *found, uint64_t position); /* false: no memory */
/* Positions in the order of the events of a track that touch a stretch, added to `found`. False: no memory. */
bool find_touching(const struct picture *picture, const struct picture_track *track, struct stretch stretch,
                   struct positions *found);
/*
 * Stretches around at most `most_each` instances of each finding, in order and apart from one another; within them
 * every event will be listed. `found`, `told`: the instances there are, and those that have one. False: no memory.
 */
struct near {
	struct stretch *items;
	size_t count;
	uint64_t found, told;
};
bool find_near(const struct picture *picture, struct arena *arena, uint64_t most_each, struct near *near);
void mark_found_tracks(struct picture *picture);

/* ---- list.c: events one by one -------------------------------------------------------------------------------------
 */
struct lane {
	const char *what; /* "annotation", "launch"; NULL: device events */
	uint32_t track;
	uint64_t count;
	int64_t from, before;
	struct bytes data;
};
struct listed {
	struct arena arena;
	struct near near;
	bool is_whole;
	struct lane *events, *lanes;
	uint32_t events_count, lane_count;
	uint32_t *number_of_label; /* + 1; 0: not named yet */
	uint32_t *labels;          /* by number */
	uint32_t name_count;
	uint64_t event_count; /* listed */
	size_t bytes;         /* in the picture, about */
};
/* `most_each` UINT64_MAX: everything. False: no memory. */
bool list_events(const struct picture *picture, struct listed *listed, uint64_t most_each, bool has_lanes);
bool put_listed(struct json_out *json, const struct picture *picture, struct listed *listed);
void listed_fini(struct listed *listed);

/* ---- steps.c -------------------------------------------------------------------------------------------------------
 */
struct step_count {
	uint64_t kept, all;
};
struct step_count put_steps(struct json_out *json, const struct picture *picture);

#endif
