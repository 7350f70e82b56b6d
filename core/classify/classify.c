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
#include <classify/track.h>

static const uint32_t timed = TAV_TRAIT_INTERVAL | TAV_TRAIT_UNUSABLE; /* set by the reader: an X event, or a B */
static const uint32_t of_the_host = TAV_TRAIT_INTERVAL | TAV_TRAIT_UNUSABLE | TAV_TRAIT_DEFAULT_TRACK;

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
	for (const struct tav_key *key = descriptor->track; key && key->field; key++) {
		if (!track_key_is_column(key->field) && wanted_add(wanted, key->field, TAV_TYPE_STRING) == TAV_NONE)
			return false;
	}
	return true;
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

static tav_status find_labels(struct labels *labels, const struct store *store, const struct events *events,
                              struct causes *causes)
{
	labels->memo = calloc(store->label_count ? store->label_count : 1, sizeof(*labels->memo));
	unsigned char *is_used = calloc(store->label_count ? store->label_count : 1, 1);
	if (labels->memo && is_used) {
		const uint32_t *label = COLUMN(events, label, const uint32_t);
		for (tav_row row = 0; row < events->row_count; row++)
			is_used[label[row]] = 1;
		for (uint32_t i = 0; i < store->label_count; i++)
			labels->count += is_used[i];
		labels->used = malloc((labels->count ? labels->count : 1) * sizeof(*labels->used));
	}
	if (!labels->used) {
		free(is_used);
		return cause_add(causes, "out of memory: %u labels", store->label_count);
	}
	uint32_t count = 0;
	for (uint32_t i = 0; i < store->label_count; i++) {
		if (is_used[i])
			labels->used[count++] = i;
	}
	free(is_used);
	return TAV_OK;
}

/* The rules, then the dialect's own code, for each label that occurs. */
static tav_status decide_labels(struct labels *labels, struct rules *rules, const struct store *store,
                                const struct dialect *dialect, struct causes *causes)
{
	uint32_t *traits = malloc((labels->count ? labels->count : 1) * 2 * sizeof(*traits));

	if (!traits)
		return cause_add(causes, "out of memory: %u labels", labels->count);
	uint32_t *before = traits + labels->count;
	tav_status status = TAV_OK;
	for (uint32_t i = 0; i < labels->count && !status; i++)
		status =
		        rules_label(rules, labels->used[i], &traits[i], &labels->memo[labels->used[i]].program, causes);
	memcpy(before, traits, labels->count * sizeof(*traits));
	if (!status && dialect->descriptor->classify)
		status = refine_labels(store, dialect, labels->used, labels->count, traits, causes);
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
		uint32_t host_traits = traits[row] & timed;
		uint32_t found = memo->traits[host_traits != 0] | host_traits;

		if (memo->program) {
			found = (rules_event(rules, memo->program, row) | memo->set) & ~memo->clear;
			found = classify_keep_host_traits(found, host_traits) | (found & TAV_TRAIT_REFINE);
		}
		traits[row] = found;
		refine_count += found / TAV_TRAIT_REFINE & 1;
	}
	return refine_count;
}

static tav_status assign_traits(struct store *store, uint32_t source, const struct dialect *dialect,
                                struct causes *causes)
{
	struct events *events = store->sources[source];
	struct labels labels = {0};
	struct rules rules;

	tav_status status = rules_compile(&rules, store, events, dialect->descriptor, causes);
	if (!status)
		status = find_labels(&labels, store, events, causes);
	if (!status)
		status = decide_labels(&labels, &rules, store, dialect, causes);
	if (!status && gather(events, &labels, &rules))
		status = refine_rows(store, source, dialect, causes);
	rules_fini(&rules);
	free(labels.memo);
	free(labels.used);
	return status;
}

tav_status classify_source(struct store *store, uint32_t source, const struct dialect *dialect, struct causes *causes)
{
	struct events *events = store->sources[source];

	if (dialect) {
		events->dialect = dialect->descriptor->name;
		if (assign_traits(store, source, dialect, causes))
			return cause_add(causes, "cannot classify the events of %s as dialect '%s'", events->path,
			                 events->dialect);
	}
	if (track_assign(store, source, dialect, causes))
		return cause_add(causes, "cannot assign the events of %s to tracks", events->path);
	return TAV_OK;
}
