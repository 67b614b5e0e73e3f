// SPDX-License-Identifier: MIT
// What becomes of a kernel is written down: its slowest unit, and how many programs its warps run.
// RUN: tile-opt %s --split-input-file --tile-assign-layouts=target=sm_80 --tile-gpu-distribute | FileCheck %s

// CHECK: func.func @both(
// CHECK-SAME: tile_gpu.unit = "threads"
// CHECK-NOT: tile_gpu.role_count
func.func @both() attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %a = arith.constant dense<1.0> : tensor<16x16xf16>
  %x = arith.constant dense<1.0> : tensor<16x16xf64>
  %sums = arith.constant dense<0.0> : tensor<16x16xf32>
  %doubles = arith.constant dense<0.0> : tensor<16x16xf64>
  %d = tile.dot %a, %a, %sums : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  %e = tile.dot %x, %x, %doubles : tensor<16x16xf64>, tensor<16x16xf64>, tensor<16x16xf64>
  return
}

// -----

// CHECK: func.func @in_roles(
// CHECK-SAME: tile_gpu.role_count = 2 : i32
// CHECK-SAME: tile_gpu.unit = "mma.sync"
func.func @in_roles() attributes {tile.kernel, tile.num_warps = 4 : i32} {
  tile_gpu.roles warps 4 {
  } warps 4 {
    %a = arith.constant dense<1.0> : tensor<16x16xf16>
    %sums = arith.constant dense<0.0> : tensor<16x16xf32>
    %d = tile.dot %a, %a, %sums : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  }
  return
}

// -----

// CHECK: func.func @no_product(
// CHECK-NOT: tile_gpu.unit
func.func @no_product() attributes {tile.kernel, tile.num_warps = 4 : i32} {
  return
}
