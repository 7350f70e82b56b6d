#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Waivers take nothing away. Traces with each fault of tav-gen, judged with no waiver, with one for everything, and with
waivers by chance: all findings and checks are there with the same counts, what is waived of them is no more than that,
the verdict is never worse, and what is neither waived whole nor harmless still decides."""
import argparse
import json
import os
import random
import subprocess
import tempfile

parser = argparse.ArgumentParser(description=__doc__)
for name in ('tav-run', 'tav-gen'):
    parser.add_argument('--' + name, required=True)
options = parser.parse_args()
FAULTS = ('zero-start', 'impossible-end', 'late', 'lost', 'no-device', 'repeated', 'not-nested', 'says-lost')
VERDICTS = ('pass', 'warn', 'fail', 'error')
failures = []


def expect(holds, *what):
    if not holds:
        failures.append(' '.join(map(str, what)))


def run(folder, pipeline, traces, waivers):
    with open(os.path.join(folder, 'w.yaml'), 'w') as file:
        json.dump(waivers, file)  # JSON is YAML
    done = subprocess.run([options.tav_run, '-q', '-c', pipeline, *traces, '--waivers', 'w.yaml', '--report', 'json=r.json'],
                          cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    expect(done.returncode in (0, 1, 2), pipeline, waivers, done.stderr.decode())
    with open(os.path.join(folder, 'r.json')) as file:
        report = json.load(file)
    expect(report['exit_status'] == done.returncode, pipeline, 'status', done.stderr.decode()[-300:])
    return report


def items(report):
    """Each check and finding, by stage and source, without what waivers say of it; and that beside it."""
    for stage in report['stages']:
        for told in [stage, *stage['by_source']]:
            for kind in ('checks', 'findings'):
                for item in told[kind]:
                    plain = {key: value for key, value in item.items() if key not in ('waived', 'waived_by')}
                    yield (stage['id'], told.get('source'), kind, json.dumps(plain)), item


def is_waived(item):
    return 'waived_by' in item or ('waived' in item and item['waived']['count'] == item['count'])


def level(item):
    """How bad it is while it counts."""
    if is_waived(item):
        return 'pass'
    return {'note': 'pass', 'warning': 'warn', 'error': 'fail', 'skip': 'pass'}.get(word := item.get('result', item.get('severity')), word)


def judge(name, plain, waived):
    before, after = list(items(plain)), list(items(waived))
    expect([key for key, _ in before] == [key for key, _ in after], name, 'something is missing')
    expect(VERDICTS.index(waived['verdict']) <= VERDICTS.index(plain['verdict']), name, 'the verdict is worse')
    worst = max((VERDICTS.index(level(item)) for _, item in after), default=0)
    expect(VERDICTS.index(waived['verdict']) >= worst, name, 'what counts does not decide')
    for key, item in after:
        taken = item.get('waived')
        if not taken:
            continue
        listed = sum(number is not None for number in taken['instances_by'])
        expect(taken['count'] == (item['count'] if taken['rest_by'] is not None else listed), name, key, 'counts wrong')
        expect(taken['count'] <= item['count'], name, key, 'more is waived than there is')
        expect(taken['rest_by'] is not None or taken['count'] <= len(item['instances']), name, key, 'waived what it cannot see')
    for waiver in waived.get('waivers', []):
        expect((waiver['state'] == 'used') == (waiver['count'] > 0), name, 'state')


def by_chance(chance, plain):
    found = [(key[0], item['id']) for key, item in items(plain) if item.get('severity') != 'note'] or [('*', '*')]
    waivers = []
    for _ in range(chance.randrange(1, 5)):
        stage, finding = chance.choice(found)
        waiver = {'stage': chance.choice([stage, '*']), 'id': chance.choice([finding, finding, '*', finding[0] + '*']), 'reason': 'chance',
                  'until': chance.choice(['2999-12-31', '2999-12-31', '2020-01-01'])}
        for key, patterns in (('names', ['*', '*gemm*', '[a-m]*', 'no such']), ('stream', ['*', '7', '[0-9]']), ('trace', ['*', 'a*', '*/b.json'])):
            if chance.random() < 0.4:
                waiver[key] = chance.choice([chance.choice(patterns), chance.sample(patterns, 2)])
        waivers.append(waiver)
    return waivers


with tempfile.TemporaryDirectory(prefix='tav-waive-') as folder:
    chance = random.Random(20261201)
    waived_at_all = 0
    for extra in ['--overlaps', '12'], ['--overlaps', '300', '--events', '3000'], *(['--fault', fault] for fault in FAULTS):
        for seed, path in (0, 'a.json'), (1, 'b.json'):
            subprocess.run([options.tav_gen, '--seed', str(seed), '--rank', str(seed), *extra, '-o', os.path.join(folder, path)], check=True)
        for pipeline in ('verify', 'trust'):
            name = f'{extra} {pipeline}'
            plain = run(folder, pipeline, ['a.json', 'b.json'], [])
            whole = run(folder, pipeline, ['a.json', 'b.json'], [{'stage': '*', 'id': '*', 'reason': 'all', 'until': '2999-12-31'}])
            judge(name, plain, whole)
            expect(all(level(item) == 'pass' for _, item in items(whole)), name, 'not all is waived')
            waived_at_all += sum(waiver['count'] for waiver in whole.get('waivers', []))
            for _ in range(3):
                waivers = by_chance(chance, plain)
                judge(f'{name} {waivers}', plain, run(folder, pipeline, ['a.json', 'b.json'], waivers))
    expect(waived_at_all > 0, 'nothing was waived in all of it')

print('\n'.join(failures) or 'ok')
raise SystemExit(1 if failures else 0)
