/* SPDX-License-Identifier: Apache-2.0 */
/* redact: a trace that may be shared. What is known to be harmless stays, all else goes, and both are listed. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <tav/json.h>
#include <tav/map.h>
#include <tav/sheet.h>

#include "edit.h"

enum { OPT_KEEP_ARGS, OPT_NAMES, OPT_SALT, OPT_PATHS, OPT_TOP_LEVEL };
enum { NAMES_KEEP, NAMES_HASH };
static const char *const name_choices[] = {"keep", "hash", NULL};
/* What the dialects read, and what names and sorts processes and threads. */
static const char default_args[] =
        "[name, labels, sort_index, stream, sycl queue, stream id, Stream Id, device, device id, Device Id, "
        "correlation, External id, external id, TS1, TS2, TS3, TS4, TS5, CollGroup, p_idx, type, task type, "
        "Task Type, fullname, orig_ts, orig_dur, orig_tid]";
static const char default_top_level[] =
        "[schemaVersion, deviceProperties, displayTimeUnit, baseTimeNanoseconds, distributedInfo]";
static const struct tav_option options[] = {
        [OPT_KEEP_ARGS] = {"keep_args", TAV_TYPE_STRING, TAV_OPT_MANY, default_args, NULL, NULL, NULL,
                           "Keys of args that stay; by default what the dialects read."},
        [OPT_NAMES] = {"names", TAV_TYPE_CHOICE, 0, "keep", NULL, NULL, name_choices,
                       "hash: names of the program (operators, Python, annotations) become op_HASH, equal names equal; "
                       "kernels, calls of the runtime and steps keep theirs."},
        [OPT_SALT] = {"salt", TAV_TYPE_STRING, 0, NULL, NULL, NULL, NULL,
                      "What goes into the hash, so that runs with the same salt give equal names; by default it is "
                      "drawn for each run."},
        [OPT_PATHS] = {"paths", TAV_TYPE_BOOL, 0, "true", NULL, NULL, NULL,
                       "Of paths in names and args only the last two parts stay."},
        [OPT_TOP_LEVEL] = {"top_level", TAV_TYPE_STRING, TAV_OPT_MANY, default_top_level, NULL, NULL, NULL,
                           "Members of the top-level object that stay; distributedInfo without names of hosts."},
};
enum { FIELD_ARGS };
static const struct tav_field fields[] = {[FIELD_ARGS] = {"args", TAV_TYPE_JSON, 0}};

/* The members of an event that the format has; nobody knows what others hold. */
static const char *const event_keys[] = {"ph",    "cat",     "name",    "pid",      "tid", "ts",   "dur",
                                         "id",    "id2",     "scope",   "bp",       "s",   "args", "attr",
                                         "cname", "bind_id", "flow_in", "flow_out", NULL};
static const char *const safe_info[] = {"backend", "rank", "world_size", "pg_count", "pg_config", "nccl_version", NULL};

struct state {
	uint64_t key[2];
};
struct redacting {
	struct looked looked;
	struct tav_map keys; /* of args */
	uint64_t *counts;    /* of each: events that have it */
	uint32_t capacity;
	uint64_t members_gone, members_kept, keys_gone; /* of args */
	uint64_t tops_gone, tops_kept, names_kept, names_hidden;
};

static tav_status create(struct tav_self *self)
{
	struct state *state = self->host->keep(self, sizeof(*state));
	struct tav_text salt = self->options[OPT_SALT]->text;

	if (!state)
		return TAV_FAILED;
	self->state = state;
	for (unsigned i = 0; i < 2 && salt.size; i++) {
		const struct tav_map seed = {.seed = i ? UINT64_C(0x9ae16a3b2f90404f) : UINT64_C(0xc949d7c7509e6557)};

		state->key[i] = tav_map_hash_text(&seed, salt);
	}
	if (!salt.size && getrandom(state->key, sizeof(state->key), 0) != (ssize_t)sizeof(state->key))
		return tav_fail(self, "no random number to hide names with: give one with redact.salt");
	return TAV_OK;
}

static int is_listed(const struct tav_value *list, struct tav_text text)
{
	for (uint64_t i = 0; i < list->count; i++) {
		if (!tav_text_compare(list->items[i]->text, text))
			return 1;
	}
	return 0;
}

/* ---- args ------------------------------------------------------------------------------------------------------- */
static tav_status count_key(struct redacting *r, struct tav_text key)
{
	uint32_t number = tav_map_text(&r->keys, key);

	if (number == TAV_NONE)
		return TAV_FAILED;
	if (number >= r->capacity) {
		uint32_t capacity = r->capacity ? r->capacity * 2 : 256;
		uint64_t *grown = r->looked.host->alloc(r->looked.self, capacity * sizeof(*grown));

		if (!grown)
			return TAV_FAILED;
		if (r->capacity)
			memcpy(grown, r->counts, r->capacity * sizeof(*grown));
		r->counts = grown;
		r->capacity = capacity;
	}
	r->counts[number]++;
	return TAV_OK;
}

static tav_status count_keys(struct redacting *r)
{
	struct tav_self *self = r->looked.self;
	const uint32_t *args = self->host->column(self, 0, TAV_COL_FIELDS + FIELD_ARGS);

	tav_map_init(&r->keys, self);
	if (!args)
		return TAV_FAILED;
	for (tav_row row = 0; row < r->looked.rows; row++) {
		struct tav_text json = self->host->value(self, 0, args[row]);
		struct tav_member member;
		size_t at = 0;

		while (json.size && *json.data == '{' && tav_json_member(json.data, json.size, &at, &member)) {
			struct tav_text key = {json.data + member.key + 1, member.key_end - member.key - 2};

			if (count_key(r, key))
				return TAV_FAILED;
		}
	}
	for (uint32_t i = 0; i < r->keys.count; i++) {
		int is_kept = is_listed(self->options[OPT_KEEP_ARGS], r->keys.texts[i]);

		*(is_kept ? &r->members_kept : &r->members_gone) += r->counts[i];
		r->keys_gone += !is_kept;
	}
	return TAV_OK;
}

static tav_status give_args(const struct redacting *r)
{
	struct tav_self *self = r->looked.self;
	const struct tav_value *list = self->options[OPT_KEEP_ARGS];
	struct tav_text *keys = self->host->alloc(self, (list->count + 1) * sizeof(*keys));
	struct tav_text of_event[sizeof(event_keys) / sizeof(event_keys[0])];
	uint64_t count = 0;

	if (!keys)
		return TAV_FAILED;
	for (uint64_t i = 0; i < list->count; i++)
		keys[i] = list->items[i]->text;
	for (; event_keys[count]; count++)
		of_event[count] = tav_text_of(event_keys[count]);
	return r->looked.edits->only(self, 0, "", count, of_event) ||
	                       r->looked.edits->only(self, 0, "args", list->count, keys)
	               ? TAV_FAILED
	               : TAV_OK;
}

/* ---- Names ------------------------------------------------------------------------------------------------------ */
static int compare_texts(const void *left, const void *right)
{
	return tav_text_compare(*(const struct tav_text *)left, *(const struct tav_text *)right);
}

/* A name is kept where any event of it is work of the device or prepares that, a call of its interface, or a step. */
static tav_status hide_names(struct redacting *r)
{
	enum { KEPT = TAV_TRAIT_DEVICE | TAV_TRAIT_PREP | TAV_TRAIT_RUNTIME | TAV_TRAIT_DRIVER | TAV_TRAIT_STEP };
	struct tav_self *self = r->looked.self;
	const struct state *state = self->state;
	uint32_t count = self->host->label_count(self, 0), kept = 0;
	unsigned char *is_kept = self->host->alloc(self, (size_t)count + 1);
	unsigned char *is_used = self->host->alloc(self, (size_t)count + 1);
	struct tav_map names;

	if (!is_kept || !is_used)
		return TAV_FAILED;
	for (tav_row row = 0; row < r->looked.rows; row++) {
		uint32_t label = r->looked.label[row];

		is_used[label] |= r->looked.phase[row] != 'M';
		is_kept[label] |= (r->looked.traits[row] & KEPT) != 0;
	}
	tav_map_init(&names, self);
	for (uint32_t pass = 0; pass < 2; pass++) { /* those that stay first */
		for (uint32_t label = 0; label < count; label++) {
			if (is_used[label] && is_kept[label] == !pass &&
			    tav_map_text(&names, self->host->label(self, 0, label, NULL)) == TAV_NONE)
				return TAV_FAILED;
		}
		if (!pass)
			kept = names.count;
	}
	r->names_kept = names.count;
	if (self->options[OPT_NAMES]->integer != NAMES_HASH)
		return TAV_OK;
	r->names_kept = kept;
	r->names_hidden = names.count - kept;
	return r->looked.edits->hide(self, 0, state->key, kept, names.texts);
}

/* ---- The top-level object --------------------------------------------------------------------------------------- */
static int is_safe(struct tav_text key)
{
	for (unsigned i = 0; safe_info[i]; i++) {
		if (tav_text_is(key, safe_info[i]))
			return 1;
	}
	return 0;
}

/* Of distributedInfo what tells ranks and groups apart; a host's name may stand in any other member. */
static tav_status give_distributed(const struct redacting *r, struct tav_text json)
{
	struct words words = {.self = r->looked.self};
	struct tav_member member;
	size_t at = 0;

	words_add(&words, "{", 1);
	while (json.size && *json.data == '{' && tav_json_member(json.data, json.size, &at, &member)) {
		if (!is_safe((struct tav_text){json.data + member.key + 1, member.key_end - member.key - 2}))
			continue;
		if (words.size > 1)
			words_add(&words, ", ", 2);
		words_add(&words, json.data + member.key, member.value_end - member.key);
	}
	words_add(&words, "}", 1);
	struct tav_text text = words_text(&words);
	return text.data ? r->looked.edits->top(r->looked.self, 0, "distributedInfo", text) : TAV_FAILED;
}

static tav_status give_top_level(struct redacting *r)
{
	struct tav_self *self = r->looked.self;
	static const struct tav_text gone = {"", 0};
	struct tav_text key;

	for (uint32_t i = 0; (key = self->host->metadata_key(self, 0, i)).size; i++) {
		int is_kept = is_listed(self->options[OPT_TOP_LEVEL], key);

		*(is_kept ? &r->tops_kept : &r->tops_gone) += 1;
		if (!is_kept && r->looked.edits->top(self, 0, key.data, gone))
			return TAV_FAILED;
		if (is_kept && tav_text_is(key, "distributedInfo") &&
		    give_distributed(r, self->host->metadata(self, 0, "distributedInfo")))
			return TAV_FAILED;
	}
	return TAV_OK;
}

/* ---- What is told ----------------------------------------------------------------------------------------------- */
struct listed {
	struct tav_text what, key;
	uint64_t count;
};

static int compare_listed(const void *left, const void *right)
{
	const struct listed *a = left, *b = right;
	int order = tav_text_compare(a->what, b->what);

	if (order)
		return order;
	return a->count != b->count ? (a->count > b->count ? -1 : 1) : compare_texts(&a->key, &b->key);
}

/* Each key that went, or that stayed, with how often. */
static tav_status tell_list(const struct redacting *r, int is_kept)
{
	struct tav_self *self = r->looked.self;
	uint32_t tops = 0, count = 0;
	struct tav_text key;
	struct tav_sheet sheet;

	while (self->host->metadata_key(self, 0, tops).size)
		tops++;
	struct listed *listed = self->host->alloc(self, ((size_t)r->keys.count + tops + 3) * sizeof(*listed));
	if (!listed)
		return TAV_FAILED;
	for (uint32_t i = 0; i < r->keys.count; i++) {
		if (is_listed(self->options[OPT_KEEP_ARGS], r->keys.texts[i]) == is_kept)
			listed[count++] = (struct listed){tav_text_of("args"), r->keys.texts[i], r->counts[i]};
	}
	for (uint32_t i = 0; (key = self->host->metadata_key(self, 0, i)).size; i++) {
		if (is_listed(self->options[OPT_TOP_LEVEL], key) == is_kept)
			listed[count++] = (struct listed){tav_text_of("top level"), key, 1};
	}
	if (is_kept ? r->names_kept : r->names_hidden)
		listed[count++] = (struct listed){tav_text_of("names"), tav_text_of("distinct names"),
		                                  is_kept ? r->names_kept : r->names_hidden};
	if (!count)
		return TAV_OK;
	qsort(listed, count, sizeof(*listed), compare_listed);
	tav_sheet_init(&sheet, self, count);
	uint32_t what = tav_sheet_column(&sheet, "what", TAV_TYPE_STRING, TAV_UNIT_NONE, TAV_SHOW_KEY);
	uint32_t name = tav_sheet_column(&sheet, "key", TAV_TYPE_STRING, TAV_UNIT_NONE, TAV_SHOW_KEY);
	uint32_t number = tav_sheet_column(&sheet, "count", TAV_TYPE_INT, TAV_UNIT_COUNT, TAV_SHOW_COLUMN);
	for (uint32_t i = 0; i < count; i++) {
		tav_sheet_text(&sheet, what, i, listed[i].what);
		tav_sheet_text(&sheet, name, i, listed[i].key);
		tav_sheet_count(&sheet, number, i, listed[i].count);
	}
	return tav_sheet_send(&sheet, 0, is_kept ? "kept" : "removed",
	                      is_kept ? "What stays: judge whether it may be shared" : "What goes", 0);
}

static tav_status tell(const struct redacting *r)
{
	struct tav_self *self = r->looked.self;
	char members[TAV_COUNTED_SIZE], keys[TAV_COUNTED_SIZE], tops[TAV_COUNTED_SIZE], names[TAV_COUNTED_SIZE];
	const struct {
		const char *id;
		uint64_t value;
	} metrics[] = {{"args_removed", r->members_gone}, {"args_kept", r->members_kept},
	               {"keys_removed", r->keys_gone},    {"members_removed", r->tops_gone},
	               {"names_kept", r->names_kept},     {"names_hidden", r->names_hidden}};

	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
		if (tav_measure(self, 0, metrics[i].id, (int64_t)metrics[i].value, TAV_UNIT_COUNT, 0))
			return TAV_FAILED;
	}
	if (tell_list(r, 0) || tell_list(r, 1))
		return TAV_FAILED;
	return tav_tell(self, 0, "redact", TAV_RESULT_PASS, 0, r->looked.source->event_count,
	                "%s with %s of args go, and %s of the top level; %s stay%s: see what is kept",
	                tav_counted(members, r->members_gone, "value"), tav_counted(keys, r->keys_gone, "key"),
	                tav_counted(tops, r->tops_gone, "member"), tav_counted(names, r->names_kept, "name"),
	                tav_does(r->names_kept));
}

static tav_status each(struct tav_self *self)
{
	struct redacting *r = self->host->alloc(self, sizeof(*r));

	if (!r || look_at_source(self, &r->looked))
		return TAV_FAILED;
	if (self->options[OPT_PATHS]->integer && r->looked.edits->shorten(self, 0))
		return TAV_FAILED;
	return count_keys(r) || give_args(r) || hide_names(r) || give_top_level(r) || tell(r) ? TAV_FAILED : TAV_OK;
}

static tav_status combine(struct tav_self *self)
{
	return sum_metrics(self, "redact");
}

static const struct tav_page pages[] = {
        {"redact", TAV_TELLS_CHECK, TAV_SEV_NOTE, "What goes, so that the trace may be shared?",
         "Of args only the keys of `keep_args` stay, of the top-level object those of `top_level`, of an event the "
         "members that the trace format has. With `names: hash` names of the program become op_HASH; equal names stay "
         "equal, so that what is counted by name is the same. Paths lose all but their last two parts.\n\n"
         "Times, processes, threads, streams, correlations and kernels stay: a stage such as overlap-verify finds in "
         "the result what it found before. The written file names neither its input nor the options.\n\n"
         "What is kept is in the table `kept`: no program knows whether a kernel's name is a secret."},
        {"removed", TAV_TELLS_TABLE, 0, "Which keys go, and how often does each stand in the trace?", NULL},
        {"kept", TAV_TELLS_TABLE, 0, "Which keys stay, and how often does each stand in the trace?",
         "Look through it before the file leaves the house: process names and labels, names of kernels, and names of "
         "the "
         "program unless they are hashed are as they were."},
};

const struct tav_stage redact = {
        .struct_size = sizeof(redact),
        .flags = TAV_STAGE_NO_DEVICE_WORK | TAV_STAGE_EDITS | TAV_STAGE_REDACTS,
        .name = "redact",
        .summary = "Leaves out what a shared trace need not say, and lists what stays, for the trace report",
        .help = "With --report trace=OUT.json.gz the trace is written so. Put it last, before merge where there is "
                "one.",
        .options = TAV_LIST(options),
        .fields = TAV_LIST(fields),
        .pages = TAV_LIST(pages),
        .create = create,
        .each = each,
        .combine = combine,
};
