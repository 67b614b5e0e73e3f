// SPDX-License-Identifier: MIT
// Kernels that stay one program because of what is copied: from where, to which descriptor, of which elements, and when.
// RUN: tile-opt %s --tile-gpu-plan=target=sm_90a --tile-gpu-specialize-warps=target=sm_90a -split-input-file | FileCheck %s
// RUN: tile-opt %s --tile-gpu-plan=target=sm_90a --tile-gpu-loop-over-programs -split-input-file | FileCheck %s
// RUN: tile-opt %s --tile-gpu-plan="target=sm_90a remarks=true" --tile-gpu-specialize-warps="target=sm_90a remarks=true" -split-input-file 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// What is said of each, in turn.
// REMARK: remark: this kernel gets no roles of warps: the copy engine cannot copy this block: base, extents and strides must come from kernel arguments, or be promised by assume_divisible and assume_range, and the block must begin at a multiple of 16 bytes of its row
// REMARK: remark: this kernel gets no roles of warps: which block is loaded depends on this access to memory, which would happen twice; use program_id and num_programs instead
// REMARK: remark: this kernel gets no roles of warps: which block is loaded depends on this, which one thread cannot compute; compute it from scalars
// REMARK: remark: this kernel gets no roles of warps: the copy engine cannot copy this block: base, extents and strides must come from kernel arguments, or be promised by assume_divisible and assume_range, and the block must begin at a multiple of 16 bytes of its row
// REMARK: remark: this kernel gets no roles of warps: the copy engine cannot copy this block: base, extents and strides must come from kernel arguments, or be promised by assume_divisible and assume_range, and the block must begin at a multiple of 16 bytes of its row
// REMARK: remark: this kernel gets no roles of warps: the copy engine cannot copy this block: base, extents and strides must come from kernel arguments, or be promised by assume_divisible and assume_range, and the block must begin at a multiple of 16 bytes of its row
// REMARK: remark: this kernel gets no roles of warps: the copy engine cannot copy this block: base, extents and strides must come from kernel arguments, or be promised by assume_divisible and assume_range, and the block must begin at a multiple of 16 bytes of its row
// REMARK: remark: this kernel gets no roles of warps: the product is inside a loop of this kind; use `for (auto i : range(...))` and TILE_IF instead
// REMARK: remark: this kernel gets no roles of warps: the copy engine cannot copy this block: base, extents and strides must come from kernel arguments, or be promised by assume_divisible and assume_range, and the block must begin at a multiple of 16 bytes of its row
// REMARK: remark: this kernel gets no roles of warps: no matrix unit reads tiles of these element types, shapes and orders from shared memory; docs/performance-guide.md lists those that fit
// REMARK: remark: this kernel gets no roles of warps: blocks would be copied before this, and it may change them; if the pointers point into different buffers, promise it by `assume_apart(c, a, b)`, and if the iterations of the loop are independent, write `range(...).specialize_warps()`
// REMARK: remark: this kernel gets no roles of warps: blocks would be copied before this, and it may change them; if the pointers point into different buffers, promise it by `assume_apart(c, a, b)`, and if the iterations of the loop are independent, write `range(...).specialize_warps()`
// REMARK: remark: this kernel gets no roles of warps: blocks would be copied before this, and others may change them until here; if the iterations of the loop are independent, write `range(...).specialize_warps()`
// REMARK: remark: this kernel gets no roles of warps: blocks would be copied before this, and it may change them; if the pointers point into different buffers, promise it by `assume_apart(c, a, b)`, and if the iterations of the loop are independent, write `range(...).specialize_warps()`
// REMARK: remark: this kernel gets no roles of warps: the copy engine cannot copy this block: base, extents and strides must come from kernel arguments, or be promised by assume_divisible and assume_range, and the block must begin at a multiple of 16 bytes of its row
// REMARK: remark: this kernel gets no roles of warps: no matrix unit reads tiles of these element types, shapes and orders from shared memory; docs/performance-guide.md lists those that fit
// REMARK: remark: this kernel gets no roles of warps: the copy engine cannot copy this block: base, extents and strides must come from kernel arguments, or be promised by assume_divisible and assume_range, and the block must begin at a multiple of 16 bytes of its row
// REMARK: remark: this kernel gets no roles of warps: the copy engine cannot copy this block: base, extents and strides must come from kernel arguments, or be promised by assume_divisible and assume_range, and the block must begin at a multiple of 16 bytes of its row
// CHECK-NOT: tile_gpu.

// Coordinates of which nothing is known: boxes begin at multiples of 16 bytes.
// CHECK-LABEL: func.func @loaded_coordinate(
// CHECK-NOT: tile_gpu.
func.func @loaded_coordinate(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %n: i64, %k: i64, %steps: i32, %pi: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %p = tile.addptr %pi, %i : !tile.ptr<i32>, i32
    %from = tile.load %p : !tile.ptr<i32>
    %x = tile.descriptor_load %a[%zero, %from] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %sum : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}

// -----

// Bounds that are loaded once and not by both sides, and coordinates that come from tiles.
// CHECK-LABEL: func.func @loaded_bound(
// CHECK-NOT: tile_gpu.
func.func @loaded_bound(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %n: i64, %k: i64, %steps: i32, %pi: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  %count = tile.load %pi volatile : !tile.ptr<i32>
  %sum = scf.for %i = %zero to %count step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %from] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %sum : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}

// -----

// CHECK-LABEL: func.func @reduced_coordinate(
// CHECK-NOT: tile_gpu.
func.func @reduced_coordinate(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %n: i64, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  %r = tile.arange 0 to 64 : tensor<64xi32>
  %far = tile.reduce (%r) axis = 0 : (tensor<64xi32>) -> i32 {
  ^bb0(%p: i32, %q: i32):
    %add = arith.addi %p, %q : i32
    tile.yield %add : i32
  }
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%far, %from] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %sum : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}

// -----

// Descriptors that no launcher can make: of a part of an argument, of a loaded address, of a computed extent, of rows that
// are not contiguous, and one that a branch chooses.
// CHECK-LABEL: func.func @moved_base(
// CHECK-NOT: tile_gpu.
func.func @moved_base(%p0: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %n: i64, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %pa = tile.addptr %p0, %k : !tile.ptr<f16>, i64
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %from] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %sum : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}

// -----

// CHECK-LABEL: func.func @loaded_base(
// CHECK-NOT: tile_gpu.
func.func @loaded_base(%p0: !tile.ptr<!tile.ptr<f16>>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %n: i64, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %pa = tile.load %p0 : !tile.ptr<!tile.ptr<f16>>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %from] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %sum : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}

// -----

// The launcher computes sums and products, but no such bits.
// CHECK-LABEL: func.func @computed_extent(
// CHECK-NOT: tile_gpu.
func.func @computed_extent(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %n: i64, %k0: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %k = arith.xori %k0, %unit : i64
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %from] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %sum : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}

// -----

// CHECK-LABEL: func.func @chosen(
// CHECK-NOT: tile_gpu.
func.func @chosen(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %n: i64, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %a0 = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  %is = arith.cmpi slt, %steps, %block : i32
  %a = scf.if %is -> !tile.desc<128x64xf16> {
    scf.yield %a0 : !tile.desc<128x64xf16>
  } else {
    %a1 = tile.make_descriptor %pb, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
    scf.yield %a1 : !tile.desc<128x64xf16>
  }
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %from] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %sum : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}

// -----

// Around a ring there are loops of a known number and branches.
// CHECK-LABEL: func.func @while_around(
// CHECK-NOT: tile_gpu.
func.func @while_around(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %n: i64, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  %sum, %end = scf.while (%acc = %none, %i = %zero) : (tensor<128x128xf32>, i32) -> (tensor<128x128xf32>, i32) {
    %more = arith.cmpi slt, %i, %steps : i32
    scf.condition(%more) %acc, %i : tensor<128x128xf32>, i32
  } do {
  ^bb0(%acc: tensor<128x128xf32>, %i: i32):
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %from] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    %next = arith.addi %i, %one : i32
    scf.yield %d, %next : tensor<128x128xf32>, i32
  }
  tile.descriptor_store %c[%zero, %zero], %sum : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}

// -----

// Rows of a tile that no box has: 16 bytes.
// CHECK-LABEL: func.func @narrow_rows(
// CHECK-NOT: tile_gpu.
func.func @narrow_rows(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %n: i64, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x8xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x8xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<128x8xf32>
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<128x8xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %from] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x8xf16> -> tensor<64x8xf16>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x8xf16>, tensor<128x8xf32>
    scf.yield %d : tensor<128x8xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %sum : !tile.desc<128x8xf32>, tensor<128x8xf32>
  return
}

// -----

// Bytes are multiplied along K alone.
// CHECK-LABEL: func.func @bytes_along_n(
// CHECK-NOT: tile_gpu.
func.func @bytes_along_n(%pa: !tile.ptr<f8E4M3FN>, %pb: !tile.ptr<f8E4M3FN>, %pc: !tile.ptr<f32>, %m: i64, %n: i64, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f8E4M3FN> -> !tile.desc<128x64xf8E4M3FN>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f8E4M3FN> -> !tile.desc<64x128xf8E4M3FN>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %from] : !tile.desc<128x64xf8E4M3FN> -> tensor<128x64xf8E4M3FN>
    %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf8E4M3FN>, tensor<64x128xf8E4M3FN>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %sum : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}

// -----

// What a program has stored, and what it has waited for others to store, is not copied ahead of that: a store before the
// loop, one in a loop around it, a barrier, an atomic.
// CHECK-LABEL: func.func @stored_before(
// CHECK-NOT: tile_gpu.
func.func @stored_before(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %n: i64, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  tile.descriptor_store %c[%zero, %zero], %none : !tile.desc<128x128xf32>, tensor<128x128xf32>
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %from] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %sum : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}

// -----

// CHECK-LABEL: func.func @stored_in_a_loop(
// CHECK-NOT: tile_gpu.
func.func @stored_in_a_loop(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %n: i64, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  scf.for %j = %zero to %steps step %one : i32 {
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %from] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %sum : !tile.desc<128x128xf32>, tensor<128x128xf32>
  }
  return
}

// -----

// CHECK-LABEL: func.func @barrier_before(
// CHECK-NOT: tile_gpu.
func.func @barrier_before(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %n: i64, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  tile.barrier
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %from] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %sum : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}

// -----

// CHECK-LABEL: func.func @atomic_before(
// CHECK-NOT: tile_gpu.
func.func @atomic_before(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %n: i64, %k: i64, %steps: i32, %pi: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  %old = tile.atomic_rmw add, %pi, %one ordering = acquire scope = gpu : !tile.ptr<i32>
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %from] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %sum : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}

// -----

// Boxes begin at multiples of 16 bytes of a row: here at any element.
// CHECK-LABEL: func.func @any_column(
// CHECK-NOT: tile_gpu.
func.func @any_column(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %n: i64, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %from = arith.addi %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %from] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %sum : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}


// -----

// Sums of f16 are sums of f32, rounded once.
// CHECK-LABEL: func.func @sums_of_f16(
// CHECK-NOT: tile_gpu.
func.func @sums_of_f16(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f16>, %m: i64, %n: i64, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf16>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<128x128xf16>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %from] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf16>
    scf.yield %d : tensor<128x128xf16>
  }
  tile.descriptor_store %c[%zero, %zero], %sum : !tile.desc<128x128xf16>, tensor<128x128xf16>
  return
}


// -----

// The engine knows no NaN of 8 bits.
// CHECK-LABEL: func.func @bytes_of_nan(
// CHECK-NOT: tile_gpu.
func.func @bytes_of_nan(%pa: !tile.ptr<f8E4M3FN>, %pb: !tile.ptr<f8E4M3FN>, %pc: !tile.ptr<f32>, %m: i64, %n: i64, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] padding = nan : !tile.ptr<f8E4M3FN> -> !tile.desc<128x64xf8E4M3FN>
  %b = tile.make_descriptor %pb, [%n, %k], [%k, %unit] : !tile.ptr<f8E4M3FN> -> !tile.desc<128x64xf8E4M3FN>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %from] : !tile.desc<128x64xf8E4M3FN> -> tensor<128x64xf8E4M3FN>
    %z = tile.descriptor_load %b[%zero, %from] : !tile.desc<128x64xf8E4M3FN> -> tensor<128x64xf8E4M3FN>
    %y = tile.permute %z [1, 0] : tensor<128x64xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf8E4M3FN>, tensor<64x128xf8E4M3FN>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %sum : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}

// -----

// Extents that come in 16 bits: no launcher reads those for a tensor map.
// CHECK-LABEL: func.func @narrow_argument(
// CHECK-NOT: tile_gpu.
func.func @narrow_argument(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %n: i64, %k16: i16, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %k = arith.extsi %k16 : i16 to i64
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %from] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %sum : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}
