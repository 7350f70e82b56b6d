/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events into columns. The scanner fills the draft of one event, field by field; build_event() makes a row of it.
 */
#ifndef READER_BUILD_H
#define READER_BUILD_H

#include <string.h>

#include <reader/pair.h>
#include <reader/reader.h>

/* ---- Keys: what the scanner does with the value of a key ---------------------------------------------------- */
enum key_role {
	ROLE_SKIP = 0,
	ROLE_NAME,
	ROLE_CATEGORY,
	ROLE_PHASE,
	ROLE_PID,
	ROLE_TID,
	ROLE_TS,
	ROLE_DUR,
	ROLE_ARGS,    /* args, attr */
	ROLE_FIELD,   /* only for `columns` */
	ROLE_INTEGER, /* the same, one of integers */
	ROLE_COUNT
};
struct key {
	const char *text;
	uint32_t size;
	bool is_in_args;
	uint8_t role;
	uint8_t fast_role; /* the same when the short way will do, else ROLE_COUNT */
	uint32_t bit;      /* of draft.seen */
	uint32_t column_count;
	uint32_t *columns; /* indices of wanted fields */
};

/* ---- Values ------------------------------------------------------------------------------------------------- */
enum value_kind {
	VALUE_ABSENT = 0,
	VALUE_NULL,
	VALUE_FALSE,
	VALUE_TRUE,
	VALUE_NUMBER,
	VALUE_STRING,
	VALUE_ARRAY,
	VALUE_OBJECT
};
struct value {
	enum value_kind kind; /* ABSENT: NaN and the like, read leniently */
	const char *raw;      /* as it stands in the file */
	size_t raw_size;
	const char *text; /* of a scalar: decoded */
	size_t text_size;
};

enum time_state { TIME_ABSENT = 0, TIME_SIMPLE, TIME_TEXT, TIME_WRONG };
struct time_value {
	enum time_state state;
	int64_t ns;       /* SIMPLE: exact */
	const char *text; /* TEXT: a number, or a string that may hold one */
	size_t size;
};

/* ---- The event under way ------------------------------------------------------------------------------------ */
struct draft {
	uint64_t offset;
	struct time_value ts, dur;
	uint32_t name, category, pid, tid; /* value ids */
	char phase;
	bool has_keys;
	uint64_t *seen;  /* keys met, for duplicates; by key.bit */
	uint64_t *set;   /* wanted fields that have a value */
	uint64_t *cells; /* int64_t, double or value id of each wanted field */
};

struct short_text { /* texts of up to 16 bytes: most come again and again. Zeros: the empty text, whose id is 0 */
	uint64_t low, high;
	uint32_t size, id;
};
enum { SHORT_TEXTS = 512, SHORT_LIMIT = 16 };
struct long_text {        /* longer ones that came lately: to compare them is less work than to hash them */
	const char *data; /* in the table of texts */
	uint32_t size, id;
};
enum { LONG_TEXTS = 4096 };

struct build {
	struct read_job *job;
	struct events *events;
	const struct wanted *wanted;
	struct draft draft;
	uint32_t seen_words, set_words;
	struct key *keys; /* the keys of the event itself, then those of args; keys[0]: any other */
	uint32_t key_count;
	tav_row row_count, row_capacity;
	struct pages unusable;
	uint64_t unusable_count;
	struct pages label_of_name; /* by value id: the label + 1 that the name had last */
	struct pages label_slots;   /* hash table of label + 1 */
	uint32_t label_mask;
	uint64_t label_seed; /* of their hashes */
	struct pairs pairs;
	uint64_t empty_count, phaseless_count;
	unsigned time_exponent; /* ts and dur are in 10^time_exponent ns */
	/* Times that are out of range, but would not be in nanoseconds: whole numbers of 19 digits. */
	uint64_t ns_only_count;
	int64_t ns_only_first;
	bool has_too_many_rows;
	/*
	 * A part of the file that is read apart, with ids of its own, and joined later. Its E events are rows, whose
	 * label is the id of their name; pairs are made when it is joined.
	 */
	bool is_part;
	struct pages pair_rows; /* tav_row: the B and E events of a part */
	uint64_t pair_row_count, end_count;
	struct short_text short_texts[SHORT_TEXTS];
	struct long_text long_texts[LONG_TEXTS];
};

bool build_init(struct build *build, struct read_job *job, bool is_part);
/* A part begins anew, over text that stays until it is joined. False: no memory. */
bool build_restart(struct build *build, const char *text, const char *text_end);
/* Whether the rows of the part still fit; then it can be joined: as if its events had been read behind the others. */
bool build_has_room(const struct build *build, const struct build *part);
bool build_join(struct build *build, const struct build *part); /* false: no memory */
bool build_make_keys(struct build *build);                      /* part of build_init() */
/* Makes a row of the draft. False: no memory, or too many rows. */
bool build_event(struct build *build);
/* For build_join(): a row more than there are is asked for; the label of a pair; an E event meets its B event. */
bool build_reserve_rows(struct build *build, uint64_t rows);
uint32_t build_label(struct build *build, uint32_t name, uint32_t category); /* TAV_NONE: no memory */
bool build_mark_unusable(struct build *build, tav_row row, uint16_t reason, uint16_t field);
struct pair_close {
	uint64_t offset; /* of the E event */
	uint32_t pid;    /* value id */
	int64_t end_ns;
	uint16_t reason; /* TAV_BAD_... of its time; 0: none */
};
bool build_close_pair(struct build *build, tav_row row, const struct pair_close *close);
/* Unmatched pairs, order of the unusable ones, columns cut to their size. */
bool build_finish(struct build *build);
void build_fini(struct build *build);

const struct key *build_find_key(const struct build *build, bool is_in_args, const char *text, size_t size);
/* Puts a value where the key wants it: into the draft and its wanted fields. False: no memory. */
bool build_value(struct build *build, const struct key *key, const struct value *value);
/* Forgets the wanted fields of args, which came a second time. */
void build_forget_args(struct build *build);

static inline void build_begin(struct build *build, uint64_t offset)
{
	struct draft *draft = &build->draft;

	draft->offset = offset;
	draft->ts.state = TIME_ABSENT;
	draft->dur.state = TIME_ABSENT;
	draft->name = draft->category = draft->pid = draft->tid = 0;
	draft->phase = 0;
	draft->has_keys = false;
	for (uint32_t i = 0; i < build->seen_words; i++)
		draft->seen[i] = 0;
	for (uint32_t i = 0; i < build->set_words; i++)
		draft->set[i] = 0;
}

static inline uint32_t build_short_hash(uint64_t low, uint64_t high, size_t size)
{
	return (uint32_t)((low ^ high * UINT64_C(0x9e3779b97f4a7c15) ^ size) * UINT64_C(0xd6e8feb86659fd93) >> 55);
}

/* Texts that did not come lately. */
uint32_t build_add_short(struct build *build, struct short_text text, const char *data);
uint32_t build_add_long(struct build *build, struct long_text *entry, const char *data, size_t size);

/* The value id of a short text whose bytes are at hand as two numbers, zeros behind them. */
static inline uint32_t build_short(struct build *build, uint64_t low, uint64_t high, const char *data, size_t size)
{
	const struct short_text *entry = &build->short_texts[build_short_hash(low, high, size)];

	if (__builtin_expect(entry->size == size && entry->low == low && entry->high == high, 1))
		return entry->id;
	return build_add_short(build, (struct short_text){low, high, (uint32_t)size, 0}, data);
}

/* The value id of a text of more than 16 bytes. */
static inline uint32_t build_long(struct build *build, const char *data, size_t size)
{
	uint64_t first, last;

	memcpy(&first, data + 8, 8); /* names of one kind begin alike */
	memcpy(&last, data + size - 8, 8);
	uint64_t hash = (first ^ last * UINT64_C(0x9e3779b97f4a7c15) ^ size) * UINT64_C(0xd6e8feb86659fd93);
	struct long_text *entry = &build->long_texts[hash >> 52];
	if (__builtin_expect(entry->size == size && !memcmp(entry->data, data, size), 1))
		return entry->id;
	return build_add_long(build, entry, data, size);
}

/* The value id of a text; INTERN_FAILED: no memory. */
static inline uint32_t build_text(struct build *build, const char *data, size_t size)
{
	uint64_t low = 0, high = 0;

	if (size > SHORT_LIMIT)
		return build_long(build, data, size);
	memcpy(&low, data, size < 8 ? size : 8);
	if (size > 8)
		memcpy(&high, data + 8, size - 8);
	return build_short(build, low, high, data, size);
}

/* The same where 16 bytes may be read. */
static inline uint32_t build_text_at(struct build *build, const char *data, size_t size)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint64_t low, high;

	if (size > SHORT_LIMIT)
		return build_long(build, data, size);
	memcpy(&low, data, 8);
	memcpy(&high, data + 8, 8);
	low &= size >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
	high &= size >= 16 ? UINT64_MAX : size <= 8 ? 0 : (UINT64_C(1) << 8 * (size - 8)) - 1;
	return build_short(build, low, high, data, size);
#else
	return build_text(build, data, size);
#endif
}

#endif
