#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants faults into clean traces, and looks whether they are found, and nothing else: planted.py TAV-RUN SHARED [KIND...]

Every kind of fault goes into every base that it fits. The check that knows it must say so with the right count, and no
other check may come out worse than on the base; "inconclusive" is allowed where the fault takes away what is looked at.
"""
import os
import sys
import tempfile

import report as reports

tool, shared, *kinds = sys.argv[1:]
folder = os.path.join(shared, 'oracles', 'trust')
if not os.path.exists(os.path.join(folder, 'plant.py')):
    print('no planting tool at hand')
    sys.exit(77)
sys.dont_write_bytecode = True
sys.path.insert(0, folder)
import plant  # noqa: E402  (it lies beside the traces)

RANK = {'pass': 0, 'not_applicable': 0, 'note': 1, 'inconclusive': 1, 'warn': 2, 'fail': 3}
# Told by combine(), or of two sources only.
SINGLE = {'rank_once', 'rank_all', 'rank_clock', 'same_steps'}


def look(path):
    status, report, said = reports.run(tool, [path])
    if status == 2:
        status, report, said = reports.run(tool, [path], '--dialect', 'generic')
    assert report is not None and status in (0, 1), f'{path}: status {status}\n{said[-2000:]}'
    return reports.checks_of(report)


def compare(base, now, expected):
    for check, (verdict, count) in expected.items():
        got = now.get(check, ('not_applicable', 0))
        if got[0] != verdict and not (verdict == 'inconclusive' and RANK[got[0]] <= 1):
            yield f'{check}: wanted {verdict} {count}, got {got}'
        elif count is not None and verdict != 'inconclusive' and got[1] != count:
            yield f'{check}: wanted {count}, got {got}'
    for check, got in now.items():
        was = base.get(check, ('not_applicable', 0))
        if check in expected or check in SINGLE:
            continue
        worse = RANK[got[0]] > RANK[was[0]] or (got[0] == was[0] != 'note' and got[1] > was[1])
        if got[0] in ('note', 'warn', 'fail') and worse:
            yield f'alarm of {check}: {was[:2]} -> {got}'
        elif was[0] in ('warn', 'fail') and RANK[got[0]] < RANK[was[0]] and got[0] != 'inconclusive':
            yield f'{check} is silenced: {was[:2]} -> {got}'


bases = {}
good = bad = 0
with tempfile.TemporaryDirectory() as out:
    for kind, (make, places, _) in plant.K.items():
        if kinds and kind not in kinds:
            continue
        for base in places:
            path = os.path.join(shared, 'traces', base)
            if not os.path.exists(path):
                continue
            if base not in bases:
                # As the tool writes it: some are not strict JSON.
                plain = os.path.join(out, 'base.json')
                plant.W(path, 1).write(plain)
                bases[base] = look(plain)
            writer = plant.W(path, 1)
            make(writer)
            planted = os.path.join(out, 'planted.json')
            writer.write(planted)
            faults = list(compare(bases[base], look(planted), writer.exp))
            good += not faults
            bad += bool(faults)
            for fault in faults:
                print(f'{kind} in {base}: {fault}', flush=True)
print(f'{good} found, {bad} not as wanted')
sys.exit(bad > 0 or good == 0)
