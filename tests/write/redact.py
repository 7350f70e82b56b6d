#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What redact keeps by default: redact.py TAV-RUN SOURCE-DIR. All that the dialects read, and the same in its two places."""
import glob
import json
import os
import re
import subprocess
import sys

from writing import Tester

tav_run, source = sys.argv[1:]
tester = Tester()
schema = json.loads(subprocess.run([tav_run, "--schema"], stdout=subprocess.PIPE, check=True).stdout)


def find(value, name):
    """What the schema says of that option, wherever it stands."""
    if isinstance(value, dict):
        if name in value:
            return value[name]
        value = list(value.values())
    for part in value if isinstance(value, list) else []:
        found = find(part, name)
        if found:
            return found
    return None


kept = set(find(schema, "keep_args")["default"])
for path in glob.glob(os.path.join(source, "dialects", "*", "*.c")) + [os.path.join(source, "core/include/tav/collective.h")]:
    with open(path) as file:
        for key in re.findall(r'"args\.([^"]+)"', file.read()):
            tester.check(key in kept, f"{os.path.basename(path)} reads args.{key}, which redact leaves out by default")
sys.exit(tester.end())
