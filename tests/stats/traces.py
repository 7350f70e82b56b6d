#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares stats with known answers for real traces: traces.py TAV-RUN FOLDER

FOLDER holds traces/ and expected/insight.tsv, of which the lines of stats count: copies, lengths of kernels and short
kernels of an independent exact implementation. Ends with 77 (skipped) where the folder is not there.
"""
import collections
import json
import os
import subprocess
import sys
import tempfile

tool, folder = sys.argv[1:]


def ask(trace):
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, 'report.json')
        subprocess.run([tool, '-q', '-s', 'stats', '--set', 'stats.top=0', '--report', 'json=' + path, trace],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300)
        with open(path) as file:
            source = json.load(file)['stages'][0]['by_source'][0]
    return {t['id']: t['rows'] for t in source['tables']}


def found(tables):
    """(device, table, key, metric) -> number, in the words of the file"""
    out = collections.Counter()
    for r in tables.get('kernel_lengths', []):
        out[r['device'], 'kernel_histogram', f'below {r["below_ns"]} ns', 'kernels'] += r['kernels']
        out[r['device'], 'short_kernels', '-', 'kernels'] += r['kernels']
        out[r['device'], 'short_kernels', '-', 'total_ns'] += r['total_ns']
        out[r['device'], 'short_kernels', 'below 10us', 'kernels'] += 0
        out[r['device'], 'short_kernels', 'below 10us', 'total_ns'] += 0
    for r in tables.get('short_kernels', []):
        out[r['device'], 'short_kernels', 'below 10us', 'kernels'] += r['count']
        out[r['device'], 'short_kernels', 'below 10us', 'total_ns'] += r['total_ns']
    for r in tables.get('copies', []):
        key = f'{r["direction"]} ' + (f'({r["memory"]})' if r.get('memory') else '')
        names = {'count': r['count'], 'total_ns': r['total_ns'], 'with_bytes': r['sized'], 'bytes': r.get('bytes') or 0,
                 'bytes_time_ns': r['sized_ns']}
        if r['sized_ns']:
            names['MBps'] = int(r['bytes'] * 1000 // r['sized_ns'])
        for name, value in names.items():
            out[r['device'], 'copies', key, name] = value
    return out


def main():
    path = os.path.join(folder, 'expected', 'insight.tsv')
    if not os.path.exists(path):
        sys.exit(77)
    wanted = collections.defaultdict(dict)
    with open(path) as file:
        for line in file:
            trace, stage, *key, value = line.rstrip('\n').split('\t')
            if stage == 'stats':
                wanted[trace][tuple(key)] = int(value)
    failures = 0
    for trace, lines in wanted.items():
        at = os.path.join(folder, 'traces', trace)
        if not os.path.exists(at):
            continue
        got = found(ask(at))
        wrong = [(k, got.get(k), lines.get(k)) for k in sorted({*got, *lines}) if got.get(k) != lines.get(k)]
        failures += bool(wrong)
        if wrong:
            print(f'{trace}: (found, wanted) {wrong[:4]}')
    print(f'{len(wanted)} traces, {failures} failed')
    sys.exit(1 if failures or not wanted else 0)


main()
