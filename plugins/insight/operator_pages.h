/* SPDX-License-Identifier: Apache-2.0 */
/* What operators tells, for --explain. Included once, by operators.c. */
static const struct tav_page pages[] = {
        {"attributed", TAV_TELLS_CHECK, TAV_SEV_WARNING, "Does device work belong to operators?",
         "An event belongs to the innermost operator on the thread of its launch at the start of the call; else to the "
         "operator whose number it bears. Where less than half of the device time does, the answer is not given.\n\n"
         "Causes: graphs (their kernels were launched at capture), libraries that launch on their own threads, no "
         "operators recorded.\n\n"
         "What to do: record CPU activity; for graphs give a trace of the capture to overlap-triage as mapping."},
        {"operators", TAV_TELLS_TABLE, 0, "Which operators cost device time?",
         "device_ns: of what the operator launched itself; these sum to the device's summed time, in which two streams "
         "count twice. inclusive_ns: of all that was launched within it, itself and what it calls; inclusive times "
         "overlap. calls: operator events that launched something. In brackets: calls outside any operator."},
        {"shapes", TAV_TELLS_CHECK | TAV_TELLS_TABLE, 0, "For which shapes of inputs do operators cost device time?",
         "Shapes and types are texts as in the file. They are there if the profile was taken with record_shapes=True."},
        {"lines", TAV_TELLS_CHECK | TAV_TELLS_TABLE, 0,
         "Which Python functions launch the work that costs device time?",
         "The innermost function around the launch that is yours: outside torch/ and installed packages, or under the "
         "folders of the option source_roots. There if the profile was taken with with_stack=True."},
};
