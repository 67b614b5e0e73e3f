// SPDX-License-Identifier: MIT
// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @no_field(%s: !llvm.ptr<3>, %n: i32) {
  // expected-error @+1 {{'tile_gpu.ptx_map_replace' op knows no field `size` of tensor maps; there are: global_address, rank, box_dim, global_dim, global_stride, element_stride, elemtype, interleave_layout, swizzle_mode, fill_mode}}
  tile_gpu.ptx_map_replace "size" of %s with %n : !llvm.ptr<3>, i32
  return
}

// -----

func.func @no_dimension(%s: !llvm.ptr<3>, %n: i32) {
  // expected-error @+1 {{'tile_gpu.ptx_map_replace' op `box_dim` needs a dimension, 0 to 4}}
  tile_gpu.ptx_map_replace "box_dim" of %s with %n : !llvm.ptr<3>, i32
  return
}

// -----

func.func @no_such_stride(%s: !llvm.ptr<3>, %x: i64) {
  // expected-error @+1 {{'tile_gpu.ptx_map_replace' op `global_stride` needs a dimension, 0 to 3}}
  tile_gpu.ptx_map_replace "global_stride" 4 of %s with %x : !llvm.ptr<3>, i64
  return
}

// -----

func.func @a_dimension_too_many(%s: !llvm.ptr<3>, %n: i32) {
  // expected-error @+1 {{'tile_gpu.ptx_map_replace' op `rank` takes no dimension}}
  tile_gpu.ptx_map_replace "rank" 0 of %s with %n : !llvm.ptr<3>, i32
  return
}

// -----

func.func @a_choice(%s: !llvm.ptr<3>, %n: i32) {
  // expected-error @+1 {{'tile_gpu.ptx_map_replace' op `swizzle_mode` takes a constant}}
  tile_gpu.ptx_map_replace "swizzle_mode" of %s with %n : !llvm.ptr<3>, i32
  return
}

// -----

func.func @no_choice(%s: !llvm.ptr<3>) {
  // expected-error @+1 {{'tile_gpu.ptx_map_replace' op `rank` takes a value}}
  tile_gpu.ptx_map_replace "rank" of %s to 1 : !llvm.ptr<3>
  return
}

// -----

func.func @too_narrow(%s: !llvm.ptr<3>, %n: i32) {
  // expected-error @+1 {{'tile_gpu.ptx_map_replace' op `global_address` takes 64 bits, not 'i32'}}
  tile_gpu.ptx_map_replace "global_address" of %s with %n : !llvm.ptr<3>, i32
  return
}
