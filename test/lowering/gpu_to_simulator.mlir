// SPDX-License-Identifier: MIT
// RUN: tile-opt %s --tile-gpu-to-simulator -split-input-file | FileCheck %s

// The thread comes first, then an array of the arguments. Only one address space is left.
// CHECK: module attributes {tile_gpu.sites = {{\[\[}}"load reads", #loc{{.*}}], ["shared store", #loc{{.*}}], ["barrier", #loc{{.*}}], ["shared load", #loc{{.*}}], ["store writes", #loc{{.*}}]]}
// CHECK-LABEL: llvm.func @exchange(
// CHECK-SAME: %[[THREAD:.*]]: !llvm.ptr, %[[ARGUMENTS:.*]]: !llvm.ptr)
// CHECK: %[[WORDS:.*]] = llvm.alloca %{{.*}} x i32 {alignment = 16 : i64}
// CHECK: llvm.getelementptr %[[ARGUMENTS]][0]
// CHECK: llvm.call @tile_sim_thread_id(%[[THREAD]])
// CHECK: llvm.call @tile_sim_load(%[[THREAD]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[WORDS]], %{{.*}})
// CHECK: llvm.call @tile_sim_shared(%[[THREAD]])
// CHECK: llvm.call @tile_sim_shared_write(
// CHECK: llvm.call @tile_sim_barrier(
// CHECK: llvm.call @tile_sim_shared_read(
// CHECK-NEXT: llvm.load %{{.*}} : !llvm.ptr -> i32
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[WORDS]][0]
// CHECK-NEXT: llvm.store %{{.*}}, %[[AT]] : i32, !llvm.ptr
// CHECK: llvm.call @tile_sim_global_write(%[[THREAD]], %{{.*}}, %{{.*}}, %{{.*}}, %[[WORDS]],
// CHECK-NOT: ptr<
llvm.mlir.global external @tile_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
llvm.func @exchange(%p: !llvm.ptr<1>, %c: i1) attributes {nvvm.kernel} {
  %t = nvvm.read.ptx.sreg.tid.x : i32
  %w = tile_gpu.ptx_load %p if %c else %t : i32 : (!llvm.ptr<1>) -> (i32)
  %s = llvm.mlir.addressof @tile_shared : !llvm.ptr<3>
  %at = llvm.getelementptr %s[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  llvm.store %w, %at : i32, !llvm.ptr<3>
  nvvm.barrier0
  %x = llvm.load %at : !llvm.ptr<3> -> i32
  llvm.store %x, %p : i32, !llvm.ptr<1>
  llvm.return
}

// -----

// What a warp does together finds its registers in words on the stack.
// CHECK-LABEL: llvm.func @together(
// CHECK: llvm.call @tile_sim_shuffle(
// CHECK: llvm.call @tile_sim_ldmatrix(
// CHECK: llvm.call @tile_sim_mma_f16_f16(
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK: llvm.call @tile_sim_copy(
// CHECK: llvm.call @tile_sim_commit(
// CHECK: llvm.call @tile_sim_wait(
// CHECK: llvm.call @tile_sim_exp2(
// CHECK: llvm.call @tile_sim_mma_e4m3_e5m2(
llvm.func @together(%s: !llvm.ptr<3>, %p: !llvm.ptr<1>, %h: vector<2xf16>, %f: f32, %v: i32) attributes {nvvm.kernel} {
  %m = llvm.mlir.constant(-1 : i32) : i32
  %0 = nvvm.shfl.sync bfly %m, %v, %v, %m : i32 -> i32
  %1 = nvvm.ldmatrix %s {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 1 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : (!llvm.ptr<3>) -> i32
  %2 = nvvm.mma.sync A[%h, %h, %h, %h] B[%h, %h] C[%f, %f, %f, %f] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  nvvm.cp.async.shared.global %s, %p, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
  nvvm.cp.async.commit.group
  nvvm.cp.async.wait.group 0
  %3 = llvm.call_intrinsic "llvm.nvvm.ex2.approx"(%f) : (f32) -> f32
  %4 = tile_gpu.ptx_mma [%v, %v, %v, %v] * [%v, %v] onto [%f, %f, %f, %f] {type_a = f8E4M3FN, type_b = f8E5M2} : !llvm.struct<(f32, f32, f32, f32)>
  llvm.return
}

// -----

// An address that was a number, and the first byte of shared memory, are checked like all others.
// CHECK-LABEL: llvm.func @numbers(
// CHECK: %[[P:.*]] = llvm.call @tile_sim_recognise(
// CHECK: llvm.call @tile_sim_global_read(%{{.*}}, %[[P]],
// CHECK: %[[S:.*]] = llvm.call @tile_sim_shared(
// CHECK: llvm.call @tile_sim_shared_write(%{{.*}}, %[[S]],
llvm.mlir.global external @tile_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
llvm.func @numbers(%i: i64) attributes {nvvm.kernel} {
  %p = llvm.inttoptr %i : i64 to !llvm.ptr<1>
  %w = llvm.load %p : !llvm.ptr<1> -> i32
  %s = llvm.mlir.addressof @tile_shared : !llvm.ptr<3>
  llvm.store %w, %s : i32, !llvm.ptr<3>
  llvm.return
}
