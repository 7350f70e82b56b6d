/* SPDX-License-Identifier: Apache-2.0 */
/* Why a source is not to be believed without reserve, whatever the stages make of it. */
#include <string.h>

#include <report/report.h>
#include <tav/kit.h>

enum { MOST_DOUBTS = 4 };

/* Adds one; false: no memory. `message` is already in the arena, or NULL when there was none for it. */
static bool add(struct report_source *source, const char *id, uint64_t count, const char *message)
{
	if (message)
		source->doubts[source->doubt_count++] = (struct report_doubt){id, message, count};
	return message != NULL;
}

bool report_add_doubts(struct report_source *source, struct arena *arena, bool needs_device)
{
	const struct tav_source *facts = &source->facts;
	char number[TAV_COUNTED_SIZE], total[TAV_COUNTED_SIZE];
	uint64_t repairs = 0;
	bool is_done = true;

	source->doubt_count = 0;
	source->doubts = arena_array(arena, MOST_DOUBTS, sizeof(*source->doubts));
	if (!source->doubts)
		return false;
	for (uint32_t i = 0; i < source->note_count; i++)
		repairs += source->notes[i].is_repair ? source->notes[i].count : 0;
	if (facts->unusable_count) {
		bool is_one = facts->unusable_count == 1;

		is_done &= add(source, "unusable_events", facts->unusable_count,
		               arena_printf(arena, "%s of %s %s no usable time and %s left out",
		                            tav_counted(number, facts->unusable_count, ""),
		                            tav_counted(total, facts->event_count, "event"), is_one ? "has" : "have",
		                            is_one ? "is" : "are"));
	}
	if (facts->zero_time_count)
		is_done &= add(source, "zero_timestamps", facts->zero_time_count,
		               arena_printf(arena, "%s of %s %s at a ts of 0 or less: the time stamp was never set",
		                            tav_counted(number, facts->zero_time_count, ""),
		                            tav_counted(total, facts->device_event_count, "device event"),
		                            facts->zero_time_count == 1 ? "starts" : "start"));
	if (repairs)
		is_done &= add(source, "repairs", repairs,
		               arena_printf(arena, "%s of the text: what is there was read leniently",
		                            tav_counted(number, repairs, "repair")));
	if (needs_device && !facts->device_event_count)
		is_done &= add(source, "no_device_events", facts->event_count,
		               facts->dialect.size
		                       ? arena_printf(arena, "none of %s is device work as the dialect '%.*s' knows it",
		                                      tav_counted(total, facts->event_count, "event"),
		                                      (int)facts->dialect.size, facts->dialect.data)
		                       : arena_printf(arena, "none of %s is device work",
		                                      tav_counted(total, facts->event_count, "event")));
	return is_done;
}
