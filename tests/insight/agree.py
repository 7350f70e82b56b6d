#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Known figures, to the nanosecond: agree.py TAV-RUN SHARED-DIR [-v] [NAME...]

SHARED-DIR/expected/insight.tsv and SHARED-DIR/insight-cases/expected.tsv hold what an independent program finds in the
traces beside them. Also, on every trace there: the parts of a window, the causes of idle time, the rows of steps and the
direct times of operators sum to what they part.
"""
import json
import os
import sys
from collections import defaultdict

from reports import checks_of, run, stage_of, tables_of

tav_run, shared, *names = sys.argv[1:]
verbose = "-v" in names
names = [name for name in names if name != "-v"]
STAGES = ("wall-time", "operators", "collectives")
ALL = ("wall-time.names=0", "wall-time.gaps=5", "operators.top=0", "collectives.top=0")
CAUSES = ("profiler", "sync", "runtime_call", "input", "operator", "python", "other_host", "launch_call", "start_latency",
          "queued", "in_graph", "unlinked")
LATE = CAUSES[:8]
failures = []


def short(key):
    return str(key).replace("\t", " ").replace("\n", " ")[:160]


def shape_text(text):
    if text is None:
        return "null"
    return json.dumps(json.loads(text, parse_float=str))


def wall_rows(said, put):
    """The rows of the expected file, made of the tables of wall-time."""
    tables = tables_of(said)
    title = {table["id"]: table["title"] for table in said["tables"]}
    for row in tables.get("devices", []):
        device = row["device"]
        for mine, theirs in (("events", "events"), ("window_ns", "window_ns"), ("busy_ns", "busy_ns"),
                             ("compute_ns", "compute_ns"), ("exposed_communication_ns", "exposed_communication_ns"),
                             ("exposed_copies_ns", "exposed_copy_ns"), ("communication_ns", "communication_ns"),
                             ("copies_ns", "copy_ns"), ("idle_ns", "idle_ns"), ("gaps", "gaps"), ("linked", "linked")):
            put(device, "devices", "-", theirs, row[mine])
        put(device, "launches", "all", "idle_delay_floor_ns", row.get("delay_floor_ns", "-"))
        put(device, "gap_length", "-", "n", row["gaps"])
        for cause in CAUSES:
            put(device, "idle", cause, "idle_ns", 0)
            put(device, "idle", cause, "gaps", 0)
        for of in ("delay", "queue", "call"):
            put(device, "launches", "all", of + "_ns.n", 0)
        put(device, "launches", "all", "before_launch", 0)
        if "steps" not in tables:
            put(device, "steps", "-", "cannot_tell", "no step annotation")
    for row in tables.get("idle", []):
        put(row["device"], "idle", row["cause"], "idle_ns", row["idle_ns"])
        put(row["device"], "idle", row["cause"], "gaps", row["gaps"])
    for row in tables.get("idle_by_name", []):
        put(row["device"], "idle_by_name", row["cause"] + " " + row["name"], "idle_ns", row["idle_ns"])
    place = defaultdict(int)
    for row in tables.get("longest_gaps", []):
        place[row["device"]] += 1
        key = place[row["device"]]
        put(row["device"], "longest_gaps", key, "start_ns", row["start_ns"])
        put(row["device"], "longest_gaps", key, "gap_ns", row["gap_ns"])
        put(row["device"], "longest_gaps", key, "cause", f"{row['cause']} {row['cause_ns']}")
        put(row["device"], "longest_gaps", key, "after_event", row["after_event"][:80])
    for row in tables.get("gap_lengths", []):
        for of in ("min", "p50", "p90", "p99", "max"):
            put(row["device"], "gap_length", "-", of, row[of + "_ns"])
    for row in tables.get("launches", []):
        if row["call"] != "(all)":
            continue
        for of in ("delay", "queue", "call"):
            put(row["device"], "launches", "all", of + "_ns.n", row["n"])
            for what in ("min", "p50", "p90", "p99", "max"):
                put(row["device"], "launches", "all", f"{of}_ns.{what}", row[f"{of}_{what}_ns"])
        put(row["device"], "launches", "all", "before_launch", row["before_launch"])
    open_step, outliers = defaultdict(lambda: "None"), defaultdict(list)
    for row in tables.get("steps", []):
        device, step = row["device"], row["step"]
        put(device, "steps", "-", "cut_by", "host time" if "host times" in title["steps"] else "launch")
        for mine, theirs in (("host_ns", "host_ns"), ("events", "kernels"), ("lag_ns", "lag_ns"), ("device_ns", "device_ns"),
                             ("compute_ns", "compute_ns"), ("exposed_communication_ns", "exposed_communication_ns"),
                             ("exposed_copies_ns", "exposed_copy_ns"), ("idle_ns", "idle_ns"),
                             ("host_late_ns", "host_late_ns")):
            if mine in row:
                put(device, "steps", step, theirs, row[mine])
        if row.get("note", "").startswith("open"):
            open_step[device] = step
        if row.get("note") == "outlier":
            outliers[device].append(step)
        put(device, "steps", "-", "open", "-" if open_step[device] == "None" else open_step[device])
    for row in tables.get("step_spread", []):
        device = row["device"]
        put(device, "steps", "-", "median_ns", row["median_ns"] if "outliers" in row else "-")
        put(device, "steps", "-", "outliers",
            " ".join(outliers[device]) or "none" if "outliers" in row else "cannot_tell")
    return tables


def gains(tables, device):
    row = next(row for row in tables["devices"] if row["device"] == device)
    cause = {row["cause"]: row["idle_ns"] for row in tables["idle"] if row["device"] == device}
    return {"exposed communication": row["exposed_communication_ns"], "exposed copies": row["exposed_copies_ns"],
            "launched too late": sum(cause.get(c, 0) for c in LATE),
            "launched in time, device idle": sum(cause.get(c, 0) for c in ("start_latency", "queued", "in_graph")),
            "idle of unknown cause": cause.get("unlinked", 0)}, row["window_ns"]


def operator_rows(said, put):
    tables = tables_of(said)
    kernels, calls, device_ns, inclusive = defaultdict(int), defaultdict(int), defaultdict(int), {}
    for row in tables.get("operators", []):
        name = row["operator"]
        kernels[name] += row["kernels"]
        calls[name] += row["calls"]
        device_ns[name] += row["device_ns"]
        if "inclusive_ns" in row:
            inclusive[name] = inclusive.get(name, 0) + row["inclusive_ns"]
    put("-", "answer", "-", "device_ns", sum(device_ns.values()))
    for key, metric in (("call", "by_call_ns"), ("External id", "by_id_ns"), ("launch outside any operator", "outside_ns"),
                        ("no launch", "no_launch_ns")):
        put("-", "answer", key, "device_ns", said["metrics"].get(metric, 0))
    put("-", "operators", "-", "rows", len(kernels))
    for name in kernels:
        put("-", "operators", name, "kernels", kernels[name])
        put("-", "operators", name, "calls", calls[name])
        put("-", "operators", name, "device_ns", device_ns[name])
        put("-", "operators", name, "inclusive_ns", inclusive.get(name, "-"))
    shapes = defaultdict(lambda: [0, 0])
    for row in tables.get("shapes", []):
        key = " ".join((row["operator"], shape_text(row.get("input_dims")), shape_text(row.get("input_type"))))
        shapes[key][0] += row["device_ns"]
        shapes[key][1] += row["calls"]
    if "shapes" not in tables:  # then each operator has one shape, which says nothing
        for name in inclusive:
            shapes[name + " null null"] = [device_ns[name], calls[name]]
    put("-", "shapes", "-", "rows", len(shapes))
    for key, (ns, count) in shapes.items():
        put("-", "shapes", key, "device_ns", ns)
        put("-", "shapes", key, "calls", count)
    lines = defaultdict(lambda: [0, 0])
    for row in tables.get("lines", []):
        lines[row["line"]][0] += row["device_ns"]
        lines[row["line"]][1] += row["kernels"]
    put("-", "lines", "-", "rows", len(lines))
    for key, (ns, count) in lines.items():
        put("-", "lines", key, "device_ns", ns)
        put("-", "lines", key, "kernels", count)


def collective_rows(said, put):
    for row in tables_of(said).get("types", []):
        key = f"{row['type']} group {row.get('group')} of {row.get('size')}"
        for metric in ("count", "total_ns", "exposed_ns", "min_ns", "p50_ns", "max_ns"):
            put(row["device"], "types", key, metric, row[metric])
        put(row["device"], "types", key, "bytes", row.get("bytes", "-"))
        if "bus_gb_per_s" in row:
            put(row["device"], "types", key, "bus_GBps_at_least_milli", int(row["bus_gb_per_s"] * 1000 + 1e-6))


def check_sums(name, report):
    """What is parted is the sum of its parts."""
    wall = tables_of(stage_of(report, "wall-time")["by_source"][0])
    for row in wall.get("devices", []):
        device, of = row["device"], lambda table: [r for r in wall.get(table, []) if r["device"] == row["device"]]
        sums = {"parts": row["compute_ns"] + row["exposed_communication_ns"] + row["exposed_copies_ns"] + row["idle_ns"]}
        if "steps" in wall:
            sums["steps"] = sum(r.get("device_ns", 0) for r in of("steps"))
            for part in ("compute_ns", "exposed_communication_ns", "exposed_copies_ns", "idle_ns"):
                if sum(r.get(part, 0) for r in of("steps")) != row[part]:
                    failures.append(f"{name}: device {device}: {part} of steps do not sum to that of the device")
        for what, total in sums.items():
            if total != row["window_ns"]:
                failures.append(f"{name}: device {device}: {what} sum to {total}, the window is {row['window_ns']}")
        if sum(r["idle_ns"] for r in of("idle")) != row["idle_ns"]:
            failures.append(f"{name}: device {device}: causes do not sum to the idle time")
        by_name = defaultdict(int)
        for r in of("idle_by_name"):
            by_name[r["cause"]] += r["idle_ns"]
        for r in of("idle"):
            if r["cause"] in ("sync", "runtime_call", "input", "operator", "python", "launch_call") and \
                    by_name[r["cause"]] != r["idle_ns"]:
                failures.append(f"{name}: device {device}: names of {r['cause']} do not sum to it")
    said = stage_of(report, "operators")["by_source"][0]
    total = sum(said["metrics"].get(m, 0) for m in ("by_call_ns", "by_id_ns", "outside_ns", "no_launch_ns"))
    if total != sum(row["device_ns"] for row in tables_of(said).get("operators", [])):
        failures.append(f"{name}: operators do not sum to the device time")


def compare(name, expected, got):
    wrong = 0
    for key, value in expected.items():
        if got.get(key) != value:
            wrong += 1
            if wrong <= (1000 if verbose else 8):
                failures.append(f"{name}: {' / '.join(key)}: got {got.get(key)!r}, wanted {value!r}")
    if wrong > 8 and not verbose:
        failures.append(f"{name}: ... {wrong} figures in all")


def one_trace(name, path, expected, settings=()):
    got, is_none = {}, any(key[2:] == ("answer", "-", "cannot_tell") for key in expected)
    try:
        report = run(tav_run, [path], STAGES, ALL + tuple(settings))
    except AssertionError as error:
        if is_none:
            return  # no trace for these stages: an error says so
        failures.append(f"{name}: {error}")
        return
    if report["sources"][0].get("error"):
        if not is_none:
            failures.append(f"{name}: {report['sources'][0]['error']}")
        return
    check_sums(name, report)

    def put_for(stage):
        return lambda device, table, key, metric, value: got.__setitem__(
            (stage, device, table, short(key), metric), str(value))

    wall = stage_of(report, "wall-time")["by_source"][0]
    tables = wall_rows(wall, put_for("wall-time"))
    operator_rows(stage_of(report, "operators")["by_source"][0], put_for("operators"))
    collective_rows(stage_of(report, "collectives")["by_source"][0], put_for("collectives"))
    checks = checks_of(wall)
    if is_none:
        # the other program does not know what is device work to dialect ascend
        if checks["wall_time"]["result"] != "skip" and report["sources"][0]["dialect"] != "ascend":
            failures.append(f"{name}: wall_time should be skipped")
        return
    doubted = any(key[4] == "cannot_tell_cause" for key in expected)
    if doubted != (checks["idle_causes"]["result"] in ("skip", "warn")):
        failures.append(f"{name}: idle_causes is {checks['idle_causes']}, but causes {'can' if not doubted else 'cannot'} "
                        "be told")
    for key in [key for key in expected if key[2] == "answer" and key[0] == "wall-time"]:
        value = expected.pop(key)
        if key[4].startswith("gain_at_most"):
            gain, window = gains(tables, key[1])
            mine = gain[key[3]] if key[4].endswith("_ns") else gain[key[3]] * 1000 // window
            if str(mine) != value or max(gain.values()) != gain[key[3]]:
                failures.append(f"{name}: {key}: {mine}, wanted {value}; {gain}")
    compare(name, expected, got)


def over_ranks(name, paths, expected):
    report = run(tav_run, paths, ("collectives",), ("collectives.top=0",))
    said, got = stage_of(report, "collectives"), {}
    tables, metrics = tables_of(said), said["metrics"]

    def put(table, key, metric, value):
        got[("collectives", "ranks", table, str(key), metric)] = str(value)

    for mine, theirs in (("matched", "matched"), ("judged", "judged"), ("transfer_ns", "transfer_ns"),
                         ("longest_wait_ns", "longest_wait_ns"), ("first_wait_ns", "first_collective_wait_ns")):
        put("answer", "-", theirs, metrics[mine])
    put("answer", "-", "ranks", len(tables["ranks"]))
    for row in tables["clocks"]:
        put("clocks", row["rank"], "offset_ns", row["offset_ns"])
    for mine, theirs in (("residual_p50_ns", "residual_p50_ns"), ("residual_max_ns", "residual_max_ns"),
                         ("clock_spread_ns", "spread_ns")):
        put("clocks", "-", theirs, metrics[mine])
    for row in tables["ranks"]:
        for mine, theirs in (("collective_ns", "collective_ns"), ("waited_ns", "waited_ns"), ("arrived_last", "arrived_last"),
                             ("caused_ns", "caused_ns"), ("caused_after_first_ns", "caused_after_first_ns"),
                             ("late_ns", "late_by_clock_ns")):
            put("ranks", row["rank"], theirs, row[mine])
    for row in tables["slowest_calls"]:
        put("collectives", f"{row['name'][:40]} {row['seq']}", "transfer last start_skew end_skew",
            f"{row['transfer_ns']} {row.get('last_rank')} {row['start_skew_ns']} {row['end_skew_ns']}")
    expected = {key: value for key, value in expected.items() if key[4] != "world_size"}
    compare(name, expected, got)


def read_expected(path):
    files = defaultdict(dict)
    with open(path) as file:
        for line in file:
            name, stage, device, table, key, metric, value = line.rstrip("\n").split("\t")
            if stage != "stats":
                files[name][(stage, device, table, key, metric)] = value
    return files


count = 0
for folder, file in (("traces", "expected/insight.tsv"), ("insight-cases", "insight-cases/expected.tsv")):
    for name, expected in sorted(read_expected(os.path.join(shared, file)).items()):
        if names and name not in names:
            continue
        count += 1
        trace, _, variant = name.partition(" ")
        path = os.path.join(shared, folder, trace)
        if name == "param-dlrm-set 0-3":
            over_ranks(name, [os.path.join(shared, folder, f"param-dlrm-set-worker{i}.pt.trace.json") for i in range(4)],
                       expected)
        elif name == "ranks-0 ranks-1":
            over_ranks(name, [os.path.join(shared, folder, f"ranks-{i}.json") for i in range(2)], expected)
        else:
            one_trace(name, path, expected, ["torch.device_categories=[mtia_ccp_events]"] if variant == "+mtia" else [])

for failure in failures:
    print(failure)
print(f"{count} traces and sets, {len(failures)} failures")
sys.exit(1 if failures or not count else 0)
