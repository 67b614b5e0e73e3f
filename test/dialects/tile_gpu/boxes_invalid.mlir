// SPDX-License-Identifier: MIT
// What tensor maps, copies and stores of boxes, channels with barriers, and roles refuse.
// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @no_stride(%p: !tile.ptr<f16>, %m: i64, %x: i32, %f: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  // expected-error @+1 {{'tile_gpu.tensor_map' op must have 1 to 5 axes, each with an extent and a box extent, and all but the last with a stride}}
  %a = tile_gpu.tensor_map of 0 extents [64, 64] strides [] box [64, 64] of f16 swizzle 128 : !llvm.ptr
  return
}

// -----

func.func @six_axes(%p: !tile.ptr<f16>, %m: i64, %x: i32, %f: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  // expected-error @+1 {{'tile_gpu.tensor_map' op must have 1 to 5 axes, each with an extent and a box extent, and all but the last with a stride}}
  %a = tile_gpu.tensor_map of 0 extents [1, 1, 1, 1, 64, 64] strides [1, 1, 1, 1, 1] box [1, 1, 1, 1, 64, 64] of f16 swizzle 128 : !llvm.ptr
  return
}

// -----

func.func @no_axis(%p: !tile.ptr<f16>, %m: i64, %x: i32, %f: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  // expected-error @+1 {{'tile_gpu.tensor_map' op must have 1 to 5 axes, each with an extent and a box extent, and all but the last with a stride}}
  %a = tile_gpu.tensor_map of 0 extents [] strides [] box [] of f16 swizzle 128 : !llvm.ptr
  return
}

// -----

func.func @an_extent_too_many(%p: !tile.ptr<f16>, %m: i64, %x: i32, %f: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  // expected-error @+1 {{'tile_gpu.tensor_map' op must have 1 to 5 axes, each with an extent and a box extent, and all but the last with a stride}}
  %a = tile_gpu.tensor_map of 0 extents [64, 64, 64] strides [64] box [64, 64] of f16 swizzle 128 : !llvm.ptr
  return
}

// -----

func.func @base_is_a_number(%p: !tile.ptr<f16>, %m: i64, %x: i32, %f: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  // expected-error @+1 {{'tile_gpu.tensor_map' op argument 1 of the kernel is not a pointer}}
  %a = tile_gpu.tensor_map of 1 extents [64, 64] strides [64] box [64, 64] of f16 swizzle 128 : !llvm.ptr
  return
}

// -----

func.func @no_such_argument(%p: !tile.ptr<f16>, %m: i64, %x: i32, %f: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  // expected-error @+1 {{'tile_gpu.tensor_map' op argument 4 of the kernel is not a pointer}}
  %a = tile_gpu.tensor_map of 4 extents [64, 64] strides [64] box [64, 64] of f16 swizzle 128 : !llvm.ptr
  return
}

// -----

func.func @extent_is_a_pointer(%p: !tile.ptr<f16>, %m: i64, %x: i32, %f: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  // expected-error @+1 {{'tile_gpu.tensor_map' op #tile_gpu.argument<0> is neither a number nor made of arguments of 32 or 64 bits}}
  %a = tile_gpu.tensor_map of 0 extents [#tile_gpu.argument<0>, 64] strides [64] box [64, 64] of f16 swizzle 128 : !llvm.ptr
  return
}

// -----

func.func @computed_from_a_pointer(%p: !tile.ptr<f16>, %m: i64, %x: i32, %f: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  // expected-error @+1 {{'tile_gpu.tensor_map' op #tile_gpu.computed<add(#tile_gpu.argument<1>, #tile_gpu.argument<0>)> is neither a number nor made of arguments of 32 or 64 bits}}
  %a = tile_gpu.tensor_map of 0 extents [#tile_gpu.computed<add(#tile_gpu.argument<1>, #tile_gpu.argument<0>)>, 64] strides [64] box [64, 64] of f16 swizzle 128 : !llvm.ptr
  return
}

// -----

func.func @computed_from_a_word(%p: !tile.ptr<f16>, %m: i64, %x: i32, %f: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  // expected-error @+1 {{computes with "m", which is no number, argument or computed number}}
  %a = tile_gpu.tensor_map of 0 extents [#tile_gpu.computed<add(#tile_gpu.argument<1>, "m")>, 64] strides [64] box [64, 64] of f16 swizzle 128 : !llvm.ptr
  return
}

// -----

func.func @divided_by_an_argument(%p: !tile.ptr<f16>, %m: i64, %x: i32, %f: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  // expected-error @+1 {{divides by #tile_gpu.argument<1>, which is no positive number}}
  %a = tile_gpu.tensor_map of 0 extents [#tile_gpu.computed<divide(64 : i64, #tile_gpu.argument<1>)>, 64] strides [64] box [64, 64] of f16 swizzle 128 : !llvm.ptr
  return
}

// -----

func.func @stride_is_a_float(%p: !tile.ptr<f16>, %m: i64, %x: i32, %f: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  // expected-error @+1 {{'tile_gpu.tensor_map' op #tile_gpu.argument<3> is neither a number nor made of arguments of 32 or 64 bits}}
  %a = tile_gpu.tensor_map of 0 extents [64, 64] strides [#tile_gpu.argument<3>] box [64, 64] of f16 swizzle 128 : !llvm.ptr
  return
}

// -----

func.func @extent_is_a_word(%p: !tile.ptr<f16>, %m: i64, %x: i32, %f: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  // expected-error @+1 {{'tile_gpu.tensor_map' op "m" is neither a number nor made of arguments of 32 or 64 bits}}
  %a = tile_gpu.tensor_map of 0 extents ["m", 64] strides [64] box [64, 64] of f16 swizzle 128 : !llvm.ptr
  return
}

// -----

func.func @large_box(%p: !tile.ptr<f16>, %m: i64, %x: i32, %f: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  // expected-error @+1 {{'tile_gpu.tensor_map' op has a box of 257 elements along an axis; it must have 1 to 256}}
  %a = tile_gpu.tensor_map of 0 extents [64, 64] strides [64] box [257, 64] of f16 swizzle 128 : !llvm.ptr
  return
}

// -----

func.func @empty_box(%p: !tile.ptr<f16>, %m: i64, %x: i32, %f: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  // expected-error @+1 {{'tile_gpu.tensor_map' op has a box of 0 elements along an axis; it must have 1 to 256}}
  %a = tile_gpu.tensor_map of 0 extents [64, 64] strides [64] box [64, 0] of f16 swizzle 128 : !llvm.ptr
  return
}

// -----

func.func @other_swizzle(%p: !tile.ptr<f16>, %m: i64, %x: i32, %f: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  // expected-error @+1 {{'tile_gpu.tensor_map' op cannot swizzle rows of 96 bytes}}
  %a = tile_gpu.tensor_map of 0 extents [64, 64] strides [64] box [64, 64] of f16 swizzle 96 : !llvm.ptr
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
!ring = !tile_gpu.channel<2 x (tensor<64x64xf16, #shared>) barriers = true>
func.func @no_tile(%p: !tile.ptr<f16>, %m: i64, %x: i32, %f: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %a = tile_gpu.tensor_map of 0 extents [64, 64] strides [64] box [64, 64] of f16 swizzle 128 : !llvm.ptr
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2 parity = true>
  %s = tile_gpu.acquire %c[%at] : !ring
  // expected-error @+1 {{'tile_gpu.copy_box' op there is no tile 1 in a slot of}}
  tile_gpu.copy_box %a[%x, %x] to %s tile 1 : !llvm.ptr
  tile_gpu.commit %s
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
!ring = !tile_gpu.channel<2 x (tensor<64x64xf16, #shared>) barriers = true>
func.func @other_map(%p: !tile.ptr<f16>, %m: i64, %x: i32, %f: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %a = tile_gpu.tensor_map of 0 extents [64, 64] strides [64] box [32, 64] of f16 swizzle 128 : !llvm.ptr
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2 parity = true>
  %s = tile_gpu.acquire %c[%at] : !ring
  // expected-error @+1 {{'tile_gpu.copy_box' op the map's boxes do not make up a tile of type}}
  tile_gpu.copy_box %a[%x, %x] to %s tile 0 : !llvm.ptr
  tile_gpu.commit %s
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
!ring = !tile_gpu.channel<2 x (tensor<64x64xf16, #shared>) barriers = true>
func.func @other_swizzle_of_the_map(%p: !tile.ptr<f16>, %m: i64, %x: i32, %f: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %a = tile_gpu.tensor_map of 0 extents [64, 64] strides [64] box [64, 64] of f16 swizzle 64 : !llvm.ptr
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2 parity = true>
  %s = tile_gpu.acquire %c[%at] : !ring
  // expected-error @+1 {{'tile_gpu.copy_box' op the map's boxes do not make up a tile of type}}
  tile_gpu.copy_box %a[%x, %x] to %s tile 0 : !llvm.ptr
  tile_gpu.commit %s
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
!ring = !tile_gpu.channel<2 x (tensor<64x64xf16, #shared>) barriers = true>
func.func @other_element(%p: !tile.ptr<f16>, %m: i64, %x: i32, %f: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %a = tile_gpu.tensor_map of 0 extents [64, 64] strides [64] box [64, 64] of bf16 swizzle 128 : !llvm.ptr
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2 parity = true>
  %s = tile_gpu.acquire %c[%at] : !ring
  // expected-error @+1 {{'tile_gpu.copy_box' op the map's boxes do not make up a tile of type}}
  tile_gpu.copy_box %a[%x, %x] to %s tile 0 : !llvm.ptr
  tile_gpu.commit %s
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
!ring = !tile_gpu.channel<2 x (tensor<64x64xf16, #shared>) barriers = true>
func.func @deep_box(%p: !tile.ptr<f16>, %m: i64, %x: i32, %f: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %a = tile_gpu.tensor_map of 0 extents [8, 64, 64] strides [4096, 64] box [2, 64, 64] of f16 swizzle 128 : !llvm.ptr
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2 parity = true>
  %s = tile_gpu.acquire %c[%at] : !ring
  // expected-error @+1 {{'tile_gpu.copy_box' op the map's boxes do not make up a tile of type}}
  tile_gpu.copy_box %a[%x, %x, %x] to %s tile 0 : !llvm.ptr
  tile_gpu.commit %s
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
!ring = !tile_gpu.channel<2 x (tensor<64x64xf16, #shared>) barriers = true>
func.func @few_coordinates(%p: !tile.ptr<f16>, %m: i64, %x: i32, %f: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %a = tile_gpu.tensor_map of 0 extents [64, 64] strides [64] box [64, 64] of f16 swizzle 128 : !llvm.ptr
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2 parity = true>
  %s = tile_gpu.acquire %c[%at] : !ring
  // expected-error @+1 {{'tile_gpu.copy_box' op has 1 coordinates for a tensor of 2 axes}}
  tile_gpu.copy_box %a[%x] to %s tile 0 : !llvm.ptr
  tile_gpu.commit %s
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
!ring = !tile_gpu.channel<2 x (tensor<64x64xf16, #shared>) barriers = true>
func.func @no_map(%p: !tile.ptr<f16>, %m: i64, %x: i32, %f: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %a = llvm.mlir.zero : !llvm.ptr
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2 parity = true>
  %s = tile_gpu.acquire %c[%at] : !ring
  // expected-error @+1 {{'tile_gpu.copy_box' op needs a tensor map}}
  tile_gpu.copy_box %a[%x, %x] to %s tile 0 : !llvm.ptr
  tile_gpu.commit %s
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
!ring = !tile_gpu.channel<2 x (tensor<64x64xf16, #shared>)>
func.func @without_barriers(%p: !tile.ptr<f16>, %m: i64, %x: i32, %f: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %a = tile_gpu.tensor_map of 0 extents [64, 64] strides [64] box [64, 64] of f16 swizzle 128 : !llvm.ptr
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  %s = tile_gpu.acquire %c[%at] : !ring
  // expected-error @+1 {{'tile_gpu.copy_box' op needs a slot of a channel with barriers}}
  tile_gpu.copy_box %a[%x, %x] to %s tile 0 : !llvm.ptr
  tile_gpu.commit %s
  return
}

// -----

func.func @slot_of_nothing(%p: !tile.ptr<f16>, %s: !tile_gpu.slot, %x: i32) {
  %a = tile_gpu.tensor_map of 0 extents [64, 64] strides [64] box [64, 64] of f16 swizzle 128 : !llvm.ptr
  // expected-error @+1 {{'tile_gpu.copy_box' op needs a slot or a lease of a channel}}
  tile_gpu.copy_box %a[%x, %x] to %s tile 0 : !llvm.ptr
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
#lanes = #tile_gpu.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [], repeats = [1, 1]>
!ring = !tile_gpu.channel<2 x (tensor<64x64xf16, #shared>) barriers = true>
func.func @store_with_barriers(%p: !tile.ptr<f16>, %m: i64, %x: i32, %t: tensor<64x64xf16, #lanes>) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %a = tile_gpu.tensor_map of 0 extents [64, 64] strides [64] box [64, 64] of f16 swizzle 128 written : !llvm.ptr
  %c = tile_gpu.channel : !ring
  // expected-error @+1 {{'tile_gpu.store_box' op needs a channel of one tile, without barriers}}
  tile_gpu.store_box %t to %a[%x, %x] through %c : tensor<64x64xf16, #lanes>, !llvm.ptr, !ring
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
#lanes = #tile_gpu.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [], repeats = [1, 1]>
!ring = !tile_gpu.channel<2 x (tensor<64x64xf16, #shared>, tensor<64x64xf16, #shared>)>
func.func @store_through_two_tiles(%p: !tile.ptr<f16>, %m: i64, %x: i32, %t: tensor<64x64xf16, #lanes>) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %a = tile_gpu.tensor_map of 0 extents [64, 64] strides [64] box [64, 64] of f16 swizzle 128 written : !llvm.ptr
  %c = tile_gpu.channel : !ring
  // expected-error @+1 {{'tile_gpu.store_box' op needs a channel of one tile, without barriers}}
  tile_gpu.store_box %t to %a[%x, %x] through %c : tensor<64x64xf16, #lanes>, !llvm.ptr, !ring
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
#lanes = #tile_gpu.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [], repeats = [1, 1]>
!ring = !tile_gpu.channel<2 x (tensor<64x64xf16, #shared>)>
func.func @store_of_another_element(%p: !tile.ptr<f16>, %m: i64, %x: i32, %t: tensor<64x64xbf16, #lanes>) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %a = tile_gpu.tensor_map of 0 extents [64, 64] strides [64] box [64, 64] of f16 swizzle 128 written : !llvm.ptr
  %c = tile_gpu.channel : !ring
  // expected-error @+1 {{is not made of parts of type}}
  tile_gpu.store_box %t to %a[%x, %x] through %c : tensor<64x64xbf16, #lanes>, !llvm.ptr, !ring
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
#lanes = #tile_gpu.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [], repeats = [1, 1]>
!ring = !tile_gpu.channel<2 x (tensor<64x64xf16, #shared>)>
func.func @store_around_the_ring(%p: !tile.ptr<f16>, %m: i64, %x: i32, %t: tensor<64x64xf16, #lanes>) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %a = tile_gpu.tensor_map of 0 extents [64, 64] strides [64] box [64, 64] of f16 swizzle 128 written : !llvm.ptr
  %c = tile_gpu.channel : !ring
  // expected-error @+1 {{'tile_gpu.store_box' op the number of parts of a tile of type}}
  tile_gpu.store_box %t to %a[%x, %x] through %c : tensor<64x64xf16, #lanes>, !llvm.ptr, !ring
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
#lanes = #tile_gpu.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0], [0, 64]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [], repeats = [1, 1]>
!ring = !tile_gpu.channel<2 x (tensor<64x64xf16, #shared>)>
func.func @store_by_a_map_for_copies(%p: !tile.ptr<f16>, %m: i64, %x: i32, %t: tensor<64x128xf16, #lanes>) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %a = tile_gpu.tensor_map of 0 extents [64, 64] strides [64] box [64, 64] of f16 swizzle 128 : !llvm.ptr
  %c = tile_gpu.channel : !ring
  // expected-error @+1 {{'tile_gpu.store_box' op stores by a map that is not `written`}}
  tile_gpu.store_box %t to %a[%x, %x] through %c : tensor<64x128xf16, #lanes>, !llvm.ptr, !ring
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
#lanes = #tile_gpu.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0], [0, 64]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [], repeats = [1, 1]>
!ring = !tile_gpu.channel<2 x (tensor<64x64xf16, #shared>)>
func.func @store_with_few_coordinates(%p: !tile.ptr<f16>, %m: i64, %x: i32, %t: tensor<64x128xf16, #lanes>) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %a = tile_gpu.tensor_map of 0 extents [64, 64] strides [64] box [64, 64] of f16 swizzle 128 written : !llvm.ptr
  %c = tile_gpu.channel : !ring
  // expected-error @+1 {{'tile_gpu.store_box' op has 1 coordinates for a tensor of 2 axes}}
  tile_gpu.store_box %t to %a[%x] through %c : tensor<64x128xf16, #lanes>, !llvm.ptr, !ring
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
#lanes = #tile_gpu.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0], [0, 64]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [], repeats = [1, 1]>
!ring = !tile_gpu.channel<2 x (tensor<64x64xf16, #shared>)>
func.func @store_of_other_boxes(%p: !tile.ptr<f16>, %m: i64, %x: i32, %t: tensor<64x128xf16, #lanes>) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %a = tile_gpu.tensor_map of 0 extents [64, 64] strides [64] box [32, 64] of f16 swizzle 128 written : !llvm.ptr
  %c = tile_gpu.channel : !ring
  // expected-error @+1 {{'tile_gpu.store_box' op the map's boxes do not make up a tile of type}}
  tile_gpu.store_box %t to %a[%x, %x] through %c : tensor<64x128xf16, #lanes>, !llvm.ptr, !ring
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
!ring = !tile_gpu.channel<2 x (tensor<64x64xf16, #shared>) barriers = true>
func.func @cursor_without_parity(%p: !tile.ptr<f16>, %m: i64, %x: i32, %f: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %c = tile_gpu.channel : !ring
  // expected-note @+1 {{prior use here}}
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  // expected-error @+1 {{use of value '%at' expects different type than prior uses: '!tile_gpu.cursor<2 parity = true>' vs '!tile_gpu.cursor<2>'}}
  %s = tile_gpu.acquire %c[%at] : !ring
  return
}

// -----

func.func @registers_of_a_part() attributes {tile.kernel, tile.num_warps = 4 : i32} {
  // expected-error @+1 {{'tile_gpu.roles' op has a role of 2 warps: registers are given to groups of four}}
  tile_gpu.roles warps 2 registers 40 {
  } warps 4 registers 240 {
  }
  return
}

// -----

func.func @few_registers() attributes {tile.kernel, tile.num_warps = 4 : i32} {
  // expected-error @+1 {{'tile_gpu.roles' op gives 16 registers to a thread; it may have 24 to 256, in steps of 8}}
  tile_gpu.roles warps 4 registers 16 {
  } warps 4 registers 240 {
  }
  return
}

// -----

func.func @many_registers() attributes {tile.kernel, tile.num_warps = 4 : i32} {
  // expected-error @+1 {{'tile_gpu.roles' op gives 264 registers to a thread; it may have 24 to 256, in steps of 8}}
  tile_gpu.roles warps 4 registers 264 {
  } warps 4 registers 24 {
  }
  return
}

// -----

func.func @odd_registers() attributes {tile.kernel, tile.num_warps = 4 : i32} {
  // expected-error @+1 {{'tile_gpu.roles' op gives 41 registers to a thread; it may have 24 to 256, in steps of 8}}
  tile_gpu.roles warps 4 registers 41 {
  } warps 4 registers 240 {
  }
  return
}

// -----

func.func @registers_of_one_role() attributes {tile.kernel, tile.num_warps = 4 : i32} {
  // expected-error @+1 {{'tile_gpu.roles' op gives 0 registers to a thread; it may have 24 to 256, in steps of 8}}
  tile_gpu.roles warps 4 registers 40 {
  } warps 4 {
  }
  return
}

// -----

func.func @registers_of_a_limited_kernel() attributes {tile.kernel, tile.max_registers = 128 : i32, tile.num_warps = 4 : i32} {
  // expected-error @+1 {{'tile_gpu.roles' op gives registers to its roles, but the kernel begins with 128 at most; leave out tile.max_registers, or the roles' registers}}
  tile_gpu.roles warps 4 registers 40 {
  } warps 8 registers 232 {
  }
  return
}

// -----

func.func @more_registers_than_there_are() attributes {tile.kernel, tile.num_warps = 4 : i32} {
  // expected-error @+1 {{'tile_gpu.roles' op gives 520 registers to threads of 3 groups of four warps, which begin with 168 each}}
  tile_gpu.roles warps 4 registers 40 {
  } warps 8 registers 240 {
  }
  return
}

// -----

func.func @tile_of_one_thread() attributes {tile.kernel, tile.num_warps = 4 : i32} {
  tile_gpu.roles warps 4 alone {
    // expected-error @+1 {{'tile.arange' op makes a tile in a role that has one thread}}
    %i = tile.arange 0 to 64 : tensor<64xi32>
  } warps 4 {
  }
  return
}

// -----

func.func @unlike_turns() attributes {tile.kernel, tile.num_warps = 4 : i32} {
  // expected-error @+1 {{'tile_gpu.roles' op has roles that take turns, but they have different numbers of warps}}
  tile_gpu.roles in_turn warps 4 alone {
  } warps 4 {
  } warps 8 {
  }
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
!ring = !tile_gpu.channel<2 x (tensor<64x64xf16, #shared>) barriers = true>
func.func @end_with_tiles() attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %c = tile_gpu.channel : !ring
  // expected-error @+1 {{'tile_gpu.roles' op tells of its end on a channel of one slot with barriers and without tiles, as tile_gpu.channel gives it}}
  tile_gpu.roles end %c : !ring warps 4 alone {
  } warps 4 {
  }
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
!ring = !tile_gpu.channel<2 x (tensor<64x64xf16, #shared>) barriers = true>
!cursor = !tile_gpu.cursor<2 parity = true>
func.func @nobody_tells_of_an_end() attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %c = tile_gpu.channel : !ring
  tile_gpu.roles warps 4 alone {
    %at = tile_gpu.cursor 0 : !cursor
    // expected-error @+1 {{'tile_gpu.await_slot_or_end' op needs roles that tell of their end}}
    tile_gpu.await_slot_or_end %c[%at] copied (%c) [%at] : !ring, !cursor copied (!ring) [!cursor]
  } warps 4 {
  }
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
!ring = !tile_gpu.channel<2 x (tensor<64x64xf16, #shared>) barriers = true>
!cursor = !tile_gpu.cursor<3 parity = true>
func.func @cursor_of_another_slot() attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %c = tile_gpu.channel : !ring
  %end = tile_gpu.channel : !tile_gpu.channel<1 x () barriers = true>
  tile_gpu.roles end %end : !tile_gpu.channel<1 x () barriers = true> warps 4 alone {
    %at = tile_gpu.cursor 0 : !cursor
    // expected-error @+1 {{'tile_gpu.await_slot_or_end' op needs a channel with barriers, as tile_gpu.channel gives it, and a cursor of it}}
    tile_gpu.await_slot_or_end %c[%at] copied (%c) [%at] : !ring, !cursor copied (!ring) [!cursor]
  } warps 4 {
  }
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
!ring = !tile_gpu.channel<2 x (tensor<64x64xf16, #shared>) barriers = true>
!cursor = !tile_gpu.cursor<2 parity = true>
!other = !tile_gpu.cursor<3 parity = true>
func.func @cursor_of_another_copy() attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %c = tile_gpu.channel : !ring
  %end = tile_gpu.channel : !tile_gpu.channel<1 x () barriers = true>
  tile_gpu.roles end %end : !tile_gpu.channel<1 x () barriers = true> warps 4 alone {
    %at = tile_gpu.cursor 0 : !cursor
    %far = tile_gpu.cursor 0 : !other
    // expected-error @+1 {{'tile_gpu.await_slot_or_end' op needs channels with barriers, as tile_gpu.channel gives them, each with a cursor of it}}
    tile_gpu.await_slot_or_end %c[%at] copied (%c) [%far] : !ring, !cursor copied (!ring) [!other]
  } warps 4 {
  }
  return
}

// -----

func.func @lists_of_roles() attributes {tile.kernel, tile.num_warps = 4 : i32} {
  // expected-error @+1 {{'tile_gpu.roles' op must say for each role how many registers it has, and whether one thread runs it}}
  "tile_gpu.roles"() <{alone = array<i1: false, false>, registers = array<i32: 0>, warps = array<i32: 4, 4>}> ({
  ^bb0:
  }, {
  ^bb0:
  }) : () -> ()
  return
}

// -----

func.func @like_nothing(%p: !tile.ptr<f16>, %m: i64, %none: !llvm.ptr) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %memory = tile_gpu.workspace 256 : !llvm.ptr<1>
  // expected-error @+1 {{'tile_gpu.device_map' op `like` must be a tensor map}}
  %map = tile_gpu.device_map of %p extents [%m, %m] strides [%m] like %none in %memory at 0 : !tile.ptr<f16>, !llvm.ptr, !llvm.ptr<1> -> !llvm.ptr
  return
}

// -----

func.func @like_a_tensor_with_elements(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>, %m: i64) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %like = tile_gpu.tensor_map of 0 extents [8, 0] strides [0] box [64, 64] of f16 swizzle 128 : !llvm.ptr
  %memory = tile_gpu.workspace 256 : !llvm.ptr<1>
  // expected-error @+1 {{'tile_gpu.device_map' op `like` must be a map of a tensor without elements}}
  %map = tile_gpu.device_map of %p extents [%m, %m] strides [%m] like %like in %memory at 0 : !tile.ptr<f16>, !llvm.ptr, !llvm.ptr<1> -> !llvm.ptr
  return
}

// -----

func.func @base_of_another_type(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>, %m: i64) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %like = tile_gpu.tensor_map of 0 extents [0, 0] strides [0] box [64, 64] of f16 swizzle 128 : !llvm.ptr
  %memory = tile_gpu.workspace 256 : !llvm.ptr<1>
  // expected-error @+1 {{'tile_gpu.device_map' op must begin at an address of 'f16'}}
  %map = tile_gpu.device_map of %q extents [%m, %m] strides [%m] like %like in %memory at 0 : !tile.ptr<f32>, !llvm.ptr, !llvm.ptr<1> -> !llvm.ptr
  return
}

// -----

func.func @own_map_of_three_axes(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>, %m: i64) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %like = tile_gpu.tensor_map of 0 extents [0, 0] strides [0] box [64, 64] of f16 swizzle 128 : !llvm.ptr
  %memory = tile_gpu.workspace 256 : !llvm.ptr<1>
  // expected-error @+1 {{'tile_gpu.device_map' op has 3 extents and 1 strides for a tensor of 2 axes}}
  %map = tile_gpu.device_map of %p extents [%m, %m, %m] strides [%m] like %like in %memory at 0 : !tile.ptr<f16>, !llvm.ptr, !llvm.ptr<1> -> !llvm.ptr
  return
}

// -----

func.func @own_map_without_strides(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>, %m: i64) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %like = tile_gpu.tensor_map of 0 extents [0, 0] strides [0] box [64, 64] of f16 swizzle 128 : !llvm.ptr
  %memory = tile_gpu.workspace 256 : !llvm.ptr<1>
  // expected-error @+1 {{'tile_gpu.device_map' op has 2 extents and 0 strides for a tensor of 2 axes}}
  %map = tile_gpu.device_map of %p extents [%m, %m] strides [] like %like in %memory at 0 : !tile.ptr<f16>, !llvm.ptr, !llvm.ptr<1> -> !llvm.ptr
  return
}

// -----

func.func @own_map_between_places(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>, %m: i64) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %like = tile_gpu.tensor_map of 0 extents [0, 0] strides [0] box [64, 64] of f16 swizzle 128 : !llvm.ptr
  %memory = tile_gpu.workspace 256 : !llvm.ptr<1>
  // expected-error @+1 {{'tile_gpu.device_map' op must lie at a multiple of 128 bytes within the workspace}}
  %map = tile_gpu.device_map of %p extents [%m, %m] strides [%m] like %like in %memory at 64 : !tile.ptr<f16>, !llvm.ptr, !llvm.ptr<1> -> !llvm.ptr
  return
}

// -----

func.func @own_map_behind_the_workspace(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>, %m: i64) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %like = tile_gpu.tensor_map of 0 extents [0, 0] strides [0] box [64, 64] of f16 swizzle 128 : !llvm.ptr
  %memory = tile_gpu.workspace 256 : !llvm.ptr<1>
  // expected-error @+1 {{'tile_gpu.device_map' op must lie at a multiple of 128 bytes within the workspace}}
  %map = tile_gpu.device_map of %p extents [%m, %m] strides [%m] like %like in %memory at 256 : !tile.ptr<f16>, !llvm.ptr, !llvm.ptr<1> -> !llvm.ptr
  return
}

// -----

func.func @own_map_anywhere(%p: !tile.ptr<f16>, %m: i64, %any: !llvm.ptr<1>) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %like = tile_gpu.tensor_map of 0 extents [0, 0] strides [0] box [64, 64] of f16 swizzle 128 : !llvm.ptr
  // expected-error @+1 {{'tile_gpu.device_map' op must lie at a multiple of 128 bytes within the workspace}}
  %map = tile_gpu.device_map of %p extents [%m, %m] strides [%m] like %like in %any at 0 : !tile.ptr<f16>, !llvm.ptr, !llvm.ptr<1> -> !llvm.ptr
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
func.func @await_copies_without_barriers() attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %c = tile_gpu.channel : !tile_gpu.channel<2 x (tensor<64x64xf16, #shared>)>
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  // expected-error @+1 {{'tile_gpu.await_copies' op needs a channel with barriers}}
  tile_gpu.await_copies %c[%at] : !tile_gpu.channel<2 x (tensor<64x64xf16, #shared>)>
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
#lanes = #tile_gpu.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [], repeats = [1, 1]>
!ring = !tile_gpu.channel<1 x (tensor<64x64xi16, #shared>)>
func.func @adds_other_numbers(%p: !tile.ptr<i16>, %m: i64, %x: i32, %t: tensor<64x64xi16, #lanes>) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %a = tile_gpu.tensor_map of 0 extents [64, 64] strides [64] box [64, 64] of i16 swizzle 128 written : !llvm.ptr
  %c = tile_gpu.channel : !ring
  // expected-error @+1 {{'tile_gpu.store_box' op adds f16, bf16 or f32, not 'i16'}}
  tile_gpu.store_box %t to %a[%x, %x] through %c adds : tensor<64x64xi16, #lanes>, !llvm.ptr, !ring
  return
}
