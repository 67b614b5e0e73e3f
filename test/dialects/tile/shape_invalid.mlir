// SPDX-License-Identifier: MIT
// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @empty_arange() {
  // expected-error @+1 {{counts from 4 up to, not including, 4: the end must be greater than the start}}
  %0 = tile.arange 4 to 4 : tensor<1xi32>
  return
}

// -----

func.func @length_of_arange() {
  // expected-error @+1 {{the result has one axis of end - start elements: expected 'tensor<64xi32>', not 'tensor<128xi32>'}}
  %0 = tile.arange 64 to 128 : tensor<128xi32>
  return
}

// -----

func.func @rank_of_arange() {
  // expected-error @+1 {{expected 'tensor<64xi32>', not 'tensor<8x8xi32>'}}
  %0 = tile.arange 0 to 64 : tensor<8x8xi32>
  return
}

// -----

func.func @converting_splat(%x: f32) {
  // expected-error @+1 {{moves elements and does not convert them: 'f32' becomes 'f16'}}
  %0 = tile.splat %x : f32 -> tensor<8xf16>
  return
}

// -----

func.func @converting_broadcast(%x: tensor<1xi32>) {
  // expected-error @+1 {{'tile.broadcast' op moves elements and does not convert them: 'i32' becomes 'i64'}}
  %0 = tile.broadcast %x : tensor<1xi32> -> tensor<8xi64>
  return
}

// -----

func.func @rank_of_broadcast(%x: tensor<64xf32>) {
  // expected-error @+1 {{keeps the rank, which would change from 1 to 2: insert axes with tile.expand_dims first}}
  %0 = tile.broadcast %x : tensor<64xf32> -> tensor<64x64xf32>
  return
}

// -----

func.func @stretched(%x: tensor<64x2xf32>) {
  // expected-error @+1 {{stretches extents of 1 only: axis 1 would grow from 2 to 4}}
  %0 = tile.broadcast %x : tensor<64x2xf32> -> tensor<64x4xf32>
  return
}

// -----

func.func @converting_expand_dims(%x: tensor<8xi32>) {
  // expected-error @+1 {{'tile.expand_dims' op moves elements and does not convert them}}
  %0 = tile.expand_dims %x {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xf32>
  return
}

// -----

func.func @axis_of_expand_dims(%x: tensor<8xi32>) {
  // expected-error @+1 {{axis 2 is not in 0 .. 1 for an operand of rank 1}}
  %0 = tile.expand_dims %x {axis = 2 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  return
}

// -----

func.func @shape_of_expand_dims(%x: tensor<8xi32>) {
  // expected-error @+1 {{the result has one more axis of extent 1: expected 'tensor<1x8xi32>', not 'tensor<8x1xi32>'}}
  %0 = tile.expand_dims %x {axis = 0 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  return
}

// -----

func.func @converting_reshape(%x: tensor<8xi32>) {
  // expected-error @+1 {{'tile.reshape' op moves elements and does not convert them}}
  %0 = tile.reshape %x : tensor<8xi32> -> tensor<8xf32>
  return
}

// -----

func.func @count_of_reshape(%x: tensor<8x4xi32>) {
  // expected-error @+1 {{keeps every element: 'tensor<8x4xi32>' has 32, 'tensor<64xi32>' has 64}}
  %0 = tile.reshape %x : tensor<8x4xi32> -> tensor<64xi32>
  return
}

// -----

func.func @converting_permute(%x: tensor<8x4xi32>) {
  // expected-error @+1 {{'tile.permute' op moves elements and does not convert them}}
  %0 = tile.permute %x [1, 0] : tensor<8x4xi32> -> tensor<4x8xi64>
  return
}

// -----

func.func @length_of_order(%x: tensor<8x4xi32>) {
  // expected-error @+1 {{orders 1 axes of an operand of rank 2}}
  %0 = tile.permute %x [0] : tensor<8x4xi32> -> tensor<8x4xi32>
  return
}

// -----

func.func @axis_of_order(%x: tensor<8x4xi32>) {
  // expected-error @+1 {{axis 2 is not in 0 .. 1 for an operand of rank 2}}
  %0 = tile.permute %x [0, 2] : tensor<8x4xi32> -> tensor<8x4xi32>
  return
}

// -----

func.func @repeated_axis(%x: tensor<8x4xi32>) {
  // expected-error @+1 {{axis 1 occurs twice in the order}}
  %0 = tile.permute %x [1, 1] : tensor<8x4xi32> -> tensor<4x4xi32>
  return
}

// -----

func.func @shape_of_permute(%x: tensor<8x4xi32>) {
  // expected-error @+1 {{axis i of the result is axis order[i] of the operand: expected 'tensor<4x8xi32>', not 'tensor<8x4xi32>'}}
  %0 = tile.permute %x [1, 0] : tensor<8x4xi32> -> tensor<8x4xi32>
  return
}

// -----

func.func @converting_join(%x: tensor<8xi32>) {
  // expected-error @+1 {{'tile.join' op moves elements and does not convert them}}
  %0 = tile.join %x, %x : tensor<8xi32> -> tensor<8x2xf32>
  return
}

// -----

func.func @shape_of_join(%x: tensor<8xi32>) {
  // expected-error @+1 {{the result has a new last axis of extent 2: expected 'tensor<8x2xi32>', not 'tensor<2x8xi32>'}}
  %0 = tile.join %x, %x : tensor<8xi32> -> tensor<2x8xi32>
  return
}

// -----

func.func @converting_split(%x: tensor<8x2xi32>) {
  // expected-error @+1 {{'tile.split' op moves elements and does not convert them}}
  %0, %1 = tile.split %x : tensor<8x2xi32> -> tensor<8xf32>
  return
}

// -----

func.func @halved(%x: tensor<8x4xi32>) {
  // expected-error @+1 {{needs a last axis of extent 2, but 'tensor<8x4xi32>' has none}}
  %0, %1 = tile.split %x : tensor<8x4xi32> -> tensor<8x2xi32>
  return
}

// -----

func.func @shape_of_split(%x: tensor<8x2xi32>) {
  // expected-error @+1 {{the results lack the last axis: expected 'tensor<8xi32>', not 'tensor<8x1xi32>'}}
  %0, %1 = tile.split %x : tensor<8x2xi32> -> tensor<8x1xi32>
  return
}

// -----

func.func @converting_gather(%x: tensor<8xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'tile.gather' op moves elements and does not convert them}}
  %0 = tile.gather %x[%i] {axis = 0 : i32} : tensor<8xf32>, tensor<4xi32> -> tensor<4xf16>
  return
}

// -----

func.func @ranks_of_gather(%x: tensor<8x8xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{source and index must have the same rank, not 2 and 1}}
  %0 = tile.gather %x[%i] {axis = 0 : i32} : tensor<8x8xf32>, tensor<4xi32> -> tensor<4xf32>
  return
}

// -----

func.func @axis_of_gather(%x: tensor<8xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{axis -1 is not in 0 .. 0 for tiles of rank 1}}
  %0 = tile.gather %x[%i] {axis = -1 : i32} : tensor<8xf32>, tensor<4xi32> -> tensor<4xf32>
  return
}

// -----

func.func @extents_of_gather(%x: tensor<8x16xf32>, %i: tensor<4x8xi32>) {
  // expected-error @+1 {{source and index must have the same extents except along axis 0; axis 1 has extents 16 and 8}}
  %0 = tile.gather %x[%i] {axis = 0 : i32} : tensor<8x16xf32>, tensor<4x8xi32> -> tensor<4x8xf32>
  return
}

// -----

func.func @shape_of_gather(%x: tensor<8xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{the result has the index's shape: expected 'tensor<4xf32>', not 'tensor<8xf32>'}}
  %0 = tile.gather %x[%i] {axis = 0 : i32} : tensor<8xf32>, tensor<4xi32> -> tensor<8xf32>
  return
}

// -----

func.func @index_of_gather(%x: tensor<8xf32>, %i: tensor<4xi16>) {
  // expected-error @+1 {{operand #1 must be}}
  %0 = tile.gather %x[%i] {axis = 0 : i32} : tensor<8xf32>, tensor<4xi16> -> tensor<4xf32>
  return
}
