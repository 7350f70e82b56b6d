#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""property.py TAV-RUN TAV-GEN: the tables of stats against a plain computation, on generated and on random traces."""
import collections, json, math, os, random, subprocess, sys, tempfile
from decimal import ROUND_HALF_UP, Decimal

tav, gen = sys.argv[1:3]
work = tempfile.TemporaryDirectory()
failed = 0
NONE = '(none)'
DIRECTIONS = 'HtoD', 'DtoH', 'DtoD', 'HtoH', 'PtoP'


def fail(*words):
    global failed
    failed += 1
    print('FAIL:', *words)


def ns(number):
    return int((number * 1000).quantize(Decimal(1), ROUND_HALF_UP))


def load(path):
    """(kind, device, track, name, category, start, end, row) of each complete event, in the words of stats."""
    with open(path) as file:
        trace = json.load(file, parse_float=Decimal, parse_int=Decimal)
    kinds = {'kernel': 'compute', 'gpu_memcpy': 'copy', 'gpu_memset': 'copy', 'cpu_op': 'host_op',
             'cuda_runtime': 'runtime', 'user_annotation': 'annotation', 'python_function': 'python',
             'gpu_user_annotation': 'device_mark'}
    out = []
    for row, e in enumerate(trace['traceEvents']):
        if e.get('ph') != 'X':
            continue
        kind = kinds.get(e['cat'], 'other')
        if kind == 'compute' and 'nccl' in e['name']:
            kind = 'communication'
        is_device = kind in ('compute', 'communication', 'copy')
        track = (e['pid'], e['args']['stream']) if is_device else (e['pid'], e['tid'], 'thread')
        out.append((kind, str(e['pid']) if is_device else None, track, e['name'], e['cat'], ns(e['ts']),
                    ns(e['ts'] + e['dur']), row))
    return out, trace['traceEvents']


def measures(durations, whole):
    durations = sorted(durations)
    count, total = len(durations), sum(durations)
    spread = count * sum(d * d for d in durations) - total * total
    return {'count': count, 'total_ns': total, 'min_ns': durations[0], 'max_ns': durations[-1],
            'mean_ns': (2 * total + count) // (2 * count), 'median_ns': durations[-(-count * 50 // 100) - 1],
            'p90_ns': durations[-(-count * 90 // 100) - 1], 'p99_ns': durations[-(-count * 99 // 100) - 1],
            'cv_permille': math.isqrt(spread * 10**6 // total**2) if total else None, 'share': 100 * total / whole if whole else None}


def union(intervals):
    busy, until = 0, None
    for start, end in sorted(intervals):
        if until is None or start > until:
            until = start
        busy += max(end - until, 0)
        until = max(until, end)
    return busy


def window(intervals):
    length = max(e for s, e in intervals) - min(s for s, e in intervals)
    busy = union(intervals)
    return {'window_ns': length, 'busy_ns': busy, 'idle_ns': length - busy,
            'idle_share': 100 * (length - busy) / length if length else None}


def grouped(events, key, scope):
    sums = collections.Counter()
    for e in events:
        sums[e[1]] += e[6] - e[5]
    groups = collections.defaultdict(list)
    for e in events:
        if scope(e):
            groups[(e[1] or NONE, *key(e))].append(e)
    return {k: measures([e[6] - e[5] for e in g], sums[g[0][1]]) for k, g in groups.items()}


def same(a, b):
    return a == b if not isinstance(b, float) or a is None else abs(a - b) < 1e-9 * max(1, abs(b))


def compare(what, got, want):
    if got.keys() != want.keys():
        fail(what, 'rows', sorted(map(str, got.keys() ^ want.keys()))[:6])
        return
    for key, cells in want.items():
        for name, value in cells.items():
            if not same(got[key].get(name), value):
                fail(what, key, name, 'is', got[key].get(name), 'and not', value)
                return


def run(path, *more):
    report = os.path.join(work.name, 'report.json')
    done = subprocess.run([tav, '-q', '-s', 'stats', '--set', 'stats.top=0', *more, '--report', 'json=' + report, path],
                          capture_output=True, text=True)
    if done.returncode:
        fail(path, 'status', done.returncode, done.stderr[-500:])
        return {}, {}
    with open(report) as file:
        text = file.read()
    for word in 'NaN', 'Infinity':
        if word in text:
            fail(path, word)
    source = json.loads(text)['stages'][0]['by_source'][0]
    return {t['id']: t['rows'] for t in source['tables']}, source['metrics']


def index(rows, *keys):
    return {(r.get('device') or NONE, *(r[k] for k in keys)): r for r in rows}


def check(path, *more):
    events, everything = load(path)
    tables, metrics = run(path, *more)
    if not tables:
        return None
    device = [e for e in events if e[1]]
    in_scope = (lambda e: e[1]) if device else (lambda e: True)
    chosen = [e for e in events if in_scope(e)]
    compare('kinds', index(tables['kinds'], 'kind'), grouped(events, lambda e: (e[0],), lambda e: True))
    compare('names', index(tables['names'], 'name', 'category'), grouped(events, lambda e: (e[3], e[4]), in_scope))

    want = {}
    for pid in {e[1] for e in device}:
        own = [e for e in device if e[1] == pid]
        want[(pid,)] = {'count': len(own), 'tracks': len({e[2] for e in own}), 'total_ns': sum(e[6] - e[5] for e in own),
                        'window_start_ns': min(e[5] for e in own) - min(e[5] for e in events),
                        'window_end_ns': max(e[6] for e in own) - min(e[5] for e in events),
                        **window([(e[5], e[6]) for e in own])}
    compare('devices', index(tables.get('devices', [])), want)

    # Names of tracks are the dialect's; their numbers are not.
    rows = collections.Counter()
    for r in tables['tracks']:
        rows[tuple((k, v) for k, v in sorted(r.items()) if k not in ('track', 'share', 'idle_share'))] += 1
    wanted = collections.Counter()
    by_track = collections.defaultdict(list)
    for e in events:
        by_track[e[2]].append(e)
    for own in by_track.values():
        cells = {'device': own[0][1], **measures([e[6] - e[5] for e in own], 1), **window([(e[5], e[6]) for e in own])}
        wanted[tuple((k, v) for k, v in sorted(cells.items()) if k not in ('share', 'idle_share'))] += 1
    if rows != wanted:
        fail('tracks', list((rows - wanted).items())[:2], list((wanted - rows).items())[:2])

    longest = [(r['duration_ns'], r['start_ns'], r['name'], r['category'], r['kind']) for r in tables['longest_events']]
    first = min((e[5] for e in events), default=0)
    best = {}
    for e in sorted(chosen, key=lambda e: (-(e[6] - e[5]), e[5], e[7])):
        best.setdefault((e[3], e[4]), (e[6] - e[5], e[5] - first, e[3], e[4], e[0]))
    expected = sorted(best.values(), key=lambda e: (-e[0], e[1], e[2].encode(), e[3]))
    if longest != expected:
        fail('longest events', [(a, b) for a, b in zip(longest, expected) if a != b][:1], len(longest), len(expected))

    lengths, shorts, copies = (collections.defaultdict(lambda: [0, 0]) for _ in range(3))
    for e in device:
        length = e[6] - e[5]
        if e[0] == 'copy':
            way = 'set' if e[4] == 'gpu_memset' else next((d for d in DIRECTIONS if d in e[3]), 'other')
            rows = [copies[(e[1], way)]]
        else:
            rows = [lengths[(e[1], 1 << length.bit_length())]]
            if length < 10000:
                rows.append(shorts[(e[1], e[3])])
        for row in rows:
            row[0] += 1
            row[1] += length
    for name, want_rows, keys, count in (('kernel_lengths', lengths, ('below_ns',), 'kernels'),
                                         ('short_kernels', shorts, ('name',), 'count'), ('copies', copies, ('direction',), 'count')):
        got = collections.defaultdict(lambda: [0, 0])
        for r in tables.get(name, []):
            key = (r['device'], *(r[k] for k in keys))
            got[key] = [got[key][0] + r[count], got[key][1] + r['total_ns']]
        if got != want_rows:
            fail(name, list(got.items())[:3], list(want_rows.items())[:3])

    seen = collections.Counter(e.get('cat', '(no category)') for e in everything)
    compare('categories', {(r['category'],): r for r in tables['categories']},
            {(c,): {'events': n, 'intervals': sum(e[4] == c for e in events),
                    'total_ns': sum(e[6] - e[5] for e in events if e[4] == c)} for c, n in seen.items()})
    if metrics['intervals'] != len(events) or metrics['device_events'] != len(device):
        fail('metrics', metrics)
    if len(want) == 1 and metrics.get('device_busy_ns') != list(want.values())[0]['busy_ns']:
        fail('metric device_busy_ns', metrics)
    if len(want) != 1 and 'device_busy_ns' in metrics:
        fail('a busy time of', len(want), 'devices', metrics)
    for rows in tables.values():
        for r in rows:
            for key in 'share', 'idle_share':
                if r.get(key) is not None and not 0 <= r[key] <= 100:
                    fail(key, r)
    return tables


def make(name, *options):
    path = os.path.join(work.name, name)
    subprocess.run([gen, '-o', path, *options], check=True)
    return path


def write(name, events):
    path = os.path.join(work.name, name)
    with open(path, 'w') as file:
        json.dump({'schemaVersion': 1, 'deviceProperties': [], 'traceEvents': events}, file)
    return path


def without_place(tables):
    return {name: [{k: v for k, v in row.items() if k not in ('offset', 'event')} for row in rows] for name, rows in tables.items()}


plain = check(make('plain.json', '--events', '3000', '--overlaps', '20'))
shuffled = check(make('shuffled.json', '--events', '3000', '--overlaps', '20', '--order', 'shuffled'), '-j4')
if plain and shuffled and without_place(plain) != without_place(shuffled):
    fail('the order of events changes a table')
check(make('devices.json', '--events', '4000', '--devices', '3', '--streams', '7', '--python-depth', '5', '--names', '30'))
check(make('nested.json', '--events', '500', '--nested=deep'))
check(make('host.json', '--events', '500', '--device-share', '0'))

# Random ones: few distinct times, so that ties, zero lengths and equal starts are frequent.
for seed in range(12):
    rng = random.Random(seed)
    events = []
    for i in range(rng.randrange(1, 120)):
        cat = rng.choice(['kernel', 'kernel', 'gpu_memcpy', 'gpu_memset', 'cpu_op', 'cuda_runtime', 'user_annotation'])
        events.append({'ph': 'X', 'cat': cat, 'name': rng.choice(['a', 'b', 'caf\u00e9', 'd"\\']), 'pid': rng.randrange(3),
                       'tid': rng.randrange(2), 'ts': rng.randrange(20) + rng.choice([0, 0.25, 0.0005]),
                       'dur': rng.choice([0, 0.001, 1.5, 3, 7.0004]), 'args': {'stream': rng.randrange(3)}})
    check(write('random.json', events))

# Options: the first rows of a table, in the order asked for; groups by a field.
path = make('options.json', '--events', '2000', '--devices', '2', '--names', '50')
for sort, key in ('total', 'total_ns'), ('count', 'count'), ('max', 'max_ns'), ('mean', 'mean_ns'), ('name', 'name'):
    rows = run(path, '--set', 'stats.sort=' + sort)[0]['names']
    first = run(path, '--set', 'stats.sort=' + sort, '--set', 'stats.top=3')[0]
    values = [r[key] for r in rows]
    if values != sorted(values, reverse=sort != 'name', key=lambda v: v.encode() if sort == 'name' else v):
        fail('sort', sort, values[:9])
    if first['names'] != rows[:3] or len(first['longest_events']) > 3:
        fail('top', sort)
events, everything = load(path)
tables = run(path, '--set', 'stats.group_by=field', '--set', 'stats.group_field=args.correlation', '--set', 'stats.events=all')[0]
by_row = {e[7]: str(everything[e[7]].get('args', {}).get('correlation', '(missing)')) for e in events}
compare('groups', index(tables['groups'], 'value'), grouped(events, lambda e: (by_row[e[7]],), lambda e: True))
for by in 'kind', 'track', 'category':
    tables = run(path, '--set', 'stats.group_by=' + by, '--set', 'stats.events=host')[0]
    if any(r['device'] for r in tables['groups']) or any(r['device'] for r in tables['names']):
        fail('device events among the host events of', by)
    if sum(r['count'] for r in tables['groups']) != sum(1 for e in events if not e[1]):
        fail('groups by', by, 'lose events')

# Nothing to measure is said.
report = os.path.join(work.name, 'empty.json')
subprocess.run([tav, '-q', '-s', 'stats', '--report', 'json=' + report, write('none.json', [])], capture_output=True)
with open(report) as file:
    checks = json.load(file)['stages'][0]['by_source'][0]['checks']
if [(c['id'], c['result']) for c in checks] != [('durations', 'skip')]:
    fail('an empty trace gives', checks)
sys.exit(failed != 0)
