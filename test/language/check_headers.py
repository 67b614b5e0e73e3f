# SPDX-License-Identifier: MIT
"""What users include compiles alone, quickly, and without LLVM.

    check_headers.py INCLUDE_FOLDER TIMED.cpp -- COMPILER FLAGS...

Every header of <tile/...> is compiled by itself in C++20 and C++23 and asked what it reads: no header of MLIR or
LLVM, of fmt, or of the standard library's slow ones. TIMED.cpp, a file with the matrix product, tells what a user pays.
"""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

FORBIDDEN = re.compile(r"/(mlir|mlir-c|llvm|llvm-c|fmt)/")
SLOW = re.compile(r'#include <(functional|iostream|map|unordered_map|regex|iomanip|fstream)>')
# Not part of what a kernel includes.
MAY_BE_SLOW = {"interpreter.h"}
LONGEST = 10.0  # seconds; about 2 are expected where nothing else runs


def check(compiler, include, name, standard):
    with tempfile.NamedTemporaryFile("w", suffix=".cpp") as file:
        file.write(f"#include <tile/{name}>\n#include <tile/{name}>\n")
        file.flush()
        command = [*compiler, standard, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-H", file.name]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return f"<tile/{name}> with {standard} does not compile alone:\n{done.stderr[:3000]}"
    read = [line.split(" ", 1)[1] for line in done.stderr.split("\n") if re.match(r"\.+ ", line)]
    bad = sorted({path for path in read if FORBIDDEN.search(path)})
    if bad:
        return f"<tile/{name}> reads {bad[0]}"
    with open(os.path.join(include, name), encoding="utf-8") as file:
        slow = SLOW.search(file.read())
    if slow and name not in MAY_BE_SLOW:
        return f"<tile/{name}> has {slow.group(0)}: it makes every user's file slower to compile"
    return None


def main(arguments):
    split = arguments.index("--")
    include, timed = arguments[:split]
    given = arguments[split + 1 :]
    after = next(n for n, word in enumerate(given) if "++" in os.path.basename(word)) + 1
    compilers = [[given[after - 1], *given[after:]]]   # without a cache in front
    other = "clang++-22" if "clang" not in os.path.basename(given[after - 1]) else "g++"
    if shutil.which(other):
        compilers.append([other, *given[after:]])
    headers = sorted(name for name in os.listdir(include) if name.endswith(".h"))
    failed = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [
            pool.submit(check, compiler, include, name, standard)
            for compiler in compilers
            for name in headers
            for standard in ("-std=c++20", "-std=c++23")
        ]
        failed += [job.result() for job in jobs if job.result()]
    for compiler in compilers:
        for level in ("-O0", "-O2"):
            seconds = []
            for _ in range(2):
                start = time.perf_counter()
                command = [*compiler, "-std=c++23", level, "-c", timed, "-o", os.devnull]
                subprocess.run(command, check=True)
                seconds.append(time.perf_counter() - start)
            name = os.path.basename(compiler[0])
            print(f"{name} {level}: {os.path.basename(timed)} compiles in {min(seconds):.2f} s")
            if min(seconds) > LONGEST:
                failed.append(f"{os.path.basename(timed)} takes {min(seconds):.1f} s with {name} {level}")
    print("\n".join(failed))
    print(f"{len(jobs)} headers compiled, {len(failed)} complaints")
    return bool(failed) or not headers


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
