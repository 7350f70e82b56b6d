#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The steps of tools/ci as a server runs them: steps.py TAV-RUN CHECKOUT

Only what the files use of the servers is stood in for: values of inputs and variables, the summary, and the shells. Each
gate is tried with what passes, what fails, names that want to be commands, and without the program.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import yaml

tool, top = os.path.abspath(sys.argv[1]), sys.argv[2]
PATH = os.environ.get('PATH', '/usr/bin:/bin')
INSTALLED = os.path.dirname(tool) + os.pathsep + PATH


def read(name):
    with open(os.path.join(top, 'tools', 'ci', name), encoding='utf-8') as file:
        return yaml.safe_load(file)


def shell(command, folder, env, path):
    keep = {name: value for name, value in os.environ.items() if name.endswith('SAN_OPTIONS') or name == 'LD_LIBRARY_PATH'}
    return subprocess.run(command, cwd=folder, env={**keep, 'PATH': path, 'HOME': folder, 'LC_ALL': 'C', **env},
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)


def github(folder, path=INSTALLED, **inputs):
    """Status, what the log holds, and the folder of reports; what `uses` is looked at, not run."""
    action = read('action.yml')
    assert action['runs']['using'] == 'composite' and set(inputs) <= set(action['inputs']), inputs
    values = {}
    for name, about in action['inputs'].items():
        assert about['description'] and ('default' in about) != about.get('required', False), name
        values[name] = inputs[name] if name in inputs else about['default']

    def filled(text):
        out = re.sub(r'\$\{\{ *inputs\.([\w-]+) *\}\}', lambda found: values[found.group(1)], text)
        assert '${{' not in out, out
        return out

    summary = os.path.join(folder, 'summary')
    status, log = 0, ''
    for step in action['runs']['steps']:
        if 'uses' in step:
            assert step['if'] == "${{ always() && inputs.upload-sarif == 'true' }}"
            if os.path.isdir(os.path.join(folder, filled(step['with']['sarif_file']))):
                assert [n for n in os.listdir(os.path.join(folder, filled(step['with']['sarif_file']))) if n.endswith('.sarif')]
            continue
        assert step['shell'] == 'bash' and '${{' not in step['run'], step
        env = {name: filled(value) for name, value in step['env'].items()}
        done = shell(['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c', step['run']], folder,
                     {**env, 'GITHUB_STEP_SUMMARY': summary}, path)
        status, log = done.returncode, done.stdout + done.stderr
    return status, log, os.path.join(folder, values['reports']), summary


def gitlab(folder, path=INSTALLED, **variables):
    job = read('tav.gitlab-ci.yml')['.tav']
    assert set(variables) <= set(job['variables']), variables
    env = {**job['variables'], **variables}
    done = shell(['sh', '-ec', '\n'.join(job['script'])], folder, env, path)
    kept = [name.replace('$TAV_REPORTS', env['TAV_REPORTS']) for name in [*job['artifacts']['paths'], job['artifacts']['reports']['junit']]]
    assert job['artifacts']['when'] == 'always'
    if done.returncode < 2:
        assert all(os.path.exists(os.path.join(folder, name)) for name in kept), kept
    return done.returncode, done.stdout + done.stderr, os.path.join(folder, env['TAV_REPORTS'])


def check_reports(folder, name, is_red):
    root = ElementTree.parse(os.path.join(folder, name + '.xml')).getroot()
    assert (int(root.get('failures')) > 0) == is_red, root.attrib
    with open(os.path.join(folder, name + '.sarif'), encoding='utf-8') as file:
        levels = [result['level'] for result in json.load(file)['runs'][0]['results']]
    assert ('error' in levels) == is_red, levels
    with open(os.path.join(folder, name + '.md'), encoding='utf-8') as file:
        assert file.read().startswith('### tav: ' + (':x: fail' if is_red else ':white_check_mark: pass'))


def kernels(slower=1.0):
    """Four marked steps of some kernels."""
    events, at = [], 1000
    for step in range(4):
        begin = at
        for call in range(30):
            length = round((40 + (7 * call + step) % 5 * 0.02) * (slower if call % 3 else 1), 3)
            events.append({'ph': 'X', 'cat': 'kernel', 'name': 'gemm' if call % 3 else 'norm', 'pid': 0, 'tid': 7, 'ts': at,
                           'dur': length, 'args': {'stream': 7}})
            at += 60
        events.append({'ph': 'X', 'cat': 'user_annotation', 'name': f'ProfilerStep#{step}', 'pid': 9, 'tid': 9, 'ts': begin - 1, 'dur': at - begin})
    return {'schemaVersion': 1, 'deviceProperties': [{'id': 0, 'name': 'NVIDIA A100'}], 'traceEvents': events}


with tempfile.TemporaryDirectory() as folder:
    data = os.path.join(top, 'tests', 'data')
    os.mkdir(os.path.join(folder, 'good'))
    shutil.copy(os.path.join(data, 'clean.json'), os.path.join(folder, 'good'))
    shutil.copy(os.path.join(data, 'overlap.json'), folder)
    for name, slower in ('base', 1.0), ('same', 1.001), ('slow', 1.1):
        with open(os.path.join(folder, name + '.json'), 'w', encoding='utf-8') as file:
            json.dump(kernels(slower), file)
    saved = subprocess.run([tool, '-q', '-c', 'diff', '--report', 'json=saved.json', 'base.json'], cwd=folder, capture_output=True)
    assert saved.returncode == 0, saved

    status, log, reports, summary = github(folder, traces='good/*.json')
    assert status == 0 and '::' not in log, log
    check_reports(reports, 'verify', False)
    status, log, reports, summary = github(folder, traces='good overlap.json')
    assert status == 1 and log.startswith('::error file=overlap.json,title=overlap-verify overlap::2 overlaps among'), log
    check_reports(reports, 'verify', True)
    with open(summary, encoding='utf-8') as file:
        text = file.read()
    assert text.count('### tav: ') == 2 and len(text) < 60000 and text.index('pass') < text.index('fail'), text
    for traces, wanted, says in (('same.json', 0, 'unchanged: compute per step'), ('slow.json', 1, 'regressed: compute per step')):
        status, log, reports, summary = github(folder, pipeline='diff', traces=traces, baseline='saved.json')
        assert status == wanted and says in ' '.join(log.split()), log
        check_reports(reports, 'diff', wanted != 0)
        status, log, reports = gitlab(folder, TAV_PIPELINE='diff', TAV_TRACES=traces, TAV_BASELINE='saved.json')
        assert status == wanted and says in ' '.join(log.split()), log
        check_reports(reports, 'tav', wanted != 0)
    assert github(folder, pipeline='trust', traces='same.json', arguments='--fail-on warning')[0] in (0, 1)
    status, log, reports, summary = github(folder, traces='$(touch_x) `touch y`; touch z', arguments="--set 'x=1'")
    assert status == 2 and not [name for name in os.listdir(folder) if name in 'xyz'], log
    status, log, reports, summary = github(folder, traces='missing.json')
    assert status == 2 and 'missing.json' in log, log
    assert gitlab(folder, TAV_TRACES='good/*.json')[0] == 0 and gitlab(folder, TAV_TRACES='overlap.json')[0] == 1
    bare = os.path.join(folder, 'bare')
    os.mkdir(bare)
    for program in 'bash', 'sh', 'mkdir', 'basename', 'cat':
        os.symlink(shutil.which(program), os.path.join(bare, program))
    for status, log, *_ in github(folder, path=bare, traces='good'), gitlab(folder, path=bare, TAV_TRACES='good'):
        assert status == 2 and 'tav-run is not installed' in log, (status, log)
