# SPDX-License-Identifier: MIT
"""usage: check_targets.py PAGE TILE; holds the PTX versions in a page's table of targets to what `tile dump` writes.

Prints each row that is wrong, and each target of the tool that no row has.
"""
import re
import subprocess
import sys


def rows(page):
    table = page.split("<!-- targets -->")[1].split("<!-- end of targets -->")[0]
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        for target in re.findall(r"`(sm_\w+)`", cells[0]):
            yield target, cells[2]


def main(page, tile):
    with open(page, encoding="utf-8") as file:
        said = dict(rows(file.read()))
    # The error for an unknown target lists those that there are.
    refusal = subprocess.run([tile, "dump", "vector_add", "--stage", "ptx", "--arch", "sm_1"], capture_output=True, text=True)
    targets = set(re.findall(r"\bsm_\d\d+a?\b", refusal.stderr))
    wrong = [f"{page} has no row for {target}" for target in sorted(targets - set(said))]
    for target, version in said.items():
        ptx = subprocess.run([tile, "dump", "vector_add", "--stage", "ptx", "--arch", target], capture_output=True, text=True)
        found = re.search(r"^\.version (\S+)", ptx.stdout, re.MULTILINE)
        if not found or found[1] != version:
            wrong.append(f"{page} says PTX {version} for {target}, and the tool writes {found[1] if found else ptx.stderr}")
    if not targets:
        wrong.append(f"the tool names no target: {refusal.stderr}")
    print("\n".join(wrong) or f"{len(said)} targets")
    return 1 if wrong else 0


sys.exit(main(*sys.argv[1:]))
