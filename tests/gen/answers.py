#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""answers.py TAV-GEN: what tav-gen says of a trace, against a comparison of every pair of its events."""
import collections, gzip, json, subprocess, sys
from decimal import Decimal

gen = sys.argv[1]
failed = 0


def ns(text):
    return int(Decimal(text) * 1000)


def device_events(events):
    """(track, start, end, name) of each device event, and the number of measured ones."""
    out, open_pairs, measured = [], {}, 0
    for e in events:
        if e['ph'] == 'X' and e['cat'] in ('kernel', 'gpu_memcpy', 'gpu_memset'):
            start = ns(e['ts'])
            out.append(((e['pid'], e['args']['stream']), start, start + ns(e['dur']), e['name']))
        elif e['ph'] == 'B' and 'attr' in e:
            open_pairs[e['pid'], e['tid'], e['name']] = e
        elif e['ph'] == 'E' and 'attr' in e:
            begin = open_pairs.pop((e['pid'], e['tid'], e['name']))
            if e['name'].endswith('Cmpt Exec'):
                out.append((e['pid'], ns(begin['ts']), ns(e['ts']), e['name']))
            elif 'Dma' in e['name']:
                measured += 1
    assert not open_pairs
    return out, measured


def count(events):
    found, measured = device_events(events)
    got = collections.Counter(events=len(events), device_events=len(found), measured_events=measured)
    tracks = collections.defaultdict(list)
    for track, start, end, name in found:
        tracks[track].append((start, -end, name))
        got['zero_duration_events'] += start == end
    got['tracks'] = len(tracks)
    for rows in tracks.values():
        rows.sort()
        active = []
        for start, end, name in rows:
            end = -end
            partners = [a for a in active
                        if min(end, a[1]) > max(start, a[0]) or (start == end and a[0] < start < a[1])]
            active = [a for a in active if a[1] > start] + [(start, end, name)]
            if partners:
                got['overlaps'] += 1
                got['overlap_pairs'] += len(partners)
                got['partial_overlaps'] += any(end > p[1] for p in partners)
                got['duplicate_records'] += (start, end, name) in partners
        depth, last = 0, 0
        for at, step in sorted([(s, 1) for s, e, n in rows] + [(-e, -1) for s, e, n in rows]):
            if depth > 1:
                got['overlap_ns'] += at - last
            depth, last = depth + step, at
    return got


def check(*args):
    global failed
    if '--events' not in args:
        args = ('--events', '3000') + args
    result = subprocess.run([gen, *args, '--answers', '-'], capture_output=True)
    assert result.returncode == 0, (args, result.stderr)
    answers = json.loads(result.stderr)
    text = result.stdout
    if '--gz' in args:
        text = gzip.decompress(text)
    assert len(text) == answers['bytes'], (args, len(text))
    if 'lines' in args:
        events = [json.loads(line, parse_float=str) for line in text.decode().split('\n')[1:] if line.strip() not in ('', ']')]
    else:
        events = json.loads(text, parse_float=str)
        events = events['traceEvents'] if isinstance(events, dict) else events
    got = count(events)
    keys = ('events', 'device_events', 'tracks', 'measured_events', 'overlaps', 'partial_overlaps', 'overlap_pairs',
            'overlap_ns', 'duplicate_records', 'zero_duration_events')
    bad = {key: (got[key], answers[key]) for key in keys if got[key] != answers[key]}
    if bad:
        failed += 1
        print('FAIL', ' '.join(args), '(found, said):', bad)
    return events


def by_number(events):
    return sorted(json.dumps(e, sort_keys=True) for e in events)


check()
check('--overlaps', '100', '--gz')
check('--nested')
check('--nested=deep', '--streams', '2')
for few in '0', '1', '2', '7', '50':
    check('--events', few)
    check('--events', few, '--native')
check('--device-share', '0')
check('--device-share', '100', '--overlaps', '300')
check('--device-share', '97', '--python-depth', '3')
check('--native', '--overlaps', '50')
check('--native', '--events', '3001', '--form', 'object', '--order', 'shuffled', '--overlaps', '9')
check('--form', 'lines', '--overlaps', '3')
check('--form', 'array', '--style', 'compact')
check('--python-depth', '20', '--streams', '8')
check('--streams', '64', '--devices', '3', '--overlaps', '17', '--seed', '9')
for overlaps in range(1, 8):
    check('--overlaps', str(overlaps), '--seed', str(overlaps))
if by_number(check('--overlaps', '20')) != by_number(check('--overlaps', '20', '--order', 'shuffled')):
    failed += 1
    print('FAIL: a shuffled trace has other events')

# Every frame of a Python stack lies within its parent.
frames = {e['args']['Python id']: e for e in check('--python-depth', '12') if e.get('cat') == 'python_function'}
assert len(frames) > 100
for frame in frames.values():
    parent = frames.get(frame['args']['Python parent id'])
    if parent and not (ns(parent['ts']) <= ns(frame['ts']) and
                       ns(frame['ts']) + ns(frame['dur']) <= ns(parent['ts']) + ns(parent['dur'])):
        failed += 1
        print('FAIL: frame', frame, 'is not in', parent)
sys.exit(failed != 0)
