# SPDX-License-Identifier: Apache-2.0
"""Python's json.load: the tree, the bytes loaded before."""
import json, sys, time

with open(sys.argv[1], 'rb') as file:
    text = file.read()
begin, cpu = time.perf_counter(), time.process_time()
tree = json.loads(text)
print(f'{time.perf_counter() - begin:.6f} {time.process_time() - cpu:.6f} {len(tree["traceEvents"])}')
