// SPDX-License-Identifier: MIT
// RUN: tile-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{'tile.num_warp' is unknown on a function, which knows 'tile.kernel', 'tile.num_warps', 'tile.num_stages', 'tile.num_ctas', 'tile.ping_pong', 'tile.max_registers', 'tile.fp_fusion'}}
func.func private @misspelt() attributes {tile.num_warp = 4 : i32}

// -----

// expected-error @+1 {{'tile.kernel' is a flag without a value, not true}}
func.func private @flag() attributes {tile.kernel = true}

// -----

// expected-error @+1 {{'tile.num_warps' is a power of two in 1 .. 32, not 6 : i32}}
func.func private @warps() attributes {tile.num_warps = 6 : i32}

// -----

// expected-error @+1 {{'tile.num_warps' is a power of two in 1 .. 32, not 64 : i32}}
func.func private @many_warps() attributes {tile.num_warps = 64 : i32}

// -----

// expected-error @+1 {{'tile.num_warps' is a power of two in 1 .. 32, not "four"}}
func.func private @warps_in_words() attributes {tile.num_warps = "four"}

// -----

// expected-error @+1 {{'tile.num_stages' is an integer in 1 .. 32, not 0 : i32}}
func.func private @stages() attributes {tile.num_stages = 0 : i32}

// -----

// expected-error @+1 {{'tile.num_ctas' is a power of two in 1 .. 16, not 3 : i32}}
func.func private @ctas() attributes {tile.num_ctas = 3 : i32}

// -----

// expected-error @+1 {{'tile.max_registers' is an integer in 24 .. 255, not 256 : i32}}
func.func private @registers() attributes {tile.max_registers = 256 : i32}

// -----

// expected-error @+1 {{'tile.fp_fusion' is true or false, not 1 : i32}}
func.func private @fusion() attributes {tile.fp_fusion = 1 : i32}

// -----

// expected-error @+1 {{a kernel returns nothing: results are stored through pointer arguments}}
func.func private @kernel_with_result() -> i32 attributes {tile.kernel}

// -----

// expected-error @+1 {{argument #1: 'tile.divisible' is unknown on an argument, which knows 'tile.name', 'tile.divisibility', 'tile.type'}}
func.func private @argument(i32, i32 {tile.divisible = 16 : i32})

// -----

// expected-error @+1 {{argument #0: 'tile.divisibility' is a power of two in 1 .. 2147483648, not 12 : i32}}
func.func private @divisibility(i32 {tile.divisibility = 12 : i32})

// -----

// expected-error @+1 {{argument #0: 'tile.name' is a string, not 1 : i32}}
func.func private @name(i32 {tile.name = 1 : i32})

// -----

// expected-error @+1 {{argument #0: 'tile.type' is an element type like "u32" or "f16*", not "float"}}
func.func private @type_of_argument(f32 {tile.type = "float"})

// -----

func.func @loop(%n: i32) {
  %one = arith.constant 1 : i32
  // expected-error @+1 {{'tile.unroll' is an integer in 1 .. 1024, not 0 : i32}}
  scf.for %i = %one to %n step %one : i32 {
  } {tile.unroll = 0 : i32}
  return
}

// -----

func.func @misspelt_on_loop(%n: i32) {
  %one = arith.constant 1 : i32
  // expected-error @+1 {{'tile.num_warps' is unknown on a loop, which knows 'tile.num_stages', 'tile.unroll'}}
  scf.for %i = %one to %n step %one : i32 {
  } {tile.num_warps = 4 : i32}
  return
}

// -----

func.func @elsewhere(%n: i32) {
  // expected-error @+1 {{'tile.unroll' has no meaning on this op: `tile` attributes belong on functions and counted loops}}
  %0 = arith.addi %n, %n {tile.unroll = 2 : i32} : i32
  return
}

// -----

// What is not counted is neither unrolled nor pipelined.
func.func @uncounted(%c: i1) {
  // expected-error @+1 {{'tile.unroll' has no meaning on this op: `tile` attributes belong on functions and counted loops}}
  scf.while : () -> () {
    scf.condition(%c)
  } do {
    scf.yield
  } attributes {tile.unroll = 2 : i32}
  return
}
