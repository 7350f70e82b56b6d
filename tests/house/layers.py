#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""layers.py CHECKOUT: every #include follows the order of the layers that core/README.md draws."""
import os
import re
import sys

top = sys.argv[1]
# An area, and the areas whose headers it may include; all may include the public ones (tav).
ALLOWED = {
    "kit": [],
    "trace": ["kit"],
    "reader": ["trace", "kit"],
    "facts": ["trace", "kit"],
    "classify": ["trace", "kit"],
    "overlap": ["kit"],
    "report": ["trace", "kit"],
    "option": ["kit"],
    "plugin": ["option", "kit"],
    "config": ["plugin", "option", "report", "kit"],
    "write": ["reader", "report", "trace", "kit"],
    "host": ["config", "plugin", "option", "write", "report", "classify", "facts", "overlap", "trace", "kit"],
    "picture": ["report", "facts", "trace", "kit"],
    "run": ["host", "picture", "config", "plugin", "option", "write", "report", "classify", "facts", "reader", "trace", "kit"],
}
# What a plugin may take from the C library.
LIBC = """assert complex ctype dlfcn errno fcntl fenv float inttypes iso646 limits locale math pthread regex setjmp signal
sys/random stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string strings tgmath threads time uchar unistd wchar
wctype""".split()
# Libraries that a plugin brings with it.
LIBRARIES = {"plugins/overlap-triage": ["yaml"]}
wrong = []
seen = 0


def includes(path):
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
            if match:
                yield number, match.group(1) == '"', match.group(2)


def sources(folder):
    for where, folders, names in os.walk(os.path.join(top, folder)):
        folders.sort()
        for name in sorted(names):
            if name.endswith((".c", ".h", ".cpp")):
                yield os.path.join(where, name)


def complain(path, number, text):
    wrong.append(f"{os.path.relpath(path, top)}:{number}: {text}")


areas = sorted(name for name in os.listdir(os.path.join(top, "core")) if os.path.isdir(os.path.join(top, "core", name)))
for area in areas:
    if area in ("include", "cmake"):
        continue
    if area not in ALLOWED:
        complain(os.path.join(top, "core", area), 0, "an area that this test and core/README.md do not know")
        continue
    for path in sources(f"core/{area}"):
        seen += 1
        for number, quoted, name in includes(path):
            target = name.split("/")[0] if "/" in name else None
            if quoted:
                complain(path, number, f'"{name}": write <{area}/{name}>')
            elif target in ALLOWED and target != area and target not in ALLOWED[area]:
                complain(path, number, f"<{name}>: {area} may include {', '.join(ALLOWED[area] + ['tav'])}")
for path in sources("core/include"):
    seen += 1
    for number, quoted, name in includes(path):
        if quoted or not (name.startswith("tav/") or name.removesuffix(".h") in LIBC):
            complain(path, number, f"{name}: a public header includes <tav/...> and the C library")
for path in [*sources("dialects"), *sources("plugins")]:
    seen += 1
    for number, quoted, name in includes(path):
        kind, plugin = os.path.relpath(path, top).split(os.sep)[:2]
        folders = (os.path.dirname(path), os.path.join(top, kind, plugin))
        if "/" not in name and any(os.path.exists(os.path.join(folder, name)) for folder in folders):
            continue
        own = LIBRARIES.get(f"{kind}/{plugin}", [])
        if quoted or not (name.startswith("tav/") or name.removesuffix(".h") in LIBC + own):
            complain(path, number, f"{name}: a plugin includes <tav/...> and the C library")
for line in wrong:
    print(line)
if not seen:
    wrong.append("")
    print("no source was found")
print(f"{seen} files, {len(wrong)} wrong includes")
sys.exit(1 if wrong else 0)
