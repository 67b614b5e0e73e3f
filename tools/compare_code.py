# SPDX-License-Identifier: MIT
# Compares the code that two builds of the compiler make: of every config that the shipped kernels list, and of random
# programs. A change that only moves code about leaves all of it the same, byte for byte.
# usage: compare_code.py <tile-opt of before> <build folder of now> [--arch sm_90a,...] [--programs N]
#                        [--kernels gemm,...]
#
# The programs come from the build of now, as the trace gives them: before any pass. Each is compiled by both up to
# LLVM's dialect, which nothing but LLVM follows. A program that both refuse is the same, and counted. Exit code 1: some
# differ; five of them are shown for each GPU.
import argparse
import difflib
import pathlib
import re
import subprocess
import sys
import tempfile

KERNELS = {
    "vector_add": ("f32",), "softmax": ("f16",), "layer_norm": ("f16",), "matmul": ("f16", "f32", "e4m3"),
    "gemm": ("bf16", "f32", "e4m3", "i8"), "batched_gemm": ("bf16",), "grouped_gemm": ("bf16",), "attention": ("f16",),
}
DIVIDER = "// -----"


def output(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return done.stdout


def shipped(tile, kernels):
    """Of each kernel, config and type: its name and its module."""
    for kernel in kernels:
        for dtype in KERNELS[kernel]:
            text = output([tile, "dump", kernel, "--dtype", dtype, "--specialized", "--every_config"])
            for module in text.split(DIVIDER + "\n"):
                config = re.match(r"// (.*)", module)[1]
                yield f"{kernel} {dtype} {config}", module


def drawn(tile, count):
    """Random programs, half of them products."""
    for seed in range(1, count // 2 + 1):
        for kind in "mixed", "products":
            yield (f"tile fuzz --programs {kind} --seed {seed}",
                   output([tile, "fuzz", "--programs", kind, "--seed", str(seed), "--floats", "small", "--print"]))


def lowered(tile_opt, modules, arch, folder):
    """The code of all modules; empty for one that the compiler refuses."""
    path = folder / "modules.mlir"
    path.write_text(("\n" + DIVIDER + "\n").join(module for _, module in modules), encoding="utf-8")
    command = [tile_opt, path, "--split-input-file", "--tile-pipeline", f"--tile-layout-pipeline=target={arch}",
               "--tile-thread-pipeline", "--tile-llvm-pipeline"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    codes = done.stdout.split(DIVIDER + "\n")
    if len(codes) != len(modules):
        sys.exit(f"{tile_opt}: {len(codes)} of {len(modules)} modules for {arch}\n{done.stderr[-2000:]}")
    return codes


def main():
    parser = argparse.ArgumentParser(description="Compares the code of two builds.")
    parser.add_argument("before", help="tile-opt of the build before")
    parser.add_argument("now", type=pathlib.Path, help="the build folder of now")
    parser.add_argument("--arch", default="sm_80,sm_90a,sm_120")
    parser.add_argument("--programs", type=int, default=2000, help="random programs")
    parser.add_argument("--kernels", default=",".join(KERNELS))
    given = parser.parse_args()
    modules = list(shipped(given.now / "bin/tile", given.kernels.split(",")))
    print(f"{len(modules)} configs of shipped kernels, {given.programs} random programs", flush=True)
    modules += drawn(given.now / "bin/tile", given.programs)
    differing = 0
    with tempfile.TemporaryDirectory() as folder:
        for arch in given.arch.split(","):
            before, now = (lowered(tool, modules, arch, pathlib.Path(folder))
                           for tool in (given.before, given.now / "bin/tile-opt"))
            others = [(name, a, b) for (name, _), a, b in zip(modules, before, now) if a != b]
            refused = sum(not a.strip() and not b.strip() for a, b in zip(before, now))
            print(f"{arch}: {len(modules) - len(others)} the same, {len(others)} differ, {refused} are refused by both",
                  flush=True)
            for name, a, b in others[:5]:
                print(f"  {name}")
                lines = list(difflib.unified_diff(a.split("\n"), b.split("\n"), "before", "now", n=2, lineterm=""))
                print("    " + "\n    ".join(lines[:20]))
            differing += len(others)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
