// SPDX-License-Identifier: MIT
// Integers of other widths, and casts to f64, keep the conversion instruction.
// RUN: tile-opt %s --tile-gpu-cast-bytes | FileCheck %s

// CHECK-LABEL: llvm.func @others(
// CHECK: llvm.sitofp %arg0 : i16 to f16
// CHECK: llvm.uitofp %arg1 : i8 to f64
llvm.func @others(%x: i16, %y: i8) -> !llvm.struct<(f16, f64)> {
  %none = llvm.mlir.undef : !llvm.struct<(f16, f64)>
  %a = llvm.sitofp %x : i16 to f16
  %b = llvm.uitofp %y : i8 to f64
  %first = llvm.insertvalue %a, %none[0] : !llvm.struct<(f16, f64)>
  %all = llvm.insertvalue %b, %first[1] : !llvm.struct<(f16, f64)>
  llvm.return %all : !llvm.struct<(f16, f64)>
}
