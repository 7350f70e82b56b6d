#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""picture.py TAV_RUN TAV_GEN SCHEMAS: the data of a page, by its schemas and against a computation of its own."""
import base64
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import jsonschema

TAV, GEN, SCHEMAS = sys.argv[1:4]
KINDS = ["other", "copy", "communication", "compute"]


def schema(name):
    with open(os.path.join(SCHEMAS, name)) as file:
        return jsonschema.Draft7Validator(json.load(file))


PAGE, REPORT = schema("html.schema.json"), schema("report.schema.json")


def run(*arguments, want=(0, 1)):
    done = subprocess.run([TAV, "-q", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode in want, (arguments, done.returncode, done.stderr)


def page_of(path):
    """The data of a page, tried by its schemas."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S).group(1))
    PAGE.validate(data)
    REPORT.validate(data["report"])
    assert len(text.encode()) <= data["max_bytes"] or any(cut["what"] == "bytes" for cut in data["cut"]), (path, len(text))
    return data, text


def make(folder, traces, *arguments, want=(0, 1)):
    out = os.path.join(folder, "page.html")
    run(*traces, "--report", "html=" + out, *arguments, want=want)
    return page_of(out)


# ---- What the page holds --------------------------------------------------------------------------------------------
def bins_of(text, count):
    if text is None:
        return [0] * count
    data, out, at = base64.b64decode(text), [], 0
    while at < len(data):
        out += [data[at]] if data[at] else [0] * (data[at + 1] + 1)
        at += 1 if data[at] else 2
    assert len(out) == count, (len(out), count)
    return out


def varints(data):
    value = shift = 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value = shift = 0


def events_of(picture, lane):
    numbers, start, out = list(varints(base64.b64decode(lane["data"]))), lane["from"], []
    for i in range(0, len(numbers), 3):
        start += numbers[i]
        out.append((start, start + numbers[i + 1], picture["names"][numbers[i + 2] // 4], numbers[i + 2] % 4))
    assert len(out) == lane["count"]
    return out


# ---- What it should hold, found another way: by the nanoseconds at which something changes ---------------------------
def stretches(events):
    """[from, to, kinds that run] between any two changes."""
    times = sorted({t for e in events for t in e[:2]})
    starts, running, at = sorted(events), [], 0
    for low, high in zip(times, times[1:]):
        while at < len(starts) and starts[at][0] <= low:
            running.append(starts[at])
            at += 1
        running = [e for e in running if e[1] > low]
        yield low, high, [e[3] for e in running]


def covered(events, width, count):
    """ns in bins of each kind, the highest that runs, and of more than one at once."""
    out = {name: [0] * count for name in ["compute", "communication", "copy", "twice"]}
    for low, high, kinds in stretches(events):
        told = ([KINDS[max(kinds)]] if kinds else []) + (["twice"] if len(kinds) > 1 else [])
        while told and low < high:
            end = min(high, (low // width + 1) * width)
            for name in told:
                out[name][low // width] += end - low
            low = end
    return out


def devices_of(tracks):
    """at_once and gaps of a device by the union of its tracks."""
    busy = []
    for events in tracks:
        for low, high, kinds in stretches(events):
            if kinds:
                busy.append((low, high, "", 3))
    at_once, gaps, begin = {}, {}, None
    for low, high, kinds in stretches(busy):
        at_once[len(kinds)] = at_once.get(len(kinds), 0) + high - low
        if not kinds:
            decade = 10 ** (len(str(high - low)) - 1)
            least = 3 * decade if high - low >= 3 * decade else decade
            count, ns = gaps.get(least, (0, 0))
            gaps[least] = (count + 1, ns + high - low)
    return [at_once.get(i, 0) for i in range(max(at_once) + 1)], [
        {"from_ns": least, "count": count, "ns": ns} for least, (count, ns) in sorted(gaps.items())]


def check_picture(picture, truth, is_whole):
    """`truth`: events (start, end, name, kind) by (device, stream), times since the first one."""
    every = [e for events in truth.values() for e in events]
    assert picture["span_ns"] == max(e[1] for e in every)
    assert (picture["bins"] - 1) * picture["bin_ns"] < picture["span_ns"] <= picture["bins"] * picture["bin_ns"]
    listed = {lane["track"]: events_of(picture, lane) for lane in picture["events"]}
    assert picture["whole"] == is_whole, picture["cut"]
    for track in picture["tracks"]:
        events = truth[track["device"], track["stream"]]
        assert track["events"] == len(events)
        wanted = covered(events, picture["bin_ns"], picture["bins"])
        for name, ns in wanted.items():
            assert track[name + "_ns"] == sum(ns), (track["name"], name)
            shares = [-(-n * 255 // picture["bin_ns"]) for n in ns]
            assert bins_of(track[name], picture["bins"]) == shares, (track["name"], name)
        near = [e for e in events if is_whole or any(e[0] < to and (e[1] > low or e[0] >= low) for low, to in picture["windows"])]
        assert sorted(listed.get(track["track"], [])) == sorted(near), track["name"]
    for device in picture["devices"]:
        at_once, gaps = devices_of([events for key, events in truth.items() if key[0] == device["device"]])
        assert (device["at_once"], device["gaps"]) == (at_once, gaps), device
        assert sum(at_once) == device["to"] - device["from"]
    for before, after in zip(picture["windows"], picture["windows"][1:]):
        assert before[1] < after[0]


def random_trace(path, seed, count, overlapping):
    """Device events on streams of two devices; what is true of them."""
    dice, events, truth = random.Random(seed), [], {}
    for device in range(2):
        for stream in range(1, 4):
            at, own = dice.randrange(10 ** 5), truth.setdefault((device, str(10 * device + stream)), [])
            for _ in range(count):
                kind = dice.choice([1, 2, 3])
                length = dice.choice([0, 1, 10, 1000, dice.randrange(10 ** 6)])
                name = {1: "Memcpy HtoD", 2: "ncclDevKernel_AllReduce", 3: "gemm_"}[kind] + str(dice.randrange(9))
                own.append((at, at + length, name, kind))
                events.append({"ph": "X", "cat": "gpu_memcpy" if kind == 1 else "kernel", "name": name, "pid": device,
                               "tid": 10 * device + stream, "ts": at / 1000, "dur": length / 1000,
                               "args": {"device": device, "stream": 10 * device + stream}})
                at += length + dice.choice([0, 1, 50, dice.randrange(10 ** 5)])
                if dice.random() < overlapping:
                    at -= length // 2
    dice.shuffle(events)
    with open(path, "w") as file:
        json.dump({"traceEvents": events}, file)
    first = min(e[0] for own in truth.values() for e in own)
    return {key: [(s - first, e - first, n, k) for s, e, n, k in own] for key, own in truth.items()}


def try_random(folder):
    for seed, (count, overlapping) in enumerate([(1, 0), (40, .1), (300, 0), (300, .02), (2000, .01)]):
        path = os.path.join(folder, "random.json")
        truth = random_trace(path, seed, count, overlapping)
        for most in (10 ** 6, 0):
            data, _ = make(folder, [path], "--set", f"html.max_events={most}")
            check_picture(data["report"]["sources"][0]["picture"], truth, most > 0)


def try_crowded(folder):
    """Around a finding at most 200 events stand one by one, the nearest, and none of those between is missing."""
    def kernel(stream, ts, dur):
        return {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": stream, "ts": ts, "dur": dur, "args": {"stream": stream, "device": 0}}

    for late in (500, 5):  # the later event begins after half of the earlier one, or with it: 5000 others run meanwhile
        path = os.path.join(folder, "crowded.json")
        events = [kernel(7, 10000, 1000), kernel(7, 10000 + late, 1000), *[kernel(8, 2 * i, 1) for i in range(10000)]]
        with open(path, "w") as file:
            json.dump({"traceEvents": events}, file)
        truth = {(0, stream): [(int(e["ts"] * 1000), int((e["ts"] + e["dur"]) * 1000), "k", 3)
                               for e in events if e["tid"] == int(stream)] for stream in "78"}
        data, _ = make(folder, [path], "--set", "html.max_events=100")
        picture = data["report"]["sources"][0]["picture"]
        check_picture(picture, truth, False)
        (low, high), count = picture["windows"][0], sum(lane["count"] for lane in picture["events"])
        assert low < 10000000 + late * 1000 < high and 150 < count <= 202, (picture["windows"], count)


# ---- Totals of the page and of the report ---------------------------------------------------------------------------
def told(report, stage, source=0):
    return next(s for s in report["stages"] if s["name"] == stage)["by_source"][source]


def check_totals(report, source=0):
    picture, facts = report["sources"][source]["picture"], report["sources"][source]["facts"]
    assert sum(t["events"] for t in picture["tracks"]) == facts["device_events"]
    table = next(t for t in told(report, "overlap-triage", source)["tables"] if t["id"] == "devices")
    for device, row in zip(picture["devices"], table["rows"]):
        assert row["window_ns"] == device["to"] - device["from"] == sum(device["at_once"]), (row, device)
        assert row["idle_ns"] == device["at_once"][0] == sum(gap["ns"] for gap in device["gaps"]), (row, device)


def without_what_a_page_omits(report):
    for stage in report["stages"]:
        for holder in [stage, *stage["by_source"], *stage["by_baseline"]]:
            holder["tables"] = [t for t in holder["tables"] if t["show"] != "data"]
    report.pop("run")
    return report


def try_report(folder, trace):
    """The page says what the JSON report says, for every -j and from a report read back."""
    triage = ["-s", "overlap-verify", "-s", "wall-time", "-s", "overlap-triage"]
    path, other = os.path.join(folder, "report.json"), os.path.join(folder, "plain.json")
    data, text = make(folder, [trace], *triage, "--report", "json=" + path, "-j1")
    with open(path) as file:
        report = json.load(file)
    REPORT.validate(report)
    check_totals(report)
    assert not data["cut"] and not data["anonymous"]
    picture = report["sources"][0]["picture"]
    assert without_what_a_page_omits(data["report"]) == without_what_a_page_omits(report)
    assert make(folder, [trace], *triage, "-j4")[1] == text, "the same bytes for every -j"
    assert picture["steps"] and picture["lanes"], "a stage asked for links and steps"
    again, _ = make(folder, [path], *triage)
    assert again["report"]["sources"][0]["picture"] == picture, "from a report read back"
    run(trace, *triage, "--report", "json=" + other)
    assert make(folder, [other], *triage)[0]["report"]["sources"][0]["picture"] is None, "a report does not hold one unasked"
    run(trace, *triage, "--report", "json=" + other, "--set", "json.pictures=true")
    assert make(folder, [other], *triage)[0]["report"]["sources"][0]["picture"] == picture
    return triage


def try_budget(folder, trace, triage):
    sizes = []
    for most in (2000000, 400000, 200000, 150000):
        data, text = make(folder, [trace], *triage, "--set", f"html.max_bytes={most}")
        picture = data["report"]["sources"][0]["picture"]
        said = {cut["what"] for cut in data["cut"] + picture["cut"]}
        sizes.append(len(text))
        assert most > 10 ** 6 or said, most
        for cut in data["cut"] + picture["cut"]:
            assert cut["kept"] < cut["of"] and cut["why"], cut
    assert sizes == sorted(sizes, reverse=True) and sizes[-1] <= 150000, sizes


def try_many(folder):
    ranks = []
    for rank in range(40):
        ranks.append(os.path.join(folder, f"rank{rank:02}.json"))
        subprocess.run([GEN, "--events", "400", "--rank", str(rank), "--world-size", "40", "--seed", str(rank),
                        "--overlaps", str(int(rank == 35)), "-o", ranks[-1]], check=True)
    data, text = make(folder, ranks, "-j1")
    pictures = [source["picture"] is not None for source in data["report"]["sources"]]
    assert sum(pictures) == 32 and pictures[35] and not pictures[34], pictures
    assert data["cut"][0]["what"] == "pictures" and (data["cut"][0]["kept"], data["cut"][0]["of"]) == (32, 40)
    assert make(folder, ranks, "-j4")[1] == text
    data, _ = make(folder, ranks, "-s", "overlap-verify", "-s", "wall-time", "-s", "timing", "--set", "html.max_bytes=350000")
    assert "sources" in {cut["what"] for cut in data["cut"]} and len(data["report"]["sources"]) == 40, data["cut"]
    assert [len(stage["by_source"]) for stage in data["report"]["stages"]] == [32] * 3
    data, _ = make(folder, ranks[:8])
    assert all(source["picture"]["whole"] for source in data["report"]["sources"])


def try_odd(folder):
    """No device events, no events with a length, what was never stamped, what cannot be read, names that are hostile."""
    def trace(name, events):
        path = os.path.join(folder, name)
        with open(path, "w") as file:
            json.dump({"traceEvents": events}, file)
        return path

    def kernel(ts, dur, name="k", **more):
        return {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": ts, "dur": dur, "args": {"stream": 7, "device": 0}, **more}

    host = {"ph": "X", "cat": "cpu_op", "name": "o", "pid": 1, "tid": 1, "ts": 1, "dur": 5}
    none = trace("none.json", [host])
    point = trace("point.json", [kernel(5, 0)])
    one = trace("one.json", [kernel(5, 1)])
    unstamped = trace("unstamped.json", [kernel(0, 1), kernel(5000000, 1), kernel(5000002, 1), {**host, "ts": 5000000}, {**host, "ts": 5000001}])
    broken = os.path.join(folder, "broken.json")
    with open(broken, "w") as file:
        file.write('{"traceEvents": [')
    names = ["</script><script>x", "\u202egnp.exe", "nul\x00end", "x" * 300 + "\u20ac" * 300, "__proto__"]
    hostile = trace("hostile.json", [kernel(10 * i, 1, name) for i, name in enumerate(names)])
    data, text = make(folder, [none, point, one, unstamped, broken, hostile], want=(2,))
    pictures = [source["picture"] for source in data["report"]["sources"]]
    assert [p is None for p in pictures] == [True, True, False, False, True, False]
    assert pictures[2]["span_ns"] == 1000 and events_of(pictures[2], pictures[2]["events"][0]) == [(0, 1000, "k", 3)]
    assert pictures[3]["span_ns"] == 3000 and {"unstamped"} == {c["what"] for c in pictures[3]["cut"]}
    shown = pictures[5]["names"]
    assert shown[:3] == names[:3] and shown[4] == names[4] and len(shown[3].encode()) <= 403 and "..." in shown[3]
    assert shown[3].startswith("x" * 200) and shown[3].endswith("\u20ac" * 60) and text.count("<script") == 2


def try_anonymous(folder):
    deep = os.path.join(folder, "home", "jo doe", "secret")
    os.makedirs(deep)
    path = os.path.join(deep, "trace.json")
    event = {"ph": "X", "cat": "kernel", "name": "/home/jo/secret/src/k.py(3): f", "pid": 0, "tid": 7, "ts": 1, "dur": 5,
             "args": {"stream": 7, "device": 0}}
    with open(path, "w") as file:
        json.dump({"traceEvents": [event, {**event, "ts": 2}]}, file)
    data, text = make(folder, [path, os.path.join(deep, "missing.json")], "--set", "html.anonymous=true", want=(2,))
    assert data["anonymous"] and data["report"]["sources"][0]["path"] == "trace.json"
    assert "secret" not in text.replace(".../secret/", "") and "jo" not in re.findall(r"[a-z]+", text.split("<script")[1]), "no path is there"
    assert data["report"]["sources"][0]["picture"]["names"] == [".../src/k.py(3): f"]
    assert data["report"]["stages"][0]["by_source"][0]["findings"][0]["instances"][0]["events"][0]["name"] == ".../src/k.py(3): f"


def main():
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "made.json")
        subprocess.run([GEN, "--events", "20000", "--overlaps", "150", "--streams", "6", "-o", trace], check=True)
        try_random(folder)
        try_crowded(folder)
        triage = try_report(folder, trace)
        try_budget(folder, trace, triage)
        try_many(folder)
        try_odd(folder)
        try_anonymous(folder)


if __name__ == "__main__":
    main()
