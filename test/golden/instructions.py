# SPDX-License-Identifier: MIT
"""What a kernel's PTX does, without the names and the order of its registers: standard input is PTX, standard output
how many instructions of each kind there are in its loops and outside of them.

    loop 1: 8 mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
    outside: 2 cp.async.wait_group 0

Only what moves data, waits or multiplies matrices is counted. Loops are numbered in the order of their ends; what is
in a loop inside of another counts for the inner one. A `?` says that an instruction is predicated.
"""
import collections
import re
import sys

KINDS = re.compile(r"(ld|st|red|atom|cp|ldmatrix|stmatrix|mma|wgmma|bar|barrier|mbarrier|fence|membar|shfl)\.")
NUMBERS = re.compile(r"(?:cp\.async\.(?:bulk\.)?wait_group|wgmma\.wait_group\S*|bar\.sync)\s+(\d+)|"
                     r"cp\.async\.c[ag]\S*\s+\[[^]]*\], \[[^]]*\], (\d+)")


def main():
    lines, labels, loops = sys.stdin.read().split("\n"), {}, []
    for number, line in enumerate(lines):
        if match := re.match(r"(\$\w+):", line):
            labels[match.group(1)] = number
        elif (match := re.search(r"\bbra(?:\.uni)?\s+(\$\w+)", line)) and match.group(1) in labels:
            loops.append((labels[match.group(1)], number))
    counts = collections.Counter()
    for number, line in enumerate(lines):
        inside = [loop for loop in loops if loop[0] <= number <= loop[1]]
        place = f"loop {1 + loops.index(min(inside, key=lambda l: l[1] - l[0]))}" if inside else "outside"
        for statement in line.split(";"):   # inline assembly may have several in a line
            match = re.match(r"[\s{]*(@!?%p\d+ )?\s*([a-z]\w*\.\S+)", statement)
            if not match or not KINDS.match(match.group(2)) or match.group(2).startswith("ld.param"):
                continue
            operand = NUMBERS.search(statement)
            what = match.group(2) + (" " + (operand.group(1) or operand.group(2)) if operand else "")
            counts[place, what + ("?" if match.group(1) else "")] += 1
    for (place, what), count in sorted(counts.items()):
        print(f"{place}: {count} {what}")


if __name__ == "__main__":
    main()
