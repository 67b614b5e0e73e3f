// SPDX-License-Identifier: MIT
// RUN: tile-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{a pointer points to an integer of 8 to 64 bits, i1, f16, bf16, f32, f64, f8E4M3FN, f8E5M2 or a pointer, not to 'index'}}
func.func private @pointer_to_index(!tile.ptr<index>)

// -----

// expected-error @+1 {{a pointer points to}}
func.func private @pointer_to_tile(!tile.ptr<tensor<4xf32>>)

// -----

// expected-error @+1 {{a descriptor has 1 to 5 dimensions, not 6}}
func.func private @too_many_dimensions(!tile.desc<1x1x1x1x1x16xf32>)

// -----

// expected-error @+1 {{a descriptor's elements are numbers, not '!tile.ptr<f32>'}}
func.func private @descriptor_of_pointers(!tile.desc<16x!tile.ptr<f32>>)

// -----

// expected-error @+1 {{extent 37 of the block is not r * 2^k with an odd r <= 31}}
func.func private @extent_of_block(!tile.desc<37x16xf32>)

// -----

// expected-error @+1 {{a block has at most 1048576 elements}}
func.func private @huge_block(!tile.desc<2048x1024xf32>)

// -----

// expected-error @+1 {{the last row of a block spans at least 16 bytes, this one 8}}
func.func private @short_row(!tile.desc<64x2xf32>)

// -----

func.func @illegal_extent(%x: f32) {
  // expected-error @+1 {{result #0 has type 'tensor<37xf32>': extent 37 is not r * 2^k with an odd r <= 31}}
  %t = tile.splat %x : f32 -> tensor<37xf32>
  return
}

// -----

func.func @illegal_extent_of_operand(%x: tensor<74x!tile.ptr<f32>>) {
  // expected-error @+1 {{operand #0 has type 'tensor<74x!tile.ptr<f32>>': extent 74 is not r * 2^k}}
  %t = tile.load %x : tensor<74x!tile.ptr<f32>>
  return
}

// -----

func.func @huge_tile(%x: f32) {
  // expected-error @+1 {{result #0 has type 'tensor<2048x1024xf32>': a tile has at most 1048576 elements}}
  %t = tile.splat %x : f32 -> tensor<2048x1024xf32>
  return
}

// -----

func.func @dynamic_extent(%x: f32) {
  // expected-error @+1 {{result #0 has type 'tensor<?xf32>': a tile has static extents}}
  %t = tile.splat %x : f32 -> tensor<?xf32>
  return
}

// -----

func.func @rank_zero(%x: f32) {
  // expected-error @+1 {{result #0 has type 'tensor<f32>': a scalar is a plain 'f32'}}
  %t = tile.splat %x : f32 -> tensor<f32>
  return
}

// -----

func.func @empty_tile(%x: f32) {
  // expected-error @+1 {{extent 0 is not r * 2^k}}
  %t = tile.splat %x : f32 -> tensor<0xf32>
  return
}
