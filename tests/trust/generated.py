#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Traces of tav-gen: clean ones must stay silent, and each fault it plants must be found: generated.py TAV-RUN TAV-GEN"""
import os
import re
import subprocess
import sys
import tempfile

import report as reports

tool, gen = sys.argv[1:]
CLEAN = [
    [], ['--events', '100'], ['--events', '20000'], ['--events', '20000', '--python-depth', '8'],
    ['--events', '20011', '--python-depth', '3', '--streams', '7', '--devices', '3'],
    ['--events', '9999', '--python-depth', '50', '--streams', '1'], ['--events', '6000', '--streams', '16'],
    ['--events', '20000', '--device-share', '0'], ['--events', '20000', '--device-share', '3'],
    ['--events', '20000', '--device-share', '10', '--order', 'shuffled'],
    ['--events', '20000', '--device-share', '60'], ['--events', '20000', '--device-share', '95'],
    ['--events', '20000', '--style', 'compact', '--python-depth', '4'], ['--events', '20000', '--form', 'lines'],
    ['--events', '20000', '--form', 'array', '--seed', '7'], ['--events', '20000', '--names', '20'],
    ['--events', '20000', '--native'], ['--events', '5001', '--native', '--streams', '2'],
    ['--events', '40000', '--order', 'shuffled', '--python-depth', '8'],
]
ALARMS = ('warn', 'fail')
# What the fault moves is seen by these as well.
ALSO = {
    'other-clock': {'names'}, 'no-device': {'host_present', 'kernel_present', 'steps'}, 'early': {'op_first'},
    'orphans': {'op_known'}, 'thinned': {'op_known'}, 'lost-tail': {'steps'}, 'swapped': {'launch_first'},
    'zero-length': {'unique_link'}, 'impossible-end': set(), 'too-long': set(),
}
bad = 0


def make(folder, *args):
    path = os.path.join(folder, 'made.json')
    subprocess.run([gen, *args, '-o', path], check=True)
    return path


def fault_list():
    said = subprocess.run([gen, '--help'], check=True, stdout=subprocess.PIPE).stdout.decode()
    return re.findall(r'^ {6}(\S+) .*\((\w+)\)$', said[said.index('--fault'):], re.MULTILINE)


def alarms_of(found):
    return {check: result for check, result in found.items() if result[0] in ALARMS}


with tempfile.TemporaryDirectory() as folder:
    for args in CLEAN:
        status, report, said = reports.run(tool, [make(folder, *args)])
        alarms = alarms_of(reports.checks_of(report)) if report else said
        if status or alarms:
            bad += 1
            print(f'clean {args}: status {status}, {alarms}')
    faults = fault_list()
    assert len(faults) > 15, faults
    for fault, check in faults:
        status, report, said = reports.run(tool, [make(folder, '--events', '40000', '--fault', fault)])
        found = alarms_of(reports.checks_of(report)) if report else {}
        others = set(found) - {check} - ALSO.get(fault, set())
        # A queue that is never empty hides a late clock: then it is a note.
        is_found = check in found or (fault == 'late' and reports.checks_of(report)[check][0] == 'note')
        if not is_found or others:
            bad += 1
            print(f'fault {fault}: status {status}, wanted {check}, found {found or said}')
print(f'{bad} not as wanted')
sys.exit(bad > 0)
