/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of a source: its checks, its headline, and what else may be wrong with it. */
#include <string.h>

#include "verify.h"

tav_status tell_fact(struct tav_self *self, const struct fact *fact, const char *message)
{
	const struct examples *examples = fact->examples;
	struct tav_ref refs[EXAMPLES];
	uint64_t shown = !examples ? 0 : examples->count < EXAMPLES ? examples->count : EXAMPLES;

	for (uint64_t i = 0; i < shown; i++)
		refs[i] = (struct tav_ref){0, examples->rows[i]};
	return self->host->finding(self, &(struct tav_finding){
	                                         .struct_size = sizeof(struct tav_finding),
	                                         .severity = fact->severity,
	                                         .id = fact->id,
	                                         .message = message,
	                                         .refs_each = examples ? 1 : 0,
	                                         .count = fact->count,
	                                         .instance_count = shown,
	                                         .refs = refs,
	                                         .remedy = fact->remedy,
	                                 });
}

const char *track_word(struct tav_self *self, uint32_t source, char out[WORD])
{
	struct tav_text word = self->host->source(self, source)->track_word;

	snprintf(out, WORD, "%.*s", word.size < WORD ? (int)word.size : WORD - 1, word.size ? word.data : "track");
	return word.size ? out : "track";
}

static const char *article(const char *word)
{
	return strchr("aeiou", *word) ? "an" : "a";
}

/* ---- What else may be wrong ---------------------------------------------------------------------------------- */

/* Can it stand in a command line as it is? */
static int is_plain(struct tav_text text)
{
	for (size_t i = 0; i < text.size; i++) {
		char c = text.data[i];

		if (!((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
		      (c && strchr("_.-", c))))
			return 0;
	}
	return text.size > 0 && text.size < 64;
}

static tav_status tell_nothing(struct tav_self *self, const struct judgement *judgement)
{
	const struct tav_source *about = self->host->source(self, 0);
	uint64_t measured = judgement->measured.event_count;
	char message[TEXT], remedy[TEXT] = "";
	struct tav_sentence say = {message, sizeof(message), 0};
	struct strange strange;

	if (measured) {
		tav_say(&say, "0 device events on judged tracks: nothing was verified; %s only measured",
		        COUNTED(measured, "device event"));
		snprintf(remedy, sizeof(remedy), "--set overlap-verify.tracks=all judges them too");
	} else {
		tav_say(&say, "0 device events: nothing was verified");
		strange_categories(self, &strange);
		if (*strange.told)
			tav_say(&say, "; categories of which the dialect %.*s knows nothing: %s",
			        (int)about->dialect.size, about->dialect.data, strange.told);
		if (is_plain(strange.category) && tav_text_is(about->dialect, "torch"))
			snprintf(remedy, sizeof(remedy),
			         "if %.*s is device work: --set 'torch.device_categories=[%.*s]'",
			         (int)strange.category.size, strange.category.data, (int)strange.category.size,
			         strange.category.data);
	}
	return tell_fact(self, &(struct fact){"no_device_events", TAV_SEV_WARNING, 1, NULL, *remedy ? remedy : NULL},
	                 message);
}

static tav_status tell_amount(struct tav_self *self, const struct judgement *judgement, const struct facts *facts)
{
	uint64_t judged = judgement->judged.event_count;
	uint64_t wanted = (uint64_t)self->options[OPT_MIN_DEVICE_EVENTS]->integer;
	char message[TEXT];
	tav_status status = judged ? TAV_OK : tell_nothing(self, judgement);

	if (!status && judged < wanted) {
		snprintf(message, sizeof(message), "%s: min_device_events asks for at least %s",
		         COUNTED(judged, "device event"), COUNTED(wanted, ""));
		status =
		        tell_fact(self, &(struct fact){"too_few_device_events", TAV_SEV_ERROR, 1, NULL, NULL}, message);
	}
	if (!status && facts->launches.count && !facts->kernels) {
		snprintf(message, sizeof(message), "%s %s without any kernel: was the device recorded?",
		         COUNTED(facts->launches.count, ""), facts->launches.count == 1 ? "launch" : "launches");
		status = tell_fact(self,
		                   &(struct fact){"launches_without_kernels", TAV_SEV_WARNING, facts->launches.count,
		                                  &facts->launches, NULL},
		                   message);
	}
	return status;
}

static tav_status tell_default_stream(struct tav_self *self, const struct facts *facts, const char *word)
{
	char message[TEXT];

	if (!facts->default_stream || facts->default_tid_count < 2)
		return TAV_OK;
	snprintf(message, sizeof(message), "%s without %s %s from %s%u different tids: all stand on the default %s",
	         COUNTED(facts->default_stream, "device event"), article(word), word,
	         facts->default_tid_count == TIDS_TOLD ? "at least " : "", facts->default_tid_count, word);
	return tell_fact(self,
	                 &(struct fact){"default_stream_tids", TAV_SEV_WARNING, facts->default_stream, NULL, NULL},
	                 message);
}

/* The host knows of times that were never set, where most others are; here all of them may be at 0. */
static tav_status tell_zero_timestamps(struct tav_self *self, const struct facts *facts)
{
	char message[TEXT];

	if (facts->zero_timestamps.count < 2 || self->host->source(self, 0)->zero_time_count)
		return TAV_OK;
	snprintf(message, sizeof(message), "%s with a ts of 0: the clock was not read",
	         COUNTED(facts->zero_timestamps.count, "device event"));
	return tell_fact(self,
	                 &(struct fact){"zero_timestamps", TAV_SEV_WARNING, facts->zero_timestamps.count,
	                                &facts->zero_timestamps, NULL},
	                 message);
}

static tav_status tell_suspect_times(struct tav_self *self, const struct facts *facts)
{
	char message[TEXT];

	if (!facts->suspect_times.count)
		return TAV_OK;
	snprintf(message, sizeof(message), "%s whose own fields contradict %s ts or dur",
	         COUNTED(facts->suspect_times.count, "device event"),
	         facts->suspect_times.count == 1 ? "its" : "their");
	return tell_fact(self,
	                 &(struct fact){"suspect_time", TAV_SEV_WARNING, facts->suspect_times.count,
	                                &facts->suspect_times, NULL},
	                 message);
}

static tav_status tell_unknown_work(struct tav_self *self, const struct judgement *judgement, const char *word)
{
	char message[TEXT];
	struct tav_sentence say = {message, sizeof(message), 0};

	if (!judgement->unknown_work)
		return TAV_OK;
	tav_say(&say, "%s, neither kernel nor copy, on %s %s that is not known to run one at a time",
	        COUNTED(judgement->unknown_work, "device event"), article(word), word);
	if (judgement->unknown_lane.size)
		tav_say(&say, " (%.*s)", (int)judgement->unknown_lane.size, judgement->unknown_lane.data);
	tav_say(&say, ": measured, not judged");
	return tell_fact(self, &(struct fact){"other_lane", TAV_SEV_WARNING, judgement->unknown_work, NULL, NULL},
	                 message);
}

static tav_status tell_doubts(struct tav_self *self, const struct judgement *judgement, const struct facts *facts)
{
	char buffer[WORD];
	const char *word = track_word(self, 0, buffer);
	tav_status status = tell_default_stream(self, facts, word);

	if (!status)
		status = tell_zero_timestamps(self, facts);
	if (!status)
		status = tell_suspect_times(self, facts);
	return status ? status : tell_unknown_work(self, judgement, word);
}

/* ---- Checks and headline -------------------------------------------------------------------------------------- */

/* "22,290 device events on 2 streams, 0 without a stream" */
static void say_amount(struct tav_sentence *say, const struct judgement *judgement, const char *word)
{
	tav_say(say, "%s on %s, %s without %s %s", COUNTED(judgement->judged.event_count, "device event"),
	        COUNTED(judgement->judged.track_count, word), COUNTED(judgement->judged_default_stream, ""),
	        article(word), word);
	if (judgement->measured.event_count)
		tav_say(say, "; %s on %s measured, not judged",
		        COUNTED(judgement->measured.event_count, "device event"),
		        COUNTED(judgement->measured.track_count, word));
	if (judgement->judged.allowed_count)
		tav_say(say, "; %s", COUNTED(judgement->judged.allowed_count, "allowed overlap"));
}

static tav_status tell_overlap_check(struct tav_self *self, const struct judgement *judgement)
{
	const struct tav_overlap_totals *judged = &judgement->judged;
	char amount[TEXT], word[WORD];
	struct tav_sentence say = {amount, sizeof(amount), 0};

	say_amount(&say, judgement, track_word(self, 0, word));
	if (!judged->event_count)
		return tav_tell(self, 0, "overlap", TAV_RESULT_SKIP, 0, 0, "nothing was verified: %s", amount);
	if (!judged->offending_count)
		return tav_tell(self, 0, "overlap", TAV_RESULT_PASS, 0, judged->event_count, "%s", amount);
	return tav_tell(self, 0, "overlap", TAV_RESULT_FAIL, judged->offending_count, judged->event_count,
	                "%s among %s", COUNTED(judged->offending_count, "overlap"), amount);
}

static tav_status tell_times_check(struct tav_self *self, const struct judgement *judgement, const struct facts *facts)
{
	uint64_t bad = facts->unusable_device;
	uint64_t examined = judgement->judged.event_count + judgement->measured.event_count + bad;

	if (bad)
		return tav_tell(self, 0, "times", TAV_RESULT_FAIL, bad, examined, "%s cannot be placed in time",
		                COUNTED(bad, "device event"));
	return examined ? tav_tell(self, 0, "times", TAV_RESULT_PASS, 0, examined,
	                           "every device event has its place in time")
	                : tav_tell(self, 0, "times", TAV_RESULT_SKIP, 0, 0, "no device events");
}

static tav_status tell_headline(struct tav_self *self, const struct judgement *judgement, const struct pairs *pairs)
{
	const struct tav_overlap_totals *judged = &judgement->judged;
	char word[WORD];

	if (!judged->event_count)
		return tav_headline(self, 0, "nothing was verified: 0 device events");
	if (!judged->offending_count)
		return tav_headline(self, 0, "no overlap among %s on %s", COUNTED(judged->event_count, "device event"),
		                    COUNTED(judged->track_count, track_word(self, 0, word)));
	return tav_headline(self, 0, "%s of %s overlap%s another of %s %s, in %s of names",
	                    COUNTED(judged->offending_count, ""), COUNTED(judged->event_count, "device event"),
	                    tav_does(judged->offending_count), judged->offending_count == 1 ? "its" : "their",
	                    track_word(self, 0, word), COUNTED(pairs->pair_count, "pair"));
}

tav_status tell_source(struct tav_self *self, struct judgement *judgement, const struct facts *facts)
{
	struct pairs pairs;
	tav_status status = tell_overlap_check(self, judgement);

	if (!status)
		status = tell_times_check(self, judgement, facts);
	if (!status)
		status = tell_pairs(self, judgement, &pairs);
	if (!status)
		status = tell_headline(self, judgement, &pairs);
	if (!status)
		status = tell_overlaps(self, judgement, facts, &pairs);
	if (!status)
		status = tell_unusable(self, facts);
	if (!status)
		status = tell_amount(self, judgement, facts);
	if (!status)
		status = tell_doubts(self, judgement, facts);
	return status ? status : tell_metrics(self, judgement, facts);
}
