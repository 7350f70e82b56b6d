#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Made traces with figures worked by hand, of what random ones do not meet: cases.py TAV-RUN [NAME...]

Times in the traces are microseconds, in the figures nanoseconds.
"""
import json
import os
import sys
import tempfile

from reports import checks_of, run, stage_of, tables_of

tav_run, *names = sys.argv[1:]
failures, cases = [], []


def case(function):
    cases.append(function)
    return function


def event(name, cat, pid, tid, ts, dur, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args}


def launched(name, start, dur, call, correlation, pid=0, **args):
    """A kernel and its call, which takes 1 us."""
    return [event(name, "kernel", pid, 7, start, dur, stream=7, correlation=correlation, **args),
            event("cudaLaunchKernel", "cuda_runtime", 900, 1, call, 1, correlation=correlation)]


def look(events, stage, settings=(), **top):
    """What a stage says of a trace of these events: checks, tables, metrics, headlines."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        with open(path, "w") as file:
            json.dump({"schemaVersion": 1, "traceEvents": events, **top}, file)
        said = stage_of(run(tav_run, [path], (stage,), settings), stage)["by_source"][0]
    return checks_of(said), tables_of(said), said


def expect(what, got, wanted):
    if got != wanted:
        failures.append(f"{case_name}: {what}: got {got!r}, wanted {wanted!r}")


def steps(lengths, last_is_followed=True):
    """Steps of the host 100 us apart, the work of each as long as told and launched at its begin; the device never idles."""
    events, device = [], 10
    for number, length in enumerate(lengths):
        events.append(event(f"ProfilerStep#{number}", "user_annotation", 900, 1, 1000 * number, 900))
        events += launched("gemm", 20000 + device, length, 1000 * number + 5, number + 1)
        device += length
    if last_is_followed:
        events += launched("gemm", 20000 + device, 7, 1000 * len(lengths) + 5, 99)
    return events


@case
def outlier_step():
    """Four closed steps of 100, 100, 102, 100 and one of 160: its deviation is 60, the median one 0."""
    checks, tables, _ = look(steps([100, 100, 102, 160, 100]), "wall-time")
    expect("check", (checks["step_spread"]["result"], checks["step_spread"]["count"]), ("warn", 1))
    expect("rows", [(row["step"], row.get("device_ns"), row.get("note")) for row in tables["steps"]],
           [("(before)", 0, None), ("ProfilerStep#0", 100000, None), ("ProfilerStep#1", 100000, None),
            ("ProfilerStep#2", 102000, None), ("ProfilerStep#3", 160000, "outlier"), ("ProfilerStep#4", 100000, None),
            ("(after)", 7000, None)])
    expect("spread", [(row["closed_steps"], row["min_ns"], row["median_ns"], row["max_ns"], row["outliers"])
                      for row in tables["step_spread"]], [(5, 100000, 100000, 160000, 1)])


@case
def open_step():
    """The last step is open where nothing is launched behind it; three closed ones do not tell an outlier."""
    checks, tables, _ = look(steps([100, 100, 100, 300], last_is_followed=False), "wall-time")
    expect("check", checks["step_spread"]["result"], "skip")
    expect("notes", [row.get("note") for row in tables["steps"]], [None, None, None, None, "open", None])


@case
def step_without_work():
    events = steps([100, 100, 100, 100])
    events.append(event("ProfilerStep#9", "user_annotation", 900, 1, 3950, 40))
    _, tables, _ = look(events, "wall-time")
    row = next(row for row in tables["steps"] if row["step"] == "ProfilerStep#9")
    expect("row", (row.get("device_ns"), row["events"], row["note"]), (None, 0, "no device work"))
    expect("sum", sum(row.get("device_ns", 0) for row in tables["steps"]), tables["devices"][0]["window_ns"])


@case
def hidden_communication():
    """compute [0, 10), communication [5, 20), a copy [8, 30), idle [30, 40), compute [40, 41)."""
    events = launched("gemm", 0, 10, -5, 1) + launched("ncclDevKernel_AllReduce", 5, 15, -4, 2)
    events.append(event("Memcpy HtoD", "gpu_memcpy", 0, 8, 8, 22, stream=8, correlation=3))
    events += launched("gemm", 40, 1, -2, 4)
    _, tables, _ = look(events, "wall-time")
    row = tables["devices"][0]
    expect("parts", (row["compute_ns"], row["exposed_communication_ns"], row["exposed_copies_ns"], row["idle_ns"],
                     row["communication_ns"], row["copies_ns"]), (11000, 10000, 10000, 10000, 15000, 22000))
    expect("cause", [(row["cause"], row["idle_ns"]) for row in tables["idle"]], [("queued", 10000)])


@case
def unstamped():
    """Two events at time 0 while the others lie at 5 s: no window."""
    events = launched("gemm", 0, 10, 5000000, 1) + launched("gemm", 0, 20, 5000010, 2)
    for number in range(4):
        events += launched("gemm", 5000100 + 10 * number, 5, 5000020 + number, 3 + number)
    checks, tables, _ = look(events, "wall-time")
    expect("check", checks["wall_time"]["result"], "skip")
    expect("tables", tables.get("devices"), None)


@case
def clocks_disagree():
    """Every other kernel starts 2 us before its call, beyond the tolerance of 1 us; one by 1 us is allowed."""
    events = []
    for number in range(10):
        events += launched("gemm", 100 * number, 50, 100 * number + (2 if number % 2 else 1), number + 1)
    checks, tables, _ = look(events, "wall-time")
    expect("check", checks["idle_causes"]["result"], "skip")
    expect("why", "5 of 10" in checks["idle_causes"]["why"], True)
    expect("before launch", tables["launches"][0]["before_launch"], 10)
    checks, _, _ = look(events, "wall-time", ["wall-time.clock_tolerance=2us"])
    expect("with 2 us", checks["idle_causes"]["result"], "pass")


@case
def sampled():
    """Numbers of events with holes, and no call that lacks its kernel: the file is a sample. Without holes it is whole."""
    def events(stride):
        out = []
        for number in range(120):
            pair = launched("gemm", 100 * number, 50, 100 * number - 20, number + 1)
            for place, half in enumerate(pair):
                half["args"]["Ev Idx"] = stride * (2 * number + place)
            out += pair
        return out

    expect("holes", look(events(3), "wall-time")[0]["idle_causes"]["result"], "skip")
    expect("no holes", look(events(1), "wall-time")[0]["idle_causes"]["result"], "pass")


@case
def collective_sizes():
    """1000 floats over 4 ranks in 2 us: allgather counts what comes out, alltoallv has no rate, no dtype no bytes."""
    def args(kind, **more):
        return {"Collective name": kind, "Process Group Name": "3", "Process Group Ranks": "[0, 1, 2, 3]", "Group size": 4,
                "dtype": "Float", "In msg nelems": 1000, "Out msg nelems": 4000, **more}

    events = launched("ncclDevKernel_A", 0, 2, -5, 1, **args("all_gather"))
    events += launched("ncclDevKernel_B", 10, 2, 5, 2, **args("allreduce"))
    events += launched("ncclDevKernel_C", 20, 2, 15, 3, **args("all_to_allv", **{"In split size": "[1, 999]"}))
    events += launched("ncclDevKernel_D", 30, 2, 25, 4, **args("_reduce_scatter_base", dtype="Mystery"))
    _, tables, _ = look(events, "collectives")
    expect("types", {row["type"]: (row.get("bytes"), row.get("alg_gb_per_s"), row.get("bus_gb_per_s"))
                     for row in tables["types"]},
           {"allgather": (16000, 8.0, 6.0), "allreduce": (4000, 2.0, 3.0), "alltoall": (4000, None, None),
            "reducescatter": (None, None, None)})


@case
def collective_by_operator():
    """What is recorded stands on record_param_comms, found by External id, but not where that repeats the correlation."""
    record = {"Collective name": "broadcast", "Process Group Name": "1", "Group size": 2, "dtype": "Half",
              "In msg nelems": 500, "Out msg nelems": 500}
    events = [event("record_param_comms", "cpu_op", 900, 1, 0, 3, **{"External id": 77}, **record),
              event("record_param_comms", "cpu_op", 900, 1, 40, 3, **{"External id": 2}, **record)]
    events += launched("ncclDevKernel_Broadcast", 10, 1, 1, 1, **{"External id": 77})
    events += launched("ncclDevKernel_Broadcast", 50, 1, 41, 2, **{"External id": 2})
    _, tables, _ = look(events, "collectives")
    expect("types", sorted([(row["type"], row.get("group"), row["count"], row.get("bytes")) for row in tables["types"]], key=str),
           sorted([("broadcast", "1", 1, 1000), ("broadcast", None, 1, None)], key=str))


@case
def graph_outside_operators():
    """All device time comes from a graph launched outside any operator: which one costs it cannot be told."""
    events = [event("cudaGraphLaunch", "cuda_runtime", 900, 1, 0, 2, correlation=1)]
    events += [event(f"g{i}", "kernel", 0, 7, 10 + 5 * i, 4, stream=7, correlation=1) for i in range(3)]
    checks, tables, _ = look(events, "operators")
    expect("check", (checks["attributed"]["result"], "cudaGraphLaunch" in checks["attributed"]["why"]), ("skip", True))
    expect("rows", [(row["operator"], row["device_ns"], row["kernels"], row["calls"]) for row in tables["operators"]],
           [("(cudaGraphLaunch)", 12000, 3, 0)])
    expect("no shapes, no lines", (checks["shapes"]["result"], checks["lines"]["result"]), ("skip", "skip"))


@case
def recursion():
    """aten::a within aten::a: what the inner one launches counts once in the inclusive time; calls have their own sums."""
    events = [event("aten::a", "cpu_op", 900, 1, 0, 100), event("aten::a", "cpu_op", 900, 1, 10, 20)]
    events += launched("gemm", 200, 8, 15, 1) + launched("gemm", 210, 2, 16, 2) + launched("gemm", 220, 30, 50, 3)
    _, tables, _ = look(events, "operators")
    expect("row", [(row["operator"], row["device_ns"], row["inclusive_ns"], row["calls"], row["p50_call_ns"],
                    row["max_call_ns"]) for row in tables["operators"]], [("aten::a", 40000, 40000, 2, 10000, 30000)])


@case
def many_devices():
    events = []
    for device in range(300):
        events += launched("gemm", device, 1, device - 5, device + 1, pid=device)
    expect("check", look(events, "wall-time")[0]["wall_time"]["result"], "skip")
    expect("check", look(events, "operators")[0]["attributed"]["result"], "skip")


for function in cases:
    case_name = function.__name__
    if not names or case_name in names:
        function()
for failure in failures:
    print(failure)
print(f"{len(cases)} cases, {len(failures)} failures")
sys.exit(1 if failures else 0)
