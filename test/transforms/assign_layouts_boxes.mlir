// SPDX-License-Identifier: MIT
// The range analysis finds late that the loop has no iterations. What is stored then is no product's sum; it is
// converted to a layout whose threads can write some columns at a time.
// RUN: tile-opt %s --tile-pipeline --tile-layout-pipeline=target=sm_90a | FileCheck %s
// RUN: tile-opt %s --tile-pipeline --tile-layout-pipeline=target=sm_90a --tile-thread-pipeline --tile-llvm-pipeline -o /dev/null

// CHECK-LABEL: func.func @no_iterations
// CHECK: tile_gpu.roles
// CHECK-NOT: tile.dot
// CHECK: %[[SUM:.*]] = tile_gpu.convert_layout %{{.*}}lane = {{\[\[}}0, 4], [0, 8], [0, 16], [0, 32], [1, 0]]{{.*}} -> tensor<64x64xi32, #tile_gpu.layout<register = {{\[\[}}0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}16, 0], [32, 0]]
// CHECK: tile_gpu.store_box %[[SUM]]
func.func @no_iterations(%a: !tile.ptr<i8> {tile.divisibility = 16 : i32},
                         %b: !tile.ptr<i8> {tile.divisibility = 16 : i32},
                         %c: !tile.ptr<i32> {tile.divisibility = 16 : i32},
                         %rows: !tile.ptr<i32> {tile.divisibility = 16 : i32},
                         %n: i32 {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
  %c0 = arith.constant 0 : i32
  %c3 = arith.constant 3 : i32
  %c32 = arith.constant 32 : i32
  %c96 = arith.constant 96 : i32
  %one = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %c128 = arith.constant 128 : i64
  %wide = arith.extsi %n : i32 to i64
  %left = tile.make_descriptor %a, [%wide, %wide], [%wide, %one] : !tile.ptr<i8> -> !tile.desc<64x32xi8>
  %right = tile.make_descriptor %b, [%wide, %wide], [%wide, %one] : !tile.ptr<i8> -> !tile.desc<64x32xi8>
  %loaded = tile.load %rows : !tile.ptr<i32>
  %known = tile.assume %loaded {range = array<i64: 0, 65536>} : i32
  %columns = arith.extsi %known : i32 to i64   // where no box fits, threads store
  %result = tile.make_descriptor %c, [%c64, %columns], [%c128, %one] : !tile.ptr<i32> -> !tile.desc<64x64xi32>
  %zeros = arith.constant dense<0> : tensor<64x64xi32>
  %some = arith.andi %loaded, %c3 : i32
  %end = arith.muli %some, %c32 : i32   // 96 at most
  %sums = scf.for %k = %c96 to %end step %c32 iter_args(%sum = %zeros) -> (tensor<64x64xi32>) : i32 {
    %x = tile.descriptor_load %left[%c0, %k] : !tile.desc<64x32xi8> -> tensor<64x32xi8>
    %y = tile.descriptor_load %right[%c0, %k] : !tile.desc<64x32xi8> -> tensor<64x32xi8>
    %t = tile.permute %y [1, 0] : tensor<64x32xi8> -> tensor<32x64xi8>
    %next = tile.dot %x, %t, %sum : tensor<64x32xi8>, tensor<32x64xi8>, tensor<64x64xi32>
    scf.yield %next : tensor<64x64xi32>
  }
  %i = tile.arange 0 to 64 : tensor<64xi32>
  %first = tile.splat %rows : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %at = tile.addptr %first, %i : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %bias = tile.load %at : tensor<64x!tile.ptr<i32>>
  %column = tile.expand_dims %bias {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %all = tile.broadcast %column : tensor<64x1xi32> -> tensor<64x64xi32>
  %value = arith.addi %sums, %all : tensor<64x64xi32>
  tile.descriptor_store %result[%c0, %c0], %value : !tile.desc<64x64xi32>, tensor<64x64xi32>
  return
}
