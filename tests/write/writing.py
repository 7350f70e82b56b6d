# SPDX-License-Identifier: Apache-2.0
"""Runs tav-run with a trace report, for the tests of writing."""
import gzip
import json
import os
import re
import subprocess

TAV = re.compile(rb',\s*"tav": ')


def run(tav_run, *words):
    """Status and what was said."""
    done = subprocess.run([tav_run, "-q", *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return done.returncode, done.stdout.decode(errors="replace")


def inflated(path):
    with open(path, "rb") as file:
        data = file.read()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def value_end(data, at):
    """Behind the JSON object that begins at `at`."""
    depth = 0
    for token in re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.S).finditer(data, at):
        if token[0] in (b"{", b"["):
            depth += 1
        elif token[0] in (b"}", b"]"):
            depth -= 1
            if not depth:
                return token.end()
    raise AssertionError("the member tav has no end")


def without_tav(data):
    """Without the top-level member that says how the trace was made: the last of that name."""
    found = list(TAV.finditer(data))
    if not found:
        return data
    return data[:found[-1].start()] + data[value_end(data, found[-1].end()):]


def events_of(data):
    """The events of a written trace in any of its three forms, numbers as they are spelled."""
    text = data.decode("utf-8", "surrogateescape").lstrip("\ufeff")
    decoder = json.JSONDecoder(parse_float=str, parse_int=str, strict=False)
    try:
        value = decoder.decode(text)
        return value["traceEvents"] if isinstance(value, dict) and "traceEvents" in value else \
            value if isinstance(value, list) else [value]
    except ValueError:
        return [decoder.decode(line) for line in text.splitlines() if line.strip() not in ("", "[", "]")]


def is_subsequence(part, whole):
    """Are the lines of `part` lines of `whole`, in that order?"""
    lines = iter(whole)
    return all(any(line == other for other in lines) for line in part)


def text_of(event):
    return json.dumps(event, sort_keys=True)


class Tester:
    def __init__(self):
        self.count, self.failures = 0, []

    def check(self, is_right, what):
        self.count += 1
        if not is_right:
            self.failures.append(what)
            print("FAILED:", what, flush=True)
        return is_right

    def end(self):
        print(f"{self.count} checks, {len(self.failures)} failed")
        return 1 if self.failures or not self.count else 0


def names_in(folder):
    return sorted(name for name in os.listdir(folder) if ".json" in name or ".pfw" in name)
