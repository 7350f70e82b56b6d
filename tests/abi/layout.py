#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The layout of every public struct: size, and offset and size of each member, as the compiler sees them.

layout.py CC INCLUDE-DIR EXPECTED [--accept]

Within a major version members are added at the end only, so a difference is a mistake, or an addition: then accept it.
"""
import difflib
import os
import re
import subprocess
import sys
import tempfile

compiler, include, expected = sys.argv[1:4]
HELPERS = {"kit.h", "map.h", "rank.h", "sheet.h", "walk.h"}  # compiled into who includes them: nothing of them crosses the border
headers = sorted(name for name in os.listdir(os.path.join(include, "tav")) if name.endswith(".h") and name not in HELPERS)
lines = "".join(f"#include <tav/{name}>\n" for name in headers)


def members(body):
    """The names in a struct's body: declarators split at commas outside of parentheses."""
    names = []
    for declaration in re.split(r";", body):
        depth, part, parts = 0, "", []
        for char in declaration:
            depth += char in "([{"
            depth -= char in ")]}"
            if char == "," and depth == 0:
                parts.append(part)
                part = ""
            else:
                part += char
        for part in parts + [part]:
            part = part.strip()
            if not part:
                continue
            pointer = re.match(r"[^(]*\(\s*\*\s*(\w+)\s*\)\s*\(", part)
            plain = re.search(r"(\w+)\s*(\[[^\]]*\])?$", part)
            names.append((pointer or plain).group(1))
    return names


def without_comments(text):
    return re.sub(r"/\*.*?\*/|^[ \t]*#.*?$", "", text, flags=re.S | re.M)


program = lines + "#include <stddef.h>\n#include <stdio.h>\n"
program += '#define M(s, m) printf("\\t%zu\\t%zu\\t%s\\n", offsetof(struct s, m), sizeof(((struct s *)0)->m), #m)\n'
program += "int main(void)\n{\n"
count = 0
for name in headers:
    with open(os.path.join(include, "tav", name), encoding="utf-8") as file:
        text = without_comments(file.read())
    for match in re.finditer(r"^struct (\w+) \{(.*?)^\};", text, flags=re.S | re.M):
        count += 1
        program += f'\tprintf("%zu\\tstruct {match.group(1)}\\n", sizeof(struct {match.group(1)}));\n'
        for member in members(match.group(2)):
            program += f"\tM({match.group(1)}, {member});\n"
program += "\treturn sizeof(void *) == 8 ? 0 : 77;\n}\n"
if count < 20:
    sys.exit(f"layout.py: only {count} structs found; the headers are not written as this script expects")

with tempfile.TemporaryDirectory() as folder:
    source, exe = os.path.join(folder, "layout.c"), os.path.join(folder, "layout")
    with open(source, "w", encoding="utf-8") as file:
        file.write(program)
    subprocess.run([compiler, "-std=c11", "-I", include, source, "-o", exe], check=True)
    run = subprocess.run([exe], stdout=subprocess.PIPE, text=True, check=False)
if run.returncode:
    print("the expected layout is that of machines with 64-bit pointers")
    sys.exit(run.returncode)
if sys.argv[4:] == ["--accept"]:
    with open(expected, "w", encoding="utf-8") as file:
        file.write(run.stdout)
    sys.exit(0)
with open(expected, encoding="utf-8") as file:
    wanted = file.read()
if wanted != run.stdout:
    sys.stdout.writelines(difflib.unified_diff(wanted.splitlines(True), run.stdout.splitlines(True), "expected", "found", n=1))
    print("\nThe public structs have changed. Members may be added at the end of a struct that is not frozen, with a\n"
          "higher TAV_ABI_MINOR after a release. If that is what you did: ninja -C build abi-accept")
    sys.exit(1)
