/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tav/edits.h - the extension "tav.edits/1": what the trace report (`--report trace=OUT.json`) will change. A stage
 * never writes and never changes what it is shown; it hands edits to the host, which writes the input once more with
 * the edits of all stages. A dropped event is gone, whatever else was said of it; two stages that set the same member
 * of the same event are an error. Added events take part in a later map() and shift().
 * A source has no edits until a stage gives some: then the report is a copy, byte for byte.
 */
#ifndef TAV_EDITS_H
#define TAV_EDITS_H

#include <tav/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAV_EDITS_ID "tav.edits/1"

/* More of a B or E that found no partner. Frozen. */
struct tav_unmatched_time {
	uint64_t offset;
	int64_t ns;        /* of its ts */
	uint32_t has_time; /* 0: it has none that can be used */
	uint32_t pid;      /* value id */
};

struct tav_edits { /* [owner] */
	uint32_t struct_size, reserved;
	int32_t (*is_wanted)(struct tav_self *); /* 1: a trace report will be written */
	/* each() only: bit r % 64 of word r / 64 for each row that goes; both events of a pair. */
	tav_status (*drop)(struct tav_self *, uint32_t source, const uint64_t *rows);
	/* each() only: events without a row (an unmatched E), by the offset of their '{'. */
	tav_status (*drop_at)(struct tav_self *, uint32_t source, uint64_t count, const uint64_t *offsets);
	/*
	 * each() only. The member `path` ("ts", "tid", "args.KEY") of rows[i] becomes json[i], a JSON text; size 0: it
	 * goes. `keep`: where the old text is kept as it stood, "args.orig_ts", unless that is there already; or NULL.
	 */
	tav_status (*set)(struct tav_self *, uint32_t source, const char *path, const char *keep, uint64_t count,
	                  const tav_row *rows, const struct tav_text *json);
	/*
	 * Wherever `path` ("pid", "args.KEY", "id2.global") has one of these values, named as value ids are (without
	 * quotes and escapes), that json stands instead. By distinct value, not by event.
	 */
	tav_status (*map)(struct tav_self *, uint32_t source, const char *path, uint64_t count,
	                  const struct tav_text *values, const struct tav_text *json);
	tav_status (*shift)(struct tav_self *, uint32_t source, int64_t ns); /* every ts but of metadata */
	/* each() only: one event, a JSON object, behind that row (its E, for a pair); TAV_NONE: behind the last. */
	tav_status (*add)(struct tav_self *, uint32_t source, tav_row behind, struct tav_text event);
	/* A member of the top-level object; size 0: it goes. */
	tav_status (*top)(struct tav_self *, uint32_t source, const char *key, struct tav_text json);
	/* Every whole number at `path` grows by `by`: 17, "17" and "0x1f" alike; what is no number stays. */
	tav_status (*offset)(struct tav_self *, uint32_t source, const char *path, int64_t by);
	/* map() of the metadata events called `name` alone: "process_name". */
	tav_status (*map_metadata)(struct tav_self *, uint32_t source, const char *name, const char *path,
	                           uint64_t count, const struct tav_text *values, const struct tav_text *json);
	/* Of the object at `path`, "args" or "" for the event itself, only members with these keys stay. */
	tav_status (*only)(struct tav_self *, uint32_t source, const char *path, uint64_t count,
	                   const struct tav_text *keys);
	/* Every name but these, and those of metadata, becomes "op_" and its SipHash with that key, equal ones equal.
	 */
	tav_status (*hide)(struct tav_self *, uint32_t source, const uint64_t key[2], uint64_t count,
	                   const struct tav_text *keep);
	tav_status (*shorten)(struct tav_self *,
	                      uint32_t source); /* paths in names and args: to their last two parts */
	tav_status (*leave_out)(struct tav_self *, uint32_t source); /* nothing of this source is written */
	/* each() only: of the host's unmatched(), one by one. */
	const struct tav_unmatched_time *(*unmatched_times)(struct tav_self *, uint32_t source, uint64_t *count);
};

#ifdef __cplusplus
}
#endif
#endif
