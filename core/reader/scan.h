/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JSON scanner: RFC 8259, cut into events. It runs over one view of the text after the other. Where a view ends
 * within an event, the scanner forgets what it saw of it and says from where the next view must begin (`keep`), so
 * that every event is read from one piece of memory.
 */
#ifndef READER_SCAN_H
#define READER_SCAN_H

#include <reader/build.h>

enum { SCAN_MAX_DEPTH = 1000 };

struct view {
	const char *begin, *end; /* zeros follow, INPUT_PADDING of them */
	uint64_t offset;         /* of `begin` in the whole text */
	uint64_t line;           /* of `begin`, from 1 */
	uint64_t line_start;     /* offset of the first byte of that line */
	bool is_last;
};

enum scan_place {
	PLACE_START = 0,
	PLACE_FIRST_EVENT, /* behind the '[' */
	PLACE_EVENT,       /* an event must come */
	PLACE_AFTER_EVENT,
	PLACE_AFTER_MEMBER, /* of the top-level object */
	PLACE_END           /* nothing but white space may come */
};

enum scan_result { SCAN_OK = 0, SCAN_MORE, SCAN_CUT, SCAN_BAD, SCAN_NO_MEMORY };

/* What is counted while an event is read, and reported when it is whole. */
enum {
	PENDING_TRAILING_COMMA = 0,
	PENDING_NOT_A_NUMBER,
	PENDING_CONTROL,
	PENDING_ESCAPE,
	PENDING_NOT_OBJECT,
	PENDING_DUPLICATE,
	PENDING_UTF8,
	PENDING_DOCUMENT,
	PENDING_COUNT
};
struct pending {
	uint64_t count;
	const char *first, *key;
	size_t key_size;
};

/* The same, kept from a part until it is joined: the first of its kind, and how many there were. */
struct sighting {
	unsigned kind;
	uint64_t count, event; /* number of the event, from 1 */
	const char *first, *key;
	size_t key_size;
	const struct intern *values; /* where the event's name is */
	uint32_t name;
};

/*
 * The text between two values that was met before: from the end of one value to the start of the next. Writers put the
 * same keys with the same blanks behind each other again and again, so comparing these bytes as a whole stands in for
 * reading them. Steps form a tree along an event; each knows the steps that followed it.
 */
enum { STEP_BYTES = 64, MAX_STEPS = 2048, MAX_FOLLOWERS = 12 };
struct step {
	char bytes[STEP_BYTES];
	struct step *next; /* another one after the same step */
	struct followers *followers;
	const struct key *key;
	uint64_t seen_mask;
	uint32_t seen_word;
	uint8_t size;
	uint8_t role;    /* key->fast_role */
	bool is_busy;    /* it does more than to lead to a value: args begin, or an event ends */
	bool is_in_args; /* where the value is */
	bool ends_event, begins_event;
	uint8_t begin; /* with ends_event: place of the new event's '{' */
	uint8_t key_at, key_size;
	uint8_t args_before_at, args_at; /* their '{' */
	uint8_t args_end;                /* behind the '}' of args that are wanted as a whole; 0: none ends in it */
	const struct key *args_before, *args; /* args that begin in it: before and after the end of an event */
	/* The array or object that was its value the last time: arguments such as shapes and types come again and
	 * again. */
	char *last_value; /* LAST_BYTES; NULL: none yet */
	size_t last_size;
};
enum { LAST_BYTES = 64 };
struct followers {
	struct step *first;
	uint32_t count;
};
/* Two steps that lead into a new event by the same text from its '{' on have the same followers. */
enum { MAX_ENTRIES = 32 };
struct entry {
	char bytes[STEP_BYTES];
	size_t size;
	struct followers followers;
};

struct scan;
/* The scanner itself, one for each instruction set. */
typedef enum scan_result (*scan_code)(struct scan *scan);

struct scan {
	struct build *build;
	scan_code code;
	struct view view;
	enum scan_place place;
	uint32_t form; /* TAV_FORM_...; EMPTY: not known yet */
	bool is_lenient;
	bool has_bracket;    /* the list began with '[' */
	bool has_top;        /* within the top-level object */
	bool has_ended;      /* PLACE_END has been reached */
	bool is_cut;         /* lenient: the end was missing */
	bool is_further;     /* lenient: this is not the first document; its members but the events are left out */
	uint32_t first_form; /* of the first one; EMPTY: there is one only */
	bool has_whole_args; /* somebody wants args as JSON */
	bool is_of_counters; /* and nobody but of counters */
	const char *keep;    /* what the next view must begin with */

	/* within an event */
	const struct step *step; /* a known step that was taken last, and not settled; NULL: none */
	unsigned level;          /* 1: the event, 2: its args */
	bool is_opened;          /* just behind the '{' */
	const char *args_begin;
	const struct key *args_key;
	const char *key, *event_begin; /* for messages */
	size_t key_size;
	bool has_pending;
	uint64_t pend_count; /* ever: whether a piece of text added to them */
	struct pending pending[PENDING_COUNT];
	uint64_t max_event; /* bytes */
	uint64_t time_unit; /* of ts and dur, in ns */
	/* A part of the file (see build.h): the scan stops where the list of events ends. */
	bool is_part;
	struct sighting sightings[PENDING_COUNT]; /* in the order in which they came */
	uint32_t sighting_count;

	char *scratch; /* decoded strings of one event */
	size_t scratch_size, scratch_used;

	struct step *steps; /* MAX_STEPS */
	uint32_t step_count;
	struct followers *followers; /* of each step that leads into no new event */
	struct entry *entries;       /* MAX_ENTRIES */
	uint32_t entry_count;
	char *last_values;        /* LAST_BYTES for each of MAX_STEPS */
	struct step loose;        /* stands for a step that is not remembered */
	struct followers nothing; /* of a step after which nothing can be learned */

	char *top; /* text of the top-level members */
	size_t top_size, top_capacity;

	enum scan_result result; /* why a function of the scanner returned NULL */
	const char *error_at;
	const char *message;
};

bool scan_init(struct scan *scan, struct build *build, scan_code code);
/*
 * Goes on with a view. OK: all is read; MORE: more text from `keep` on is needed; CUT: lenient, and the text ended too
 * early; BAD: error_at and message. `is_last`: never MORE.
 */
enum scan_result scan_run(struct scan *scan, const struct view *view);
void scan_fini(struct scan *scan);
/* Makes a part ready for text that begins with an event, as `whole` would go on behind a comma. */
void scan_restart(struct scan *part, const struct scan *whole);
/* Counts what was seen; its places are those of scan->view. False: no memory. */
bool scan_tell(struct scan *scan, const struct sighting *sighting);

enum scan_result scan_code_scalar(struct scan *scan);
enum scan_result scan_code_sse2(struct scan *scan);
enum scan_result scan_code_avx2(struct scan *scan);
scan_code scan_choose(const char *name); /* NULL: the best; result NULL: not on this machine */

/* ---- The part that is the same for all of them ---------------------------------------------------------------- */
/* Ends the scan with a message; always NULL. */
const char *scan_fail(struct scan *scan, const char *at, const char *format, ...) __attribute__((format(printf, 3, 4)));
const char *scan_no_memory(struct scan *scan);
/* Something else than `expected` is at `at`: an error, or the end of the view. Always NULL. */
const char *scan_stop(struct scan *scan, const char *at, const char *expected);
/* A known step leaves undone until somebody needs it: the level, and the key. */
void scan_settle(struct scan *scan);
void scan_pend(struct scan *scan, unsigned kind, const char *at);
bool scan_commit(struct scan *scan); /* counts what is pending. False: no memory */
void scan_forget(struct scan *scan); /* drops what is pending */
void scan_place_of(const struct scan *scan, const char *at, uint64_t *line, uint64_t *column, uint64_t *offset);
/* Decodes a string that is known to be well formed (as far as the mode asks). False: no memory. */
bool scan_decode(struct scan *scan, const char *raw, size_t size, const char **text, size_t *text_size);
void scan_check_utf8(struct scan *scan, const char *raw, size_t size);
/* Lenient: the end of a word such as NaN or -Infinity; NULL: it is none. */
const char *scan_not_a_number(const char *p);
const char *scan_value_expected(struct scan *scan, const char *p); /* fails, with the best message */
const char *scan_bad_escape(struct scan *scan, const char *at);
const char *scan_control(struct scan *scan, const char *at);
/* Of what other tool an object without events may be, from its first key; "" when nobody knows. */
const char *scan_hint(const struct scan *scan);
/* What is wrong with an event of more than max_event bytes, which begins at `at`. Always NULL. */
const char *scan_too_large(struct scan *scan, const char *at);
bool scan_add_top(struct scan *scan, const char *member, size_t size);

#endif
