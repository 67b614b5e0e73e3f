// SPDX-License-Identifier: MIT
// Where floats are a ring, matrix instructions are the ring's; arithmetic on floats that is left is refused.
// RUN: not tile-opt %s --tile-gpu-to-simulator -split-input-file 2>&1 | FileCheck %s

// CHECK: error: {{.*}}llvm.fadd
module attributes {tile_gpu.ring_floats} {
  llvm.func @left(%p: !llvm.ptr<1>, %f: f32) attributes {nvvm.kernel} {
    %0 = llvm.fadd %f, %f : f32
    llvm.store %0, %p : f32, !llvm.ptr<1>
    llvm.return
  }
}

// -----

// CHECK-LABEL: llvm.func @products(
// CHECK: llvm.call @tile_sim_mma_ring_16(
// CHECK: llvm.call @tile_sim_mma_ring_32(
// CHECK: llvm.call @tile_sim_mma_s8_s8(
module attributes {tile_gpu.ring_floats} {
  llvm.func @products(%h: vector<2xf16>, %f: f32, %i: i32) attributes {nvvm.kernel} {
    %0 = nvvm.mma.sync A[%h, %h, %h, %h] B[%h, %h] C[%f, %f, %f, %f] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    %1 = nvvm.mma.sync A[%i, %i, %i, %i] B[%i, %i] C[%f, %f, %f, %f] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<tf32>, multiplicandBPtxType = #nvvm.mma_type<tf32>, shape = #nvvm.shape<m = 16, n = 8, k = 8>} : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    %2 = tile_gpu.ptx_mma [%i, %i, %i, %i] * [%i, %i] onto [%f, %f, %f, %f] {type_a = f8E4M3FN, type_b = f8E5M2} : !llvm.struct<(f32, f32, f32, f32)>
    llvm.return
  }
}
