# SPDX-License-Identifier: MIT
# Every arrow that must not be, once.
import check_arrows as arrows

PUBLIC = {
    "compiler/dsl/CMakeLists.txt": "tile_public_headers(\n  dsl.h\n  types.h)\n",
    "compiler/face/CMakeLists.txt": "tile_public_headers(kernel_ir.h)\n",
    "runtime/CMakeLists.txt": "tile_public_headers(device.h tuning/tuning.h)\n",
}


def found(name, *headers):
    text = "".join(f'#include "{header}"\n' for header in headers)
    return list(arrows.check_arrows(PUBLIC | {name: text}))


def expect_refused(name, header, other):
    lines = found(name, "runtime/error.h" if name.startswith("runtime") else "vector", header)
    assert len(lines) == 1 and f"includes nothing of {other}: {header}" in lines[0], (name, header, lines)
    assert lines[0].startswith(f"{name}:2: "), lines


for name in ("runtime/device.cpp", "runtime/launch/launch.cpp", "runtime/cuda/device.cpp", "runtime/host/workers.h",
             "runtime/simulator/launch.h", "runtime/tuning/tuner.cpp"):
    expect_refused(name, "compiler/compilation.h", "compiler")
    expect_refused(name, "tile/kernel_ir.h", "compiler/face")
    expect_refused(name, "tile/dsl.h", "compiler/dsl")
    expect_refused(name, "dialects/tile/dialect.h", "dialects/tile")
    expect_refused(name, "kernels/gemm.h", "kernels")
    expect_refused(name, "tools/registry/registry.h", "tools/registry")
    expect_refused(name, "llvm/ADT/STLExtras.h", "LLVM and MLIR")
    expect_refused(name, "mlir/IR/Value.h", "LLVM and MLIR")
# What traces, launches and tunes knows the face of the compiler, and nothing behind it.
for name in ("compiler/devices/cuda_device.cpp", "compiler/dsl/kernel.cpp", "compiler/face/kernel_ir.cpp",
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
assert not found("compiler/devices/cuda_device.cpp", "compiler/face/compile.h", "runtime/cache/kernel_cache.h")
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
expect_refused("kernels/gemm.h", "compiler/face/compile.h", "compiler/face")
expect_refused("tools/tile/main.cpp", "mlir/IR/Value.h", "LLVM and MLIR")

assert "no room" in found("elsewhere/a.cpp")[0]
assert not found("test/unit/runtime/error_test.cpp", "compiler/compilation.h", "mlir/IR/Value.h")
assert not found("dialects/tile_gpu/ops.cpp", "compiler/layout/tile_layout.h", "mlir/IR/Value.h", "string")
assert not found("compiler/devices/devices.cpp", "compiler/face/compile.h", "runtime/cuda/device.h", "tile/device.h")
assert not found("kernels/gemm.h", "tile/dsl.h", "tile/device.h", "kernels/matmul.h")
