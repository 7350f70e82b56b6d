#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Written traces as viewers take them in: viewer.py TAV-RUN TAV-GEN [TRACE...]

A model of what importers of Perfetto and catapult ask for: strict JSON; times not negative, kept as doubles of microseconds;
intervals of a thread nested or apart, else they are spilled; ids of flows numbers or hexadecimal text, each arrow with
both ends on an interval of its thread; counters with numbers; processes and threads with a name.
"""
import collections
import json
import os
import subprocess
import sys
import tempfile

from writing import Tester, inflated, run

tav_run, tav_gen, *traces = sys.argv[1:]
tester = Tester()


def load(path):
    value = json.loads(inflated(path).decode())
    return value["traceEvents"] if isinstance(value, dict) else value


def ns(number):
    """As Perfetto does it: whole numbers exactly, others as doubles."""
    number = float(number) if isinstance(number, str) else number
    return int(number) * 1000 if number == int(number) else int(number * 1000.0 + 0.5)


def intervals(events):
    threads = collections.defaultdict(list)
    for event in events:
        if event.get("ph") == "X" and "ts" in event and "dur" in event:
            threads[event["pid"], event.get("tid")].append((ns(event["ts"]), -ns(event["dur"])))
    return {thread: sorted(found) for thread, found in threads.items()}


def spills(events):
    """Intervals that begin within another of their thread and end behind it."""
    count = 0
    for found in intervals(events).values():
        ends = []
        for start, minus in found:
            while ends and ends[-1] <= start:
                ends.pop()
            if any(start < end < start - minus for end in ends):
                count += 1
            else:
                ends.append(start - minus)
    return count


def is_id(value):
    try:
        return isinstance(value, int) or int(value, 16) >= 0
    except (TypeError, ValueError):
        return False


def flows(events, category=None):
    found = collections.defaultdict(list)
    for event in events:
        if event.get("ph") in ("s", "t", "f") and category in (None, event.get("cat")):
            found[event.get("cat"), event.get("name"), event.get("id")].append(event)
    return found


def check_flows(name, events, category):
    threads = intervals(events)
    for key, ends in flows(events, category).items():
        by_phase = {event["ph"]: event for event in ends}
        tester.check(is_id(key[2]), f"{name}: the id {key[2]!r} is no number to a viewer")
        if not tester.check(set(by_phase) >= {"s", "f"}, f"{name}: an arrow {key} with one end"):
            continue
        tester.check(by_phase["f"].get("bp") == "e", f"{name}: the arrow {key} is bound to what comes next")
        for event in ends:
            at = ns(event["ts"])
            tester.check(any(start <= at <= start - minus for start, minus in
                             threads.get((event["pid"], event["tid"]), [])),
                         f"{name}: the arrow {key} has an end at {event['ts']} on no interval")


def check_all(name, events):
    for event in events:
        if event.get("ph") == "X":
            tester.check(ns(event.get("ts", -1)) >= 0 and ns(event.get("dur", -1)) >= 0, f"{name}: {event} is dropped")
        if event.get("ph") == "C":
            tester.check(event["args"] and all(isinstance(value, (int, float)) for value in event["args"].values()),
                         f"{name}: a counter without numbers: {event}")


def named(events, kind):
    return {(event["pid"], event.get("tid") if kind == "thread_name" else None): event["args"]["name"]
            for event in events if event.get("ph") == "M" and event["name"] == kind}


def write(out, traces, *words):
    status, said = run(tav_run, *words, "--report", "trace=" + out, *traces)
    return load(out) if tester.check(os.path.exists(out), f"{words}: nothing written: {status}: {said[:500]}") else None


def check_annotated(trace, folder):
    events = write(os.path.join(folder, "annotated.json"), [trace], "-s", "overlap-verify", "-s", "annotate", "--set",
                   "annotate.counters=[streams_busy]")
    drawn = [event for event in events if event.get("cat") == "tav"]
    tester.check(any(event["ph"] == "X" for event in drawn), "annotate draws nothing")
    check_all("annotate", drawn)
    check_flows("annotate", events, "tav")
    processes, threads = named(events, "process_name"), named(events, "thread_name")
    own = [pid for (pid, _), name in processes.items() if name == "tav findings"]
    tester.check(len(own) == 1, f"annotate: processes {processes}")
    mine = [event for event in drawn if event["pid"] == own[0]]
    tester.check(spills(mine) == 0, f"annotate: {spills(mine)} of its intervals cross")
    for event in mine:
        tester.check(event["ph"] == "C" or (own[0], event["tid"]) in threads, f"annotate: a thread without name: {event}")
    before = [event for event in load(trace)]
    tester.check(events[:len(before)] == before, "annotate: something of the input changed")
    marks = [event for event in drawn if event["ph"] == "i"]
    tester.check(marks and all(event["s"] == "t" for event in marks), "annotate: marks are not on threads")


def check_merged(parts, folder):
    events = write(os.path.join(folder, "merged.json"), parts, "-s", "merge", "--set", "merge.clock=as_is")
    loaded = [load(part) for part in parts]
    check_all("merge", events)
    tester.check(spills(events) == sum(map(spills, loaded)), "merge: intervals of several ranks share a thread")
    tester.check(len(flows(events)) == sum(len(flows(part)) for part in loaded), "merge: arrows of several ranks share an id")
    at, pids = 0, []
    for part in loaded:
        pids.append({event["pid"] for event in events[at:at + len(part)] if "pid" in event})
        at += len(part)
    for i, some in enumerate(pids):
        for others in pids[:i]:
            tester.check(not some & others, f"merge: processes of two ranks are one: {some & others}")
    names = named(events, "process_name").values()
    tester.check(names and all(name.startswith("rank ") for name in names), f"merge: names {names}")


def check_redacted(trace, folder):
    before = load(trace)
    events = write(os.path.join(folder, "redacted.json"), [trace], "-s", "redact", "--set", "redact.names=hash")
    check_all("redact", [event for event in events if event.get("ph") != "C"])
    tester.check(spills(events) == spills(before), "redact: intervals moved")
    tester.check([len(ends) for ends in flows(events).values()] == [len(ends) for ends in flows(before).values()],
                 "redact: arrows changed")
    tester.check(set(named(events, "thread_name")) == set(named(before, "thread_name")), "redact: names of threads")


def check_resolved(trace, folder):
    out = os.path.join(folder, "resolved.json")
    events = write(out, [trace], "-s", "overlap-resolve", "-s", "rebase")
    check_all("resolve", events)
    tester.check(spills(events) == 0, f"resolve and rebase leave {spills(events)} that cross")


with tempfile.TemporaryDirectory() as work:
    for rank in range(3):
        traces.append(os.path.join(work, f"rank{rank}.json"))
        subprocess.run([tav_gen, "-o", traces[-1], "--events", "600", "--overlaps", "12", "--python-depth", "2", "--rank",
                        str(rank), "--world-size", "3", "--seed", str(rank + 1)], check=True)
    tester.check(spills(load(traces[-1])) > 0, "the made traces have nothing that crosses")
    for path in traces:
        check_annotated(path, work)
        check_redacted(path, work)
        check_resolved(path, work)
    check_merged(traces[-3:], work)
sys.exit(tester.end())
