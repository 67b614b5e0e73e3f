// SPDX-License-Identifier: MIT
// What is known while compiling is computed exactly as every device would.
// RUN: tile-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @quotients_of_constants
// CHECK-DAG: %[[N3:.*]] = arith.constant -3 : i8
// CHECK-DAG: %[[N1:.*]] = arith.constant -1 : i8
// CHECK-DAG: %[[MIN:.*]] = arith.constant -128 : i8
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i8
// CHECK-DAG: %[[N7:.*]] = arith.constant -7 : i8
// CHECK-DAG: %[[U124:.*]] = arith.constant 124 : i8
// CHECK-DAG: %[[U125:.*]] = arith.constant 125 : i8
// CHECK: return %[[N3]], %[[N1]], %[[MIN]], %[[ZERO]], %[[N7]], %[[ZERO]], %[[U124]], %[[U125]], %[[N3]]
func.func @quotients_of_constants() -> (i8, i8, i8, i8, i8, i8, i8, i8, i8) {
  %n7 = arith.constant -7 : i8
  %two = arith.constant 2 : i8
  %min = arith.constant -128 : i8
  %n1 = arith.constant -1 : i8
  %zero = arith.constant 0 : i8
  %0 = tile.divsi %n7, %two : i8            // -3: toward zero
  %1 = tile.remsi %n7, %two : i8            // -1: the dividend's sign
  %2 = tile.divsi %min, %n1 : i8            // MIN
  %3 = tile.remsi %min, %n1 : i8            // 0
  %4 = tile.divsi %n7, %zero : i8           // -7: a zero divisor acts as 1
  %5 = tile.remui %n7, %zero : i8           // 0
  %6 = tile.divui %n7, %two : i8            // 249 / 2 = 124
  %7 = tile.ceildivui %n7, %two : i8        // 125
  %8 = tile.ceildivsi %n7, %two : i8        // -3.5 up to -3
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : i8, i8, i8, i8, i8, i8, i8, i8, i8
}

// CHECK-LABEL: func.func @remainder_unsigned
// CHECK: %[[C:.*]] = arith.constant 4 : i8
// CHECK: return %[[C]]
func.func @remainder_unsigned() -> i8 {
  %n7 = arith.constant -7 : i8
  %five = arith.constant 5 : i8
  %0 = tile.remui %n7, %five : i8           // 249 % 5
  return %0 : i8
}

// CHECK-LABEL: func.func @elements
// CHECK: %[[C:.*]] = arith.constant dense<[5, 2, -5, 1]> : tensor<4xi32>
// CHECK: return %[[C]]
func.func @elements() -> tensor<4xi32> {
  %a = arith.constant dense<5> : tensor<4xi32>
  %b = arith.constant dense<[0, 2, -1, 3]> : tensor<4xi32>
  %0 = tile.divsi %a, %b : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: func.func @neutral(
// CHECK-SAME: %[[X:.*]]: i32
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK: return %[[X]], %[[X]], %[[ZERO]], %[[ZERO]], %[[X]], %[[ZERO]], %[[ZERO]], %[[X]], %[[ZERO]], %[[X]], %[[X]]
func.func @neutral(%x: i32) -> (i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n1 = arith.constant -1 : i32
  %c32 = arith.constant 32 : i32
  %0 = tile.divsi %x, %one : i32
  %1 = tile.divui %x, %zero : i32
  %2 = tile.remsi %x, %n1 : i32
  %3 = tile.divsi %zero, %x : i32
  %4 = tile.shli %x, %zero : i32
  %5 = tile.shli %x, %c32 : i32
  %6 = tile.shrui %x, %n1 : i32             // the amount is read as unsigned
  %7 = tile.ceildivsi %x, %one : i32
  %8 = tile.mulhiui %x, %one : i32
  %9 = tile.shrsi %x, %zero : i32
  %10 = tile.ceildivui %x, %one : i32
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10 : i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32
}

// CHECK-LABEL: func.func @harmless(
// CHECK-DAG: %[[SEVEN:.*]] = arith.constant 7 : i32
// CHECK-DAG: %[[LAST:.*]] = arith.constant 31 : i32
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK: arith.divsi %{{.*}}, %[[SEVEN]]
// CHECK: arith.divui %{{.*}}, %[[SEVEN]]
// CHECK: arith.remsi %{{.*}}, %[[SEVEN]]
// CHECK: arith.remui %{{.*}}, %[[SEVEN]]
// CHECK: arith.ceildivsi %{{.*}}, %[[SEVEN]]
// CHECK: arith.ceildivui %{{.*}}, %[[SEVEN]]
// CHECK: arith.shli %{{.*}}, %[[SEVEN]]
// CHECK: arith.shrsi %{{.*}}, %[[SEVEN]]
// CHECK: arith.shrui %{{.*}}, %[[SEVEN]]
// CHECK: arith.shrsi %{{.*}}, %[[LAST]]
// CHECK: arith.subi %[[ZERO]], %{{.*}}
// CHECK-NOT: tile.
func.func @harmless(%x: i32) -> (i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32) {
  %c7 = arith.constant 7 : i32
  %c40 = arith.constant 40 : i32
  %n1 = arith.constant -1 : i32
  %0 = tile.divsi %x, %c7 : i32
  %1 = tile.divui %x, %c7 : i32
  %2 = tile.remsi %x, %c7 : i32
  %3 = tile.remui %x, %c7 : i32
  %4 = tile.ceildivsi %x, %c7 : i32
  %5 = tile.ceildivui %x, %c7 : i32
  %6 = tile.shli %x, %c7 : i32
  %7 = tile.shrsi %x, %c7 : i32
  %8 = tile.shrui %x, %c7 : i32
  %9 = tile.shrsi %x, %c40 : i32            // the sign, which 31 gives too
  %10 = tile.divsi %x, %n1 : i32            // wraps for MIN
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10 : i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32
}

// What `arith` has no meaning for stays.
// CHECK-LABEL: func.func @harmful(
// CHECK: tile.divsi
// CHECK: tile.divsi
// CHECK: tile.shli
// CHECK: tile.remui
func.func @harmful(%x: tensor<2xi32>, %y: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) {
  %divisors = arith.constant dense<[3, 0]> : tensor<2xi32>
  %signs = arith.constant dense<[3, -1]> : tensor<2xi32>
  %amounts = arith.constant dense<[3, 32]> : tensor<2xi32>
  %0 = tile.divsi %x, %divisors : tensor<2xi32>
  %1 = tile.divsi %x, %signs : tensor<2xi32>
  %2 = tile.shli %x, %amounts : tensor<2xi32>
  %3 = tile.remui %x, %y : tensor<2xi32>
  return %0, %1, %2, %3 : tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>
}

// CHECK-LABEL: func.func @high_products
// CHECK-DAG: %[[U:.*]] = arith.constant -2 : i8
// CHECK-DAG: %[[S:.*]] = arith.constant 0 : i8
// CHECK: return %[[U]], %[[S]]
func.func @high_products() -> (i8, i8) {
  %n1 = arith.constant -1 : i8
  %0 = tile.mulhiui %n1, %n1 : i8           // 255 * 255 = 0xfe01
  %1 = tile.mulhisi %n1, %n1 : i8           // -1 * -1 = 1
  return %0, %1 : i8, i8
}

// CHECK-LABEL: func.func @extrema(
// CHECK-SAME: %[[X:.*]]: f32
// CHECK-DAG: %[[P0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG: %[[N0:.*]] = arith.constant -0.000000e+00 : f32
// CHECK-DAG: %[[NAN:.*]] = arith.constant 0x7FC00000 : f32
// CHECK: %[[M:.*]] = tile.maximum %[[X]], %{{.*}} nan = ignore
// CHECK: return %[[P0]], %[[N0]], %[[P0]], %[[NAN]], %[[X]], %[[X]], %[[M]], %[[X]], %[[X]]
func.func @extrema(%x: f32) -> (f32, f32, f32, f32, f32, f32, f32, f32, f32) {
  %p0 = arith.constant 0.0 : f32
  %n0 = arith.constant -0.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %inf = arith.constant 0x7F800000 : f32
  %0 = tile.maximum %n0, %p0 nan = ignore : f32        // -0 < +0
  %1 = tile.minimum %p0, %n0 nan = propagate : f32
  %2 = tile.maximum %p0, %nan nan = ignore : f32
  %3 = tile.minimum %p0, %nan nan = propagate : f32
  %4 = tile.maximum %x, %x nan = propagate : f32
  %5 = tile.maximum %x, %ninf nan = propagate : f32
  %6 = tile.maximum %x, %ninf nan = ignore : f32       // a NaN would become -inf
  %7 = tile.minimum %x, %inf nan = propagate : f32
  %8 = tile.minimum %x, %nan nan = ignore : f32
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : f32, f32, f32, f32, f32, f32, f32, f32, f32
}

// CHECK-LABEL: func.func @clamped
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2.000000e+00 : f32
// CHECK: return %[[TWO]], %[[ONE]], %[[ONE]]
func.func @clamped() -> (f32, f32, f32) {
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %three = arith.constant 3.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %0 = tile.clamp %three, %one, %two nan = ignore : f32
  %1 = tile.clamp %nan, %one, %two nan = ignore : f32          // low
  %2 = tile.clamp %three, %two, %one nan = propagate : f32     // low > high: high
  return %0, %1, %2 : f32, f32, f32
}

// CHECK-LABEL: func.func @rounded
// CHECK-DAG: %[[INF:.*]] = arith.constant 0x7C00 : f16
// CHECK-DAG: %[[MAX:.*]] = arith.constant 6.550400e+04 : f16
// CHECK-DAG: %[[E4:.*]] = arith.constant 4.480000e+02 : f8E4M3FN
// CHECK-DAG: %[[E5:.*]] = arith.constant -5.734400e+04 : f8E5M2
// CHECK-DAG: %[[BF:.*]] = arith.constant 1.007810e+00 : bf16
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1.000000e+00 : bf16
// CHECK: return %[[INF]], %[[MAX]], %[[E4]], %[[E5]], %[[BF]], %[[ONE]]
func.func @rounded() -> (f16, f16, f8E4M3FN, f8E5M2, bf16, bf16) {
  %large = arith.constant 1.0e6 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %above = arith.constant 1.005 : f32
  %0 = tile.fp_cast %large : f32 -> f16
  %1 = tile.fp_cast %large rounding = rtz : f32 -> f16
  %2 = tile.fp_cast %large : f32 -> f8E4M3FN
  %3 = tile.fp_cast %ninf : f32 -> f8E5M2                      // infinities saturate too
  %4 = tile.fp_cast %above : f32 -> bf16
  %5 = tile.fp_cast %above rounding = rtz : f32 -> bf16
  return %0, %1, %2, %3, %4, %5 : f16, f16, f8E4M3FN, f8E5M2, bf16, bf16
}

// One rounding and never two: f32 would lose the 2^-40 that decides.
// CHECK-LABEL: func.func @rounded_once
// CHECK: %[[C:.*]] = arith.constant 1.250000e+00 : f8E5M2
// CHECK: return %[[C]]
func.func @rounded_once() -> f8E5M2 {
  %x = arith.constant 0x3FF2000000001000 : f64                 // 1.125 + 2^-40
  %0 = tile.fp_cast %x : f64 -> f8E5M2
  return %0 : f8E5M2
}

// CHECK-LABEL: func.func @nan_stays
// CHECK-DAG: arith.constant 0x7E : f8E5M2
// CHECK-DAG: arith.constant 0x7F : f8E4M3FN
func.func @nan_stays() -> (f8E5M2, f8E4M3FN) {
  %nan = arith.constant 0x7FC00000 : f32
  %0 = tile.fp_cast %nan : f32 -> f8E5M2
  %1 = tile.fp_cast %nan : f32 -> f8E4M3FN
  return %0, %1 : f8E5M2, f8E4M3FN
}

// CHECK-LABEL: func.func @casts_of_casts(
// CHECK-SAME: %[[H:.*]]: f16, %[[F:.*]]: f32, %[[E:.*]]: f8E5M2
// CHECK: %[[B:.*]] = tile.fp_cast %[[H]] : f16 -> bf16
// CHECK: %[[N:.*]] = tile.fp_cast %[[F]] : f32 -> f16
// CHECK: %[[W:.*]] = tile.fp_cast %[[N]] : f16 -> f32
// CHECK: %[[I:.*]] = tile.fptosi %[[H]] : f16 -> i32
// CHECK: %[[U:.*]] = tile.fp_cast %[[E]] : f8E5M2 -> f32
// CHECK: %[[D:.*]] = tile.fp_cast %[[U]] : f32 -> f8E5M2
// CHECK: return %[[B]], %[[H]], %[[W]], %[[I]], %[[D]]
func.func @casts_of_casts(%h: f16, %f: f32, %e: f8E5M2) -> (bf16, f16, f32, i32, f8E5M2) {
  %0 = tile.fp_cast %h : f16 -> f32
  %1 = tile.fp_cast %0 : f32 -> bf16        // exact, then one rounding
  %2 = tile.fp_cast %0 : f32 -> f16         // there and back
  %3 = tile.fp_cast %f : f32 -> f16         // rounds: stays
  %4 = tile.fp_cast %3 : f16 -> f32
  %5 = tile.fptosi %0 : f32 -> i32
  %6 = tile.fp_cast %e : f8E5M2 -> f32      // an infinity comes back as 57344: stays
  %7 = tile.fp_cast %6 : f32 -> f8E5M2
  return %1, %2, %4, %5, %7 : bf16, f16, f32, i32, f8E5M2
}

// CHECK-LABEL: func.func @saturated
// CHECK-DAG: %[[N:.*]] = arith.constant dense<[-128, 127, 0, -1]> : tensor<4xi8>
// CHECK-DAG: %[[U:.*]] = arith.constant dense<[0, -1, 0, 0]> : tensor<4xi8>
// CHECK: return %[[N]], %[[U]]
func.func @saturated() -> (tensor<4xi8>, tensor<4xi8>) {
  %x = arith.constant dense<[-1.0e9, 1.0e9, 0x7FC00000, -1.9]> : tensor<4xf32>
  %0 = tile.fptosi %x : tensor<4xf32> -> tensor<4xi8>
  %1 = tile.fptoui %x : tensor<4xf32> -> tensor<4xi8>
  return %0, %1 : tensor<4xi8>, tensor<4xi8>
}
