#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What holds of every written trace: properties.py TAV-RUN [FOLDER]

Of the traces in FOLDER, else of some made here with a fixed seed: without edits the file is the input, byte for byte; twice
resolved is once resolved (but for tid on tracks); a slice of a slice is the slice; the bytes do not depend on -j; gz is one member of the plain
bytes; what is kept stands in the input, in that order; [cut, drop] and drop on tracks end in PASS of overlap-verify;
a merged trace has as many events, tracks and overlaps as its parts.
"""
import json
import os
import random
import sys
import tempfile
import zlib

from writing import Tester, events_of, inflated, is_subsequence, names_in, run, text_of, without_tav

tav_run = sys.argv[1]
tester = Tester()
TRACK = ("--set", "overlap-resolve.lanes=track")


def made(seed):
    """A trace with everything that stages move: lanes that cross, pairs, flows, async events, counters, metadata."""
    draw = random.Random(seed)
    events = [{"ph": "M", "name": "process_name", "pid": pid, "args": {"name": f"p {pid}"}} for pid in (0, 1)]
    for i in range(draw.randrange(20, 120)):
        pid, tid, ts = draw.randrange(2), 7 + draw.randrange(2), draw.randrange(1000)
        if draw.random() < 0.7:
            events.append({"ph": "X", "cat": "kernel", "name": f"k{i}", "pid": pid, "tid": tid, "ts": ts + i % 7 / 8,
                           "dur": draw.choice([0, 1, 5, 5.125, 40]),
                           "args": {"device": pid, "stream": tid, "correlation": i}})
        elif draw.random() < 0.3:
            events.append({"ph": "B", "cat": "host", "name": f"b{i}", "pid": 5, "tid": 1 + i, "ts": ts})
            events.append({"ph": "E", "cat": "host", "name": f"b{i}", "pid": 5, "tid": 1 + i, "ts": ts + 9})
        elif draw.random() < 0.5:
            events.append({"ph": "C", "name": "memory", "pid": pid, "ts": ts, "args": {"bytes": i}})
        else:
            events.append({"ph": "s", "cat": "ac2g", "name": "flow", "id": i, "pid": pid, "tid": tid, "ts": ts})
            events.append({"ph": "f", "bp": "e", "cat": "ac2g", "name": "flow", "id": i, "pid": 1 - pid, "tid": tid,
                           "ts": ts + 3})
    lines = [json.dumps(event) for event in events]
    form = seed % 3
    return "[\n" + ",\n".join(lines) + "\n]\n" if form == 1 else "\n".join(lines) + "\n" if form == 2 else \
        '{"schemaVersion": 1, "traceEvents": [\n ' + ",\n ".join(lines) + '\n ], "traceName": "x"}\n'


def write(out, trace, *words):
    """The bytes written but for how they were made; None: nothing was."""
    if os.path.exists(out):
        os.unlink(out)
    status, said = run(tav_run, *words, "--report", "trace=" + out, trace)
    if not os.path.exists(out):
        return None, f"status {status}: {said[:500]}"
    return without_tav(inflated(out)), said


def check_trace(name, trace, folder):
    out, again, packed = (os.path.join(folder, part) for part in ("out.json", "again.json", "packed.json.gz"))
    whole = inflated(trace)

    got, said = write(out, trace, "-s", "stats")
    if got is None:
        tester.check("status 2" in said or "status 3" in said, f"{name}: nothing written, and no error: {said}")
        return  # it could not be read
    with open(out, "rb") as file:
        tester.check(file.read() == whole, f"{name}: without edits not the input")

    status, said = run(tav_run, "-s", "stats", "-j1", "--report", "trace=" + packed, trace)
    with open(packed, "rb") as file:
        one = file.read()
    member = zlib.decompressobj(31)
    tester.check(member.decompress(one) == whole and member.eof and not member.unused_data,
                 f"{name}: gz is not one member with the input")
    status, said = run(tav_run, "-s", "stats", "-j3", "--report", "trace=" + packed, trace)
    with open(packed, "rb") as file:
        tester.check(file.read() == one, f"{name}: gz depends on -j")

    warned, said = write(out, trace, "-s", "overlap-resolve", "--set", "overlap-resolve.policy=[warn]")
    tester.check(warned == whole, f"{name}: policy warn changes bytes: {said[:300] if warned is None else ''}")
    for policy in ("[tid]", "[shift, tid]", "[drop]", "[cut, drop]", "[async]"):
        for lanes in ("thread", "track"):
            words = ("-s", "overlap-resolve", "--set", "overlap-resolve.policy=" + policy, "--set",
                     "overlap-resolve.lanes=" + lanes)
            once, said = write(out, trace, *words, "-j1")
            if not tester.check(once is not None, f"{name}: {policy} {lanes}: {said}"):
                continue
            other, said = write(again, trace, *words, "-j2")
            tester.check(once == other, f"{name}: {policy} {lanes}: depends on -j")
            if lanes == "track" and "tid" in policy:
                continue  # another lane, and still the same stream, which did two things at once
            twice, said = write(again, out, *words)
            tester.check(once == twice, f"{name}: {policy} {lanes}: twice is not once: {said if twice is None else ''}")
            if lanes == "track" and policy in ("[drop]", "[cut, drop]"):
                report = os.path.join(folder, "told.json")
                run(tav_run, "-s", "overlap-verify", "--report", "json=" + report, out)
                with open(report) as file:
                    told = json.load(file)
                if told["sources"][0]["error"]:
                    continue  # no dialect knows device work in it, so overlap-verify cannot look
                checks = [check for stage in told["stages"] for said in stage["by_source"]
                          for check in said["checks"] if check["id"] == "overlap"]
                tester.check(checks and all(check["result"] != "fail" for check in checks), f"{name}: {policy} leaves overlaps")
            if policy == "[drop]":
                tester.check(is_subsequence(map(text_of, events_of(once)), map(text_of, events_of(whole))),
                             f"{name}: {policy} {lanes}: what is kept is not of the input")

    check_redacted(name, trace, folder)
    for window in ("100us..300us", "..1ms", "50us.."):
        words = ("-s", "slice", "--set", "slice.window=" + window)
        once, said = write(out, trace, *words)
        if once is None:
            tester.check("status 1" in said, f"{name}: slice {window}: {said}")
            continue
        tester.check(is_subsequence(map(text_of, events_of(once)), map(text_of, events_of(whole))),
                     f"{name}: slice {window}: what is kept is not of the input")
        absolute = absolute_window(whole, window)
        if absolute:
            words = ("-s", "slice", "--set", "slice.window=" + absolute)
            once, said = write(out, trace, *words)
            twice, said = write(again, out, *words)
            tester.check(once == twice, f"{name}: slice {absolute}: of a slice is another: "
                                        f"{said if twice is None else ''}")


SECRETS = ("Call stack", "Python id", "Input Dims", "grid", "traceName", "/usr/", "/home/")


def check_redacted(name, trace, folder):
    """Nothing that is not listed is left, and what overlap-verify finds is the same; redacted twice is once."""
    out, again = os.path.join(folder, "redacted.json"), os.path.join(folder, "again.json")
    words = ("-s", "redact", "--set", "redact.names=hash", "--set", "redact.salt=salt")
    once, said = write(out, trace, *words)
    if not tester.check(once is not None, f"{name}: redact: {said}"):
        return
    for secret in SECRETS:
        found = once.find(secret.encode())
        tester.check(found < 0, f"{name}: redact leaves {once[max(found - 100, 0):found + 50]!r}")
    before, after = counts_of([trace], folder), counts_of([out], folder)
    tester.check(before == after, f"{name}: before redact {before}, after it {after}")
    once, said = write(out, trace, "-s", "redact")
    twice, said = write(again, out, "-s", "redact")
    tester.check(once == twice, f"{name}: redact: twice is not once: {said}")


def absolute_window(whole, window):
    """The same window by times of the file, since a slice may begin elsewhere."""
    from decimal import Decimal, InvalidOperation
    times = []
    for event in events_of(whole):
        try:
            if isinstance(event, dict) and event.get("ph") != "M" and "ts" in event:
                times.append(Decimal(event["ts"]))
        except (InvalidOperation, TypeError, ValueError):
            return None
    if not times:
        return None
    parts = [part and Decimal(part[:-2]) * (1000 if part.endswith("ms") else 1) for part in window.split("..")]
    texts = ["@" + format(min(times) + part, "f") if part != "" else "" for part in parts]
    return "..".join(texts) if all(texts) else None


def counts_of(traces, folder):
    """Device events, tracks and overlaps of traces, as overlap-verify counts them, summed."""
    report = os.path.join(folder, "told.json")
    run(tav_run, "-s", "overlap-verify", "--report", "json=" + report, *traces)
    with open(report) as file:
        told = json.load(file)
    sums = {}
    for said in told["stages"][0]["by_source"]:
        for metric in said["metrics"].items():
            if metric[0] in ("device_events", "tracks", "overlaps", "overlap_ns"):
                sums[metric[0]] = sums.get(metric[0], 0) + metric[1]
    return sums


def check_merge(traces, folder):
    """The whole has as much as its parts."""
    out = os.path.join(folder, "merged.json.gz")
    status, said = run(tav_run, "-s", "merge", "--set", "merge.clock=as_is", "--report", "trace=" + out, *traces)
    if tester.check(os.path.exists(out), f"merge: nothing written: status {status}: {said[:500]}"):
        parts, whole = counts_of(traces, folder), counts_of([out], folder)
        tester.check(parts == whole and parts, f"merge: the parts have {parts}, the whole {whole}")
        tester.check(len(events_of(inflated(out))) == sum(len(events_of(inflated(trace))) for trace in traces),
                     "merge: not as many events as in its parts")


with tempfile.TemporaryDirectory() as work:
    if len(sys.argv) > 2:
        for file_name in names_in(sys.argv[2]):
            if os.path.getsize(os.path.join(sys.argv[2], file_name)) < 1000000 or "-v" in sys.argv:
                check_trace(file_name, os.path.join(sys.argv[2], file_name), work)
    else:
        for number in range(9):
            path = os.path.join(work, f"made{number}.json")
            with open(path, "w") as file:
                file.write(made(number))
            check_trace(f"made {number}", path, work)
        check_merge([os.path.join(work, f"made{number}.json") for number in (0, 1, 3, 4)], work)
        check_merge([os.path.join(work, f"made{number}.json") for number in (2, 5)], work)
sys.exit(tester.end())
