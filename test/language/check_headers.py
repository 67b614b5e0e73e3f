# SPDX-License-Identifier: MIT
"""What users include compiles alone, quickly, and without LLVM.

    check_headers.py INCLUDE_FOLDER TIMED.cpp -- COMPILER FLAGS...

Every header of <tile/...> is compiled by itself, all of them together by each compiler in C++20 and C++23. None may read a header of
MLIR, LLVM or fmt, or name one of the standard library's slow ones. TIMED.cpp, a file with the matrix product, tells
what a user pays.
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
MAY_BE_SLOW = {"bench.h", "interpreter.h", "lowered_cuda.h", "simulator_options.h"}
LONGEST = 30.0  # seconds; 1 to 2 are expected where nothing else runs


def compile_headers(compiler, names, standard):
    """A file that includes each of the headers twice."""
    what = f"<tile/{names[0]}>" if len(names) == 1 else "all headers together"
    with tempfile.NamedTemporaryFile("w", suffix=".cpp") as file:
        file.writelines(f"#include <tile/{name}>\n" for name in names * 2)
        file.flush()
        command = [*compiler, standard, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-H", file.name]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        errors = [line for line in done.stderr.split("\n") if "error:" in line]
        return "\n".join([f"{what}: {os.path.basename(compiler[0])} {standard} says", *errors[:5]])
    read = [line.split(" ", 1)[1] for line in done.stderr.split("\n") if re.match(r"\.+ ", line)]
    bad = sorted({path for path in read if FORBIDDEN.search(path)})
    return f"{what}: reads {bad[0]}" if bad else None


def check_includes(include, name):
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
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = []
        for name in headers:
            jobs.append(pool.submit(compile_headers, compilers[0], [name], "-std=c++20"))
        for compiler in compilers:
            jobs.append(pool.submit(compile_headers, compiler, headers, "-std=c++20"))
            jobs.append(pool.submit(compile_headers, compiler, headers, "-std=c++23"))
        failed = [job.result() for job in jobs]
    failed += [check_includes(include, name) for name in headers]
    for compiler in compilers:
        for level in ("-O0", "-O2"):
            start = time.perf_counter()
            subprocess.run([*compiler, "-std=c++23", level, "-c", timed, "-o", os.devnull], check=True)
            seconds = time.perf_counter() - start
            name = f"{os.path.basename(timed)} with {os.path.basename(compiler[0])} {level}"
            print(f"{name}: compiled in {seconds:.2f} s")
            failed.append(f"{name} takes {seconds:.1f} s" if seconds > LONGEST else None)
    failed = [complaint for complaint in failed if complaint]
    print("\n".join(failed))
    print(f"{len(headers)} headers, {len(failed)} complaints")
    return bool(failed) or not headers


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
