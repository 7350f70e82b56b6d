/* SPDX-License-Identifier: Apache-2.0 */
/* The finding of overlaps: how many and of what sort, the longest of them, and what may be done about them. */
#include <stdlib.h>
#include <string.h>

#include "verify.h"

static int compare_instances(const void *a, const void *b)
{
	return instance_compare(a, b);
}

static void say_overlaps(struct tav_sentence *say, const struct judgement *judgement, const struct pairs *pairs,
                         const char *track_word)
{
	const struct tav_overlap_totals *judged = &judgement->judged;
	uint64_t partial = judged->partial_count, nested = judged->offending_count - partial;

	tav_say(say, "%s overlap%s an earlier one of the same %s", COUNTED(judged->offending_count, "device event"),
	        tav_does(judged->offending_count), track_word);
	if (partial && nested)
		tav_say(say, ": %s partly, %s nested", COUNTED(partial, ""), COUNTED(nested, ""));
	else
		tav_say(say, ", %s", partial ? "partly" : "nested");
	if (judgement->judged_duplicates)
		tav_say(say, "; %s %s the same record twice (duplicate%s)", COUNTED(judgement->judged_duplicates, ""),
		        judgement->judged_duplicates == 1 ? "is" : "are", judgement->judged_duplicates == 1 ? "" : "s");
	if (pairs->pair_count && pairs->pair_count < judged->offending_count)
		tav_say(say, "; %s of names", COUNTED(pairs->pair_count, "pair"));
}

/* Of the capture: a number behind "computeMajor" that is at least 9, of a device of CUDA. */
static int may_launch_early(struct tav_self *self)
{
	static const char key[] = "\"computeMajor\"";
	struct tav_text devices = self->host->metadata(self, 0, "deviceProperties");
	const char *at = devices.size ? strstr(devices.data, key) : NULL;

	if (!at || self->host->source(self, 0)->flavour != TAV_FLAVOUR_CUDA)
		return 0;
	at += sizeof(key) - 1;
	at += strspn(at, " \t\r\n:");
	return strtol(at, NULL, 10) >= 9;
}

/* Each remedy a clause; all of them may help, the likeliest first. */
static void say_remedy(struct tav_self *self, struct tav_sentence *say, const struct judgement *judgement,
                       const struct facts *facts, const struct pairs *pairs)
{
	const struct tav_source *about = self->host->source(self, 0);
	const struct tav_overlap_totals *judged = &judgement->judged;
	int has_no_stream = judged->event_count && judgement->judged_default_stream == judged->event_count &&
	                    facts->default_tid_count > 1 && judgement->other_tid;

	if (has_no_stream && tav_text_is(about->dialect, "torch"))
		tav_say(say,
		        "no device event says its %.*s, and %s of these overlaps %s between different tids: if each "
		        "tid "
		        "is one, --set 'torch.stream_fields=[tid]'",
		        (int)about->track_word.size, about->track_word.data, COUNTED(judgement->other_tid, ""),
		        judgement->other_tid == 1 ? "is" : "are");
	if (judged->partial_count && may_launch_early(self))
		tav_say(say,
		        "%sthis device can start a kernel before the one before it has ended (programmatic dependent "
		        "launch): kernels that are meant to, by name: --set 'overlap-verify.allow=[PATTERN]'",
		        say->used ? "; " : "");
	if (pairs->within_us && tolerance_of(self) < 1000)
		tav_say(say, "%s--set overlap-verify.tolerance=1us would pass %s of them", say->used ? "; " : "",
		        COUNTED(pairs->within_us, ""));
}

tav_status tell_overlaps(struct tav_self *self, const struct judgement *judgement, const struct facts *facts,
                         const struct pairs *pairs)
{
	static const struct tav_text kinds[] = {{"partial", 7}, {"nested", 6}, {"duplicate", 9}};
	const struct instances *shown = &judgement->instances;
	const struct tav_host *host = self->host;
	char message[TEXT], remedy[TEXT], word[WORD];
	struct tav_sentence say = {message, sizeof(message), 0}, say_what_to_do = {remedy, sizeof(remedy), 0};

	if (!judgement->judged.offending_count)
		return TAV_OK;
	struct tav_ref *refs = host->alloc(self, (shown->count + 1) * 2 * sizeof(*refs));
	int64_t *overlap_ns = host->alloc(self, (shown->count + 1) * sizeof(*overlap_ns));
	struct tav_text *kind = host->alloc(self, (shown->count + 1) * sizeof(*kind));
	if (!refs || !overlap_ns || !kind)
		return TAV_FAILED;
	if (shown->count)
		qsort(shown->items, shown->count, sizeof(*shown->items), compare_instances);
	for (uint64_t i = 0; i < shown->count; i++) {
		refs[2 * i] = (struct tav_ref){0, shown->items[i].later};
		refs[2 * i + 1] = (struct tav_ref){0, shown->items[i].earlier};
		overlap_ns[i] = shown->items[i].overlap_ns;
		kind[i] = kinds[shown->items[i].kind];
	}
	const struct tav_series measures[] = {
	        {"overlap_ns", TAV_TYPE_INT, TAV_UNIT_NS, overlap_ns, NULL},
	        {"kind", TAV_TYPE_STRING, TAV_UNIT_NONE, kind, NULL},
	};
	say_overlaps(&say, judgement, pairs, track_word(self, 0, word));
	say_remedy(self, &say_what_to_do, judgement, facts, pairs);
	return host->finding(self, &(struct tav_finding){
	                                   .struct_size = sizeof(struct tav_finding),
	                                   .severity = TAV_SEV_ERROR,
	                                   .id = "overlap",
	                                   .message = message,
	                                   .refs_each = 2,
	                                   .count = judgement->judged.offending_count,
	                                   .instance_count = shown->count,
	                                   .refs = refs,
	                                   .measures = TAV_LIST(measures),
	                                   .max_instances = shown->limit,
	                                   .remedy = say_what_to_do.used ? remedy : NULL,
	                           });
}
