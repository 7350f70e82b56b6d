#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""browser.py TAV_RUN TRACE CHROMIUM: the HTML report in a real browser, with hostile names; 77: there is no browser."""
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HOSTILE = ["</script><script>document.title='made'</script>", "<img src=x onerror=alert(1)>", "\u202egnp.exe", "<!--<script>",
           "a\"'`${1}&lt;", "nul\x00end", "x" * 20000, "javascript:alert(1)", "\u2028line\u2029end", "__proto__"]


def data_of(text):
    """The report in the page; what it may leave out is tried in picture.py."""
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S).group(1))["report"]


def hostile(folder):
    """Each two events of a name overlap on one stream."""
    path = os.path.join(folder, "hostile <b>.json")
    events = []
    for number, name in enumerate(HOSTILE):
        for late in (0, 5):
            events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": 100 * number + late, "dur": 10,
                           "args": {"stream": 7, "device": 0}})
    with open(path, "w") as file:
        json.dump({"traceEvents": events}, file)
    return path


def page(tav, traces, folder, jobs="1"):
    out, data = os.path.join(folder, "page.html"), os.path.join(folder, "report.json")
    done = subprocess.run([tav, *traces, "-j", jobs, "--report", "html=" + out, "--report", "json=" + data], stdout=subprocess.DEVNULL,
                          check=False)
    assert done.returncode in (0, 1), done
    with open(out) as file, open(data) as report:
        text, told = file.read(), json.load(report)
    shown = data_of(text)
    told.pop("run"), shown.pop("run")
    assert shown == told, "the page says what the JSON report says"
    return out, text


def main():
    tav, trace, chromium = sys.argv[1], sys.argv[2], sys.argv[3]
    with tempfile.TemporaryDirectory() as folder:
        traces = [hostile(folder), trace]
        out, text = page(tav, traces, folder)
        assert text == page(tav, traces, folder, "2")[1], "the same bytes for every -j"
        assert text.count("<script") == 2 and "<img" not in text, "no element is made of a name"
        again = os.path.join(folder, "again.html")
        subprocess.run([tav, os.path.join(folder, "report.json"), "--report", "html=" + again], stdout=subprocess.DEVNULL, check=False)
        with open(again) as file:
            assert data_of(file.read())["sources"][0]["picture"] == data_of(text)["sources"][0]["picture"], "from a report read back"
        browser = shutil.which(chromium)
        if not browser:
            return 77
        done = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + folder + "/profile",
                               "--enable-logging=stderr", "--dump-dom", "--virtual-time-budget=3000", "file://" + out],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=100, check=False)
        if done.returncode or "<html" not in done.stdout:
            print("the browser does not run here:", done.stderr[-400:])
            return 77
        errors = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
        assert not errors, errors
        dom = re.sub(r"<script.*?</script>", "", done.stdout, flags=re.S)
        assert "<title>FAIL - tav</title>" in dom, dom[:600]
        assert "<canvas" in dom and "need the script" not in dom and "<img" not in dom
        assert "\u202e" not in dom and html.escape("<img src=x onerror", quote=False) in dom
    return 0


if __name__ == "__main__":
    sys.exit(main())
