# SPDX-License-Identifier: MIT
"""Whether the lines that `tile why` names have all bytes that the assembler says are spilled: TILE ARCH..."""
import json
import subprocess
import sys

tile, *architectures = sys.argv[1:]
config = "block_m=256,block_n=256,block_k=32,launch.num_warps=4"
for arch in architectures:
    command = [tile, "why", "matmul", "--specialized", "--arch", arch, "--config", config, "--json"]
    report = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    stored, loaded = (sum(line[name] for line in report["spilled"]) for name in ("stored", "loaded"))
    if not 0 < report["spill_bytes"] == max(stored, loaded):
        sys.exit(f"{arch}: {report['spill_bytes']} bytes, but the lines have {stored} and {loaded}")
print(f"{len(architectures)} architectures: the lines have all bytes")
