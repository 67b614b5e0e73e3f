// SPDX-License-Identifier: MIT
// Products out of shared memory: one wgmma for each 64 rows and each step of K; which rows and columns a group has.
// RUN: tile-opt %s -split-input-file --tile-gpu-plan=target=sm_90a --tile-gpu-specialize-warps=target=sm_90a --tile-descriptors-to-pointers --tile-widen-products=target=sm_90a --tile-assign-layouts=target=sm_90a --cse --canonicalize --tile-gpu-distribute --canonicalize --cse | FileCheck %s

// A by rows, B by columns of K: blocks of 8 rows are 1024 bytes apart, B's panels of 64 columns 8192. A step of K is 32
// bytes of a row of A and 16 rows of B. Group 1 has rows 64 to 127 of A: 8192 bytes on.
// CHECK-LABEL: func.func @nn(
// CHECK: %[[WARP:.*]] = nvvm.shfl.sync
// CHECK: %[[ON:.*]] = arith.muli %{{.*}}, %c8192_i32
// CHECK: %[[ADDRESS:.*]] = llvm.ptrtoint
// CHECK: %[[OWN:.*]] = arith.addi %[[ADDRESS]], %[[ON]]
// CHECK: %[[LOW:.*]] = arith.andi %[[OWN]], %c262143
// CHECK: %[[UNITS:.*]] = arith.shrui %[[LOW]], %c4_i32
// CHECK: %[[ALOW:.*]] = arith.ori %[[UNITS]], %c65536_i32
// CHECK: %[[BLOW:.*]] = arith.ori %{{.*}}, %c33554432_i32
// CHECK: nvvm.wgmma.fence.aligned
// CHECK: %[[AW:.*]] = arith.extui %[[ALOW]]
// CHECK: %[[A:.*]] = arith.ori %[[AW]], %c4611686293305294848_i64
// CHECK: %[[BW:.*]] = arith.extui %[[BLOW]]
// CHECK: %[[B:.*]] = arith.ori %[[BW]], %c4611686293305294848_i64
// CHECK: %[[D0:.*]] = tile_gpu.ptx_wgmma[%[[A]]] * %[[B]] onto %{{.*}} {n = 128 : i32, transpose_b, type_a = f16, type_b = f16}
// CHECK: %[[A1LOW:.*]] = arith.addi %[[ALOW]], %c2_i32
// CHECK: %[[A1W:.*]] = arith.extui %[[A1LOW]]
// CHECK: %[[A1:.*]] = arith.ori %[[A1W]]
// CHECK: %[[B1LOW:.*]] = arith.addi %[[BLOW]], %c128_i32
// CHECK: %[[B1W:.*]] = arith.extui %[[B1LOW]]
// CHECK: %[[B1:.*]] = arith.ori %[[B1W]]
// CHECK: %[[D1:.*]] = tile_gpu.ptx_wgmma[%[[A1]]] * %[[B1]] onto %[[D0]] {n = 128 : i32, transpose_b,
// CHECK: %[[A2LOW:.*]] = arith.addi %[[ALOW]], %c4_i32
// CHECK: %[[A2W:.*]] = arith.extui %[[A2LOW]]
// CHECK: %[[A2:.*]] = arith.ori %[[A2W]]
// CHECK: %[[B2LOW:.*]] = arith.addi %[[BLOW]], %c256_i32
// CHECK: %[[B2W:.*]] = arith.extui %[[B2LOW]]
// CHECK: %[[B2:.*]] = arith.ori %[[B2W]]
// CHECK: %[[D2:.*]] = tile_gpu.ptx_wgmma[%[[A2]]] * %[[B2]] onto %[[D1]] {n = 128 : i32, transpose_b,
// CHECK: %[[A3LOW:.*]] = arith.addi %[[ALOW]], %c6_i32
// CHECK: %[[A3W:.*]] = arith.extui %[[A3LOW]]
// CHECK: %[[A3:.*]] = arith.ori %[[A3W]]
// CHECK: %[[B3LOW:.*]] = arith.addi %[[BLOW]], %c384_i32
// CHECK: %[[B3W:.*]] = arith.extui %[[B3LOW]]
// CHECK: %[[B3:.*]] = arith.ori %[[B3W]]
// CHECK: %[[D3:.*]] = tile_gpu.ptx_wgmma[%[[A3]]] * %[[B3]] onto %[[D2]] {n = 128 : i32, transpose_b,
// CHECK-NEXT: nvvm.wgmma.commit.group.sync.aligned
// CHECK-NEXT: tile_gpu.ptx_wgmma_wait 0 for %[[D3]]
// CHECK: nvvm.mbarrier.arrive
func.func @nn(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64, %n: i64 {tile.divisibility = 16 : i32}, %k: i64) attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  %x = tile.descriptor_load %a[%zero, %zero] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
  %y = tile.descriptor_load %b[%zero, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
  %d = tile.dot %x, %y, %none : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
  tile.descriptor_store %c[%zero, %zero], %d : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}

// -----

// Both transposed: A's panels of 64 rows are a group's own, B lies along K.
// CHECK-LABEL: func.func @tt(
// CHECK: arith.muli %{{.*}}, %c8192_i32
// CHECK: %[[ALOW:.*]] = arith.ori %{{.*}}, %c33554432_i32
// CHECK: %[[BLOW:.*]] = arith.ori %{{.*}}, %c65536_i32
// CHECK: %[[AW:.*]] = arith.extui %[[ALOW]]
// CHECK: %[[A:.*]] = arith.ori %[[AW]], %c4611686293305294848_i64
// CHECK: %[[BW:.*]] = arith.extui %[[BLOW]]
// CHECK: %[[B:.*]] = arith.ori %[[BW]], %c4611686293305294848_i64
// CHECK: tile_gpu.ptx_wgmma[%[[A]]] * %[[B]] onto %{{.*}} {n = 128 : i32, transpose_a, type_a = f16
// CHECK: %[[A1LOW:.*]] = arith.addi %[[ALOW]], %c128_i32
// CHECK: %[[A1W:.*]] = arith.extui %[[A1LOW]]
// CHECK: %[[A1:.*]] = arith.ori %[[A1W]]
// CHECK: %[[B1LOW:.*]] = arith.addi %[[BLOW]], %c2_i32
// CHECK: %[[B1W:.*]] = arith.extui %[[B1LOW]]
// CHECK: %[[B1:.*]] = arith.ori %[[B1W]]
// CHECK: tile_gpu.ptx_wgmma[%[[A1]]] * %[[B1]]
func.func @tt(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64, %n: i64 {tile.divisibility = 16 : i32}, %k: i64) attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  %x = tile.descriptor_load %a[%zero, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
  %y = tile.descriptor_load %b[%zero, %zero] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
  %xt = tile.permute %x [1, 0] : tensor<64x128xf16> -> tensor<128x64xf16>
  %yt = tile.permute %y [1, 0] : tensor<128x64xf16> -> tensor<64x128xf16>
  %d = tile.dot %xt, %yt, %none : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
  tile.descriptor_store %c[%zero, %zero], %d : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}

// -----

// 128 rows of K in two panels of 64: the fifth step begins in the second one. 96 columns are three panels of 32.
// CHECK-LABEL: func.func @odd(
// CHECK: %[[ALOW:.*]] = arith.ori %{{.*}}, %c65536_i32
// CHECK: %[[BLOW:.*]] = arith.ori %{{.*}}, %c33554432_i32
// CHECK-COUNT-4: tile_gpu.ptx_wgmma[{{.*}} {n = 96 : i32, transpose_b
// CHECK: %[[A4LOW:.*]] = arith.addi %[[ALOW]], %c512_i32
// CHECK: %[[A4W:.*]] = arith.extui %[[A4LOW]]
// CHECK: %[[A4:.*]] = arith.ori %[[A4W]]
// CHECK: %[[B4LOW:.*]] = arith.addi %[[BLOW]], %c256_i32
// CHECK: %[[B4W:.*]] = arith.extui %[[B4LOW]]
// CHECK: %[[B4:.*]] = arith.ori %[[B4W]]
// CHECK: tile_gpu.ptx_wgmma[%[[A4]]] * %[[B4]]
// CHECK-COUNT-3: tile_gpu.ptx_wgmma[
// CHECK-NOT: tile_gpu.ptx_wgmma[
func.func @odd(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64, %n: i64 {tile.divisibility = 16 : i32}, %k: i64) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %none = arith.constant dense<0.000000e+00> : tensor<64x96xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<128x96xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<64x96xf32>
  %x = tile.descriptor_load %a[%zero, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
  %y = tile.descriptor_load %b[%zero, %zero] : !tile.desc<128x96xf16> -> tensor<128x96xf16>
  %d = tile.dot %x, %y, %none : tensor<64x128xf16>, tensor<128x96xf16>, tensor<64x96xf32>
  tile.descriptor_store %c[%zero, %zero], %d : !tile.desc<64x96xf32>, tensor<64x96xf32>
  return
}

// -----

// Columns along K and two panels of it: 32 columns follow each other within a panel, then the next 32 of both. No descriptor
// reaches past that: three instructions of 32 columns each.
// CHECK-LABEL: func.func @out_of_reach(
// CHECK: nvvm.wgmma.fence.aligned
// CHECK-COUNT-24: tile_gpu.ptx_wgmma[{{.*}} {n = 32 : i32, type_a = f16
// CHECK-NOT: tile_gpu.ptx_wgmma[
// CHECK: tile_gpu.ptx_wgmma_wait 0 for %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}} :
func.func @out_of_reach(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64, %n: i64 {tile.divisibility = 16 : i32}, %k: i64) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %none = arith.constant dense<0.000000e+00> : tensor<64x96xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<96x128xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<64x96xf32>
  %x = tile.descriptor_load %a[%zero, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
  %y = tile.descriptor_load %b[%zero, %zero] : !tile.desc<96x128xf16> -> tensor<96x128xf16>
  %yt = tile.permute %y [1, 0] : tensor<96x128xf16> -> tensor<128x96xf16>
  %d = tile.dot %x, %yt, %none : tensor<64x128xf16>, tensor<128x96xf16>, tensor<64x96xf32>
  tile.descriptor_store %c[%zero, %zero], %d : !tile.desc<64x96xf32>, tensor<64x96xf32>
  return
}

// -----

// Four groups beside each other: 64 columns each, panels of B.
// CHECK-LABEL: func.func @beside(
// CHECK: %[[ALOW:.*]] = arith.ori %{{.*}}, %c65536_i32
// CHECK: %[[ONE:.*]] = arith.muli %{{.*}}, %c4096_i32
// CHECK: %[[TWO:.*]] = arith.muli %{{.*}}, %c8192_i32
// CHECK: %[[BOTH:.*]] = arith.addi %[[ONE]], %[[TWO]]
// CHECK: arith.addi %{{.*}}, %[[BOTH]]
// CHECK-COUNT-2: tile_gpu.ptx_wgmma[{{.*}} {n = 64 : i32, transpose_b
// CHECK-NOT: tile_gpu.ptx_wgmma[
func.func @beside(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64, %n: i64 {tile.divisibility = 16 : i32}, %k: i64) attributes {tile.kernel, tile.num_warps = 16 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %none = arith.constant dense<0.000000e+00> : tensor<64x256xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<64x32xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<32x256xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<64x256xf32>
  %x = tile.descriptor_load %a[%zero, %zero] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
  %y = tile.descriptor_load %b[%zero, %zero] : !tile.desc<32x256xf16> -> tensor<32x256xf16>
  %d = tile.dot %x, %y, %none : tensor<64x32xf16>, tensor<32x256xf16>, tensor<64x256xf32>
  tile.descriptor_store %c[%zero, %zero], %d : !tile.desc<64x256xf32>, tensor<64x256xf32>
  return
}

// -----

// A group with 128 rows: two instructions a step, on accumulators of their own.
// CHECK-LABEL: func.func @rows(
// CHECK: %[[ALOW:.*]] = arith.ori %{{.*}}, %c65536_i32
// CHECK: %[[AW:.*]] = arith.extui %[[ALOW]]
// CHECK: %[[A:.*]] = arith.ori %[[AW]], %c-9223371899415822336_i64
// CHECK: %[[UP:.*]] = tile_gpu.ptx_wgmma[%[[A]]] * %[[B:.*]] onto
// CHECK: %[[A1LOW:.*]] = arith.addi %[[ALOW]], %c256_i32
// CHECK: %[[A1W:.*]] = arith.extui %[[A1LOW]]
// CHECK: %[[A1:.*]] = arith.ori %[[A1W]]
// CHECK: %[[DOWN:.*]] = tile_gpu.ptx_wgmma[%[[A1]]] * %[[B]] onto
// CHECK: %[[UP1:.*]] = tile_gpu.ptx_wgmma[{{.*}} onto %[[UP]]
// CHECK: %[[DOWN1:.*]] = tile_gpu.ptx_wgmma[{{.*}} onto %[[DOWN]]
// CHECK: tile_gpu.ptx_wgmma_wait 0 for %[[UP1]], %[[DOWN1]]
func.func @rows(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64, %n: i64 {tile.divisibility = 16 : i32}, %k: i64) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %none = arith.constant dense<0.000000e+00> : tensor<128x64xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x32xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<32x64xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<128x64xf32>
  %x = tile.descriptor_load %a[%zero, %zero] : !tile.desc<128x32xf16> -> tensor<128x32xf16>
  %y = tile.descriptor_load %b[%zero, %zero] : !tile.desc<32x64xf16> -> tensor<32x64xf16>
  %d = tile.dot %x, %y, %none : tensor<128x32xf16>, tensor<32x64xf16>, tensor<128x64xf32>
  tile.descriptor_store %c[%zero, %zero], %d : !tile.desc<128x64xf32>, tensor<128x64xf32>
  return
}

// -----

// Bytes: a step of K is 32 of them.
// CHECK-LABEL: func.func @bytes(
// CHECK: %[[ALOW:.*]] = arith.ori %{{.*}}, %c65536_i32
// CHECK: %[[BLOW:.*]] = arith.ori %{{.*}}, %c65536_i32
// CHECK: %[[AW:.*]] = arith.extui %[[ALOW]]
// CHECK: %[[A:.*]] = arith.ori %[[AW]], %c-9223371899415822336_i64
// CHECK: %[[BW:.*]] = arith.extui %[[BLOW]]
// CHECK: %[[B:.*]] = arith.ori %[[BW]], %c-9223371899415822336_i64
// CHECK: tile_gpu.ptx_wgmma[%[[A]]] * %[[B]] onto %{{.*}} {n = 32 : i32, type_a = f8E4M3FN, type_b = f8E4M3FN}
// CHECK: %[[A1LOW:.*]] = arith.addi %[[ALOW]], %c2_i32
// CHECK: %[[A1W:.*]] = arith.extui %[[A1LOW]]
// CHECK: %[[A1:.*]] = arith.ori %[[A1W]]
// CHECK: %[[B1LOW:.*]] = arith.addi %[[BLOW]], %c2_i32
// CHECK: %[[B1W:.*]] = arith.extui %[[B1LOW]]
// CHECK: %[[B1:.*]] = arith.ori %[[B1W]]
// CHECK: tile_gpu.ptx_wgmma[%[[A1]]] * %[[B1]]
// CHECK-NEXT: nvvm.wgmma.commit
func.func @bytes(%pa: !tile.ptr<f8E4M3FN> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f8E4M3FN> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64, %n: i64 {tile.divisibility = 16 : i32}, %k: i64) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %none = arith.constant dense<0.000000e+00> : tensor<64x32xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f8E4M3FN> -> !tile.desc<64x64xf8E4M3FN>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f8E4M3FN> -> !tile.desc<32x64xf8E4M3FN>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<64x32xf32>
  %x = tile.descriptor_load %a[%zero, %zero] : !tile.desc<64x64xf8E4M3FN> -> tensor<64x64xf8E4M3FN>
  %y = tile.descriptor_load %b[%zero, %zero] : !tile.desc<32x64xf8E4M3FN> -> tensor<32x64xf8E4M3FN>
  %yt = tile.permute %y [1, 0] : tensor<32x64xf8E4M3FN> -> tensor<64x32xf8E4M3FN>
  %d = tile.dot %x, %yt, %none : tensor<64x64xf8E4M3FN>, tensor<64x32xf8E4M3FN>, tensor<64x32xf32>
  tile.descriptor_store %c[%zero, %zero], %d : !tile.desc<64x32xf32>, tensor<64x32xf32>
  return
}
