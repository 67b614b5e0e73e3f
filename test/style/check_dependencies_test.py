# SPDX-License-Identifier: MIT
# Every dependency that must not be, once.
import check_dependencies as dependencies

PUBLIC = {
    "compiler/dsl/CMakeLists.txt": "tile_public_headers(\n  dsl.h\n  types.h)\n",
    "compiler/api/CMakeLists.txt": "tile_public_headers(kernel_ir.h)\n",
    "runtime/CMakeLists.txt": "tile_public_headers(device.h tuning/tuning.h)\n",
}


def found(name, *headers):
    text = "".join(f'#include "{header}"\n' for header in headers)
    return list(dependencies.check_dependencies(PUBLIC | {name: text}))


def expect_refused(name, header, other):
    lines = found(name, "runtime/error.h" if name.startswith("runtime") else "vector", header)
    assert len(lines) == 1 and f"includes nothing of {other}: {header}" in lines[0], (name, header, lines)
    assert lines[0].startswith(f"{name}:2: "), lines


for name in ("runtime/device.cpp", "runtime/launch/launch.cpp", "runtime/cuda/device.cpp", "runtime/host/workers.h",
             "runtime/simulator/launch.h", "runtime/tuning/tuner.cpp"):
    expect_refused(name, "compiler/compilation.h", "compiler")
    expect_refused(name, "tile/kernel_ir.h", "compiler/api")
    expect_refused(name, "tile/dsl.h", "compiler/dsl")
    expect_refused(name, "dialects/tile/dialect.h", "dialects/tile")
    expect_refused(name, "kernels/gemm.h", "kernels")
    expect_refused(name, "tools/registry/registry.h", "tools/registry")
    expect_refused(name, "llvm/ADT/STLExtras.h", "LLVM and MLIR")
    expect_refused(name, "mlir/IR/Value.h", "LLVM and MLIR")
# What traces, launches and tunes knows the API of the compiler, and nothing behind it.
for name in ("compiler/devices/cuda_device.cpp", "compiler/dsl/kernel.cpp", "compiler/api/kernel_ir.cpp",
             "compiler/layout/tile_layout.h", "compiler/target/target.cpp"):
    for header, other in (("mlir/IR/Value.h", "LLVM and MLIR"), ("llvm/ADT/STLExtras.h", "LLVM and MLIR"),
                          ("dialects/tile/dialect.h", "dialects/tile"), ("compiler/compilation.h", "compiler"),
                          ("compiler/emit/emit_mlir.h", "compiler/emit"),
                          ("compiler/interpreter/decode.h", "compiler/interpreter"),
                          ("compiler/host_code/simulator_code.h", "compiler/host_code"),
                          ("compiler/analysis/axis_facts.h", "compiler/analysis"),
                          ("compiler/transforms/passes.h", "compiler/transforms")):
        expect_refused(name, header, other)
for name in ("tools/tile/dump.cpp", "tools/fuzz/check.cpp", "tools/registry/gemm.cpp", "kernels/gemm.h"):
    expect_refused(name, "compiler/compilation.h", "compiler")
    expect_refused(name, "compiler/kernel_ir_module.h", "compiler")
    expect_refused(name, "mlir/IR/Value.h", "LLVM and MLIR")
assert not found("compiler/devices/cuda_device.cpp", "compiler/api/compile.h", "runtime/cache/kernel_cache.h")
assert not found("compiler/emit/emit_mlir.cpp", "compiler/dsl/trace.h", "dialects/tile/dialect.h", "mlir/IR/Value.h")

for name in ("compiler/compilation.cpp", "compiler/dsl/kernel.h", "compiler/devices/devices.cpp",
             "compiler/interpreter/launch.cpp", "compiler/transforms/simplify.cpp", "compiler/lowering/ptx/to_ptx.cpp"):
    expect_refused(name, "kernels/gemm.h", "kernels")
    expect_refused(name, "tools/registry/registry.h", "tools/registry")
for name in ("dialects/tile/ops.cpp", "dialects/tile_gpu/ops.cpp"):
    expect_refused(name, "compiler/pipeline.h", "compiler")
    expect_refused(name, "runtime/device.h", "runtime")
expect_refused("dialects/tile/ops.cpp", "dialects/tile_gpu/dialect.h", "dialects/tile_gpu")
for name in ("compiler/transforms/simplify.cpp", "compiler/lowering/llvm/memory.cpp", "compiler/analysis/axis_facts.cpp"):
    for other in ("dsl", "devices", "interpreter"):
        expect_refused(name, f"compiler/{other}/any.h", f"compiler/{other}")
    expect_refused(name, "compiler/compilation.h", "compiler")
    expect_refused(name, "runtime/device.h", "runtime")
for other in ("tuning", "cuda", "simulator"):
    expect_refused("compiler/dsl/kernel.h", f"runtime/{other}/any.h", f"runtime/{other}")
expect_refused("compiler/dsl/kernel.h", "tile/tuning.h", "runtime/tuning")
expect_refused("compiler/dsl/kernel.h", "compiler/devices/devices.h", "compiler/devices")
expect_refused("compiler/layout/layout.cpp", "dialects/tile/dialect.h", "dialects/tile")
expect_refused("compiler/interpreter/launch.cpp", "compiler/devices/devices.h", "compiler/devices")
expect_refused("runtime/cuda/device.h", "runtime/simulator/launch.h", "runtime/simulator")
expect_refused("kernels/gemm.h", "tools/registry/registry.h", "tools/registry")
expect_refused("kernels/gemm.h", "compiler/api/compile.h", "compiler/api")
expect_refused("tools/tile/main.cpp", "mlir/IR/Value.h", "LLVM and MLIR")

assert "no folder" in found("elsewhere/a.cpp")[0]
assert not found("test/unit/runtime/error_test.cpp", "compiler/compilation.h", "mlir/IR/Value.h")
assert not found("dialects/tile_gpu/ops.cpp", "compiler/layout/tile_layout.h", "mlir/IR/Value.h", "string")
assert not found("compiler/devices/devices.cpp", "compiler/api/compile.h", "runtime/cuda/device.h", "tile/device.h")
assert not found("kernels/gemm.h", "tile/dsl.h", "tile/device.h", "kernels/matmul.h")


# One spelling: what users read and tests write <tile/...>, the rest names the path.
def misspelled(name, include):
    return list(dependencies.check_spelling(PUBLIC | {name: f"#include {include}\n"}))


for name in ("compiler/dsl/dsl.h", "test/unit/dsl/a_test.cpp", "docs/examples/a.cpp"):
    assert not misspelled(name, "<tile/device.h>") and not misspelled(name, '"runtime/launch/private.h"')
    for include in ('"runtime/device.h"', '"tile/device.h"', "<runtime/device.h>"):
        assert misspelled(name, include) == [f"{name}:1: write <tile/device.h>: public headers and tests include as users do"]
for name in ("runtime/device.cpp", "tools/tile/main.cpp", "compiler/dsl/private.h"):
    assert not misspelled(name, '"runtime/device.h"')
    for include in ("<tile/device.h>", '"tile/device.h"'):
        assert misspelled(name, include) == [f'{name}:1: write "runtime/device.h": <tile/...> is for users']
