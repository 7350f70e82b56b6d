#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The gate as a user meets it: gate.py TAV-RUN

Made runs of four marked steps, with a little noise, against a baseline: a kernel that became slower or faster, more calls,
a copy more, nothing, other hardware, a run that was cut short, several ranks, several baselines, saved and damaged ones.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

tool = sys.argv[1]
work = tempfile.TemporaryDirectory()
failures = 0


def fail(*words):
    global failures
    failures += 1
    print('FAIL:', *words)


def trace(seed=1, slower=None, factor=1.0, more=0, copies=0, steps=4, device='AIU 0', rank=None, world=None, noise=0.002):
    rng = random.Random(seed)
    events, at, link = [], 1000000.0, 1
    for step in range(steps):
        begin = at
        for call in range(20):
            names = [('gemm', 50.0), ('norm', 20.0)] + [('gemm', 50.0)] * (more if call == 0 else 0)
            for name, length in names:
                length *= (factor if name == slower else 1.0) * (1 + rng.uniform(-noise, noise))
                events.append({'ph': 'X', 'cat': 'cuda_runtime', 'name': 'cudaLaunchKernel', 'pid': 9, 'tid': 9,
                               'ts': round(at, 3), 'dur': 2, 'args': {'correlation': link}})
                events.append({'ph': 'X', 'cat': 'kernel', 'name': name, 'pid': 0, 'tid': 7, 'ts': round(at + 5, 3),
                               'dur': round(length, 3), 'args': {'stream': 7, 'correlation': link}})
                link += 1
                at += length + 10
        for _ in range(copies):
            events.append({'ph': 'X', 'cat': 'gpu_memcpy', 'name': 'Memcpy HtoD (Pinned -> Device)', 'pid': 0, 'tid': 7,
                           'ts': round(at + 5, 3), 'dur': 30, 'args': {'stream': 7}})
            at += 40
        events.append({'ph': 'X', 'cat': 'user_annotation', 'name': f'ProfilerStep#{step}', 'pid': 9, 'tid': 9,
                       'ts': round(begin - 1, 3), 'dur': round(at - begin, 3)})
    out = {'schemaVersion': 1, 'deviceProperties': [{'id': 0, 'name': device}], 'traceEvents': events}
    if rank is not None:
        out['distributedInfo'] = {'rank': rank, 'world_size': world}
    return out


def put(name, value):
    path = os.path.join(work.name, name)
    with open(path, 'w') as file:
        file.write(value if isinstance(value, str) else json.dumps(value))
    return path


def run(*args, json_name='report.json'):
    path = os.path.join(work.name, json_name)
    if os.path.exists(path):
        os.unlink(path)
    done = subprocess.run([tool, '-c', 'diff', '--report', 'json=' + path, *args], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=60)
    report = None
    if os.path.exists(path):
        with open(path) as file:
            report = json.load(file)
    return done.returncode, report, done.stdout.decode('utf-8', 'replace')


def baseline(*paths):
    return ['--set', 'diff.baseline=[' + ', '.join(paths) + ']']


def rows(report, table, source=0):
    for by in report['stages'][0]['by_source'][source]['tables']:
        if by['id'] == table:
            return by['rows']
    return []


def expect(what, args, status, verdict, says=(), says_not=()):
    got, report, out = run(*args)
    flat = ' '.join(out.split())
    if got != status:
        fail(what, 'status', got, 'wanted', status, out)
    row = rows(report, 'comparison')[0] if report and rows(report, 'comparison') else {}
    if verdict and row.get('verdict') != verdict:
        fail(what, 'verdict', row.get('verdict'), 'wanted', verdict, row.get('reasons'), out)
    for text in says:
        if text not in flat:
            fail(what, f'does not say "{text}":', out)
    for text in says_not:
        if text in flat:
            fail(what, f'says "{text}":', out)
    for part in rows(report, 'parts') if report else []:
        if part['change_ns'] != sum(part[k] for k in ('calls_ns', 'time_per_call_ns', 'new_ns', 'gone_ns')):
            fail(what, 'the parts do not add up', part)
    return report


base = put('base.json', trace(1))
status, report, out = run(base, json_name='saved.json')
saved = os.path.join(work.name, 'saved.json')
if status or 'no baseline' not in out:
    fail('saving', status, out)
os.utime(base, (1000000000, 1000000000))
run('-j1', base, json_name='again.json')
with open(saved) as a, open(os.path.join(work.name, 'again.json')) as b:
    lines = a.read().split('\n')
    if lines != b.read().split('\n'):
        fail('a saved baseline is another one the second time')
if not [line for line in lines if line.strip().startswith('["') and '"gemm"' in line]:
    fail('a name and its numbers are no line of a saved baseline')
if os.path.getsize(saved) > 20000:
    fail('a saved baseline of two names takes', os.path.getsize(saved), 'bytes')

same = put('same.json', trace(2))
slow = put('slow.json', trace(3, slower='gemm', factor=1.1))
for kind, against in ('trace', base), ('report', saved):
    expect(f'nothing, {kind}', [*baseline(against), same], 0, 'unchanged', ['unchanged: compute per step'])
    expect(f'slower, {kind}', [*baseline(against), slow], 1, 'regressed',
           ['regressed: compute per step', '+7.', 'mostly time per call', 'most of it gemm (+', 'slower compute gemm'])
    expect(f'cut short, {kind}', [*baseline(against), put('short.json', trace(4, steps=2))], 0, 'unchanged')
expect('faster', [*baseline(saved), put('fast.json', trace(5, slower='gemm', factor=0.9))], 0, 'improved',
       ['improved: compute per step', 'Renew the baseline'])
expect('more calls', [*baseline(saved), put('more.json', trace(6, more=4))], 1, 'regressed', ['mostly calls', 'more'])
expect('a copy more', [*baseline(saved), put('copy.json', trace(7, copies=1))], 0, 'unchanged',
       ['unchanged: compute per step', 'not judged: copies per step 0 ns -> 30.00 us (new)'], ['; by the sums'])
expect('a copy more, judged', [*baseline(saved), '--set', 'diff.limit_copies=5', os.path.join(work.name, 'copy.json')], 1,
       'regressed', ['copies per step'])
expect('the same twice', [*baseline(saved), base], 0, 'unchanged', ['the same capture twice'])
other = put('other.json', trace(8, device='Other 1'))
expect('other hardware', [*baseline(saved), other], 1, 'inconclusive', ['device differs: AIU, Other 1'])
expect('other hardware, a warning', [*baseline(saved), '--set', 'diff.on_inconclusive=warn', other], 0, 'inconclusive')
expect('other hardware, ignored', [*baseline(saved), '--set', 'diff.ignore=[device]', other], 0, 'unchanged')
expect('another AIU', [*baseline(saved), put('aiu.json', trace(9, device='AIU 3'))], 0, 'unchanged')
expect('limit off', [*baseline(saved), '--set', 'diff.limit_compute=off', '--set', 'diff.limit_step=off', slow], 0, 'unchanged')
expect('one kernel', [*baseline(saved), '--set', 'diff.limit_compute=20', '--set', 'diff.limit_step=off', '--set',
                      'diff.limit_kernel=5', slow], 1, 'regressed', ['1 kernel slower'])
expect('a wide limit', [*baseline(saved), '--set', 'diff.limit_compute=20', '--set', 'diff.limit_step=off', slow], 0, 'unchanged')
expect('ignore_names on one side', [*baseline(saved), '--set', 'diff.ignore_names=[norm]', same], 1, 'inconclusive',
       ['ignore_names'])
expect('nothing to compare', [*baseline(saved), put('empty.json', {'schemaVersion': 1, 'traceEvents': []})], 1, 'inconclusive',
       ['no device work in the candidate'])

# Several runs of the baseline that differ among themselves by more than the change.
spread = [put(f'run-{i}.json', trace(20 + i, slower='gemm', factor=f)) for i, f in enumerate((1.0, 0.98, 1.12))]
expect('several runs', [*baseline(*spread), slow], 0, 'unchanged', ['runs of the baseline differ'])
expect('several runs, beyond', [*baseline(*spread), put('slower.json', trace(25, slower='gemm', factor=1.4))], 1, 'regressed')

# Ranks pair by rank.
ranks = [put(f'rank-{i}.json', trace(30 + i, rank=i, world=3)) for i in range(3)]
news = [put(f'new-{i}.json', trace(40 + i, rank=i, world=3, slower='gemm', factor=1.2 if i == 2 else 1.0)) for i in (2, 0, 1)]
report = expect('ranks', [*baseline(*ranks), *news], 1, None,
                ['of 3 traces 1 regressed, 0 improved, 2 unchanged, 0 inconclusive; rank 2 moved most'])
if report and [r['verdict'] for i in range(3) for r in rows(report, 'comparison', i)] != ['regressed', 'unchanged', 'unchanged']:
    fail('ranks: the wrong one')
expect('a rank without a partner', [*baseline(*ranks[:2]), news[0], news[1]], 1, None, ['no baseline of rank 2'])

# What cannot be used.
status, _, out = run(*baseline(os.path.join(work.name, 'missing.json')), same)
if status != 2 or 'missing.json' not in out:
    fail('a missing baseline', status, out)
with open(saved) as file:
    text = file.read()
status, _, out = run(*baseline(put('cut.json', text[:len(text) // 2])), same)
if status != 2 or 'cut.json' not in out:
    fail('a baseline that was cut', status, out)


def edited(name, table, column, value):
    """One cell of the first row is another one."""
    document = json.loads(text)
    chosen = next(t for t in document['stages'][0]['by_source'][0]['tables'] if t['id'] == table)
    chosen['rows'][0][[c['name'] for c in chosen['columns']].index(column)] = value
    return put(name, json.dumps(document))


for what, table, column, value, says in (('negative', 'calls', 'count', -1, 'negative'),
                                         ('unsorted', 'measures', 'min_ns', 10**9, 'contradicts'),
                                         ('unknown units', 'devices', 'units', 'guess!', 'guess!')):  # as long as "marked"
    status, _, out = run(*baseline(edited('edited.json', table, column, value)), same)
    if status != 2 or says not in out or 'edited.json' not in out:
        fail(what, status, out)
subprocess.run([tool, '-q', '-c', 'stats', '--report', 'json=' + os.path.join(work.name, 'stats.json'), base],
               stdout=subprocess.DEVNULL, timeout=60)
status, _, out = run(*baseline(os.path.join(work.name, 'stats.json')), same)
if status != 2 or 'stats.json' not in out or 'diff' not in out:
    fail('a report of another stage', status, out)
for word in 'limit_compute=three', 'limit_compute=1001', 'limit_compute=1.2345', 'min_match=off', 'units=0', 'units=many':
    status, _, out = run('--set', 'diff.' + word, same)
    if status != 2 or word.split('=')[0] not in out:
        fail(word, status, out)
print(f'{failures} failed')
sys.exit(failures != 0)
