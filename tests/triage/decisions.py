#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each decision in which the two rule sets of overlap-triage differ, on a trace made for it: decisions.py TAV-RUN

A test is a function; its name is the decision, or says which option it tries. Times
of the traces are in microseconds, those of the tables in nanoseconds.
"""
import inspect
import json
import os
import subprocess
import sys
import tempfile

run = sys.argv[1]
REFERENCE, IMPROVED = "reference", "improved"
folder = tempfile.TemporaryDirectory()
made = 0


def event(name, category, start, time, pid=0, tid=7, **args):
    return {"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": start, "dur": time,
            "args": {key.replace("_", " ") if key == "External_id" else key: value for key, value in args.items()}}


def kernel(name, start, time, stream=7, **more):
    return event(name, "kernel", start, time, stream=stream, **more)


def host(name, category, start, time, **more):
    return event(name, category, start, time, pid=100, tid=100, **more)


def write(text):
    global made
    made += 1
    path = os.path.join(folder.name, f"{made}.json")
    with open(path, "w") as file:
        file.write(text if isinstance(text, str) else json.dumps({"schemaVersion": 1, "traceEvents": text}))
    return path


class Result:
    def __init__(self, status, said, stage):
        self.status, self.said, self.tables, self.metrics, self.checks, self.findings = status, said, {}, {}, {}, []
        if not stage:
            return
        self.metrics = stage["metrics"]
        for part in [stage] + stage["by_source"]:
            for table in part["tables"]:
                self.tables.setdefault(table["id"], []).extend(table["rows"])
            self.findings += [finding["id"] for finding in part["findings"]]
            for check in part["checks"]:
                self.checks[check["id"]] = check["result"]

    def kernels(self):
        return {row["name"]: row for row in self.tables.get("kernels", [])}

    def phases(self):
        return {row["phase"]: row["kernels"] for row in self.tables.get("phases", []) if row["kind"] == "phase"}

    def rows(self):
        """Of kernels; what the device is idle is a row of its own."""
        return [row for row in self.tables.get("opportunities", []) if row["verdict"] != "idle"]


def triage(events, rules=IMPROVED, **options):
    traces = events if isinstance(events, tuple) else (events,)
    report = os.path.join(folder.name, "report.json")
    if os.path.exists(report):
        os.unlink(report)
    command = [run, "-q", "--dialect", "torch", "-s", "overlap-triage", "--report", "json=" + report]
    for key, value in {"rules": rules, **options}.items():
        command += ["--set", f"overlap-triage.{key}={value}"]
    done = subprocess.run(command + [write(trace) for trace in traces], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    stage = None
    if done.returncode < 2:
        with open(report) as file:
            stage = json.load(file)["stages"][0]
    return Result(done.returncode, done.stdout.decode(errors="replace"), stage)


def both(events, what, **options):
    return what(triage(events, REFERENCE, **options)), what(triage(events, IMPROVED, **options))


def same(got, wanted):
    if got != wanted:
        raise AssertionError(f"got {got!r}, wanted {wanted!r}")


# ---- The decisions

def kernels():
    wait = event("void Stream Sync", "cuda_sync", 0, 100, stream=8)
    same(both([kernel("gemm", 0, 10), wait], lambda r: r.metrics["busy_ns"]), (100000, 10000))
    same(both([kernel("## call gemm", 0, 10), kernel("gemm", 20, 5)], lambda r: r.metrics["kernels"]), (1, 2))


def devices():
    events = [kernel("gemm", 0, 10), kernel("gemm", 5, 30, pid=1)]
    same(both(events, lambda r: (r.metrics["devices"], r.metrics["busy_ns"], r.metrics["overlap_ns"])),
         ((1, 30000, 0), (2, 40000, 0)))
    same([row["busy_ns"] for row in triage(events).tables["ranks"]], [10000, 30000])


def streams():
    events = [kernel("gemm", 0, 10, stream=0, tid=1), kernel("relu", 0, 10, stream=0, tid=2)]
    same(both(events, lambda r: r.metrics["overlap_ns"]), (10000, 0))
    same(both([kernel("gemm", 0, 10, stream=7), kernel("relu", 0, 10, stream="7")],
              lambda r: r.metrics["overlap_ns"]), (0, 0))


def numbers():
    events = [kernel("gemm", 20, 10), kernel("relu", 0, 10)]
    same(both(events, lambda r: r.kernels()["gemm"]["representative_idx"]), (0, 1))


def categories():
    names = {"fbgemm_gpu_lookup": ("compute", "other"), "void GammaMmaFree_other(int)": ("compute", "compute"),
             "SummaryKernel": ("compute", "other"), "threaDMAp": ("memory", "other"), "preFILLed": ("memory", "other"),
             "nvjet_hsh_128x8": ("other", "compute"), "triton_per_fused_sum": ("compute", "elementwise"),
             "rccl_SendRecv": ("other", "communication"), "void Kernel<cutlass::bfloat16_t>(int)": ("compute", "other"),
             "void RMSNormKernel<cutlass::bfloat16_t>(int)": ("compute", "elementwise"), "sgemm_128": ("compute", "compute")}
    events = [kernel(name, 10 * i, 5) for i, name in enumerate(names)]

    def found(result):
        return [row["category"] for row in sorted(result.tables["kernels"], key=lambda row: row["representative_idx"])]
    reference, improved = both(events, found)
    same(dict(zip(names, zip(reference, improved))), names)
    copy = [event("sgemm_like_name", "gpu_memcpy", 0, 5, stream=7)]
    same(both(copy, lambda r: r.tables["kernels"][0]["category"]), ("compute", "memory"))


def phase_words():
    def phase(name):
        return both([event(name, "gpu_user_annotation", 0, 100), kernel("gemm", 10, 5)], lambda r: list(r.phases()))
    same(phase("## decoder fp8 ##"), (["decode"], ["all"]))
    same(phase("execute_context_0(0)_generation_37(37)"), (["all"], ["decode"]))
    same(phase("execute_context_9(900)_generation_12(12)"), (["decode"], ["mixed"]))
    same(phase("execute_context_2(900)_generation_0(0)"), (["extend"], ["extend"]))
    same(phase("step[EXTEND bs=4]"), (["all"], ["extend"]))
    same(phase("DecodeStep"), (["decode"], ["decode"]))


def phases():
    events = [event("prefill", "gpu_user_annotation", 0, 10), kernel("gemm", 2, 3), kernel("gemm", 50, 3)]
    same(both(events, lambda r: r.phases()), ({"extend": 2}, {"extend": 1, "all": 1}))
    launched = [host("decode", "user_annotation", 0, 20), kernel("gemm", 500000, 3, correlation=9),
                host("cudaLaunchKernel", "cuda_runtime", 10, 2, correlation=9)]
    same(both(launched, lambda r: r.phases()), ({"all": 1}, {"decode": 1}))
    other = [event("prefill", "gpu_user_annotation", 0, 10, pid=1), kernel("gemm", 2, 3), kernel("gemm", 2, 1, pid=1)]
    same(triage(other).phases(), {"extend": 1, "all": 1})


def sweep():
    events = [event("prefill", "gpu_user_annotation", 0, 10), event("decode", "gpu_user_annotation", 10, 10),
              kernel("gemm_a", 5, 10), kernel("gemm_b", 12, 10, stream=8)]
    same(both(events, lambda r: r.kernels()["gemm_a"]["hidden_ns"]), (0, 3000))


def partner_ties():
    # The short one of each name comes last in the file, but first in time.
    events = [kernel("relu", 100, 10), kernel("zz_gemm", 100, 10, stream=8), kernel("relu", 0, 10),
              kernel("aa_gemm", 0, 10, stream=8)]
    same(both(events, lambda r: r.kernels()["relu"]["main_partner"]), ("zz_gemm", "aa_gemm"))
    same(triage(events[::-1]).kernels()["relu"]["main_partner"], "aa_gemm")


def cover():
    events = [kernel("gemm", 0, 50), kernel("ncclDevKernel_AllReduce", 0, 60, stream=8)]

    def exposed(result):
        return {name: row["exposed_ns"] for name, row in result.kernels().items()}
    same(both(events, exposed), ({"gemm": 0, "ncclDevKernel_AllReduce": 10000},
                                 {"gemm": 50000, "ncclDevKernel_AllReduce": 10000}))
    row = triage(events).kernels()["gemm"]
    same((row["hidden_ns"], row["hidden_by_compute_ns"], row["hidden_by_other_ns"]), (50000, 0, 50000))


def share():
    events = [kernel("gemm", 0, 50), kernel("gemm", 0, 50, stream=8), kernel("relu", 0, 50, stream=9)]
    reference, improved = both(events, lambda r: round(r.kernels()["gemm"]["share_pct"], 3))
    same((reference, improved), (200.0, 66.667))


def pick():
    events = [kernel("gemm", 0, 10000)] + [kernel(f"relu_{i}", 20000 + 100 * i, 6) for i in range(5)]
    same(both(events, lambda r: [row["kernel"] for row in r.rows()]), ([], ["gemm"]))


def advice():
    events = [kernel(name, 1000 * i, 50) for i, name in enumerate(["gemm", "ncclDevKernel_A", "relu", "memcpy_k", "foo"])]

    def found(result):
        return {row["kernel"]: row["recommendation"] for row in result.rows()}
    same(both(events, found),
         ({"gemm": "try fusion", "ncclDevKernel_A": "try overlap", "relu": "try fusion", "memcpy_k": "try fusion",
           "foo": "try fusion"},
          {"gemm": "tune kernel", "ncclDevKernel_A": "try overlap", "relu": "try fusion", "memcpy_k": "try fusion",
           "foo": "inspect"}))


STACK = [host("m/net.py(1): run", "python_function", 0, 100), host("m/net.py(9): before", "python_function", 1, 9)]


def scopes():
    events = STACK + [host("aten::mm", "cpu_op", 10, 5, External_id=5), kernel("gemm", 200, 5, External_id=5)]
    same(both(events, lambda r: r.kernels()["gemm"]["python_scope"]), ("m/net.py(9): before", "m/net.py(1): run"))


def stacks():
    launch = host("cudaLaunchKernel", "cuda_runtime", 20, 2, correlation=9)
    late = host("m/late.py(3): unrelated", "python_function", 190, 50)
    events = STACK + [late, launch, kernel("gemm", 200, 5, correlation=9)]

    def source(result):
        row = result.kernels()["gemm"]
        return row["python_scope"], row["launch_op"], row["mapping_ratio"]
    same(both(events, source), (("m/late.py(3): unrelated", "time-window fallback", 1.0),
                                ("m/net.py(1): run", "cudaLaunchKernel", 1.0)))
    # Nothing known of the launch: the frames at the device's time are no answer.
    same(both([late, kernel("gemm", 200, 5)], source)[1], (None, None, 0.0))
    # Frames of another thread do not count.
    other = event("m/other.py(4): f", "python_function", 15, 50, pid=100, tid=101)
    same(source(triage([other, launch, kernel("gemm", 200, 5, correlation=9)])), (None, "cudaLaunchKernel", 0.0))


def bare_op():
    events = [host("aten::mm", "cpu_op", 10, 5, External_id=5), kernel("gemm", 200, 5, External_id=5)]
    same(both(events, lambda r: r.kernels()["gemm"]["launch_op"]), (None, "aten::mm"))


def roots():
    events = [host("/home/me/work/vllm/a.py(1): f", "python_function", 0, 100),
              host("/home/me/own/b.py(2): g", "python_function", 1, 90),
              host("torch/distributed/c.py(3): h", "python_function", 2, 80),
              host("aten::mm", "cpu_op", 10, 5, External_id=5), kernel("gemm", 200, 5, External_id=5)]

    def scope(result):
        return result.kernels()["gemm"]["python_scope"]
    same(both(events, scope), ("vllm/a.py(1): f", "vllm/a.py(1): f"))
    same(both(events, scope, source_roots="[own/]"), ("vllm/a.py(1): f", "own/b.py(2): g"))
    same(scope(triage(events, source_roots="[torch/distributed/]")), "torch/distributed/c.py(3): h")


def graph_replay_is_no_source():
    events = [host("m/run.py(1): step", "python_function", 0, 100), host("torch/cuda/graphs.py(139): replay", "python_function", 1, 90),
              host("cudaGraphLaunch", "cuda_runtime", 20, 2, correlation=3), kernel("gemm", 200, 5, correlation=3)]
    same(triage(events).kernels()["gemm"]["python_scope"], "m/run.py(1): step")


def mapped(eager_name, formal_name, **options):
    eager = STACK + [host("aten::mm", "cpu_op", 20, 5, External_id=5), kernel(eager_name, 200, 5, External_id=5)]
    return both([kernel(formal_name, 0, 50)], lambda r: r.kernels()[formal_name]["python_scope"],
                mapping=write(eager), **options)


def lookup():
    source = "m/net.py(1): run"
    same(mapped("gemm_128x64", "gemm_128x64"), (source, source))
    same(mapped("g", "gemm_128x64"), (source, None))
    same(mapped("long_name_of_a_gemm", "long_name_of_a_gemm_v2"), (source, source))
    same(mapped("long_name_of_a_gemm", "long_name_of_a_gemm_v2", lookup_min_chars=30), (source, None))


def family():
    events = [host("m/a.py(1): forward", "python_function", 0, 20), host("aten::mm", "cpu_op", 5, 2, External_id=1),
              host("m/b.py(1): forward", "python_function", 30, 20), host("aten::add", "cpu_op", 35, 2, External_id=2),
              kernel("gemm_q", 100, 10, External_id=1), kernel("foo", 111, 10, External_id=2)]

    def signals(result):
        return {row["kernel"]: row["dependency_signal"] for row in result.rows()}
    same(both(events, signals), ({"foo": "prev-side serial risk", "gemm_q": "next-side serial risk"},
                                 {"foo": "serial risk low", "gemm_q": "serial risk low"}))
    # One launch of a graph: that its kernels share it says nothing.
    graph = STACK + [host("cudaGraphLaunch", "cuda_runtime", 20, 2, correlation=3), kernel("gemm_q", 100, 10, correlation=3),
                     kernel("foo", 111, 10, correlation=3)]
    same(signals(triage(graph)), {"foo": "adjacency unclear", "gemm_q": "adjacency unclear"})


# ---- What is advised, by rules: improved only

def texts(result):
    return " ".join(row["suggestion"] for row in result.tables.get("opportunities", []))


def a_gemm_under_a_collective_wins_nothing():
    rows = triage([kernel("ncclDevKernel_AllReduce", 0, 100000, stream=8), kernel("sgemm", 1000, 60000)]).rows()
    same([(row["kernel"], row["gain_ns"], row["recommendation"]) for row in rows],
         [("ncclDevKernel_AllReduce", 40000000, "try overlap")])


def the_largest_exposed_time_is_there_though_a_small_share_of_its_own():
    rows = triage([kernel("ncclDevKernel_AllReduce", 0, 100000, stream=8), kernel("sgemm", 0, 56000),
                   kernel("ncclDevKernel_Broadcast", 100000, 2000, stream=8)]).rows()
    same([(row["priority"], row["kernel"], row["gain_ns"]) for row in rows],
         [("P1", "ncclDevKernel_AllReduce", 44000000), ("P2", "ncclDevKernel_Broadcast", 2000000)])


def a_word_in_an_argument_tells_nothing():
    name = "void cub::DeviceReduceByKeyKernel<cub::DispatchReduceByKey<long*, long*>::Policy, long*>(long*)"
    row = triage([kernel(name, 0, 1000)]).tables["kernels"][0]
    same(row["category"], "elementwise")


def categories_agree_with_the_dialect():
    events = [kernel("cross_device_reduce_1stage", 0, 10), kernel("combine_results", 20, 10)]
    kernels = triage(events).kernels()
    same({name: row["category"] for name, row in kernels.items()},
         {"cross_device_reduce_1stage": "communication", "combine_results": "other"})


def links_of_two_processes_are_no_answer():
    events = []
    for pid in (0, 1):
        events += [event(f"rank{pid}/train.py(10): step", "python_function", 0, 100, pid=1000 + pid, tid=1000),
                   event("aten::mm", "cpu_op", 10, 20, pid=1000 + pid, tid=1000, External_id=5),
                   event("cudaLaunchKernel", "cuda_runtime", 12, 5, pid=1000 + pid, tid=1000, External_id=5, correlation=5),
                   kernel(f"gemm_{pid}", 40, 30, pid=pid, External_id=5, correlation=5)]
    result = triage(events)
    same([(row["python_scope"], row["launch_op"]) for row in result.tables["kernels"]], [(None, None), (None, None)])
    same(result.checks["sources"], "skip")


def who_launched_is_counted_over_all():
    events = []
    for i in range(305):
        op = "aten::add" if i % 61 < 24 else f"aten::op{i}"
        events += [host(op, "cpu_op", 10 * i, 8)] + launched("relu", 100000 + 10 * i, 9, i + 1, 10 * i + 1)
    assert "Launched by aten::add (120 of 305)." in texts(triage(events)), texts(triage(events))


def one_stream_is_told_once():
    result = triage([kernel("sgemm", 0, 100), kernel("relu", 100, 50)])
    assert "one_stream" in result.findings, result.findings
    assert "without compute" not in texts(result) and "beside" not in texts(result), texts(result)
    assert "one_stream" not in triage([kernel("sgemm", 0, 100), kernel("relu", 100, 50, stream=8)]).findings


def what_is_hidden_is_no_opportunity():
    rows = triage([kernel("sgemm", 0, 1000), kernel("relu", 100, 500, stream=8)]).rows()
    same([row["kernel"] for row in rows], ["sgemm"])


def a_replay_is_no_source():
    graph = STACK + [host("cudaGraphLaunch", "cuda_runtime", 20, 2, correlation=3), kernel("gemm_q", 100, 10, correlation=3)]
    result = triage(graph)
    assert "Replayed from a graph; give `mapping=`." in texts(result), texts(result)
    same((result.checks["sources"], result.kernels()["gemm_q"]["mapping_ratio"]), ("skip", 0.0))


def idle_time_is_a_row_in_its_place():
    events = [kernel("sgemm", 0, 500), kernel("relu", 900, 50), kernel("tanh", 990, 10)]
    rows = triage(events).tables["opportunities"]
    same([(row["kernel"], row["gain_ns"], row["gain_pct"]) for row in rows],
         [("sgemm", 500000, 50.0), ("(idle)", 440000, 44.0), ("relu", 50000, 5.0), ("tanh", 10000, 1.0)])
    same([row["kernel"] for row in triage(events, phase="all").tables["opportunities"]], ["sgemm", "relu", "tanh"])


def times_that_fit_no_sum():
    """Numbers of 64 bits end at 292 years: what lies or lasts longer is no run, and no sum of it is told."""
    far = 9200000000000000  # us; twice that does not fit
    for events in ([kernel("sgemm", -far, 10), kernel("relu", far, 10)],
                   [kernel(name, 0, far, stream=stream) for stream, name in enumerate(("sgemm", "relu", "tanh"))]):
        events.append(host("aten::mm", "cpu_op", -far, far))
        for rules in (IMPROVED, "reference"):
            result = triage(events, rules=rules)
            same((result.status, "opportunities" in result.tables), (0, False))
            assert "cannot tell: the device events span, or last together, more than 292 years" in result.said, result.said
    # One at 0 on each of eight devices: a window each that fits, and a sum that does not.
    events = [kernel("sgemm", 0, 10, stream=7, pid=pid) for pid in range(8)]
    events += [kernel("relu", far // 4, 10, stream=7, pid=pid) for pid in range(8)]
    result = triage(events)
    same((result.status, result.metrics["devices"], result.metrics["busy_ns"]), (0, 8, 160000))


# ---- Options, and what is missing

def option_window():
    events = [host("start", "cpu_op", 1000, 1), kernel("gemm", 1000, 100), kernel("relu", 1200, 100, stream=8)]
    result = triage(events, window="50us..250us")
    same((result.metrics["busy_ns"], result.metrics["kernels"]), (100000, 2))
    for window in ("5us..5us", "9us..2us", "soon", "0x10ms..1s", "1e-3s..1s", "1s..2s"):
        result = triage(events, window=window)
        same((window, result.status), (window, 2))
    assert "no kernel of any source lies in the window 1s..2s" in result.said, result.said


def launched(name, start, time, number, at):
    """A kernel, and the call that launched it."""
    return [host("cudaLaunchKernel", "cuda_runtime", at, 1, correlation=number), kernel(name, start, time, correlation=number)]


def option_phase():
    events = [host("ProfilerStep#1", "user_annotation", 0, 10), host("ProfilerStep#2", "user_annotation", 10, 10),
              event("prefill", "gpu_user_annotation", 0, 5)]
    events += launched("gemm", 1, 3, 1, 1) + launched("gemm", 6, 3, 2, 2) + launched("gemm", 12, 5, 3, 11)
    same(triage(events, phase="prefill").metrics["busy_ns"], 3000)
    same(triage(events, phase="all").metrics["busy_ns"], 8000)
    same(triage(events, phase="ProfilerStep#2").metrics["busy_ns"], 5000)
    same(triage(events, phase="decode").status, 2)
    rows = {row["phase"]: (row["busy_ns"], row["idle_ns"]) for row in triage(events).tables["phases"]}
    same(rows, {"extend": (3000, 0), "all": (8000, 3000), "ProfilerStep#1": (6000, 2000), "ProfilerStep#2": (5000, 0)})
    same(triage(events, default_phase="decode").phases(), {"decode": 3})


def option_thresholds():
    events = [kernel("gemm", 0, 100), kernel("relu", 103, 100)]
    same([row["dependency_risk"] for row in triage(events).rows()], ["high", "unclear"])
    same([row["dependency_risk"] for row in triage(events, tight_min="1us", tight_max="1us").rows()], ["low", "low"])
    same(len(triage(events, min_total="1ms").rows()), 0)
    same(len(triage(events, min_share=60).rows()), 0)
    same(len(triage(events, limit=1).rows()), 1)
    same(len(triage(events, candidates=1).rows()), 1)
    same(len(triage(events, kernel_limit=1).tables["kernels"]), 1)


def option_categories():
    head = "version: 1\ncategories:\n  - {name: other, kind: other}\n  - {name: attention, kind: compute, rank: 9}\n"
    events = [kernel("my_flash_thing", 0, 10)]
    same(triage(events, categories=write(head + "rules: [{category: attention, words: ['flash thing']}]\n"))
         .tables["kernels"][0]["category"], "attention")
    for text, place in ((head + "rules: [{category: gemm, words: [a]}]\n", ":5:20: no category is called"),
                        (head + "rules: [{category: other, wrods: [a]}]\n", ":5:27: unknown key \"wrods\""),
                        (head + "rules: [{category: other, words: ['a*b']}]\n", ":5:35: \"a*b\""),
                        ("version: 1\ncategories: [{name: x, kind: other}]\nrules: []\n", ":2:13: there is no category"),
                        ("version: 2\ncategories: []\nrules: []\n", ":1:10: expected \"version: 1\""), ("a: [\n", ":2:1: "), ("", ": the file is empty")):
        result = triage(events, categories=write(text))
        same((text, result.status), (text, 2))
        assert place in result.said, (place, result.said)
    same(triage(events, categories="/nowhere.yaml").status, 2)


def missing_data():
    result = triage([host("aten::mm", "cpu_op", 0, 5)])
    same((result.status, result.checks["device_work"], result.metrics["kernels"]), (0, "skip", 0))
    result = triage([kernel("gemm", 0, 10), kernel("gemm", 5, 0)])
    same((result.status, result.checks["sources"], result.checks["phases"], result.metrics["kernels"]), (0, "skip", "skip", 1))
    result = triage([dict(kernel("gemm", 0, 10), args=args) for args in ({}, {"stream": None}, {"correlation": "x"})])
    same((result.status, result.metrics["kernels"]), (0, 3))
    for rules in (REFERENCE, IMPROVED):
        same(triage([], rules).status, 0)
        same(triage([dict(kernel("", 0, 10), args=7)], rules).status, 0)


def two_ranks():
    first = [kernel("gemm", 0, 10), kernel("ncclDevKernel_A", 5, 10, stream=8)]
    second = [kernel("ncclDevKernel_A", 0, 20, stream=8)]
    rows = triage((first, second)).tables["ranks"]
    same([(row["busy_ns"], row["exposed_communication_ns"], row["covered_pct"]) for row in rows],
         [(15000, 5000, 50.0), (20000, 20000, 0.0)])


def many_at_once():
    # All on one stream, ends together, and one beside them: each second of the deep pile counts.
    events = [kernel(f"k{i % 3}", i, 3000 - i) for i in range(2000)] + [kernel("gemm", 500, 1000, stream=8)]
    result = triage(events)
    same(result.metrics["overlap_ns"], 1000000)
    same(sum(row["hidden_by_compute_ns"] for row in result.tables["kernels"] if row["name"] != "gemm"),
         sum(1000000 - max(0, i - 500) * 1000 for i in range(1500)))
    same(sum(row["total_ns"] for row in result.tables["kernels"]), sum((3000 - i) * 1000 for i in range(2000)) + 1000000)


def plain(events, covers):
    """The sweep as one would write it down: every slice of time, every kernel, every other kernel."""
    ranks = {"gemm": 4, "nccl": 3, "memcpy": 2, "relu": 1, "foo": 0}
    kernels = [(e["ts"], e["ts"] + e["dur"], e["args"]["stream"], e["name"]) for e in events]
    edges = sorted({time for k in kernels for time in k[:2]})
    totals = {"busy": 0, "overlap": 0, "max": 0}
    names = {}
    for begin, end in zip(edges, edges[1:]):
        active = [k for k in kernels if k[0] <= begin and k[1] >= end]
        streams = {k[2] for k in active}
        totals["busy"] += (end - begin) * bool(active)
        totals["overlap"] += (end - begin) * (len(streams) > 1)
        totals["max"] = max(totals["max"], len(streams))
        for k in active:
            others = [o for o in active if o[2] != k[2]]
            sums = names.setdefault(k[3], {"exclusive": 0, "by_compute": 0, "beside": {}})
            if not others:
                sums["exclusive"] += end - begin
                continue
            sums["by_compute"] += (end - begin) * any(covers(o[3]) for o in others)
            best = max(others, key=lambda o: (ranks[o[3].split("_")[0]], o[1] - o[0], -o[0]))
            sums["beside"][best[3]] = sums["beside"].get(best[3], 0) + end - begin
    return totals, names


def against_plain_computation():
    for seed in range(12):
        random = __import__("random").Random(seed)
        # Different lengths, so that no two partners are equally good.
        lengths = random.sample(range(1, 200), 60)
        events = [kernel(f"{random.choice(['gemm', 'nccl', 'memcpy', 'relu', 'foo'])}_{'abc'[i % 3]}",
                         random.randrange(300 if seed % 2 else 1500), length, stream=random.randrange(1, 6))
                  for i, length in enumerate(lengths)]
        # What is compute: by words, or as the dialect says, all device work that is neither communication nor a copy.
        for rules, covers in ((REFERENCE, lambda name: name.startswith("gemm")),
                              (IMPROVED, lambda name: not name.startswith("nccl"))):
            totals, names = plain(events, covers)
            result = triage(events, rules)
            device = result.tables["devices"][0]
            same((seed, device["busy_ns"], device["overlap_ns"], device["max_concurrent_streams"]),
                 (seed, totals["busy"] * 1000, totals["overlap"] * 1000, totals["max"]))
            for name, row in result.kernels().items():
                beside = {p["partner"]: p["overlap_ns"] for p in result.tables.get("partners", []) if p["name"] == name}
                best = sorted(names[name]["beside"].values(), reverse=True)[:3]
                same((seed, name, row["exclusive_ns"], row["hidden_by_compute_ns"], sorted(beside.values(), reverse=True)),
                     (seed, name, names[name]["exclusive"] * 1000, names[name]["by_compute"] * 1000,
                      [time * 1000 for time in best]))
                for partner, time in beside.items():
                    same((seed, name, partner, time), (seed, name, partner, names[name]["beside"][partner] * 1000))


tests = {name: test for name, test in globals().items()
         if inspect.isfunction(test) and not inspect.signature(test).parameters and test.__module__ == "__main__"}
failed = 0
for name, test in tests.items():
    try:
        test()
    except (AssertionError, KeyError, IndexError, TypeError) as error:
        print(f"{name}: {type(error).__name__}: {error}")
        failed += 1
print(f"{len(tests)} tests, {failed} failed")
sys.exit(1 if failed or not tests else 0)
