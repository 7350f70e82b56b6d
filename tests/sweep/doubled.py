#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""doubled.py --tav-run FILE --plugins FOLDER [SHAPE...]

Twice as much of one thing (names, tracks, files, metrics and findings, members, keys, anchors, errors, stages) takes at most 2.3
times the processor time, whatever thing it is. The least time of a few runs counts, and a bad figure is measured again.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

MOST = 2.3
TRIES = 5


def seconds(command, folder):
    with open(os.devnull, "wb") as null:
        child = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=null, stderr=null)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1, 2):
        sys.exit(f"{' '.join(command)}: status {child.returncode}")
    return used.ru_utime + used.ru_stime


def kernels(folder, count, name, stream):
    events = [{"ph": "X", "cat": "kernel", "name": name(i), "pid": 0, "tid": 7, "ts": i * 10, "dur": 5,
               "args": {"stream": stream(i), "device": 0}} for i in range(count)]
    (folder / "t.json").write_text(json.dumps({"traceEvents": events}))
    return ["t.json"]


def names(folder, count):
    return ["-c", "triage", *kernels(folder, count, lambda i: f"kernel_{i * 2654435761 % 2**32:x}", lambda i: 7)]


def tracks(folder, count):
    return ["-c", "verify", *kernels(folder, count, lambda i: "k", lambda i: i)]


def keys_of_events(folder, count):
    events = [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": i * 10, "dur": 5,
               "args": {"stream": 7, f"key{i}": i}} for i in range(count)]
    (folder / "t.json").write_text(json.dumps({"traceEvents": events}))
    return ["-c", "verify", "t.json"]


def members(folder, count):
    (folder / "t.json").write_text(json.dumps({"traceEvents": [], **{f"member{i}": i for i in range(count)}}))
    return ["-q", "-c", "trust", "t.json"]


def files(folder, count):
    for i in range(count):
        (folder / f"{i}.json").write_text(json.dumps({"traceEvents": [
            {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": i, "dur": 5, "args": {"stream": 7}}]}))
    return ["-q", "-c", "verify", *[f"{i}.json" for i in range(count)]]


def told(folder, count):
    return ["-s", "bad", "--set", f"bad.count={count}", "--report", "json=r.json", "--report", "junit=r.xml",
            *kernels(folder, 3, lambda i: "k", lambda i: 7)]


def config(folder, text):
    (folder / "c.yaml").write_text(text)
    return ["-c", "c.yaml", "--check"]


def keys(folder, count):
    return config(folder, "version: 1\nstages:\n  - stage: overlap-verify\n" + "".join(f"    k{i}: 1\n" for i in range(count)))


def anchors(folder, count):
    return config(folder, "version: 1\nx: [" + ",".join(f"&a{i} 1,*a{i}" for i in range(count)) + "]\nstages: [stats]\n")


def errors(folder, count):
    return config(folder, "version: 1\nstages:\n" + "".join(f"  - stage: stats{i}\n" for i in range(count)))


def stages(folder, count):
    return config(folder, "version: 1\nstages:\n" + "".join(f"  - {{stage: stats, id: s{i}}}\n" for i in range(count)))


def reports(folder, count):
    return config(folder, "version: 1\nstages: [stats]\nreports:\n"
                  + "".join(f"  - {{format: json, path: r{i}.json}}\n" for i in range(count)))


SHAPES = {"names": (names, 40000), "tracks": (tracks, 100000), "keys-of-events": (keys_of_events, 200000),
          "members": (members, 40000), "files": (files, 400), "told": (told, 4000), "keys": (keys, 9000),
          "anchors": (anchors, 4500), "errors": (errors, 4500), "stages": (stages, 400), "reports": (reports, 3000)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tav-run", type=os.path.abspath, required=True)
    parser.add_argument("--plugins", type=os.path.abspath, required=True)
    parser.add_argument("shapes", nargs="*", default=list(SHAPES))
    options = parser.parse_args()
    bad = 0
    for shape in options.shapes:
        make, count = SHAPES[shape]
        with tempfile.TemporaryDirectory(prefix="tav-doubled-") as top:
            commands = []
            for times in (1, 2):
                folder = pathlib.Path(top) / str(times)
                folder.mkdir()
                commands.append(([options.tav_run, "--plugin-dir", options.plugins, "-j1", *make(folder, count * times)], folder))
            least = [9e9, 9e9]
            for _ in range(TRIES):
                least = [min(old, seconds(*command)) for old, command in zip(least, commands)]
                if least[1] <= MOST * least[0]:
                    break
        ratio = least[1] / least[0]
        bad += ratio > MOST
        print(f"{shape}: {count} in {least[0]:.3f} s, twice as many in {least[1]:.3f} s: {ratio:.2f} times"
              + (f", wanted {MOST} at most" if ratio > MOST else ""), flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
