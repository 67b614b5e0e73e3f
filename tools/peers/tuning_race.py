#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How long compiling and tuning take, `tile` beside Triton, in one run on one machine: a bf16 product for Hopper, of
which both have persistent programs that the tensor copy engine feeds. Nothing is kept from before: every figure is of a
process of its own with empty caches, counted from the call, without imports and the driver's beginning.

    python3 tools/peers/tuning_race.py --tile build/bin/tile --compile-speed build/bin/compile_speed

    compile  one config, 128 x 256 x 64, to a loaded module
    tune     24 configs compiled and timed at --size (Triton with its own autotuner)

--only compile-triton needs no GPU.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

WHAT = ["compile", "tune"]
COMPILE_RATIO, TUNE_RATIO, TUNE_SECONDS, CONFIGS = 0.5, 0.15, 3.0, 24


def fail(why):
    sys.exit(f"tuning_race.py: {why}")


# --- in a process of its own: prints a line of JSON -----------------------------------------------------------------

def triton_compiles():
    import triton_tma
    begin = time.perf_counter()
    kernel = triton_tma.compile_one(128, 256, 64, warps=8, stages=3)
    seconds = time.perf_counter() - begin
    if "wgmma.mma_async" not in kernel.asm["ptx"] or "cp.async.bulk.tensor" not in kernel.asm["ptx"]:
        fail("Triton's kernel does not use Hopper: there is no wgmma with tensor copies in it")
    return {"seconds": seconds}


def triton_tunes(size):
    import torch
    import triton_tma
    from triton.tools.tensor_descriptor import TensorDescriptor
    a, b = (torch.randn(size, size, device="cuda").to(torch.bfloat16) for _ in range(2))
    c = torch.full((size, size), float("nan"), device="cuda", dtype=torch.bfloat16)
    expected = a.float() @ b.float()
    operands = [TensorDescriptor.from_tensor(x, [64, 64]) for x in (a, b, c)]
    programs = torch.cuda.get_device_properties(0).multi_processor_count
    torch.cuda.synchronize()
    begin = time.perf_counter()
    triton_tma.tuned_product[(programs,)](*operands, size, size, size, PROGRAMS=programs)
    torch.cuda.synchronize()
    seconds = time.perf_counter() - begin
    error = ((c.float() - expected).norm() / expected.norm()).item()
    if not error < 2e-2:
        fail(f"Triton's product is wrong: off by {error:.2g} of the norm")
    # A list of times for each config that ran, infinite where it did not.
    timings = triton_tma.tuned_product.configs_timings
    ran = sum(1 for times in timings.values() if min(times if isinstance(times, (list, tuple)) else [times]) < 1e9)
    return {"seconds": seconds, "configs": len(timings), "ran": ran, "best": str(triton_tma.tuned_product.best_config)}


# --- who asks them ----------------------------------------------------------------------------------------------------

def in_empty_caches(command, environment):
    """What the command says on standard output. The driver keeps what it has assembled in a cache of its own."""
    with tempfile.TemporaryDirectory() as folder:
        empty = {"TRITON_CACHE_DIR": folder, "TILE_CACHE": "off", "TILE_TUNE": "auto", "CUDA_CACHE_DISABLE": "1"}
        settings = [f"{name}={value}" for name, value in {**empty, **environment}.items()]
        done = subprocess.run(["env", *settings, *command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        fail(f"`{' '.join(command)}` ended with {done.returncode}: {done.stderr.strip()[-2000:]}")
    return done.stdout


def of_triton(what, size):
    said = in_empty_caches([sys.executable, os.path.abspath(__file__), "--child", what, "--size", str(size)], {})
    return json.loads(said.strip().splitlines()[-1])


def compiled_by_tile(said):
    """gemm 128x256x64, 8 warps, 4 stages: 180.3 ms"""
    found = re.search(r"^gemm 128x256x64.*: ([0-9.]+) ms$", said, re.MULTILINE)
    return float(found.group(1)) * 1e-3 if found else fail(f"no time in what compile_speed said: {said}")


def tuned_by_tile(said):
    """tuned in 3.1 s, compiled after 1.2 s, finals after 2.2 s (24 configs: 22 timed, 2 failed)"""
    found = re.search(r"^tuned in ([0-9.]+) s(?:, [a-z]+ after [0-9.]+ s)* \((\d+) configs?: (\d+) timed(.*)\)$", said, re.MULTILINE)
    return (float(found.group(1)), int(found.group(3)), found.group(0)) if found else fail(
        f"no time in what tile tune said: {said}")


def verdict(ratio, most):
    return f"ratio {ratio:.3f}, {'within' if ratio <= most else 'MORE THAN'} {most}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tile", default="tile", help="the program `tile`")
    parser.add_argument("--compile-speed", default="compile_speed", help="the program `compile_speed`")
    parser.add_argument("--ptxas", choices=["auto", "driver", "triton"], default="auto",
                        help="what `tile` assembles with; triton: the ptxas that comes with it")
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--repeats", type=int, default=5, help="processes for each figure of compile; 5")
    parser.add_argument("--only", choices=[*WHAT, "compile-triton"])
    parser.add_argument("--child", choices=WHAT, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        print(json.dumps(triton_compiles() if arguments.child == "compile" else triton_tunes(arguments.size)))
        return 0
    try:
        import triton
    except ImportError as error:
        fail(f"Triton is needed: {error}")
    ptxas = arguments.ptxas
    if ptxas == "triton":
        ptxas = os.path.join(os.path.dirname(triton.__file__), "backends", "nvidia", "bin", "ptxas")
    ours = {} if arguments.ptxas == "auto" else {"TILE_PTXAS": ptxas}
    print(f"Triton {triton.__version__}; {os.cpu_count()} cores; TILE_PTXAS={ptxas}", flush=True)

    def median(of_one):
        return statistics.median(of_one() for _ in range(arguments.repeats))

    if arguments.only in (None, "compile", "compile-triton"):
        theirs = median(lambda: of_triton("compile", arguments.size)["seconds"])
        print(f"compile 128 x 256 x 64, cold, median of {arguments.repeats}: triton {theirs * 1e3:.0f} ms", flush=True)
        if arguments.only != "compile-triton":
            mine = median(lambda: compiled_by_tile(in_empty_caches([arguments.compile_speed, "gemm"], ours)))
            print(f"  tile {mine * 1e3:.0f} ms: {verdict(mine / theirs, COMPILE_RATIO)}", flush=True)
    if arguments.only in (None, "tune"):
        theirs = of_triton("tune", arguments.size)
        print(f"tune at {arguments.size}^3, cold: triton {theirs['seconds']:.1f} s for {theirs['configs']} configs, "
              f"{theirs['ran']} of which ran; best: {theirs['best']}", flush=True)
        sizes = [text for name in "mnk" for text in (f"--{name}", str(arguments.size))]
        mine, timed, said = tuned_by_tile(
            in_empty_caches([arguments.tile, "tune", "gemm", *sizes, "--dtype", "bf16", "--device", "cuda",
                             "--at_most", str(CONFIGS)], ours))
        print(f"  tile {said}")
        print(f"  {verdict(mine / theirs['seconds'], TUNE_RATIO)}; {mine:.1f} s is "
              f"{'within' if mine <= TUNE_SECONDS else 'MORE THAN'} {TUNE_SECONDS:.0f} s; {timed} configs timed", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
