/* SPDX-License-Identifier: Apache-2.0 */
/* A page for each thing that this stage tells. */
#include "verify.h"

const struct tav_page pages[PAGE_COUNT] = {
        {"overlap", TAV_TELLS_CHECK | TAV_TELLS_FINDING, TAV_SEV_ERROR,
         "Does each stream of a device run one thing at a time?",
         "Two device events of one stream that share time cannot both be right: a stream runs its work one by one. "
         "Partly: the later one starts inside the earlier one and ends after it. Nested: it ends inside. Duplicate: "
         "the same record twice. Each event that overlaps an earlier one counts once and is shown with the earlier "
         "one that ends last.\n\n"
         "Example: kernel A runs from 0 to 10 us, kernel B from 8 to 12 us on the same stream: one overlap of 2 us, "
         "partly.\n\n"
         "Causes: times rounded to whole microseconds (tolerance), kernels that may start early by programmatic "
         "dependent launch (allow), several streams recorded as one (torch.stream_fields), a record written twice, "
         "clocks that were changed while recording.\n\n"
         "What to do: look at the table `pairs`. Few pairs of names with short overlaps are mostly rounding or early "
         "launches; everything else is a fault of the recording."},
        {"times", TAV_TELLS_CHECK, TAV_SEV_ERROR, "Has every device event its place in time?",
         "A device event without a usable ts or dur may overlap others, and nobody can tell. It counts as a failure; "
         "the finding unusable_device_event shows which field is wrong."},
        {"unusable_device_event", TAV_TELLS_FINDING, TAV_SEV_ERROR, "Device events that cannot be placed in time.",
         "A ts or dur is missing, no number, negative or out of range, or a B has no E. Causes: a recording that was "
         "cut off, a counter that ran backwards, a converter that wrote another unit.\n\n"
         "What to do: record again, or mend the events named."},
        {"unusable_host_events", TAV_TELLS_FINDING, TAV_SEV_NOTE, "Host events that cannot be placed in time.",
         "They take no part in this verification. An event that was still running when the recording ended often "
         "has a negative dur."},
        {"no_device_events", TAV_TELLS_FINDING, TAV_SEV_WARNING, "Nothing was there to be verified.",
         "The dialect knows no event of this trace as device work, or all of it lies on tracks that are not judged. "
         "Causes: the device was not recorded; its work has a category that the dialect does not know "
         "(torch.device_categories); another dialect is meant (--dialect).\n\n"
         "What to do: compare the categories named with what should be there."},
        {"too_few_device_events", TAV_TELLS_FINDING, TAV_SEV_ERROR,
         "Fewer device events than the option min_device_events asks for.",
         "Use it where an empty trace would pass unnoticed, such as in CI."},
        {"launches_without_kernels", TAV_TELLS_FINDING, TAV_SEV_WARNING, "Calls launch work, and no kernel is there.",
         "The host launched kernels, and the trace has none. Causes: the activities of the device were not recorded, "
         "or their buffer was lost.\n\n"
         "What to do: record with the device's activities switched on."},
        {"default_stream_tids", TAV_TELLS_FINDING, TAV_SEV_WARNING,
         "Events without a stream come from several threads.",
         "An event that does not say its stream is put on stream 0. If they come from several tids, they may have "
         "been on several streams, and overlaps among them may be none.\n\n"
         "What to do: where each tid is a stream, --set 'torch.stream_fields=[tid]'."},
        {"zero_timestamps", TAV_TELLS_FINDING, TAV_SEV_WARNING, "Device events that start at time 0.",
         "Two or more device events with a ts of 0 were most likely never stamped."},
        {"suspect_time", TAV_TELLS_FINDING, TAV_SEV_WARNING, "The trace contradicts itself about a time.",
         "Other fields of the event say that its ts or dur cannot be right, such as cycles counted by the device "
         "while no time passes. The dialect knows which."},
        {"other_lane", TAV_TELLS_FINDING, TAV_SEV_WARNING, "Device work of a kind that nobody knows.",
         "It is neither kernel nor copy, and stands on a track of which the dialect does not say that it runs one "
         "thing at a time. It was measured, not judged.\n\n"
         "What to do: --set overlap-verify.tracks=all judges it too."},
        {"pairs", TAV_TELLS_TABLE, 0, "Which two names overlap, how often and by how much?",
         "One row for each pair of names, the most frequent first. One cause mostly makes many overlaps of few "
         "pairs."},
};
