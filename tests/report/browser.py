#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
The HTML report in a real browser, used like a person does it. Whatever the console says and whatever is asked of a network
fails the test, and so does a picture of a state that differs from the kept one. 77: there is no browser here.

    browser.py --tav-run PROGRAM --tav-gen PROGRAM [--keep FOLDER] [--accept] [--shared FOLDER] [--only WORD]

--keep: all pictures, to be looked at; --accept: what is seen now is what shall be kept.
"""
import argparse
import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import colours
from chromium import Browser

HERE = os.path.dirname(os.path.abspath(__file__))
PICTURES = os.path.join(HERE, "pictures")
with open(os.path.join(HERE, "audit.js"), encoding="utf-8") as code:
    AUDIT = code.read()
HOSTILE = ["</script><script>document.title='made'</script>", "<img src=x onerror=\"document.title='made'\">", "\"><svg onload=alert(1)>",
           "\u202egnp.exe", "<!--<script>", "a\"'`${1}&lt;&#60;", "nul\x00end", "x" * 20000, "javascript:alert(1)", "\u2028line\u2029end",
           "__proto__", "constructor", "\u200binvisible\u00ad", "\ufeff\ufff9\uffff", "\U000e0041tag", "{{7*7}}", "%s%n", "\u0430ct", "",
           "<" * 300, "a<" * 300, ">" * 300, "((((", "\\u003cb\\u003e", "]]>", "-->", "<base href=//evil>", "<meta http-equiv=refresh content=0>"]
UNSEEN = re.compile("[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def event(name, ts, dur, stream=7, cat="kernel", **more):
    args = {"stream": stream, "device": 0}
    args.update(more)
    return {"ph": "X", "cat": cat, "name": name, "pid": 0, "tid": stream, "ts": ts, "dur": dur, "args": args}


class Makes:
    """The pages that are looked at."""

    def __init__(self, arguments, folder):
        self.tav, self.gen, self.folder = arguments.tav_run, arguments.tav_gen, folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, events):
        with open(self.path(name), "w") as file:
            json.dump({"traceEvents": events}, file)
        return self.path(name)

    def generate(self, name, *options):
        subprocess.run([self.gen, "-o", self.path(name), *options], check=True)
        return self.path(name)

    def page(self, name, *arguments, may_end=(0, 1), program="html"):
        out = self.path(name)
        done = subprocess.run([self.tav, *arguments, "-q", "--report", program + "=" + out], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, check=False)
        assert done.returncode in may_end, done
        return out

    def pipeline(self, name, *stages):
        with open(self.path(name), "w") as file:
            file.write("version: 1\nstages:\n" + "".join("  - stage: %s\n" % stage for stage in stages))
        return self.path(name)


class Test:
    def __init__(self, arguments, folder, browser):
        self.arguments, self.browser, self.makes = arguments, browser, Makes(arguments, folder)
        self.failed = []

    def check(self, holds, words, told=""):
        if not holds:
            self.failed.append(words)
            print("FAIL:", words, told)

    def quiet(self, where):
        self.check(not self.browser.errors, where + ": the console is silent", self.browser.errors[:3])
        self.check(not self.browser.requests, where + ": nothing is asked of a network", self.browser.requests[:3])
        self.browser.errors.clear()
        self.browser.requests.clear()

    def text(self, selector):
        return self.browser.js("(document.querySelector(%s) || {}).textContent" % json.dumps(selector))

    def number(self, selector):
        return self.browser.js("document.querySelectorAll(%s).length" % json.dumps(selector))

    # ---- pictures: kept small, shrunk and compared by the browser itself ----
    def picture(self, name):
        size = self.browser.send("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 2400), "scale": 1}
        shot = self.browser.send("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)["data"]
        self.shots.append((name, shot))
        if self.arguments.keep:
            os.makedirs(self.arguments.keep, exist_ok=True)
            with open(os.path.join(self.arguments.keep, name + ".png"), "wb") as file:
                file.write(base64.b64decode(shot))

    def compare(self):
        """The share of points that differ by more than an eye would forgive; letters are drawn a little differently everywhere."""
        self.browser.open(self.makes.write("blank.html", []))
        self.browser.js("""window.load = async (data, part) => { const i = new Image(); i.src = data; await i.decode();
            const c = document.createElement("canvas"); c.width = Math.round(i.width * part); c.height = Math.round(i.height * part);
            const g = c.getContext("2d"); g.imageSmoothingQuality = "high"; g.drawImage(i, 0, 0, c.width, c.height); return c; };
        window.compare = (one, other) => { const w = one.width, h = one.height;
            if (other.width !== w || Math.abs(other.height - h) > h / 20) return 1;
            const [a, b] = [one, other].map(c => c.getContext("2d").getImageData(0, 0, w, h).data);
            let n = 0;
            for (let i = 0; i < a.length; i += 4) n += Math.abs(a[i] - b[i]) + Math.abs(a[i + 1] - b[i + 1]) + Math.abs(a[i + 2] - b[i + 2]) > 110;
            return n / (w * h); }; 0""")
        # Another browser or other fonts draw another picture: what was kept says which ones it was made with.
        drawn_by = self.browser.js("""(() => { const g = document.createElement("canvas").getContext("2d");
            return navigator.userAgent.replace(/.*Chrome\\/(\\d+).*/, "$1") + ["system-ui", "ui-monospace, monospace"].map(f => { g.font = "16px " + f;
            return " " + g.measureText("The quick brown fox 0123456789").width.toFixed(3); }).join(""); })()""")
        kept_by = os.path.join(PICTURES, "drawn-by")
        if self.arguments.accept:
            os.makedirs(PICTURES, exist_ok=True)
            with open(kept_by, "w") as file:
                file.write(drawn_by + "\n")
        elif not os.path.exists(kept_by) or open(kept_by).read().strip() != drawn_by:
            print("pictures are not compared: they were drawn with another browser or other fonts (%s here)" % drawn_by)
            self.shots.clear()
        for name, shot in self.shots:
            kept = os.path.join(PICTURES, name + ".webp")
            if self.arguments.accept:
                small = self.browser.js("load('data:image/png;base64,%s', 0.15).then(c => c.toDataURL('image/webp', 0.75))" % shot)
                os.makedirs(PICTURES, exist_ok=True)
                with open(kept, "wb") as file:
                    file.write(base64.b64decode(small.split(",")[1]))
                continue
            if not os.path.exists(kept):
                self.check(False, "there is a picture of " + name + " to compare with: --accept makes it")
                continue
            with open(kept, "rb") as file:
                was = base64.b64encode(file.read()).decode()
            differs = self.browser.js("Promise.all([load('data:image/webp;base64,%s', 1), load('data:image/png;base64,%s', 0.15)]).then(([a, b]) => compare(a, b))" % (was, shot))
            self.check(differs <= 0.02, "picture %s is as it was (--keep FOLDER to look at it, --accept to keep it)" % name, differs)
        self.browser.errors.clear()
        self.browser.requests.clear()

    def views(self, name, path, sizes=((400, "light"), (400, "dark"), (1000, "light"), (1000, "dark"), (1900, "light"), (1900, "dark"))):
        """A page in several widths and both themes: nothing wider than the window, nothing that cannot be read."""
        for width, theme in sizes:
            self.browser.prefer(prefers_color_scheme=theme)
            self.browser.size(width, 900)
            self.browser.open(path)
            told = self.browser.js(AUDIT)
            self.check(not told["wrong"] and told["texts"] > 10, "%s at %d, %s: everybody can use it" % (name, width, theme), told)
            self.quiet("%s at %d, %s" % (name, width, theme))
            self.picture("%s-%d-%s" % (name, width, theme))

    # ---- a person ----
    def one(self):
        makes, browser = self.makes, self.browser
        trace = makes.generate("step.json", "--events", "2000", "--streams", "3", "--overlaps", "24", "--gz")
        pipeline = makes.pipeline("all.yaml", "overlap-verify", "timing", "links", "structure", "coverage", "answers", "wall-time", "operators", "stats",
                                  "overlap-triage")
        path = makes.page("one.html", "-c", pipeline, trace)
        self.views("one", path)
        browser.prefer(prefers_color_scheme="light")
        browser.size(1280, 900)
        browser.open(path)
        chosen = lambda: self.text("[aria-label='The chosen finding'] h2")
        where = lambda: self.text(".tools .soft")
        self.check(browser.js("document.title").startswith("FAIL: step.json"), "the title says the verdict")
        self.check("24 of " in self.text("h1") and self.text("h1").startswith("fail"), "one line says what was found", self.text("h1"))
        self.check(chosen() == "overlap 1 of 24", "the first finding is chosen", chosen())
        first = where()
        browser.key("n")
        self.check(chosen() == "overlap 2 of 24" and where() != first, "n: the next finding", chosen())
        browser.key("p")
        self.check(chosen() == "overlap 1 of 24", "p: the one before", chosen())
        browser.settle(0.4)
        self.check(browser.js("location.hash").startswith("#run=0&f=overlap-verify/overlap/1&at="), "the address names it", browser.js("location.hash"))
        spans = [where()]
        for act in (lambda: browser.wheel(".lanes", 240, 0.6), lambda: browser.drag(".lanes", 0.8, 0.4), lambda: browser.key("w"), lambda: browser.key("d"),
                    lambda: browser.key("s"), lambda: browser.key("a"), lambda: browser.drag(".overview", 0.3, 0.6), lambda: browser.click(".tools button:nth-child(2)")):
            act()
            browser.settle(0.1)
            spans.append(where())
        self.check(all(a != b for a, b in zip(spans, spans[1:])), "wheel, drag, keys, overview and button move the window", spans)
        browser.js("document.querySelector('.lanes').focus()")
        for key in ("ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown"):
            before = where()
            browser.key(key)
            self.check(where() != before, key + " moves it as well")
        browser.click(".lanes", 0.5, 0.02, count=2)
        browser.settle(0.5)
        self.check("at=" not in browser.js("location.hash"), "a double click shows all, which is no part of the address", browser.js("location.hash"))
        browser.key(".")
        event_card = self.text(".event")
        self.check("chosen event" in event_card and "exact length" in event_card, "a dot chooses an event, with its facts", event_card)
        browser.key(".")
        self.check(self.text(".event") != event_card, "and the next one")
        browser.key("Escape")
        self.check("chosen event" not in (self.text(".event") or ""), "Escape leaves it")
        browser.key("n")
        browser.settle(0.3)
        browser.click(".lanes", 0.55, 0.4)
        browser.settle(0.2)
        x, y, width, height = browser.box(".lanes")
        for place in range(300):  # somewhere on the lanes is an event
            at = x + width * (20 + place % 75) / 100, y + height * (0.25 + place // 75 * 0.15)
            browser.mouse("mouseMoved", *at)
            if browser.js("!document.getElementById('tip').hidden"):
                break
        self.check(browser.js("!document.getElementById('tip').hidden") and "lasts" in self.text("#tip"), "the pointer is told what it is on")
        browser.mouse("mousePressed", *at, button="left", clickCount=1)
        browser.mouse("mouseReleased", *at, button="left", clickCount=1)
        browser.settle()
        self.check("chosen event" in self.text(".event"), "a click on an event chooses it")
        # table
        rows = "[aria-label='The chosen finding']"
        browser.key("/")
        self.check(browser.js("document.activeElement.type") == "search", "a slash goes to the filter")
        name = browser.js("document.querySelector('.picks tbody .mono').title")
        all_rows = self.number(".picks tbody tr")
        browser.type(name[:30])
        few = self.number(".picks tbody tr")
        self.check(0 < few < all_rows, "the filter leaves what matches", (few, all_rows))
        browser.js("document.activeElement.select()")
        browser.type("no such name")
        self.check(self.number(".picks tbody tr") == 0 and "0 match" in self.text(".filter"), "and says when nothing does")
        browser.js("document.activeElement.select()")
        browser.key("Delete")
        self.check(self.number(".picks tbody tr") == all_rows, "without a word all are back")
        browser.key("Escape")
        column = 1 + browser.js("[...document.querySelectorAll('.picks th')].findIndex(th => th.textContent === 'at')")
        browser.click(".picks th:nth-child(%d) button" % column)
        at = browser.js("[...document.querySelectorAll('.picks tbody tr')].map(r => r.cells[%d].textContent)" % (column - 1))
        self.check(browser.js("document.querySelector('.picks th:nth-child(%d)').ariaSort" % column) == "descending" and at[0] != at[-1], "a column sorts", at[:3])
        browser.click(".picks tbody tr:nth-child(3)")
        self.check(self.number(".picks [aria-selected]") == 1 and rows and chosen(), "a row is chosen by a click")
        browser.js("document.querySelector('.picks tbody tr:nth-child(4) button').focus()")
        was = chosen()
        browser.key("Enter")
        self.check(chosen() != was, "and by Enter")
        # everything else opens
        browser.js("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        browser.settle(0.3)
        self.check(self.number("details table") > 5, "the other tables are there when one opens them")
        told = browser.js(AUDIT)
        self.check(not told["wrong"], "and can be used by everybody", told)
        headings = browser.js("[...document.querySelectorAll('h2')].map(h => h.textContent)")
        for heading in ("What this trace can answer", "Timeline of the device", "Findings", "Streams busy at once", "Idle gaps by length", "Where the time goes",
                        "Why the device is idle", "Where the time goes, by name", "What to change first", "More tables", "What was looked at"):
            self.check(heading in headings, "section " + heading, headings)
        # the first Tab
        browser.open(path)
        browser.key("Tab")
        self.check(self.text(":focus") == "To the results", "the first Tab offers to skip the head")
        browser.key("Enter")
        self.check(browser.js("document.activeElement.tagName") == "MAIN", "and does it")
        # the theme, and the address again
        browser.click("header button")
        self.check(browser.js("document.documentElement.dataset.theme") == "dark", "the other theme by a button")
        browser.key("n")
        browser.key("n")
        browser.settle(0.5)
        fragment, seen = browser.js("location.hash"), (chosen(), where())
        browser.open(path, fragment)
        self.check((chosen(), where()) == seen and browser.js("document.documentElement.dataset.theme") == "dark", "an address restores what was seen", fragment)
        for nonsense in ("#run=99", "#run=0&f=no/such/1", "#f=&&&=", "#at=1~2", "#run=-1", "#%00%ff", "#run=0&at=9~-9", "#main"):
            browser.open(path, nonsense)
            self.check(self.number("h1") == 1 and chosen(), "an address that means nothing does no harm: " + nonsense)
        # another finding by its address alone: the page stays as it is
        browser.open(path)
        browser.js("document.querySelector('details').open = true; location.hash = '#run=0&f=overlap-verify/overlap/5'")
        browser.settle(0.3)
        self.check(chosen() == "overlap 5 of 24" and browser.js("document.querySelector('details').open"), "a link within the page changes the finding alone", chosen())
        # two fingers, and one
        browser.size(400, 900)
        browser.send("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)
        browser.open(path)
        x, y, width, height = browser.box(".lanes")
        for apart, words in ((30, "two fingers zoom"), (0, "one finger moves")):
            was = where()
            points = lambda step: [{"x": x + width * 0.5 - apart - step, "y": y + 60, "id": 0}] + ([{"x": x + width * 0.5 + apart + step, "y": y + 60, "id": 1}] if apart else [])
            browser.send("Input.dispatchTouchEvent", type="touchStart", touchPoints=points(0))
            for step in range(5, 70, 8):
                browser.send("Input.dispatchTouchEvent", type="touchMove", touchPoints=points(step))
            browser.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
            browser.settle(0.2)
            self.check(where() != was, words, was)
        browser.send("Emulation.setTouchEmulationEnabled", enabled=False)
        browser.size(1280, 900)
        # print
        browser.open(path)
        browser.js("dispatchEvent(new Event('beforeprint'))")
        browser.send("Emulation.setEmulatedMedia", media="print")
        browser.settle(0.3)
        self.check(browser.js("document.documentElement.dataset.theme") == "light" and browser.js("[...document.querySelectorAll('details')].every(d => d.open)"),
                   "on paper it is light, and all is open")
        self.check(browser.js("[...document.querySelectorAll('.btn, .filter')].every(e => !e.getClientRects().length)"), "without buttons")
        self.check(len(browser.send("Page.printToPDF")["data"]) > 10000, "and prints")
        browser.send("Emulation.setEmulatedMedia", media="")
        browser.js("dispatchEvent(new Event('afterprint'))")
        self.quiet("one trace")

    def colours(self):
        path = self.makes.page("colours.html", self.makes.generate("c.json", "--events", "500"))
        for theme in ("light", "dark"):
            self.browser.open(path, "#theme=" + theme)
            of = self.browser.js("(() => { const s = getComputedStyle(document.documentElement), o = {}; for (const k of ['card', 'bg', 'fill', 'ink', 'dim', 'accent',"
                                 "'bad', 'ok', 'warn', 'bad-fill', 'ok-fill', 'warn-fill', 'compute', 'communication', 'copy', 'other', 'on-compute',"
                                 "'on-communication', 'on-copy', 'on-other', 'late', 'calm']) o[k] = s.getPropertyValue('--' + k).trim(); return o; })()")
            distance = colours.nearest({k: of[k] for k in ("compute", "communication", "copy", "other", "bad")})
            self.check(distance[0] > 20, theme + ": kinds of work are told apart by everybody", distance)
            distance = colours.nearest({k: of[k] for k in ("late", "calm", "fill")})
            self.check(distance[0] > 10, theme + ": and so are causes", distance)
            pairs = [(ink, ground) for ink in ("ink", "dim", "accent", "bad", "ok", "warn") for ground in ("card", "bg")] + [("dim", "fill"), ("ink", "fill")]
            pairs += [(k, k + "-fill") for k in ("bad", "ok", "warn")] + [("on-" + k, k) for k in ("compute", "communication", "copy", "other")]
            for ink, ground in pairs:
                self.check(colours.contrast(of[ink], of[ground]) >= 4.5, "%s: %s on %s can be read" % (theme, ink, ground), colours.contrast(of[ink], of[ground]))
        self.quiet("colours")

    def many(self):
        makes, browser = self.makes, self.browser
        pipeline = makes.pipeline("ranks.yaml", "overlap-verify", "ranks", "collectives", "answers", "wall-time", "stats")
        eight = [makes.generate("rank%d.json" % i, "--events", "600", "--rank", str(i), "--world-size", "8", "--seed", str(i + 1),
                                "--overlaps", "2" if i == 5 else "0") for i in range(8)]
        path = makes.page("eight.html", "-c", pipeline, *eight)
        self.views("eight", path, ((400, "dark"), (1000, "light")))
        browser.size(1280, 900)
        browser.open(path)
        self.check(self.number(".source") == 8 and "rank5.json" in self.text(".source"), "a card for each of eight, what fails first", self.text(".source"))
        browser.click(".source:nth-child(4)")
        self.check(self.number(".source[aria-pressed=true]") == 1 and browser.js("document.querySelector('.source:nth-child(4)').ariaPressed") == "true", "a card is chosen")
        many = [makes.generate("m%03d.json" % i, "--events", "120", "--rank", str(i), "--world-size", "40", "--seed", str(i + 1),
                               "--overlaps", "1" if i % 9 == 4 else "0") for i in range(40)]
        broken = makes.generate("broken.json", "--events", "200", "--defect", "truncated")
        path = makes.page("many.html", "-c", pipeline, *many, broken, may_end=(2,))
        self.views("many", path, ((400, "light"), (1000, "dark"), (1900, "light")))
        browser.size(1280, 900)
        browser.open(path)
        self.check("of 41 traces fail (1 could not be read)" in self.text("h1"), "one line for all of them", self.text("h1"))
        self.check(self.number(".picks tbody tr") == 41 and "broken.json" in self.text(".picks tbody tr"), "a row for each, what could not be read first")
        self.check("truncated" in self.text("pre") or self.number("pre") > 0, "where it could not be read")
        browser.js("document.querySelector('.picks tbody tr:nth-child(2) button').click()")
        browser.settle(0.3)
        self.check("rank" in self.text("[aria-label='The chosen finding'] ~ *, main") and chosen_name(browser) == "m004.json", "a row shows its trace", chosen_name(browser))
        browser.js("document.querySelector('.filter input').focus()")
        browser.type("m012")
        self.check(self.number(".picks tbody tr") >= 1 and "m012" in self.text(".picks tbody tr"), "the filter finds a trace")
        self.quiet("many traces")

    def compared(self):
        makes = self.makes
        old = makes.write("old.json", [event("gemm", 100 * i, 40) for i in range(40)] + [event("copy", 100 * i + 50, 9, cat="gpu_memcpy") for i in range(40)])
        new = makes.write("new.json", [event("gemm", 100 * i, 55) for i in range(40)] + [event("added", 100 * i + 60, 5) for i in range(40)])
        path = makes.page("compared.html", "-s", "diff", "--set", "diff.baseline=[%s]" % old, new)
        self.views("compared", path, ((400, "light"), (1000, "dark")))
        text = self.browser.js("document.querySelector('main').textContent")
        self.check("Compared with the baseline" in text and "time of each call" in text and "regressed" in text, "a comparison with its parts")
        self.quiet("compared")

    def bare(self):
        """What has no device work, is empty, hostile, or of stages that the page does not know."""
        makes, browser = self.makes, self.browser
        host = makes.write("host.json", [{"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": i * 10, "dur": 5} for i in range(20)])
        for name, arguments in (("host.html", ["-s", "stats", "--dialect", "torch", host]), ("clean.html", [makes.generate("clean.json", "--events", "300")]),
                                ("single.html", [makes.write("single.json", [event("only", 5, 3)])]), ("instant.html", [makes.write("instant.json", [event("only", 5, 0)])]),
                                ("cut.html", [makes.generate("cut.json", "--events", "300", "--defect", "truncated")]),
                                ("bytes.html", [makes.generate("bytes.json", "--events", "300", "--defect", "bad-utf8")])):
            path = makes.page(name, *arguments, may_end=(0, 1, 2))
            browser.open(path)
            self.check(self.number("h1") == 1 and self.number("section") >= 2, name + " has its page")
            self.quiet(name)
        # without a script
        browser.send("Emulation.setScriptExecutionDisabled", value=True)
        browser.open(makes.path("clean.html"), runs_script=False)
        browser.send("Emulation.setScriptExecutionDisabled", value=False)
        text = re.sub(r"<script.*?</script>", "", open(makes.path("clean.html")).read(), flags=re.S)
        self.check("overlap-verify: overlap" in text and "word pass" in text and "clean.json" in text, "verdict and checks stand in the file itself")
        self.quiet("without a script")
        # a stage that this page has never heard of
        path = makes.page("known.html", "-s", "stats", makes.path("clean.json"))
        text = open(path).read()
        path = makes.path("unknown.html")
        with open(path, "w") as file:
            file.write(text.replace('"name":"stats"', '"name":"weather"').replace('"name": "stats"', '"name": "weather"').replace('"id":"stats"', '"id":"weather"').replace('"id": "stats"', '"id": "weather"'))
        browser.open(path)
        browser.js("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        browser.settle(0.2)
        self.check("weather" in browser.js("document.querySelector('main').textContent") and self.number("details table") > 3, "a stage that is not known has its tables")
        self.quiet("an unknown stage")

    def hostile(self):
        makes, browser = self.makes, self.browser
        events = [event(name, 100 * number + late, 10, stream=stream) for number, name in enumerate(HOSTILE) for stream in (7, "7\"><i>\u202e") for late in (0, 5)]
        path = makes.write("hostile <b>\u202e.json", events)
        pipeline = makes.pipeline("hostile.yaml", "overlap-verify", "wall-time", "operators", "stats", "overlap-triage")
        corpus = [path]
        if self.arguments.shared:
            corpus += [p for p in [os.path.join(self.arguments.shared, "html-mock", "hostile.json")] if os.path.exists(p)]
        page = makes.page("hostile.html", "-c", pipeline, *corpus)
        text = open(page, encoding="utf-8").read()
        self.check(text.count("<script") == 2 and not re.search(r"<(img|svg|base|i|b)\b", re.sub(r"<script.*?</script>", "", text, flags=re.S)), "no name makes an element in the file")
        browser.open(page)
        browser.js("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        browser.settle(0.3)
        for _ in range(12):
            browser.key("n")
            browser.key(".")
        shown = browser.js("document.body.innerText")
        titles = browser.js("[...document.querySelectorAll('[title]')].map(e => e.title).join(' ') + document.title + [...document.querySelectorAll('[aria-label]')].map(e => e.ariaLabel)")
        self.check(not UNSEEN.search(shown.replace("\n", " ")) and not UNSEEN.search(titles), "nothing that cannot be seen is shown", UNSEEN.findall(shown + titles)[:5])
        self.check("\\u202egnp.exe" in shown and "<img src=x onerror" in shown, "but what it is")
        self.check(browser.js("document.querySelectorAll('#page img, #page svg, #page script, #page base, #page meta, #page style').length") == 0, "no element")
        self.check("made" not in browser.js("document.title") and browser.js("Object.keys(Object.prototype).length") == 0, "no change of anything")
        self.check(browser.js("document.querySelectorAll('a').length") == browser.js("document.querySelectorAll('a[href^=\"#\"]').length"), "no address is made of data")
        self.quiet("hostile names")
        # even a hole in the escaping would run nothing and ask nothing
        with open(makes.path("hole.html"), "w") as file:
            file.write(text.replace("</body>", "<script>document.title='made'</script><img src=x onerror=\"document.title='made'\"><img src=https://127.0.0.1:1/x>"
                                               "<style>h1{display:none}</style><link rel=stylesheet href=x.css></body>"))
        browser.open(makes.path("hole.html"))
        self.check("made" not in browser.js("document.title") and browser.js("getComputedStyle(document.querySelector('h1')).display") == "block", "the policy lets nothing in")
        self.check(any("Content Security Policy" in e for e in browser.errors), "and says so")
        browser.errors.clear()
        browser.requests.clear()

    def large(self):
        """Time to open, and for each frame; the size of the page without its data."""
        makes, browser = self.makes, self.browser
        path = makes.page("large.html", makes.generate("large.json", "--events", "240000", "--streams", "4", "--overlaps", "150"))
        size, text = os.path.getsize(path), open(path).read()
        template = len(re.sub(r'(id="data">).*?</script>', r"\1</script>", text, flags=re.S)) - len(re.search(r'<main id="plain">(.*?)</main>', text, re.S).group(1))
        self.check(template < 60000, "template and script are under 60 kB", template)
        self.check(size < 5e6, "the page is under 5 MB", size)
        browser.size(1400, 900)
        browser.prefer(prefers_color_scheme="light")
        opened = min(t for t in [browser.open(path) for _ in range(3)] if t)
        browser.js("document.querySelector('.tools button:nth-child(3)').click()")
        browser.settle(0.3)
        x, y, width, height = browser.box(".lanes")
        browser.settle(0.5)
        browser.js("window.__frames.length = 0")
        for number in range(60):
            browser.mouse("mouseWheel", x + width * 0.6, y + height * 0.4, deltaX=30 if number % 3 else 0, deltaY=-25 if number < 30 else 25)
            browser.settle(0.02)
        frames = sorted(browser.js("window.__frames"))
        middle, most = frames[len(frames) // 2], frames[int(len(frames) * 0.95)]
        print("page of %.1f MB, template and script %d bytes; opened in %.2f s; %d frames, median %.1f ms, 95 %% below %.1f ms" %
              (size / 1e6, template, opened, len(frames), middle, most))
        self.check(opened < 2.5, "it opens quickly (1 s on a machine that does nothing else)", opened)
        self.check(len(frames) > 10 and middle < 16.7, "it moves at 60 frames a second", (middle, most))
        self.quiet("a large page")

    def run(self):
        self.shots = []
        for name in ("one", "colours", "many", "compared", "bare", "hostile", "large"):
            if not self.arguments.only or self.arguments.only == name:
                getattr(self, name)()
        self.compare()
        return 1 if self.failed else 0


def chosen_name(browser):
    return browser.js("[...document.querySelectorAll('h2')].map(h => h.textContent).find(t => /json$/.test(t))?.replace(/^\\w+ /, '')")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tav-run", required=True)
    parser.add_argument("--tav-gen", required=True)
    parser.add_argument("--chromium", default="chromium")
    parser.add_argument("--keep")
    parser.add_argument("--shared")
    parser.add_argument("--only")
    parser.add_argument("--accept", action="store_true")
    arguments = parser.parse_args()
    program = shutil.which(arguments.chromium)
    if not program:
        print("no", arguments.chromium, "here")
        return 77
    try:
        browser = Browser(program)
    except OSError as error:
        print("the browser does not run here:", error)
        return 77
    try:
        with tempfile.TemporaryDirectory() as folder:
            return Test(arguments, folder, browser).run()
    finally:
        browser.close()


if __name__ == "__main__":
    sys.exit(main())
