/* SPDX-License-Identifier: Apache-2.0 */
/* What collectives tells, for --explain. Included once, by collectives.c. */
static const struct tav_page pages[] = {
        {"calls", TAV_TELLS_CHECK | TAV_TELLS_TABLE, 0, "Which collectives are there, and is enough recorded of them?",
         "The table is data for the comparison of ranks: one row a collective. It is left out, and the ranks are not "
         "compared, where there are more than max_calls. Sizes come from the kernel, else from the record_param_comms "
         "that it names; profile with record_shapes=True to have them."},
        {"types", TAV_TELLS_TABLE, 0, "Which collectives run, how large and how fast?",
         "By device, type, group and its size. alg_gb_per_s = bytes / time, bus_gb_per_s = alg x 2(n-1)/n for "
         "allreduce, (n-1)/n for allgather, reducescatter and alltoall, 1 for others (as nccl-tests). GB are 10^9 "
         "bytes. From one rank the time includes waiting for the others, so these are lower bounds."},
        {"waits", TAV_TELLS_CHECK, 0, "Which rank makes the others wait?",
         "Calls are matched over the ranks by group, name and order. The shortest duration of a call over its ranks is "
         "its transfer; what others take more is waiting, and the shortest arrived last. Judged are collectives that "
         "are on all ranks given and in which all wait for all. The first one is shown apart, since ranks start "
         "profiling at different times.\n\n"
         "It cannot be told where matched calls do not end together even with the clocks set by their ends: then they "
         "are other calls. Where ranks are missing, waits are lower bounds and transfer is an upper one."},
        {"ranks", TAV_TELLS_TABLE, 0, "How long does each rank wait, and how long is it waited for?",
         "caused_ns: the longest waits of the collectives in which the rank came last. late_ns: the sum of its "
         "arrivals "
         "after the first, by clocks set by the ends; a second way that should agree."},
        {"slowest_calls", TAV_TELLS_TABLE, 0, "In which collectives is the wait longest, and for whom?",
         "arrival_skew_ns: between the first and the last arrival, clocks set by the ends. start_skew_ns and "
         "end_skew_ns "
         "are by the clocks as recorded."},
        {"clocks", TAV_TELLS_TABLE, 0, "How far do the clocks of the ranks lie apart?",
         "The median over the judged collectives of the difference of ends to the lowest rank."},
        {"unmatched", TAV_TELLS_TABLE, 0, "Which collectives could not be matched over the ranks?",
         "Numbers differ (one trace is cut, or the ranks run other code), or sizes or types do."},
        {"collectives", TAV_TELLS_CHECK, TAV_SEV_ERROR, "Did the ranks run the same collectives?",
         "In each group, by name and order, with the same sizes and types of data. Where no process group is recorded "
         "and ranks are missing, a difference proves nothing, and it cannot be told."},
        {"meet", TAV_TELLS_CHECK, TAV_SEV_ERROR, "Do matched collectives meet in time, by the clocks as recorded?",
         "A collective ends on no rank before all have begun. If they do not meet, the clocks differ or they are other "
         "calls. Ends that differ by more than 100 us are a warning. The analysis of waits does not need it."},
};
