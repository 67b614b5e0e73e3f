// SPDX-License-Identifier: MIT
// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @mixed_elements(%a: tensor<16x16xf16>, %b: tensor<16x16xbf16>, %c: tensor<16x16xf32>) {
  // expected-error @+1 {{multiplies operands of the same element type (or two fp8 types), not 'f16' and 'bf16'}}
  %0 = tile.dot %a, %b, %c : tensor<16x16xf16>, tensor<16x16xbf16>, tensor<16x16xf32>
  return
}

// -----

func.func @no_such_product(%a: tensor<16x16xi16>, %c: tensor<16x16xi32>) {
  // expected-error @+1 {{multiplies f16, bf16, f32, f64, fp8 or i8, not 'i16'}}
  %0 = tile.dot %a, %a, %c : tensor<16x16xi16>, tensor<16x16xi16>, tensor<16x16xi32>
  return
}

// -----

func.func @accumulator(%a: tensor<16x16xbf16>) {
  // expected-error @+1 {{products of 'bf16' accumulate in f32, not in 'bf16'}}
  %0 = tile.dot %a, %a, %a : tensor<16x16xbf16>, tensor<16x16xbf16>, tensor<16x16xbf16>
  return
}

// -----

func.func @accumulator_of_f16(%a: tensor<16x16xf16>, %c: tensor<16x16xf64>) {
  // expected-error @+1 {{products of 'f16' accumulate in f32 or f16, not in 'f64'}}
  %0 = tile.dot %a, %a, %c : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf64>
  return
}

// -----

func.func @accumulator_of_i8(%a: tensor<32x32xi8>, %c: tensor<32x32xf32>) {
  // expected-error @+1 {{products of 'i8' accumulate in i32, not in 'f32'}}
  %0 = tile.dot %a, %a, %c : tensor<32x32xi8>, tensor<32x32xi8>, tensor<32x32xf32>
  return
}

// -----

func.func @accumulator_of_f64(%a: tensor<32x32xf64>, %c: tensor<32x32xf32>) {
  // expected-error @+1 {{products of 'f64' accumulate in f64, not in 'f32'}}
  %0 = tile.dot %a, %a, %c : tensor<32x32xf64>, tensor<32x32xf64>, tensor<32x32xf32>
  return
}

// -----

func.func @unsigned_floats(%a: tensor<16x16xf16>, %c: tensor<16x16xf32>) {
  // expected-error @+1 {{`unsigned_a` and `unsigned_b` say how i8 is read; the operands are 'f16'}}
  %0 = tile.dot %a, %a, %c {unsigned_b} : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  return
}

// -----

func.func @precision_of_f16(%a: tensor<16x16xf16>, %c: tensor<16x16xf32>) {
  // expected-error @+1 {{`precision` says how f32 is multiplied; the operands are 'f16'}}
  %0 = tile.dot %a, %a, %c precision = tf32x3 : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  return
}

// -----

func.func @unknown_precision(%a: tensor<16x16xf32>) {
  // expected-error @+1 {{unknown Precision 'exact'}}
  %0 = tile.dot %a, %a, %a precision = exact : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
  return
}

// -----

func.func @partial_sums_of_f16(%a: tensor<16x16xf16>, %c: tensor<16x16xf32>) {
  // expected-error @+1 {{`max_imprecise_acc` is for fp8 products; the operands are 'f16'}}
  %0 = tile.dot %a, %a, %c {max_imprecise_acc = 16 : i32} : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  return
}

// -----

func.func @partial_sums_past_k(%a: tensor<32x32xf8E5M2>, %c: tensor<32x32xf32>) {
  // expected-error @+1 {{`max_imprecise_acc` is a number of elements of K, 0 .. 32, not 64}}
  %0 = tile.dot %a, %a, %c {max_imprecise_acc = 64 : i32} : tensor<32x32xf8E5M2>, tensor<32x32xf8E5M2>, tensor<32x32xf32>
  return
}

// -----

func.func @vectors(%a: tensor<16xf16>, %c: tensor<16xf32>) {
  // expected-error @+1 {{multiplies matrices, or stacks of them along a leading axis: ranks are all 2 or all 3, here 1, 1 and 1}}
  %0 = tile.dot %a, %a, %c : tensor<16xf16>, tensor<16xf16>, tensor<16xf32>
  return
}

// -----

func.func @mixed_ranks(%a: tensor<2x16x16xf16>, %b: tensor<16x16xf16>, %c: tensor<2x16x16xf32>) {
  // expected-error @+1 {{ranks are all 2 or all 3, here 3, 2 and 3}}
  %0 = tile.dot %a, %b, %c : tensor<2x16x16xf16>, tensor<16x16xf16>, tensor<2x16x16xf32>
  return
}

// -----

func.func @heights(%a: tensor<2x16x16xf16>, %b: tensor<4x16x16xf16>, %c: tensor<2x16x16xf32>) {
  // expected-error @+1 {{the extents of the leading axis differ: 2, 4 and 2}}
  %0 = tile.dot %a, %b, %c : tensor<2x16x16xf16>, tensor<4x16x16xf16>, tensor<2x16x16xf32>
  return
}

// -----

func.func @different_k(%a: tensor<16x32xf16>, %b: tensor<64x16xf16>, %c: tensor<16x16xf32>) {
  // expected-error @+1 {{K differs: 'tensor<16x32xf16>' has 32 columns, 'tensor<64x16xf16>' has 64 rows}}
  %0 = tile.dot %a, %b, %c : tensor<16x32xf16>, tensor<64x16xf16>, tensor<16x16xf32>
  return
}

// -----

func.func @shape_of_accumulator(%a: tensor<16x32xf16>, %b: tensor<32x8xf16>, %c: tensor<8x16xf32>) {
  // expected-error @+1 {{the product is 16 by 8, the accumulator 8 by 16}}
  %0 = tile.dot %a, %b, %c : tensor<16x32xf16>, tensor<32x8xf16>, tensor<8x16xf32>
  return
}

// -----

func.func @small_k(%a: tensor<16x8xf16>, %b: tensor<8x16xf16>, %c: tensor<16x16xf32>) {
  // expected-error @+1 {{K is at least 16 for operands 'f16', not 8}}
  %0 = tile.dot %a, %b, %c : tensor<16x8xf16>, tensor<8x16xf16>, tensor<16x16xf32>
  return
}

// -----

func.func @small_k_of_f64(%a: tensor<16x2xf64>, %b: tensor<2x16xf64>, %c: tensor<16x16xf64>) {
  // expected-error @+1 {{K is at least 4 for operands 'f64', not 2}}
  %0 = tile.dot %a, %b, %c : tensor<16x2xf64>, tensor<2x16xf64>, tensor<16x16xf64>
  return
}

// -----

func.func @nothing_to_reduce() {
  // expected-error @+1 {{must combine at least one tile}}
  tile.reduce() axis = 0 : () -> () {
    tile.yield
  }
  return
}

// -----

func.func @shapes_of_reduce(%x: tensor<8xf32>, %y: tensor<16xf32>) {
  // expected-error @+1 {{must combine tiles of the same shape, not 'tensor<8xf32>' and 'tensor<16xf32>'}}
  %0, %1 = tile.reduce(%x, %y) axis = 0 : (tensor<8xf32>, tensor<16xf32>) -> (f32, f32) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tile.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @axis_of_reduce(%x: tensor<8xf32>) {
  // expected-error @+1 {{axis 1 is not in 0 .. 0 for tiles of rank 1}}
  %0 = tile.reduce(%x) axis = 1 : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @results_of_reduce(%x: tensor<8xf32>) {
  // expected-error @+1 {{must give one result per tile: 1, not 2}}
  %0, %1 = tile.reduce(%x) axis = 0 : (tensor<8xf32>) -> (f32, f32) {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @result_of_reduce(%x: tensor<8x4xf32>) {
  // expected-error @+1 {{the results lack the axis: result #0 is 'tensor<8xf32>', not 'tensor<4xf32>'}}
  %0 = tile.reduce(%x) axis = 1 : (tensor<8x4xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @arguments_of_reduce(%x: tensor<8xf32>) {
  // expected-error @+1 {{the combine region takes 2 scalars for 1 tile, not 1}}
  %0 = tile.reduce(%x) axis = 0 : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @argument_of_reduce(%x: tensor<8xf32>) {
  // expected-error @+1 {{argument #1 of the combine region is 'f32', not 'f16'}}
  %0 = tile.reduce(%x) axis = 0 : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f16):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @yielded_count(%x: tensor<8xf32>) {
  %0 = tile.reduce(%x) axis = 0 : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    // expected-error @+1 {{yields 1 value, not 2}}
    tile.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @yielded_count_of_two(%x: tensor<8xf32>) {
  %0, %1 = tile.scan(%x, %x) axis = 0 : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    // expected-error @+1 {{yields 2 values, not 1}}
    tile.yield %a : f32
  }
  return
}

// -----

func.func @yielded_type(%x: tensor<8xf32>) {
  %0 = tile.reduce(%x) axis = 0 : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.constant 0 : i32
    // expected-error @+1 {{value #0 is 'f32', not 'i32'}}
    tile.yield %c : i32
  }
  return
}

// -----

func.func @no_yield(%x: tensor<8xf32>) {
  // expected-error @+1 {{the combine region must end in tile.yield}}
  %0 = tile.reduce(%x) axis = 0 : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    ub.unreachable
  }
  return
}

// -----

func.func @impure_combination(%x: tensor<8xi64>) {
  %0 = tile.reduce(%x) axis = 0 : (tensor<8xi64>) -> i64 {
  ^bb0(%a: i64, %b: i64):
    %p = tile.int_to_ptr %a : i64 -> !tile.ptr<i64>
    // expected-error @+1 {{has side effects, and a combine region may contain only pure ops}}
    tile.store %p, %b : !tile.ptr<i64>
    tile.yield %a : i64
  }
  return
}

// -----

// expected-note @+2 {{required by region isolation constraints}}
func.func @captured_value(%x: tensor<8xf32>, %y: f32) {
  %0 = tile.reduce(%x) axis = 0 : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    // expected-error @+1 {{using value defined outside the region}}
    %c = arith.addf %a, %y : f32
    tile.yield %c : f32
  }
  return
}

// -----

func.func @axis_of_scan(%x: tensor<8xf32>) {
  // expected-error @+1 {{axis -1 is not in 0 .. 0 for tiles of rank 1}}
  %0 = tile.scan(%x) axis = -1 : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @result_of_scan(%x: tensor<8xf32>) {
  // expected-error @+1 {{the results have the operands' types: result #0 is 'tensor<8xf32>', not 'tensor<4xf32>'}}
  %0 = tile.scan(%x) axis = 0 : (tensor<8xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @arguments_of_scan(%x: tensor<8xf32>) {
  // expected-error @+1 {{the combine region takes 4 scalars for 2 tiles, not 2}}
  %0, %1 = tile.scan(%x, %x) axis = 0 : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @yield_elsewhere() {
  // expected-error @+1 {{'tile.yield' op expects parent op to be one of 'tile.reduce, tile.scan'}}
  tile.yield
}

// -----

func.func @rank_of_histogram(%x: tensor<8x8xi32>) {
  // expected-error @+1 {{counts the elements of a tile of rank 1 into a tile of rank 1, not 'tensor<8x8xi32>' and 'tensor<8xi32>'}}
  %0 = tile.histogram %x : tensor<8x8xi32> -> tensor<8xi32>
  return
}

// -----

func.func @mask_of_histogram(%x: tensor<8xi32>, %m: tensor<4xi1>) {
  // expected-error @+1 {{the mask has the values' shape}}
  %0 = "tile.histogram"(%x, %m) : (tensor<8xi32>, tensor<4xi1>) -> tensor<8xi32>
  return
}
