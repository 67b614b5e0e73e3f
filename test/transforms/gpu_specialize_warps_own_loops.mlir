// SPDX-License-Identifier: MIT
// Loops whose iterations are promised to be apart, and tensors that the program describes.
// RUN: tile-opt %s --tile-gpu-plan=target=sm_90a --tile-gpu-specialize-warps=target=sm_90a -split-input-file | FileCheck %s
// RUN: tile-opt %s --tile-gpu-plan="target=sm_90a remarks=true" --tile-gpu-specialize-warps="target=sm_90a remarks=true" -split-input-file 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// What is said of each, in turn.
// REMARK: remark: multiplied from shared memory by 4 warps; another role copies the blocks ahead, into 3 slots of 16 KiB
// REMARK: remark: this kernel gets no roles of warps: blocks would be copied before this, and it may change them; if the pointers point into different buffers, promise it by `assume_apart(c, a, b)`, and if the iterations of the loop are independent, write `range(...).specialize_warps()`
// REMARK: remark: multiplied from shared memory by 4 warps; another role copies the blocks ahead, into 3 slots of 16 KiB
// REMARK: remark: this kernel gets no roles of warps: the copy engine cannot copy this block: base, extents and strides must come from kernel arguments, or be promised by assume_divisible and assume_range, and the block must begin at a multiple of 16 bytes of its row

// What the loop stores, later copies do not wait for.
// CHECK-LABEL: func.func @promised(
// CHECK: tile_gpu.roles
// CHECK: scf.for
// CHECK: tile_gpu.copy_box
// CHECK: } {tile.specialize_warps}
// CHECK: warps 4
// CHECK: scf.for
// CHECK: tile_gpu.store_box
// CHECK: } {tile.specialize_warps}
func.func @promised(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %m: i64, %n: i64 {tile.divisibility = 16 : i32}, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  scf.for %i = %zero to %steps step %one : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%from, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %y = tile.descriptor_load %b[%zero, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %x, %y, %none : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %r = tile.fp_cast %d : tensor<64x64xf32> -> tensor<64x64xf16>
    tile.descriptor_store %c[%from, %zero], %r : !tile.desc<64x64xf16>, tensor<64x64xf16>
  } {tile.specialize_warps}
  return
}

// -----

// CHECK-LABEL: func.func @not_promised(
// CHECK-NOT: tile_gpu.
func.func @not_promised(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %m: i64, %n: i64 {tile.divisibility = 16 : i32}, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  scf.for %i = %zero to %steps step %one : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%from, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %y = tile.descriptor_load %b[%zero, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %x, %y, %none : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %r = tile.fp_cast %d : tensor<64x64xf32> -> tensor<64x64xf16>
    tile.descriptor_store %c[%from, %zero], %r : !tile.desc<64x64xf16>, tensor<64x64xf16>
  }
  return
}

// -----

// Bases are loaded, and so are extents: the producer loads them, waits for its copies, makes the maps of the operands;
// the others make that of the result, when its last stores are over.
// CHECK-LABEL: func.func @described(
// CHECK-DAG: %[[LIKE_A:.*]] = tile_gpu.tensor_map of 0 extents [0, 0] strides [0] box [64, 64] of f16 swizzle 128 : !llvm.ptr
// CHECK-DAG: %[[MEMORY:.*]] = tile_gpu.workspace 256 : <1>
// CHECK-DAG: %[[B:.*]] = tile_gpu.tensor_map of 1 extents [#tile_gpu.argument<3>, 64] strides [64] box [64, 64] of f16 swizzle 128 : !llvm.ptr
// CHECK-DAG: %[[LIKE_C:.*]] = tile_gpu.tensor_map of 0 extents [0, 0] strides [0] box [64, 64] of f16 swizzle 128 written : !llvm.ptr
// CHECK: tile_gpu.roles
// CHECK: scf.for
// CHECK: %[[ROWS:.*]] = tile.load
// CHECK: tile.load
// CHECK: tile_gpu.await_copies %{{.*}}[%[[AT:.*]]] :
// CHECK-NEXT: %[[A:.*]] = tile_gpu.device_map of %{{.*}} extents[%{{.*}}, %{{.*}}] strides[%{{.*}}] like %[[LIKE_A]] in %[[MEMORY]] at 0 :
// CHECK: tile_gpu.acquire %{{.*}}[%[[AT]]]
// CHECK-NEXT: tile_gpu.copy_box %[[A]][
// CHECK-NEXT: tile_gpu.copy_box %[[B]][
// CHECK: warps 4
// CHECK: tile.dot
// CHECK: tile_gpu.await_stores
// CHECK-NEXT: %[[C:.*]] = tile_gpu.device_map of %{{.*}} extents[%{{.*}}, %{{.*}}] strides[%{{.*}}] like %[[LIKE_C]] in %[[MEMORY]] at 128 :
// CHECK-NEXT: tile_gpu.store_box %{{.*}} to %[[C]][
func.func @described(%pa: !tile.ptr<!tile.ptr<f16>>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<!tile.ptr<f16>>, %k: i64, %rows: !tile.ptr<i32>, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %width = arith.constant 64 : i64
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %b = tile.make_descriptor %pb, [%k, %width], [%width, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  scf.for %i = %zero to %steps step %one : i32 {
    %at = tile.addptr %rows, %i : !tile.ptr<i32>, i32
    %read = tile.load %at : !tile.ptr<i32>
    %narrow = tile.assume %read {divisible = 8 : i64, range = array<i64: 0, 1000>} : i32
    %m = arith.extsi %narrow : i32 to i64
    %qa = tile.addptr %pa, %i : !tile.ptr<!tile.ptr<f16>>, i32
    %ra = tile.load %qa : !tile.ptr<!tile.ptr<f16>>
    %sa = tile.assume %ra {divisible = 16 : i64} : !tile.ptr<f16>
    %a = tile.make_descriptor %sa, [%m, %m], [%width, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
    %x = tile.descriptor_load %a[%zero, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %y = tile.descriptor_load %b[%zero, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %x, %y, %none : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %r = tile.fp_cast %d : tensor<64x64xf32> -> tensor<64x64xf16>
    %qc = tile.addptr %pc, %i : !tile.ptr<!tile.ptr<f16>>, i32
    %rc = tile.load %qc : !tile.ptr<!tile.ptr<f16>>
    %sc = tile.assume %rc {divisible = 16 : i64} : !tile.ptr<f16>
    %c = tile.make_descriptor %sc, [%m, %m], [%width, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
    tile.descriptor_store %c[%zero, %zero], %r : !tile.desc<64x64xf16>, tensor<64x64xf16>
  } {tile.specialize_warps}
  return
}

// -----

// What nobody promises of a tensor's base would be checked by one role.
// CHECK-LABEL: func.func @unaligned(
// CHECK-NOT: tile_gpu.
func.func @unaligned(%pa: !tile.ptr<!tile.ptr<f16>>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %width = arith.constant 64 : i64
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %b = tile.make_descriptor %pb, [%k, %width], [%width, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %c = tile.make_descriptor %pc, [%width, %width], [%width, %unit] : !tile.ptr<f32> -> !tile.desc<64x64xf32>
  %ra = tile.load %pa : !tile.ptr<!tile.ptr<f16>>
  %a = tile.make_descriptor %ra, [%width, %width], [%width, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %x = tile.descriptor_load %a[%zero, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %y = tile.descriptor_load %b[%zero, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %d = tile.dot %x, %y, %none : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.descriptor_store %c[%zero, %zero], %d : !tile.desc<64x64xf32>, tensor<64x64xf32>
  return
}
