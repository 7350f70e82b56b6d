/* SPDX-License-Identifier: Apache-2.0 */
/* What wall-time tells, for --explain. Included once, by wall.c. */
static const struct tav_page pages[] = {
        {"wall_time", TAV_TELLS_CHECK, TAV_SEV_WARNING, "Can the time of each device be parted?",
         "The window of a device reaches from the first start to the last end of its events. It is parted exactly into "
         "compute, exposed communication (nothing of compute runs beside it), exposed copies (neither compute nor "
         "communication does), and idle. The four sum to the window; the stage would fail if they did not.\n\n"
         "It cannot be told where there is no device work, or where events were never stamped (time 0, while others "
         "lie beyond a second): then the window is not credible."},
        {"idle_causes", TAV_TELLS_CHECK, TAV_SEV_WARNING, "Can it be told why the devices are idle?",
         "A gap is parted by the launch of the event that ends it. Before the call began, the thread that launched it "
         "did something else, and the first of these that holds is the cause: the profiler's own work, a wait for the "
         "device (sync), another runtime call, loading of input, an operator, Python, or nothing that is recorded. "
         "While the call runs: launch_call. After it returned: start_latency; if it had returned before the gap began: "
         "queued. Between the kernels of a graph: in_graph. No launch: unlinked.\n\n"
         "It cannot be told where more than a tenth of the idle time is unlinked, where device events start before "
         "their calls do (the clocks disagree), or where the trace is a sample of the events.\n\n"
         "What to do: record the calls too (activities of CPU as well as of the device), and the whole run."},
        {"step_spread", TAV_TELLS_CHECK | TAV_TELLS_TABLE, TAV_SEV_WARNING, "Do all steps take as long on the device?",
         "Closed steps are compared; the last one is open if no work follows it. An outlier lies more than 4.5 median "
         "deviations and more than 5 % off the median. With fewer than four closed steps it cannot be told.\n\n"
         "What to do: look at the row of the outlier in the table steps; the part in which it differs is the cause."},
        {"devices", TAV_TELLS_TABLE, 0, "Where does the time of each device go?",
         "One row a device. window = compute + exposed communication + exposed copies + idle. communication_ns and "
         "copies_ns count what is hidden as well. Devices are never added up."},
        {"idle", TAV_TELLS_TABLE, 0, "Why is each device idle, and for how long?",
         "One row a cause; they sum to the idle time. late: the host could have launched sooner. in time: the work had "
         "been handed over. What removing one cause would save is at most its time."},
        {"idle_by_name", TAV_TELLS_TABLE, 0,
         "In which operator, call or function was the host while the device was idle?",
         "The causes sync, runtime_call, input, operator and python by the innermost event of that cause on the thread "
         "that launched, launch_call by the name of the call."},
        {"longest_gaps", TAV_TELLS_TABLE, 0, "Which gaps are the longest, and between what do they lie?",
         "The cause is the one with most of the gap; cause_share says how much of it. Operator and Python function are "
         "those around the launch of the event that ends the gap."},
        {"gap_lengths", TAV_TELLS_TABLE, 0, "How long are gaps?",
         "Percentiles by nearest rank, so always lengths that occur. Many short gaps speak for small kernels, few long "
         "ones for waits."},
        {"launches", TAV_TELLS_TABLE, 0, "How long does it take from a call to its work on the device?",
         "delay: from the start of the call to that of its first device event. queue: from the end of the call, 0 "
         "where "
         "the work begins while the call runs. call: how long the call takes. A long queue is good: the host is "
         "ahead."},
        {"steps", TAV_TELLS_TABLE, 0, "Which step is slow, and in what?",
         "A step begins on the device where the first work launched within it begins, so that a host that runs ahead "
         "does not distort it. Rows (before) and (after) take the rest; all rows sum to the window. lag_ns: how far "
         "the device is behind the host."},
        {"step_ranks", TAV_TELLS_CHECK | TAV_TELLS_TABLE, 0, "Which rank takes longest for a step, and in what?",
         "For each step that all ranks have: own time is the time on the device without exposed communication, since a "
         "rank that waits is not the slow one. The slowest rank is named, and the part in which it exceeds the median "
         "most. No clocks are compared."},
};
