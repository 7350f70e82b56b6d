#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Known results of the triage rules: compare.py TAV-RUN SHARED-DIR [-v] [NAME...]

Each file of SHARED-DIR/expected/triage holds what rules: reference must give for a trace, each of SHARED-DIR/triage-cases
what both rule sets must give for a small one. Numbers are compared as they are printed there, with six decimals.
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

run, shared, *names = sys.argv[1:]
verbose = "-v" in names
names = [name for name in names if name != "-v"]
failures = []


def triage(trace, rules, **options):
    """The tables of overlap-triage for one trace, by id, as lists of dicts."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        command = [run, "-q", "-s", "overlap-triage", "--report", "json=" + report]
        for key, value in {"rules": rules, "kernel_limit": 0, **options}.items():
            command += ["--set", f"overlap-triage.{key}={value}"]
        if is_foreign(trace):
            command += ["--dialect", "generic"]
        done = subprocess.run(command + [trace], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode:
            failures.append(f"{trace}: status {done.returncode}: {done.stdout.decode(errors='replace')[:2000]}")
            return None
        with open(report) as file:
            whole = json.load(file)
        stage = whole["stages"][0]
    tables = {}
    for source in stage["by_source"]:
        for table in source["tables"]:
            tables[table["id"]] = [{key: full(value, whole["sources"][0]["texts"]) for key, value in row.items()}
                                   for row in table["rows"]]
    return {"tables": tables, "metrics": stage["metrics"]}


def full(value, texts):
    """Long names stand once in a report, apart."""
    return texts[value["text"]] if isinstance(value, dict) else value


def is_foreign(trace):
    """No dialect knows it; rules: reference choose their events without one."""
    done = subprocess.run([run, "-q", "-s", "overlap-triage", trace], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return b"no dialect recognises" in done.stdout


def us(nanoseconds):
    return round(nanoseconds / 1000, 6)


def expect(where, what, got, wanted):
    if isinstance(wanted, float) and isinstance(got, (int, float)):
        got = round(got, 6)
    if got != wanted:
        failures.append(f"{where}: {what}: got {got!r}, wanted {wanted!r}")


def check_row(where, got, wanted):
    for key, value in wanted.items():
        if key in ("total_us", "hidden_us", "exclusive_us", "hidden_by_compute_us"):
            expect(where, key, us(got[key[:-3] + "_ns"]), value)
        else:
            expect(where, key, got.get(key), value)


def partners_of(tables, name, phase, category=None):
    return [[row["partner"], us(row["overlap_ns"])] for row in tables.get("partners", [])
            if row["name"] == name and row["phase"] == phase and (category is None or row["category"] == category)]


def check_stage(where, tables, stage, rules):
    phases = {row["phase"]: row for row in tables.get("phases", []) if row["kind"] == "phase"}
    if stage not in phases:
        failures.append(f"{where}: no such phase")
        return
    phase = phases[stage]
    expect(where, "busy", us(phase["busy_ns"]), rules["busy_us"])
    expect(where, "overlap", us(phase["overlap_ns"]), rules["overlap_us"])
    expect(where, "max streams", phase["max_concurrent_streams"], rules["max_concurrent_streams"])
    kernels = [row for row in tables["kernels"] if row["phase"] == stage]
    for i, wanted in enumerate(rules["aggregates_top"]):
        here = f"{where} aggregate {i}"
        if i >= len(kernels):
            failures.append(f"{here}: missing")
            break
        overlap_with = wanted.pop("overlap_with")
        check_row(here, kernels[i], wanted)
        expect(here, "partners", partners_of(tables, wanted["name"], stage, wanted["category"]), overlap_with)
    top = sorted((row for row in kernels if row["headroom_rank"]), key=lambda row: row["headroom_rank"])
    expect(where, "headroom list", [[row["name"], row["category"], us(row["exclusive_ns"])] for row in top],
           rules["top_overlap_opportunities"])
    top = sorted((row for row in kernels if row["low_roi_rank"]), key=lambda row: row["low_roi_rank"])
    expect(where, "hidden list", [[row["name"], row["category"], us(row["hidden_ns"]), us(row["hidden_by_compute_ns"])]
                                  for row in top], rules["top_hidden_low_roi"])
    rows = [row for row in tables.get("opportunities", []) if row["phase"] == stage]
    expect(where, "rows", [row["kernel"] for row in rows], [row["kernel"] for row in rules["action_rows_core"]])
    for i, (got, wanted) in enumerate(zip(rows, rules["action_rows_core"])):
        check_row(f"{where} row {i}", got, wanted)


def is_no_trace(path):
    done = subprocess.run([run, "-q", "-s", "overlap-triage", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return b"not a trace" in done.stdout


def check_trace(path):
    with open(path) as file:
        wanted = json.load(file)
    trace = os.path.join(shared, "traces", wanted["file"])
    if not wanted["kernel_events"] and is_no_trace(trace):
        return
    got = triage(trace, "reference", default_phase=wanted["default_stage"])
    if not got:
        return
    where = wanted["file"]
    expect(where, "kernels", got["metrics"]["kernels"], wanted["kernel_events"])
    for stage, result in wanted["stages"].items():
        check_stage(f"{where} {stage}", got["tables"], stage, result["exact_rules"])


def check_case_values(where, got, wanted):
    tables = got["tables"]
    phases = {row["phase"]: row for row in tables.get("phases", []) if row["kind"] == "phase"}
    stage = wanted.get("stage")
    if stage and stage not in phases:
        failures.append(f"{where}: no phase {stage}, only {list(phases)}")
        return
    phase = phases[stage] if stage else next(iter(phases.values()))
    kernels = {row["name"]: row for row in tables["kernels"]}
    for key, value in wanted.items():
        if key == "busy":
            expect(where, key, us(phase["busy_ns"]), float(value))
        elif key == "overlap":
            expect(where, key, us(phase["overlap_ns"]), float(value))
        elif key == "max":
            expect(where, key, phase["max_concurrent_streams"], value)
        elif key == "kernels":
            expect(where, key, got["metrics"]["kernels"], value)
        elif key == "stages":
            expect(where, key, {name: row["kernels"] for name, row in phases.items()}, value)
        elif key == "agg":
            for name, numbers in value.items():
                row = kernels[name]
                expect(where, name, [row["count"]] + [us(row[column]) for column in (
                    "total_ns", "hidden_ns", "exclusive_ns", "hidden_by_compute_ns")], numbers)
        elif key == "ow":
            for name, partners in value.items():
                expect(where, name, partners_of(tables, name, phase["phase"]), partners)
        elif key == "cat":
            raw = {name.rsplit("(", 1)[0] if name.startswith("void ") else name: name for name in value}
            for short, name in raw.items():
                expect(where, name, kernels[short]["category"], value[name])
        elif key == "map":
            for name, (scope, op, ratio) in value.items():
                row = kernels[name]
                expect(where, name, [row["python_scope"], row["launch_op"], round(row["mapping_ratio"], 6)],
                       [scope, op, ratio])
        elif key == "rows":
            expect(where, key, [[row[column] for column in ("priority", "verdict", "kernel", "dependency_signal",
                                                            "recommendation")]
                                for row in tables.get("opportunities", []) if row["verdict"] != "idle"], value)
        elif key == "row_deps":
            expect(where, key, {row["kernel"]: row["dependency_signal"] for row in tables.get("opportunities", [])
                                if row["verdict"] != "idle"}, value)
        elif key != "stage":
            failures.append(f"{where}: nothing compares {key}")


def check_case(path):
    with open(path) as file:
        wanted = json.load(file)
    trace = path.replace(".expect.json", ".json")
    name = os.path.basename(trace)
    # In exact time the accident of floating point does not happen.
    oracle = dict(wanted["oracle"], **wanted["right"]) if "floating-point" in wanted.get("oracle_wrong", "") else wanted["oracle"]
    got = triage(trace, "reference")
    if got:
        check_case_values(f"{name} reference", got, oracle)
    if "right" in wanted:
        got = triage(trace, "improved")
        if got:
            check_case_values(f"{name} improved", got, wanted["right"])


paths = sorted(glob.glob(os.path.join(shared, "expected", "triage", "*.json")))
cases = sorted(glob.glob(os.path.join(shared, "triage-cases", "*.expect.json")))
count = 0
for path, check in [(path, check_trace) for path in paths] + [(path, check_case) for path in cases]:
    if names and not any(name in path for name in names):
        continue
    before = len(failures)
    check(path)
    count += 1
    if verbose:
        print(f"{'ok  ' if len(failures) == before else 'FAIL'} {os.path.basename(path)}", flush=True)
for failure in failures[:60]:
    print(failure)
print(f"{count} compared, {len(failures)} differences")
sys.exit(1 if failures or not count else 0)
