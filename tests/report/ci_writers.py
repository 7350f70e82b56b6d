#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a CI reads, of traces with hostile names: github's lines, markdown's markup, acelyzer's JSON, or (--sarif) SARIF
by its schema.

The schema of SARIF is taken from $SARIF_SCHEMA, a file; without it that test is skipped."""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

import jsonschema

HOSTILE = ['<script>|`a`|\n::error::x%0A[a](b)', '</details>**k**\r\n| row |', '<!-- ', '&lt;b&gt; ~~x~~ # _y_']

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument('--tav-run', required=True)
parser.add_argument('--sarif', action='store_true')
options = parser.parse_args()


def kernel(name, ts):
    return {'ph': 'X', 'cat': 'kernel', 'name': name, 'pid': 0, 'tid': 'seven', 'ts': ts, 'dur': 20.125,
            'args': {'device': 0, 'stream': 7}}


def report(form, paths, *more):
    run = subprocess.run([options.tav_run, *more, *paths, '-q', '--report', form + '=report'], capture_output=True)
    assert run.returncode == 1, run
    with open('report', encoding='utf-8', newline='') as file:
        return file.read()


def check_github(paths):
    text = report('github', paths)
    lines = text.split('\n')
    assert lines.pop() == '' and '\r' not in text
    assert len(lines) >= len(paths)
    for line in lines:
        found = re.fullmatch(r'::(error|warning) ((?:\w+=[^:,]*,?)+)::.+', line)
        assert found, line
        assert not re.search(r'%(?!25|0A|0D|3A|2C)', line), line


def check_markdown(paths):
    text = report('markdown', paths)
    assert len(text.encode()) < 60000, len(text)
    assert text.startswith('### tav: :x: fail')
    ours = re.sub(r'</?(details|summary)>', '', text)
    assert not re.search(r'(?<!\\)[<>`]', ours), ours
    assert not re.search(r'(?<!\\)\]\(', ours), ours
    assert text.count('<details>') - text.count('\\<details>') == len(re.findall(r'(?m)^</details>$', text))


def check_acelyzer(paths):
    found = json.loads(report('acelyzer', paths, '-c', 'acelyzer'))
    assert list(found) == ['version', 'result', 'metadata', 'test_results', 'errors', 'warnings', 'passed'], found
    assert (found['version'], found['result']) == ('1.0', 'FAIL')
    assert list(found['metadata']) == ['Application', 'CmdLine', 'Settings', 'deviceProperties', *(['path'] if len(paths) == 1 else []), 'note'], found['metadata']
    assert found['metadata']['note'] == {'a': '\U0001f600 "', 'b': [1, None]} and paths[0] in found['metadata']['CmdLine']
    tests = {test['test']: test['result'] for test in found['test_results']}
    assert tests['Compute Overlap Check'] == 'fail' and tests['Kernel-Parent Timestamp Check'] == 'warn', tests
    overlaps, = found['errors']
    assert list(overlaps) == ['finding', 'count', 'instances'] and overlaps['finding'] == 'overlaps'
    assert overlaps['count'] == len(overlaps['instances']) == len(HOSTILE) * len(paths)
    first = overlaps['instances'][0]
    assert {**first, 'name': ''} == {'name': '', 'pid': 0, 'tid': 'seven', 'stream': 7, 'ts': first['ts'], 'dur': 20.125}, first
    assert {instance['name'] for instance in overlaps['instances']} <= {*HOSTILE, *paths}
    assert all(entry['count'] > 0 for entry in found['warnings'])
    assert [entry for entry in found['passed'] if entry['count'] or entry['instances']] == []
    assert 'overlaps' not in [entry['finding'] for entry in found['passed'] + found['warnings']]
    subprocess.run([options.tav_run, *paths, '-c', 'acelyzer', '-q', '--report', 'json=saved.json'], capture_output=True)
    again = json.loads(report('acelyzer', ['saved.json'], '-c', 'acelyzer'))
    again['metadata']['CmdLine'] = found['metadata']['CmdLine']
    assert again == found, 'read back it says something else'


def check_sarif(paths):
    with open(os.environ['SARIF_SCHEMA'], encoding='utf-8') as file:
        schema = json.load(file)
    sarif = json.loads(report('sarif', paths))
    jsonschema.validators.validator_for(schema)(schema).validate(sarif)
    run = sarif['runs'][0]
    rules = [rule['id'] for rule in run['tool']['driver']['rules']]
    assert len(rules) == len(set(rules))
    assert run['results']
    for result in run['results']:
        assert rules[result['ruleIndex']] == result['ruleId'], result
    assert len(run['artifacts']) == len(paths)


if options.sarif and not os.path.isfile(os.environ.get('SARIF_SCHEMA', '')):
    print('SARIF_SCHEMA names no file: skipped')
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    few, many = ['a,b%.json'], [f'trace {i} {"long" * 40}.json' for i in range(200)]
    for path in few + many:
        with open(path, 'w', encoding='utf-8') as file:
            json.dump({'deviceProperties': [{'id': 0, 'name': 'NVIDIA A100'}], 'Settings': 'of the trace', 'path': path,
                       'large': 'x' * 9000, 'note': {'a': '\U0001f600 "', 'b': [1, None]},
                       'traceEvents': [kernel(name, 10 * i) for i, name in enumerate(HOSTILE + [path])]}, file)
    for paths in few, many:
        for check in [check_sarif] if options.sarif else [check_github, check_markdown, check_acelyzer]:
            check(paths)
