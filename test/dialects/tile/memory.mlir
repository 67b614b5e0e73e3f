// SPDX-License-Identifier: MIT
// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s --emit-bytecode | tile-opt | FileCheck %s

// CHECK-LABEL: func.func @pointers(
func.func @pointers(%p: !tile.ptr<f16>, %n: i64, %ps: tensor<128x!tile.ptr<f16>>, %ns: tensor<128xi32>) {
  // CHECK: tile.addptr %{{.*}}, %{{.*}} : !tile.ptr<f16>, i64
  %0 = tile.addptr %p, %n : !tile.ptr<f16>, i64
  // CHECK: tile.addptr %{{.*}}, %{{.*}} unsigned : tensor<128x!tile.ptr<f16>>, tensor<128xi32>
  %1 = tile.addptr %ps, %ns unsigned : tensor<128x!tile.ptr<f16>>, tensor<128xi32>
  // CHECK: tile.ptr_to_int %{{.*}} : !tile.ptr<f16> -> i64
  %2 = tile.ptr_to_int %p : !tile.ptr<f16> -> i64
  // CHECK: tile.int_to_ptr %{{.*}} : i64 -> !tile.ptr<!tile.ptr<i8>>
  %3 = tile.int_to_ptr %n : i64 -> !tile.ptr<!tile.ptr<i8>>
  return
}

// CHECK-LABEL: func.func @loads(
func.func @loads(%p: tensor<128x!tile.ptr<f16>>, %m: tensor<128xi1>, %o: tensor<128xf16>, %q: !tile.ptr<!tile.ptr<i1>>, %c: i1, %r: !tile.ptr<i1>) {
  // CHECK: tile.load %{{[^,]*}} : tensor<128x!tile.ptr<f16>>
  %0 = tile.load %p : tensor<128x!tile.ptr<f16>>
  // CHECK: tile.load %{{[^,]*}}, %{{[^,]*}} : tensor<128x!tile.ptr<f16>>
  %1 = tile.load %p, %m : tensor<128x!tile.ptr<f16>>
  // CHECK: tile.load %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}} cache = ca evict = last volatile : tensor<128x!tile.ptr<f16>>
  %2 = tile.load %p, %m, %o cache = ca evict = last volatile : tensor<128x!tile.ptr<f16>>
  // CHECK: tile.load %{{[^,]*}} cache = cv : !tile.ptr<!tile.ptr<i1>>
  %3 = tile.load %q cache = cv : !tile.ptr<!tile.ptr<i1>>
  // CHECK: tile.load %{{[^,]*}}, %{{[^,]*}} evict = first : !tile.ptr<i1>
  %4 = tile.load %r, %c evict = first : !tile.ptr<i1>
  return
}

// CHECK-LABEL: func.func @stores(
func.func @stores(%p: tensor<128x!tile.ptr<f16>>, %m: tensor<128xi1>, %x: tensor<128xf16>, %q: !tile.ptr<!tile.ptr<i8>>, %y: !tile.ptr<i8>) {
  // CHECK: tile.store %{{[^,]*}}, %{{[^,]*}} : tensor<128x!tile.ptr<f16>>
  tile.store %p, %x : tensor<128x!tile.ptr<f16>>
  // CHECK: tile.store %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}} cache = wt evict = first volatile : tensor<128x!tile.ptr<f16>>
  tile.store %p, %x, %m cache = wt evict = first volatile : tensor<128x!tile.ptr<f16>>
  // CHECK: tile.store %{{[^,]*}}, %{{[^,]*}} : !tile.ptr<!tile.ptr<i8>>
  tile.store %q, %y : !tile.ptr<!tile.ptr<i8>>
  return
}

// CHECK-LABEL: func.func @descriptors(
func.func @descriptors(%p: !tile.ptr<f16>, %m: i64, %k: i64, %one: i64, %i: i32) {
  // CHECK: %[[D:.*]] = tile.make_descriptor %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] padding = nan : <f16> -> <128x64xf16>
  %d = tile.make_descriptor %p, [%m, %k], [%k, %one] padding = nan : <f16> -> <128x64xf16>
  // CHECK: %[[E:.*]] = tile.make_descriptor %{{.*}}, [%{{.*}}], [%{{.*}}] : <f16> -> <64xf16>
  %e = tile.make_descriptor %p, [%m], [%one] : <f16> -> <64xf16>
  // CHECK: %[[F:.*]] = tile.make_descriptor
  %f = tile.make_descriptor %p, [%m, %m, %k], [%k, %k, %one] : <f16> -> <1x16x8xf16>
  // CHECK: %[[X:.*]] = tile.descriptor_load %[[D]][%{{.*}}, %{{.*}}] cache = cg evict = first : <128x64xf16> -> tensor<128x64xf16>
  %x = tile.descriptor_load %d[%i, %i] cache = cg evict = first : <128x64xf16> -> tensor<128x64xf16>
  // CHECK: tile.descriptor_load %[[F]][%{{.*}}, %{{.*}}, %{{.*}}] : <1x16x8xf16> -> tensor<16x8xf16>
  %y = tile.descriptor_load %f[%i, %i, %i] : <1x16x8xf16> -> tensor<16x8xf16>
  // CHECK: tile.descriptor_store %[[D]][%{{.*}}, %{{.*}}], %[[X]] : <128x64xf16>, tensor<128x64xf16>
  tile.descriptor_store %d[%i, %i], %x : <128x64xf16>, tensor<128x64xf16>
  // CHECK: tile.descriptor_reduce fadd, %[[D]][%{{.*}}, %{{.*}}], %[[X]] : <128x64xf16>, tensor<128x64xf16>
  tile.descriptor_reduce fadd, %d[%i, %i], %x : <128x64xf16>, tensor<128x64xf16>
  // CHECK: tile.descriptor_reduce fmin,
  tile.descriptor_reduce fmin, %d[%i, %i], %x : <128x64xf16>, tensor<128x64xf16>
  return
}

// CHECK-LABEL: func.func @atomics(
func.func @atomics(%p: tensor<128x!tile.ptr<f32>>, %m: tensor<128xi1>, %x: tensor<128xf32>, %q: !tile.ptr<i64>, %n: i64) {
  // CHECK: tile.atomic_rmw fadd, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}} ordering = relaxed scope = gpu : tensor<128x!tile.ptr<f32>>
  %0 = tile.atomic_rmw fadd, %p, %x, %m ordering = relaxed scope = gpu : tensor<128x!tile.ptr<f32>>
  // CHECK: tile.atomic_rmw fmax, %{{[^,]*}}, %{{[^,]*}} ordering = acquire scope = cta : tensor<128x!tile.ptr<f32>>
  %1 = tile.atomic_rmw fmax, %p, %x ordering = acquire scope = cta : tensor<128x!tile.ptr<f32>>
  // CHECK: tile.atomic_rmw and, %{{.*}}, %{{.*}} ordering = release scope = sys : !tile.ptr<i64>
  %2 = tile.atomic_rmw and, %q, %n ordering = release scope = sys : !tile.ptr<i64>
  // CHECK: tile.atomic_rmw xchg, %{{.*}}, %{{.*}} ordering = acq_rel scope = gpu : !tile.ptr<i64>
  %3 = tile.atomic_rmw xchg, %q, %n ordering = acq_rel scope = gpu : !tile.ptr<i64>
  // CHECK: tile.atomic_cas %{{.*}}, %{{.*}}, %{{.*}} ordering = acq_rel scope = gpu : !tile.ptr<i64>
  %4 = tile.atomic_cas %q, %n, %n ordering = acq_rel scope = gpu : !tile.ptr<i64>
  // CHECK: tile.atomic_cas %{{.*}}, %{{.*}}, %{{.*}} ordering = relaxed scope = sys : tensor<128x!tile.ptr<f32>>
  %5 = tile.atomic_cas %p, %x, %x ordering = relaxed scope = sys : tensor<128x!tile.ptr<f32>>
  return
}
