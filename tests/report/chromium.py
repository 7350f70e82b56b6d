# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, driven like a person does it, over its debugging pipe: no package beside Python and Chromium."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

# Before the page's own script: how long it computes for each frame.
FRAMES = """window.__frames = [];
const ask = window.requestAnimationFrame;
window.requestAnimationFrame = act => ask.call(window, t => { const a = performance.now(); act(t); window.__frames.push(performance.now() - a); });"""


class Browser:
    """Errors of the console and requests for anything but the page itself are kept in `errors` and `requests`."""

    def __init__(self, program):
        self.folder = tempfile.mkdtemp()
        to_child, self.write_end = os.pipe()
        self.read_end, from_child = os.pipe()

        def child():  # what it reads from is 3, what it writes to is 4
            os.dup2(to_child, 13)
            os.dup2(from_child, 14)
            os.dup2(13, 3)
            os.dup2(14, 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--hide-scrollbars",
             "--force-color-profile=srgb", "--font-render-hinting=none", "--disable-lcd-text", "--no-first-run",
             "--user-data-dir=" + self.folder, "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=child, close_fds=False)
        os.close(to_child)
        os.close(from_child)
        self.buffer, self.number, self.session = b"", 0, None
        self.errors, self.requests, self.url, self.loaded = [], [], None, False
        targets = self.send("Target.getTargets")["targetInfos"]
        page = next(t for t in targets if t["type"] == "page")
        self.session = self.send("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(domain + ".enable")
        self.send("Page.addScriptToEvaluateOnNewDocument", source=FRAMES)

    def read(self, seconds):
        """One message, or None."""
        end = time.monotonic() + seconds
        while b"\0" not in self.buffer:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.read_end], [], [], left)[0]:
                return None
            got = os.read(self.read_end, 1 << 20)
            if not got:
                raise OSError("the browser ended")
            self.buffer += got
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def note(self, message):
        method, told = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = told["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning", "assert"):
            self.errors.append(json.dumps(told["args"]))
        elif method == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
            self.errors.append(told["entry"]["text"])
        elif method == "Network.requestWillBeSent" and told["request"]["url"].split("#")[0] != self.url:
            self.requests.append(told["request"]["url"][:200])
        elif method == "Page.loadEventFired":
            self.loaded = True
        elif method == "Page.javascriptDialogOpening":
            self.errors.append("a dialog: " + told["message"])

    def send(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        while True:
            got = self.read(60)
            if got is None:
                raise OSError("no answer to " + method)
            if got.get("id") == self.number:
                if "error" in got:
                    raise OSError(method + ": " + got["error"]["message"])
                return got["result"]
            self.note(got)

    def settle(self, seconds=0.1):
        """Lets the page work for a while."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            got = self.read(left)
            if got:
                self.note(got)

    def js(self, expression):
        got = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in got:
            raise AssertionError(expression[:200] + ": " + got["exceptionDetails"].get("exception", {}).get("description", "?"))
        return got["result"].get("value")

    def size(self, width, height, scale=1):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)

    def prefer(self, **features):
        """prefer(prefers_color_scheme="dark")"""
        self.send("Emulation.setEmulatedMedia", media="",
                  features=[{"name": name.replace("_", "-"), "value": value} for name, value in features.items()])

    def open(self, path, fragment="", wait=0.25, runs_script=True):
        """Seconds until it was loaded, as the browser itself measures it."""
        self.url = "file://" + path
        if self.js("location.href").split("#")[0] == self.url:  # another fragment alone would load nothing
            self.send("Page.navigate", url="about:blank")
            self.settle(0.05)
        self.loaded = False
        self.requests.clear()
        self.send("Page.navigate", url=self.url + fragment)
        end = time.monotonic() + 60
        while not self.loaded and time.monotonic() < end:
            self.settle(0.02)
        self.settle(wait)
        if runs_script:  # what was to be drawn is
            self.js("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))")
        return self.js("performance.getEntriesByType('navigation')[0]?.loadEventEnd || 0") / 1000

    def key(self, key):
        text = key if len(key) == 1 else {"Enter": "\r", "Tab": ""}.get(key, "")
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Home": 36, "Delete": 46}
        told = {"key": key, "windowsVirtualKeyCode": codes.get(key, ord(key.upper()[0]) if key.isalnum() else 0)}
        self.send("Input.dispatchKeyEvent", type="keyDown", **told, **({"text": text} if text else {}))
        self.send("Input.dispatchKeyEvent", type="keyUp", **told)
        self.settle()

    def type(self, text):
        self.send("Input.insertText", text=text)
        self.settle()

    def box(self, selector):
        """Where an element lies in the window, after it was brought there: x, y, width, height."""
        found = self.js("(() => { const e = document.querySelector(%s); if (!e) return null; e.scrollIntoView({block: 'center'});"
                        "const r = e.getBoundingClientRect(); return [r.x, r.y, r.width, r.height]; })()" % json.dumps(selector))
        assert found, "no element " + selector
        return found

    def mouse(self, kind, x, y, **more):
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, selector, part_x=0.5, part_y=0.5, count=1):
        x, y, width, height = self.box(selector)
        x, y = x + width * part_x, y + height * part_y
        self.mouse("mouseMoved", x, y)
        for number in range(1, count + 1):
            self.mouse("mousePressed", x, y, button="left", clickCount=number)
            self.mouse("mouseReleased", x, y, button="left", clickCount=number)
        self.settle(0.15)

    def drag(self, selector, part_from, part_to, part_y=0.5):
        x, y, width, height = self.box(selector)
        y += height * part_y
        self.mouse("mouseMoved", x + width * part_from, y)
        self.mouse("mousePressed", x + width * part_from, y, button="left", clickCount=1)
        for step in range(1, 9):
            self.mouse("mouseMoved", x + width * (part_from + (part_to - part_from) * step / 8), y, buttons=1, button="left")
        self.mouse("mouseReleased", x + width * part_to, y, button="left", clickCount=1)
        self.settle(0.15)

    def wheel(self, selector, down, part_x=0.5, part_y=0.5):
        x, y, width, height = self.box(selector)
        self.settle(0.4)  # a wheel that has just scrolled the page goes on doing so
        self.mouse("mouseWheel", x + width * part_x, y + height * part_y, deltaX=0, deltaY=down)
        self.settle(0.2)

    def picture(self, whole=True):
        """PNG bytes, of the whole page or of the window."""
        more = {}
        if whole:
            size = self.send("Page.getLayoutMetrics")["cssContentSize"]
            more = {"captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}}
        return base64.b64decode(self.send("Page.captureScreenshot", format="png", **more)["data"])

    def close(self):
        try:
            self.session = None
            self.send("Browser.close")
        except OSError:
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.write_end)
        os.close(self.read_end)
        shutil.rmtree(self.folder, ignore_errors=True)
