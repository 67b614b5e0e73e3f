// SPDX-License-Identifier: MIT
// What tile-assign-layouts refuses, and where it keeps accesses narrow because more would be wrong.
// RUN: not tile-opt %s --tile-assign-layouts=target=sm_70 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not tile-opt %s --tile-layout-pipeline=target=gfx90a 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: tile-opt %s --tile-assign-layouts | FileCheck %s

// TARGET: error: unknown target 'sm_70'; known: sm_80, sm_86, sm_89, sm_90, sm_90a, sm_100a, sm_103a, sm_100, sm_120a, sm_120
// OTHER: error: unknown target 'gfx90a'

// Of a pointer aligned to its element the start of the tile is aligned to no more.
// CHECK-LABEL: func.func @odd_start(
// CHECK: tile.load {{.*}} : tensor<256x!tile.ptr<f16>, #tile_gpu.layout<register = {{\[\[}}32],
func.func @odd_start(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %i = tile.arange 1 to 257 : tensor<256xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<256x!tile.ptr<f16>>
  %q = tile.addptr %ps, %i : tensor<256x!tile.ptr<f16>>, tensor<256xi32>
  %x = tile.load %q : tensor<256x!tile.ptr<f16>>
  return
}

// Every second element is no vector.
// CHECK-LABEL: func.func @strided(
// CHECK: tile.load {{.*}} : tensor<256x!tile.ptr<f16>, #tile_gpu.layout<register = {{\[\[}}32],
func.func @strided(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %i = tile.arange 0 to 256 : tensor<256xi32>
  %two = arith.constant dense<2> : tensor<256xi32>
  %j = arith.muli %i, %two : tensor<256xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<256x!tile.ptr<f16>>
  %q = tile.addptr %ps, %j : tensor<256x!tile.ptr<f16>>, tensor<256xi32>
  %x = tile.load %q : tensor<256x!tile.ptr<f16>>
  return
}
