#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""coverage.py BUILD-FOLDER [LINES BRANCHES]: what the tests of a build with --coverage reached of the product (not of the
tests), a line a folder and the worst files; status 1 where that is less than the floor, in percent."""
import collections
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    top = pathlib.Path(__file__).resolve().parent.parent
    lines, branches = collections.defaultdict(dict), collections.defaultdict(dict)
    notes = [str(path) for path in build.rglob("*.gcda")
             if path.relative_to(build).parts[0] in ("core", "plugins", "dialects", "tools")]
    with tempfile.TemporaryDirectory() as folder:
        for i in range(0, len(notes), 50):
            subprocess.run(["gcov", "--branch-probabilities", "--json-format", "--preserve-paths", *notes[i:i + 50]], cwd=folder,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
            for path in pathlib.Path(folder).iterdir():
                for file in json.loads(gzip.decompress(path.read_bytes()))["files"]:
                    name = os.path.relpath(top / file["file"], top)
                    if not name.startswith(("core/", "plugins/", "dialects/", "tools/")):
                        continue
                    for line in file["lines"]:
                        number = line["line_number"]
                        lines[name][number] = max(lines[name].get(number, 0), line["count"])
                        for k, branch in enumerate(line["branches"]):
                            key = number, k
                            branches[name][key] = max(branches[name].get(key, 0), branch["count"])
                path.unlink()

    def share(names, of):
        found = [count for name in names for count in of[name].values()]
        return sum(1 for count in found if count), len(found)

    def percent(reached, all_of):
        return 100 * reached / all_of if all_of else 100.0
    folders = collections.defaultdict(list)
    for name in lines:
        folders["/".join(name.split("/")[:2])].append(name)
    for folder, names in sorted(folders.items()):
        print(f"{folder:28} lines {percent(*share(names, lines)):5.1f} %  branches {percent(*share(names, branches)):5.1f} %")
    worst = sorted(lines, key=lambda name: share([name], lines)[0] - share([name], lines)[1])[:15]
    for name in worst:
        missed = [number for number, count in sorted(lines[name].items()) if not count]
        print(f"  {name}: {len(missed)} lines not reached: {', '.join(map(str, missed[:30]))}{' ...' if len(missed) > 30 else ''}")
    figures = percent(*share(lines, lines)), percent(*share(lines, branches))
    floors = [float(text) for text in sys.argv[2:4]]
    print(f"all: lines {figures[0]:.1f} %, branches {figures[1]:.1f} %")
    for what, figure, floor in zip(("lines", "branches"), figures, floors):
        if figure < floor:
            print(f"{what}: {figure:.1f} %, wanted {floor} % at least")
    return 1 if any(figure < floor for figure, floor in zip(figures, floors)) else 0


if __name__ == "__main__":
    sys.exit(main())
