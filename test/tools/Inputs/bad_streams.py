# SPDX-License-Identifier: MIT
"""What the tools do where standard output or standard error is full or closed: every command ends with exit code 1 and
one line, and none crashes or says that all is well.

    bad_streams.py MLIR_FILE
"""
import os
import subprocess
import sys

LAYOUT = "#tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], shape = [32]>"


def commands(mlir):
    for arguments in ("--version", "--help", "--help-env", "help dump", "list", "env", "dump vector_add",
                      "dump vector_add --stage ptx", "dump matmul --arch sm_89 --stage thread", "layout vector_add",
                      "run vector_add --n 100 --device interpreter", "run softmax --m 2 --n 9 --device simulator",
                      "fuzz --print", "fuzz --count 2", "test --list --filter EL1/add/*",
                      "test --filter EL1/add/i32/* --device interpreter", "test --markdown"):
        yield ["tile"] + arguments.split()
    for arguments in ("list", "run vector_add --n 100 --device interpreter", "--version"):
        yield ["tile-run"] + arguments.split()
    for arguments in ("", "--tile-pipeline", "--help", "--version", "--show-dialects", "--mlir-print-op-generic",
                      "--emit-bytecode"):
        yield ["tile-opt", mlir] + arguments.split()


def complaining(mlir):
    """Those that write on standard error and fail."""
    yield ["tile", "rum"]
    yield ["tile", "run", "gem"]
    yield ["tile", "dump", "vector_add", "--lowered", "/no/such/folder/file"]
    yield ["tile", "tune", "gemm", "--device", "interpreter"]
    yield ["tile-opt", "/no/such/file"]
    yield ["tile-opt", mlir, "--tile-fly"]


def run(command, stream, how, mute=False):
    """With standard output (1) or error (2) full or closed; mute: the other one as well."""
    full = os.open("/dev/full", os.O_WRONLY)

    def spoil():
        for number in (1, 2) if mute else (stream,):
            if how == "full":
                os.dup2(full, number)
            else:
                os.close(number)

    environment = dict(os.environ, TILE_TUNE="never")
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              preexec_fn=spoil, env=environment, timeout=600, check=False)
    finally:
        os.close(full)


def main(mlir):
    wrong = []
    count = 0

    def check(holds, command, case, done):
        nonlocal count
        count += 1
        if not holds:
            wrong.append(f"{' '.join(command)}, {case}: exit code {done.returncode}, "
                         f"{done.stderr.decode(errors='replace')!r}")

    for how in ("full", "closed"):
        for command in commands(mlir):
            done = run(command, 1, how)
            said = done.stderr.decode().splitlines()
            one_line = len(said) == 1 and "cannot write to standard output" in said[0]
            check(done.returncode == 1 and one_line, command, f"standard output {how}", done)
            done = run(command, 2, how)
            check(done.returncode == 0 and done.stdout, command, f"standard error {how}", done)
            done = run(command, 1, how, mute=True)
            check(done.returncode == 1, command, f"both {how}", done)
        for command in complaining(mlir):
            done = run(command, 2, how)
            check(done.returncode in (1, 2), command, f"standard error {how}", done)
    print("\n".join(wrong))
    print(f"{count} runs, {len(wrong)} wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
