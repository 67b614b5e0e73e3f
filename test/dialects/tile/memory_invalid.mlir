// SPDX-License-Identifier: MIT
// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @offset_width(%p: !tile.ptr<f16>, %n: i16) {
  // expected-error @+1 {{operand #1 must be a 32- or 64-bit offset or a tile of them, but got 'i16'}}
  %0 = tile.addptr %p, %n : !tile.ptr<f16>, i16
  return
}

// -----

func.func @offset_shape(%p: !tile.ptr<f16>, %n: tensor<8xi32>) {
  // expected-error @+1 {{operands and results must have the same shape, not '!tile.ptr<f16>' and 'tensor<8xi32>'}}
  %0 = tile.addptr %p, %n : !tile.ptr<f16>, tensor<8xi32>
  return
}

// -----

func.func @address_width(%n: i32) {
  // expected-error @+1 {{operand #0 must be an i64 or a tile of them, but got 'i32'}}
  %0 = tile.int_to_ptr %n : i32 -> !tile.ptr<f16>
  return
}

// -----

func.func @address_shape(%p: tensor<8x!tile.ptr<f16>>) {
  // expected-error @+1 {{operands and results must have the same shape}}
  %0 = tile.ptr_to_int %p : tensor<8x!tile.ptr<f16>> -> i64
  return
}

// -----

func.func @load_of_a_number(%x: f32) {
  // expected-error @+1 {{'ptr' must be a pointer or a tile of pointers, but got 'f32'}}
  %0 = tile.load %x : f32
  return
}

// -----

func.func @loaded_type(%p: !tile.ptr<f32>) {
  // expected-error @+1 {{the result is what the pointers point to}}
  %0 = "tile.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!tile.ptr<f32>) -> f16
  return
}

// -----

func.func @mask_of_load(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<4xi1>) {
  // expected-error @+1 {{the mask has the pointers' shape}}
  %0 = "tile.load"(%p, %m) {operandSegmentSizes = array<i32: 1, 1, 0>} : (tensor<8x!tile.ptr<f32>>, tensor<4xi1>) -> tensor<8xf32>
  return
}

// -----

func.func @other_of_load(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>, %o: f32) {
  // expected-error @+1 {{`other` has the loaded type}}
  %0 = "tile.load"(%p, %m, %o) {operandSegmentSizes = array<i32: 1, 1, 1>} : (tensor<8x!tile.ptr<f32>>, tensor<8xi1>, f32) -> tensor<8xf32>
  return
}

// -----

func.func @other_without_mask(%p: !tile.ptr<f32>, %o: f32) {
  // expected-error @+1 {{has `other`, the value where the mask is false, but no mask}}
  %0 = "tile.load"(%p, %o) {operandSegmentSizes = array<i32: 1, 0, 1>} : (!tile.ptr<f32>, f32) -> f32
  return
}

// -----

func.func @cache_of_load(%p: !tile.ptr<f32>) {
  // expected-error @+1 {{takes no cache hint `wt`, but `ca`, `cg`, `cv`}}
  %0 = tile.load %p cache = wt : !tile.ptr<f32>
  return
}

// -----

func.func @unknown_cache(%p: !tile.ptr<f32>) {
  // expected-error @+1 {{unknown Cache 'l2'}}
  %0 = tile.load %p cache = l2 : !tile.ptr<f32>
  return
}

// -----

func.func @unknown_eviction(%p: !tile.ptr<f32>) {
  // expected-error @+1 {{unknown Evict 'never'}}
  %0 = tile.load %p evict = never : !tile.ptr<f32>
  return
}

// -----

func.func @stored_type(%p: !tile.ptr<f32>, %x: f16) {
  // expected-error @+1 {{the value has the pointed-to type}}
  "tile.store"(%p, %x) : (!tile.ptr<f32>, f16) -> ()
  return
}

// -----

func.func @mask_of_store(%p: tensor<8x!tile.ptr<f32>>, %x: tensor<8xf32>, %m: i1) {
  // expected-error @+1 {{the mask has the pointers' shape}}
  "tile.store"(%p, %x, %m) : (tensor<8x!tile.ptr<f32>>, tensor<8xf32>, i1) -> ()
  return
}

// -----

func.func @cache_of_store(%p: !tile.ptr<f32>, %x: f32) {
  // expected-error @+1 {{takes no cache hint `ca`, but `wb`, `cg`, `cs`, `wt`}}
  tile.store %p, %x cache = ca : !tile.ptr<f32>
  return
}

// -----

func.func @dimensions(%p: !tile.ptr<f16>, %n: i64) {
  // expected-error @+1 {{has 2 extents and 1 strides for a block of 2 dimensions: one each per dimension}}
  %d = tile.make_descriptor %p, [%n, %n], [%n] : <f16> -> <128x64xf16>
  return
}

// -----

func.func @described_element(%p: !tile.ptr<f32>, %n: i64) {
  // expected-error @+1 {{describes elements 'f16' at a pointer to 'f32'}}
  %d = tile.make_descriptor %p, [%n], [%n] : <f32> -> <64xf16>
  return
}

// -----

func.func @padding(%p: !tile.ptr<i32>, %n: i64) {
  // expected-error @+1 {{pads with NaN, but 'i32' has no NaN}}
  %d = tile.make_descriptor %p, [%n], [%n] padding = nan : <i32> -> <64xi32>
  return
}

// -----

func.func @unknown_padding(%p: !tile.ptr<f32>, %n: i64) {
  // expected-error @+1 {{unknown Padding 'one'}}
  %d = tile.make_descriptor %p, [%n], [%n] padding = one : <f32> -> <64xf32>
  return
}

// -----

func.func @coordinates(%d: !tile.desc<16x64xf16>, %i: i32) {
  // expected-error @+1 {{has 1 coordinates for a descriptor of 2 dimensions}}
  %0 = tile.descriptor_load %d[%i] : <16x64xf16> -> tensor<16x64xf16>
  return
}

// -----

func.func @converting_descriptor_load(%d: !tile.desc<64xf16>, %i: i32) {
  // expected-error @+1 {{moves elements and does not convert them: the descriptor's are 'f16', the tile's 'f32'}}
  %0 = tile.descriptor_load %d[%i] : <64xf16> -> tensor<64xf32>
  return
}

// -----

func.func @shape_of_descriptor_load(%d: !tile.desc<2x64xf16>, %i: i32) {
  // expected-error @+1 {{the tile 'tensor<64xf16>' does not have the shape of the descriptor's block 'tensor<2x64xf16>'; only leading extents of 1 may be dropped}}
  %0 = tile.descriptor_load %d[%i, %i] : <2x64xf16> -> tensor<64xf16>
  return
}

// -----

func.func @cache_of_descriptor_load(%d: !tile.desc<64xf16>, %i: i32) {
  // expected-error @+1 {{takes no cache hint `wb`, but `ca`, `cg`, `cv`}}
  %0 = tile.descriptor_load %d[%i] cache = wb : <64xf16> -> tensor<64xf16>
  return
}

// -----

func.func @shape_of_descriptor_store(%d: !tile.desc<2x64xf16>, %i: i32, %x: tensor<64xf16>) {
  // expected-error @+1 {{the tile 'tensor<64xf16>' does not have the shape of the descriptor's block 'tensor<2x64xf16>'; only leading extents of 1 may be dropped}}
  tile.descriptor_store %d[%i, %i], %x : <2x64xf16>, tensor<64xf16>
  return
}

// -----

func.func @coordinates_of_descriptor_reduce(%d: !tile.desc<64xf32>, %i: i32, %x: tensor<64xf32>) {
  // expected-error @+1 {{has 2 coordinates for a descriptor of 1 dimensions}}
  tile.descriptor_reduce fadd, %d[%i, %i], %x : <64xf32>, tensor<64xf32>
  return
}

// -----

func.func @exchange_of_descriptor_reduce(%d: !tile.desc<64xi32>, %i: i32, %x: tensor<64xi32>) {
  // expected-error @+1 {{has no result, so `xchg` would be a store: use tile.descriptor_store}}
  tile.descriptor_reduce xchg, %d[%i], %x : <64xi32>, tensor<64xi32>
  return
}

// -----

func.func @update_of_descriptor_reduce(%d: !tile.desc<64xf32>, %i: i32, %x: tensor<64xf32>) {
  // expected-error @+1 {{`add` combines i32 or i64, not 'f32'}}
  tile.descriptor_reduce add, %d[%i], %x : <64xf32>, tensor<64xf32>
  return
}

// -----

func.func @unknown_update(%p: !tile.ptr<f32>, %x: f32) {
  // expected-error @+1 {{unknown Update 'mul'}}
  %0 = tile.atomic_rmw mul, %p, %x ordering = relaxed scope = gpu : !tile.ptr<f32>
  return
}

// -----

func.func @unknown_ordering(%p: !tile.ptr<f32>, %x: f32) {
  // expected-error @+1 {{unknown Ordering 'seq_cst'}}
  %0 = tile.atomic_rmw fadd, %p, %x ordering = seq_cst scope = gpu : !tile.ptr<f32>
  return
}

// -----

func.func @unknown_scope(%p: !tile.ptr<f32>, %x: f32) {
  // expected-error @+1 {{unknown Scope 'warp'}}
  %0 = tile.atomic_rmw fadd, %p, %x ordering = relaxed scope = warp : !tile.ptr<f32>
  return
}

// -----

func.func @float_update_of_integers(%p: !tile.ptr<i32>, %x: i32) {
  // expected-error @+1 {{`fadd` combines f16, bf16, f32 or f64, not 'i32'}}
  %0 = tile.atomic_rmw fadd, %p, %x ordering = relaxed scope = gpu : !tile.ptr<i32>
  return
}

// -----

func.func @maximum_of_integers(%p: tensor<8x!tile.ptr<i32>>, %x: tensor<8xi32>) {
  // expected-error @+1 {{`fmax` combines f16, bf16, f32 or f64, not 'i32'}}
  %0 = tile.atomic_rmw fmax, %p, %x ordering = relaxed scope = gpu : tensor<8x!tile.ptr<i32>>
  return
}

// -----

func.func @narrow_exchange(%p: !tile.ptr<i8>, %x: i8) {
  // expected-error @+1 {{`xchg` combines i32, i64, f32 or f64, not 'i8'}}
  %0 = tile.atomic_rmw xchg, %p, %x ordering = relaxed scope = gpu : !tile.ptr<i8>
  return
}

// -----

func.func @narrow_addition(%p: !tile.ptr<i16>, %x: i16) {
  // expected-error @+1 {{`add` combines i32 or i64, not 'i16'}}
  %0 = tile.atomic_rmw add, %p, %x ordering = relaxed scope = gpu : !tile.ptr<i16>
  return
}

// -----

func.func @type_of_atomic(%p: !tile.ptr<f32>, %x: f64) {
  // expected-error @+1 {{the value has the pointed-to type}}
  %0 = "tile.atomic_rmw"(%p, %x) {update = #tile.update<fadd>, ordering = #tile.ordering<relaxed>, scope = #tile.scope<gpu>} : (!tile.ptr<f32>, f64) -> f32
  return
}

// -----

func.func @narrow_cas(%p: !tile.ptr<i8>, %x: i8) {
  // expected-error @+1 {{compares elements of 16, 32 or 64 bits, not 'i8'}}
  %0 = tile.atomic_cas %p, %x, %x ordering = relaxed scope = gpu : !tile.ptr<i8>
  return
}

// -----

func.func @type_of_cas(%p: !tile.ptr<i32>, %x: i64) {
  // expected-error @+1 {{the compared value has the pointed-to type}}
  %0 = "tile.atomic_cas"(%p, %x, %x) {ordering = #tile.ordering<relaxed>, scope = #tile.scope<gpu>} : (!tile.ptr<i32>, i64, i64) -> i32
  return
}
