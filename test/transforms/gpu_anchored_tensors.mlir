// SPDX-License-Identifier: MIT
// Tensors whose bases, or whose bases and numbers of rows, the program loads or computes: the launch makes their maps,
// which begin at anchors, and the coordinates of each block lead to it.
// RUN: tile-opt %s --tile-gpu-plan=target=sm_90a --tile-gpu-partition-over-ctas --tile-gpu-specialize-warps=target=sm_90a -split-input-file | FileCheck %s
// RUN: tile-opt %s --tile-gpu-plan=target=sm_90a -split-input-file | FileCheck %s --check-prefix=PLAN

// Of A, the number of rows is loaded, too: the map has those of a block. Where only some of these exist, the box begins
// so far down that the tensor ends with the map, and the address is that of rows before.
// PLAN-LABEL: func.func @loaded(
// PLAN-COUNT-3: tile.make_descriptor {{.*}} {tile_gpu.anchored} :
// CHECK-LABEL: func.func @loaded(
// CHECK-SAME: %[[PA:[a-z0-9_]+]]: !tile.ptr<!tile.ptr<f16>>, %[[PB:[a-z0-9_]+]]: !tile.ptr<!tile.ptr<f16>>
// CHECK-DAG: %[[A:.*]] = tile_gpu.tensor_map of 0 extents [2147483647, 1073741824, 64, #tile_gpu.argument<4>] strides [8589934592, 8, #tile_gpu.argument<4>] box [1, 1, 64, 64] of f16 swizzle 128 anchored : !llvm.ptr
// CHECK-DAG: %[[B:.*]] = tile_gpu.tensor_map of 1 extents [2147483647, 1073741824, #tile_gpu.argument<4>, 64] strides [8589934592, 8, 64] box [1, 1, 64, 64] of f16 swizzle 128 anchored : !llvm.ptr
// CHECK-DAG: %[[C:.*]] = tile_gpu.tensor_map of 2 extents [2147483647, 1073741824, 64, 64] strides [4294967296, 4, 64] box [1, 1, 64, 32] of f32 swizzle 128 written anchored : !llvm.ptr
// CHECK-NOT: tile_gpu.workspace
// CHECK: tile_gpu.roles
// CHECK: %[[COUNT:.*]] = tile.load
// CHECK: %[[M:.*]] = arith.extsi
// CHECK: %[[QA:.*]] = tile.assume %{{.*}} {divisible = 16 : i64} : !tile.ptr<f16>
// CHECK: %[[QB:.*]] = tile.assume %{{.*}} {divisible = 16 : i64} : !tile.ptr<f16>
// CHECK-NOT: device_map
// CHECK: %[[BEGIN:.*]] = tile.ptr_to_int %[[QA]]
// CHECK: %[[ROW:.*]] = arith.extsi %[[AT:[a-z0-9_]+]] : i32 to i64
// CHECK: %[[LEFT:.*]] = arith.subi %[[M]], %[[ROW]]
// CHECK: %[[SOME:.*]] = arith.maxsi %[[LEFT]], %c0{{.*}}
// CHECK: %[[EXISTING:.*]] = arith.minsi %[[SOME]], %c64{{.*}}
// CHECK: %[[FIRST:.*]] = arith.subi %c64{{.*}}, %[[EXISTING]]
// CHECK: %[[DOWN:.*]] = arith.trunci %[[FIRST]]
// CHECK: %[[BYTES:.*]] = arith.muli
// CHECK: %[[SINCE:.*]] = arith.subi %[[ROW]], %[[FIRST]]
// CHECK: %[[BEYOND:.*]] = arith.muli %[[SINCE]], %[[BYTES]]
// CHECK: %[[ADDRESS:.*]] = arith.addi %[[BEGIN]], %[[BEYOND]]
// CHECK: %[[NUMBER:.*]] = tile.ptr_to_int %[[PA]]
// CHECK: %[[ANCHOR:.*]] = arith.andi %[[NUMBER]], %c-16
// CHECK: %[[DISTANCE:.*]] = arith.subi %[[ADDRESS]], %[[ANCHOR]]
// CHECK: %[[UNITS:.*]] = arith.shrui %[[DISTANCE]], %c4
// CHECK: arith.andi %[[UNITS]], %c1073741823
// CHECK: %[[NEAR:.*]] = arith.trunci
// CHECK: %[[STEPS:.*]] = arith.shrsi %[[DISTANCE]], %c34
// CHECK: arith.addi %[[STEPS]], %c1073741824
// CHECK: %[[FAR:.*]] = arith.trunci
// CHECK: tile_gpu.copy_box %[[A]][%[[FAR]], %[[NEAR]], %[[DOWN]], %{{.*}}]
// The rows of B are known.
// CHECK-NOT: arith.maxsi
// CHECK: tile.ptr_to_int %[[QB]]
// CHECK: tile.ptr_to_int %[[PB]]
// CHECK: tile_gpu.copy_box %[[B]][%{{.*}}, %{{.*}}, %[[KK:.*]], %{{.*}}]
// CHECK: warps 4
// CHECK: arith.maxsi
// CHECK: tile_gpu.store_box %{{.*}} to %[[C]][%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}]
func.func @loaded(%pa: !tile.ptr<!tile.ptr<f16>>, %pb: !tile.ptr<!tile.ptr<f16>>, %pc: !tile.ptr<!tile.ptr<f32>>, %rows: !tile.ptr<i32>, %k: i64, %steps: i32, %groups: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %width = arith.constant 64 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  scf.for %g = %zero to %groups step %one : i32 {
    %at = tile.addptr %rows, %g : !tile.ptr<i32>, i32
    %read = tile.load %at : !tile.ptr<i32>
    %count = tile.assume %read {range = array<i64: 0, 1000>} : i32
    %m = arith.extsi %count : i32 to i64
    %ra = tile.addptr %pa, %g : !tile.ptr<!tile.ptr<f16>>, i32
    %la = tile.load %ra : !tile.ptr<!tile.ptr<f16>>
    %qa = tile.assume %la {divisible = 16 : i64} : !tile.ptr<f16>
    %a = tile.make_descriptor %qa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
    %rb = tile.addptr %pb, %g : !tile.ptr<!tile.ptr<f16>>, i32
    %lb = tile.load %rb : !tile.ptr<!tile.ptr<f16>>
    %qb = tile.assume %lb {divisible = 16 : i64} : !tile.ptr<f16>
    %b = tile.make_descriptor %qb, [%k, %width], [%width, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
    %acc = scf.for %i = %zero to %steps step %one iter_args(%sum = %none) -> (tensor<64x64xf32>) : i32 {
      %kk = arith.muli %i, %block : i32
      %x = tile.descriptor_load %a[%block, %kk] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
      %y = tile.descriptor_load %b[%kk, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
      %d = tile.dot %x, %y, %sum : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %rc = tile.addptr %pc, %g : !tile.ptr<!tile.ptr<f32>>, i32
    %lc = tile.load %rc : !tile.ptr<!tile.ptr<f32>>
    %qc = tile.assume %lc {divisible = 16 : i64} : !tile.ptr<f32>
    %c = tile.make_descriptor %qc, [%m, %width], [%width, %unit] : !tile.ptr<f32> -> !tile.desc<64x64xf32>
    tile.descriptor_store %c[%block, %zero], %acc : !tile.desc<64x64xf32>, tensor<64x64xf32>
  } {tile.specialize_warps}
  return
}

// -----

// An argument and an offset, shared by two CTAs: each takes its rows of the same map. The stride's rules the launch
// checks.
// PLAN-LABEL: func.func @computed(
// PLAN: tile.make_descriptor {{.*}} {tile_gpu.anchored} : <f16> -> <128x64xf16>
// CHECK-LABEL: func.func @computed(
// CHECK: tile_gpu.tensor_map of 0 extents [2147483647, 1073741824, #tile_gpu.argument<2>, 64] strides [8589934592, 8, #tile_gpu.argument<3>] box [1, 1, 64, 64] of f16 swizzle 128 anchored : !llvm.ptr
// CHECK: tile_gpu.copy_box %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] to %{{.*}} tile 0 :
func.func @computed(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64, %s: i64, %at: i32) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.num_ctas = 2 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %width = arith.constant 64 : i64
  %none = arith.constant dense<0.000000e+00> : tensor<128x64xf32>
  %aligned = tile.assume %at {divisible = 16 : i64} : i32
  %from = tile.addptr %pa, %aligned : !tile.ptr<f16>, i32
  %a = tile.make_descriptor %from, [%m, %width], [%s, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pa, [%m, %width], [%width, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %c = tile.make_descriptor %pc, [%m, %width], [%width, %unit] : !tile.ptr<f32> -> !tile.desc<128x64xf32>
  %x = tile.descriptor_load %a[%zero, %zero] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
  %y = tile.descriptor_load %b[%zero, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %d = tile.dot %x, %y, %none : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
  tile.descriptor_store %c[%zero, %zero], %d : !tile.desc<128x64xf32>, tensor<128x64xf32>
  return
}

// -----

// A block may begin before the first row, and the number of rows is not known: no map has both ends. The program makes
// its own.
// PLAN-LABEL: func.func @before_the_first(
// PLAN-NOT: tile_gpu.anchored
// CHECK-LABEL: func.func @before_the_first(
// CHECK: tile_gpu.device_map
func.func @before_the_first(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %rows: !tile.ptr<i32>, %at: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %width = arith.constant 64 : i64
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %read = tile.load %rows : !tile.ptr<i32>
  %count = tile.assume %read {range = array<i64: 0, 1000>} : i32
  %m = arith.extsi %count : i32 to i64
  %a = tile.make_descriptor %pa, [%m, %width], [%width, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %c = tile.make_descriptor %pc, [%width, %width], [%width, %unit] : !tile.ptr<f32> -> !tile.desc<64x64xf32>
  %x = tile.descriptor_load %a[%at, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %y = tile.descriptor_load %a[%zero, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %d = tile.dot %x, %y, %none : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.descriptor_store %c[%zero, %zero], %d : !tile.desc<64x64xf32>, tensor<64x64xf32>
  return
}

// -----

// A base that comes from no argument that it could be told from: no anchor.
// PLAN-LABEL: func.func @no_anchor(
// PLAN-NOT: tile_gpu.anchored
func.func @no_anchor(%address: i64, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %width = arith.constant 64 : i64
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %pointer = tile.int_to_ptr %address : i64 -> !tile.ptr<f16>
  %pa = tile.assume %pointer {divisible = 16 : i64} : !tile.ptr<f16>
  %a = tile.make_descriptor %pa, [%width, %width], [%width, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %c = tile.make_descriptor %pc, [%width, %width], [%width, %unit] : !tile.ptr<f32> -> !tile.desc<64x64xf32>
  %x = tile.descriptor_load %a[%zero, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %d = tile.dot %x, %x, %none : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.descriptor_store %c[%zero, %zero], %d : !tile.desc<64x64xf32>, tensor<64x64xf32>
  return
}
