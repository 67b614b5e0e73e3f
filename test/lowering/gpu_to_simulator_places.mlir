// SPDX-License-Identifier: MIT
// RUN: tile-opt %s --tile-gpu-to-simulator=marks-places=true | FileCheck %s
// RUN: tile-opt %s --tile-gpu-to-simulator | FileCheck %s --check-prefix=UNMARKED

// A place before each operation that takes other hardware than the arithmetic units, and one at the end of each
// block. The second row: three sums and a product on floats, which need the result of place 0; two of them follow
// each other.
// CHECK: tile_gpu.places = {{\[}}
// CHECK-SAME: [#loc{{[^,]*}}, array<f32: 2.000000e+00, 0.000000e+00, 4.000000e+00, 0.000000e+00, 4.500000e+00>, array<i32>,
// CHECK-SAME: [#loc{{[^,]*}}, array<f32: 3.000000e+00, 3.000000e+00, 0.000000e+00, 0.000000e+00, 9.000000e+00>, array<i32: 0>,
// CHECK-SAME: [#loc{{[^,]*}}, array<f32: 1.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00>, array<i32>,
// CHECK-LABEL: llvm.func @sums(
// CHECK-SAME: %[[THREAD:[a-z0-9]*]]: !llvm.ptr
// CHECK: %[[ZERO:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: llvm.call @tile_sim_place(%[[THREAD]], %[[ZERO]])
// CHECK: llvm.call @tile_sim_load(
// CHECK: llvm.call @tile_sim_place(
// CHECK: llvm.call @tile_sim_store(
// CHECK: llvm.call @tile_sim_place(
// CHECK: llvm.return
// UNMARKED-NOT: tile_sim_place
llvm.func @sums(%p: !llvm.ptr<1>, %n: i32, %c: i1) attributes {nvvm.kernel} {
  %at = llvm.getelementptr %p[%n] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %m = llvm.add %n, %n : i32
  %l = tile_gpu.ptx_load %at if %c else %m : i32 : (!llvm.ptr<1>) -> (i32)
  %x = llvm.bitcast %l : i32 to f32
  %y = llvm.fadd %x, %x : f32
  %z = llvm.fmul %x, %x : f32
  %s = llvm.fadd %y, %z : f32
  %w = llvm.bitcast %s : f32 to i32
  tile_gpu.ptx_store %at, %w if %c : !llvm.ptr<1>, i32
  llvm.return
}
