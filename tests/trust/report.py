# SPDX-License-Identifier: Apache-2.0
"""Runs the pipeline trust and reads what each check came to."""
import json
import os
import subprocess
import tempfile


def texts_of(report, place):
    """Values of a data table are numbers of texts of their source."""
    sources = report['sources']
    return sources[place]['texts'] if place is not None and place < len(sources) else report.get('texts', [])


def rows_of(report, stage, place, table):
    """Rows of a table of one source (place) or of the run (None)."""
    for found in report['stages']:
        if found['name'] != stage:
            continue
        holders = [found] if place is None else [s for s in found['by_source'] if s['source'] == place]
        for holder in holders:
            for candidate in holder['tables']:
                if candidate['id'] == table:
                    return candidate['rows']
    return []


def run(tool, traces, *args, pipeline='trust'):
    """Exit status, report, what was printed."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'report.json')
        done = subprocess.run([tool, '-c', pipeline, '--report', 'json=' + path, *args, *traces],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
        try:
            with open(path, encoding='utf-8', errors='surrogateescape') as file:
                report = json.load(file)
        except (OSError, ValueError):
            report = None
    return done.returncode, report, done.stdout.decode('utf-8', 'replace')


OURS = ('timing', 'links', 'structure', 'coverage', 'ranks', 'collectives')


def checks_of(report, place=0):
    """{id: (result, count, examined, worst_ns, why)}"""
    found = {}
    for row in rows_of(report, 'answers', place, 'checks'):
        if row['stage'] in OURS:
            found[row['id']] = (row['result'], row['count'], row['examined'], row.get('worst_ns'), row['why'])
    return found


def answers_of(report, place=0):
    return {row['question']: (row['answer'], row['because'])
            for row in rows_of(report, 'answers', place, 'answers')}
