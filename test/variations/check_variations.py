# SPDX-License-Identifier: MIT
# What becomes of natural variations of a matrix product, by the table in variations.txt.
#   check_variations.py choices <folder of the libraries>    what the compiler chooses and says, on sm_90a
#   check_variations.py runs <folder> [option of `tile check` ...]    whether the simulator computes what the interpreter does
# A line of the table:
#   KERNEL: roles SLOTS... [, REMARK ...]     extra warps copy the blocks ahead, into rings of so many slots
#   KERNEL: no roles [, REMARK ...]           all warps do the same; the first remark is the reason, with the remedy
# A remark is a part of what the compiler says. It says nothing else that begins with "this kernel gets no roles".
import concurrent.futures
import json
import os
import re
import subprocess
import sys

TOPICS = ("loops", "operands", "results", "products")
LEAST_KERNELS = 100
NO_ROLES = "this kernel gets no roles of warps: "


def table():
    """Of each kernel: whether it has roles, the slots of its rings, and parts of remarks."""
    rows = {}
    with open(os.path.join(os.path.dirname(__file__), "variations.txt"), encoding="utf-8") as file:
        for line in file:
            if line.startswith("#") or not line.strip():
                continue
            name, _, rest = line.strip().partition(": ")
            what, *remarks = rest.split(" | ")
            match = re.fullmatch(r"(no )?roles((?: \d+)*)", what)
            if not match or name in rows:
                sys.exit(f"variations.txt: cannot read, or twice: {line}")
            rows[name] = (not match[1], [int(slots) for slots in match[2].split()], remarks)
    return rows


def tile(*arguments):
    # Without an assembler: what it says of registers is another test's.
    return subprocess.run(["tile", *arguments], capture_output=True, text=True,
                          env={**os.environ, "TILE_PTXAS": "driver"})


def kernels(folder):
    """The kernels of all libraries, each with its library."""
    for topic in TOPICS:
        library = os.path.join(folder, f"lib{topic}_variations.so")
        for name in re.findall(r"^(\w+) +\(", tile("list", "--from", library).stdout, re.MULTILINE):
            yield name, library


def wrong_choices(name, library, expected):
    has_roles, slots, remarks = expected
    result = tile("why", name, "--from", library, "--specialized", "--json")
    if result.returncode:
        return result.stderr
    report = json.loads(result.stdout)
    said = [choice["text"] for choice in report["choices"]]
    problems = []
    if (report["roles"] > 1) != has_roles:
        problems.append("it has roles" if report["roles"] > 1 else "it has no roles")
    found = [int(slots) for text in said for slots in re.findall(r"blocks? (?:copies|ahead), into (\d+) slot", text)]
    if has_roles and sorted(found) != sorted(slots):
        problems.append(f"its rings have {found} slots")
    problems += [f"nobody says: {remark}" for remark in remarks if not any(remark in text for text in said)]
    if not has_roles and not (remarks and any(text.startswith(NO_ROLES + remarks[0]) for text in said)):
        problems.append("the first remark is not the reason")
    return "; ".join(problems) + "".join(f"\n    {text}" for text in said) if problems else ""


def wrong_results(name, library, options):
    result = tile("check", name, "--from", library, "--a", "4*m*k+k", "--b", "4*k*n+n", "--c", "3*m*n+m+n",
                  "--d", "m*n+2*k*n", "--m", "256", "--n", "256", "--k", "320", *options)
    return "" if result.returncode == 0 else result.stdout + result.stderr


def main(command, folder, *options):
    expected = table()
    all_kernels = dict(kernels(folder))
    missing = set(expected) ^ set(all_kernels)
    if missing or len(all_kernels) < LEAST_KERNELS:
        sys.exit(f"{len(all_kernels)} kernels; in the table or in a library alone: {' '.join(sorted(missing))}")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        checks = {name: pool.submit(wrong_choices, name, library, expected[name]) if command == "choices"
                  else pool.submit(wrong_results, name, library, options) for name, library in all_kernels.items()}
    failed = 0
    for name, check in checks.items():
        if problem := check.result():
            failed += 1
            print(f"{name}: {problem}")
    with_roles = sum(has_roles for has_roles, _, _ in expected.values())
    print(f"{len(checks) - failed} of {len(checks)} kernels as expected; {with_roles} have roles of warps")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
