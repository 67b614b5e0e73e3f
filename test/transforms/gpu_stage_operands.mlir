// SPDX-License-Identifier: MIT
// RUN: tile-opt %s --tile-simplify --tile-assign-layouts=target=sm_90 --canonicalize --tile-gpu-hoist-conversions --cse --tile-gpu-stage-operands | FileCheck %s

// Both operands of a product share a channel with one slot; what is read lies as the matrix unit wants it.
// CHECK-LABEL: func.func @product(
// CHECK: %[[C:.*]] = tile_gpu.channel : <1 x(tensor<64x64xf16, #{{.*}}shared {{.*}}>, tensor<64x64xf16, #{{.*}}shared {{.*}}>)>
// CHECK: scf.for
// CHECK-NOT: tile.load
// CHECK: %[[S:.*]] = tile_gpu.acquire %[[C]][%[[FIRST:.*]]] :
// CHECK: tile_gpu.copy %{{.*}} to %[[S]] tile 0 async 4 :
// CHECK: tile_gpu.copy %{{.*}} to %[[S]] tile 1 async 4 :
// CHECK: tile_gpu.commit %[[S]]
// CHECK: %[[L:.*]] = tile_gpu.wait %[[C]][%[[FIRST]]] :
// CHECK: %[[VA:.*]] = tile_gpu.view %[[L]] tile 0
// CHECK: %[[A:.*]] = tile_gpu.read %[[VA]]
// CHECK: %[[VB:.*]] = tile_gpu.view %[[L]] tile 1
// CHECK: %[[B:.*]] = tile_gpu.read %[[VB]]
// CHECK: tile_gpu.release %[[L]]
// CHECK: tile.dot %[[A]], %[[B]]
func.func @product(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %ahead = arith.constant dense<64> : tensor<64x64xi32>
  %r = tile.arange 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %col = tile.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rows = tile.broadcast %row : tensor<64x1xi32> -> tensor<64x64xi32>
  %cols = tile.broadcast %col : tensor<1x64xi32> -> tensor<64x64xi32>
  %wide = arith.muli %rows, %ahead : tensor<64x64xi32>
  %offset = arith.addi %wide, %cols : tensor<64x64xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %pa = tile.addptr %as, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %pb = tile.addptr %bs, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %pc = tile.addptr %cs, %offset : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %sum, %end = scf.for %i = %zero to %steps step %one iter_args(%acc = %none, %at = %pa) -> (tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>) : i32 {
    %x = tile.load %at : tensor<64x64x!tile.ptr<f16>>
    %y = tile.load %pb : tensor<64x64x!tile.ptr<f16>>
    %d = tile.dot %x, %y, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %next = tile.addptr %at, %ahead : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    scf.yield %d, %next : tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>
  }
  tile.store %pc, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// Pieces of two bytes, for nothing is known of the alignment: the same channel, which loads and stores fill.
// CHECK-LABEL: func.func @unaligned(
// CHECK: %[[C:.*]] = tile_gpu.channel : <1 x(tensor<64x64xf16, #{{.*}}shared {{.*}}>, tensor<64x64xf16, #{{.*}}shared {{.*}}>)>
// CHECK-NOT: tile.load
// CHECK: tile_gpu.copy %{{.*}} to %{{.*}} tile 0 :
// CHECK: tile_gpu.copy %{{.*}} to %{{.*}} tile 1 :
func.func @unaligned(%a: !tile.ptr<f16> {tile.divisibility = 2 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 2 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %ahead = arith.constant dense<64> : tensor<64x64xi32>
  %r = tile.arange 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %col = tile.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rows = tile.broadcast %row : tensor<64x1xi32> -> tensor<64x64xi32>
  %cols = tile.broadcast %col : tensor<1x64xi32> -> tensor<64x64xi32>
  %wide = arith.muli %rows, %ahead : tensor<64x64xi32>
  %offset = arith.addi %wide, %cols : tensor<64x64xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %pa = tile.addptr %as, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %pb = tile.addptr %bs, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %pc = tile.addptr %cs, %offset : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %sum, %end = scf.for %i = %zero to %steps step %one iter_args(%acc = %none, %at = %pa) -> (tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>) : i32 {
    %x = tile.load %at : tensor<64x64x!tile.ptr<f16>>
    %y = tile.load %pb : tensor<64x64x!tile.ptr<f16>>
    %d = tile.dot %x, %y, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %next = tile.addptr %at, %ahead : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    scf.yield %d, %next : tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>
  }
  tile.store %pc, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// Nothing is known of `left`: rows may end within a vector. What holds for whole vectors stays the mask, the rest is
// counted. Of the second operand rows are masked as a whole.
// CHECK-LABEL: func.func @ragged(
// CHECK-SAME: [[LEFT:%arg[0-9]*]]: i32 {tile.divisibility = 1 : i32}
// CHECK: scf.for
// CHECK: %[[LIMIT:.*]] = tile.splat [[LEFT]]
// CHECK: %[[HOLDS:.*]] = arith.cmpi slt, %[[K:.*]], %[[LIMIT]]
// CHECK: tile_gpu.acquire
// CHECK: %[[REST:.*]] = arith.subi %[[LIMIT]], %[[K]]
// CHECK: %[[VECTOR:.*]] = arith.constant dense<4> : tensor<64xi32
// CHECK: %[[MOST:.*]] = arith.minui %[[REST]], %[[VECTOR]]
// CHECK: %[[NONE:.*]] = arith.constant dense<0> : tensor<64xi32
// CHECK: %[[LINE:.*]] = arith.select %[[HOLDS]], %[[MOST]], %[[NONE]]
// CHECK: %[[COLUMNS:.*]] = tile.expand_dims %[[LINE]] {axis = 0 : i32}
// CHECK: %[[INSIDE:.*]] = tile.broadcast %[[COLUMNS]]
// CHECK: tile_gpu.copy %{{.*}} to %{{.*}} tile 0 async 4 mask %{{.*}} inside %[[INSIDE]] : tensor
// CHECK: tile_gpu.copy %{{.*}} to %{{.*}} tile 1 async 4 mask %{{[^ ]*}} : tensor
func.func @ragged(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %steps: i32, %left: i32 {tile.divisibility = 1 : i32}) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %ahead = arith.constant dense<64> : tensor<64x64xi32>
  %r = tile.arange 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %col = tile.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rows = tile.broadcast %row : tensor<64x1xi32> -> tensor<64x64xi32>
  %cols = tile.broadcast %col : tensor<1x64xi32> -> tensor<64x64xi32>
  %wide = arith.muli %rows, %ahead : tensor<64x64xi32>
  %offset = arith.addi %wide, %cols : tensor<64x64xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %pa = tile.addptr %as, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %pb = tile.addptr %bs, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %pc = tile.addptr %cs, %offset : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<64x64xf32>) : i32 {
    %limit = tile.splat %left : i32 -> tensor<64xi32>
    %holds = arith.cmpi slt, %r, %limit : tensor<64xi32>
    %last = tile.splat %i : i32 -> tensor<64xi32>
    %used = arith.cmpi slt, %r, %last : tensor<64xi32>
    %hk = tile.expand_dims %holds {axis = 0 : i32} : tensor<64xi1> -> tensor<1x64xi1>
    %hm = tile.expand_dims %used {axis = 1 : i32} : tensor<64xi1> -> tensor<64x1xi1>
    %bk = tile.broadcast %hk : tensor<1x64xi1> -> tensor<64x64xi1>
    %bm = tile.broadcast %hm : tensor<64x1xi1> -> tensor<64x64xi1>
    %mask = arith.andi %bm, %bk : tensor<64x64xi1>
    %x = tile.load %pa, %mask : tensor<64x64x!tile.ptr<f16>>
    %y = tile.load %pb, %bm : tensor<64x64x!tile.ptr<f16>>
    %d = tile.dot %x, %y, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %pc, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// The view is permuted, not what was read.
// CHECK-LABEL: func.func @permuted(
// CHECK: %[[V:.*]] = tile_gpu.view %{{.*}} tile 1
// CHECK-NEXT: %[[T:.*]] = tile.permute %[[V]] [1, 0] : tensor<64x64xf16, #{{.*}}shared {{.*}}> -> tensor<64x64xf16, #{{.*}}shared
// CHECK-NEXT: %[[B:.*]] = tile_gpu.read %[[T]]
// CHECK-NEXT: tile_gpu.release
// CHECK-NOT: tile.permute
// CHECK: tile.dot %{{.*}}, %[[B]],
func.func @permuted(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %ahead = arith.constant dense<64> : tensor<64x64xi32>
  %r = tile.arange 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %col = tile.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rows = tile.broadcast %row : tensor<64x1xi32> -> tensor<64x64xi32>
  %cols = tile.broadcast %col : tensor<1x64xi32> -> tensor<64x64xi32>
  %wide = arith.muli %rows, %ahead : tensor<64x64xi32>
  %offset = arith.addi %wide, %cols : tensor<64x64xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %pa = tile.addptr %as, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %pb = tile.addptr %bs, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %pc = tile.addptr %cs, %offset : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %sum, %end = scf.for %i = %zero to %steps step %one iter_args(%acc = %none, %at = %pa) -> (tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>) : i32 {
    %x = tile.load %at : tensor<64x64x!tile.ptr<f16>>
    %y = tile.load %pb : tensor<64x64x!tile.ptr<f16>>
    %t = tile.permute %y [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %x, %t, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %next = tile.addptr %at, %ahead : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    scf.yield %d, %next : tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>
  }
  tile.store %pc, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// What a loop reads again and again, and what would take too many registers in it beside the sums: one slot,
// filled and waited for before the loop, read in it behind its own wait, released behind it.
// CHECK-LABEL: func.func @read_again(
// CHECK-DAG: %[[Q:.*]] = tile_gpu.channel : <1 x(tensor<128x128xf16,
// CHECK-DAG: %[[K:.*]] = tile_gpu.channel : <1 x(tensor<128x64xf16,
// CHECK: %[[S:.*]] = tile_gpu.acquire %[[Q]][
// CHECK: tile_gpu.copy %{{.*}} to %[[S]] tile 0 async 8
// CHECK: tile_gpu.commit %[[S]]
// CHECK: %[[L:.*]] = tile_gpu.wait %[[Q]][
// CHECK: %[[V:.*]] = tile_gpu.view %[[L]] tile 0
// CHECK: scf.for
// CHECK: tile_gpu.wait %[[K]][
// CHECK: %[[A:.*]] = tile_gpu.read %[[V]]
// CHECK: tile.dot %[[A]]
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: tile_gpu.release %[[L]]
func.func @read_again(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x64xf32>
  %width_a = arith.constant dense<128> : tensor<128x128xi32>
  %width_b = arith.constant dense<64> : tensor<128x64xi32>
  %r = tile.arange 0 to 128 : tensor<128xi32>
  %s = tile.arange 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %r {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %col = tile.expand_dims %r {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %col_b = tile.expand_dims %s {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rows = tile.broadcast %row : tensor<128x1xi32> -> tensor<128x128xi32>
  %cols = tile.broadcast %col : tensor<1x128xi32> -> tensor<128x128xi32>
  %rows_b = tile.broadcast %row : tensor<128x1xi32> -> tensor<128x64xi32>
  %cols_b = tile.broadcast %col_b : tensor<1x64xi32> -> tensor<128x64xi32>
  %wide = arith.muli %rows, %width_a : tensor<128x128xi32>
  %offset = arith.addi %wide, %cols : tensor<128x128xi32>
  %wide_b = arith.muli %rows_b, %width_b : tensor<128x64xi32>
  %offset_b = arith.addi %wide_b, %cols_b : tensor<128x64xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<128x128x!tile.ptr<f16>>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<128x64x!tile.ptr<f32>>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<128x64x!tile.ptr<f16>>
  %pa = tile.addptr %as, %offset : tensor<128x128x!tile.ptr<f16>>, tensor<128x128xi32>
  %pb = tile.addptr %bs, %offset_b : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
  %pc = tile.addptr %cs, %offset_b : tensor<128x64x!tile.ptr<f32>>, tensor<128x64xi32>
  %x = tile.load %pa : tensor<128x128x!tile.ptr<f16>>
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<128x64xf32>) : i32 {
    %y = tile.load %pb : tensor<128x64x!tile.ptr<f16>>
    %d = tile.dot %x, %y, %acc : tensor<128x128xf16>, tensor<128x64xf16>, tensor<128x64xf32>
    scf.yield %d : tensor<128x64xf32>
  }
  tile.store %pc, %sum : tensor<128x64x!tile.ptr<f32>>
  return
}
