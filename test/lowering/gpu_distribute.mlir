// SPDX-License-Identifier: MIT
// What one thread does for its part of a tile.
// RUN: tile-opt %s --tile-gpu-distribute -canonicalize -cse | FileCheck %s
#seq = #tile_gpu.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [], block = [], repeats = [1]>
#reversed = #tile_gpu.layout<register = [[1]], lane = [[3], [4], [8], [16], [32]], warp = [], block = [], repeats = [1]>
#swapped = #tile_gpu.layout<register = [[32], [1]], lane = [[2], [4], [8], [16], [0]], warp = [], block = [], repeats = [1]>
#low = #tile_gpu.layout<register = [[1], [32]], lane = [[2], [4], [8], [16], [0]], warp = [], block = [], repeats = [1]>
#swap = #tile_gpu.layout<register = [[2]], lane = [[1], [4], [8], [16], [32]], warp = [], block = [], repeats = [1]>
#accumulator = #tile_gpu.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0]], block = [], repeats = [1, 1]>
#vectors = #tile_gpu.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[0, 8]], block = [], repeats = [1, 1]>
#wide = #tile_gpu.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64]], block = [], repeats = [1]>
#three = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [3]>
#few = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [0]], warp = [[0]], block = [], repeats = [1]>
#row = #tile_gpu.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[8, 0]], block = [], repeats = [1, 1]>
#rows = #tile_gpu.layout<register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [32, 0], [64, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [], block = [], repeats = [1, 1]>
#cols = #tile_gpu.layout<register = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0], [0, 32], [0, 64]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [], block = [], repeats = [1, 1]>
#col = #tile_gpu.layout<register = [[1, 0]], lane = [[2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], warp = [[0, 4]], block = [], repeats = [1, 1]>

//===------------------------------------------------------------------------===//
// Coordinates and elementwise ops
//===------------------------------------------------------------------------===//

// Two registers, from the lane and from the warp; four bytes each make one access of eight.
// CHECK-LABEL: func.func @arange(
// CHECK-SAME: tile_gpu.shared_bytes = 0
// CHECK: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[LANE:.*]] = arith.andi %[[THREAD]], %c31
// CHECK: %[[WARP:.*]] = arith.shrui %{{.*}}, %c5
// CHECK: %[[L:.*]] = arith.shli %[[LANE]], %c1
// CHECK: %[[BIT:.*]] = arith.andi %[[WARP]], %c1
// CHECK: %[[W:.*]] = arith.shli %[[BIT]], %c6
// CHECK: %[[I:.*]] = arith.xori %[[L]], %[[W]]
// CHECK: %[[J:.*]] = arith.addi %[[I]], %c1
// CHECK: %[[X:.*]] = arith.muli %[[I]], %[[I]]
// CHECK: %[[Y:.*]] = arith.muli %[[J]], %[[J]]
// CHECK: %[[P:.*]] = tile.addptr %arg0, %[[I]]
// CHECK: tile_gpu.store_global %[[P]], %[[X]], %[[Y]] : <i32>, i32, i32
func.func @arange(%p: !tile.ptr<i32> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %i = tile.arange 0 to 128 : tensor<128xi32, #wide>
  %x = arith.muli %i, %i : tensor<128xi32, #wide>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>, #wide>
  %q = tile.addptr %ps, %i : tensor<128x!tile.ptr<i32>, #wide>, tensor<128xi32, #wide>
  tile.store %q, %x : tensor<128x!tile.ptr<i32>, #wide>
  return
}

// Runs are promised along an axis of a tile, which a register does not have; what is promised of each element
// stays.
// CHECK-LABEL: func.func @facts(
// CHECK-COUNT-2: tile.assume %{{.*}} {divisible = 2 : i64, range = array<i64: 0, 100>} : i32
// CHECK-NOT: tile.assume
// CHECK: return
func.func @facts(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %i = tile.arange 0 to 128 : tensor<128xi32, #wide>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>, #wide>
  %q = tile.addptr %ps, %i : tensor<128x!tile.ptr<i32>, #wide>, tensor<128xi32, #wide>
  %x = tile.load %q : tensor<128x!tile.ptr<i32>, #wide>
  %1 = tile.assume %x {contiguous = 4 : i64} : tensor<128xi32, #wide>
  %2 = tile.assume %1 {constant = 2 : i64} : tensor<128xi32, #wide>
  %3 = tile.assume %2 {contiguous = 2 : i64, divisible = 2 : i64, range = array<i64: 0, 100>} : tensor<128xi32, #wide>
  tile.store %q, %3 : tensor<128x!tile.ptr<i32>, #wide>
  return
}

// A step that data gives is no divisor before it is known to be positive: the loop does not run then.
// CHECK-LABEL: func.func @step(
// CHECK-SAME: !tile.ptr<i32>, %[[STEP:[a-z0-9]+]]: i32
// CHECK-DAG: %[[GOES:.*]] = arith.cmpi sgt, %[[STEP]], %c0{{.*}} {tile_gpu.loop_step} : i32
// CHECK-DAG: %[[BY:.*]] = arith.select %[[GOES]], %[[STEP]], %c1
// CHECK: arith.divui %{{.*}}, %[[BY]] : i32
// CHECK: arith.select %[[GOES]], %{{.*}}, %c0
func.func @step(%p: !tile.ptr<i32>, %s: i32) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  scf.for %k = %c0 to %c8 step %s : i32 {
    tile.store %p, %k : !tile.ptr<i32>
  }
  return
}

// A pointer of which nothing is known is accessed element by element.
// CHECK-LABEL: func.func @narrow(
// CHECK-COUNT-2: tile_gpu.store_global %{{.*}}, %{{.*}} : <i32>, i32{{$}}
func.func @narrow(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %i = tile.arange 0 to 128 : tensor<128xi32, #wide>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>, #wide>
  %q = tile.addptr %ps, %i : tensor<128x!tile.ptr<i32>, #wide>, tensor<128xi32, #wide>
  tile.store %q, %i : tensor<128x!tile.ptr<i32>, #wide>
  return
}

// Every second lane has its two elements in the other order: they are no vector.
// CHECK-LABEL: func.func @reversed(
// CHECK-COUNT-2: tile_gpu.store_global %{{.*}}, %{{.*}} : <i32>, i32{{$}}
func.func @reversed(%p: !tile.ptr<i32> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %i = tile.arange 0 to 64 : tensor<64xi32, #reversed>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>, #reversed>
  %q = tile.addptr %ps, %i : tensor<64x!tile.ptr<i32>, #reversed>, tensor<64xi32, #reversed>
  tile.store %q, %i : tensor<64x!tile.ptr<i32>, #reversed>
  return
}

// So is a tile whose mask may end within a vector; with a bound that is a multiple it may not.
// CHECK-LABEL: func.func @masked(
// CHECK: tile_gpu.load_global %{{.*}} if %{{.*}} : (<i32>) -> (i32)
// CHECK: tile_gpu.load_global %{{.*}} if %{{.*}} : (<i32>) -> (i32)
// CHECK: tile_gpu.load_global %{{.*}} if %{{.*}} : (<i32>) -> (i32, i32)
func.func @masked(%p: !tile.ptr<i32> {tile.divisibility = 16 : i32}, %n: i32, %m: i32 {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %i = tile.arange 0 to 128 : tensor<128xi32, #wide>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>, #wide>
  %q = tile.addptr %ps, %i : tensor<128x!tile.ptr<i32>, #wide>, tensor<128xi32, #wide>
  %ns = tile.splat %n : i32 -> tensor<128xi32, #wide>
  %c = arith.cmpi slt, %i, %ns : tensor<128xi32, #wide>
  %x = tile.load %q, %c volatile : tensor<128x!tile.ptr<i32>, #wide>
  %ms = tile.splat %m : i32 -> tensor<128xi32, #wide>
  %d = arith.cmpi slt, %i, %ms : tensor<128xi32, #wide>
  %y = tile.load %q, %d volatile : tensor<128x!tile.ptr<i32>, #wide>
  return
}

// 96 elements of 32 lanes: the odd factor repeats the register, 32 elements on.
// CHECK-LABEL: func.func @repeats(
// CHECK: %[[FIRST:.*]] = arith.andi %{{.*}}, %c31
// CHECK: arith.addi %[[FIRST]], %c32
// CHECK: arith.addi %[[FIRST]], %c64
// CHECK-COUNT-3: tile_gpu.store_global
func.func @repeats(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %i = tile.arange 0 to 96 : tensor<96xi32, #three>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<96x!tile.ptr<i32>, #three>
  %q = tile.addptr %ps, %i : tensor<96x!tile.ptr<i32>, #three>, tensor<96xi32, #three>
  tile.store %q, %i : tensor<96x!tile.ptr<i32>, #three>
  return
}

//===------------------------------------------------------------------------===//
// Control flow carries registers
//===------------------------------------------------------------------------===//

// CHECK-LABEL: func.func @control(
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (i32, i32)
// CHECK: scf.yield %{{.*}}, %{{.*}} : i32, i32
// CHECK: scf.if %{{.*}} -> (i32, i32)
// CHECK: scf.while (%{{.*}}) : (i32, i32, i32) -> (i32, i32, i32)
// CHECK: scf.condition(%{{.*}}) %{{.*}}, %{{.*}}, %{{.*}} : i32, i32, i32
// CHECK: scf.yield %{{.*}}, %{{.*}}, %{{.*}} : i32, i32, i32
func.func @control(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32, %b: i1) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant dense<1> : tensor<64xi32, #seq>
  %r = tile.arange 0 to 64 : tensor<64xi32, #seq>
  %s = scf.for %k = %c0 to %n step %c1 iter_args(%x = %r) -> tensor<64xi32, #seq> : i32 {
    %y = arith.addi %x, %one : tensor<64xi32, #seq>
    scf.yield %y : tensor<64xi32, #seq>
  }
  %t = scf.if %b -> tensor<64xi32, #seq> {
    %y = arith.muli %s, %s : tensor<64xi32, #seq>
    scf.yield %y : tensor<64xi32, #seq>
  } else {
    scf.yield %s : tensor<64xi32, #seq>
  }
  %u:2 = scf.while (%i = %n, %x = %t) : (i32, tensor<64xi32, #seq>) -> (i32, tensor<64xi32, #seq>) {
    %c = arith.cmpi sgt, %i, %c0 : i32
    scf.condition(%c) %i, %x : i32, tensor<64xi32, #seq>
  } do {
  ^bb0(%i: i32, %x: tensor<64xi32, #seq>):
    %j = arith.subi %i, %c1 : i32
    %y = arith.addi %x, %x : tensor<64xi32, #seq>
    scf.yield %j, %y : i32, tensor<64xi32, #seq>
  }
  %f = arith.sitofp %u#1 : tensor<64xi32, #seq> to tensor<64xf32, #seq>
  %i = tile.arange 0 to 64 : tensor<64xi32, #seq>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>, #seq>
  %q = tile.addptr %ps, %i : tensor<64x!tile.ptr<f32>, #seq>, tensor<64xi32, #seq>
  tile.store %q, %f : tensor<64x!tile.ptr<f32>, #seq>
  return
}

//===------------------------------------------------------------------------===//
// Replicas
//===------------------------------------------------------------------------===//

// 16 elements in two warps: one replica of each stores.
// CHECK-LABEL: func.func @replicas(
// CHECK: %[[LANE:.*]] = arith.andi %{{.*}}, %c31
// CHECK: %[[WARP:.*]] = arith.shrui %{{.*}}, %c5
// CHECK: %[[UPPER:.*]] = arith.andi %[[LANE]], %c16
// CHECK: %[[INLANE:.*]] = arith.cmpi eq, %[[UPPER]], %c0
// CHECK: %[[SECOND:.*]] = arith.andi %[[WARP]], %c1
// CHECK: %[[INWARP:.*]] = arith.cmpi eq, %[[SECOND]], %c0
// CHECK: %[[OWNS:.*]] = arith.andi %[[INLANE]], %[[INWARP]]
// CHECK: tile_gpu.store_global %{{.*}}, %{{.*}} if %[[OWNS]] : <i32>, i32
// CHECK-NOT: barrier
func.func @replicas(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %i = tile.arange 0 to 16 : tensor<16xi32, #few>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<16x!tile.ptr<i32>, #few>
  %q = tile.addptr %ps, %i : tensor<16x!tile.ptr<i32>, #few>, tensor<16xi32, #few>
  tile.store %q, %i : tensor<16x!tile.ptr<i32>, #few>
  return
}

// A scalar is stored by one thread, and read by all: the program's order between the two takes a barrier.
// CHECK-LABEL: func.func @scalars(
// CHECK: tile_gpu.load_global
// CHECK: tile_gpu.sync{{( shared)?$}}
// CHECK: %[[THREAD:.*]] = arith.ori
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[THREAD]], %c0
// CHECK: tile_gpu.store_global %arg0, %{{.*}} if %[[FIRST]] : <i32>, i32
// CHECK-NEXT: tile_gpu.sync{{( shared)?$}}
// CHECK: tile_gpu.load_global
func.func @scalars(%p: !tile.ptr<i32>, %q: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %x = tile.load %p : !tile.ptr<i32>
  %y = arith.addi %x, %x : i32
  tile.store %p, %y : !tile.ptr<i32>
  %z = tile.load %q volatile : !tile.ptr<i32>
  return
}

// The other replicas read what one of them changes; lanes that are one thread's each need nothing.
// CHECK-LABEL: func.func @in_place(
// CHECK: tile_gpu.load_global
// CHECK: tile_gpu.sync{{( shared)?$}}
// CHECK: tile_gpu.store_global
// CHECK-NOT: tile_gpu.sync{{( shared)?$}}
// CHECK: tile_gpu.load_global
// CHECK-NOT: tile_gpu.sync{{( shared)?$}}
// CHECK: return
func.func @in_place(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %i = tile.arange 0 to 16 : tensor<16xi32, #few>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<16x!tile.ptr<i32>, #few>
  %q = tile.addptr %ps, %i : tensor<16x!tile.ptr<i32>, #few>, tensor<16xi32, #few>
  %x = tile.load %q : tensor<16x!tile.ptr<i32>, #few>
  %y = arith.addi %x, %i : tensor<16xi32, #few>
  tile.store %q, %y : tensor<16x!tile.ptr<i32>, #few>
  %j = tile.arange 0 to 128 : tensor<128xi32, #wide>
  %ts = tile.splat %p : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>, #wide>
  %t = tile.addptr %ts, %j : tensor<128x!tile.ptr<i32>, #wide>, tensor<128xi32, #wide>
  %z = tile.load %t : tensor<128x!tile.ptr<i32>, #wide>
  %w = arith.addi %z, %j : tensor<128xi32, #wide>
  tile.store %t, %w : tensor<128x!tile.ptr<i32>, #wide>
  return
}

//===------------------------------------------------------------------------===//
// Conversions
//===------------------------------------------------------------------------===//

// 16 x 8 f32 without padding. A barrier before the first write, because
// the scratch may still be read, and one before the first read.
// CHECK-LABEL: func.func @through_scratch(
// CHECK-SAME: tile_gpu.shared_bytes = 512
// CHECK: tile_gpu.sync{{( shared)?$}}
// CHECK: %[[S:.*]] = tile_gpu.shared offset 0
// CHECK: %[[TO:.*]] = llvm.getelementptr %[[S]]
// CHECK: llvm.store %{{.*}}, %[[TO]] {alignment = 8 : i64} : vector<2xf32>
// CHECK-NOT: llvm.load
// CHECK: tile_gpu.sync{{( shared)?$}}
// CHECK-COUNT-2: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
// CHECK-NOT: tile_gpu.sync{{( shared)?$}}
func.func @through_scratch(%p: !tile.ptr<f32>, %x: f32) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %a = tile.splat %x : f32 -> tensor<16x8xf32, #row>
  %b = tile_gpu.convert_layout %a : tensor<16x8xf32, #row> -> tensor<16x8xf32, #col>
  %q = tile.splat %p : !tile.ptr<f32> -> tensor<16x8x!tile.ptr<f32>, #col>
  tile.store %q, %b : tensor<16x8x!tile.ptr<f32>, #col>
  return
}

// Other registers of the same thread are free.
// CHECK-LABEL: func.func @renamed(
// CHECK-SAME: tile_gpu.shared_bytes = 0
// CHECK-NOT: tile_gpu.sync{{( shared)?$}}
// CHECK: %[[ONE:.*]] = arith.addi %{{.*}}, %c1
// CHECK: %[[FAR:.*]] = arith.addi %{{.*}}, %c32
// CHECK-COUNT-4: tile_gpu.store_global
func.func @renamed(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %i = tile.arange 0 to 64 : tensor<64xi32, #low>
  %j = tile_gpu.convert_layout %i : tensor<64xi32, #low> -> tensor<64xi32, #swapped>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>, #swapped>
  %q = tile.addptr %ps, %j : tensor<64x!tile.ptr<i32>, #swapped>, tensor<64xi32, #swapped>
  tile.store %q, %j : tensor<64x!tile.ptr<i32>, #swapped>
  return
}

// Pairs of lanes exchange one of two registers each.
// CHECK-LABEL: func.func @within_a_warp(
// CHECK-SAME: tile_gpu.shared_bytes = 0
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: %[[LANE:.*]] = arith.andi %{{.*}}, %c31
// CHECK: %[[ODD:.*]] = arith.cmpi ne, %{{.*}}, %[[ZERO]]
// CHECK: %[[GIVEN:.*]] = arith.select %[[ODD]], %[[A:.*]], %[[B:.*]] : i32
// CHECK: %[[GOT:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[GIVEN]], %[[ONE]]
// CHECK-DAG: arith.select %[[ODD]], %[[GOT]], %[[A]]
// CHECK-DAG: arith.select %[[ODD]], %[[B]], %[[GOT]]
// CHECK-NOT: tile_gpu.sync{{( shared)?$}}
// CHECK: return
func.func @within_a_warp(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %i = tile.arange 0 to 64 : tensor<64xi32, #seq>
  %j = tile_gpu.convert_layout %i : tensor<64xi32, #seq> -> tensor<64xi32, #swap>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>, #swap>
  %q = tile.addptr %ps, %j : tensor<64x!tile.ptr<i32>, #swap>, tensor<64xi32, #swap>
  tile.store %q, %j : tensor<64x!tile.ptr<i32>, #swap>
  return
}

// An accumulator goes to memory as four matrices of 8 x 8 at once, where the GPU has that, and comes back as
// rows of 16 bytes.
// CHECK-LABEL: func.func @matrices(
// CHECK-SAME: tile_gpu.shared_bytes = 1024
// CHECK: tile_gpu.sync{{( shared)?$}}
// CHECK: nvvm.stmatrix %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {
// CHECK-SAME: layout = #nvvm.mma_layout<row>
// CHECK-NOT: nvvm.stmatrix
// CHECK: tile_gpu.sync{{( shared)?$}}
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xf16>
func.func @matrices(%p: !tile.ptr<f16>, %x: f16) attributes {tile.kernel, tile_gpu.target = "sm_90", tile.num_warps = 2 : i32} {
  %a = tile.splat %x : f16 -> tensor<32x16xf16, #accumulator>
  %b = tile_gpu.convert_layout %a : tensor<32x16xf16, #accumulator> -> tensor<32x16xf16, #vectors>
  %q = tile.splat %p : !tile.ptr<f16> -> tensor<32x16x!tile.ptr<f16>, #vectors>
  tile.store %q, %b : tensor<32x16x!tile.ptr<f16>, #vectors>
  return
}

//===------------------------------------------------------------------------===//
// Reductions
//===------------------------------------------------------------------------===//

// Registers first, then five exchanges within the warp; nothing goes through memory.
// CHECK-LABEL: func.func @within_lanes(
// CHECK-SAME: tile_gpu.shared_bytes = 0
// CHECK: arith.addi
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK-NOT: tile_gpu.sync{{( shared)?$}}
// CHECK: tile_gpu.store_global
func.func @within_lanes(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %a = tile.arange 0 to 64 : tensor<64xi32, #seq>
  %b = tile.reduce (%a) axis = 0 : (tensor<64xi32, #seq>) -> i32 {
  ^bb0(%x: i32, %y: i32):
    %c = arith.addi %x, %y : i32
    tile.yield %c : i32
  }
  tile.store %p, %b : !tile.ptr<i32>
  return
}

// The two warps' sums meet in scratch, each read by everyone, the first warp's first.
// CHECK-LABEL: func.func @across_warps(
// CHECK-SAME: tile_gpu.shared_bytes = 8
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK: tile_gpu.sync{{( shared)?$}}
// CHECK: llvm.store
// CHECK: tile_gpu.sync{{( shared)?$}}
// CHECK: %[[FIRST:.*]] = llvm.load
// CHECK: %[[SECOND:.*]] = llvm.load
// CHECK: arith.addi %[[FIRST]], %[[SECOND]]
func.func @across_warps(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %a = tile.arange 0 to 128 : tensor<128xi32, #wide>
  %b = tile.reduce (%a) axis = 0 : (tensor<128xi32, #wide>) -> i32 {
  ^bb0(%x: i32, %y: i32):
    %c = arith.addi %x, %y : i32
    tile.yield %c : i32
  }
  tile.store %p, %b : !tile.ptr<i32>
  return
}

// The machine has no maximum of 16-bit floats in memory: a loop of swaps.
// CHECK-LABEL: func.func @narrow_maximum(
// CHECK: scf.while
// CHECK: %[[SEEN:.*]] = arith.xori
// CHECK: arith.cmpi sgt, %[[SEEN]]
// CHECK: tile_gpu.swap_global %arg0, {{.*}} : <f16>, i16
// CHECK: scf.condition
func.func @narrow_maximum(%p: !tile.ptr<f16>, %x: f16) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %old = tile.atomic_rmw fmax, %p, %x ordering = relaxed scope = gpu : !tile.ptr<f16>
  return
}

// 128 KiB would be too much at once: the rows go in two rounds.
// CHECK-LABEL: func.func @in_rounds(
// CHECK-SAME: tile_gpu.shared_bytes = 65536
// CHECK-COUNT-4: tile_gpu.sync{{( shared)?$}}
// CHECK-NOT: tile_gpu.sync{{( shared)?$}}
// CHECK: return
func.func @in_rounds(%x: f64, %p: !tile.ptr<f64>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %i = tile.splat %x : f64 -> tensor<128x128xf64, #rows>
  %c = tile_gpu.convert_layout %i : tensor<128x128xf64, #rows> -> tensor<128x128xf64, #cols>
  %ps = tile.splat %p : !tile.ptr<f64> -> tensor<128x128x!tile.ptr<f64>, #cols>
  tile.store %ps, %c : tensor<128x128x!tile.ptr<f64>, #cols>
  return
}

// All threads learn of a failure and end; the first that fails leaves word of it for the host.
// CHECK-LABEL: func.func @asserting(
// CHECK-SAME: tile_gpu.faults = [{message = "no value is negative", shape = array<i64: 64>, where = #loc
// CHECK: %[[ANYONE:.*]] = nvvm.barrier #nvvm.reduction<or> %{{.*}} -> i32
// CHECK: %[[FAILED:.*]] = arith.cmpi ne, %[[ANYONE]]
// CHECK: scf.if %[[FAILED]] {
// CHECK: %[[RECORD:.*]] = tile_gpu.fault_record : <i32>
// CHECK: %[[BEFORE:.*]] = tile_gpu.swap_global %[[RECORD]]
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[BEFORE]]
// CHECK-COUNT-5: tile_gpu.store_global {{.*}} if
// CHECK: nvvm.exit
func.func @asserting(%c: i1) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = tile.splat %c : i1 -> tensor<64xi1, #seq>
  tile.assert %0, "no value is negative" : tensor<64xi1, #seq>
  return
}

// -----

// A declaration has nothing to distribute.
// CHECK: func.func private @declared(i32)
func.func private @declared(i32)
