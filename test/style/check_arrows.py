# SPDX-License-Identifier: MIT
# The rooms of the project and the arrows between them: which room may include headers of which. A file is in the
# room with the longest path that it lies below. New arrows are written here, where a reader sees what they point to.
# usage: check_arrows.py <root of the project>
import os
import re
import sys

from check_sources import project_files

LLVM = "LLVM and MLIR"
DIALECTS = {"dialects/tile", "dialects/tile_gpu", LLVM}
# What a pass may know: the ops, and plain C++ on layouts, facts and targets. No front end, device or interpreter.
PASSES = DIALECTS | {"compiler/analysis", "compiler/layout", "compiler/target"}
LOWERING = PASSES | {"compiler/lowering"}
# The side that traces, launches and tunes: it reaches the compiler through compiler/face alone, and maps no LLVM.
LAUNCHING = {"compiler/devices", "compiler/dsl", "compiler/face", "compiler/layout", "compiler/target"}
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

    "dialects/tile": {LLVM},
    "dialects/tile_gpu": {"dialects/tile", "compiler/layout", "compiler/target", LLVM},

    # Launching: nothing of LLVM, of the dialects or of what is behind the face.
    "compiler/face": {"runtime", "runtime/cache", "compiler/layout", "compiler/target"},
    "compiler/layout": set(),
    "compiler/target": {"runtime", "compiler/layout"},
    # The language and its tracing: neither launching itself nor any device.
    "compiler/dsl": {"runtime", "runtime/launch", "compiler/face"},
    "compiler/devices": {
        "compiler/face", "compiler/target",
        "compiler/dsl",   # what a tuner compares on a GPU with are kernels
        "runtime", "runtime/cache", "runtime/cuda", "runtime/host", "runtime/simulator",
    },

    # Behind the face.
    "compiler": DIALECTS | {
        "runtime", "compiler/emit", "compiler/face", "compiler/host_code", "compiler/interpreter", "compiler/layout",
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
    "compiler/interpreter": DIALECTS | {"compiler", "compiler/analysis", "compiler/face", "runtime", "runtime/host"},
    "compiler/host_code": {"compiler", "compiler/face", "runtime", "runtime/simulator", LLVM},

    "kernels": RUNTIME | {"compiler/dsl"},

    "tools/streams": set(),
    "tools/reference": RUNTIME | {"kernels"},
    "tools/registry": RUNTIME | LAUNCHING | {"kernels", "tools/reference"},
    "tools/bench": RUNTIME | {"runtime/cuda", "runtime/simulator", "tools/reference", "tools/registry"},
    "tools/fuzz": RUNTIME | LAUNCHING,
    "tools/mutants": DIALECTS | {"runtime", "tools/fuzz", "tools/tile-opt"},
    "tools/tile": RUNTIME | LAUNCHING | {"kernels", "tools/bench", "tools/fuzz", "tools/reference", "tools/registry", "tools/streams", "test"},
    "tools/tile-opt": DIALECTS | {"compiler", "compiler/lowering", "compiler/transforms", "tools/streams"},
}
# Whoever uses all of it.
FREE = ("docs", "test", "cmake")

INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]+[\"<]([^\">]+)[\">]", re.MULTILINE)
PUBLIC_HEADERS = re.compile(r"tile_public_headers\(([^)]*)\)")


def room_of(path):
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


def check_arrows(texts):
    """Every include of the files, given as a map from name to text."""
    public = public_headers(texts)
    for name, text in sorted(texts.items()):
        if not name.endswith((".cpp", ".h", ".def")) or name.startswith(FREE):
            continue
        room = room_of(name)
        if not room:
            yield f"{name}: no room has this file: give it one in test/style/check_arrows.py"
            continue
        for match in INCLUDE.finditer(text):
            header = match.group(1)
            if header.startswith(("llvm/", "mlir/")):
                other = LLVM
            else:
                other = room_of(public.get(header, header))
            if other and other != room and other not in MAY_INCLUDE[room]:
                line = text.count("\n", 0, match.start()) + 1
                yield f"{name}:{line}: {room} includes nothing of {other}: {header}"


def main(root):
    texts = {}
    for name in project_files(root):
        if name.endswith((".cpp", ".h", ".def", "CMakeLists.txt")):
            with open(os.path.join(root, name), encoding="utf-8") as file:
                texts[name] = file.read()
    found = list(check_arrows(texts))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
