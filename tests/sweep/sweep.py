#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sweep.py --tav-run FILE --tav-gen FILE --shim FILE [--all] [--only K] [PIPELINE...]

Fails once each call of a run that can fail: for memory, maps, threads, and on files. What comes of it must be either the
same as without the failure, or status 2 with a message, without a report that is cut or says something else.
--all: each call, not one or two for each way to reach it.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

HANGS = 30  # seconds
PIPELINES = {
    "verify": ["-j1", "-c", "verify", "--report", "json=r.json", "--report", "html=r.html", "--report", "trace=r.trace.json.gz",
               "--report", "csv=r.csv", "a.json"],
    "trust": ["-j1", "-c", "trust", "--report", "json=r.json", "--report", "html=r.html", "--report", "junit=r.xml",
              "--report", "text=r.txt", "b.json.gz", "a.json"],
    "triage": ["-j1", "-c", "triage", "--report", "json=r.json", "--report", "html=r.html", "--report", "trace=r.trace.json",
               "--report", "sarif=r.sarif", "b.json.gz"],
    "insight": ["-j1", "-c", "insight", "--report", "json=r.json", "--report", "html=r.html", "--report", "markdown=r.md", "c.json"],
    "again": ["-c", "triage", "--report", "json=r.json", "--report", "acelyzer=r.ace", "p.json", "c.json"],
    "diff": ["-j1", "-c", "diff", "--set", "diff.baseline=[b.json.gz]", "--report", "json=r.json", "--report", "github=r.gh",
             "c.json"],
    "edit": ["-j1", "-s", "overlap-verify", "-s", "overlap-resolve", "-s", "annotate", "-s", "rebase", "--set",
             "overlap-resolve.policy=[shift, tid]", "--report", "trace=r.trace.json.gz", "a.json"],
    "merge": ["-j1", "-s", "slice", "-s", "redact", "-s", "merge", "--set", "slice.names=[.]", "--set", "redact.names=hash",
              "--set", "redact.salt=x", "--set", "merge.clock=as_is", "--report", "trace=r.trace.json", "a.json", "b.json.gz"],
}
ELAPSED = re.compile(rb'"elapsed_ns": ?\d+| time="[0-9.]*"')


def difference(wanted, got):
    if got is None:
        return "missing"
    at = len(os.path.commonprefix([wanted, got]))
    return f"at {at}: {wanted[max(0, at - 40):at + 40]} became {got[max(0, at - 40):at + 40]}"


class Run:
    """What came of one run in a folder: status, words, reports."""

    def __init__(self, options, folder, at=None, paths=None):
        env = dict(os.environ, LD_PRELOAD=options.shim, TAV_SWEEP_LOG="log", LC_ALL="C.UTF-8")
        env.pop("TAV_PLUGIN_PATH", None)
        if at is not None:
            env["TAV_SWEEP_FAIL"] = str(at)
        if paths:
            env["TAV_SWEEP_PATHS"] = paths
        for file in folder.glob("r.*"):
            file.unlink()
        (folder / "log").unlink(missing_ok=True)
        command = [options.tav_run, "-q", *options.arguments]
        try:
            done = subprocess.run(command, cwd=folder, env=env, capture_output=True, timeout=HANGS, stdin=subprocess.DEVNULL)
            self.status, self.out, self.err = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired:
            self.status, self.out, self.err = "hangs", b"", b""
        self.reports = {file.name: ELAPSED.sub(b"", file.read_bytes()) for file in sorted(folder.glob("r.*"))}
        log = (folder / "log").read_text().splitlines() if (folder / "log").exists() else []
        self.calls = max((int(line.split()[0]) for line in log), default=0)
        self.failed = next((line.split()[1] for line in log if not line.endswith(" -")), "?")

    def fault(self, whole):
        """What is wrong with it, beside the run that nothing failed in; None: nothing."""
        left = [name for name in self.reports if name not in whole.reports]
        if left:
            return f"left {left}"
        if self.status not in (0, 1, 2):
            return f"status {self.status}"
        if self.status == whole.status:
            if self.out != whole.out:
                return f"other words, same status: {difference(whole.out, self.out)}"
            for name, text in whole.reports.items():
                if self.reports.get(name) != text:
                    return f"{name}, same status: {difference(text, self.reports.get(name))}"
            return None
        if self.status != 2:
            return f"status {self.status} instead of {whole.status}"
        if not self.err.strip():
            return "status 2 without a message"
        if all(whole.reports[name] == text for name, text in self.reports.items()):
            return None
        try:
            if "r.json" in self.reports and json.loads(self.reports["r.json"].replace(b', }', b'}'))["verdict"] == "error":
                return None
        except ValueError:
            return "r.json is cut"
        name = next(name for name, text in self.reports.items() if whole.reports[name] != text)
        return f"status 2, and {name} does not say so: {difference(whole.reports[name], self.reports[name])}"


def points(path_file, everything):
    """The calls to fail: the first and the last on each path."""
    numbers = memoryview(path_file.read_bytes()).cast("Q")
    if everything:
        return range(len(numbers))
    first, last = {}, {}
    for at, number in enumerate(numbers):
        first.setdefault(number, at)
        last[number] = at
    return sorted({*first.values(), *last.values()})


def prepare(options, folder):
    def make(name, *more):
        subprocess.run([options.tav_gen, *more, "-o", name], cwd=folder, check=True)
        os.utime(folder / name, (1700000000, 1700000000))  # stands in reports
    make("a.json", "--events", "60", "--python-depth", "2", "--overlaps", "2", "--world-size", "2")
    make("b.json.gz", "--events", "40", "--gz", "--rank", "1", "--world-size", "2", "--seed", "3")
    make("c.json", "--events", "50", "--python-depth", "2", "--seed", "5")
    subprocess.run([options.tav_run, "-q", "-c", "triage", "--report", "json=p.json", "a.json"], cwd=folder,
                   stdout=subprocess.DEVNULL, check=True)


def sweep(options, name, top):
    options.arguments = PIPELINES[name]
    began = time.monotonic()
    folders = []
    for i in range(options.jobs):
        folder = top / f"{name}{i}"
        folder.mkdir()
        prepare(options, folder)
        folders.append(folder)
    whole = Run(options, folders[0], paths="paths")
    if whole.status not in (0, 1) or not whole.calls:
        print(f"{name}: does not run: status {whole.status}, {whole.calls} calls counted\n{whole.err.decode()}")
        return 1
    plan = points(folders[0] / "paths", options.all)[::options.step]
    if options.only is not None:
        plan = [options.only]
    free = list(folders)
    faults = []
    outcomes = collections.Counter()

    def one(at):
        folder = free.pop()
        run = Run(options, folder, at)
        free.append(folder)
        if options.only is not None:
            print(run.failed, run.status, run.out.decode(), run.err.decode(), list(run.reports))
        return at, run, run.fault(whole)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for at, run, fault in pool.map(one, plan):
            outcomes["same" if run.status == whole.status else f"status {run.status}"] += 1
            if fault:
                faults.append(f"  call {at} ({run.failed}): {fault}; {run.err.decode(errors='replace')[-300:].strip()}")
    print(f"{name}: {len(plan)} of {whole.calls} calls failed, {time.monotonic() - began:.0f} s: "
          + ", ".join(f"{what} {count}" for what, count in sorted(outcomes.items())) + f"; {len(faults)} faults", flush=True)
    for fault in faults[:options.show]:
        print(fault)
    return len(faults)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tav-run", type=os.path.abspath, required=True)
    parser.add_argument("--tav-gen", type=os.path.abspath, required=True)
    parser.add_argument("--shim", type=os.path.abspath, required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", type=int)
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("--show", type=int, default=40)
    parser.add_argument("pipelines", nargs="*", default=list(PIPELINES))
    options = parser.parse_args()
    top = pathlib.Path(tempfile.mkdtemp(prefix="tav-sweep-"))
    try:
        faults = sum(sweep(options, name, top) for name in options.pipelines)
    finally:
        shutil.rmtree(top)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
