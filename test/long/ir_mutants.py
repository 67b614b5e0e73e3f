# SPDX-License-Identifier: MIT
"""Wrong IR is refused with a message; it never brings tile-opt down.

    ir_mutants.py FOLDER [--count N] [--seed S] [--keep FOLDER] [--jobs J]
    ir_mutants.py --replay FILE

Takes the .mlir files below FOLDER apart into their modules, damages one at a time - lines dropped, doubled and
swapped, operands, numbers, types, attributes and names exchanged - and gives it to the passes: to those of the
file's own RUN lines, to the whole pipeline and to those of another file's. An error is fine; a signal, an internal
error or more than the time limit is a failure. What failed is kept with the command that shows it.
"""
import argparse
import concurrent.futures
import os
import random
import re
import resource
import shlex
import subprocess
import sys

SECONDS = 20
GIGABYTES = 4
WHOLE = ["--tile-pipeline", "--tile-layout-pipeline", "--tile-thread-pipeline", "--tile-llvm-pipeline",
         "--tile-gpu-to-ptx"]
NUMBERS = ["0", "1", "-1", "2", "3", "5", "7", "8", "16", "31", "32", "33", "64", "100", "255", "1024", "65536",
           "2147483647", "-2147483648", "4294967296", "9223372036854775807"]
TYPES = ["i1", "i8", "i32", "i64", "index", "f16", "bf16", "f32", "f64", "f8E4M3FN", "tensor<32xf32>", "tensor<16x16xf16>",
         "tensor<4x32xi32>", "!tile.ptr<f32>", "tensor<32x!tile.ptr<f16>>", "!llvm.ptr<3>", "none"]
# What is not ours to mend, by what the text has.
KNOWN = {
    r"array<index": "MLIR 22's own parser falls over an array of index",
}
INTERNAL = re.compile(r"PLEASE submit a bug report|LLVM ERROR|Assertion|internal error|UNREACHABLE|"
                      r"AddressSanitizer|runtime error:")
PIECES = {
    "operand": re.compile(r"%[A-Za-z0-9_]+"),
    "number": re.compile(r"(?<![%\w.])-?\d+(?![\w.])"),
    "extent": re.compile(r"\d+(?=x)"),
    "type": re.compile(r"!?\b(?:tensor<[^<>]*(?:<[^<>]*>)?[^<>]*>|tile\.ptr<\w+>|i\d+|b?f\d+|index)"),
    "attribute": re.compile(r"\{[^{}]*\}|#\w+(?:\.\w+)?(?:<[^<>]*>)?"),
    "name": re.compile(r"\b(?:tile|tile_gpu|arith|scf|math|nvvm|llvm|func)\.\w+(?:\.\w+)*"),
}


def modules(folder):
    """The modules of all files, each with the options of its file's RUN lines."""
    for root, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if not name.endswith(".mlir"):
                continue
            path = os.path.join(root, name)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            options = [shlex.split(line) for line in re.findall(r"RUN: tile-opt %s ([^|>&\n]*)", text)]
            options = [[o for o in line if re.match("-+(tile|cse|canon|loop|pass-pipeline)", o)] for line in options]
            for module in re.split(r"^// -----.*\n", text, flags=re.MULTILINE):
                lines = [line for line in module.split("\n") if line.strip() and not line.lstrip().startswith("//")]
                if lines:
                    yield os.path.relpath(path, folder), [o for o in options if o], "\n".join(lines) + "\n"


def damaged(text, chance):
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        text = damaged_once(text, chance)
    return text


def damaged_once(text, chance):
    lines = text.split("\n")
    at, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    kind = chance.choice(["drop", "double", "swap", "end"] + 2 * list(PIECES))
    if kind == "drop":
        del lines[at]
    elif kind == "double":
        lines.insert(other, lines[at])
    elif kind == "swap":
        lines[at], lines[other] = lines[other], lines[at]
    elif kind == "end":
        return text[:chance.randrange(len(text) + 1)]
    else:
        found = list(PIECES[kind].finditer(text))
        if not found:
            return text
        piece = chance.choice(found)
        instead = [p.group() for p in found] + {"number": NUMBERS, "extent": NUMBERS[2:12], "type": TYPES,
                                                "attribute": ["", "{}"]}.get(kind, [])
        return text[:piece.start()] + chance.choice(instead) + text[piece.end():]
    return "\n".join(lines)


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (GIGABYTES << 30, GIGABYTES << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def complaint(text, options):
    """What is wrong with how tile-opt takes the text, and whether it could be read at all."""
    try:
        done = subprocess.run(["tile-opt", "-"] + options, input=text, capture_output=True, text=True, errors="replace",
                              timeout=SECONDS, preexec_fn=limits, check=False)
    except subprocess.TimeoutExpired:
        return f"takes more than {SECONDS} s", False
    if done.returncode < 0 or done.returncode > 1:
        return f"ends with status {done.returncode}", False
    if INTERNAL.search(done.stderr):
        return "internal error: " + INTERNAL.search(done.stderr).group(), False
    if done.returncode and "error:" not in done.stderr:
        return "fails without a message", False
    return "", done.returncode == 0


def attempt(number, seed, sources, all_options):
    chance = random.Random(f"{seed} {number}")
    name, own, text = chance.choice(sources)
    ways = [chance.choice(own)] if own else []
    ways += [WHOLE, chance.choice(all_options)]
    for _ in range(6):   # most are not even read
        mutant = damaged(text, chance)
        wrong, is_read = complaint(mutant, [])
        if wrong:
            return name, mutant, [], wrong, False
        if is_read:
            break
    for options in ways if is_read else []:
        wrong, _ = complaint(mutant, options)
        if wrong:
            return name, mutant, options, wrong, True
    return name, mutant, [], "", is_read


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", default="ir-mutants")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--replay")
    arguments = parser.parse_args()
    if arguments.replay:
        with open(arguments.replay, encoding="utf-8") as file:
            text = file.read()
        wrong, _ = complaint(text, shlex.split(re.match(r"// tile-opt(.*)\n", text).group(1)))
        print(wrong or "it is taken as it should be")
        return bool(wrong)
    sources = list(modules(arguments.folder))
    all_options = sorted({tuple(o) for _, own, _ in sources for o in own})
    os.makedirs(arguments.keep, exist_ok=True)
    failures = reads = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for number, (name, mutant, options, wrong, is_read) in enumerate(pool.map(
                lambda n: attempt(n, arguments.seed, sources, [list(o) for o in all_options]),
                range(arguments.count))):
            reads += is_read
            reason = next((KNOWN[k] for k in KNOWN if re.search(k, mutant)), "") if wrong else ""
            if reason:
                print(f"{name}, mutant {number}: {wrong}, as is known: {reason}")
            elif wrong:
                failures += 1
                path = os.path.join(arguments.keep, f"{arguments.seed}-{number}.mlir")
                with open(path, "w", encoding="utf-8") as file:
                    file.write(f"// tile-opt {shlex.join(options)}\n{mutant}")
                print(f"{name}, mutant {number}: {wrong}; it is in {path}")
    print(f"{arguments.count} mutants of {len(sources)} modules, {reads} of them read, {failures} bring tile-opt down")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
