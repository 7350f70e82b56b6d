#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads back what the writers wrote: JSON by the schema, CSV, JUnit XML, and the text for a terminal."""
import argparse
import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import jsonschema

parser = argparse.ArgumentParser(description=__doc__)
for name in ('samples', 'tav-run', 'tav-gen', 'schema'):
    parser.add_argument('--' + name, required=True)
options = parser.parse_args()
failures = []


def expect(holds, where, what):
    if not holds:
        failures.append(f'{where}: {what}')


def escaped(raw):
    """As the JSON writer shows bytes: what is valid UTF-8 stays, a bad byte becomes \\xNN."""
    out = ''
    while raw:
        for length in range(1, 5):
            try:
                out += raw[:length].decode('utf-8')
                raw = raw[length:]
                break
            except UnicodeDecodeError:
                pass
        else:
            out += f'\\x{raw[0]:02x}'
            raw = raw[1:]
    return out


with open(options.schema) as file:
    schema = json.load(file)
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)


def check_json(path, names=None):
    with open(path, 'rb') as file:
        data = file.read()
    document = json.loads(data.decode('utf-8'), parse_constant=lambda word: expect(False, path, f'{word} is no JSON'))
    for error in validator.iter_errors(document):
        expect(False, path, f'{list(error.path)}: {error.message[:200]}')
    expect(data.endswith(b'}\n'), path, 'does not end with a line')
    for stage in document['stages']:
        for said in [stage, *stage['by_source']]:
            texts = document['sources'][said['source']]['texts'] if 'source' in said else document['texts']
            for finding in said['findings']:
                for instance in finding['instances']:
                    for event in instance['events']:
                        name = event['name'] or ''
                        if isinstance(name, dict):
                            expect(texts[name['text']].startswith(name['begins']) and len(name['begins']) == 400, path, 'a long name')
                            name = texts[name['text']]
                        if names and event['row'] < 2:
                            expect(name == names[event['row']], path, f'name {name!r}')
    return document


def check_csv(path):
    with open(path, encoding='utf-8', newline='') as file:
        text = file.read()
    expect(text.endswith('\r\n') and '\n' not in text.replace('\r\n', ''), path, 'a line does not end with CRLF')
    for block in text.split('\r\n\r\n'):
        rows = list(csv.reader(io.StringIO(block, newline=''), strict=True))
        expect(len(rows[0]) > 3, path, 'a block has no head')
        for row in rows[1:]:
            expect(len(row) == len(rows[0]), path, f'{len(row)} cells under {len(rows[0])} heads')
            for cell in row:
                expect(not re.match(r'[=+\-@]', cell) or re.fullmatch(r'[+-]?\d+(\.\d*)?(e[+-]\d+)?', cell), path,
                       f'a formula: {cell!r}')


def check_junit(path, document):
    root = ElementTree.parse(path).getroot()
    totals = {'tests': 0, 'failures': 0, 'errors': 0, 'skipped': 0}
    for suite in root:
        found = {
            'tests': len(suite.findall('testcase')),
            'failures': len(suite.findall('testcase/failure')),
            'errors': len(suite.findall('testcase/error')),
            'skipped': len(suite.findall('testcase/skipped')),
        }
        for key, value in found.items():
            expect(int(suite.get(key)) == value, path, f'{key}: {suite.get(key)} said, {value} there')
            totals[key] += value
        if suite.get('time'):
            parts = sum(float(case.get('time')) for case in suite.findall('testcase'))
            expect(parts <= float(suite.get('time')) + 1e-5, path, f'a suite of {suite.get("time")} s holds {parts} s')
    for key, value in totals.items():
        expect(key == 'skipped' or int(root.get(key)) == value, path, f'{key} in total: {root.get(key)} said, {value} there')
    is_red = totals['failures'] + totals['errors'] > 0
    expect(is_red == (document['exit_status'] != 0), path, f'exit status {document["exit_status"]}, red: {is_red}')


def check_text(path, document):
    with open(path, 'rb') as file:
        text = file.read().decode('utf-8')
    for line in text.rstrip('\n').split('\n'):
        expect(not re.search('[\x00-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2060-\u2065\u2028-\u202e\u2066-\u2069]', line), path,
               f'an unsafe character: {line!r}')
        if line.startswith('PASS') and 'run of' not in line:
            expect(any(source['verdict'] == 'pass' for source in document['sources']), path, 'PASS without a pass')
    expect(not re.search(r'(?<![\w|\\])(nan|inf)(?=\s+(ns|us|ms|s|%)\b)', text), path, 'nan or inf as a number')


with tempfile.TemporaryDirectory() as directory:
    count = 200
    subprocess.run([options.samples, directory, str(count)], check=True)
    for number in range(count):
        base = os.path.join(directory, str(number))
        with open(base + '.names') as file:
            names = [escaped(bytes.fromhex(line)) for line in file]
        document = check_json(base + '.json', names)
        check_csv(base + '.csv')
        check_junit(base + '.junit', document)
        check_text(base + '.text', document)

    trace = os.path.join(directory, 'trace.json')
    subprocess.run([options.tav_gen, '--events', '3000', '--overlaps', '7', '-o', trace], check=True)
    broken = os.path.join(directory, 'broken.json')
    with open(trace, 'rb') as file, open(broken, 'wb') as out:
        out.write(file.read()[:-100])
    reports = []
    for round in range(2):
        base = os.path.join(directory, f'real{round}')
        wanted = [f'--report={kind}={base}.{kind}' for kind in ('json', 'csv', 'junit', 'text')]
        status = subprocess.run([options.tav_run, '-s', 'overlap-verify', '-s', 'stats', *wanted, trace, broken],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
        document = check_json(base + '.json')
        expect(status == 2 == document['exit_status'], base, f'exit status {status}')
        expect([s['verdict'] for s in document['sources']] == ['fail', 'error'], base, 'verdicts of the sources')
        expect(document['stages'][0]['metrics'].get('overlaps') == 7, base, 'overlaps')
        check_csv(base + '.csv')
        check_junit(base + '.junit', document)
        suite = ElementTree.parse(base + '.junit').getroot().find('testsuite')
        expect(float(suite.get('time')) > 0 and float(suite.find('testcase').get('time')) > 0, base, 'no times')
        check_text(base + '.text', document)
        reports.append([re.sub(rb' time="\d+\.\d{6}"', b'', open(f'{base}.{kind}', 'rb').read())
                        for kind in ('json', 'csv', 'junit', 'text')])
    expect(reports[0] == reports[1], 'real', 'two runs over the same input differ')

for failure in failures[:40]:
    print(failure)
print(f'{count + 2} sets of reports read back, {len(failures)} failures')
sys.exit(1 if failures else 0)
