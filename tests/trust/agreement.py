#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every check of every shared trace against known results: agreement.py TAV-RUN SHARED [TRACE...]

expected/trust.tsv: trace, check, verdict, count, of; "-" is not firm. A name in brackets is a set of traces.
"""
import collections
import glob
import os
import sys

import report as reports

tool, shared, *only = sys.argv[1:]
table = os.path.join(shared, 'expected', 'trust.tsv')
if not os.path.exists(table):
    print('no known results at hand')
    sys.exit(77)

WORDS = {'na': 'not_applicable'}


def read(path):
    wanted = collections.OrderedDict()
    with open(path, encoding='utf-8') as file:
        for line in list(file)[1:]:
            trace, check, verdict, count, of = line.rstrip('\n').split('\t')
            wanted.setdefault(trace, {})[check] = (WORDS.get(verdict, verdict), count, of)
    return wanted


def ask(traces):
    """The known results count dialects that they do not know as generic, which the pipeline falls back to by itself."""
    status, report, said = reports.run(tool, traces)
    known = report and all((source['dialect'] or '') in ('torch', 'spyre-native', 'generic') for source in report['sources'])
    return (status, report, said) if known else reports.run(tool, traces, '--dialect', 'generic')


def differs(found, wanted):
    result, count, of = wanted
    if found is None:
        return result != 'not_applicable'
    return (found[0] != result or (count != '-' and int(count) != found[1]) or (of != '-' and int(of) != found[2]))


bad = good = 0
for trace, wanted in read(table).items():
    paths = sorted(glob.glob(os.path.join(shared, 'traces', trace + '*')))
    if not paths or (only and not any(name in trace for name in only)):
        continue
    status, report, said = ask(paths)
    if report is None:
        bad += len(wanted)
        print(f'{trace}: status {status}\n{said[-2000:]}')
        continue
    found = reports.checks_of(report, None if len(paths) > 1 else 0)
    for check, want in wanted.items():
        if differs(found.get(check), want):
            bad += 1
            print(f'{trace}: {check}: wanted {want}, found {found.get(check)}')
        else:
            good += 1
print(f'{good} agree, {bad} differ')
sys.exit(bad > 0 or good == 0)
