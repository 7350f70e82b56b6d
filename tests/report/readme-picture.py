#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""readme-picture.py TAV_RUN TAV_GEN: makes page.webp beside it, the picture of a page that README.md shows."""
import base64
import os
import subprocess
import sys
import tempfile

from chromium import Browser


def main():
    tav, gen = sys.argv[1:3]
    browser = Browser("chromium")
    with tempfile.TemporaryDirectory() as folder:
        trace, page = os.path.join(folder, "step.json.gz"), os.path.join(folder, "page.html")
        subprocess.run([gen, "--events", "2000", "--streams", "2", "--overlaps", "2", "--gz", "--output", trace], check=True)
        subprocess.run([tav, "-q", trace, "--report", "html=" + page], stdout=subprocess.DEVNULL, check=False)
        browser.prefer(prefers_color_scheme="light")
        browser.size(1180, 900)
        browser.open(page)
        shot = browser.send("Page.captureScreenshot", format="webp", quality=65, clip={"x": 0, "y": 0, "width": 1180, "height": 860, "scale": 1})["data"]
    browser.close()
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "page.webp"), "wb") as file:
        file.write(base64.b64decode(shot))


if __name__ == "__main__":
    main()
