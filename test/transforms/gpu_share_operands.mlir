// SPDX-License-Identifier: MIT
// RUN: tile-opt %s --tile-simplify --tile-assign-layouts=target=sm_90 --canonicalize --tile-gpu-hoist-conversions --cse --tile-gpu-share-operands | FileCheck %s

// Both operands of a product share a channel with one slot; what is read lies as the matrix unit wants it.
// CHECK-LABEL: func.func @product(
// CHECK: %[[C:.*]] = tile_gpu.channel : <1 x(tensor<64x64xf16, #{{.*}}shared {{.*}}>, tensor<64x64xf16, #{{.*}}shared {{.*}}>)>
// CHECK: scf.for
// CHECK-NOT: tile.load
// CHECK: %[[S:.*]] = tile_gpu.acquire %[[C]][%[[FIRST:.*]]] :
// CHECK: tile_gpu.copy %{{.*}} to %[[S]] tile 0 async 8 :
// CHECK: tile_gpu.copy %{{.*}} to %[[S]] tile 1 async 8 :
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

// Copy units of two bytes, for nothing is known of the alignment: the same channel, which loads and stores fill.
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
// CHECK: %[[VECTOR:.*]] = arith.constant dense<8> : tensor<64xi32
// CHECK: %[[MOST:.*]] = arith.minui %[[REST]], %[[VECTOR]]
// CHECK: %[[NONE:.*]] = arith.constant dense<0> : tensor<64xi32
// CHECK: %[[LINE:.*]] = arith.select %[[HOLDS]], %[[MOST]], %[[NONE]]
// CHECK: %[[COLUMNS:.*]] = tile.expand_dims %[[LINE]] {axis = 0 : i32}
// CHECK: %[[INSIDE:.*]] = tile.broadcast %[[COLUMNS]]
// CHECK: tile_gpu.copy %{{.*}} to %{{.*}} tile 0 async 8 mask %{{.*}} inside %[[INSIDE]] : tensor
// CHECK: tile_gpu.copy %{{.*}} to %{{.*}} tile 1 async 8 mask %{{[^ ]*}} : tensor
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

// Two products of one block: it is copied with the first one's other operand, and read once.
// CHECK-LABEL: func.func @both(
// CHECK: scf.for
// CHECK-NOT: tile.load
// CHECK: tile_gpu.copy %{{.*}} tile 0 async
// CHECK: tile_gpu.copy %{{.*}} tile 1 async
// CHECK: %[[A:.*]] = tile_gpu.read
// CHECK: %[[B:.*]] = tile_gpu.read
// CHECK: tile.dot %[[A]], %[[B]]
// CHECK: tile_gpu.copy %{{.*}} tile 0 async
// CHECK-NOT: tile_gpu.copy
// CHECK: %[[C:.*]] = tile_gpu.read
// CHECK: tile.dot %[[A]], %[[C]]
// CHECK: scf.yield
func.func @both(%arg0: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %arg1: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %arg2: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %arg3: i32 {tile.divisibility = 16 : i32}) attributes {tile.fp_fusion = true, tile.kernel, tile.num_stages = 3 : i32, tile.num_warps = 4 : i32} {
  %cst = arith.constant dense<32> : tensor<64xi32>
  %cst_0 = arith.constant dense<32> : tensor<32xi32>
  %c0_i32 = arith.constant 0 : i32
  %c32_i32 = arith.constant 32 : i32
  %cst_1 = arith.constant dense<0.000000e+00> : tensor<64x32xf32>
  %0 = tile.arange 0 to 64 : tensor<64xi32>
  %1 = tile.arange 0 to 32 : tensor<32xi32>
  %2 = tile.expand_dims %1 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %3:2 = scf.for %arg4 = %c0_i32 to %arg3 step %c32_i32 iter_args(%arg5 = %cst_1, %arg6 = %cst_1) -> (tensor<64x32xf32>, tensor<64x32xf32>)  : i32 {
    %12 = tile.splat %arg3 : i32 -> tensor<64xi32>
    %13 = arith.muli %0, %12 : tensor<64xi32>
    %14 = tile.splat %arg0 : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
    %15 = tile.addptr %14, %13 : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
    %16 = tile.expand_dims %15 {axis = 1 : i32} : tensor<64x!tile.ptr<f16>> -> tensor<64x1x!tile.ptr<f16>>
    %17 = tile.broadcast %16 : tensor<64x1x!tile.ptr<f16>> -> tensor<64x32x!tile.ptr<f16>>
    %18 = tile.splat %arg4 : i32 -> tensor<32xi32>
    %19 = arith.addi %18, %1 : tensor<32xi32>
    %20 = tile.expand_dims %19 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %21 = tile.broadcast %20 : tensor<1x32xi32> -> tensor<64x32xi32>
    %22 = tile.addptr %17, %21 : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
    %23 = tile.load %22 : tensor<64x32x!tile.ptr<f16>>
    %24 = arith.muli %19, %cst_0 : tensor<32xi32>
    %25 = tile.splat %arg1 : !tile.ptr<f16> -> tensor<32x!tile.ptr<f16>>
    %26 = tile.addptr %25, %24 : tensor<32x!tile.ptr<f16>>, tensor<32xi32>
    %27 = tile.expand_dims %26 {axis = 1 : i32} : tensor<32x!tile.ptr<f16>> -> tensor<32x1x!tile.ptr<f16>>
    %28 = tile.broadcast %27 : tensor<32x1x!tile.ptr<f16>> -> tensor<32x32x!tile.ptr<f16>>
    %29 = tile.broadcast %2 : tensor<1x32xi32> -> tensor<32x32xi32>
    %30 = tile.addptr %28, %29 : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
    %31 = tile.load %30 : tensor<32x32x!tile.ptr<f16>>
    %32 = tile.dot %23, %31, %arg5 : tensor<64x32xf16>, tensor<32x32xf16>, tensor<64x32xf32>
    %33 = tile.splat %arg3 : i32 -> tensor<32xi32>
    %34 = arith.addi %19, %33 : tensor<32xi32>
    %35 = arith.muli %34, %cst_0 : tensor<32xi32>
    %36 = tile.addptr %25, %35 : tensor<32x!tile.ptr<f16>>, tensor<32xi32>
    %37 = tile.expand_dims %36 {axis = 1 : i32} : tensor<32x!tile.ptr<f16>> -> tensor<32x1x!tile.ptr<f16>>
    %38 = tile.broadcast %37 : tensor<32x1x!tile.ptr<f16>> -> tensor<32x32x!tile.ptr<f16>>
    %39 = tile.addptr %38, %29 : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
    %40 = tile.load %39 : tensor<32x32x!tile.ptr<f16>>
    %41 = tile.dot %23, %40, %arg6 : tensor<64x32xf16>, tensor<32x32xf16>, tensor<64x32xf32>
    scf.yield %32, %41 : tensor<64x32xf32>, tensor<64x32xf32>
  }
  %4 = arith.muli %0, %cst : tensor<64xi32>
  %5 = tile.splat %arg2 : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %6 = tile.addptr %5, %4 : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %7 = tile.expand_dims %6 {axis = 1 : i32} : tensor<64x!tile.ptr<f32>> -> tensor<64x1x!tile.ptr<f32>>
  %8 = tile.broadcast %7 : tensor<64x1x!tile.ptr<f32>> -> tensor<64x32x!tile.ptr<f32>>
  %9 = tile.broadcast %2 : tensor<1x32xi32> -> tensor<64x32xi32>
  %10 = tile.addptr %8, %9 : tensor<64x32x!tile.ptr<f32>>, tensor<64x32xi32>
  %11 = arith.addf %3#0, %3#1 : tensor<64x32xf32>
  tile.store %10, %11 : tensor<64x32x!tile.ptr<f32>>
  return
}

// One loaded tile is both operands, which lie differently in registers: it is copied once and read twice.
// CHECK-LABEL: func.func @square(
// CHECK: %[[C:.*]] = tile_gpu.channel : <1 x(tensor<64x64xf16, #{{[^,]*}}shared {{.*}}>)>
// CHECK-NOT: tile.load
// CHECK: tile_gpu.copy %{{.*}} tile 0 async 8 :
// CHECK-NOT: tile_gpu.copy
// CHECK: %[[L:.*]] = tile_gpu.wait %[[C]]
// CHECK: %[[VA:.*]] = tile_gpu.view %[[L]] tile 0
// CHECK: %[[A:.*]] = tile_gpu.read %[[VA]]
// CHECK: %[[VB:.*]] = tile_gpu.view %[[L]] tile 0
// CHECK: %[[B:.*]] = tile_gpu.read %[[VB]]
// CHECK: tile_gpu.release %[[L]]
// CHECK: tile.dot %[[A]], %[[B]]
func.func @square(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
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
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %pa = tile.addptr %as, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %pc = tile.addptr %cs, %offset : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %sum, %end = scf.for %i = %zero to %steps step %one iter_args(%acc = %none, %at = %pa) -> (tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>) : i32 {
    %x = tile.load %at : tensor<64x64x!tile.ptr<f16>>
    %d = tile.dot %x, %x, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %next = tile.addptr %at, %ahead : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    scf.yield %d, %next : tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>
  }
  tile.store %pc, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// CHECK-LABEL: func.func @gram(
// CHECK: tile_gpu.channel : <1 x(tensor<64x64xf16, #{{[^,]*}}shared {{.*}}>)>
// CHECK-NOT: tile.load
// CHECK: %[[A:.*]] = tile_gpu.read
// CHECK: %[[T:.*]] = tile.permute %{{.*}} [1, 0]
// CHECK: %[[B:.*]] = tile_gpu.read %[[T]]
// CHECK: tile.dot %[[A]], %[[B]]
func.func @gram(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
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
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %pa = tile.addptr %as, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %pc = tile.addptr %cs, %offset : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %sum, %end = scf.for %i = %zero to %steps step %one iter_args(%acc = %none, %at = %pa) -> (tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>) : i32 {
    %x = tile.load %at : tensor<64x64x!tile.ptr<f16>>
    %t = tile.permute %x [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %x, %t, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %next = tile.addptr %at, %ahead : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    scf.yield %d, %next : tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>
  }
  tile.store %pc, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// What is read otherwise as well stays in registers.
// CHECK-LABEL: func.func @read_otherwise(
// CHECK-NOT: tile_gpu.channel
// CHECK: tile.load
// CHECK: tile.dot
func.func @read_otherwise(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
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
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %pa = tile.addptr %as, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %pc = tile.addptr %cs, %offset : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %sum, %end = scf.for %i = %zero to %steps step %one iter_args(%acc = %none, %at = %pa) -> (tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>) : i32 {
    %x = tile.load %at : tensor<64x64x!tile.ptr<f16>>
    %t = tile.permute %x [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
    %e = tile.dot %x, %t, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %w = tile.fp_cast %x : tensor<64x64xf16> -> tensor<64x64xf32>
    %d = arith.addf %e, %w : tensor<64x64xf32>
    %next = tile.addptr %at, %ahead : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    scf.yield %d, %next : tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>
  }
  tile.store %pc, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}
