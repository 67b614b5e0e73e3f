// SPDX-License-Identifier: MIT
// RUN: tile-opt %s -split-input-file -verify-diagnostics
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>

func.func @no_layout(%x: tensor<32xf16, #lanes>) {
  // expected-error @+1 {{'tile_gpu.convert_layout' op operand and result must have a layout, not}}
  %0 = tile_gpu.convert_layout %x : tensor<32xf16, #lanes> -> tensor<32xf16>
  return
}

// -----
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>

func.func @other_element(%x: tensor<32xf16, #lanes>) {
  // expected-error @+1 {{requires the same element type for all operands and results}}
  %0 = tile_gpu.convert_layout %x : tensor<32xf16, #lanes> -> tensor<32xf32, #lanes>
  return
}

// -----

func.func @other_type(%p: !tile.ptr<f32>) {
  // expected-error @+1 {{'tile_gpu.load_global' op accesses elements of type 'i32' through a '!tile.ptr<f32>'}}
  %0 = tile_gpu.load_global %p : (!tile.ptr<f32>) -> (i32)
  return
}

// -----

func.func @three(%p: !tile.ptr<f32>) {
  // expected-error @+1 {{accesses 12 bytes; an instruction moves 1, 2, 4, 8 or 16}}
  %0:3 = tile_gpu.load_global %p : (!tile.ptr<f32>) -> (f32, f32, f32)
  return
}

// -----

func.func @wide(%p: !tile.ptr<f64>, %x: f64) {
  // expected-error @+1 {{'tile_gpu.store_global' op accesses 32 bytes; an instruction moves}}
  tile_gpu.store_global %p, %x, %x, %x, %x : !tile.ptr<f64>, f64, f64, f64, f64
  return
}

// -----

func.func @others_of_nothing(%p: !tile.ptr<f32>, %x: f32) {
  // expected-error @+1 {{has other values, but no predicate}}
  %0 = tile_gpu.load_global %p else %x : f32 : (!tile.ptr<f32>) -> (f32)
  return
}

// -----

func.func @few_others(%p: !tile.ptr<f32>, %c: i1, %x: f32) {
  // expected-error @+1 {{must have one other value for each result, of its type}}
  %0:2 = tile_gpu.load_global %p if %c else %x : f32 : (!tile.ptr<f32>) -> (f32, f32)
  return
}

// -----

func.func @nothing_else(%p: !llvm.ptr<1>, %c: i1) {
  // expected-error @+1 {{'tile_gpu.ptx_load' op must have one other value for each result if it has a predicate, and none otherwise}}
  %0 = tile_gpu.ptx_load %p if %c : (!llvm.ptr<1>) -> (i32)
  return
}

// -----

func.func @mixed_types(%a: i64, %r: i32, %c: !llvm.struct<(f32, f32, f32, f32)>) {
  // expected-error @+1 {{'tile_gpu.ptx_wgmma' op multiplies two of f16, bf16 or tf32, or two 8-bit floats, or two 8-bit integers, not 'f16' and 'bf16'}}
  %0 = tile_gpu.ptx_wgmma [%a] * %a onto %c {n = 8 : i32, type_a = f16, type_b = bf16} : !llvm.struct<(f32, f32, f32, f32)>, i64
  return
}

// -----

func.func @transposed_bytes(%a: i64, %r: i32, %c: !llvm.struct<(f32, f32, f32, f32)>) {
  // expected-error @+1 {{'tile_gpu.ptx_wgmma' op transposes 16-bit elements only}}
  %0 = tile_gpu.ptx_wgmma [%a] * %a onto %c {n = 8 : i32, transpose_a, type_a = tf32, type_b = tf32} : !llvm.struct<(f32, f32, f32, f32)>, i64
  return
}

// -----

func.func @two_registers(%a: i64, %r: i32, %c: !llvm.struct<(f32, f32, f32, f32)>) {
  // expected-error @+1 {{'tile_gpu.ptx_wgmma' op takes A as one descriptor of 64 bits or as four registers of 32}}
  %0 = tile_gpu.ptx_wgmma [%r, %r] * %a onto %c {n = 8 : i32, type_a = f16, type_b = f16} : !llvm.struct<(f32, f32, f32, f32)>, i32, i32
  return
}

// -----

func.func @transposed_registers(%a: i64, %r: i32, %c: !llvm.struct<(f32, f32, f32, f32)>) {
  // expected-error @+1 {{'tile_gpu.ptx_wgmma' op does not transpose registers}}
  %0 = tile_gpu.ptx_wgmma [%r, %r, %r, %r] * %a onto %c {n = 8 : i32, transpose_a, type_a = f16, type_b = f16} : !llvm.struct<(f32, f32, f32, f32)>, i32, i32, i32, i32
  return
}

// -----

func.func @negated_integers(%a: i64, %c: !llvm.struct<(i32, i32, i32, i32)>) {
  // expected-error @+1 {{'tile_gpu.ptx_wgmma' op does not negate integers}}
  %0 = tile_gpu.ptx_wgmma [%a] * %a onto %c {n = 8 : i32, negate_a, type_a = si8, type_b = si8} : !llvm.struct<(i32, i32, i32, i32)>, i64
  return
}

// -----

func.func @wide(%a: i64, %r: i32, %c: !llvm.struct<(f32, f32, f32, f32)>) {
  // expected-error @+1 {{'tile_gpu.ptx_wgmma' op does not take 264 columns}}
  %0 = tile_gpu.ptx_wgmma [%a] * %a onto %c {n = 264 : i32, type_a = f16, type_b = f16} : !llvm.struct<(f32, f32, f32, f32)>, i64
  return
}

// -----

func.func @other_types(%w: i32, %c: f32) {
  // expected-error @+1 {{'tile_gpu.ptx_mma' op multiplies two 8-bit floats, not 'f16' and 'f16'; nvvm.mma.sync has the other types}}
  %0 = tile_gpu.ptx_mma [%w, %w, %w, %w] * [%w, %w] onto [%c, %c, %c, %c] {type_a = f16, type_b = f16} : !llvm.struct<(f32, f32, f32, f32)>
  return
}

// -----

func.func @few_words(%w: i32, %c: f32) {
  // expected-error @+1 {{'tile_gpu.ptx_mma' op takes 4 words of A, 2 of B and 4 sums}}
  %0 = tile_gpu.ptx_mma [%w, %w] * [%w, %w] onto [%c, %c, %c, %c] {type_a = f8E5M2, type_b = f8E5M2} : !llvm.struct<(f32, f32, f32, f32)>
  return
}

// -----

func.func @few_sums(%w: i32, %c: f32) {
  // expected-error @+1 {{'tile_gpu.ptx_mma' op gives 4 sums of f32, not '!llvm.struct<(f32, f32)>'}}
  %0 = tile_gpu.ptx_mma [%w, %w, %w, %w] * [%w, %w] onto [%c, %c, %c, %c] {type_a = f8E5M2, type_b = f8E5M2} : !llvm.struct<(f32, f32)>
  return
}

// -----

func.func @few_accumulators(%a: i64, %r: i32, %c: !llvm.struct<(f32, f32, f32, f32)>) {
  // expected-error @+1 {{'tile_gpu.ptx_wgmma' op takes n / 2 accumulators of f32 in each thread, or n / 4 of two f16 for f16 and 8-bit floats}}
  %0 = tile_gpu.ptx_wgmma [%a] * %a onto %c {n = 16 : i32, type_a = f16, type_b = f16} : !llvm.struct<(f32, f32, f32, f32)>, i64
  return
}

// -----

func.func @one_role() attributes {tile.kernel, tile.num_warps = 4 : i32} {
  // expected-error @+1 {{'tile_gpu.roles' op must have two or more roles, each with its warps and its program}}
  tile_gpu.roles warps 4 {
  }
  return
}

// -----

func.func @nobody() attributes {tile.kernel, tile.num_warps = 4 : i32} {
  // expected-error @+1 {{'tile_gpu.roles' op has a role with 0 warps}}
  tile_gpu.roles warps 4 {
  } warps 0 {
  }
  return
}

// -----

func.func @in_a_branch(%c: i1) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  scf.if %c {
    // expected-error @+1 {{'tile_gpu.roles' op must be in the kernel itself, not in a loop or branch}}
    tile_gpu.roles warps 2 {
    } warps 2 {
    }
  }
  return
}

// -----

func.func @too_many() attributes {tile.kernel, tile.num_warps = 8 : i32} {
  // expected-error @+1 {{'tile_gpu.roles' op has 36 warps in all, and a CTA has at most 32}}
  tile_gpu.roles warps 32 {
  } warps 4 {
  }
  return
}

// -----

#of_two = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]], block = [], repeats = [1]>
func.func @tile_of_some() attributes {tile.kernel, tile.num_warps = 2 : i32} {
  // expected-error @+1 {{'tile.arange' op is in the CTA, which has 4 warps, but its tile is for 2}}
  %a = tile.arange 0 to 64 : tensor<64xi32, #of_two>
  tile_gpu.roles warps 2 {
  } warps 2 {
  }
  return
}

// -----

func.func @goes_on() attributes {tile.kernel, tile.num_warps = 8 : i32} {
  // expected-error @+1 {{'tile_gpu.roles' op must end the kernel, but `tile_gpu.sync` follows}}
  tile_gpu.roles warps 4 {
  } warps 4 {
  }
  tile_gpu.sync
  return
}

// -----

#of_two = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]], block = [], repeats = [1]>
func.func @tile_of_others() attributes {tile.kernel, tile.num_warps = 4 : i32} {
  tile_gpu.roles warps 2 {
    %a = tile.arange 0 to 64 : tensor<64xi32, #of_two>
  } warps 1 {
    // expected-error @+1 {{'tile.arange' op is in role 1, which has 1 warp, but its tile is for 2}}
    %b = tile.arange 0 to 64 : tensor<64xi32, #of_two>
  } warps 1 {
  }
  return
}

// -----

func.func @half_a_group() {
  // expected-error @+1 {{'tile_gpu.sync' op must name both the number of warps and the first warp, or neither}}
  "tile_gpu.sync"() {warps = 4 : i32} : () -> ()
  return
}

// -----

func.func @empty_group() {
  // expected-error @+1 {{'tile_gpu.sync' op must be for one warp or more, and the first is warp 0 or later}}
  tile_gpu.sync warps 0 from 4
  return
}

// -----

func.func @adds_integers(%p: !tile.ptr<i32>, %x: i32) {
  // expected-error @+1 {{'tile_gpu.add_global' op adds f16, bf16 or f32, not 'i32'}}
  tile_gpu.add_global %p, %x scope <gpu> : !tile.ptr<i32>, i32
  return
}

// -----

func.func @adds_one_half(%p: !tile.ptr<f16>, %x: f16) {
  // expected-error @+1 {{'tile_gpu.add_global' op adds two 'f16' or more}}
  tile_gpu.add_global %p, %x scope <gpu> : !tile.ptr<f16>, f16
  return
}

// -----

func.func @adds_too_much(%p: !tile.ptr<f32>, %x: f32) {
  // expected-error @+1 {{'tile_gpu.add_global' op accesses 12 bytes; an instruction moves}}
  tile_gpu.add_global %p, %x, %x, %x scope <gpu> : !tile.ptr<f32>, f32, f32, f32
  return
}
