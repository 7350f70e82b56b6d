#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Verifies small traces: run.py TAV-RUN FOLDER

A trace holds in its own metadata what is wanted of it: "why", and "runs", each with the arguments, the exit status,
the verdict, the ids of all findings, and metrics. Also looked at are
  kinds       the kinds of the overlaps shown, sorted
  shown       how many overlaps are shown
  longest_ns  the longest of them
  says        texts that messages of findings hold
  remedies    texts that remedies of findings hold
  pairs       earlier name, later name, overlaps and median of the table `pairs`, in its order
Each run is repeated with several threads, and, where all events are complete ones, with the events in another order:
nothing may change.
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

tool, folder = sys.argv[1:]


def ask(trace, args, report):
    if '{input}' in args:  # the same events in other bytes: the same twice is refused
        with open(trace) as file, open(report + '.twin.json', 'w') as twin:
            twin.write(file.read() + ' ')
    args = [report + '.twin.json' if a == '{input}' else a for a in args]
    done = subprocess.run([tool, '-s', 'overlap-verify', '--report', 'json=' + report, *args, trace],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    try:
        with open(report) as file:
            found = json.load(file)
    except (OSError, ValueError) as error:
        found = {'stages': [], 'verdict': f'no report: {error}'}
    return done.returncode, found, done.stdout.decode('utf-8', 'replace')


def findings_of(report):
    for stage in report['stages']:
        yield from stage.get('findings', [])
        for source in stage.get('by_source', []):
            yield from source.get('findings', [])


def pairs_of(report):
    for stage in report['stages']:
        for source in stage.get('by_source', []):
            for table in source.get('tables', []):
                if table['id'] == 'pairs':
                    yield from table['rows']


def look(instance):
    """Of two events with the same times, either may be named."""
    times = [[str(e.get(k)) for k in ('pid', 'stream', 'start_ns', 'end_ns')] for e in instance['events']]
    return times, sorted(map(str, instance.get('measures', {}).items()))


def summary(answer):
    """What must not depend on threads or on the order of events."""
    status, report, _ = answer
    stage = report['stages'][0] if report['stages'] else {}
    findings = sorted((f['id'], f['count'], f['message'], sorted(map(look, f['instances']))) for f in findings_of(report))
    return status, report['verdict'], stage.get('metrics'), findings


def shown(report):
    return [i for f in findings_of(report) if f['id'] == 'overlap' for i in f['instances']]


def measure(instance, name):
    return instance.get('measures', instance).get(name)


def check(wanted, answer):
    status, report, _ = answer
    metrics = report['stages'][0]['metrics'] if report['stages'] else {}
    seen = dict(metrics, shown=len(shown(report)), kinds=sorted(measure(i, 'kind') for i in shown(report)),
                longest_ns=max((measure(i, 'overlap_ns') for i in shown(report)), default=None))
    if status != wanted['exit']:
        yield f'exit status {status}, wanted {wanted["exit"]}'
    if report['verdict'] != wanted['verdict']:
        yield f'verdict {report["verdict"]}, wanted {wanted["verdict"]}'
    ids = sorted({f['id'] for f in findings_of(report)})
    if ids != sorted(wanted['findings']):
        yield f'findings {ids}, wanted {sorted(wanted["findings"])}'
    for text in wanted.get('says', []):
        if not any(text in f['message'] for f in findings_of(report)):
            yield f'no finding says "{text}"'
    for text in wanted.get('remedies', []):
        if not any(text in (f.get('remedy') or '') for f in findings_of(report)):
            yield f'no remedy says "{text}"'
    if 'pairs' in wanted:
        rows = [[r[k] for k in ('earlier', 'later', 'overlaps', 'median_ns')] for r in pairs_of(report)]
        if rows != wanted['pairs']:
            yield f'pairs {rows}, wanted {wanted["pairs"]}'
    for name, value in wanted['metrics'].items():
        if seen.get(name) != value:
            yield f'{name} = {seen.get(name)}, wanted {value}'


def main():
    failures = runs = 0
    for path in sorted(glob.glob(os.path.join(folder, '*.json'))):
        with open(path) as file:
            trace = json.load(file)
        with tempfile.TemporaryDirectory() as scratch:
            report = os.path.join(scratch, 'report.json')
            other = os.path.join(scratch, 'other.json')
            events = trace['traceEvents']
            with open(other, 'w') as file:
                json.dump(dict(trace, traceEvents=events[::-1]), file)
            for wanted in trace['runs']:
                runs += 1
                answer = ask(path, wanted['args'], report)
                wrong = list(check(wanted, answer))
                if summary(ask(path, [*wanted['args'], '-j', '4'], report)) != summary(answer):
                    wrong.append('another answer with four threads')
                if all(e['ph'] not in 'BE' for e in events) and \
                        summary(ask(other, wanted['args'], report)) != summary(answer):
                    wrong.append('another answer for another order of events')
                if wrong:
                    failures += 1
                    print(f'{os.path.basename(path)} {" ".join(wanted["args"])}: {"; ".join(wrong)}\n{answer[2]}')
    print(f'{runs} runs, {failures} failed')
    sys.exit(1 if failures or not runs else 0)


main()
