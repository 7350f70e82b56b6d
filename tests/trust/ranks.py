#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sets of ranks, from traces and from reports alike: ranks.py TAV-RUN TAV-GEN

Two ranks and four of tav-gen: whole, with one missing, one twice, other world sizes, other steps, no common time.
"""
import json
import os
import subprocess
import sys
import tempfile

import report as reports

tool, gen = sys.argv[1:]
bad = 0


def make(folder, name, rank, world=4, change=None):
    path = os.path.join(folder, name + '.json')
    subprocess.run([gen, '--events', '3000', '--rank', str(rank), '--world-size', str(world), '--seed', str(rank + 1),
                    '-o', path], check=True)
    if change:
        with open(path) as file:
            trace = json.load(file)
        change(trace)
        with open(path, 'w') as file:
            json.dump(trace, file)
    return path


def later(trace):
    for event in trace['traceEvents']:
        if 'ts' in event:
            event['ts'] += 3600e6


def other_base(trace):
    trace['baseTimeNanoseconds'] = 1


def other_step(trace):
    for event in trace['traceEvents']:
        if event['name'] == 'ProfilerStep#0':
            event['name'] = 'ProfilerStep#1'


def no_rank(trace):
    del trace['distributedInfo']


def rank_results(report):
    return {check: result[:3] for check, result in reports.checks_of(report, None).items()
            if check in ('rank_once', 'rank_all', 'rank_clock', 'same_steps')}


def look(name, paths, wanted, *args):
    """From traces, from reports of each, and from both mixed."""
    global bad
    with tempfile.TemporaryDirectory() as folder:
        parts = []
        for i, path in enumerate(paths):
            part = os.path.join(folder, f'part{i}.json')
            subprocess.run([tool, '-q', '-c', 'trust', '--report', 'json=' + part, path], stdout=subprocess.DEVNULL)
            parts.append(part)
        for what, inputs in (('traces', paths), ('reports', parts), ('mixed', parts[:1] + paths[1:])):
            status, report, said = reports.run(tool, inputs, *args)
            found = rank_results(report) if report else said
            if not report or any(found.get(check) != want for check, want in wanted.items()):
                bad += 1
                print(f'{name} from {what}: status {status}, wanted {wanted}, found {found}')


with tempfile.TemporaryDirectory() as folder:
    ranks = [make(folder, f'rank{i}', i) for i in range(4)]
    look('whole', ranks, {'rank_once': ('pass', 0, 4), 'rank_all': ('pass', 0, 4), 'rank_clock': ('pass', 0, 4),
                          'same_steps': ('pass', 0, 4)})
    look('missing', ranks[:2] + ranks[3:], {'rank_once': ('pass', 0, 3), 'rank_all': ('warn', 1, 4)})
    look('some are enough', ranks[:2], {'rank_once': ('pass', 0, 2), 'rank_all': None}, '--set',
         'ranks.all_ranks=false')
    twice = make(folder, 'twice', 2, change=lambda trace: trace.update(traceName='other'))
    look('twice', ranks[:3] + [twice], {'rank_once': ('fail', 1, 4), 'rank_all': ('warn', 1, 4)})
    look('world', [make(folder, 'world', 1, 16)] + ranks[:1], {'rank_once': ('fail', 2, 2), 'rank_all': ('warn', 14, 16)})
    look('time', ranks[:3] + [make(folder, 'time', 3, change=later)], {'rank_clock': ('inconclusive', 0, 4)})
    look('base', ranks[:3] + [make(folder, 'base', 3, change=other_base)], {'rank_clock': ('inconclusive', 0, 4)})
    look('steps', ranks[:3] + [make(folder, 'steps', 3, change=other_step)], {'same_steps': ('warn', 1, 4)})
    look('no rank', ranks[:3] + [make(folder, 'none', 3, change=no_rank)],
         {'rank_once': ('inconclusive', 1, 4), 'rank_all': ('inconclusive', 0, 4)})
    # One source says nothing; a file twice is an error that names both.
    status, report, said = reports.run(tool, ranks[:1])
    if rank_results(report) or status:
        bad += 1
        print('one source:', status, rank_results(report))
    status, report, said = reports.run(tool, [ranks[0], ranks[0]])
    if status != 2:
        bad += 1
        print('the same file twice:', status, said[-400:])
print(f'{bad} not as wanted')
sys.exit(bad > 0)
