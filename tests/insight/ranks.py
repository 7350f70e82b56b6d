#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Collectives and steps over ranks against a plain computation: ranks.py TAV-RUN [SEED [COUNT]]

Random sets of ranks with clocks of their own, calls of several types and groups, some missing, some of other sizes. Also:
the reports of single ranks combine to the same report as the traces.
"""
import json
import os
import random
import sys
import tempfile
from collections import defaultdict

from reports import checks_of, run, stage_of, tables_of

tav_run = sys.argv[1]
seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
count = int(sys.argv[3]) if len(sys.argv) > 3 else 12
JOINT = ("allreduce", "allgather", "reducescatter", "alltoall", "barrier")
failures = []


def expect(where, got, wanted):
    if got != wanted:
        failures.append(f"{where}: got {got!r}, wanted {wanted!r}")


def nearest(values, percent=50):
    values = sorted(values)
    return values[-(-percent * len(values) // 100) - 1]


def make(rng, ranks):
    """What each rank recorded: a list of calls with the fields of the table `calls`."""
    clocks = [0] + [rng.choice((0, 0, 7, 1000, -300)) for _ in range(ranks - 1)]
    rows, time = [[] for _ in range(ranks)], 0
    for _ in range(rng.randint(3, 12)):
        kind, group = rng.choice(JOINT + ("broadcast", "sendrecv")), rng.choice(("0", "1"))
        elements, time = rng.choice((100, 200)), time + 400
        end = time + rng.randint(10, 40)
        for rank in range(ranks):
            start = end - rng.randint(5, 60)
            if rng.random() < 0.004:
                continue  # this rank does not have it
            unlike = elements + (rng.random() < 0.01)
            rows[rank].append({"type": kind, "group": group, "bytes": 4 * unlike, "elements": unlike,
                               "start": start + clocks[rank], "end": end + clocks[rank] + (rng.random() < 0.2)})
    return rows


def trace(rank, ranks, rows, rng):
    """One file: a step with kernels, and the collectives."""
    events, correlation = [], 0

    def work(name, start, end, launch, args):
        nonlocal correlation
        correlation += 1
        events.append({"ph": "X", "cat": "kernel", "name": name, "pid": rank, "tid": 7, "ts": start, "dur": end - start,
                       "args": {"stream": 7, "correlation": correlation, **args}})
        events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 900, "tid": 1, "ts": launch,
                       "dur": 2, "args": {"correlation": correlation}})

    for row in rows:
        work("ncclDevKernel_X", row["start"], row["end"], row["start"] - 3,
             {"Collective name": row["type"], "Process Group Name": row["group"], "Process Group Ranks": str(list(range(ranks))),
              "Group size": ranks, "dtype": "Float", "In msg nelems": row["elements"], "Out msg nelems": row["elements"]})
    for step in range(rng.randint(2, 4)):
        begin = 10000 + 1000 * step
        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 900, "tid": 1, "ts": begin,
                       "dur": 900, "args": {}})
        for _ in range(3):
            launch = begin + rng.randint(1, 500)
            work(rng.choice(("gemm", "Memcpy")), launch + 5, launch + rng.randint(6, 300), launch, {})
    return {"schemaVersion": 1, "distributedInfo": {"rank": rank, "world_size": ranks}, "traceEvents": events}


def matches_of(rows):
    """Lists of one call on each rank, of the keys whose ranks have equally many; (matched, judged)."""
    keys = defaultdict(lambda: [[] for _ in rows])
    for rank, calls in enumerate(rows):
        for call in sorted(calls, key=lambda c: (c["start"], c["end"])):
            keys[call["group"], call["type"]][rank].append(call)
    matched, judged = [], []
    for (group, kind), calls in keys.items():
        there = [rank for rank in range(len(rows)) if calls[rank]]
        if len(there) < 2 or len({len(calls[rank]) for rank in there}) > 1:
            continue
        for i in range(len(calls[there[0]])):
            match = {rank: calls[rank][i] for rank in there}
            if len({call["bytes"] for call in match.values()}) > 1:
                continue
            matched.append(match)
            if kind in JOINT and len(there) == len(rows):
                judged.append(match)
    return matched, judged


def check_waits(where, said, rows):
    matched, judged = matches_of(rows)
    ranks, metrics, tables = len(rows), said["metrics"], tables_of(said)
    expect(where + " matched", metrics["matched"], len(matched))
    expect(where + " judged", metrics["judged"], len(judged))
    if not judged:
        expect(where + " waits", checks_of(said)["waits"]["result"], "skip")
        return
    offset = [nearest([m[rank]["end"] - m[0]["end"] for m in judged]) for rank in range(ranks)]
    expect(where + " clocks", {row["rank"]: row["offset_ns"] for row in tables["clocks"]},
           {rank: 1000 * offset[rank] for rank in range(ranks)})
    residual = nearest([max(m[r]["end"] - offset[r] for r in m) - min(m[r]["end"] - offset[r] for r in m) for m in judged])
    expect(where + " residual", metrics["residual_p50_ns"], 1000 * residual)
    longest = nearest([max(m[r]["end"] - m[r]["start"] for r in m) for m in judged])
    if 1000 * residual > max(50000, 1000 * longest // 10):
        expect(where + " waits", checks_of(said)["waits"]["result"], "skip")
        return
    caused, after, last, waited = ([0] * ranks for _ in range(4))
    first, transfer = min(judged, key=lambda m: min(c["start"] for c in m.values())), 0
    for m in judged:
        took = {r: m[r]["end"] - m[r]["start"] for r in m}
        least = min(took.values())
        transfer += least
        for r in m:
            waited[r] += took[r] - least
        if list(took.values()).count(least) == 1:
            r = min(took, key=took.get)
            last[r] += 1
            caused[r] += max(took.values()) - least
            after[r] += max(took.values()) - least if m is not first else 0
    expect(where + " transfer", metrics["transfer_ns"], 1000 * transfer)
    expect(where + " ranks", {row["rank"]: (row["waited_ns"], row["arrived_last"], row["caused_ns"], row["caused_after_first_ns"])
                              for row in tables["ranks"]},
           {r: (1000 * waited[r], last[r], 1000 * caused[r], 1000 * after[r]) for r in range(ranks)})


def check_steps(where, said):
    """From the rows of `steps`, which plain.py and agree.py look at."""
    own, parts = defaultdict(dict), defaultdict(dict)
    for rank, source in enumerate(said["by_source"]):
        for row in tables_of(source).get("steps", []):
            if row["step"].startswith("(") or "device_ns" not in row:
                continue
            own[row["step"]][rank] = row["device_ns"] - row["exposed_communication_ns"]
            parts[row["step"]][rank] = {"compute": row["compute_ns"], "exposed copies": row["exposed_copies_ns"],
                                        "work launched too late": row["host_late_ns"],
                                        "idle though launched in time": row["idle_ns"] - row["host_late_ns"]}
    wanted = []
    for step in sorted(own):
        if len(own[step]) < len(said["by_source"]):
            continue
        slowest = max(own[step], key=lambda r: (own[step][r], r))
        more = {part: parts[step][slowest][part] - nearest([parts[step][r][part] for r in own[step]])
                for part in parts[step][slowest]}
        part = max(more, key=more.get)
        wanted.append((step, min(own[step].values()), nearest(own[step].values()), max(own[step].values()), slowest, part,
                       more[part]))
    expect(where + " step_ranks", [(row["step"], row["own_min_ns"], row["own_median_ns"], row["own_max_ns"],
                                    row["slowest_rank"], row["in"], row["in_more_ns"])
                                   for row in tables_of(said).get("step_ranks", [])], wanted)


def without_run(report):
    report = dict(report)
    report.pop("run", None)
    return report


rng = random.Random(seed)
for number in range(count):
    ranks = rng.randint(2, 5)
    rows = make(rng, ranks)
    where = f"seed {seed}, set {number}"
    with tempfile.TemporaryDirectory() as folder:
        paths, parts = [], []
        for rank in range(ranks):
            paths.append(os.path.join(folder, f"rank{rank}.json"))
            parts.append(os.path.join(folder, f"part{rank}.json"))
            with open(paths[-1], "w") as file:
                json.dump(trace(rank, ranks, rows[rank], rng), file)
            run(tav_run, [paths[-1]], ("wall-time", "collectives"), keep=parts[-1])
        report = run(tav_run, paths, ("wall-time", "collectives"))
        again = run(tav_run, parts, ("wall-time", "collectives"))
        # not a trace in the order of its rank, and a rank that stands there twice
        turned = run(tav_run, paths[::-1], ("collectives",))
        twice = os.path.join(folder, "twice.json")
        with open(twice, "w") as file:
            json.dump({**trace(0, ranks, rows[0], rng), "twice": 1}, file)
        doubled = run(tav_run, paths + [twice], ("collectives",))
    check_waits(where, stage_of(report, "collectives"), rows)
    check_steps(where, stage_of(report, "wall-time"))
    expect(where + " from reports", without_run(again) == without_run(report), True)
    expect(where + " turned", tables_of(stage_of(turned, "collectives")).get("ranks"),
           tables_of(stage_of(report, "collectives")).get("ranks"))
    expect(where + " twice", checks_of(stage_of(doubled, "collectives"))["waits"]["result"], "skip")
for failure in failures[:20]:
    print(failure[:1500])
print(f"{count} sets of ranks, {len(failures)} differences")
sys.exit(1 if failures else 0)
