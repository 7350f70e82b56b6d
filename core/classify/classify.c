/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traits: what a label's events have in common is found once for each label that occurs, and then gathered; only
 * labels that a rule on other fields leaves undecided cost something for each event.
 */
#include <stdlib.h>
#include <string.h>

#include <classify/classify.h>
#include <classify/refine.h>
#include <classify/rules.h>
#include <classify/summary.h>
#include <classify/track.h>

static const uint32_t timed = TAV_TRAIT_INTERVAL | TAV_TRAIT_UNUSABLE; /* set by the reader: an X event, or a B */
static const uint32_t of_the_reader = TAV_TRAIT_INTERVAL | TAV_TRAIT_UNUSABLE | TAV_TRAIT_TIMELESS;
static const uint32_t of_the_host =
        TAV_TRAIT_INTERVAL | TAV_TRAIT_UNUSABLE | TAV_TRAIT_TIMELESS | TAV_TRAIT_DEFAULT_TRACK;

static bool want_keys(struct wanted *wanted, const struct tav_key *key)
{
	for (; key && key->fields; key++) {
		for (const char *const *field = key->fields; *field; field++) {
			if (!track_key_is_column(*field) && wanted_add(wanted, *field, TAV_TYPE_STRING) == TAV_NONE)
				return false;
		}
	}
	return true;
}

bool classify_want(struct wanted *wanted, const struct tav_dialect *descriptor)
{
	for (uint32_t i = 0; i < descriptor->rules.count; i++) {
		const struct tav_condition *when = descriptor->rules.items[i].when;
		for (unsigned c = 0; c < RULE_CONDITIONS && when[c].field; c++) {
			enum match_subject subject;
			if (match_subject_of(when[c].field, &subject) && subject == MATCH_FIELD &&
			    wanted_add(wanted, when[c].field, match_field_type(when[c].test)) == TAV_NONE)
				return false;
		}
	}
	/* args.name: the names of processes and threads */
	return want_keys(wanted, descriptor->track) && want_keys(wanted, descriptor->device) &&
	       wanted_add(wanted, "args.name", TAV_TYPE_STRING) != TAV_NONE;
}

static bool want_each(struct wanted *wanted, const char *const *field)
{
	for (; field && *field; field++) {
		if (wanted_add(wanted, *field, TAV_TYPE_STRING) == TAV_NONE)
			return false;
	}
	return true;
}

bool classify_want_links(struct wanted *wanted, const struct tav_dialect *descriptor)
{
	return want_each(wanted, descriptor->link_fields) && want_each(wanted, descriptor->operator_fields);
}

uint32_t classify_keep_host_traits(uint32_t traits, uint32_t host_traits)
{
	traits = (traits & ~(of_the_host | TAV_TRAIT_REFINE)) | (host_traits & of_the_host);
	/* What has no duration occupies nothing: a flow arrow of category "kernel" is no kernel. */
	if (traits & TAV_TRAIT_DEVICE && !(traits & timed))
		traits &= ~(uint32_t)(TAV_TRAIT_DEVICE | TAV_TRAIT_KERNEL | TAV_TRAIT_MEMCPY | TAV_TRAIT_MEMSET |
		                      TAV_TRAIT_COLLECTIVE);
	return traits;
}

struct memo {                /* of one label */
	uint32_t traits[2];  /* of its events without and with a duration */
	uint32_t program;    /* rules to be run for each event; 0: none */
	uint32_t set, clear; /* what classify() changed */
};

struct labels {            /* those that occur in the source */
	struct memo *memo; /* by label */
	uint32_t *used;    /* the labels */
	uint32_t count;
};

static tav_status find_labels(struct labels *labels, const struct events *events, struct causes *causes)
{
	labels->memo = calloc(events->label_count ? events->label_count : 1, sizeof(*labels->memo));
	unsigned char *is_used = calloc(events->label_count ? events->label_count : 1, 1);
	if (labels->memo && is_used) {
		const uint32_t *label = COLUMN(events, label, const uint32_t);
		for (tav_row row = 0; row < events->row_count; row++)
			is_used[label[row]] = 1;
		for (uint32_t i = 0; i < events->label_count; i++)
			labels->count += is_used[i];
		labels->used = malloc((labels->count ? labels->count : 1) * sizeof(*labels->used));
	}
	if (!labels->used) {
		free(is_used);
		return cause_add(causes, "out of memory: %u labels", events->label_count);
	}
	uint32_t count = 0;
	for (uint32_t i = 0; i < events->label_count; i++) {
		if (is_used[i])
			labels->used[count++] = i;
	}
	free(is_used);
	return TAV_OK;
}

/* The rules, then the dialect's own code, for each label that occurs. */
static tav_status decide_labels(struct labels *labels, struct rules *rules, struct events *events,
                                const struct dialect *dialect, struct causes *causes)
{
	uint32_t *traits = malloc((labels->count ? labels->count : 1) * 2 * sizeof(*traits));

	if (!traits || !pages_reserve(&events->label_calls, events->label_count ? events->label_count : 1)) {
		free(traits);
		return cause_add(causes, "out of memory: %u labels", labels->count);
	}
	uint32_t *before = traits + labels->count;
	uint8_t *calls = events->label_calls.data;
	tav_status status = TAV_OK;
	for (uint32_t i = 0; i < labels->count && !status; i++) {
		struct label_traits found;
		status = rules_label(rules, labels->used[i], &found, causes);
		traits[i] = found.traits;
		labels->memo[labels->used[i]].program = found.program;
		calls[labels->used[i]] = (uint8_t)found.call;
	}
	memcpy(before, traits, labels->count * sizeof(*traits));
	if (!status && dialect->descriptor->classify)
		status = refine_labels(events, dialect, labels->used, labels->count, traits, causes);
	for (uint32_t i = 0; i < labels->count && !status; i++) {
		struct memo *memo = &labels->memo[labels->used[i]];
		uint32_t refine = traits[i] & TAV_TRAIT_REFINE;

		memo->set = traits[i] & ~before[i];
		memo->clear = before[i] & ~traits[i];
		memo->traits[0] = classify_keep_host_traits(traits[i], 0) | refine;
		/* The reader's own bits come from the row. */
		memo->traits[1] = (classify_keep_host_traits(traits[i], TAV_TRAIT_INTERVAL) & ~of_the_host) | refine;
	}
	free(traits);
	return status;
}

/* Returns how many rows ask for refine(). */
static uint64_t gather(struct events *events, const struct labels *labels, struct rules *rules)
{
	uint32_t *traits = COLUMN(events, traits, uint32_t);
	const uint32_t *label = COLUMN(events, label, const uint32_t);
	uint64_t refine_count = 0;

	for (tav_row row = 0; row < events->row_count; row++) {
		const struct memo *memo = &labels->memo[label[row]];
		uint32_t host_traits = traits[row] & of_the_reader;
		uint32_t found = memo->traits[(host_traits & timed) != 0] | host_traits;

		if (memo->program) {
			found = (rules_event(rules, memo->program, row) | memo->set) & ~memo->clear;
			found = classify_keep_host_traits(found, host_traits) | (found & TAV_TRAIT_REFINE);
		}
		traits[row] = found;
		refine_count += found / TAV_TRAIT_REFINE & 1;
	}
	return refine_count;
}

static tav_status assign_traits(struct events *events, const struct dialect *dialect, struct causes *causes)
{
	struct labels labels = {0};
	struct rules rules;

	tav_status status = rules_compile(&rules, events, dialect->descriptor, causes);
	if (!status)
		status = find_labels(&labels, events, causes);
	if (!status)
		status = decide_labels(&labels, &rules, events, dialect, causes);
	if (!status && gather(events, &labels, &rules))
		status = refine_rows(events, dialect, causes);
	rules_fini(&rules);
	free(labels.memo);
	free(labels.used);
	return status;
}

/* The wanted indexes of alternatives. NULL: no memory. */
static const uint32_t *find_fields(struct events *events, const char *const *fields, uint32_t *count)
{
	uint32_t most = 0;

	*count = 0;
	while (fields && fields[most])
		most++;
	uint32_t *found = arena_array(&events->arena, most, sizeof(*found));
	for (uint32_t f = 0; found && f < most; f++) {
		for (uint32_t i = 0; i < events->field_count; i++) {
			const struct wanted_field *wanted = &events->wanted->items[i];
			if (wanted->type == TAV_TYPE_STRING && !strcmp(wanted->path, fields[f]))
				found[(*count)++] = i;
		}
	}
	return found;
}

static tav_status find_link_fields(struct events *events, const struct tav_dialect *descriptor, struct causes *causes)
{
	events->link_fields = find_fields(events, descriptor->link_fields, &events->link_field_count);
	events->operator_fields = find_fields(events, descriptor->operator_fields, &events->operator_field_count);
	events->has_unread_links = descriptor->link_fields && descriptor->link_fields[0] && !events->link_field_count;
	return events->link_fields && events->operator_fields ? TAV_OK : cause_add(causes, "out of memory: links");
}

/* Who sees no device work hears of the dialect that might. */
static bool hint_at_second(struct events *events)
{
	char text[256];

	if (!events->second_dialect || events->device_event_count)
		return true;
	snprintf(text, sizeof(text),
	         "the dialect '%s' recognises this trace as well, and may know its device work: --dialect %s",
	         events->second_dialect, events->second_dialect);
	return notice_count(events, NOTICE_WARNING, "second_dialect", 0, 0, 0, text);
}

tav_status classify_source(struct events *events, const struct dialect *dialect, struct causes *causes)
{
	const struct tav_dialect *descriptor = dialect ? dialect->descriptor : NULL;

	if (dialect) {
		events->dialect = descriptor->name;
		events->track_word = descriptor->track_word;
		if (assign_traits(events, dialect, causes) || find_link_fields(events, descriptor, causes))
			return cause_add(causes, "cannot classify the events of %s as dialect '%s'", events->path,
			                 events->dialect);
	}
	if (track_assign(events, dialect, causes))
		return cause_add(causes, "cannot assign the events of %s to tracks", events->path);
	if (summary_make(events, causes))
		return TAV_FAILED;
	if (!hint_at_second(events))
		return cause_add(causes, "out of memory");
	events->flavour = descriptor && descriptor->flavour ? descriptor->flavour(dialect->self, 0) : TAV_FLAVOUR_NONE;
	return TAV_OK;
}
