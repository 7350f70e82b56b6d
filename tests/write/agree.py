#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same bytes as an independent program: agree.py TAV-RUN SHARED-DIR [NAME...]. The smaller traces there, five policies."""
import json
import os
import subprocess
import sys
import tempfile

from writing import Tester, inflated, names_in, run, without_tav

tav_run, shared, *names = sys.argv[1:]
oracle = os.path.join(shared, "oracles", "resolve_oracle.py")
tester = Tester()
MOST_BYTES = 150000  # the oracle takes its time

for name in names or names_in(os.path.join(shared, "traces")):
    trace = os.path.join(shared, "traces", name)
    if not names and os.path.getsize(trace) > MOST_BYTES:
        continue
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = os.path.join(folder, "ours.json"), os.path.join(folder, "theirs.json")
        for policy, lanes in (("tid", "thread"), ("shift,tid", "thread"), ("drop", "track"), ("cut,drop", "track"),
                              ("tid", "track")):
            for path in (ours, theirs):
                if os.path.exists(path):
                    os.unlink(path)
            done = subprocess.run([sys.executable, oracle, "resolve", trace, theirs, "policy=" + policy, "lanes=" + lanes],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            status, said = run(tav_run, "-s", "overlap-resolve", "--set", f"overlap-resolve.policy=[{policy}]", "--set",
                               "overlap-resolve.lanes=" + lanes, "--report", "trace=" + ours, trace)
            if done.returncode or not os.path.exists(theirs):
                continue  # it does not read such a trace
            if not os.path.exists(ours):
                tester.check(status == 2, f"{name} {policy} {lanes}: nothing written: status {status}: {said[:300]}")
                continue
            a, b = without_tav(inflated(ours)), inflated(theirs)
            place = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            tester.check(a == b, f"{name} {policy} {lanes}: differ at {place}: {a[place - 80:place + 80]!r} is not "
                                 f"{b[place - 80:place + 80]!r}; {done.stdout.decode()[:300]}")
sys.exit(tester.end())
