#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each check of trust on traces made for it: checks.py TAV-RUN

Of each: what passes, a violation at the tolerance (none) and 1 ns beyond, and nothing to look at. Every trace is looked
at again with its events in another order, where the check does not go by the order of the file.
"""
import concurrent.futures
import json
import os
import random
import sys
import tempfile

import report as reports

tool = sys.argv[1]
US, MS, S = 1000, 10**6, 10**9
CASES = []


def case(check, result, count, events, *args, meta=None, examined=None, shuffled=True, dialect=None):
    CASES.append((check, result, count, examined, events, meta or {}, args, shuffled, dialect))


def us(ns):
    return ns / 1000


def event(category, name, start, end, pid=1, tid=1, **args):
    return {'ph': 'X', 'cat': category, 'name': name, 'pid': pid, 'tid': tid, 'ts': us(start), 'dur': us(end - start),
            'args': {key.replace('_', ' '): value for key, value in args.items()}}


def kernel(start, end, link=None, name='k', stream=7, pid=0, category='kernel', **args):
    made = event(category, name, start, end, pid, stream, stream=stream, device=pid, **args)
    if link is not None:
        made['args']['correlation'] = link
    return made


def call(start, end, link=None, name='cudaLaunchKernel', tid=1, **args):
    made = event('cuda_runtime', name, start, end, 1, tid, **args)
    if link is not None:
        made['args']['correlation'] = link
    return made


def operator(start, end, name='aten::add', tid=1, **args):
    return event('cpu_op', name, start, end, 1, tid, **args)


def launched(count, delay=10 * US, every=100 * US, length=20 * US + 1, first=1, start=0, **args):
    made = []
    for i in range(count):
        at = start + i * every
        made += [call(at, at + US, first + i), kernel(at + delay, at + delay + length + i, first + i, **args)]
    return made


DEVICES = {'deviceProperties': [{'id': 0}, {'id': 1}]}
HOST = [operator(0, 10 * US + 1)]

# ---- timing
case('same_clock', 'pass', 0, HOST + [kernel(10 * US + 1 + S, 10 * US + 2 + S)])
case('same_clock', 'fail', 1, HOST + [kernel(10 * US + 2 + S, 10 * US + 3 + S)])
case('same_clock', 'pass', 0, [operator(2 * S, 3 * S), kernel(S - 5, S)])
case('same_clock', 'fail', 1, [operator(2 * S, 3 * S), kernel(S - 5, S - 1)])
case('same_clock', 'inconclusive', 0, [kernel(0, 5)])
case('same_clock', 'inconclusive', 0, HOST)
case('too_long', 'pass', 0, HOST + [kernel(0, S)])
case('too_long', 'fail', 1, HOST + [kernel(0, S + 1)])
case('too_long', 'inconclusive', 0, HOST)
case('too_long', 'pass', 0, HOST + [kernel(0, S + 1)], '--set', 'timing.max_duration=1000000001ns')
SERIAL = [kernel(i * 1000, i * 1000 + 100) for i in range(6)]
# The first lasts 100 medians and reaches a tenth of that into the next one.
case('impossible_end', 'pass', 0, SERIAL[1:] + [kernel(-8000, 2000)])
case('impossible_end', 'fail', 1, SERIAL[1:] + [kernel(-7999, 2001)])
case('impossible_end', 'pass', 0, SERIAL[1:] + [kernel(-7999, 2000)])
case('impossible_end', 'inconclusive', 0, SERIAL[:4])
WINDOW = [event('Trace', 'PyTorch Profiler (0)', 1000, 9001, 'Spans', 'x')]
case('window', 'pass', 0, HOST + WINDOW + [kernel(999, 9002)])
case('window', 'fail', 1, HOST + WINDOW + [kernel(998, 9000)])
case('window', 'fail', 1, HOST + WINDOW + [kernel(5000, 9003)])
case('window', 'pass', 0, HOST + WINDOW + [kernel(5000, 9500)] +
     [{'ph': 'i', 'name': 'Record Window End', 'pid': '', 'tid': '', 'ts': 9.5, 's': 'g'}])
case('window', 'inconclusive', 0, HOST + [kernel(5000, 9003)])
case('window', 'inconclusive', 0, HOST + WINDOW)
case('zero_length', 'pass', 0, [kernel(5, 6), kernel(9, 9, name='c', category='gpu_memcpy')])
case('zero_length', 'warn', 1, [kernel(5, 6), kernel(9, 9)])
case('zero_length', 'note', 1, [kernel(i * US, i * US + US) for i in range(12)] + [kernel(50 * US, 50 * US)])
case('zero_length', 'fail', 1, [kernel(5, 6), kernel(9, 9), event('privateuse1_runtime', 'aiuLaunchControlBlocks', 1, 2)])
case('zero_length', 'inconclusive', 0, [kernel(9, 10, category='gpu_memset')])
EQUALS = [kernel(i * 100 * MS, i * 100 * MS + 100 * US) for i in range(6)]
case('outlier', 'pass', 0, EQUALS + [kernel(900 * MS, 905 * MS)])
case('outlier', 'fail', 1, EQUALS + [kernel(900 * MS, 905 * MS + 1)])
case('outlier', 'warn', 1, EQUALS + [kernel(900 * MS, 905 * MS + 1), kernel(1000 * MS, 1080 * MS, name='other')])
case('outlier', 'pass', 0, EQUALS + [kernel(900 * MS, 905 * MS + 1), kernel(1000 * MS, 1999 * MS, name='other')])
case('outlier', 'inconclusive', 0, EQUALS[:4])
case('outlier', 'pass', 0, [kernel(i * MS, i * MS + US, name='ncclKernel') for i in range(6)] +
     [kernel(900 * MS, 901 * MS, name='ncclKernel')])
case('same_start', 'pass', 0, [kernel(0, 10), kernel(20, 30), kernel(20, 30, stream=8)])
case('same_start', 'fail', 1, [kernel(0, 10), kernel(20, 30), kernel(20, 31)])
case('same_start', 'pass', 0, [kernel(0, 10), kernel(20, 30), kernel(20, 30)])
case('same_start', 'inconclusive', 0, [kernel(0, 10)])
case('repeated', 'pass', 0, [operator(0, 10), operator(0, 11), operator(0, 10, 'b'), operator(0, 10, tid=2)])
case('repeated', 'warn', 1, [operator(0, 10), operator(0, 10)])
case('repeated', 'pass', 0, [operator(0, 10, Ev_Idx=1), operator(0, 10, Ev_Idx=2)])
case('repeated', 'inconclusive', 0, [kernel(0, 10), operator(5, 5)])
case('constant', 'warn', 18, [kernel(i * 100, i * 100 + 7, name=f'k{i % 2}') for i in range(18)] +
     [kernel(i * 100, i * 100 + 9) for i in range(20, 22)])
case('constant', 'pass', 0, [kernel(i * 100, i * 100 + 7, name=f'k{i % 2}') for i in range(17)] +
     [kernel(i * 100, i * 100 + 9) for i in range(20, 23)])
case('constant', 'inconclusive', 0, [kernel(i * 100, i * 100 + 7, name=f'k{i % 2}') for i in range(19)])
case('constant', 'inconclusive', 0, [kernel(i * 100, i * 100 + 7) for i in range(22)])
COPY = {'category': 'gpu_memcpy', 'name': 'c'}
case('bandwidth', 'pass', 0, [kernel(0, 9, bytes=200000, **COPY)])
case('bandwidth', 'warn', 1, [kernel(0, 9, bytes=200001, **COPY)])
case('bandwidth', 'inconclusive', 0, [kernel(0, 9, **COPY)])
MANY = [kernel(i * 10 * US, i * 10 * US + 100, name=f'k{i % 9}') for i in range(1999)]
case('dominant', 'pass', 0, MANY + [kernel(50 * MS, 50 * MS + 42814, name='x')])
case('dominant', 'warn', 2, MANY + [kernel(50 * MS, 50 * MS + 85600, name='x')], '--set',
     'timing.impossible_ratio=1000000')
case('dominant', 'inconclusive', 0, MANY[:999])
case('resolution', 'pass', 0, [kernel(i * US, i * US + US) for i in range(12)] + [kernel(50 * US, 50 * US + 1)])
case('resolution', 'note', 1, [kernel(i * US, i * US + US) for i in range(12)])
case('resolution', 'inconclusive', 0, [kernel(i * US, i * US + US) for i in range(9)])


def stamped(start, steps, length, name='fused Cmpt Exec', first=4294967290):
    args, at = {}, first
    for i in range(5):
        args[f'TS{i + 1}'] = hex(at % 2**32)
        at += steps[i] if i < 4 else 0
    return [{'ph': 'B', 'name': name, 'pid': 0, 'tid': 0, 'ts': us(start), 'attr': args},
            {'ph': 'E', 'name': name, 'pid': 0, 'tid': 0, 'ts': us(start + length), 'attr': args}]


STAMPED = sum((stamped(i * 10000, (5, 5, 500, 9), 1000) for i in range(3)), [])
case('stamps', 'pass', 0, STAMPED + stamped(90000, (5, 5, 516, 90), 1000), shuffled=False)
case('stamps', 'fail', 1, STAMPED + stamped(90000, (5, 5, 517, 90), 1000), shuffled=False)
case('stamps', 'fail', 1, STAMPED + stamped(90000, (5, 5, -500, 90), 1000), shuffled=False)
case('stamps', 'pass', 0, STAMPED + stamped(90000, (500, 5, 5, 90), 1000, 'x DmaI'), shuffled=False)
case('stamps', 'not_applicable', 0, HOST)

# ---- links
case('linked', 'pass', 0, launched(2))
case('linked', 'warn', 1, launched(2) + [kernel(900 * US, 901 * US)])
case('linked', 'note', 1, launched(2) + [kernel(900 * US, 901 * US, 0, **COPY)])
case('linked', 'inconclusive', 0, HOST)
case('launch_first', 'pass', 0, launched(2, delay=-US))
case('launch_first', 'warn', 2, launched(2, delay=-US - 1))
case('launch_first', 'warn', 2, launched(2, delay=-50 * US))
case('launch_first', 'fail', 2, launched(2, delay=-50 * US - 1))
case('launch_first', 'pass', 0, launched(2, delay=-50 * US), '--set', 'links.clock_tolerance=50us')
case('launch_first', 'inconclusive', 0, [kernel(0, 5, 1), call(0, 1, 2)])
case('launch_first', 'inconclusive', 0, [kernel(0, 5, 1)] + HOST)
case('launch_first', 'inconclusive', 0, [call(0, 1, 2)])
BASE = {'baseTimeNanoseconds': 1000 * S}
SPYRE = [event('privateuse1_runtime', 'aiuLaunchControlBlocks', 1000, 2000, correlation=5)]
case('submitted', 'pass', 0, SPYRE + [kernel(5000, 6000, 5, submitted=1000 * S + 6000)], meta=BASE)
case('submitted', 'fail', 1, SPYRE + [kernel(5000, 6000, 5, submitted=1000 * S + 6001)], meta=BASE)
case('submitted', 'pass', 0, SPYRE + [kernel(5000, 6000, 5, submitted=1000 * S)], meta=BASE)
case('submitted', 'fail', 1, SPYRE + [kernel(5000, 6000, 5, submitted=1000 * S - 1)], meta=BASE)
case('submitted', 'inconclusive', 0, SPYRE + [kernel(5000, 6000, 5, submitted=1000 * S)])
case('submitted', 'inconclusive', 0, SPYRE + [kernel(5000, 6000, 5)], meta=BASE)
case('submitted', 'not_applicable', 0, launched(2))
SYNC = call(40 * US, 60 * US, 99, 'cudaDeviceSynchronize')
case('sync_waits', 'pass', 0, [call(0, US, 1), SYNC, kernel(20 * US, 61 * US, 1)])
case('sync_waits', 'warn', 1, [call(0, US, 1), SYNC, kernel(20 * US, 61 * US + 1, 1)])
case('sync_waits', 'warn', 1, [call(0, US, 1), SYNC, kernel(20 * US, 110 * US, 1)])
case('sync_waits', 'fail', 1, [call(0, US, 1), SYNC, kernel(20 * US, 110 * US + 1, 1)])
case('sync_waits', 'inconclusive', 0, [SYNC, call(50 * US, 51 * US, 1), kernel(60 * US, 99 * US, 1)])
case('sync_waits', 'inconclusive', 0, [call(0, US, 1), SYNC, kernel(20 * US, 999 * US, 1), kernel(0, 5, pid=1)])
case('lag', 'pass', 0, launched(20, delay=MS))
case('lag', 'note', 20, launched(20, delay=MS + 1))
case('lag', 'warn', 19, launched(20, delay=MS + 1, every=5 * MS))
case('lag', 'inconclusive', 0, launched(19, delay=MS + 1))
case('orphans', 'pass', 0, launched(5))
case('orphans', 'fail', 1, launched(5) + [kernel(99 * MS, 99 * MS + 5, 77)])
case('orphans', 'warn', 1, launched(99) + [kernel(99 * MS, 99 * MS + 5, 777)])
case('orphans', 'note', 1, launched(5, first=10) + [kernel(5, 9, 9)])
case('orphans', 'fail', 1, launched(5, first=10) + [kernel(10 * US + 1, 10 * US + 9, 9)])
case('orphans', 'inconclusive', 0, HOST)
case('lost', 'pass', 0, launched(19))
case('lost', 'warn', 1, launched(19) + [call(9 * MS, 9 * MS + 5, 777)])
case('lost', 'fail', 1, launched(18) + [call(9 * MS, 9 * MS + 5, 777)])
case('lost', 'pass', 0, launched(18) + [call(9 * MS, 9 * MS + 5, 777, 'cudaMemsetAsync')])
case('lost', 'pass', 0, launched(18) + [call(9 * MS, 9 * MS + 5, 777, 'cudaMemcpyAsync')])
case('lost', 'fail', 1, launched(18, **COPY) + [call(9 * MS, 9 * MS + 5, 777, 'cudaMemcpyAsync')])
CAPTURE = [call(8 * MS, 8 * MS + 5, 1000, 'cudaStreamBeginCapture'), call(10 * MS, 10 * MS + 5, 1001, 'cudaStreamEndCapture')]
case('lost', 'pass', 0, launched(18) + CAPTURE + [call(9 * MS, 9 * MS + 5, 777)])
case('lost', 'fail', 1, launched(18) + CAPTURE + [call(9 * MS, 9 * MS + 5, 777, tid=2)])
case('lost', 'inconclusive', 1, launched(18) + [call(9 * MS, 9 * MS + 5, 777), kernel(9 * MS, 9 * MS + 9)])
case('lost', 'inconclusive', 0, [call(0, 5, 1)])
GRAPHS = sum(([call(i * MS, i * MS + 5, i + 1, 'cudaGraphLaunch'), kernel(i * MS + 100, i * MS + 200, i + 1),
               kernel(i * MS + 300, i * MS + 400, i + 1)] for i in range(9)), [])
case('graph_replays', 'pass', 0, GRAPHS)
case('graph_replays', 'warn', 1, GRAPHS + [call(20 * MS, 20 * MS + 5, 99, 'cudaGraphLaunch')])
case('graph_replays', 'fail', 1, GRAPHS[3:] + [call(20 * MS, 20 * MS + 5, 99, 'cudaGraphLaunch')])
case('graph_replays', 'not_applicable', 0, launched(5))
case('unique_link', 'pass', 0, launched(5) + GRAPHS[:0])
case('unique_link', 'warn', 1, launched(5) + [call(9 * MS, 9 * MS + 5, 3)])
case('unique_link', 'warn', 1, launched(5) + [kernel(9 * MS, 9 * MS + 5, 3)])
case('unique_link', 'pass', 0, GRAPHS)
case('unique_link', 'inconclusive', 0, HOST)
case('in_order', 'pass', 0, launched(5))
case('in_order', 'fail', 1, [call(0, 5, 1), call(10, 15, 2), kernel(20, 25, 2), kernel(30, 35, 1)])
case('in_order', 'pass', 0, [call(0, 5, 1), call(10, 15, 2), kernel(20, 25, 2), kernel(30, 35, 1, stream=8),
                             kernel(50, 55, 3, stream=8), call(40, 42, 3)])
case('in_order', 'pass', 0, [call(0, 5, 1), call(10, 15, 2, tid=2), call(40, 42, 3), kernel(20, 25, 2), kernel(30, 35, 1),
                             kernel(50, 55, 3)])
case('in_order', 'inconclusive', 0, [call(0, 5, 1), kernel(20, 25, 1)])
NAMED = [operator(0, 90, External_id=500), operator(100, 190, External_id=501),
         event('user_annotation', 'x', 100, 190, External_id=502)]
case('op_known', 'pass', 0, NAMED + [call(10, 12, 1, External_id=500), kernel(20, 25, 1, External_id=502)])
case('op_known', 'warn', 1, NAMED + [call(10, 12, 1, External_id=500), kernel(20, 25, 1, External_id=503)])
case('op_known', 'inconclusive', 0, NAMED + [call(10, 12, 1, External_id=1), kernel(20, 25, 1, External_id=1)])
case('op_known', 'inconclusive', 0, NAMED)
case('op_known', 'inconclusive', 0, launched(2))
case('op_first', 'pass', 0, [operator(2 * US, 3 * US, External_id=500), call(0, 1, 1), kernel(US, US + 5, 1, External_id=500)])
case('op_first', 'fail', 1, [operator(2 * US + 1, 3 * US, External_id=500), call(0, 1, 1),
                             kernel(US, US + 5, 1, External_id=500)])
case('op_first', 'inconclusive', 0, launched(2))
case('right_device', 'pass', 0, launched(2), meta=DEVICES)
case('right_device', 'warn', 1, launched(2) + [kernel(9 * MS, 9 * MS + 5, pid=2)], meta=DEVICES)
case('right_device', 'inconclusive', 0, [call(0, 5, 1)])
case('right_device', 'not_applicable', 0, [call(0, 5, 1, 'hipLaunchKernel'), kernel(10, 15, 1)])

# ---- structure
PAIR = [{'ph': 'B', 'name': 'b', 'pid': 1, 'tid': 1, 'ts': 1}, {'ph': 'E', 'name': 'b', 'pid': 1, 'tid': 1, 'ts': 2}]
case('begin_end', 'pass', 0, PAIR, dialect='generic', examined=2, shuffled=False)
case('begin_end', 'warn', 1, PAIR + PAIR[:1], dialect='generic', examined=3, shuffled=False)
case('begin_end', 'warn', 1, PAIR + PAIR[1:], dialect='generic', examined=3, shuffled=False)
case('begin_end', 'not_applicable', 0, HOST)


def other(phase, ts, **more):
    return dict({'ph': phase, 'cat': 'c', 'name': 'n', 'pid': 1, 'tid': 1, 'ts': us(ts), 'id': 1}, **more)


case('async_pairs', 'pass', 0, HOST + [other('b', 1), other('b', 2), other('e', 3), other('e', 4)])
case('async_pairs', 'warn', 1, HOST + [other('b', 1), other('b', 2), other('e', 3)])
case('async_pairs', 'warn', 2, HOST + [other('b', 1), other('e', 3, id=2)])
case('async_pairs', 'not_applicable', 0, HOST)
case('flow_forward', 'pass', 0, HOST + [other('s', 2000), other('f', 1000)])
case('flow_forward', 'fail', 1, HOST + [other('s', 2001), other('f', 1000)])
case('flow_forward', 'not_applicable', 0, HOST + [other('s', 2001)])
case('flow_ends', 'pass', 0, HOST + [other('s', 2), other('f', 3), other('s', 4), other('t', 5)])
case('flow_ends', 'warn', 1, HOST + [other('s', 2)])
case('flow_ends', 'warn', 1, HOST + [other('f', 2)])
case('flow_ends', 'warn', 1, HOST + [other('s', 2), other('s', 4), other('f', 6), other('s', 7), other('f', 8)])
case('flow_ends', 'not_applicable', 0, HOST + [other('s', 2, cat='ac2g')])
case('flow_anchor', 'pass', 0, HOST + [other('s', 0), other('f', 10 * US + 1, bp='e')])
case('flow_anchor', 'warn', 1, HOST + [other('s', 0), other('f', 10 * US + 2, bp='e')])
case('flow_anchor', 'pass', 0, HOST + [other('s', 0), other('f', 10 * US + 2)])
case('flow_anchor', 'not_applicable', 0, HOST)
NEST = [operator(0, 10 * US)]
case('nesting', 'pass', 0, NEST + [operator(5 * US, 11 * US)])
case('nesting', 'warn', 1, NEST + [operator(5 * US, 11 * US + 1)])
case('nesting', 'pass', 0, NEST + [operator(9 * US, 19 * US)])
case('nesting', 'warn', 1, NEST + [operator(9 * US - 1, 19 * US)])
PY = [event('python_function', 'f', 0, 100 * US)]
case('nesting', 'pass', 0, PY + [operator(50 * US, 110 * US)])
case('nesting', 'warn', 1, PY + [operator(50 * US, 110 * US + 1)])
case('nesting', 'pass', 0, PY + [event('user_annotation', 'a', 50 * US, 150 * US)])
case('nesting', 'warn', 1, PY + [event('user_annotation', 'a', 49 * US, 150 * US + 1)])
case('nesting', 'pass', 0, PY + [event('user_annotation', 'nccl:all_reduce', 10 * US, 900 * US)])
case('nesting', 'note', 1, NEST + [operator(5 * US, 20 * US)], dialect='generic')
case('nesting', 'inconclusive', 0, [kernel(0, 5)])
case('counters', 'pass', 0, HOST + [other('C', 5, args={'x': 1.5, 'y': '3'}), other('C', 5, name='Utilization', args={'u': 100})])
case('counters', 'warn', 1, HOST + [other('C', 5, name='Utilization', args={'u': 100.5})])
case('counters', 'warn', 2, HOST + [other('C', 5, args={'x': None}), other('C', 6, args={})])
TIMELESS = {'ph': 'C', 'pid': 1, 'tid': 1, 'name': 'free', 'args': {'x': 1}}
case('counters', 'warn', 1, HOST + [TIMELESS, other('C', 0, args={'x': 1})])
case('counters', 'warn', 1, HOST + [dict(TIMELESS, ts='soon'), other('C', 0, args={'x': 1})])
case('counters', 'not_applicable', 0, HOST)


def memory(ts, total, size, device=0):
    return other('i', ts, name='[memory]', args={'Total Allocated': total, 'Bytes': size, 'Device Type': 1, 'Device Id': device})


case('memory_sums', 'pass', 0, HOST + [memory(1, 100, 100), memory(2, 50, -50), memory(3, 7, 7, 1)], examined=1)
case('memory_sums', 'warn', 1, HOST + [memory(1, 100, 100), memory(2, 51, -50), memory(3, 7, 7, 1)])
case('memory_sums', 'pass', 0, HOST + [memory(2, 50, -50), memory(1, 100, 100)])
case('memory_sums', 'inconclusive', 0, HOST + [memory(1, 100, 100)])
case('memory_sums', 'not_applicable', 0, HOST)
case('memory_floor', 'note', 1, HOST + [memory(1, -1, 100)])
case('memory_floor', 'pass', 0, HOST + [memory(1, 0, 100)])
case('memory_present', 'warn', 1, HOST, meta={'profile_memory': 1})
case('memory_present', 'pass', 0, HOST + [memory(1, 0, 100)], meta={'profile_memory': 1})
case('memory_present', 'not_applicable', 0, HOST, meta={'profile_memory': 0})
FRAME = [event('python_function', 'f', 20 * US, 100 * US, Python_id=1)]
case('python_stack', 'pass', 0, FRAME + [event('python_function', 'g', 10 * US, 110 * US, Python_id=2, Python_parent_id=1)])
case('python_stack', 'warn', 1, FRAME + [event('python_function', 'g', 10 * US - 1, 90 * US, Python_id=2, Python_parent_id=1)])
case('python_stack', 'pass', 0, FRAME + [event('python_function', 'g', 500 * US, 600 * US, 1, 2, Python_id=2, Python_parent_id=1)])
case('python_stack', 'warn', 1, FRAME + [event('python_function', 'g', 30 * US, 90 * US, Python_id=2, Python_parent_id=3)])
case('python_stack', 'not_applicable', 0, HOST)
case('thinned', 'pass', 0, [operator(i * 10, i * 10 + 5, Ev_Idx=i) for i in range(100)])
case('thinned', 'note', 1, [operator(i * 10, i * 10 + 5, Ev_Idx=i) for i in range(100) if i != 50])
case('thinned', 'warn', 2, [operator(i * 10, i * 10 + 5, Ev_Idx=i) for i in range(100) if i not in (50, 60)])
case('thinned', 'inconclusive', 0, [operator(i * 10, i * 10 + 5, Ev_Idx=i) for i in range(9)])
case('depth', 'pass', 0, [operator(i, 2000 - i) for i in range(512)])
case('depth', 'note', 513, [operator(i, 2000 - i) for i in range(513)])
case('depth', 'inconclusive', 0, [kernel(0, 5)])
NAME = {'ph': 'M', 'name': 'process_name', 'pid': 1, 'tid': 0, 'args': {'name': 'python'}}
case('names', 'pass', 0, HOST + [NAME])
case('names', 'note', 1, HOST + [NAME, kernel(0, 5)])
case('names', 'inconclusive', 0, [NAME])
case('metadata_share', 'pass', 0, [operator(i * 10, i * 10 + 5) for i in range(500)] + [NAME] * 500)
case('metadata_share', 'note', 501, [operator(i * 10, i * 10 + 5) for i in range(499)] + [NAME] * 501)
case('metadata_share', 'inconclusive', 0, [NAME] * 999)

# ---- coverage
case('device_present', 'pass', 0, [kernel(0, 5), kernel(6, 8)])
case('device_present', 'note', 1, [kernel(0, 5)])
case('device_present', 'warn', 2, [kernel(0, 0), kernel(6, 6)])
case('device_present', 'fail', 1, [call(0, 5, 1)])
case('device_present', 'inconclusive', 0, HOST)
case('device_present', 'inconclusive', 0, [call(0, 5, 1), event('ipu', 'x', 10, 20, correlation=1)])
case('kernel_present', 'pass', 0, [kernel(0, 5)])
case('kernel_present', 'warn', 1, [kernel(0, 5, **COPY)])
case('kernel_present', 'inconclusive', 0, HOST)
case('host_present', 'pass', 0, launched(2) + HOST)
case('host_present', 'note', 1, launched(2))
case('host_present', 'warn', 1, [kernel(0, 5)])
case('host_present', 'inconclusive', 0, HOST)


def step(number, start, end):
    return event('user_annotation', f'ProfilerStep#{number}', start, end)


def steps(*counts, length=MS, last=None, numbers=None):
    made, link = [], 1
    for i, count in enumerate(counts):
        end = last if last and i == len(counts) - 1 else length
        made.append(step(numbers[i] if numbers else i, i * length, i * length + end))
        made += launched(count, every=US, delay=US // 2, length=100, first=link, start=i * length)
        link += count
    return made


case('steps', 'pass', 0, steps(10, 10, 5, 15))
case('steps', 'warn', 1, steps(10, 10, 4, 10))
case('steps', 'warn', 1, steps(10, 10, 16, 10))
case('steps', 'fail', 1, steps(10, 0, 10))
case('steps', 'pass', 0, steps(10, 10, 10, 1, last=MS // 2 - 1))
case('steps', 'warn', 1, steps(10, 10, 10, 1, last=MS // 2))
case('steps', 'warn', 1, steps(10, 10, 10, numbers=(1, 2, 4)))
case('steps', 'inconclusive', 0, [step(0, 0, MS)])
case('steps', 'not_applicable', 0, launched(2))
case('busy', 'pass', 0, [call(0, 5, 1), operator(0, 1000 * US), kernel(10, 1010, 1)])
case('busy', 'note', 1, [call(0, 5, 1), operator(0, 1000 * US), kernel(10, 1009, 1)])
case('busy', 'warn', 1, [call(0, 5), operator(0, 1000 * US), kernel(10, 1009)])
case('busy', 'inconclusive', 0, HOST)
COST = [operator(0, 100 * US)]
case('overhead', 'pass', 0, COST + [event('overhead', 'x', 0, 10 * US)])
case('overhead', 'warn', 1, COST + [event('overhead', 'x', 0, 10 * US + 1)])
case('overhead', 'inconclusive', 0, [event('overhead', 'x', 0, 10 * US + 1), kernel(0, 5)])
case('overhead', 'not_applicable', 0, COST)
case('reported_loss', 'pass', 0, HOST, meta={'WARNING': ['all is well']})
case('reported_loss', 'warn', 1, HOST, meta={'WARNING': ['3 buffers were DROPPED']})
case('reported_loss', 'pass', 0, HOST, meta={'WARNING': ['dropout is no loss']})
case('reported_loss', 'note', 1, HOST, meta={'ERROR': ['bad luck']})
case('reported_loss', 'note', 7, HOST, meta={'INFO': ['Record counts: Out-of-range = 7, Blocklisted runtime = 9']})
case('reported_loss', 'warn', 1, HOST, meta={'INFO': ['Record counts: Out-of-range = 7, Invalid ext correlations = 2']})
case('reported_loss', 'warn', 1, HOST, meta={'dropped_events': 4})
case('reported_loss', 'pass', 0, HOST, meta={'dropped_events': 0})
KNOWN = [operator(i * 10, i * 10 + 5) for i in range(98)]
case('unknown_kinds', 'pass', 0, KNOWN)
case('unknown_kinds', 'note', 2, KNOWN + [event('ipu', 'x', i, i + 1) for i in range(2)])
case('unknown_kinds', 'warn', 3, KNOWN + [event('ipu', 'x', i, i + 1) for i in range(3)])

# ---- told once: what is rejected takes part in nothing behind it
ZERO = [operator(10 * S, 10 * S + 5), call(10 * S, 10 * S + 5, 1), kernel(0, 0, 1)]
case('same_clock', 'fail', 1, ZERO)
case('launch_first', 'inconclusive', 0, ZERO)
case('zero_length', 'inconclusive', 0, ZERO)
case('busy', 'inconclusive', 0, ZERO)
case('in_order', 'pass', 0, [call(10, 15, 2), call(90 * US, 90 * US + 5, 1), kernel(20, 25, 2), kernel(30, 35, 1),
                             call(95 * US, 95 * US + 5, 3), kernel(99 * US, 99 * US + 5, 3)])


def run(number, made):
    check, result, count, examined, events, meta, args, shuffled, dialect = made
    faults = []
    for order in ('file', 'shuffled')[:1 + shuffled]:
        events = list(events)
        if order == 'shuffled':
            random.Random(number).shuffle(events)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'made.json')
            with open(path, 'w') as file:
                json.dump(dict({'schemaVersion': 1, 'with_stack': 1}, **meta, traceEvents=events), file)
            if dialect:
                args = (*args, '--dialect', dialect)
            status, report, said = reports.run(tool, [path], *args)
        found = reports.checks_of(report).get(check) if report else None
        if not found or found[:2] != (result, count) or (examined is not None and found[2] != examined):
            faults.append(f'case {number}, {order} order: {check}: wanted {result} {count}, found {found}, status {status}'
                          + ('' if found else '\n' + said[-1500:]))
    return faults


with concurrent.futures.ThreadPoolExecutor(2) as pool:
    faults = sum(pool.map(run, range(len(CASES)), CASES), [])
print('\n'.join(faults))
print(f'{len(CASES)} cases, {len(faults)} not as wanted')
sys.exit(bool(faults))
