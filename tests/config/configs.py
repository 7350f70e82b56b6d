#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""configs.py TAV-RUN: each of bad/*.yaml is refused with exactly the messages "# LINE:COLUMN: MESSAGE" in its first
lines ("# MESSAGE" where there is no place); each of good/*.yaml is sound, and reads back as it is printed. The schema for
editors takes every sound one and, where it can see the mistake, refuses the bad one."""
import glob
import os
import re
import subprocess
import sys
import tempfile

tav_run = os.path.abspath(sys.argv[1])
here = os.path.dirname(os.path.abspath(__file__))
failed = 0


def run(*arguments):
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run([tav_run, *arguments], capture_output=True, cwd=here, env={**os.environ, "HOME": home}, timeout=60)
        return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def complain(path, text):
    global failed
    failed += 1
    print(f"{os.path.relpath(path, here)}: {text}")


bad = sorted(glob.glob(os.path.join(here, "bad", "*.yaml")))
for path in bad:
    name = os.path.relpath(path, here)
    wanted = []
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            match = re.match(r"# (?:(\d+:\d+): )?(.*)", line)
            if not match:
                break
            wanted.append(f"{name}:{match.group(1)}: error: {match.group(2)}" if match.group(1) else f"{name}: error: {match.group(2)}")
    status, out, err = run("--check", "-c", name)
    got = [line for line in err.splitlines() if re.match(r"\S+: error: ", line) and not line.startswith("tav-run")]
    if status != 2 or got != wanted or not wanted or out:
        complain(path, f"status {status}\n  wanted " + "\n         ".join(wanted) + "\n  got    " + "\n         ".join(got or [err]))
good = sorted(glob.glob(os.path.join(here, "good", "*.yaml")))
good += sorted(path for path in glob.glob(os.path.join(here, "..", "..", "config", "*.yaml"))
               if os.path.basename(path) != "kernel-categories.yaml")  # data of a plugin
for path in good:
    status, out, err = run("--check", "-c", path)
    if status or err:
        if "no plugin offers" not in err:
            complain(path, f"status {status}: {err}")
        continue
    status, printed, err = run("--print-config", "-c", path)
    with tempfile.TemporaryDirectory() as folder:
        again = os.path.join(folder, "again.yaml")
        with open(again, "w", encoding="utf-8") as file:
            file.write(printed)
        status, second, err = run("--print-config", "-c", again)
    if status or second.replace("  # default", "") != printed.replace("  # default", ""):
        complain(path, f"does not read back: {err}\n{printed}\n{second}")
try:
    import json

    import jsonschema
    import yaml
except ImportError:
    print("no jsonschema or no yaml: the schema was not tried")
else:
    with open(os.path.join(here, "..", "..", "config", "config.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for path in good:
        with open(path, encoding="utf-8") as file:
            for error in validator.iter_errors(yaml.safe_load(file)):
                complain(path, f"the schema refuses it: {error.message}")
    for name in ("unknown-key", "unknown-option", "unknown-stage", "several", "host-keys", "stages-word", "empty-stages", "no-version",
                 "other-version", "dialect-option", "report-keys", "fail-on"):
        with open(os.path.join(here, "bad", name + ".yaml"), encoding="utf-8") as file:
            if validator.is_valid(yaml.safe_load(file)):
                complain(file.name, "the schema takes it")
print(f"{len(bad)} bad, {len(good)} good, {failed} failed")
sys.exit(1 if failed or not bad or not good else 0)
