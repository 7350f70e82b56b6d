/* SPDX-License-Identifier: Apache-2.0 */
/* What --explain prints of each check, finding, table and metric. */
#include "triage.h"

const struct tav_page triage_pages[TRIAGE_PAGE_COUNT] = {
        {"device_work", TAV_TELLS_CHECK, 0, "Is there device work to look at?",
         "Device work without a duration is left out and counted here: it takes no time, so that nothing can be won "
         "of it.\n\n"
         "Skipped where no device event has a duration, or none in the window that was asked for. Look at the option "
         "`device_categories` of the dialect when the trace should have some."},
        {"sources", TAV_TELLS_CHECK, 0, "Is it known which line of Python launched the kernels?",
         "Up to `samples` kernels of each name are looked up: by the call that launched them (the same correlation), "
         "else by the number of their operator, then in the Python frames open there.\n\n"
         "Skipped where the trace has no Python frames (record it with with_stack=True), no links between kernels "
         "and calls, or links that several processes share, so that any answer would be a guess.\n\n"
         "Kernels replayed from a graph have one launch for all of them. Record the same work without graphs and "
         "give that trace as `mapping=`; it is matched by the names of the kernels."},
        {"phases", TAV_TELLS_CHECK | TAV_TELLS_TABLE, 0, "Which kernels belong to prefill, which to decode?",
         "Told by annotations whose names have the whole word prefill, extend or decode, or the two counts of "
         "execute_context_C(..)_generation_G(..); both together are `mixed`. A kernel belongs to the annotation of "
         "its operator, else to the one of its own device that holds it, else to the one that holds its launch.\n\n"
         "The table has a row for each phase and each step, over the time of its own runs. "
         "Where the whole file is one phase, say so with `default_phase`. Kernels of no phase stay in `all`."},
        {"mostly_idle", TAV_TELLS_FINDING, TAV_SEV_NOTE, "The device runs nothing for more than half of its window.",
         "Then the host, not a kernel, decides how long the work takes: slow launches, waits for copies, input, a "
         "synchronisation for each step. A faster kernel makes the gaps longer and nothing else.\n\n"
         "The window is the time from the first kernel to the last; time before and after it is not counted."},
        {"one_stream", TAV_TELLS_FINDING, TAV_SEV_NOTE, "All work of the device is on one stream: nothing is hidden.",
         "Kernels on one stream follow each other, so copies and collectives stand alone whatever their share. "
         "Whether a second one would help depends on what needs what, which the trace does not tell."},
        {"devices", TAV_TELLS_TABLE | TAV_TELLS_METRIC, 0,
         "How busy is each device, and how much of its communication is hidden?",
         "busy and idle are of the window from the first kernel to the last; overlap (two streams or more) and "
         "exposed (communication without compute beside it) are of the busy time; covered is of the communication. "
         "An instant belongs to the highest kind of work that runs: compute, communication, copy."},
        {"opportunities", TAV_TELLS_TABLE, 0, "What is worth a change, by the time that it can win at most?",
         "gain is wall time: of communication the time without compute beside it, of all other work the time with "
         "nothing beside it, of idle time all of it. It is the most that a change can win, since removing one thing "
         "may lengthen another; gains are never added up. P1 is 5 % of the window or more, P2 1 %.\n\n"
         "What a change risks stands in `dependency_signal`: how many of the kernels follow closely on work that they "
         "may need, or are followed closely by work that may need them. It is seen on one stream only."},
        {"kernels", TAV_TELLS_TABLE | TAV_TELLS_METRIC, 0,
         "Each kernel name: its time, how much of it is hidden, and where it comes from.",
         "hidden: something runs on another stream; hidden_by_compute: compute does; exclusive: nothing does. exposed "
         "is what no compute covers."},
        {"partners", TAV_TELLS_TABLE, 0, "What ran beside each kernel on other streams, at most three of each.", NULL},
        {"ranks", TAV_TELLS_TABLE, 0, "The devices of all sources side by side, each on its own clock.", NULL},
        {"busy_ns", TAV_TELLS_METRIC, 0, "Time in which at least one kernel runs, summed over devices.", NULL},
        {"idle_ns", TAV_TELLS_METRIC, 0,
         "Time in which none runs, from the first kernel to the last, summed over devices.", NULL},
        {"overlap_ns", TAV_TELLS_METRIC, 0, "Time with kernels on two streams or more, summed over devices.", NULL},
        {"exposed_communication_ns", TAV_TELLS_METRIC, 0,
         "Time with communication and without compute, summed over devices.", NULL},
        {"max_concurrent_streams", TAV_TELLS_METRIC, 0, "Streams that run at once, at most.", NULL},
};
