/* SPDX-License-Identifier: Apache-2.0 */
/* Events that cannot be placed in time. */
#include <string.h>

#include "verify.h"

enum { REASONS = TAV_BAD_UNMATCHED + 1, FIELDS = TAV_BAD_FIELD_END + 1 };

static const char *const texts[REASONS][FIELDS] = {
        [0] = {"unusable", "unusable ts", "unusable dur", "unusable end"},
        [TAV_BAD_MISSING] = {"no time", "no ts", "no dur", "no end"},
        [TAV_BAD_NOT_NUMBER] = {"not a number", "ts is not a number", "dur is not a number",
                                "ts of the end is not a number"},
        [TAV_BAD_NEGATIVE] = {"negative", "negative ts", "negative dur", "negative dur: the end lies before the start"},
        [TAV_BAD_RANGE] = {"out of range", "ts out of range", "dur out of range", "end (ts + dur) out of range"},
        [TAV_BAD_UNMATCHED] = {"unmatched B", "unmatched B, without its E: no dur",
                               "unmatched B, without its E: no dur", "unmatched B, without its E: no dur"},
};

struct kind {
	uint32_t severity;
	const char *id, *noun;
	uint64_t count;
	int is_device;
	const char *remedy;
};

static int is_of_kind(const struct kind *kind, const struct tav_unusable *bad, uint32_t traits)
{
	int is_device = (traits & TAV_TRAIT_DEVICE) != 0;

	/* The reader has already warned of what does not match. */
	return kind->is_device ? is_device : !is_device && bad->reason != TAV_BAD_UNMATCHED;
}

/* "4 device events cannot be placed in time: no ts (1), no dur (2), negative dur (1)"; no order of events shows. */
static void say_reasons(char *out, size_t size, const struct kind *kind, uint64_t counts[REASONS][FIELDS])
{
	struct tav_sentence say = {out, size, 0};
	int is_first = 1;

	tav_say(&say, "%s cannot be placed in time", COUNTED(kind->count, kind->noun));

	for (uint32_t reason = 0; reason < REASONS; reason++) {
		for (uint32_t field = 0; field < FIELDS; field++) {
			if (!counts[reason][field])
				continue;
			tav_say(&say, "%s%s (%s)", is_first ? ": " : ", ", texts[reason][field],
			        COUNTED(counts[reason][field], ""));
			is_first = 0;
		}
	}
}

static tav_status tell_kind(struct tav_self *self, const struct kind *kind)
{
	uint64_t limit = (uint64_t)self->options[OPT_MAX_INSTANCES]->integer;
	uint64_t shown = kind->count < limit ? kind->count : limit, all = 0, found = 0;
	uint64_t counts[REASONS][FIELDS] = {{0}};

	if (!kind->count)
		return TAV_OK;
	const struct tav_unusable *bad = self->host->unusable(self, 0, &all);
	const uint32_t *traits = self->host->column(self, 0, TAV_COL_TRAITS);
	struct tav_ref *refs = self->host->alloc(self, (shown + 1) * sizeof(*refs));
	struct tav_text *reasons = self->host->alloc(self, (shown + 1) * sizeof(*reasons));
	if (!traits || !refs || !reasons)
		return TAV_FAILED;
	for (uint64_t i = 0; i < all; i++) {
		if (!is_of_kind(kind, &bad[i], traits[bad[i].row]))
			continue;
		uint32_t reason = bad[i].reason < REASONS ? bad[i].reason : 0,
		         field = bad[i].field < FIELDS ? bad[i].field : 0;
		counts[reason][field]++;
		if (found < shown) {
			refs[found] = (struct tav_ref){0, bad[i].row};
			reasons[found++] = tav_text_of(texts[reason][field]);
		}
	}
	char message[TEXT];
	say_reasons(message, sizeof(message), kind, counts);
	const struct tav_series measures[] = {{"reason", TAV_TYPE_STRING, TAV_UNIT_NONE, reasons, NULL}};
	return self->host->finding(self, &(struct tav_finding){
	                                         .struct_size = sizeof(struct tav_finding),
	                                         .severity = kind->severity,
	                                         .id = kind->id,
	                                         .message = message,
	                                         .refs_each = 1,
	                                         .count = kind->count,
	                                         .instance_count = found,
	                                         .refs = refs,
	                                         .measures = TAV_LIST(measures),
	                                         .max_instances = limit,
	                                         .remedy = kind->remedy,
	                                 });
}

tav_status tell_unusable(struct tav_self *self, const struct facts *facts)
{
	const struct kind device = {
	        TAV_SEV_ERROR,
	        "unusable_device_event",
	        "device event",
	        facts->unusable_device,
	        1,
	        "Record the trace again, or mend the events named; what they overlap is not known."};
	const struct kind host = {TAV_SEV_NOTE, "unusable_host_events", "host event", facts->unusable_host, 0, NULL};

	tav_status status = tell_kind(self, &device);
	return status ? status : tell_kind(self, &host);
}
