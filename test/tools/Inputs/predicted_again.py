# SPDX-License-Identifier: MIT
"""Whether `tile trace` predicts for the config of a table's line the time that stands there: TILE TABLE."""
import json
import re
import subprocess
import sys

tile, table = sys.argv[1:]
with open(table, encoding="utf-8") as file:
    line = json.loads(file.read())
m, n, k = line["key"].split()[:3]
command = [tile, "trace", line["kernel"], "--m", m, "--n", n, "--k", k, "--config", line["config"].replace("launch.max_registers=0,", "").replace("split_k=0,", "")]
text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
traced = float(re.search(r"([\d.]+) µs for the launch", text).group(1))
if abs(traced - line["median"] * 1e6) > 0.06:
    sys.exit(f"the trace predicts {traced} µs, and the line has {line['median'] * 1e6}")
print("the trace predicts the same")
