// SPDX-License-Identifier: MIT
// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @arithmetic_on_i1(%a: i1) {
  // expected-error @+1 {{operand #0 must be an integer of 8 to 64 bits or a tile of them, but got 'i1'}}
  %0 = tile.divsi %a, %a : i1
  return
}

// -----

func.func @arithmetic_on_index(%a: index) {
  // expected-error @+1 {{must be an integer of 8 to 64 bits or a tile of them, but got 'index'}}
  %0 = tile.shli %a, %a : index
  return
}

// -----

func.func @different_operands(%a: i32, %b: i64) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %0 = "tile.remui"(%a, %b) : (i32, i64) -> i32
  return
}

// -----

func.func @arithmetic_on_fp8(%a: f8E5M2) {
  // expected-error @+1 {{operand #0 must be f16, bf16, f32, f64 or a tile of them, but got 'f8E5M2'}}
  %0 = tile.maximum %a, %a nan = ignore : f8E5M2
  return
}

// -----

func.func @nan_rule(%a: f32) {
  // expected-error @+1 {{unknown NanRule 'keep'}}
  %0 = tile.minimum %a, %a nan = keep : f32
  return
}

// -----

func.func @rounding(%a: f32) {
  // expected-error @+1 {{unknown Rounding 'up'}}
  %0 = tile.fp_cast %a rounding = up : f32 -> f16
  return
}

// -----

func.func @same_type(%a: tensor<4xf32>) {
  // expected-error @+1 {{converts 'f32' to itself}}
  %0 = tile.fp_cast %a : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @shape_of_cast(%a: tensor<4xf32>) {
  // expected-error @+1 {{operands and results must have the same shape, not 'tensor<4xf32>' and 'tensor<8xf16>'}}
  %0 = tile.fp_cast %a : tensor<4xf32> -> tensor<8xf16>
  return
}

// -----

func.func @scalar_from_tile(%a: tensor<1xf32>) {
  // expected-error @+1 {{operands and results must have the same shape, not 'tensor<1xf32>' and 'i32'}}
  %0 = tile.fptosi %a : tensor<1xf32> -> i32
  return
}

// -----

func.func @unsupported_float(%a: f128) {
  // expected-error @+1 {{operand #0 must be a float or a tile of floats, but got 'f128'}}
  %0 = tile.fptoui %a : f128 -> i32
  return
}

// -----

func.func @seed(%seed: tensor<4xi64>, %c: tensor<4xi32>) {
  // expected-error @+1 {{operand #0 must be 64-bit signless integer, but got 'tensor<4xi64>'}}
  %0:4 = "tile.philox"(%seed, %c, %c, %c, %c) : (tensor<4xi64>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>)
  return
}
