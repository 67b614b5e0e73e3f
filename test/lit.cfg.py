# SPDX-License-Identifier: MIT
# Text tests: `.mlir` and `.test` files with RUN lines. A folder with C++ files to run lines of says so in
# its lit.local.cfg: config.suffixes = [".cpp"].
#
#   tile-opt, tile, FileCheck, not, count, split-file   are found without a path
#   %cxx           the C++ compiler, with the include path of <tile/...>; the standard is the test's choice
#   %compiler      the C++ compiler alone
#   %python        the Python that runs lit; %cmake the CMake that configured the build
#   %source_dir, %build_dir                             the two roots
import os
import shutil
import sys

import lit.util


sys.path.insert(0, os.path.dirname(__file__))
sys.dont_write_bytecode = True
from chosen_tests import ChosenTests

config.name = "tile"
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.tile_build_dir, "test")
config.test_format = ChosenTests(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["unit", "Inputs", "CMakeLists.txt"]
if "long" not in lit_config.params:   # tools/dev test --long
    config.excludes += ["long"]

config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.tile_build_dir, "bin"), config.tile_llvm_tools, os.environ.get("PATH", "")]
)
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "CCACHE_DIR", "HOME", "TMPDIR"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
config.environment["NO_COLOR"] = "1"
config.environment["TILE_VERIFY"] = "1"   # after every pass
config.environment["TILE_CACHE"] = "off"   # what is tested is compiled
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"

config.substitutions += [
    ("%cxx", f"{config.tile_compiler} -I{config.tile_build_dir}/include"),
    ("%c_compiler", config.tile_c_compiler),
    ("%compiler", config.tile_compiler),
    ("%python", config.tile_python),
    ("%cmake", config.tile_cmake),
    ("%source_dir", config.tile_source_dir),
    ("%build_dir", config.tile_build_dir),
]

own_ptxas = os.path.join(config.tile_source_dir, "build", "ptxas", "bin")   # tools/dev ptxas
if os.path.exists(os.path.join(own_ptxas, "ptxas")):
    config.environment["PATH"] = os.pathsep.join([own_ptxas, config.environment["PATH"]])
ptxas = shutil.which("ptxas", path=config.environment["PATH"]) or os.path.exists("/usr/local/cuda/bin/ptxas")
tvm_ffi = os.path.join(config.tile_source_dir, "build", "tvm-ffi")   # tools/dev tvm-ffi
config.substitutions.append(("%ffi_python", f"env PYTHONPATH={tvm_ffi} {config.tile_python}"))
features = {"sanitize": config.tile_sanitize, "ptxas": ptxas, "tvm_ffi": os.path.isdir(tvm_ffi)}
for feature, present in features.items():
    if present:
        config.available_features.add(feature)

if lit.util.killProcessAndChildrenIsSupported()[0]:   # needs python3-psutil
    # Long enough to mean a hang, also where other work takes most of the machine.
    takes_long = config.tile_sanitize or "long" in lit_config.params
    lit_config.maxIndividualTestTime = 3600 if takes_long else 1200
