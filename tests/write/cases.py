#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Written traces by their bytes: cases.py TAV-RUN FOLDER [NAME...]

FOLDER/NAME: `cmd` (arguments; IN, IN2.. and OUT stand for paths), in.json (in2.json..), out.json: what must be written, but
for the member "tav". Without out.json nothing may be written; `status` is that of the run, 0 or 1 where it is not there.
"""
import os
import sys
import tempfile

from writing import Tester, inflated, run, without_tav

tav_run, folder, *names = sys.argv[1:]
tester = Tester()

for name in names or sorted(os.listdir(folder)):
    case = os.path.join(folder, name)
    if not os.path.exists(os.path.join(case, "cmd")):
        continue
    with tempfile.TemporaryDirectory() as made:
        out = os.path.join(made, "out.json")
        with open(os.path.join(case, "cmd")) as file:
            words = file.read().split()
        places = {"IN": os.path.join(case, "in.json"), "IN2": os.path.join(case, "in2.json"),
                  "IN3": os.path.join(case, "in3.json")}
        words = [places.get(word, word.replace("OUT", out)) for word in words]
        status, said = run(tav_run, *words)
        wanted_status = None
        if os.path.exists(os.path.join(case, "status")):
            with open(os.path.join(case, "status")) as file:
                wanted_status = int(file.read())
        tester.check(status == wanted_status if wanted_status is not None else status in (0, 1),
                     f"{name}: status {status}: {said[:800]}")
        wanted = os.path.join(case, "out.json")
        if not os.path.exists(wanted):
            tester.check(not os.listdir(made), f"{name}: a file was written")
            continue
        if not tester.check(os.path.exists(out), f"{name}: nothing was written: {said[:800]}"):
            continue
        got, want = without_tav(inflated(out)), without_tav(inflated(wanted))
        tester.check(got == want, f"{name}: not the bytes\n--- wanted\n{want[:3000]!r}\n--- got\n{got[:3000]!r}")
sys.exit(tester.end())
