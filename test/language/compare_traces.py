# SPDX-License-Identifier: MIT
"""The trace of a kernel is the same text whatever compiler and C++ standard recorded it.

    compare_traces.py PRINT_TRACES TRACES.cpp FOLDER -- COMPILER FLAGS...

C++ leaves the order in which operands are evaluated to the compiler, and keys of compiled kernels are made of
traces: the canonical order must hide it.
"""
import difflib
import os
import shutil
import subprocess
import sys


def traces(program, *library):
    return subprocess.run([program, *library], check=True, capture_output=True, text=True).stdout


def main(arguments):
    split = arguments.index("--")
    program, source, folder = arguments[:split]
    given = arguments[split + 1 :]
    after = next(n for n, word in enumerate(given) if "++" in os.path.basename(word)) + 1
    flags = given[after:]
    expected = traces(program)
    os.makedirs(folder, exist_ok=True)
    compilers = [given[:after]] + [[name] for name in ("g++", "clang++-22") if shutil.which(name)]
    different = 0
    for compiler in compilers:
        for standard in ("-std=c++20", "-std=c++23"):
            library = os.path.join(folder, "traces.so")
            command = [*compiler, *flags, standard, "-O1", "-shared", "-fPIC", "-Wl,-Bsymbolic", source, "-o", library]
            subprocess.run(command, check=True)
            found = traces(program, library)
            os.remove(library)
            if found != expected:
                different += 1
                print(f"{compiler[-1]} {standard} records another trace:")
                print("\n".join(difflib.unified_diff(expected.split("\n"), found.split("\n"), lineterm="", n=1)))
    print(f"{2 * len(compilers)} traces, {different} different, {expected.count(chr(10))} lines each")
    return bool(different) or expected.count("func.func") < 5


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
