#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""readme.py FILE BIN-FOLDER [--accept]: what the ```console blocks of FILE show is what the programs print today.

A block is one session: a line "$ COMMAND" is run, and the lines up to the next one are its output, both streams.
"""
import difflib
import os
import re
import subprocess
import sys
import tempfile

path, programs = sys.argv[1:3]
with open(path, encoding="utf-8") as file:
    text = file.read()
environment = {"PATH": os.path.abspath(programs) + ":/usr/bin:/bin", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8", "COLUMNS": "100"}


def replay(block, folder):
    shown, status = "", 0
    for command in re.findall(r"^\$ (.*)\n", block, flags=re.M):
        run = subprocess.run(["sh", "-c", f"(exit {status}); {command}"], cwd=folder, env=environment, text=True, check=False,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        status = run.returncode
        shown += f"$ {command}\n" + re.sub(r"[ \t]+$", "", run.stdout, flags=re.M)
    return shown


blocks = 0
with tempfile.TemporaryDirectory() as folder:
    def session(match):
        global blocks
        blocks += 1
        return "```console\n" + replay(match.group(1), folder) + "```\n"
    now = re.sub(r"```console\n(.*?)```\n", session, text, flags=re.S)
if not blocks:
    sys.exit(f"readme.py: no console block in {path}")
if sys.argv[3:] == ["--accept"]:
    with open(path, "w", encoding="utf-8") as file:
        file.write(now)
elif now != text:
    sys.stdout.writelines(difflib.unified_diff(text.splitlines(True), now.splitlines(True), "README.md", "now", n=1))
    sys.exit("readme.py: README.md shows other output; look at it, then: ninja -C build readme-accept")
