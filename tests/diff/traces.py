#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares diff with known answers for pairs of real traces: traces.py TAV-RUN FOLDER [-v]

FOLDER holds traces/ and expected/diff.tsv, of an independent exact implementation. Lines whose files are parts of a trace
(@a-b), or that have several candidates, are left out, as are the columns of steps: their last border is another one.
Each pair is asked twice: with the trace as the baseline, and with the report of a run that saved its tables.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile

tool, folder = sys.argv[1:3]
is_loud = '-v' in sys.argv
NAMES = {'kernels': 'compute', 'transfers': 'copies'}
NUMBERS = ['kernels_base_ns', 'kernels_candidate_ns', 'total_delta_scaled', 'by_count', 'by_time', 'new', 'gone', 'scale',
           'rows', 'exact', 'name', 'cut', 'digits', 'head', 'op', 'new_rows', 'gone_rows', 'rows_slower', 'rows_faster']
FIRST = ['units_base', 'units_candidate', 'matched_base_pct', 'matched_candidate_pct', *NUMBERS[2:8]]
PERCENT = ['kernels_change_pct', 'transfers_change_pct', 'communication_change_pct', 'busy_change_pct',
           'matched_base_pct', 'matched_candidate_pct']


def renamed(name):
    head, _, rest = name.partition('_')
    return NAMES.get(head, head) + (('_' + rest) if rest else '')


def option(text):
    name, value = text.split('=')
    for old, new in NAMES.items():
        name = name.replace('limit_' + old, 'limit_' + new)
    return f'diff.{name}=' + (f'[{value}]' if name in ('ignore', 'ignore_names') else value)


def run(args, scratch):
    path = os.path.join(scratch, 'report.json')
    if os.path.exists(path):
        os.unlink(path)
    done = subprocess.run([tool, '-q', '-s', 'diff', '--report', 'json=' + path, *args], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=300)
    try:
        with open(path) as file:
            return done.returncode, json.load(file), done.stdout.decode('utf-8', 'replace')
    except OSError:
        return done.returncode, None, done.stdout.decode('utf-8', 'replace')


def comparison(report):
    for source in report['stages'][0]['by_source']:
        for table in source['tables']:
            if table['id'] == 'comparison':
                return merged(table['rows'])
    return {}


def merged(rows):
    """Of several devices the file holds the sums of the rows, the parts of the first and the measures of the last."""
    row = dict(rows[-1], **{k: rows[0].get(k) for k in FIRST if k in rows[0]})
    for name in NUMBERS[8:]:
        if name in row:
            row[name] = sum(r.get(name, 0) for r in rows)
    return row


def differences(line, status, report, out):
    if report is None:
        return [f'no report: {out[-300:]}']
    row, wrong = comparison(report), []
    for name in 'verdict', 'judged':
        if name == 'judged' and 'judged' not in row:  # no device has a partner
            continue
        if row.get(name) != line[name]:
            wrong.append(f'{name} {row.get(name)}, wanted {line[name]}')
    for side in 'units_base', 'units_candidate':
        if side in row and row[side] != line[side]:
            wrong.append(f'{side} {row[side]}, wanted {line[side]}')
    for name in NUMBERS:
        if line[name] != '' and 'judged' in row and row.get(renamed(name)) != int(line[name]):
            wrong.append(f'{name} {row.get(renamed(name))}, wanted {line[name]}')
    for name in PERCENT:
        value = row.get(renamed(name))
        if name == 'busy_change_pct' and line['units_base'].startswith('marked'):
            continue
        if 'judged' in row and (line[name] == '') != (value is None) and name != 'communication_change_pct':
            wrong.append(f'{name} {value}, wanted {line[name]}')
        elif line[name] != '' and value is not None and abs(value - float(line[name])) > 0.00011:
            wrong.append(f'{name} {value}, wanted {line[name]}')
    expected = {'regressed': 1, 'inconclusive': 1}.get(line['verdict'], 0)
    if status != expected:
        wrong.append(f'status {status}, wanted {expected}')
    return wrong


def main():
    path = os.path.join(folder, 'expected', 'diff.tsv')
    if not os.path.exists(path):
        sys.exit(77)
    pairs = failures = 0
    with open(path) as file:
        lines = list(csv.DictReader(file, delimiter='\t', quoting=csv.QUOTE_NONE))
    for line in lines:
        if '@' in line['base'] + line['candidate'] or '+' in line['candidate']:
            continue
        options = [w for o in line['options'].split() for w in ('--set', option(o))]
        bases = [os.path.join(folder, 'traces', b) for b in line['base'].split('+')]
        trace = os.path.join(folder, 'traces', line['candidate'])
        with tempfile.TemporaryDirectory() as scratch:
            saved = []
            for i, base in enumerate(bases):
                _, report, out = run([*options, base], scratch)
                saved.append(os.path.join(scratch, f'saved-{i}.json'))
                if os.path.exists(os.path.join(scratch, 'report.json')):
                    os.rename(os.path.join(scratch, 'report.json'), saved[-1])
            for how, files in ('trace', bases), ('report', saved):
                pairs += 1
                wrong = differences(line, *run([*options, '--set', f'diff.baseline=[{",".join(files)}]', trace], scratch))
                failures += bool(wrong)
                if wrong:
                    print(f'{line["id"]} ({how}): {"; ".join(wrong)[:600]}')
                elif is_loud:
                    print(f'{line["id"]} ({how}): ok')
    print(f'{pairs} comparisons, {failures} failed')
    sys.exit(1 if failures or not pairs else 0)


main()
