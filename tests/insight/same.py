#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No two stages contradict each other: same.py TAV-RUN SHARED-DIR [NAME...]

All stages that speak of kinds, devices, busy, idle or exposed time, and collectives run over every trace of SHARED-DIR;
what they say of the same thing must be the same number.
"""
import glob
import os
import sys
from collections import defaultdict

from reports import run, stage_of, tables_of

tav_run, shared, *names = sys.argv[1:]
STAGES = ("stats", "overlap-triage", "wall-time", "operators", "collectives")
SETTINGS = ("stats.top=0", "operators.top=0", "collectives.top=0", "wall-time.names=0")
failures, compared = [], 0


def same(name, what, **values):
    global compared
    compared += 1
    if len(set(map(str, values.values()))) > 1:
        failures.append(f"{name}: {what}: " + ", ".join(f"{stage} {value}" for stage, value in values.items()))


def by_device(rows, *columns):
    return {row["device"]: tuple(row.get(column) for column in columns) for row in rows}


def look_at(name, path):
    try:
        report = run(tav_run, [path], STAGES, SETTINGS)
    except AssertionError as error:
        if "no dialect recognises" in str(error):
            return
        raise
    if report["sources"][0].get("error"):
        return
    said = {stage: stage_of(report, stage)["by_source"][0] for stage in STAGES}
    tables = {stage: tables_of(said[stage]) for stage in STAGES}
    for stage in STAGES:
        if stage_of(report, stage).get("error"):
            failures.append(f"{name}: {stage}: {stage_of(report, stage)['error']}")
            return
    wall = tables["wall-time"].get("devices", [])
    stats = [row for row in tables["stats"].get("devices", []) if row.get("window_ns")]
    triage = tables["overlap-triage"].get("devices", [])
    if not wall:
        return
    same(name, "events", wall=sorted(by_device(wall, "events").items()), stats=sorted(by_device(stats, "count").items()))
    times = ("window_ns", "busy_ns", "idle_ns")
    same(name, "window, busy, idle", wall=sorted(by_device(wall, *times).items()), stats=sorted(by_device(stats, *times).items()),
         triage=sorted(by_device(triage, *times).items()))
    parts = ("compute_ns", "communication_ns", "exposed_communication_ns")
    same(name, "compute, communication", wall=sorted(by_device(wall, *parts).items()),
         triage=sorted(by_device(triage, *parts).items()))
    kinds = {(row["device"], row["kind"]): row["total_ns"] for row in tables["stats"].get("kinds", [])
             if "device" in row}
    of_types = defaultdict(int)
    for row in tables["collectives"].get("types", []):
        of_types[row["device"]] += row["total_ns"]
    for row in wall:
        device = row["device"]
        same(name, f"collectives of device {device}", collectives=of_types[device],
             stats=kinds.get((device, "communication"), 0))
    direct = defaultdict(int)
    for row in tables["operators"].get("operators", []):
        direct[row["device"]] += row["device_ns"]
    same(name, "summed device time", operators=sorted(direct.items()),
         stats=sorted((row["device"], row["total_ns"]) for row in stats))


paths = [path for path in sorted(glob.glob(os.path.join(shared, "traces", "*"))) if not path.endswith(".tsv")]
paths += sorted(glob.glob(os.path.join(shared, "insight-cases", "*.json")))
for path in paths:
    if not names or os.path.basename(path) in names:
        look_at(os.path.basename(path), path)
for failure in failures:
    print(failure[:1000])
print(f"{compared} comparisons, {len(failures)} contradictions")
sys.exit(1 if failures or not compared else 0)
