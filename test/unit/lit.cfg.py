# SPDX-License-Identifier: MIT
# The GoogleTest programs of all folders, in build/tests. lit splits each into shards that run side by side
# and counts every test.
import os

import lit.formats

config.name = "unit"
config.test_source_root = os.path.join(config.tile_build_dir, "tests")
config.test_exec_root = config.test_source_root
config.test_format = lit.formats.GoogleTest(".", "_tests")

config.environment["TILE_VERIFY"] = "1"   # after every pass
if "filter" in lit_config.params:
    config.environment["GTEST_FILTER"] = f"*{lit_config.params['filter']}*"
own_ptxas = os.path.join(config.tile_source_dir, "build", "ptxas", "bin")   # tools/dev ptxas
if os.path.exists(os.path.join(own_ptxas, "ptxas")):
    config.environment["PATH"] = os.pathsep.join([own_ptxas, config.environment.get("PATH", "")])
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "HOME", "TMPDIR", "SKIPPED_FOR_PTXAS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
