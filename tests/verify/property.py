#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random traces against a plain computation: property.py TAV-RUN [ROUNDS [SEED]]

Each round makes a trace with many equal, touching and zero-length events, works out what overlap-verify must count by
comparing every pair with rational numbers, and asks tav-run: as it is, with several threads, with the complete events in
another order, and as an array, lines, gzip and two files. Every answer must be the same, and right.
"""
import gzip
import json
import os
import random
import subprocess
import sys
import tempfile
from fractions import Fraction

tool = sys.argv[1]
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 25
seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
rng = random.Random(seed)
BASE = 1753999142997000  # us since 1970: a double is 0.25 us wrong here
DEVICE = {'kernel', 'gpu_memcpy', 'gpu_memset'}
NAMES = ['gemm', 'pdl_gemm', 'copy', 'pdl_copy']


class Number(str):
    """A number as it is to stand in the file."""


def written(value):
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, dict):
        return '{' + ', '.join(f'{json.dumps(k)}: {written(v)}' for k, v in value.items()) + '}'
    return json.dumps(value)


def time_text(ns):
    us, rest = divmod(ns, 1000)
    return rng.choice([Number, str])(f'{us}.{rest:03}' if rest or rng.random() < 0.5 else f'{us}')


def make_events():
    events = []
    span = rng.choice([20, 60, 200])
    for _ in range(rng.choice([3, 12, 60, 150])):
        start, length = rng.randrange(span), rng.choice([0, 0, 1, 2, 5, rng.randrange(span)])
        if events and rng.random() < 0.3:
            other = rng.choice(events)
            start, length = rng.choice([(other['end'], length), (other['start'], length),
                                        (other['start'], other['end'] - other['start'])])
        event = {
            'category': rng.choice(['kernel', 'kernel', 'gpu_memcpy', 'gpu_memset', 'cuda_sync', 'cpu_op']),
            'name': rng.choice(NAMES), 'pid': rng.choice([0, 1]), 'tid': rng.choice([7, 400]),
            'stream': rng.choice([None, 0, '0', 7, '7', -1]), 'start': start, 'end': start + length,
        }
        if events and rng.random() < 0.1:
            event = dict(rng.choice(events))
        events.append(event)
    return events


def line(event):
    out = {'ph': 'X', 'cat': event['category'], 'name': event['name'], 'pid': event['pid'], 'tid': event['tid'],
           'ts': time_text(BASE * 1000 + event['start']), 'dur': time_text(event['end'] - event['start'])}
    if event['stream'] is not None:
        out['args'] = {'stream': event['stream']}
    return written(out)


def overlaps(a, b, tolerance):
    shared = min(a['end'], b['end']) - max(a['start'], b['start'])
    if shared > tolerance:
        return True
    lengths = [e['end'] - e['start'] for e in (a, b)]
    if (lengths[0] == 0) == (lengths[1] == 0):
        return False
    point, other = (a, b) if lengths[0] == 0 else (b, a)
    return point['start'] - other['start'] > tolerance and other['end'] - point['start'] > tolerance


def expected(events, strict, tolerance, allow):
    tracks = {}
    for event in events:
        if event['category'] in DEVICE:
            stream = '0' if event['stream'] is None else str(event['stream'])
            tracks.setdefault((event['pid'], stream), []).append(event)
    found = dict.fromkeys(['overlaps', 'partial_overlaps', 'overlap_pairs', 'allowed_overlaps', 'overlap_ns',
                           'duplicate_records', 'device_events', 'default_stream_events', 'zero_duration_events'], 0)
    found['tracks'] = len(tracks)
    for track in tracks.values():
        track.sort(key=lambda e: (e['start'], -e['end']))
        found['device_events'] += len(track)
        seen = set()
        for j, later in enumerate(track):
            record = tuple(later[k] for k in ('name', 'category', 'tid', 'start', 'end')) + (str(later['stream']),)
            found['duplicate_records'] += record in seen
            seen.add(record)
            found['default_stream_events'] += later['stream'] is None
            found['zero_duration_events'] += later['start'] == later['end']
            pairs = partial = 0
            for i, earlier in enumerate(track[:j]):
                is_partial = later['end'] > earlier['end']
                if not overlaps(earlier, later, tolerance) or not (strict or is_partial):
                    continue
                if allow and i == j - 1 and later['name'].startswith('pdl_'):
                    found['allowed_overlaps'] += 1
                    continue
                pairs += 1
                partial += is_partial
            found['overlap_pairs'] += pairs
            found['overlaps'] += pairs > 0
            found['partial_overlaps'] += partial > 0
        edges = sorted({e[k] for e in track for k in ('start', 'end')})
        for a, b in zip(edges, edges[1:]):
            middle = Fraction(a + b, 2)
            if sum(e['start'] < middle < e['end'] for e in track) > 1:
                found['overlap_ns'] += b - a
    return found


def ask(paths, args, scratch):
    report = os.path.join(scratch, 'report.json')
    done = subprocess.run([tool, '-q', '-s', 'overlap-verify', '--dialect', 'torch', '--report', 'json=' + report, *args,
                           *paths], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    with open(report) as file:
        found = json.load(file)
    return done.returncode, found['stages'][0]['metrics'], done.stdout


def is_order_free(events):
    """Of events with equal times, the one that is the direct predecessor depends on their places in the file."""
    times = [(e['pid'], e['start'], e['end']) for e in events]
    return len(times) == len(set(times))


def write(path, text):
    opener = gzip.open if path.endswith('.gz') else open
    with opener(path, 'wt') as file:
        file.write(text)
    return path


def main():
    failures = offending = 0
    for number in range(rounds):
        events = make_events()
        strict, tolerance, allow = rng.random() < 0.6, rng.choice([0, 0, 1, 3]), rng.random() < 0.4
        args = ['--set', f'overlap-verify.strict={str(strict).lower()}', '--set', f'overlap-verify.tolerance={tolerance}']
        if allow:
            args += ['--set', 'overlap-verify.allow=["^pdl_"]']
        wanted = expected(events, strict, tolerance, allow)
        offending += wanted['overlaps']
        lines = [line(e) for e in events]
        shuffled = rng.sample(lines, len(lines))
        with tempfile.TemporaryDirectory() as scratch:
            def at(name):
                return os.path.join(scratch, name)
            body = ',\n'.join(lines)
            plain = write(at('plain.json'), '{"traceEvents": [' + body + ']}')
            runs = {
                'plain': ([plain], args),
                'four threads': ([plain], [*args, '-j', '4']),
                'array': ([write(at('array.json'), '[' + body + ']')], args),
                'lines': ([write(at('lines.json'), '\n'.join(lines))], args),
                'gzip': ([write(at('plain.json.gz'), '{"traceEvents": [' + body + ']}')], args),
            }
            if not allow or is_order_free(events):
                runs['another order'] = ([write(at('other.json'), '{"traceEvents": [' + ',\n'.join(shuffled) + ']}')], args)
            twin = write(at('twin.json'), '{"traceEvents":  [' + body + ']}')  # other bytes: the same twice is refused
            runs['two files'] = ([plain, twin], args)
            for what, (paths, extra) in runs.items():
                status, metrics, out = ask(paths, extra, scratch)
                right = {k: v * len(paths) for k, v in wanted.items()}
                wrong = {k: (metrics.get(k), v) for k, v in right.items() if metrics.get(k) != v}
                if wrong or status != (1 if wanted['overlaps'] else 0):
                    failures += 1
                    print(f'seed {seed}, round {number}, {what}: status {status}, (found, wanted): {wrong}\n{out}')
    print(f'{rounds} rounds with {offending} overlaps, {failures} failed')
    sys.exit(1 if failures or not offending else 0)


main()
