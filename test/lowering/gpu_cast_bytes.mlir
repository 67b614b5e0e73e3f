// SPDX-License-Identifier: MIT
// Bytes become floats by permutations and subtractions.
// RUN: tile-opt %s --tile-gpu-cast-bytes | FileCheck %s --implicit-check-not=itofp

// Two of a word at once, however many are loaded together, and whichever they are.
// CHECK-LABEL: llvm.func @pairs(
// CHECK-DAG: %[[WORDS:.*]] = llvm.bitcast %arg0 : vector<8xi8> to vector<2xi32>
// CHECK-DAG: %[[AT:.*]] = llvm.mlir.constant(1 : i32) : i32
// CHECK: %[[WORD:.*]] = llvm.extractelement %[[WORDS]][%[[AT]] : i32] : vector<2xi32>
// CHECK: %[[BYTES:.*]] = llvm.bitcast %[[WORD]] : i32 to vector<4xi8>
// CHECK: %[[ONES:.*]] = llvm.mlir.constant(1684300900 : i32) : i32
// CHECK: %[[ABOVE:.*]] = llvm.bitcast %[[ONES]] : i32 to vector<4xi8>
// CHECK: %[[PARTS:.*]] = llvm.shufflevector %[[BYTES]], %[[ABOVE]] [3, 4, 0, 4] : vector<4xi8>
// CHECK: %[[HALVES:.*]] = llvm.bitcast %[[PARTS]] : vector<4xi8> to vector<2xf16>
// CHECK: %[[LEAST:.*]] = llvm.mlir.constant(dense<1.024000e+03> : vector<2xf16>)
// CHECK: %[[BOTH:.*]] = llvm.fsub %[[HALVES]], %[[LEAST]] : vector<2xf16>
// CHECK: %[[X:.*]] = llvm.extractelement %[[BOTH]]
// CHECK: %[[Y:.*]] = llvm.extractelement %[[BOTH]]
// CHECK: llvm.insertvalue %[[X]], %{{.*}}[0]
// CHECK: llvm.insertvalue %[[Y]], %{{.*}}[1]
llvm.func @pairs(%bytes: vector<8xi8>) -> !llvm.struct<(f16, f16)> {
  %four = llvm.mlir.constant(4 : i32) : i32
  %seven = llvm.mlir.constant(7 : i32) : i32
  %none = llvm.mlir.undef : !llvm.struct<(f16, f16)>
  %x = llvm.extractelement %bytes[%seven : i32] : vector<8xi8>
  %y = llvm.extractelement %bytes[%four : i32] : vector<8xi8>
  %a = llvm.uitofp %x : i8 to f16
  %b = llvm.uitofp %y : i8 to f16
  %first = llvm.insertvalue %a, %none[0] : !llvm.struct<(f16, f16)>
  %all = llvm.insertvalue %b, %first[1] : !llvm.struct<(f16, f16)>
  llvm.return %all : !llvm.struct<(f16, f16)>
}

// Bytes with a sign count from -128. The word that memory gave is used as it is.
// CHECK-LABEL: llvm.func @with_signs(
// CHECK-SAME: %[[WORD:.*]]: i32
// CHECK: %[[LEAST:.*]] = llvm.mlir.constant(-2139062144 : i32) : i32
// CHECK: %[[FROM_LEAST:.*]] = llvm.xor %[[WORD]], %[[LEAST]] : i32
// CHECK: %[[BYTES:.*]] = llvm.bitcast %[[FROM_LEAST]] : i32 to vector<4xi8>
// CHECK: llvm.shufflevector %[[BYTES]], %{{.*}} [1, 4, 2, 4] : vector<4xi8>
// CHECK: llvm.mlir.constant(dense<1.152000e+03> : vector<2xf16>)
llvm.func @with_signs(%word: i32) -> f16 {
  %one = llvm.mlir.constant(1 : i32) : i32
  %two = llvm.mlir.constant(2 : i32) : i32
  %bytes = llvm.bitcast %word : i32 to vector<4xi8>
  %x = llvm.extractelement %bytes[%one : i32] : vector<4xi8>
  %y = llvm.extractelement %bytes[%two : i32] : vector<4xi8>
  %a = llvm.sitofp %x : i8 to f16
  %b = llvm.sitofp %y : i8 to f16
  %sum = llvm.fadd %a, %b : f16
  llvm.return %sum : f16
}

// Packed weights: what is done to all bytes alike is done to the word, once.
// CHECK-LABEL: llvm.func @packed(
// CHECK-SAME: %[[WORD:.*]]: i32
// CHECK: %[[HIGH:.*]] = llvm.lshr %[[WORD]], %{{.*}} : i32
// CHECK: %[[KEPT:.*]] = llvm.mlir.constant(252645135 : i32) : i32
// CHECK: llvm.and %[[HIGH]], %[[KEPT]] : i32
// CHECK: %[[LOW:.*]] = llvm.mlir.constant(252645135 : i32) : i32
// CHECK: llvm.and %[[WORD]], %[[LOW]] : i32
// CHECK-NOT: llvm.and %{{.*}} : i32
// CHECK-COUNT-2: llvm.fsub %{{.*}} : vector<2xf16>
// CHECK-NOT: llvm.fsub
llvm.func @packed(%word: i32) -> f16 {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %four = llvm.mlir.constant(4 : i8) : i8
  %last = llvm.mlir.constant(15 : i8) : i8
  %bytes = llvm.bitcast %word : i32 to vector<4xi8>
  %x = llvm.extractelement %bytes[%zero : i32] : vector<4xi8>
  %y = llvm.extractelement %bytes[%one : i32] : vector<4xi8>
  %low_x = llvm.and %x, %last : i8
  %high_x = llvm.lshr %x, %four : i8
  %low_y = llvm.and %y, %last : i8
  %high_y = llvm.lshr %y, %four : i8
  %a = llvm.uitofp %low_x : i8 to f16
  %b = llvm.uitofp %high_x : i8 to f16
  %c = llvm.uitofp %low_y : i8 to f16
  %d = llvm.uitofp %high_y : i8 to f16
  %ab = llvm.fadd %a, %b : f16
  %cd = llvm.fadd %c, %d : f16
  %sum = llvm.fadd %ab, %cd : f16
  llvm.return %sum : f16
}

// What a shift brings in from the byte beside is cut off.
// CHECK-LABEL: llvm.func @shifted(
// CHECK: %[[UP:.*]] = llvm.shl %arg0, %{{.*}} : i32
// CHECK: %[[KEPT:.*]] = llvm.mlir.constant(-117901064 : i32) : i32
// CHECK: llvm.and %[[UP]], %[[KEPT]] : i32
llvm.func @shifted(%word: i32) -> f32 {
  %two = llvm.mlir.constant(2 : i32) : i32
  %three = llvm.mlir.constant(3 : i8) : i8
  %bytes = llvm.bitcast %word : i32 to vector<4xi8>
  %x = llvm.extractelement %bytes[%two : i32] : vector<4xi8>
  %y = llvm.shl %x, %three : i8
  %a = llvm.uitofp %y : i8 to f32
  llvm.return %a : f32
}

// f32 and bf16 one by one: 2^23 + 128.
// CHECK-LABEL: llvm.func @singles(
// CHECK: llvm.zext %{{.*}} : i16 to i32
// CHECK: llvm.mlir.constant(1258291200 : i32) : i32
// CHECK: llvm.shufflevector %{{.*}} [1, 4, 5, 7] : vector<4xi8>
// CHECK: llvm.mlir.constant(0x4B000080 : f32) : f32
// CHECK: %[[WIDE:.*]] = llvm.fsub %{{.*}} : f32
// CHECK: llvm.fptrunc %[[WIDE]] : f32 to bf16
llvm.func @singles(%bytes: vector<2xi8>) -> bf16 {
  %one = llvm.mlir.constant(1 : i32) : i32
  %x = llvm.extractelement %bytes[%one : i32] : vector<2xi8>
  %a = llvm.sitofp %x : i8 to bf16
  llvm.return %a : bf16
}

// A byte that is alone, or of no word.
// CHECK-LABEL: llvm.func @alone(
// CHECK: llvm.zext %arg0 : i8 to i16
// CHECK: llvm.mlir.constant(25600 : i16) : i16
// CHECK: llvm.mlir.constant(1.024000e+03 : f16) : f16
// CHECK: llvm.xor %arg0, %{{.*}} : i8
// CHECK: llvm.mlir.constant(1258291200 : i32) : i32
llvm.func @alone(%x: i8) -> !llvm.struct<(f16, f32)> {
  %none = llvm.mlir.undef : !llvm.struct<(f16, f32)>
  %a = llvm.uitofp %x : i8 to f16
  %b = llvm.sitofp %x : i8 to f32
  %first = llvm.insertvalue %a, %none[0] : !llvm.struct<(f16, f32)>
  %all = llvm.insertvalue %b, %first[1] : !llvm.struct<(f16, f32)>
  llvm.return %all : !llvm.struct<(f16, f32)>
}

// A byte that is cast both ways has no partner.
// CHECK-LABEL: llvm.func @both_ways(
// CHECK-COUNT-2: llvm.fsub %{{.*}} : f16
llvm.func @both_ways(%word: i32) -> f16 {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %bytes = llvm.bitcast %word : i32 to vector<4xi8>
  %x = llvm.extractelement %bytes[%zero : i32] : vector<4xi8>
  %a = llvm.uitofp %x : i8 to f16
  %b = llvm.sitofp %x : i8 to f16
  %sum = llvm.fadd %a, %b : f16
  llvm.return %sum : f16
}
