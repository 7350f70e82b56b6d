/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tav-gen: traces of any size whose right answers are known. Every event is a pure function of the options, the seed
 * and its number, so that any order of them costs no memory and two runs give the same bytes.
 */
#ifndef GEN_GEN_H
#define GEN_GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- What is asked for -------------------------------------------------------------------------------------- */
enum gen_form { FORM_OBJECT, FORM_ARRAY, FORM_LINES };
enum gen_style { STYLE_KINETO, STYLE_COMPACT };
enum gen_order { ORDER_FILE, ORDER_SHUFFLED };
enum gen_nested { NESTED_NO, NESTED_ONE, NESTED_DEEP };
struct gen_options {
	uint64_t events; /* objects in the event list, metadata events included, a defect's extra event not */
	uint64_t streams, devices, device_share, overlaps, seed, python_depth, kernel_names, rank;
	enum gen_form form;
	enum gen_style style;
	enum gen_order order;
	enum gen_nested nested;
	bool is_native;
	const char *defect;  /* NULL: none */
	uint64_t world_size; /* in distributedInfo; 0: rank + 1 */
};

/* ---- Names, already escaped as JSON wants it ----------------------------------------------------------------- */
#define NAME_MAX_SIZE 480
struct name {
	uint16_t size;
	char text[NAME_MAX_SIZE];
};
struct names {
	struct name *kernels, *operators, *frames;
	uint32_t kernel_count, operator_count, frame_count;
};
bool names_init(struct names *names, uint32_t kernel_count); /* false: no memory */
void names_free(struct names *names);

/* ---- Numbers that look random and are not -------------------------------------------------------------------- */
static inline uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}
struct permutation { /* of 0 .. n - 1 */
	uint64_t n, key;
	unsigned half_bits;
};
struct permutation permutation_of(uint64_t n, uint64_t key);
uint64_t permute(const struct permutation *permutation, uint64_t i);

/* ---- The plan: which event stands where ---------------------------------------------------------------------- */
enum event_kind {
	EVENT_DEVICE,
	EVENT_RUNTIME,
	EVENT_OPERATOR,
	EVENT_FRAME, /* of Python */
	EVENT_FLOW_START,
	EVENT_FLOW_END,
	EVENT_STEP,        /* ProfilerStep#N */
	EVENT_DEVICE_STEP, /* the same on the device's rows; not device work */
	EVENT_PREP,        /* native: preparation on the host */
	EVENT_DMA,         /* native: in or out */
	EVENT_META,
	EVENT_KINDS
};
enum device_kind { DEVICE_KERNEL, DEVICE_MEMCPY, DEVICE_MEMSET, DEVICE_KINDS };

struct slot { /* one place of a block */
	uint8_t kind, index;
};
#define BLOCK_SLOTS 100
struct plan {
	const struct gen_options *options;
	const struct names *names;
	struct slot slots[BLOCK_SLOTS];
	uint32_t device_before[BLOCK_SLOTS + 1];   /* device events in the block before slot i */
	uint32_t numbered_before[BLOCK_SLOTS + 1]; /* operators and frames, which the profiler numbers */
	uint32_t device_step_slot; /* of the second operator, in whose place a device's step may stand */
	uint64_t body_count;       /* units but metadata */
	uint32_t devices, launches, operators, frames, flows, preps, transfers, positions; /* in a block */
	uint64_t meta_count, unit_count; /* a unit is one event, or a B/E pair of a native trace */
	uint64_t device_count;
	int64_t cell_ns; /* the time of one device event on its stream, with the gap behind it */
	int64_t block_ns, end_ns;
	uint64_t group_count, seeded_count, last_is_single;
	struct permutation groups, units;
};

struct event {
	enum event_kind kind;
	enum device_kind device_kind;
	const struct name *name;
	uint64_t number, hash; /* number: of its kind */
	uint64_t pid, tid, stream, device, correlation, external;
	uint64_t ev_idx;          /* of operators, frames and steps of the host */
	uint64_t kernels, launch; /* of a call: how many device events it launches; its number */
	int64_t start_ns, dur_ns;
};

/* False: `why` says what the options ask for and cannot get. */
bool plan_init(struct plan *plan, const struct gen_options *options, const struct names *names, char *why, size_t size);
void plan_event(const struct plan *plan, uint64_t unit, struct event *event);

/* ---- The right answers, in the words of overlap-verify ------------------------------------------------------- */
struct answers {
	uint64_t events, device_events, tracks, measured_events, measured_tracks;
	uint64_t overlaps, partial_overlaps, overlap_pairs, duplicate_records, zero_duration_events, unusable_events;
	int64_t overlap_ns;
	struct {
		uint64_t count;
		int64_t total_ns;
	} kinds[EVENT_KINDS], device_kinds[DEVICE_KINDS];
	uint64_t bytes; /* before compression */
};
void plan_tally(const struct plan *plan, const struct event *event, struct answers *answers);
void plan_tally_streams(const struct plan *plan, struct answers *answers);

/* ---- Where the bytes go -------------------------------------------------------------------------------------- */
enum sink_damage { DAMAGE_NONE, DAMAGE_CRC, DAMAGE_CUT };
struct sink {
	char *at, *limit; /* free space for text */
	char *buffer;
	uint64_t bytes; /* flushed text */
	int fd;
	bool is_gzip;
	enum sink_damage damage;
	struct sink_gzip *gzip;
	const char *error; /* NULL: none; text of the first one */
};
#define SINK_ROOM 8192                                     /* free bytes after sink_room() */
bool sink_open(struct sink *sink, int fd, int gzip_level); /* gzip_level -1: plain; false: no memory */
bool sink_flush(struct sink *sink);
static inline bool sink_room(struct sink *sink)
{
	return sink->limit - sink->at >= SINK_ROOM || sink_flush(sink);
}
bool sink_close(struct sink *sink); /* ends the stream; the descriptor stays open */

struct defect;
struct fault;

/* ---- Events as text ------------------------------------------------------------------------------------------ */
void write_head(struct sink *sink, const struct gen_options *options, const struct defect *defect,
                const struct fault *fault);
/* Separators included; one object or two. `is_first` as the first of the list. */
void write_event(struct sink *sink, const struct plan *plan, const struct event *event, bool is_first);
void write_extra(struct sink *sink, const struct gen_options *options, const char *text, bool is_first);
void write_tail(struct sink *sink, const struct gen_options *options, const struct defect *defect);

/* ---- Defects: what is wrong with an otherwise right trace ----------------------------------------------------- */
struct defect {
	const char *name, *help;
	const char *extra; /* put before the event in the middle of the list, as an event of its own; NULL: none */
	const char *before, *tail; /* put before everything; put at the end of the list */
	enum sink_damage damage;
	bool is_cut;      /* the text ends within the event in the middle */
	bool is_unclosed; /* ends without its brackets */
	bool is_unusable; /* the extra event is a device event without a time */
};
extern const struct defect defects[]; /* ends with a NULL name */

/* ---- Faults: what makes a right trace one that cannot be believed, as the pipeline trust tells ---------------- */
struct fault {
	const char *name, *help;
	const char *check; /* of the pipeline trust */
	/* How often the event is written (0: left out), after changes to it. */
	unsigned (*plant)(const struct plan *plan, struct event *event);
	const char *extra;    /* an event of its own in the middle; NULL: none */
	const char *metadata; /* a further member of the object, with a comma in front; NULL: none */
};
extern const struct fault faults[]; /* ends with a NULL name */
const struct fault *fault_find(const char *name);
const struct defect *defect_find(const char *name);

#endif
