#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a CI reads, of traces with hostile names: github's lines and markdown's markup, or (--sarif) SARIF by its schema.

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
    return {'ph': 'X', 'cat': 'kernel', 'name': name, 'pid': 0, 'tid': 7, 'ts': ts, 'dur': 20,
            'args': {'device': 0, 'stream': 7}}


def report(form, paths):
    run = subprocess.run([options.tav_run, *paths, '-q', '--report', form + '=report'], capture_output=True)
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
            json.dump({'deviceProperties': [{'id': 0, 'name': 'NVIDIA A100'}],
                       'traceEvents': [kernel(name, 10 * i) for i, name in enumerate(HOSTILE + [path])]}, file)
    for paths in few, many:
        for check in [check_sarif] if options.sarif else [check_github, check_markdown]:
            check(paths)
