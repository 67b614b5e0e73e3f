// SPDX-License-Identifier: MIT
// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s
#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
#lanes = #tile_gpu.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [], repeats = [1, 1]>
!ring = !tile_gpu.channel<2 x (tensor<64x64xf16, #shared>) barriers = true>
!out = !tile_gpu.channel<1 x (tensor<64x64xf16, #shared>)>

// CHECK-LABEL: func.func @boxes(
// CHECK: %[[A:.*]] = tile_gpu.tensor_map of 0 extents [#tile_gpu.argument<1>, 64] strides [#tile_gpu.argument<2>] box [64, 64] of f16 swizzle 128 nan : !llvm.ptr
// CHECK: %[[C:.*]] = tile_gpu.tensor_map of 0 extents [8, #tile_gpu.argument<1>, 64] strides [#tile_gpu.computed<multiply(#tile_gpu.argument<1>, 64 : i64) narrow = true>, 64] box [1, 64, 64] of f16 swizzle 128 written : !llvm.ptr
// CHECK: tile_gpu.tensor_map of 0 extents [2147483647, 1073741824, 64, 64] strides [8589934592, 8, 64] box [1, 1, 64, 64] of f16 swizzle 128 written anchored : !llvm.ptr
// CHECK: %[[RING:.*]] = tile_gpu.channel : <2 x(tensor<64x64xf16, {{.*}}>) barriers = true>
// CHECK: tile_gpu.cta_rank{{$}}
// CHECK: tile_gpu.cta_id{{$}}
// CHECK: tile_gpu.cta_count{{$}}
// CHECK: tile_gpu.roles warps 4 registers 40 alone {
// CHECK: %[[AT:.*]] = tile_gpu.cursor 0 : <2 parity = true>
// CHECK: %[[SLOT:.*]] = tile_gpu.acquire %[[RING]][%[[AT]]]
// CHECK: tile_gpu.copy_box %[[A]][%{{.*}}, %{{.*}}] to %[[SLOT]] tile 0 : !llvm.ptr
// CHECK: tile_gpu.advance %[[AT]] : <2 parity = true>
// CHECK: } warps 4 registers 240 {
// CHECK: tile_gpu.store_box %{{.*}} to %[[C]][%{{.*}}, %{{.*}}, %{{.*}}] through %{{.*}} : tensor<64x64xf16, #{{.*}}>, !llvm.ptr, <1 x(tensor<64x64xf16, #{{.*}}>)>
// CHECK-NEXT: tile_gpu.store_box %{{.*}} to %[[C]][%{{.*}}, %{{.*}}, %{{.*}}] through %{{.*}} adds : tensor<64x64xf16, #{{.*}}>, !llvm.ptr, <1 x(tensor<64x64xf16, #{{.*}}>)>
// CHECK-NEXT: tile_gpu.await_stores
// CHECK-NEXT: }
func.func @boxes(%p: !tile.ptr<f16>, %m: i64, %s: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %a = tile_gpu.tensor_map of 0 extents [#tile_gpu.argument<1>, 64] strides [#tile_gpu.argument<2>] box [64, 64] of f16 swizzle 128 nan : !llvm.ptr
  %t = tile_gpu.tensor_map of 0 extents [8, #tile_gpu.argument<1>, 64] strides [#tile_gpu.computed<multiply(#tile_gpu.argument<1>, 64) narrow = true>, 64] box [1, 64, 64] of f16 swizzle 128 written : !llvm.ptr
  %anchored = tile_gpu.tensor_map of 0 extents [2147483647, 1073741824, 64, 64] strides [8589934592, 8, 64] box [1, 1, 64, 64] of f16 swizzle 128 written anchored : !llvm.ptr
  %c = tile_gpu.channel : !ring
  %d = tile_gpu.channel : !out
  %rank = tile_gpu.cta_rank
  %first = tile_gpu.cta_id
  %step = tile_gpu.cta_count
  tile_gpu.roles warps 4 registers 40 alone {
    %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2 parity = true>
    %slot = tile_gpu.acquire %c[%at] : !ring
    tile_gpu.copy_box %a[%first, %step] to %slot tile 0 : !llvm.ptr
    tile_gpu.commit %slot
    %next = tile_gpu.advance %at : !tile_gpu.cursor<2 parity = true>
  } warps 4 registers 240 {
    %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2 parity = true>
    %lease = tile_gpu.wait %c[%at] : !ring
    %v = tile_gpu.view %lease tile 0 : tensor<64x64xf16, #shared>
    %x = tile_gpu.read %v : tensor<64x64xf16, #shared> -> tensor<64x64xf16, #lanes>
    tile_gpu.release %lease
    tile_gpu.store_box %x to %t[%s, %first, %step] through %d : tensor<64x64xf16, #lanes>, !llvm.ptr, !out
    tile_gpu.store_box %x to %t[%s, %first, %step] through %d adds : tensor<64x64xf16, #lanes>, !llvm.ptr, !out
    tile_gpu.await_stores
  }
  return
}

// CHECK-LABEL: func.func @own_maps(
// CHECK: %[[LIKE:.*]] = tile_gpu.tensor_map of 0 extents [0, 0] strides [0] box [64, 64] of f16 swizzle 128 : !llvm.ptr
// CHECK: %[[MEMORY:.*]] = tile_gpu.workspace 256 : <1>
// CHECK: tile_gpu.await_copies %[[RING:.*]][%[[AT:.*]]] : <2 x(
// CHECK-NEXT: %[[MAP:.*]] = tile_gpu.device_map of %{{.*}} extents[%{{.*}}, %{{.*}}] strides[%{{.*}}] like %[[LIKE]] in %[[MEMORY]] at 128 : !tile.ptr<f16>, !llvm.ptr, <1> -> !llvm.ptr
// CHECK: tile_gpu.copy_box %[[MAP]][
func.func @own_maps(%p: !tile.ptr<f16>, %m: i64, %s: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %like = tile_gpu.tensor_map of 0 extents [0, 0] strides [0] box [64, 64] of f16 swizzle 128 : !llvm.ptr
  %memory = tile_gpu.workspace 256 : !llvm.ptr<1>
  %c = tile_gpu.channel : !ring
  tile_gpu.roles warps 4 registers 40 alone {
    %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2 parity = true>
    tile_gpu.await_copies %c[%at] : !ring
    %map = tile_gpu.device_map of %p extents [%m, %m] strides [%m] like %like in %memory at 128 : !tile.ptr<f16>, !llvm.ptr, !llvm.ptr<1> -> !llvm.ptr
    %slot = tile_gpu.acquire %c[%at] : !ring
    tile_gpu.copy_box %map[%s, %s] to %slot tile 0 : !llvm.ptr
    tile_gpu.commit %slot
  } warps 4 registers 240 {
    %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2 parity = true>
    %lease = tile_gpu.wait %c[%at] : !ring
    tile_gpu.release %lease
  }
  return
}

// A turn is a channel without tiles.
// CHECK-LABEL: func.func @turns(
// CHECK: %[[TURN:.*]] = tile_gpu.channel : <1 x() barriers = true>
// CHECK: tile_gpu.roles in_turn warps 4 alone {
// CHECK: tile_gpu.acquire %[[TURN]]
// CHECK: tile_gpu.wait %[[TURN]]
func.func @turns() attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %turn = tile_gpu.channel : !tile_gpu.channel<1 x () barriers = true>
  tile_gpu.roles in_turn warps 4 alone {
  } warps 4 {
    %at = tile_gpu.cursor 0 : !tile_gpu.cursor<1 parity = true>
    %slot = tile_gpu.acquire %turn[%at] : !tile_gpu.channel<1 x () barriers = true>
    tile_gpu.commit %slot
  } warps 4 {
    %at = tile_gpu.cursor 0 : !tile_gpu.cursor<1 parity = true>
    %lease = tile_gpu.wait %turn[%at] : !tile_gpu.channel<1 x () barriers = true>
    tile_gpu.release %lease
  }
  return
}

// The role that copies asks for the end of the other one.
// CHECK-LABEL: func.func @ends(
// CHECK: %[[END:.*]] = tile_gpu.channel : <1 x() barriers = true>
// CHECK: tile_gpu.roles end %[[END]] : !tile_gpu.channel<1 x() barriers = true> warps 4 alone {
// CHECK: tile_gpu.await_slot_or_end %[[RING:.*]][%[[AT:.*]]] copied(%[[RING]]) [%[[AT]]] : <2 x({{.*}}) barriers = true>, <2 parity = true> copied(!tile_gpu.channel<2 x({{.*}}) barriers = true>) [!tile_gpu.cursor<2 parity = true>]
func.func @ends() attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %c = tile_gpu.channel : !ring
  %end = tile_gpu.channel : !tile_gpu.channel<1 x () barriers = true>
  tile_gpu.roles end %end : !tile_gpu.channel<1 x () barriers = true> warps 4 alone {
    %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2 parity = true>
    tile_gpu.await_slot_or_end %c[%at] copied (%c) [%at] : !ring, !tile_gpu.cursor<2 parity = true> copied (!ring) [!tile_gpu.cursor<2 parity = true>]
  } warps 4 {
  }
  return
}

// A slot that is released one step later, behind a product that is on its way.
// CHECK-LABEL: func.func @later(
// CHECK: %[[NONE:.*]] = tile_gpu.no_lease %{{.*}} : <2 x(
// CHECK: %[[R:.*]]:2 = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[LAST:.*]] = %[[NONE]])
// CHECK: tile_gpu.release %[[LAST]]
// CHECK: tile_gpu.compute_first %[[SUMS:.*]], %[[SUMS]] : tensor<64x64xf32>, tensor<64x64xf32>
// CHECK: tile_gpu.await_products %[[SUMS]] pending 1 : tensor<64x64xf32>
// CHECK: tile_gpu.await_products %{{.*}} : tensor<64x64xf32>
// CHECK: tile_gpu.release %[[R]]#1
func.func @later(%n: i32, %sums: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c = tile_gpu.channel : !ring
  %first = tile_gpu.cursor 0 : !tile_gpu.cursor<2 parity = true>
  %none = tile_gpu.no_lease %c : !ring
  %r:2 = scf.for %i = %zero to %n step %one iter_args(%at = %first, %last = %none) -> (!tile_gpu.cursor<2 parity = true>, !tile_gpu.lease) : i32 {
    %lease = tile_gpu.wait %c[%at] : !ring
    tile_gpu.release %last
    %next = tile_gpu.advance %at : !tile_gpu.cursor<2 parity = true>
    scf.yield %next, %lease : !tile_gpu.cursor<2 parity = true>, !tile_gpu.lease
  }
  tile_gpu.compute_first %sums, %sums : tensor<64x64xf32>, tensor<64x64xf32>
  %some = tile_gpu.await_products %sums pending 1 : tensor<64x64xf32>
  %done = tile_gpu.await_products %some : tensor<64x64xf32>
  tile_gpu.release %r#1
  return %done : tensor<64x64xf32>
}
