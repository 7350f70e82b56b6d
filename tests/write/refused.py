#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What no trace is written for: refused.py TAV-RUN. The run says why, and leaves no file and no input changed."""
import json
import os
import sys
import tempfile

from writing import Tester, run

tav_run = sys.argv[1]
tester = Tester()
TRACE = """{"traceEvents": [
{"ph": "X", "cat": "kernel", "name": "A", "pid": 0, "tid": 7, "ts": 100, "dur": 10, "args": {"device": 0, "stream": 7}},
{"ph": "X", "cat": "kernel", "name": "B", "pid": 0, "tid": 7, "ts": 104, "dur": 10, "args": {"device": 0, "stream": 7}}
]}
"""


def listing(folder):
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                found[path] = file.read()
    return found


def refused(what, status, word, *words):
    before = listing(folder)
    got, said = run(tav_run, *words)
    tester.check(got == status, f"{what}: status {got}, not {status}: {said}")
    tester.check(word in said, f"{what}: nothing of '{word}' in: {said}")
    tester.check(listing(folder) == before, f"{what}: files changed: {sorted(set(listing(folder)) - set(before))}")


with tempfile.TemporaryDirectory() as folder:
    def at(*parts):
        return os.path.join(folder, *parts)

    os.mkdir(at("one"))
    os.mkdir(at("two"))
    os.mkdir(at("out"))
    for path in (at("a.json"), at("b.json"), at("one", "x.json"), at("two", "x.json")):
        with open(path, "w") as file:
            file.write(TRACE.replace('"A"', json.dumps(path)))
    os.symlink(at("a.json"), at("link.json"))
    os.link(at("a.json"), at("hard.json"))
    status, said = run(tav_run, "-s", "overlap-verify", "--report", "json=" + at("told.json"), at("a.json"))
    tester.check(os.path.exists(at("told.json")), said)

    resolve = ("-s", "overlap-resolve")
    refused("standard input", 2, "standard input", *resolve, "--report", "trace=" + at("y.json"), "-")
    refused("standard output", 2, "file name", *resolve, "--report", "trace=-", at("a.json"))
    refused("an input", 2, "a.json", *resolve, "--report", "trace=" + at("a.json"), at("a.json"))
    refused("an input through a link", 2, "a.json", *resolve, "--report", "trace=" + at("link.json"), at("a.json"))
    refused("an input by another name", 2, "a.json", *resolve, "--report", "trace=" + at("hard.json"), at("a.json"))
    refused("its own folder", 2, "a.json", *resolve, "--report", "trace=" + folder + "/", at("a.json"))
    refused("no folder", 2, "none", *resolve, "--report", "trace=" + at("none") + "/", at("a.json"))
    refused("a file in no folder", 2, "none", *resolve, "--report", "trace=" + at("none", "y.json"), at("a.json"))
    refused("one file for two", 2, "merge", *resolve, "--report", "trace=" + at("y.json"), at("a.json"), at("b.json"))
    refused("two of one name", 2, "x.json", *resolve, "--report", "trace=" + at("out") + "/", at("one", "x.json"),
            at("two", "x.json"))
    refused("a report as source", 2, "report", *resolve, "--report", "trace=" + at("y.json"), at("told.json"))
    refused("an empty slice", 1, "900us", "-s", "slice", "--set", "slice.window=900us..901us", "--report",
            "trace=" + at("y.json"), at("a.json"))
    refused("a finding that is not there", 1, "finding", "-s", "slice", "--set", "slice.finding=overlap.none",
            "--report", "trace=" + at("y.json"), at("a.json"))
    with open(at("broken.json"), "w") as file:
        file.write(TRACE[:150])
    refused("a trace that ends early", 2, "broken.json", *resolve, "--report", "trace=" + at("y.json"),
            at("broken.json"))

    # Without a trace report the stage says what it would do; with a folder both are written.
    status, said = run(tav_run, *resolve, at("a.json"))
    tester.check(status in (0, 1), f"a dry run: status {status}: {said}")
    status, said = run(tav_run, *resolve, "--report", "trace=" + at("out") + "/", at("a.json"), at("b.json"))
    tester.check(sorted(os.listdir(at("out"))) == ["a.json", "b.json"], f"two into a folder: status {status}: {said}")
sys.exit(tester.end())
