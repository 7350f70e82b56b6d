#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares overlap-verify with known answers for real traces: traces.py TAV-RUN FOLDER

FOLDER holds traces/ and expected/overlap.tsv, a line for each trace: form, events, dialect, and the metrics of an
independent exact implementation. A dialect "-" means that no dialect knows the trace; form "invalid" or "truncated",
that it is no JSON. Ends with 77 (skipped) where the folder is not there.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile

tool, folder = sys.argv[1:]
NAMES = {'unusable': 'unusable_events', 'unmatched_be': 'unmatched_begin_end', 'partial': 'partial_overlaps'}
METRICS = ['device_events', 'tracks', 'default_stream_events', 'zero_duration_events', 'unusable', 'unmatched_be',
           'overlaps', 'partial', 'overlap_pairs', 'overlap_ns']


def ask(trace, *args):
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, 'report.json')
        done = subprocess.run([tool, '-s', 'overlap-verify', '--report', 'json=' + path, *args, trace],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
        report = None
        if os.path.exists(path):
            with open(path) as file:
                report = json.load(file)
    return done.returncode, report, done.stdout.decode('utf-8', 'replace')


def compare(line, trace):
    if line['form'] in ('invalid', 'truncated'):
        status, report, _ = ask(trace)
        if status != 2 or report['verdict'] != 'error':
            yield f'exit status {status}: is refused as no JSON'
        return
    status, report, out = ask(trace)
    if line['dialect'] == '-':
        # Without a dialect there are two right answers: nothing to verify, or none of the dialects knows it.
        # A third one came later: a dialect of ours that those who wrote the answers did not have.
        if report and report['sources'][0].get('dialect') in ('ascend', 'dftracer'):
            return
        is_empty = status == 0 and report['verdict'] == 'warn'
        if not is_empty and not (status == 2 and 'torch' in out):
            yield f'exit status {status}: no dialect knows it'
        status, report, out = ask(trace, '--dialect', 'generic')
    if status != (1 if int(line['overlaps']) else 0):
        yield f'exit status {status}'
    if not report or not report['stages']:
        yield 'no report'
        return
    source, metrics = report['sources'][0], report['stages'][0]['metrics']
    if source['form'] != line['form']:
        yield f'form {source["form"]}, wanted {line["form"]}'
    if source['events'] != int(line['events']):
        yield f'events {source["events"]}, wanted {line["events"]}'
    if line['dialect'] != '-' and source['dialect'] != line['dialect']:
        yield f'dialect {source["dialect"]}, wanted {line["dialect"]}'
    for name in METRICS:
        if metrics.get(NAMES.get(name, name)) != int(line[name]):
            yield f'{name} {metrics.get(NAMES.get(name, name))}, wanted {line[name]}'


def main():
    answers = os.path.join(folder, 'expected', 'overlap.tsv')
    if not os.path.exists(answers):
        print(f'{answers} is not there')
        sys.exit(77)
    failures = lines = 0
    with open(answers) as file:
        for line in csv.DictReader(file, delimiter='\t'):
            lines += 1
            wrong = list(compare(line, os.path.join(folder, 'traces', line['file'])))
            if wrong:
                failures += 1
                print(f'{line["file"]}: {"; ".join(wrong)}')
    print(f'{lines} traces, {failures} failed')
    sys.exit(1 if failures or not lines else 0)


main()
