// SPDX-License-Identifier: MIT
// What the CTAs of a cluster have of a row meets in words that they send to each other.
// RUN: tile-opt %s --tile-gpu-distribute --cse --canonicalize | FileCheck %s
// RUN: tile-opt %s --tile-gpu-distribute --tile-gpu-choose-barriers --tile-gpu-to-llvm --tile-gpu-to-ptx | FileCheck %s --check-prefix=PTX

#row = #tile_gpu.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64]], block = [], repeats = [1]>

// Two places with an mbarrier each, of which one thread arrives; the threads count their exchanges. An f16 is a
// word. One thread sends it to both CTAs, as the part with the number of its own one.
// CHECK-LABEL: func.func @row(
// CHECK: %[[COUNT:.*]] = llvm.alloca
// CHECK: llvm.store %c0_i32, %[[COUNT]]
// CHECK: scf.if
// CHECK: nvvm.mbarrier.init %{{.*}}, %c1_i32
// CHECK: nvvm.mbarrier.init %{{.*}}, %c1_i32
// CHECK: nvvm.fence.mbarrier.init
// CHECK: nvvm.cluster.arrive {aligned}
// CHECK-NEXT: nvvm.cluster.wait {aligned}
// CHECK: nvvm.read.ptx.sreg.cluster.ctaid.x
// CHECK: %[[NUMBER:.*]] = llvm.load %[[COUNT]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[NUMBER]], %c1_i32
// CHECK: llvm.store %[[NEXT]], %[[COUNT]]
// CHECK: %[[MBARRIER:.*]] = arith.select
// CHECK: %[[WORDS:.*]] = llvm.getelementptr %[[MBARRIER]][16]
// CHECK: scf.if
// CHECK: nvvm.mbarrier.arrive.expect_tx %[[MBARRIER]], %c8_i32
// CHECK: scf.if
// CHECK: %[[TO:.*]] = nvvm.mapa %[[WORDS]], %c0_i32
// CHECK: %[[COUNTS:.*]] = nvvm.mapa %[[MBARRIER]], %c0_i32
// CHECK: tile_gpu.ptx_store_async %{{.*}}, %[[WORD:.*]] completes %[[COUNTS]] : <7>, i32, <7>
// CHECK: nvvm.mapa %[[WORDS]], %c1_i32
// CHECK: tile_gpu.ptx_store_async %{{.*}}, %[[WORD]] completes
// CHECK: nvvm.mbarrier.try_wait.parity %[[MBARRIER]],
// CHECK-NOT: nvvm.cluster
// CHECK: tile_gpu.store_global
// PTX: st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [$0], $1, [$2];", "l,r,l"
func.func @row(%from: !tile.ptr<f16>, %to: !tile.ptr<f16>) attributes {tile.kernel, tile.num_warps = 2 : i32, tile.num_ctas = 2 : i32, tile_gpu.target = "sm_90"} {
  %i = tile.arange 0 to 128 : tensor<128xi32, #row>
  %all = tile.splat %from : !tile.ptr<f16> -> tensor<128x!tile.ptr<f16>, #row>
  %p = tile.addptr %all, %i : tensor<128x!tile.ptr<f16>, #row>, tensor<128xi32, #row>
  %v = tile.load %p : tensor<128x!tile.ptr<f16>, #row>
  %s = tile.reduce (%v) axis = 0 {tile_gpu.over_ctas} : (tensor<128xf16, #row>) -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.addf %a, %b : f16
    tile.yield %c : f16
  }
  tile.store %to, %s : !tile.ptr<f16>
  return
}
