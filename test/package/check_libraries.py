# SPDX-License-Identifier: MIT
# Prints what is wrong with an unpacked package: a library that another machine may lack, and a name that is not ours.
import pathlib
import re
import subprocess
import sys

ALLOWED = re.compile(r"lib(c|m|stdc\+\+|gcc_s|tile|tile_runtime|tile_compiler|tile_functions)\.so|ld-linux-x86-64\.so")
OURS = re.compile(r"(tile_\w+|__tvm_ffi_\w+|_Z\w*?4tile\w*)(@@?[\w.]+)?")

folder = pathlib.Path(sys.argv[1])
wrong = []


def lines(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


programs = [file for file in folder.glob("bin/*") if file.read_bytes()[:4] == b"\x7fELF"]
libraries = [file for file in folder.glob("lib/*.so*") if not file.is_symlink()]
for file in programs + libraries:
    for line in lines("readelf", "--dynamic", file):
        needed = re.search(r"\(NEEDED\).*\[(.*)\]", line)
        if needed and not ALLOWED.match(needed[1]):
            wrong.append(f"{file.name} needs {needed[1]}, which another machine may lack")
for file in libraries:
    foreign = [line.split()[-1] for line in lines("nm", "--dynamic", "--defined-only", file)]
    foreign = [name for name in foreign if not OURS.fullmatch(name)]
    if foreign:
        wrong.append(f"{file.name} shows {len(foreign)} names that are not ours, such as {foreign[0]}")
for library in ("LLVM", "MLIR", "fmt", "zlib", "zstd"):
    if not (folder / "share/doc/tile/licences" / library).is_file():
        wrong.append(f"the licence of {library}, which is inside, is missing")
if len(programs) < 2 or len(libraries) != 4:
    wrong.append(f"there are {len(programs)} programs and {len(libraries)} libraries")
print("\n".join(wrong), end="\n" if wrong else "")
sys.exit(bool(wrong))
