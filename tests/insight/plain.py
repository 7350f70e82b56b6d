#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random small traces against a plain computation: plain.py TAV-RUN [SEED [COUNT]]

Every microsecond of every device is asked what runs, and if nothing does, why; every device event is asked for its
operator. No sweep, no stack, no sorting by time: as the definitions say it.
"""
import json
import os
import random
import sys
import tempfile
from collections import defaultdict

from reports import run, stage_of, tables_of

tav_run = sys.argv[1]
seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
count = int(sys.argv[3]) if len(sys.argv) > 3 else 60
SPAN = 80
RANK = {"compute": 3, "communication": 2, "copy": 1}
NAMES = {"compute": ("kernel", ["gemm", "add"]), "communication": ("kernel", ["ncclDevKernel_AllReduce", "all_gather_kernel<float>"]),
         "copy": ("gpu_memcpy", ["Memcpy HtoD (Pageable -> Device)"])}
CLASSES = ("sync", "runtime_call", "input", "operator", "python")
failures = []


class Event:
    def __init__(self, what, name, cat, pid, tid, start, end, **args):
        self.what, self.name, self.cat, self.pid, self.tid = what, name, cat, pid, tid
        self.start, self.end, self.args = start, end, args

    def json(self):
        return {"ph": "X", "cat": self.cat, "name": self.name, "pid": self.pid, "tid": self.tid, "ts": self.start,
                "dur": self.end - self.start, "args": self.args}


def make(rng):
    """Threads of one process launch to one to three devices; anything may overlap."""
    events, correlation, devices = [], 0, rng.randint(1, 3)
    for tid in range(rng.randint(1, 3)):
        for _ in range(rng.randint(0, 12)):
            what = rng.choice(CLASSES)
            start = rng.randrange(SPAN)
            end = start + rng.choice((0, 1, 3, 8, 20))
            name, cat = {"sync": (rng.choice(("cudaDeviceSynchronize", "cudaMemcpy")), "cuda_runtime"),
                         "runtime_call": (rng.choice(("cudaMalloc", "cudaFree")), "cuda_runtime"),
                         "input": ("enumerate(DataLoader)#x", "user_annotation"),
                         "operator": (rng.choice(("aten::add", "aten::mm", "aten::linear")), "cpu_op"),
                         "python": (rng.choice(("train.py(1): main", "torch/nn.py(2): call", "/x/site-packages/y.py(3): f",
                                                "model.py(4): forward")), "python_function")}[what]
            args = {}
            if what == "operator":
                args = {"External id": 1000 + rng.randrange(6)}
                if rng.random() < 0.7:
                    args["Input Dims"] = rng.choice(([[1, 2]], [[3]], []))
            events.append(Event(what, name, cat, 100, 200 + tid, start, end, **args))
        for _ in range(rng.randint(0, 8)):
            correlation += 1
            start = rng.randrange(SPAN)
            is_graph = rng.random() < 0.2
            if rng.random() < 0.9:
                events.append(Event("runtime_call", "cudaGraphLaunch" if is_graph else "cudaLaunchKernel", "cuda_runtime", 100,
                                    200 + tid, start, start + rng.randint(0, 6), correlation=correlation))
            for _ in range(rng.randint(2, 4) if is_graph else rng.choice((0, 1, 1, 1))):
                kind = rng.choice(("compute", "compute", "communication", "copy"))
                begin = start + rng.randint(0, 25)
                cat, names = NAMES[kind]
                stream = rng.randint(7, 8)
                event = Event("device", rng.choice(names), cat, rng.randrange(devices), stream, begin,
                              begin + rng.choice((0, 1, 4, 9)), correlation=correlation, stream=stream)
                event.kind = kind
                if rng.random() < 0.5:
                    event.args["External id"] = 1000 + rng.randrange(8)
                events.append(event)
    if rng.random() < 0.5:
        start = rng.randrange(SPAN)
        events.append(Event("profiler", "Buffer Flush", "overhead", -1, 0, start, start + 5))
    rng.shuffle(events)
    for row, event in enumerate(events):
        event.row = row
    return events


def innermost(events, at):
    inside = [e for e in events if e.start <= at < e.end]
    return max(inside, key=lambda e: (e.start, -e.end, e.row), default=None)


class Plain:
    """What a trace says, by its definitions."""

    def __init__(self, events, window):
        self.events, self.window = events, window
        calls = defaultdict(list)
        for e in events:
            if e.cat == "cuda_runtime" and "correlation" in e.args:
                calls[e.args["correlation"]].append(e)
        self.device_events = [e for e in events if e.what == "device"]
        for e in self.device_events:
            e.launch = min(calls[e.args["correlation"]], key=lambda c: (c.start, -c.end, c.row), default=None)
        self.devices = {}
        for pid in {e.pid for e in self.device_events}:
            rows = [e for e in self.device_events if e.pid == pid and e.end > e.start]
            if rows:
                self.device(pid, rows)

    def device(self, pid, rows):
        low, high = min(e.start for e in rows), max(e.end for e in rows)
        first = {}
        for e in rows:
            key = e.args["correlation"]
            if e.launch and (key not in first or (e.start, e.end, e.row) < (first[key].start, first[key].end, first[key].row)):
                first[key] = e
        out = {"parts": defaultdict(int), "causes": defaultdict(int), "names": defaultdict(int), "gaps": set()}
        for at in range(max(low, self.window[0]), min(high, self.window[1])):
            running = {e.kind for e in rows if e.start <= at < e.end}
            if running:
                out["parts"][max(running, key=RANK.get)] += 1
                continue
            begin, end = max(e.end for e in rows if e.end <= at), min(e.start for e in rows if e.start > at)
            cause, name = self.cause(at, begin, [e for e in rows if e.start == end], first)
            out["parts"]["idle"] += 1
            out["causes"][cause] += 1
            out["gaps"].add((begin, end))
            if name is not None:
                out["names"][cause, name] += 1
        if sum(out["parts"].values()):
            self.devices[str(pid)] = out

    def cause(self, at, begin, ending, first):
        linked = [e for e in ending if e.launch]
        if not linked:
            return "unlinked", None
        own = [e for e in linked if first[e.args["correlation"]] is e]
        if not own:
            return "in_graph", None
        call = min(own, key=lambda e: (e.launch.start, e.launch.end, e.row)).launch
        if at < call.start:
            if any(e.what == "profiler" and e.start <= at < e.end for e in self.events):
                return "profiler", None
            for what in CLASSES:
                inner = innermost([e for e in self.events if e.what == what and e.tid == call.tid], at)
                if inner:
                    return what, inner.name
            return "other_host", None
        if at < call.end:
            return "launch_call", call.name
        return ("queued" if call.end <= begin else "start_latency"), None

    def operators(self):
        """(device, name) -> [ns, kernels, calls, inclusive]; shapes and lines likewise."""
        ops, shapes, lines = defaultdict(lambda: [0, 0, set(), None]), defaultdict(lambda: [0, set()]), defaultdict(lambda: [0, 0])
        inclusive = defaultdict(int)
        for e in self.device_events:
            ns = min(e.end, self.window[1]) - max(e.start, self.window[0])
            if ns <= 0 or e.end <= e.start:
                continue
            around, device = [], str(e.pid)
            if e.launch:
                on_thread = [o for o in self.events if o.tid == e.launch.tid and o.start <= e.launch.start < o.end]
                around = [o for o in on_thread if o.what == "operator"]
                line = innermost([o for o in on_thread if o.what == "python" and not o.name.startswith("torch/") and
                                  "/site-packages/" not in o.name], e.launch.start)
                if line:
                    lines[device, line.name][0] += ns
                    lines[device, line.name][1] += 1
            if around:
                own = innermost(around, e.launch.start)
            else:
                by_id = [o for o in self.events if o.what == "operator" and o.end > o.start and
                         "External id" in e.args and o.args["External id"] == e.args["External id"]]
                own = min(by_id, key=lambda o: (o.end - o.start, o.row), default=None)
                around = [own] if own else []
            name = own.name if own else f"({e.launch.name})" if e.launch else "(no launch recorded)"
            row = ops[device, name]
            row[0] += ns
            row[1] += 1
            if own:
                row[2].add(own.row)
                dims = json.dumps(own.args["Input Dims"]) if "Input Dims" in own.args else None
                shapes[device, name, dims][0] += ns
                shapes[device, name, dims][1].add(own.row)
            for other in {o.name for o in around}:
                inclusive[device, other] += ns
        for key in ops:
            ops[key][3] = inclusive.get(key)
        return ops, shapes, lines


def same(where, got, wanted):
    if got != wanted:
        differ = {key: (got.get(key), wanted.get(key)) for key in sorted(set(got) | set(wanted), key=str)
                  if got.get(key) != wanted.get(key)}
        failures.append(f"{where}: (got, wanted): {differ}")


def compare(where, wall, ops, plain):
    tables = tables_of(wall)
    for name in ("devices", "idle", "idle_by_name", "longest_gaps"):
        tables.setdefault(name, [])
    same(where + " devices", {row["device"]: (row["compute_ns"], row["exposed_communication_ns"], row["exposed_copies_ns"],
                                              row["idle_ns"], row["gaps"]) for row in tables["devices"]},
         {device: tuple(1000 * of["parts"][part] for part in ("compute", "communication", "copy", "idle")) + (len(of["gaps"]),)
          for device, of in plain.devices.items()})
    same(where + " idle", {(row["device"], row["cause"]): row["idle_ns"] for row in tables["idle"]},
         {(device, cause): 1000 * us for device, of in plain.devices.items() for cause, us in of["causes"].items()})
    same(where + " idle_by_name", {(row["device"], row["cause"], row["name"]): row["idle_ns"] for row in tables["idle_by_name"]},
         {(device, *key): 1000 * us for device, of in plain.devices.items() for key, us in of["names"].items()})
    operators, shapes, lines = plain.operators()
    tables = tables_of(ops)
    same(where + " operators", {(row["device"], row["operator"]): (row["device_ns"], row["kernels"], row["calls"],
                                                                   row.get("inclusive_ns")) for row in tables.get("operators", [])},
         {key: (1000 * us, kernels, len(calls), inclusive and 1000 * inclusive)
          for key, (us, kernels, calls, inclusive) in operators.items()})
    if "shapes" in tables:
        same(where + " shapes", {(row["device"], row["operator"], row.get("input_dims") and json.dumps(json.loads(row["input_dims"]))):
                                 (row["device_ns"], row["calls"]) for row in tables["shapes"]},
             {key: (1000 * us, len(calls)) for key, (us, calls) in shapes.items()})
    same(where + " lines", {(row["device"], row["line"]): (row["device_ns"], row["kernels"]) for row in tables.get("lines", [])},
         {key: (1000 * us, kernels) for key, (us, kernels) in lines.items()})


rng = random.Random(seed)
for window in (None, (20, 45)):
    with tempfile.TemporaryDirectory() as folder:
        traces, paths = [], []
        for number in range(count):
            events = make(rng)
            paths.append(os.path.join(folder, f"{number}.json"))
            with open(paths[-1], "w") as file:
                json.dump({"schemaVersion": 1, "traceEvents": [event.json() for event in events]}, file)
            traces.append(events)
        settings = ["wall-time.names=0", "operators.top=0"]
        if window:
            settings += [f"{stage}.window=@{window[0]}..@{window[1]}" for stage in ("wall-time", "operators")]
        report = run(tav_run, paths, ("wall-time", "operators"), settings)
    for number, events in enumerate(traces):
        plain = Plain(events, window or (-10**6, 10**6))
        if report["sources"][number].get("error"):
            continue  # nothing in it that a dialect knows
        compare(f"seed {seed}, window {window}, trace {number}", stage_of(report, "wall-time")["by_source"][number],
                stage_of(report, "operators")["by_source"][number], plain)
for failure in failures[:20]:
    print(failure[:1500])
print(f"{2 * count} traces, {len(failures)} differences")
sys.exit(1 if failures else 0)
