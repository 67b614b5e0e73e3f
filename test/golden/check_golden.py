# SPDX-License-Identifier: MIT
"""The PTX of two small kernels is the text in this folder, whatever process writes it.

    check_golden.py FOLDER [--update]

Each kernel is compiled twice, in two processes: the same input gives the same PTX; products, too, which have no file.
--update writes the files. A change of them belongs in the commit that causes it, where a reader sees what it does to the
code. What matters of the larger kernels, and is the same when registers get other names, is in instructions.test.
"""
import difflib
import os
import subprocess
import sys

PRODUCT = "block_m=32,block_n=32,block_k=32,launch.num_warps=2"
# File, then what `tile dump` is asked for: blocks that are small, so that people can read the files.
KERNELS = {
    "vector_add.sm_90a.ptx": "vector_add --config block=256",
    "softmax.sm_90a.ptx": "softmax --config block=256,launch.num_warps=1",
}
PRODUCTS = ["matmul --arch sm_80 --config " + PRODUCT, "grouped_gemm --config " + PRODUCT]
LONGEST = 300   # lines


def compiled(arguments):
    command = ["tile", "dump"] + arguments.split() + ["--specialized", "--stage", "ptx"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} fails:\n{done.stdout}{done.stderr}")
    return done.stdout


def read(path):
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


def main(folder, update):
    wrong = [f"{name}: no kernel of check_golden.py has this file" for name in sorted(os.listdir(folder))
             if name.endswith(".ptx") and name not in KERNELS]
    for name, arguments in KERNELS.items():
        path = os.path.join(folder, name)
        ptx, again = compiled(arguments), compiled(arguments)
        if again != ptx:
            wrong.append(f"{name}: two runs of `tile dump {arguments}` differ:\n" + difference(ptx, again))
        if ptx.count("\n") > LONGEST:
            wrong.append(f"{name}: {ptx.count(chr(10))} lines; at most {LONGEST} are for people to read")
        if update:
            with open(path, "w", encoding="utf-8") as file:
                file.write(ptx)
        elif ptx != read(path):
            wrong.append(f"{name}: `tile dump {arguments}` gives another text:\n" + difference(read(path), ptx))
    for arguments in PRODUCTS:
        if compiled(arguments) != compiled(arguments):
            wrong.append(f"two runs of `tile dump {arguments}` differ")
    print("\n".join(wrong))
    print(f"{len(KERNELS)} files, {len(wrong)} complaints"
          + ("; if the change is meant: tools/dev build update-golden" if wrong else ""))
    return bool(wrong)


def difference(expected, found):
    lines = difflib.unified_diff(expected.splitlines(), found.splitlines(), "the file", "now", lineterm="", n=2)
    return "\n".join(list(lines)[:60])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], "--update" in sys.argv))
