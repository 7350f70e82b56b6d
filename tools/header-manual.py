#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""header-manual.py HEADER VERSION: tav-plugin(7) as roff, from the comments and declarations of the plugin header."""
import re
import sys


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in ".'" else line for line in text.splitlines())


path, version = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    text = file.read()
head = re.search(r"/\*\n \* tav/plugin\.h - (.*?)\*/", text, re.S).group(1)
lines = [re.sub(r"^ \* ?", "", line) for line in ("* " + head).splitlines()]
paragraphs, items = [], []
for line in "\n".join(lines).lstrip("* ").splitlines():
    term = re.match(r"(A run|\w+) {2,}(.*)", line)
    if term:
        items.append([term.group(1), term.group(2)])
    elif items:
        items[-1][1] += " " + line.strip()
    else:
        paragraphs.append(line.strip())
print(f'.TH TAV\\-PLUGIN 7 "" "tav {version}" "Plugins of tav"')
print(".SH NAME\ntav\\-plugin \\- what a plugin of tav may use\n.SH SYNOPSIS\n.B #include <tav/plugin.h>\n.SH DESCRIPTION")
print(roff("Here is " + " ".join(paragraphs)))
for term, meaning in items:
    print(f".TP\n{term}\n{roff(meaning.strip())}")
for title, body in re.findall(r"/\* ---- ([A-Z].*?) -+ \*/\n(.*?)(?=/\* ---- [A-Z]|\n#ifdef __cplusplus)", text, re.S):
    print(f".SH {roff(title.split(':')[0].strip())}\n.nf")
    print(roff(body.strip("\n").replace("\t", "    ")))
    print(".fi")
print(".SH SEE ALSO\ntav\\-run(1), plugins/README.md in the documentation of the package")
