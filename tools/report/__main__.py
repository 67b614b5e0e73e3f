# SPDX-License-Identifier: MIT
"""Writes the tables of docs/performance.md, docs/performance-guide.md and docs/hardware-tests.md and the charts docs/speed*.svg from the records in
docs/results/, so that no figure is copied by hand. A table stands between two comments, and what is between them is
written anew:

    <!-- results: kernels -->
    ...
    <!-- end of results -->

usage: python3 tools/report <root of the project> [--check]    --check: tells which file is stale and changes nothing
"""
import sys

from pages import report
from records import Wrong

if __name__ == "__main__":
    try:
        sys.exit(report(sys.argv[1], "--check" in sys.argv[2:]))
    except Wrong as wrong:
        print(f"report: {wrong}", file=sys.stderr)
        sys.exit(2)
