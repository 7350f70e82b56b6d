#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Collectives of many ranks from their reports: scale.py TAV-RUN [RANKS [CALLS [FOLDER]]]

One trace is looked at, its report becomes those of all ranks (other rank, other arrivals), and they are combined. The answer
is known: in call i rank i % RANKS comes last, the others 1 us to 30 us before it. Prints time and memory; with 512 ranks of
10,000 calls it fails above 10 s of processor time or 1 GB.
"""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

tav_run = sys.argv[1]
ranks = int(sys.argv[2]) if len(sys.argv) > 2 else 24
calls = int(sys.argv[3]) if len(sys.argv) > 3 else 600
folder = sys.argv[4] if len(sys.argv) > 4 else None


def early(rank, call):
    """Microseconds before the last one; 0: the last."""
    return 0 if call % ranks == rank else 1 + (7 * rank + 3 * call) % 30


def make(folder):
    events = []
    for i in range(calls):
        events.append({"ph": "X", "cat": "kernel", "name": "ncclDevKernel", "pid": 0, "tid": 7, "ts": 100 + 100 * i, "dur": 50,
                       "args": {"stream": 7, "Collective name": "allreduce" if i % 3 else "allgather", "dtype": "Float",
                                "Process Group Name": str(i % 4), "Process Group Ranks": str(list(range(ranks))),
                                "Group size": ranks, "In msg nelems": 1000, "Out msg nelems": 1000}})
    trace, first = os.path.join(folder, "trace.json"), os.path.join(folder, "report.json")
    with open(trace, "w") as file:
        json.dump({"schemaVersion": 1, "distributedInfo": {"rank": 0, "world_size": ranks}, "traceEvents": events}, file)
    subprocess.run([tav_run, "-q", "-s", "collectives", "--report", "json=" + first, trace], check=True,
                   stdout=subprocess.DEVNULL)
    with open(first) as file:
        report = json.load(file)
    source, said, paths = report["sources"][0], report["stages"][0]["by_source"][0], []
    table = next(table for table in said["tables"] if table["id"] == "calls")
    column = [column["name"] for column in table["columns"]].index("start_ns")
    for rank in range(ranks):
        source["path"] = said["path"] = f"rank{rank}.json"
        source["facts"]["rank"], source["facts"]["content"] = rank, f"{rank + 1:016x}"
        for i in range(calls):
            table["rows"][i][column] = 1000 * (100 + 100 * i + 40 - early(rank, i))
        paths.append(os.path.join(folder, f"part{rank}.json"))
        with open(paths[-1], "w") as file:
            json.dump(report, file)
    return paths


def main(folder):
    paths, out = make(folder), os.path.join(folder, "all.json")
    command = [tav_run, "-q", "-s", "collectives", "--set", "collectives.top=5"]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
    subprocess.run(command + paths, stdout=subprocess.DEVNULL)
    wall, used = time.time() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    done = subprocess.run(command + ["--report", "json=" + out] + paths, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if not os.path.exists(out):
        sys.exit(done.stdout.decode(errors="replace")[:2000])
    size = os.path.getsize(paths[0])
    with open(out) as file:
        stage = json.load(file)["stages"][0]
    tables = {table["id"]: table["rows"] for table in stage["tables"]}
    caused = [0] * ranks
    for i in range(calls):
        caused[i % ranks] += 1000 * max(early(rank, i) for rank in range(ranks))
    wrong = [row for row in tables["ranks"] if row["caused_ns"] != caused[row["rank"]]]
    print(f"{ranks} ranks of {calls} calls: {wall:.1f} s, {processor:.1f} s of processors, {used.ru_maxrss // 1024} MB, a report {size // 1024} kB, "
          f"{stage['metrics']['judged']} judged, {len(wrong)} ranks wrong")
    too_much = ranks * calls >= 5_000_000 and (used.ru_maxrss > 1 << 20 or processor > 10)
    sys.exit(1 if wrong or stage["metrics"]["judged"] != calls or too_much else 0)


if folder:
    os.makedirs(folder, exist_ok=True)
    main(folder)
else:
    with tempfile.TemporaryDirectory() as folder:
        main(folder)
