# SPDX-License-Identifier: MIT
# The folders of the project and the dependencies between them: which folder may include headers of which. A file is in the
# folder with the longest path that it lies below. New dependencies are written here, where a reader sees what they point to.
# usage: check_dependencies.py <root of the project>
import os
import re
import sys

from check_sources import report, texts

LLVM = "LLVM and MLIR"
DIALECTS = {"dialects/tile", "dialects/tile_gpu", LLVM}
# What a pass may know: the ops, and plain C++ on layouts, facts and targets. No front end, device or interpreter.
PASSES = DIALECTS | {"compiler/analysis", "compiler/layout", "compiler/target"}
LOWERING = PASSES | {"compiler/lowering"}
# The side that traces, launches and tunes: it reaches the compiler through compiler/api alone, and maps no LLVM.
LAUNCHING = {"compiler/devices", "compiler/dsl", "compiler/api", "compiler/layout", "compiler/target"}
RUNTIME = {"runtime", "runtime/bench", "runtime/cache", "runtime/launch", "runtime/tuning"}

MAY_INCLUDE = {
    # Ships without a compiler.
    "runtime": {"runtime/bench", "runtime/tuning"},
    "runtime/bench": {"runtime"},
    "runtime/cache": {"runtime"},
    "runtime/tuning": {"runtime", "runtime/bench", "runtime/cache", "runtime/launch"},
    "runtime/launch": {"runtime", "runtime/cache", "runtime/tuning"},
    "runtime/cuda": {"runtime", "runtime/bench"},
    "runtime/host": {"runtime"},
    "runtime/simulator": {"runtime", "runtime/host"},
    "runtime/timeline": {"runtime", "runtime/simulator"},

    "dialects/tile": {LLVM},
    "dialects/tile_gpu": {"dialects/tile", "compiler/layout", "compiler/target", LLVM},

    # Launching: nothing of LLVM, of the dialects or of what is behind the API.
    "compiler/api": {"runtime", "runtime/cache", "compiler/layout", "compiler/target"},
    "compiler/layout": set(),
    "compiler/target": {"runtime", "compiler/layout"},
    # The language and its tracing: neither launching itself nor any device.
    "compiler/dsl": {"runtime", "runtime/launch", "compiler/api"},
    # What stands for the compiler, and for the devices that need it, in programs without it.
    "compiler/c_api": {"compiler/devices", "compiler/dsl", "runtime", "runtime/cuda", "runtime/launch", "runtime/pack"},
    "compiler/launch": {"compiler/api", "compiler/devices", "runtime", "runtime/cuda"},
    "compiler/devices": {
        "compiler/api", "compiler/target",
        "compiler/dsl",   # what a tuner compares on a GPU with are kernels
        "runtime", "runtime/cache", "runtime/cuda", "runtime/host", "runtime/simulator",
    },

    # Behind the API.
    "compiler": DIALECTS | {
        "runtime", "compiler/emit", "compiler/api", "compiler/host_code", "compiler/interpreter", "compiler/layout",
        "compiler/lowering", "compiler/target", "compiler/transforms",
    },
    "compiler/emit": {"dialects/tile", "compiler/dsl", LLVM},
    "compiler/analysis": DIALECTS | {"compiler/layout", "compiler/target"},
    "compiler/transforms": PASSES,
    "compiler/lowering": {LLVM},
    "compiler/lowering/distribute": LOWERING,
    "compiler/lowering/llvm": LOWERING,
    "compiler/lowering/ptx": LOWERING,
    "compiler/lowering/simulator": LOWERING | {"runtime/host"},   # how the simulator's pointers are made
    "compiler/interpreter": DIALECTS | {"compiler", "compiler/analysis", "compiler/api", "runtime", "runtime/host"},
    "compiler/host_code": {"compiler", "compiler/api", "runtime", "runtime/simulator", LLVM},

    "kernels": RUNTIME | {"compiler/c_api", "compiler/dsl"},   # the first for functions.cpp

    "tools/streams": set(),
    "tools/reference": RUNTIME | {"kernels"},
    "tools/registry": RUNTIME | LAUNCHING | {"kernels", "tools/reference"},
    "tools/bench": RUNTIME | {"runtime/cuda", "runtime/simulator", "tools/reference", "tools/registry"},
    "tools/fuzz": RUNTIME | LAUNCHING,
    "tools/mutants": DIALECTS | {"runtime", "tools/fuzz", "tools/tile-opt"},
    "tools/tile": RUNTIME | LAUNCHING | {"runtime/simulator", "runtime/timeline", "kernels", "tools/bench", "tools/fuzz", "tools/reference", "tools/registry", "tools/streams", "test"},
    "tools/tile-opt": DIALECTS | {"compiler", "compiler/lowering", "compiler/transforms", "tools/streams"},
}
# Whoever uses all of it.
FREE = ("docs", "test", "cmake")
# They show what users write.
USERS = ("docs", "test")

INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]+([\"<])([^\">]+)[\">]", re.MULTILINE)
PUBLIC_HEADERS = re.compile(r"tile_public_headers\(([^)]*)\)")


def folder_of(path):
    while path and path not in MAY_INCLUDE and path not in FREE:
        path = os.path.dirname(path)
    return path


def public_headers(texts):
    """Where each <tile/...> lies, by the lists of the CMakeLists.txt files."""
    found = {}
    for name, text in texts.items():
        for headers in PUBLIC_HEADERS.findall(text) if os.path.basename(name) == "CMakeLists.txt" else []:
            for header in headers.split():
                path = os.path.normpath(os.path.join(os.path.dirname(name), header))
                found["tile/" + os.path.basename(header)] = path
    return found


def check_spelling(texts):
    """Public headers, tests and pages write <tile/x.h>, as users do; all else the header's path in quotes."""
    public = public_headers(texts)
    paths = {path: header for header, path in public.items()}
    for name, text in sorted(texts.items()):
        if not name.endswith((".cpp", ".h", ".def")):
            continue
        is_user = name in paths or name.startswith(USERS)
        for match in INCLUDE.finditer(text):
            quote, header = match.groups()
            line = text.count("\n", 0, match.start()) + 1
            if is_user and (header in paths or header in public and quote == '"'):
                yield f"{name}:{line}: write <{paths.get(header, header)}>: public headers and tests include as users do"
            elif not is_user and header in public:
                yield f'{name}:{line}: write "{public[header]}": <tile/...> is for users'


def check_dependencies(texts):
    """Every include of the files, given as a map from name to text."""
    public = public_headers(texts)
    for name, text in sorted(texts.items()):
        if not name.endswith((".cpp", ".h", ".def")) or name.startswith(FREE):
            continue
        folder = folder_of(name)
        if not folder:
            yield f"{name}: no folder has this file: give it one in test/style/check_dependencies.py"
            continue
        for match in INCLUDE.finditer(text):
            header = match.group(2)
            if header.startswith(("llvm/", "mlir/")):
                other = LLVM
            else:
                other = folder_of(public.get(header, header))
            if other and other != folder and other not in MAY_INCLUDE[folder]:
                line = text.count("\n", 0, match.start()) + 1
                yield f"{name}:{line}: {folder} includes nothing of {other}: {header}"


def main(root):
    code = dict(texts(root, lambda name: name.endswith((".cpp", ".h", ".def", "CMakeLists.txt"))))
    return report([*check_dependencies(code), *check_spelling(code)])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
