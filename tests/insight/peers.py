#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Side by side with what other tools say of the same traces: peers.py TAV-RUN TRACE-DIR

The figures of the others are those that they print (HTA as shipped, TraceLens' reference tables). Each difference has its
reason; where none is given the two must be equal at the grain that is printed. Ours are computed here, so the table is true.
"""
import decimal
import gzip
import json
import os
import sys
import tempfile

from reports import run, stage_of, tables_of

tav_run, traces = sys.argv[1:3]


def launched(event, calls):
    """HTA looks at device events whose call is recorded; others are dropped."""
    return event.get("cat") not in ("kernel", "gpu_memcpy", "gpu_memset") or event["args"].get("correlation") in calls


def as_kernel(event, calls):
    """HTA takes whatever has a stream for device work, also an operator of the host."""
    if event.get("cat") == "cpu_op" and "stream" in event.get("args", {}):
        event.update(cat="kernel", pid=0)
    return True


def with_stream(event, calls):
    return event.get("cat") != "mtia_ccp_events" or "stream" in event.get("args", {})


NEGATIVE, B200, MTIA = "hta-negative-queue-rank0.json.gz", "tracelens-b200-eager.json.gz", "hta-mtia-rank0.json.gz"


def idle(device):
    return device["idle_ns"]


def window(device):
    return device["window_ns"]


def compute(device):
    return device["compute_ns"]


def kernels(device):
    return device["compute_ns"] + device["exposed_communication_ns"]


# trace, filter, what, the other's figure (us), ours of a device, grain (us), why they differ; none: they must be equal
ROWS = (
    (NEGATIVE, None, "HTA: idle", 848200, idle, 100, "it drops 872 events without a recorded launch: their time becomes idle"),
    (NEGATIVE, launched, "the same, those events dropped", 848200, idle, 100, None),
    (NEGATIVE, None, "HTA: window", 1229100, window, 100, "the same events are missing at its ends"),
    (NEGATIVE, launched, "the same, those events dropped", 1229100, window, 100, None),
    (B200, None, "HTA: compute", 10844.4, compute, 0.1,
     "its rule by name calls 73 multimem_all_reduce kernels compute; here they are communication"),
    (B200, None, "HTA: compute, with all communication", 10844.4, kernels, 0.1,
     "it counts a host operator that has args.stream as device work"),
    (B200, None, "HTA: idle", 72818.0, idle, 0.1, "it counts a host operator that has args.stream as device work"),
    (B200, as_kernel, "the same, with that operator", 72818.0, idle, 0.1, None),
    (MTIA, None, "HTA: idle", 5627274, idle, 0.5, "it drops 137 events without a stream"),
    (MTIA, with_stream, "the same, those events dropped", 5627274, idle, 0.5, None),
)


def filtered(path, keep, folder):
    with gzip.open(path) as file:
        trace = json.load(file, parse_float=decimal.Decimal)
    calls = {event["args"].get("correlation") for event in trace["traceEvents"]
             if event.get("cat", "").endswith(("_runtime", "_driver")) and "args" in event}
    trace["traceEvents"] = [event for event in trace["traceEvents"] if keep(event, calls)]
    out = os.path.join(folder, "filtered.json")
    with open(out, "w") as file:
        json.dump(trace, file, default=str)  # decimals as texts, which are read as exactly
    return out


def device_of(path, keep):
    with tempfile.TemporaryDirectory() as folder:
        report = run(tav_run, [filtered(path, keep, folder) if keep else path], ("wall-time",),
                     ["torch.device_categories=[mtia_ccp_events]"])
    return tables_of(stage_of(report, "wall-time")["by_source"][0])["devices"][0]


failures = 0
print("| trace | figure | other (us) | tav (us) | why they differ |\n|---|---|---|---|---|")
for trace, keep, what, other, ours, grain, why in ROWS:
    path = os.path.join(traces, trace)
    if not os.path.exists(path):
        print(f"| {trace} | {what} | {other:,.1f} | not at hand | {why} |")
        continue
    mine = ours(device_of(path, keep)) / 1000
    equal = abs(mine - other) <= grain
    failures += equal != (not why)
    print(f"| {trace} | {what} | {other:,.1f} | {mine:,.1f} | {'equal' if equal else why or 'THEY SHOULD BE EQUAL'} |")
sys.exit(1 if failures else 0)
