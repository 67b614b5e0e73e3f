// SPDX-License-Identifier: MIT
// A read moves to one step of K before its first product.
// RUN: tile-opt %s --tile-gpu-sink-reads | FileCheck %s

!words = !llvm.struct<(i32, i32, i32, i32)>
!sums = !llvm.struct<(f32, f32, f32, f32)>

// Three steps: the third step's operands are read behind the second one's reads, in front of the second product.
// CHECK-LABEL: func.func @three_steps(
// CHECK: %[[R0:.*]] = nvvm.ldmatrix %arg0
// CHECK: %[[R1:.*]] = nvvm.ldmatrix %arg1
// CHECK: nvvm.mma.sync
// CHECK-NEXT: llvm.extractvalue
// CHECK: %[[R2:.*]] = nvvm.ldmatrix %arg2
// CHECK: nvvm.mma.sync
// CHECK: nvvm.mma.sync
func.func @three_steps(%p0: !llvm.ptr<3>, %p1: !llvm.ptr<3>, %p2: !llvm.ptr<3>, %b: i32, %c: f32) -> !sums {
  %r0 = nvvm.ldmatrix %p0 {num = 4 : i32, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> !words
  %r1 = nvvm.ldmatrix %p1 {num = 4 : i32, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> !words
  %r2 = nvvm.ldmatrix %p2 {num = 4 : i32, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> !words
  %0 = llvm.extractvalue %r0[0] : !words
  %1 = llvm.extractvalue %r1[0] : !words
  %2 = llvm.extractvalue %r2[0] : !words
  %m0 = nvvm.mma.sync A[%0, %0, %0, %0] B[%b, %b] C[%c, %c, %c, %c] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (i32, i32, f32) -> !sums
  %s0 = llvm.extractvalue %m0[0] : !sums
  %m1 = nvvm.mma.sync A[%1, %1, %1, %1] B[%b, %b] C[%s0, %s0, %s0, %s0] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (i32, i32, f32) -> !sums
  %s1 = llvm.extractvalue %m1[0] : !sums
  %m2 = nvvm.mma.sync A[%2, %2, %2, %2] B[%b, %b] C[%s1, %s1, %s1, %s1] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (i32, i32, f32) -> !sums
  return %m2 : !sums
}
