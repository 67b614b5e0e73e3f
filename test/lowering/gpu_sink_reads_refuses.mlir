// SPDX-License-Identifier: MIT
// What keeps its place.
// RUN: tile-opt %s --tile-gpu-sink-reads | FileCheck %s

!sums = !llvm.struct<(f32, f32, f32, f32)>

// A read does not pass a barrier, behind which other threads may write; what becomes of its value does.
// CHECK-LABEL: func.func @barrier(
// CHECK: %[[R:.*]] = llvm.load %arg0
// CHECK-NEXT: nvvm.barrier0
// CHECK-NEXT: nvvm.mma.sync
// CHECK-NEXT: llvm.extractvalue
// CHECK-NEXT: llvm.bitcast %[[R]]
// CHECK-NEXT: nvvm.mma.sync
func.func @barrier(%p: !llvm.ptr<3>, %b: i32, %c: f32) -> !sums {
  %r = llvm.load %p : !llvm.ptr<3> -> f32
  %a = llvm.bitcast %r : f32 to i32
  nvvm.barrier0
  %m0 = nvvm.mma.sync A[%b, %b, %b, %b] B[%b, %b] C[%c, %c, %c, %c] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (i32, i32, f32) -> !sums
  %s0 = llvm.extractvalue %m0[0] : !sums
  %m1 = nvvm.mma.sync A[%b, %b, %b, %b] B[%b, %b] C[%s0, %s0, %s0, %s0] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (i32, i32, f32) -> !sums
  %s1 = llvm.extractvalue %m1[0] : !sums
  %m2 = nvvm.mma.sync A[%a, %a, %a, %a] B[%b, %b] C[%s1, %s1, %s1, %s1] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (i32, i32, f32) -> !sums
  return %m2 : !sums
}

// Without a product nothing moves.
// CHECK-LABEL: func.func @no_product(
// CHECK: llvm.load
// CHECK-NEXT: arith.addf
// CHECK-NEXT: arith.mulf
func.func @no_product(%p: !llvm.ptr<3>, %x: f32) -> f32 {
  %r = llvm.load %p : !llvm.ptr<3> -> f32
  %y = arith.addf %x, %x : f32
  %z = arith.mulf %r, %y : f32
  return %z : f32
}
