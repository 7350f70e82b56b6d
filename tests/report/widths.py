#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""widths.py TAV-RUN TAV-GEN [TRACE...]: text reports at 80, 100 and 200 columns, of traces of its own and of those given.

At every width: no line is longer than that unless one word is, none ends with a blank, no two rows of a table are the
same, a table has as many rows as at the other widths, and what is said beside the tables is the same words.
"""
import os
import re
import subprocess
import sys
import tempfile
import unicodedata

tav, gen, given = sys.argv[1], sys.argv[2], sys.argv[3:]
failures = 0


def fail(what, line=''):
    global failures
    failures += 1
    print(f'FAIL {what}' + (f'\n     {line!r}' if line else ''))


def cells(text):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in 'WF' else 1 for c in text)


def tables(lines):
    """(title, rows) of each: a title is indented by two, its rows by four, up to an empty line; notes by more."""
    found, rows = [], None
    for line in lines:
        if re.match(r'  [A-Z]', line):
            rows = []
            found.append((line.strip(), rows))
        elif not line.strip():
            rows = None
        elif rows is not None and line.startswith('    ') and not line.startswith('    (no room'):
            rows.append(line)
    return found


def check(trace, pipeline):
    said = {}
    for width in 80, 100, 200:
        name = f'{os.path.basename(trace)}, {pipeline}, {width} columns'
        run = subprocess.run([tav, '--width', str(width), '-c', pipeline, trace], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if run.returncode not in (0, 1, 2):
            fail(f'{name}: status {run.returncode}')
            continue
        text = run.stdout.decode('utf-8')
        lines = text.split('\n')
        verdict = next((i for i, line in enumerate(lines) if re.match(r'(PASS|WARN|FAIL|ERROR) ', line)), len(lines))
        for number, line in enumerate(lines[:verdict]):
            if cells(line) > width and len(line.split()) > 1 and ': error: ' not in line:  # FILE:LINE:COLUMN, for programs
                fail(f'{name}: line {number + 1} is too long', line)
            if line != line.rstrip() and ': error: ' not in text:  # an excerpt of the input is as it is
                fail(f'{name}: line {number + 1} ends with a blank', line)
        for title, rows in tables(lines[:verdict]):
            same = {row for row in rows if rows.count(row) > 1 and len(row.split()) > 3}
            for row in same:
                if not re.match(r' {6,}', row):  # a note below a row may well be the same
                    fail(f'{name}: "{title}" has a row twice', row)
        verdicts = [line for line in lines if re.match(r'[A-Za-z0-9_-]+: (PASS|WARN|FAIL|ERROR)', line)]
        checks = re.findall(r'^  (ok|skip|warn|FAIL|note|waived) +([a-z_]+) ', text, re.M)
        said[width] = (verdicts, checks, lines[verdict:])
    if len({str(value) for value in said.values()}) > 1:
        fail(f'{os.path.basename(trace)}, {pipeline}: other verdicts or checks at another width')


with tempfile.TemporaryDirectory(prefix='tav-widths-') as work:
    own = []
    for number, options in enumerate((['--python-depth', '4', '--overlaps', '3'], ['--devices', '2', '--streams', '6', '--nested'],
                                      ['--native', '--overlaps', '2'], ['--names', '40', '--style', 'compact'])):
        own.append(os.path.join(work, f'{number}.json'))
        subprocess.run([gen, '--events', '1500', *options, '-o', own[-1]], check=True)
    for trace in own + given:
        for pipeline in 'trust', 'triage', 'insight':
            check(trace, pipeline)
if failures:
    sys.exit(f'{failures} failed')
print(f'{len(own) + len(given)} traces, three pipelines, three widths')
