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
	ROLE_ARGS,  /* args, attr */
	ROLE_FIELD, /* only for `columns` */
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
	struct pairs pairs;
	uint64_t empty_count, phaseless_count;
	bool has_too_many_rows;
	struct short_text short_texts[SHORT_TEXTS];
};

bool build_init(struct build *build, struct read_job *job);
bool build_make_keys(struct build *build); /* part of build_init() */
/* Makes a row of the draft. False: no memory, or too many rows. */
bool build_event(struct build *build);
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

/* The value id of a short text whose bytes are at hand as two numbers, zeros behind them. */
static inline uint32_t build_short(struct build *build, uint64_t low, uint64_t high, const char *data, size_t size)
{
	uint64_t hash = (low ^ high * UINT64_C(0x9e3779b97f4a7c15) ^ size) * UINT64_C(0xd6e8feb86659fd93);
	struct short_text *entry = &build->short_texts[hash >> 55];

	if (__builtin_expect(entry->size == size && entry->low == low && entry->high == high, 1))
		return entry->id;
	uint32_t id = intern_add(&build->job->values, data, size);
	if (id != INTERN_FAILED)
		*entry = (struct short_text){low, high, (uint32_t)size, id};
	return id;
}

/* The value id of a text; INTERN_FAILED: no memory. */
static inline uint32_t build_text(struct build *build, const char *data, size_t size)
{
	uint64_t low = 0, high = 0;

	if (size > SHORT_LIMIT)
		return intern_add(&build->job->values, data, size);
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
		return intern_add(&build->job->values, data, size);
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
