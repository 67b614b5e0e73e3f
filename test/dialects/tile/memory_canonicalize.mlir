// SPDX-License-Identifier: MIT
// RUN: tile-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @offsets(
// CHECK-SAME: %[[P:.*]]: !tile.ptr<f16>, %[[N:.*]]: i32
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : i32
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : i32
// CHECK-DAG: %[[BIG:.*]] = arith.constant 4294967294 : i64
// CHECK: %[[Q:.*]] = tile.addptr %[[P]], %[[C8]] : !tile.ptr<f16>, i32
// CHECK: %[[R:.*]] = tile.addptr %[[P]], %[[BIG]] : !tile.ptr<f16>, i64
// CHECK: %[[S:.*]] = tile.addptr %[[P]], %[[N]] : !tile.ptr<f16>, i32
// CHECK: %[[T:.*]] = tile.addptr %[[S]], %[[C3]] : !tile.ptr<f16>, i32
// CHECK: return %[[P]], %[[Q]], %[[R]], %[[T]]
func.func @offsets(%p: !tile.ptr<f16>, %n: i32) -> (!tile.ptr<f16>, !tile.ptr<f16>, !tile.ptr<f16>, !tile.ptr<f16>) {
  %zero = arith.constant 0 : i64
  %three = arith.constant 3 : i32
  %five = arith.constant 5 : i64
  %max = arith.constant 2147483647 : i32
  %0 = tile.addptr %p, %zero : !tile.ptr<f16>, i64
  %1 = tile.addptr %p, %three : !tile.ptr<f16>, i32
  %2 = tile.addptr %1, %five : !tile.ptr<f16>, i64
  %3 = tile.addptr %p, %max : !tile.ptr<f16>, i32              // the sum needs 64 bits
  %4 = tile.addptr %3, %max : !tile.ptr<f16>, i32
  %5 = tile.addptr %p, %n : !tile.ptr<f16>, i32                // not known: stays
  %6 = tile.addptr %5, %three : !tile.ptr<f16>, i32
  return %0, %2, %4, %6 : !tile.ptr<f16>, !tile.ptr<f16>, !tile.ptr<f16>, !tile.ptr<f16>
}

// An unsigned offset of all ones is 2^32 - 1 elements, not -1.
// CHECK-LABEL: func.func @unsigned_offsets(
// CHECK: %[[C:.*]] = arith.constant dense<4294967294> : tensor<4xi64>
// CHECK: tile.addptr %{{.*}}, %[[C]] : tensor<4x!tile.ptr<f16>>, tensor<4xi64>
func.func @unsigned_offsets(%p: tensor<4x!tile.ptr<f16>>) -> tensor<4x!tile.ptr<f16>> {
  %ones = arith.constant dense<-1> : tensor<4xi32>
  %0 = tile.addptr %p, %ones unsigned : tensor<4x!tile.ptr<f16>>, tensor<4xi32>
  %1 = tile.addptr %0, %ones : tensor<4x!tile.ptr<f16>>, tensor<4xi32>
  return %1 : tensor<4x!tile.ptr<f16>>
}

// CHECK-LABEL: func.func @addresses(
// CHECK-SAME: %[[P:.*]]: !tile.ptr<f16>, %[[N:.*]]: i64
// CHECK: %[[I:.*]] = tile.ptr_to_int %[[P]]
// CHECK: %[[Q:.*]] = tile.int_to_ptr %[[I]] : i64 -> !tile.ptr<i16>
// CHECK: return %[[P]], %[[N]], %[[Q]]
func.func @addresses(%p: !tile.ptr<f16>, %n: i64) -> (!tile.ptr<f16>, i64, !tile.ptr<i16>) {
  %0 = tile.ptr_to_int %p : !tile.ptr<f16> -> i64
  %1 = tile.int_to_ptr %0 : i64 -> !tile.ptr<f16>
  %2 = tile.int_to_ptr %n : i64 -> !tile.ptr<f16>
  %3 = tile.ptr_to_int %2 : !tile.ptr<f16> -> i64
  %4 = tile.int_to_ptr %0 : i64 -> !tile.ptr<i16>              // another pointee: stays
  return %1, %3, %4 : !tile.ptr<f16>, i64, !tile.ptr<i16>
}

// CHECK-LABEL: func.func @loads(
// CHECK-SAME: %[[P:.*]]: tensor<4x!tile.ptr<f32>>, %[[M:.*]]: tensor<4xi1>, %[[O:.*]]: tensor<4xf32>
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-DAG: %[[NEG:.*]] = arith.constant dense<-0.000000e+00> : tensor<4xf32>
// CHECK: %[[A:.*]] = tile.load %[[P]] : tensor<4x!tile.ptr<f32>>
// CHECK: %[[B:.*]] = tile.load %[[P]], %[[M]] : tensor<4x!tile.ptr<f32>>
// CHECK: %[[C:.*]] = tile.load %[[P]], %[[M]], %[[NEG]] : tensor<4x!tile.ptr<f32>>
// CHECK: return %[[A]], %[[O]], %[[ZERO]], %[[B]], %[[C]]
func.func @loads(%p: tensor<4x!tile.ptr<f32>>, %m: tensor<4xi1>, %o: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %all = arith.constant dense<true> : tensor<4xi1>
  %none = arith.constant dense<false> : tensor<4xi1>
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %neg = arith.constant dense<-0.0> : tensor<4xf32>
  %0 = tile.load %p, %all, %o : tensor<4x!tile.ptr<f32>>
  %1 = tile.load %p, %none, %o : tensor<4x!tile.ptr<f32>>
  %2 = tile.load %p, %none volatile : tensor<4x!tile.ptr<f32>>
  %3 = tile.load %p, %m, %zero : tensor<4x!tile.ptr<f32>>
  %4 = tile.load %p, %m, %neg : tensor<4x!tile.ptr<f32>>       // other bits than 0
  return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @unread_pointer(
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK: %[[NULL:.*]] = tile.int_to_ptr %[[ZERO]] : i64 -> !tile.ptr<f16>
// CHECK: return %[[NULL]]
func.func @unread_pointer(%p: !tile.ptr<!tile.ptr<f16>>) -> !tile.ptr<f16> {
  %none = arith.constant false
  %0 = tile.load %p, %none : !tile.ptr<!tile.ptr<f16>>
  return %0 : !tile.ptr<f16>
}

// An unused load goes, a volatile one is an access and stays, and so does one that asks memory each time.
// CHECK-LABEL: func.func @unused_loads(
// CHECK-NEXT: tile.load %{{.*}} volatile
// CHECK-NEXT: tile.load %{{.*}} cache = cv
// CHECK-NEXT: return
func.func @unused_loads(%p: !tile.ptr<f16>) {
  %0 = tile.load %p : !tile.ptr<f16>
  %1 = tile.load %p volatile : !tile.ptr<f16>
  %2 = tile.load %p cache = cv : !tile.ptr<f16>
  %3 = tile.load %p cache = cg : !tile.ptr<f16>
  return
}

// CHECK-LABEL: func.func @stores(
// CHECK-SAME: %[[P:.*]]: tensor<4x!tile.ptr<f32>>, %[[X:.*]]: tensor<4xf32>, %[[M:.*]]: tensor<4xi1>
// CHECK-NEXT: tile.store %[[P]], %[[X]] : tensor<4x!tile.ptr<f32>>
// CHECK-NEXT: tile.store %[[P]], %[[X]], %[[M]] : tensor<4x!tile.ptr<f32>>
// CHECK-NEXT: return
func.func @stores(%p: tensor<4x!tile.ptr<f32>>, %x: tensor<4xf32>, %m: tensor<4xi1>) {
  %all = arith.constant dense<true> : tensor<4xi1>
  %none = arith.constant dense<false> : tensor<4xi1>
  tile.store %p, %x, %all : tensor<4x!tile.ptr<f32>>
  tile.store %p, %x, %none : tensor<4x!tile.ptr<f32>>
  tile.store %p, %x, %m : tensor<4x!tile.ptr<f32>>
  return
}

// CHECK-LABEL: func.func @atomics(
// CHECK: tile.atomic_rmw add, %{{[^,]*}}, %{{[^,]*}} ordering = acq_rel
// CHECK: tile.atomic_rmw add, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}} ordering = acq_rel
func.func @atomics(%p: !tile.ptr<i32>, %x: i32) {
  %all = arith.constant true
  %none = arith.constant false
  %0 = tile.atomic_rmw add, %p, %x, %all ordering = acq_rel scope = gpu : !tile.ptr<i32>
  %1 = tile.atomic_rmw add, %p, %x, %none ordering = acq_rel scope = gpu : !tile.ptr<i32>   // it still orders
  return
}

// A matrix is stored as it is, and not as a stack of one matrix.
// CHECK-LABEL: func.func @store_of_a_stack(
// CHECK-SAME: %[[X:[^:]*]]: tensor<8x16xf16>
// CHECK-NOT: tile.expand_dims
// CHECK: tile.descriptor_store %{{.*}}, %[[X]] : <1x1x8x16xf16>, tensor<8x16xf16>
// CHECK: %[[Y:.*]] = tile.expand_dims %{{.*}} {axis = 1
// CHECK: tile.descriptor_store %{{.*}}, %[[Y]] : <8x1x16xf16>, tensor<8x1x16xf16>
func.func @store_of_a_stack(%x: tensor<8x16xf16>, %d: !tile.desc<1x1x8x16xf16>, %e: !tile.desc<8x1x16xf16>, %i: i32) {
  %stack = tile.expand_dims %x {axis = 0 : i32} : tensor<8x16xf16> -> tensor<1x8x16xf16>
  %stacks = tile.expand_dims %stack {axis = 0 : i32} : tensor<1x8x16xf16> -> tensor<1x1x8x16xf16>
  tile.descriptor_store %d[%i, %i, %i, %i], %stacks : !tile.desc<1x1x8x16xf16>, tensor<1x1x8x16xf16>
  %between = tile.expand_dims %x {axis = 1 : i32} : tensor<8x16xf16> -> tensor<8x1x16xf16>
  tile.descriptor_store %e[%i, %i, %i], %between : !tile.desc<8x1x16xf16>, tensor<8x1x16xf16>
  return
}
