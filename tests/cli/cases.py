#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cases.py --tav-run PATH [--accept] [CASE...]: whole runs, each as a person would type it.

A case is a folder: `cmd` (for sh), and what it must write: `stdout`, `stderr` (absent: nothing) and `status` (absent:
0). It runs in a fresh folder that holds the case's other files and `data`, the shared traces; tav-run is in the PATH.
Where the program, the checkout and the build tree lie is replaced by names, as is the version. A line `...` of an
expected text stands for any lines, and `...` within a line for any text. Where `needs` (for sh, too) fails, the case is skipped; with
none left the status is 77. --accept writes what was seen; read it before you commit it.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
top = os.path.dirname(os.path.dirname(here))
EXPECTED = ("cmd", "stdout", "stderr", "status", "needs")


def environment(bin_dir, home):
    keep = {name: value for name, value in os.environ.items() if name in ("PATH", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS")}
    return {**keep, "PATH": bin_dir + os.pathsep + keep.get("PATH", "/usr/bin:/bin"), "HOME": home, "LC_ALL": "C", "TERM": "xterm",
            "TOP": top, "PLUGINS": os.path.join(os.path.dirname(bin_dir), "plugins")}


def run(case, bin_dir):
    folder = os.path.join(here, case)
    with tempfile.TemporaryDirectory(prefix="tav-cli-") as scratch:
        for name in os.listdir(folder):
            if name not in EXPECTED:
                path = os.path.join(folder, name)
                (shutil.copytree if os.path.isdir(path) else shutil.copy)(path, os.path.join(scratch, name))
        os.symlink(os.path.join(top, "tests", "data"), os.path.join(scratch, "data"))
        done = subprocess.run(["sh", os.path.join(folder, "cmd")], cwd=scratch, env=environment(bin_dir, scratch), timeout=120,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        build = os.path.dirname(bin_dir)
        streams = []
        for stream in (done.stdout, done.stderr):
            text = stream.decode("utf-8", "backslashreplace")
            for path, name in ((scratch, "SCRATCH"), (build, "BUILD"), (top, "TOP")):
                text = text.replace(path, name)
            streams.append(text)
        return streams[0], streams[1], done.returncode


def read(case, name, default):
    try:
        with open(os.path.join(here, case, name), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return default


def matches(wanted, got):
    pattern = "".join(r"(?:.*\n)*?" if line.strip() == "..." else re.escape(line).replace(r"\.\.\.", ".*") for line in wanted.splitlines(True))
    return re.fullmatch(pattern, got) is not None


def write(case, name, text, default):
    path = os.path.join(here, case, name)
    if text == default:
        if os.path.exists(path):
            os.remove(path)
        return
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tav-run", required=True)
    parser.add_argument("--accept", action="store_true")
    parser.add_argument("case", nargs="*")
    arguments = parser.parse_args()
    bin_dir = os.path.dirname(os.path.abspath(arguments.tav_run))
    cases = arguments.case or sorted(name for name in os.listdir(here) if os.path.exists(os.path.join(here, name, "cmd")))
    failed = skipped = 0
    for case in cases:
        needs = os.path.join(here, case, "needs")
        if os.path.exists(needs) and subprocess.run(["sh", needs], stdin=subprocess.DEVNULL, capture_output=True).returncode:
            print(f"SKIP {case}: this machine lacks what {case}/needs asks for")
            skipped += 1
            continue
        out, err, status = run(case, bin_dir)
        wanted = [read(case, "stdout", ""), read(case, "stderr", ""), int(read(case, "status", "0"))]
        if matches(wanted[0], out) and matches(wanted[1], err) and wanted[2] == status:
            continue
        if arguments.accept:
            write(case, "stdout", out, "")
            write(case, "stderr", err, "")
            write(case, "status", f"{status}\n", "0\n")
            print(f"{case}: accepted")
            continue
        failed += 1
        print(f"FAIL {case}: status {status}, wanted {wanted[2]}")
        for name, one, other in (("stdout", wanted[0], out), ("stderr", wanted[1], err)):
            if not matches(one, other):
                print(f"--- {name}, wanted\n{one}--- {name}, got\n{other}---")
    print(f"{len(cases)} cases, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed or not cases else 77 if skipped == len(cases) else 0)


main()
