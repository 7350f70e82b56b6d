# SPDX-License-Identifier: Apache-2.0
"""Python's json.load: the tree, the bytes loaded before."""
import json, sys, time

with open(sys.argv[1], 'rb') as file:
    text = file.read()
begin = time.perf_counter()
tree = json.loads(text)
print(f'{time.perf_counter() - begin:.6f} {len(tree["traceEvents"])}')
